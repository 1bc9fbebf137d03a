/*
 * restart_file.c
 *		The cache while the server is stopped (rule K3).
 *
 * When all other processes are gone and the shutdown checkpoint is made, the
 * postmaster writes the cached blocks to a file. When it starts, it removes the
 * file for good, and then puts the blocks back into the cache. The first
 * session comes later. So a file is used once at most.
 *
 * Ids of a file may be issued only if nobody has gone on from the same state of
 * the cluster meanwhile. That state is pg_control, with the last checkpoint and
 * the system identifier, of which the file has a copy. At start it must be the
 * same, with the cluster still shut down and no recovery ahead. It differs
 * after a crash, with a restored backup, on a standby, after pg_rewind, and
 * when the server has run without the library in between.
 *
 * Two copies of one cluster that do the same work can be shut down in the same
 * second at the same place, with different ids left. So the file also has the
 * time at which pg_control was written, to the nanosecond.
 *
 * But a copy of a cluster that is stopped cannot be told from the original.
 * That does no harm to blocks that come from the cluster itself: each copy goes
 * its own way. Blocks from another server are unique only as long as one
 * cluster has them, so they are not kept.
 *
 * The file consists of a FileHeader, the slot of each id sequence as it was,
 * and a CRC-32C of all that. The same machine writes and reads it, so it is in
 * native byte order. If there is less room at start, those that come first find
 * it.
 *
 * Locking rules: the postmaster is alone when it writes and when it reads. The
 * functions of the cache take their locks all the same.
 */
#include "postgres.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "access/xlog.h"
#include "access/xlog_internal.h"
#include "catalog/pg_control.h"
#include "common/controldata_utils.h"
#include "miscadmin.h"
#include "pgstat.h"
#include "port/pg_crc32c.h"
#include "storage/fd.h"
#include "utils/memutils.h"

#include "cache/cache.h"

/* In the folder where pg_stat_statements has its file. */
#define IDGEN_RESTART_FILE PGSTAT_STAT_PERMANENT_DIRECTORY "/idgen.cache"

#define IDGEN_FILE_MAGIC 0x49644743
/*
 * Changes with the layout of the file, and of a slot: at least where a slot has
 * another size, be it in a server that is built otherwise, nobody can forget.
 */
#define IDGEN_FILE_VERSION (7 << 16 | (uint32) sizeof(IdgenSlot))

/*
 * The state of the cluster that a file belongs to, compared byte by byte; what
 * pads it is in pg_control as well.
 */
typedef struct ClusterState
{
	ControlFileData control;
	int64 written_at[2]; /* when that was, in seconds and nanoseconds */
} ClusterState;

typedef struct FileHeader
{
	uint32 magic;
	uint32 version;
	ClusterState state;
} FileHeader;

/*
 * The state when the postmaster started, if the cluster was shut down; else
 * zero.
 */
static ClusterState state_at_start;

static bool
exists(const char *path)
{
	struct stat st;

	return lstat(path, &st) == 0;
}

/*
 * The state that the cluster is in. Returns false if it has not been shut down,
 * or will not go on from there.
 */
static bool
get_cluster_state(ClusterState *state)
{
	bool crc_ok;
	ControlFileData *control = get_controlfile(DataDir, &crc_ok);
	bool clean = crc_ok && control->state == DB_SHUTDOWNED;
	struct stat st;

	memset(state, 0, sizeof(ClusterState));
	memcpy(&state->control, control, sizeof(ControlFileData));
	pfree(control);
	if (stat(XLOG_CONTROL_FILE, &st) != 0)
		return false;
	state->written_at[0] = st.st_mtim.tv_sec;
	state->written_at[1] = st.st_mtim.tv_nsec;
	return clean && !exists(BACKUP_LABEL_FILE) &&
		!exists(RECOVERY_SIGNAL_FILE) && !exists(STANDBY_SIGNAL_FILE);
}

/* Write a whole file. Returns false, with errno, if that fails. */
static bool
write_file(const char *path, const FileHeader *header)
{
	FILE *file = AllocateFile(path, PG_BINARY_W);
	pg_crc32c crc;
	IdgenSlot slot;
	int next = 0;
	int error;

	if (file == NULL)
		return false;
	INIT_CRC32C(crc);
	COMP_CRC32C(crc, header, sizeof(FileHeader));
	(void) fwrite(header, sizeof(FileHeader), 1, file);
	while (!ferror(file) && idgen_cache_copy_next(&next, InvalidOid, &slot))
	{
		if (slot.not_kept)
			slot.nruns = slot.ids_left = 0;
		COMP_CRC32C(crc, &slot, sizeof(slot));
		(void) fwrite(&slot, sizeof(slot), 1, file);
	}
	FIN_CRC32C(crc);
	if (!ferror(file))
		(void) fwrite(&crc, sizeof(crc), 1, file);
	error = ferror(file) ? errno : 0;
	if (FreeFile(file) != 0)
		return false;
	errno = error;
	return error == 0;
}

/*
 * Write the file: an on_shmem_exit callback of the postmaster, with its exit
 * code. If that says that the server has failed, the memory can be trusted only
 * if the server has not even started.
 */
void
idgen_restart_file_write(int code, Datum arg)
{
	const char *temporary = IDGEN_RESTART_FILE ".tmp";
	FileHeader header = {.magic = IDGEN_FILE_MAGIC, .version = IDGEN_FILE_VERSION};
	IdgenCacheTotals totals;

	idgen_cache_totals(&totals);
	if (totals.sequences == 0 || !get_cluster_state(&header.state) ||
	    (code != 0 && memcmp(&header.state, &state_at_start, sizeof(ClusterState)) != 0))
		return;

	(void) unlink(temporary); /* it may be a link to elsewhere */
	if (write_file(temporary, &header) && durable_rename(temporary, IDGEN_RESTART_FILE, LOG) == 0)
		return;
	ereport(LOG,
	        (errcode_for_file_access(),
	         errmsg("could not write file \"%s\": %m", temporary),
	         errdetail("Cached ids are lost.")));
	unlink(temporary);
}

/*
 * The contents of the file; NULL if it cannot be read, with a line in the log.
 * It must be an ordinary one, and not one that a link names: to open anything
 * else could wait for ever.
 */
static char *
get_contents(Size *size)
{
	int fd = OpenTransientFile(IDGEN_RESTART_FILE, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | PG_BINARY);
	char *contents = NULL;
	struct stat st;

	if (fd >= 0 && fstat(fd, &st) == 0)
	{
		*size = st.st_size;
		errno = S_ISREG(st.st_mode) ? ENOMEM : EINVAL;
		if (S_ISREG(st.st_mode))
			contents = MemoryContextAllocExtended(CurrentMemoryContext, *size + 1,
			                                      MCXT_ALLOC_HUGE | MCXT_ALLOC_NO_OOM);
		if (contents != NULL && read(fd, contents, *size) != (ssize_t) *size)
			contents = NULL;
	}
	if (contents == NULL)
		ereport(LOG,
		        (errcode_for_file_access(),
		         errmsg("could not read file \"%s\": %m", IDGEN_RESTART_FILE)));
	if (fd >= 0)
		CloseTransientFile(fd);
	return contents;
}

/*
 * Why must the contents not be used, in a cluster in this state? NULL if they
 * may. "continues" says that the cluster goes on from there; see
 * get_cluster_state().
 */
static const char *
find_problem(const char *contents, Size size, const ClusterState *state, bool continues)
{
	FileHeader header;
	pg_crc32c crc;

	if (contents == NULL)
		return "It cannot be read.";
	if (size < sizeof(FileHeader) + sizeof(pg_crc32c))
		return "It is too short.";
	memcpy(&header, contents, sizeof(header));
	if (header.magic != IDGEN_FILE_MAGIC)
		return "It has another format.";
	if (header.version != IDGEN_FILE_VERSION)
		return "It is from another version.";
	INIT_CRC32C(crc);
	COMP_CRC32C(crc, contents, size - sizeof(pg_crc32c));
	FIN_CRC32C(crc);
	if (memcmp(&crc, contents + size - sizeof(pg_crc32c), sizeof(crc)) != 0)
		return "Its checksum is wrong.";
	if (header.state.control.system_identifier != state->control.system_identifier)
		return "It is from another database cluster.";
	if (!continues)
		return "The database cluster does not continue from where it was shut down.";
	if (memcmp(&header.state, state, sizeof(ClusterState)) != 0)
		return "The database cluster has been in use since.";
	return NULL;
}

/*
 * Put slots back, first those that have ids: there may be less room than there
 * was. Returns the number of ids that find none.
 */
static int64
restore(const IdgenSlot *saved, uint64 nslots)
{
	int64 lost = 0;

	for (int with_ids = 1; with_ids >= 0; with_ids--)
		for (uint64 i = 0; i < nslots; i++)
			if ((saved[i].nruns > 0) == (with_ids == 1) && !idgen_cache_restore(&saved[i]))
				lost += saved[i].ids_left;
	return lost;
}

/*
 * Put back into the cache what the file holds, if there is one. Called by the
 * postmaster when it has made the cache.
 */
void
idgen_restart_file_read(void)
{
	ClusterState state;
	bool continues = get_cluster_state(&state);
	Size size = 0;
	char *contents;
	const char *problem;
	int64 lost = 0;

	memset(&state_at_start, 0, sizeof(ClusterState));
	if (continues)
		state_at_start = state;
	if (!exists(IDGEN_RESTART_FILE))
		return;
	contents = get_contents(&size);
	problem = find_problem(contents, size, &state, continues);
	if (durable_unlink(IDGEN_RESTART_FILE, LOG) != 0)
		problem = "It could not be removed.";

	if (problem == NULL)
		lost = restore((const IdgenSlot *) (contents + sizeof(FileHeader)),
		               (size - sizeof(FileHeader) - sizeof(pg_crc32c)) / sizeof(IdgenSlot));
	else
		ereport(LOG,
		        (errmsg("ignoring file \"%s\"", IDGEN_RESTART_FILE),
		         errdetail_internal("%s", problem)));
	if (lost > 0)
		ereport(LOG,
		        (errmsg("%lld cached ids are lost", (long long) lost),
		         errdetail("There is no room for them in the cache."),
		         errhint("You might need to increase idgen.max_sequences.")));
	if (contents != NULL)
		pfree(contents);
}
