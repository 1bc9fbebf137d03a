/*
 * unique_id_file.c
 *		How far time-ordered ids may have gone, on disk (rule U3).
 *
 * The file holds a limit: no id with a later time was issued. It is written before
 * the first id beyond the limit that it holds is issued, and replaced as a whole, so
 * that a crash leaves the old limit or the new one. A server that starts goes on
 * behind it, whatever its clock says.
 *
 * The time of the last checkpoint is a second floor, for when the file is damaged or
 * was never written: a clock that is behind that has been set back.
 *
 * Unlike the restart file, this one is good for any copy of the cluster: a limit that
 * is too high for it costs nothing, once its clock is there. So it is read again
 * after every crash, and may come along with a backup. A backup that is older than
 * the last ids, and pg_rewind, bring a limit that is too low: then it is up to the
 * clock to be right.
 *
 * Written and read by the same machine, it is in native byte order.
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

/* The server leaves files of others in that directory alone. */
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

/* Create a file with these contents; not yet durable. False with errno set on failure. */
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
 * Replace the limit in the file, for good. Returns false on failure, if elevel lets
 * it. One process at a time.
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

/* Are these bytes what was written? If not, why? */
static const char *
check(const FileContents *contents, int size)
{
	if (size != sizeof(FileContents))
		return "Its size is wrong.";
	if (contents->magic != IDGEN_FILE_MAGIC)
		return "It is no such file, or from another version.";
	if (contents->crc != checksum(contents->limit))
		return "Its checksum is wrong.";
	return NULL;
}

/* The limit in the file; a time before all ids if there is none that is good. */
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

	problem = size < 0 ? "It cannot be read." : check(contents, size);
	if (problem == NULL)
		return contents[0].limit;
	ereport(LOG,
	        (errmsg("ignoring file \"%s\"", IDGEN_UNIQUE_ID_FILE),
	         errdetail_internal("%s", problem),
	         errhint("If the clock has been set back, time-ordered ids could come again.")));
	return 0;
}

/* The time of the last checkpoint; on a standby, of the primary's that it has replayed. */
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
 * The time that ids may have reached before the server was started; from the
 * postmaster.
 */
TimestampTz
idgen_unique_id_file_floor(void)
{
	return Max(read_limit(), last_checkpoint());
}
