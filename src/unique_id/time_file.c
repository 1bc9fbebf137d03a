/*
 * time_file.c
 *		The file that says up to which time time-ordered ids may have been
 *		issued.
 *
 * The file is replaced as a whole, so a crash leaves the old time or the new
 * one. Unlike the restart file, this one may be used by any copy of the
 * cluster, and more than once: a time that is too late costs nothing, once the
 * clock is there. So it is read after every crash, and may come with a backup.
 */
#include "postgres.h"

#include <fcntl.h>
#include <unistd.h>

#include "pgstat.h"
#include "port/pg_crc32c.h"
#include "storage/fd.h"

#include "unique_id/time_file.h"

/* In a directory where the server leaves files of others alone. */
#define IDGEN_UNIQUE_ID_FILE PGSTAT_STAT_PERMANENT_DIRECTORY "/idgen.unique_id"

/* Changes with the layout of the file. */
#define IDGEN_FILE_MAGIC 0x49644775

/*
 * What the file holds: no id with a later time was issued. The same machine
 * writes and reads it, so it is in native byte order. No padding.
 */
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
 * Replace the time in the file, durably. A failure is reported at elevel; if
 * that is below ERROR, the function returns false then. Only one process may
 * call this at a time.
 */
bool
idgen_time_file_write(TimestampTz limit, int elevel)
{
	const char *temporary = IDGEN_UNIQUE_ID_FILE ".tmp";
	FileContents contents = {
		.magic = IDGEN_FILE_MAGIC,
		.crc = checksum(limit),
		.limit = limit,
	};
	int fd = OpenTransientFile(temporary, O_CREAT | O_WRONLY | O_TRUNC | PG_BINARY);
	bool written = false;

	if (fd >= 0)
	{
		errno = ENOSPC; /* unless the system says something else */
		written = write(fd, &contents, sizeof(contents)) == sizeof(contents);
		if (CloseTransientFile(fd) != 0)
			written = false;
	}
	if (!written)
	{
		ereport(elevel,
		        (errcode_for_file_access(),
		         errmsg("could not write file \"%s\": %m", temporary)));
		return false;
	}
	return durable_rename(temporary, IDGEN_UNIQUE_ID_FILE, elevel) == 0;
}

/*
 * The time in the file. Without a good one, a time before all ids. *exists is
 * set to whether there is a file at all.
 */
TimestampTz
idgen_time_file_read(bool *exists)
{
	FileContents contents[2]; /* room to see that it is too long */
	int fd = OpenTransientFile(IDGEN_UNIQUE_ID_FILE, O_RDONLY | PG_BINARY);
	int size = fd < 0 ? -1 : read(fd, contents, sizeof(contents));

	*exists = fd >= 0 || errno != ENOENT;
	if (!*exists)
		return 0;
	if (size < 0)
		ereport(LOG,
		        (errcode_for_file_access(),
		         errmsg("could not read file \"%s\": %m", IDGEN_UNIQUE_ID_FILE)));
	if (fd >= 0)
		CloseTransientFile(fd);
	if (size == sizeof(FileContents) && contents[0].magic == IDGEN_FILE_MAGIC &&
	    contents[0].crc == checksum(contents[0].limit))
		return contents[0].limit;
	ereport(LOG,
	        (errmsg("ignoring file \"%s\"", IDGEN_UNIQUE_ID_FILE),
	         errdetail("It cannot be read, is damaged, or is from another version."),
	         errhint("If the clock has been set back, time-ordered ids could be issued twice.")));
	return 0;
}
