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
 * the cluster meanwhile. The last checkpoint in pg_control names that state: by
 * its place and time, the timeline, and the system identifier. The file has a
 * copy of them. At start they must be the same, with the cluster still shut
 * down and no recovery ahead. They differ after a crash, with a restored
 * backup, on a standby, after pg_rewind, and when the server has run without
 * the library in between.
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
 * The file consists of a FileHeader; for each id sequence an EntryHeader, its
 * name without a terminating zero, its IdgenBlocks, and IdgenCounted if it had
 * a slot; and a CRC-32C of all that. The same machine writes and reads it, so
 * it is in native byte order. The id sequences that had slots come first, then
 * those of the second level: so if there is less room at start, the latter go
 * without first. Those of which only counters are left go without before them.
 *
 * Locking rules: the postmaster is alone when it writes and when it reads. The
 * functions of the cache take their locks all the same.
 */
#include "postgres.h"

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

#include "shmem/cache.h"
#include "shmem/restart_file.h"

/* In the folder where pg_stat_statements has its file. */
#define IDGEN_RESTART_FILE PGSTAT_STAT_PERMANENT_DIRECTORY "/idgen.cache"

#define IDGEN_FILE_MAGIC 0x49644743
/* Changes with the layout of the file. */
#define IDGEN_FILE_VERSION 4

/* The state of the cluster that a file belongs to; no padding. */
typedef struct ClusterState
{
	uint64 system_identifier;
	XLogRecPtr checkpoint;
	pg_time_t checkpoint_time;
	uint64 timeline;
	int64 written_at[2]; /* when pg_control was, in seconds and nanoseconds */
} ClusterState;

typedef struct FileHeader
{
	uint32 magic;
	uint32 version;
	ClusterState state;
	uint64 nentries;
} FileHeader;

typedef struct EntryHeader
{
	Oid dbid;
	Oid relid;
	Oid object;
	RelFileNumber storage;
	uint32 origin;
	int16 namelen;
	uint8 nblocks;
	uint8 has_counted; /* 0 or 1 */
} EntryHeader;

/* An entry that has been read. */
typedef struct Entry
{
	IdgenCacheKey key; /* its name stays in the contents, without a zero */
	IdgenRest rest;
	IdgenBlock blocks[IDGEN_SLOT_BLOCKS]; /* of the rest */
	bool has_counted;
	IdgenCounted counted;
} Entry;

/* A file that is being written. */
typedef struct Writer
{
	FILE *file;
	pg_crc32c crc;
	uint64 nentries;
	int error; /* errno of what has failed first, or 0 */
} Writer;

/* Contents that are being read. */
typedef struct Reader
{
	const char *at;
	Size left;
} Reader;

/*
 * The state when the postmaster started, if the cluster was shut down; else
 * zero.
 */
static ClusterState state_at_start;

static bool
exists(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0;
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
	state->system_identifier = control->system_identifier;
	state->checkpoint = control->checkPoint;
	state->checkpoint_time = control->checkPointCopy.time;
	state->timeline = control->checkPointCopy.ThisTimeLineID;
	pfree(control);
	if (stat(XLOG_CONTROL_FILE, &st) != 0)
		return false;
	state->written_at[0] = st.st_mtim.tv_sec;
	state->written_at[1] = st.st_mtim.tv_nsec;
	return clean && !exists(BACKUP_LABEL_FILE) &&
		!exists(RECOVERY_SIGNAL_FILE) && !exists(STANDBY_SIGNAL_FILE);
}

static void
put(Writer *writer, const void *data, Size size)
{
	COMP_CRC32C(writer->crc, data, size);
	if (size > 0 && writer->error == 0 && fwrite(data, size, 1, writer->file) != 1)
		writer->error = errno != 0 ? errno : ENOSPC;
}

/* The number of blocks that are kept of what the cache holds. */
static int
count_blocks(const IdgenIdle *held)
{
	return held->lost_at_shutdown ? 0 : held->nblocks;
}

static bool
is_kept(const IdgenIdle *held, const IdgenCounted *counted)
{
	return count_blocks(held) > 0 || counted != NULL;
}

static void
count_entry(const IdgenCacheKey *key, const IdgenIdle *held, const IdgenCounted *counted, void *arg)
{
	if (is_kept(held, counted))
		((Writer *) arg)->nentries++;
}

static void
put_entry(const IdgenCacheKey *key, const IdgenIdle *held, const IdgenCounted *counted, void *arg)
{
	Writer *writer = (Writer *) arg;
	EntryHeader header = {
		.dbid = key->dbid,
		.relid = key->relid,
		.object = key->object,
		.storage = held->file,
		.origin = held->origin,
		.namelen = key->namelen,
		.nblocks = count_blocks(held),
		.has_counted = counted != NULL,
	};

	if (!is_kept(held, counted) || writer->error != 0)
		return;
	put(writer, &header, sizeof(header));
	put(writer, key->name, header.namelen);
	put(writer, held->blocks, header.nblocks * sizeof(IdgenBlock));
	if (counted != NULL)
		put(writer, counted, sizeof(IdgenCounted));
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
	Writer writer = {0};
	FileHeader header;

	memset(&header, 0, sizeof(header));
	if (!idgen_cache_is_shared() || !get_cluster_state(&header.state) ||
	    (code != 0 && memcmp(&header.state, &state_at_start, sizeof(ClusterState)) != 0))
		return;
	idgen_cache_visit(count_entry, &writer);
	if (writer.nentries == 0)
		return;

	header.magic = IDGEN_FILE_MAGIC;
	header.version = IDGEN_FILE_VERSION;
	header.nentries = writer.nentries;
	writer.file = AllocateFile(temporary, PG_BINARY_W);
	if (writer.file == NULL)
		writer.error = errno;
	else
	{
		pg_crc32c crc;

		INIT_CRC32C(writer.crc);
		put(&writer, &header, sizeof(header));
		idgen_cache_visit(put_entry, &writer);
		crc = writer.crc;
		FIN_CRC32C(crc);
		put(&writer, &crc, sizeof(crc));
		if (FreeFile(writer.file) != 0 && writer.error == 0)
			writer.error = errno;
	}
	if (writer.error == 0 && durable_rename(temporary, IDGEN_RESTART_FILE, LOG) != 0)
		writer.error = errno;
	if (writer.error != 0)
	{
		errno = writer.error;
		ereport(LOG,
		        (errcode_for_file_access(),
		         errmsg("could not write file \"%s\": %m", temporary),
		         errdetail("Cached ids are lost.")));
		unlink(temporary);
	}
}

/*
 * The contents of the file; NULL if it cannot be read, with a line in the log.
 */
static char *
get_contents(Size *size)
{
	FILE *file = AllocateFile(IDGEN_RESTART_FILE, PG_BINARY_R);
	struct stat st;
	char *contents = NULL;

	if (file != NULL && fstat(fileno(file), &st) == 0)
	{
		*size = st.st_size;
		contents = MemoryContextAllocExtended(CurrentMemoryContext, *size + 1,
		                                      MCXT_ALLOC_HUGE | MCXT_ALLOC_NO_OOM);
		if (contents != NULL && fread(contents, 1, *size, file) != *size)
		{
			pfree(contents);
			contents = NULL;
		}
	}
	if (contents == NULL)
		ereport(LOG,
		        (errcode_for_file_access(),
		         errmsg("could not read file \"%s\": %m", IDGEN_RESTART_FILE)));
	if (file != NULL)
		FreeFile(file);
	return contents;
}

/* The next part of the contents, of that size; NULL if less is left. */
static const void *
get(Reader *reader, Size size)
{
	const char *at = reader->at;

	if (reader->left < size)
		return NULL;
	reader->at += size;
	reader->left -= size;
	return at;
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
	if (header.state.system_identifier != state->system_identifier)
		return "It is from another database cluster.";
	if (!continues)
		return "The database cluster does not continue from where it was shut down.";
	if (memcmp(&header.state, state, sizeof(ClusterState)) != 0)
		return "The database cluster has been in use since.";
	return NULL;
}

/*
 * Read the next entry. Returns false if there is none that makes sense.
 */
static bool
get_entry(Reader *reader, Entry *entry)
{
	EntryHeader header;
	const void *at = get(reader, sizeof(header));
	const void *blocks;
	const char *name;

	if (at == NULL)
		return false;
	memcpy(&header, at, sizeof(header));
	if (header.namelen < 0 || header.namelen >= IDGEN_NAME_BYTES || header.nblocks > IDGEN_SLOT_BLOCKS ||
	    header.has_counted > 1)
		return false;
	name = get(reader, header.namelen);
	blocks = get(reader, header.nblocks * sizeof(IdgenBlock));
	at = get(reader, header.has_counted ? sizeof(IdgenCounted) : 0);
	if (name == NULL || blocks == NULL || at == NULL)
		return false;
	memcpy(entry->blocks, blocks, header.nblocks * sizeof(IdgenBlock));
	entry->has_counted = header.has_counted == 1;
	if (entry->has_counted)
		memcpy(&entry->counted, at, sizeof(IdgenCounted));

	idgen_cache_key(&entry->key, header.relid, header.object, false, name, header.namelen);
	entry->key.dbid = header.dbid;
	entry->rest = (IdgenRest){
		.more = entry->blocks,
		.nmore = header.nblocks,
		.storage = header.storage,
		.origin = header.origin,
	};
	return true;
}

/*
 * Call a function for each entry. Returns false if the contents are not as they
 * should be.
 */
static bool
for_each_entry(const char *contents, Size size,
               void (*action)(const Entry *entry, int64 *lost), int64 *lost)
{
	FileHeader header;
	Reader reader = {
		.at = contents + sizeof(header),
		.left = size - sizeof(header) - sizeof(pg_crc32c),
	};
	Entry entry;

	memcpy(&header, contents, sizeof(header));
	for (uint64 i = 0; i < header.nentries; i++)
	{
		if (!get_entry(&reader, &entry))
			return false;
		action(&entry, lost);
	}
	return reader.left == 0;
}

/* To read all entries before the first one is published */
static void
ignore_entry(const Entry *entry, int64 *lost)
{
}

static void
restore(const Entry *entry, int64 *lost)
{
	*lost += idgen_cache_restore(&entry->key, &entry->rest, entry->has_counted ? &entry->counted : NULL);
}

/* Publish an entry with ids; adds the number of those that find no room. */
static void
publish_entry(const Entry *entry, int64 *lost)
{
	if (entry->rest.nmore > 0)
		restore(entry, lost);
}

/* Restore an entry of which only counters are left. */
static void
restore_counters(const Entry *entry, int64 *lost)
{
	if (entry->rest.nmore == 0)
		restore(entry, lost);
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

	if (problem == NULL && !for_each_entry(contents, size, ignore_entry, &lost))
		problem = "It is damaged.";
	if (problem != NULL)
		ereport(LOG,
		        (errmsg("ignoring file \"%s\"", IDGEN_RESTART_FILE),
		         errdetail_internal("%s", problem)));
	else
	{
		(void) for_each_entry(contents, size, publish_entry, &lost);
		(void) for_each_entry(contents, size, restore_counters, &lost);
	}
	if (lost > 0)
		ereport(LOG,
		        (errmsg("%lld cached ids are lost", (long long) lost),
		         errdetail("There is no room for them in the cache."),
		         errhint("You might need to increase idgen.max_idle_sequences.")));
	if (contents != NULL)
		pfree(contents);
}
