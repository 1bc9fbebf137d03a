/*
 * unique_id_file.c
 *		How far time-ordered ids may have gone, on disk (rule U3).
 *
 * The file holds a limit: no id with a later time was issued. The limit is
 * raised before the first id beyond it is issued. The file is replaced as a
 * whole, so a crash leaves the old limit or the new one. A server that starts
 * goes on behind the limit, whatever its clock says.
 *
 * The file may be damaged, or it may never have been written. So the time of
 * the last checkpoint counts as a limit as well: a clock that is behind that
 * has been set back.
 *
 * Unlike the restart file, this one may be used by any copy of the cluster, and
 * more than once: a limit that is too high costs nothing, once the clock is
 * there. So it is read after every crash, and may come with a backup. A backup
 * that is older than the last ids, and pg_rewind, bring a limit that is too
 * low. Then ids are unique only if the clock is right.
 *
 * The file is written and read by the same machine, so it is in native byte
 * order.
 */
#include "postgres.h"

#include <fcntl.h>
#include <unistd.h>

#include "catalog/pg_control.h"
#include "common/controldata_utils.h"
#include "miscadmin.h"
#include "pgstat.h"
#include "port/pg_crc32c.h"
#include "storage/fd.h"
#include "utils/timestamp.h"

#include "unique_id/unique_id_file.h"

/* In a directory where the server leaves files of others alone. */
#define IDGEN_UNIQUE_ID_FILE PGSTAT_STAT_PERMANENT_DIRECTORY "/idgen.unique_id"

/* Changes with the layout of the file. */
#define IDGEN_FILE_MAGIC 0x49644775

/* No padding. */
typedef struct FileContents
{
	uint32 magic;
	pg_crc32c crc; /* of the limit */
	TimestampTz limit;
} FileContents;

static pg_crc32c
checksum(TimestampTz limit)
{
	pg_crc32c crc;

	INIT_CRC32C(crc);
	COMP_CRC32C(crc, &limit, sizeof(limit));
	FIN_CRC32C(crc);
	return crc;
}

/*
 * Create a file with these contents. It is not durable yet. Returns false with
 * errno set on failure.
 */
static bool
create_file(const char *path, const FileContents *contents)
{
	int fd = OpenTransientFile(path, O_CREAT | O_WRONLY | O_TRUNC | PG_BINARY);
	int error = 0;

	if (fd < 0)
		return false;
	errno = 0;
	if (write(fd, contents, sizeof(FileContents)) != sizeof(FileContents))
		error = errno != 0 ? errno : ENOSPC;
	if (CloseTransientFile(fd) != 0 && error == 0)
		error = errno;
	errno = error;
	return error == 0;
}

/*
 * Replace the limit in the file, durably. A failure is reported at elevel; if
 * that is below ERROR, the function returns false then. Only one process may
 * call this at a time.
 */
bool
idgen_unique_id_file_write(TimestampTz limit, int elevel)
{
	const char *temporary = IDGEN_UNIQUE_ID_FILE ".tmp";
	FileContents contents = {
		.magic = IDGEN_FILE_MAGIC,
		.crc = checksum(limit),
		.limit = limit,
	};

	if (!create_file(temporary, &contents))
	{
		ereport(elevel,
		        (errcode_for_file_access(),
		         errmsg("could not write file \"%s\": %m", temporary)));
		return false;
	}
	return durable_rename(temporary, IDGEN_UNIQUE_ID_FILE, elevel) == 0;
}

/* Why these bytes are not what was written; NULL if they are. */
static const char *
problem_of(const FileContents *contents, int size)
{
	if (size != sizeof(FileContents))
		return "Its size is wrong.";
	if (contents->magic != IDGEN_FILE_MAGIC)
		return "It has another format, or is from another version.";
	if (contents->crc != checksum(contents->limit))
		return "Its checksum is wrong.";
	return NULL;
}

/* The limit in the file. Without a good one, a time before all ids. */
static TimestampTz
read_limit(void)
{
	FileContents contents[2]; /* room to see that it is too long */
	const char *problem;
	int size;
	int fd = OpenTransientFile(IDGEN_UNIQUE_ID_FILE, O_RDONLY | PG_BINARY);

	if (fd < 0 && errno == ENOENT)
		return 0;
	size = fd < 0 ? -1 : read(fd, contents, sizeof(contents));
	if (size < 0)
		ereport(LOG,
		        (errcode_for_file_access(),
		         errmsg("could not read file \"%s\": %m", IDGEN_UNIQUE_ID_FILE)));
	if (fd >= 0)
		CloseTransientFile(fd);

	problem = size < 0 ? "It cannot be read." : problem_of(contents, size);
	if (problem == NULL)
		return contents[0].limit;
	ereport(LOG,
	        (errmsg("ignoring file \"%s\"", IDGEN_UNIQUE_ID_FILE),
	         errdetail_internal("%s", problem),
	         errhint("If the clock has been set back, time-ordered ids could be issued twice.")));
	return 0;
}

/*
 * The time of the last checkpoint. On a standby, that is the primary's
 * checkpoint that was replayed last.
 */
static TimestampTz
last_checkpoint(void)
{
	bool crc_ok;
	ControlFileData *control = get_controlfile(DataDir, &crc_ok);
	TimestampTz result = crc_ok ? time_t_to_timestamptz(control->checkPointCopy.time) : 0;

	pfree(control);
	return result;
}

/*
 * The latest time that ids may have reached before the server was started.
 * Called by the postmaster.
 */
TimestampTz
idgen_unique_id_file_floor(void)
{
	return Max(read_limit(), last_checkpoint());
}
