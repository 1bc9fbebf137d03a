/*
 * mark_file.c
 *		Marks on disk.
 *
 * The file is an array of records, each of which has the place in the file that
 * its mark has in the table. A record that is free is zero. To raise a mark
 * overwrites its record, so what that costs does not depend on how many marks
 * there are. A record lies within one sector of the disk, which is written as a
 * whole or not at all: the server relies on the same for pg_control. So a crash
 * leaves the old record or the new one.
 *
 * A record that is damaged is taken for a free one. Then the node does not
 * notice that this id sequence has gone back, as if it had never drawn from it.
 *
 * The file may be used by any copy of the cluster, and more than once: what a
 * mark says was received some time, and ids below it are never to be had again.
 *
 * The same machine writes and reads it, so it is in native byte order.
 */
#include "postgres.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "pgstat.h"
#include "port/pg_crc32c.h"
#include "storage/fd.h"
#include "storage/shmem.h"
#include "utils/memutils.h"
#include "utils/timestamp.h"

#include "shmem/mark_file.h"

/* In a directory where the server leaves files of others alone. */
#define IDGEN_MARK_FILE PGSTAT_STAT_PERMANENT_DIRECTORY "/idgen.marks"

/* Changes with the layout of a record. */
#define IDGEN_RECORD_MAGIC 0x4964474d

/* No padding. */
typedef struct Record
{
	uint32 magic;
	pg_crc32c crc; /* of what follows */
	IdgenMarkKey key;
	IdgenMarkOnDisk disk;
	TimestampTz written_at; /* of two with the same key, the later one counts */
} Record;

StaticAssertDecl(sizeof(Record) == 64, "a record does not lie within a sector");

static pg_crc32c
checksum(const Record *record)
{
	Size skipped = offsetof(Record, key);
	pg_crc32c crc;

	INIT_CRC32C(crc);
	COMP_CRC32C(crc, (const char *) record + skipped, sizeof(Record) - skipped);
	FIN_CRC32C(crc);
	return crc;
}

/* The record to be written; all zero if the place becomes free. */
static Record
make_record(const IdgenMarkWrite *what, TimestampTz now)
{
	Record record;

	memset(&record, 0, sizeof(record));
	if (!OidIsValid(what->key.dbid))
		return record;
	record.magic = IDGEN_RECORD_MAGIC;
	record.key = what->key;
	record.disk = what->disk;
	record.written_at = now;
	record.crc = checksum(&record);
	return record;
}

/* Returns false with errno set on failure. */
static bool
write_records(int fd, const IdgenMarkWrite *writes, int nwrites)
{
	TimestampTz now = GetCurrentTimestamp();

	for (int i = 0; i < nwrites; i++)
	{
		Record record = make_record(&writes[i], now);

		errno = 0;
		if (pg_pwrite(fd, &record, sizeof(record), (off_t) writes[i].place * sizeof(record)) != sizeof(record))
		{
			if (errno == 0)
				errno = ENOSPC;
			return false;
		}
	}
	return pg_fdatasync(fd) == 0;
}

/*
 * Write marks, durably. A failure is reported at elevel; if that is below
 * ERROR, the function returns false then. Only one process may call this at a
 * time.
 */
bool
idgen_mark_file_write(const IdgenMarkWrite *writes, int nwrites, int elevel)
{
	struct stat st;
	bool is_new = stat(IDGEN_MARK_FILE, &st) != 0 || st.st_size == 0;
	int fd = OpenTransientFile(IDGEN_MARK_FILE, O_CREAT | O_RDWR | PG_BINARY);
	bool written = fd >= 0 && write_records(fd, writes, nwrites);
	int error = errno;

	if (fd >= 0)
		CloseTransientFile(fd);
	if (written && is_new)
		fsync_fname(PGSTAT_STAT_PERMANENT_DIRECTORY, true);
	if (!written)
	{
		errno = error;
		ereport(elevel,
		        (errcode_for_file_access(),
		         errmsg("could not write file \"%s\": %m", IDGEN_MARK_FILE)));
	}
	return written;
}

/* The records of the file, and how many these are; NULL without a file. */
static Record *
get_contents(int *nrecords)
{
	FILE *file = AllocateFile(IDGEN_MARK_FILE, PG_BINARY_R);
	struct stat st;
	Record *records = NULL;

	*nrecords = 0;
	if (file == NULL && errno == ENOENT)
		return NULL;
	if (file != NULL && fstat(fileno(file), &st) == 0)
	{
		*nrecords = st.st_size / sizeof(Record);
		records = palloc_extended(mul_size(*nrecords, sizeof(Record)) + 1, MCXT_ALLOC_HUGE);
		*nrecords = fread(records, sizeof(Record), *nrecords, file);
	}
	if (file == NULL || ferror(file))
		ereport(LOG,
		        (errcode_for_file_access(),
		         errmsg("could not read file \"%s\": %m", IDGEN_MARK_FILE)));
	if (file != NULL)
		FreeFile(file);
	return records;
}

static bool
is_free(const Record *record)
{
	static const Record zero;

	return memcmp(record, &zero, sizeof(Record)) == 0;
}

static bool
is_good(const Record *record)
{
	return record->magic == IDGEN_RECORD_MAGIC && record->crc == checksum(record) &&
		OidIsValid(record->key.dbid);
}

/*
 * Put a record into the table. Of two with one key, the later one counts. The
 * list of free places is out of date then.
 */
static void
take_record(IdgenMarkTable *table, int number, const Record *record)
{
	IdgenMarkPlace *place = idgen_mark_table_find(table, &record->key);

	if (place != NULL && place->written_at >= record->written_at)
		return;
	if (place != NULL)
		idgen_mark_table_remove(table, place);
	idgen_mark_table_put(table, number, &record->key);
	place = &table->places[number];
	place->disk = record->disk;
	place->received = record->disk.received;
	place->reserved = record->disk.reserved;
	place->written_at = record->written_at;
	place->known = true;
}

/*
 * The table is smaller than the file. What it has no room for must not come
 * back when there is room once more: it would be out of date by then.
 */
static void
cut_off(int nplaces, int lost)
{
	if (lost > 0)
		ereport(LOG,
		        (errmsg("%d marks of id sequences at other servers are forgotten", lost),
		         errdetail("There is no room for them."),
		         errhint("You might need to increase idgen.max_centre_marks.")));
	if (truncate(IDGEN_MARK_FILE, (off_t) nplaces * sizeof(Record)) != 0)
		ereport(LOG,
		        (errcode_for_file_access(),
		         errmsg("could not truncate file \"%s\": %m", IDGEN_MARK_FILE)));
}

/* Fill a table with the marks of the file. Called by the postmaster. */
void
idgen_mark_file_read(IdgenMarkTable *table)
{
	int nrecords;
	Record *records = get_contents(&nrecords);
	int damaged = 0;
	int lost = 0;

	for (int i = 0; i < nrecords; i++)
	{
		if (is_free(&records[i]))
			continue;
		if (!is_good(&records[i]))
			damaged++;
		else if (i < table->nplaces)
			take_record(table, i, &records[i]);
		else
			lost++;
	}
	idgen_mark_table_list_free(table);
	if (damaged > 0)
		ereport(LOG,
		        (errmsg("ignoring %d damaged records of file \"%s\"", damaged, IDGEN_MARK_FILE),
		         errhint("If other servers have gone back, that may not be noticed for as many id sequences.")));
	if (nrecords > table->nplaces)
		cut_off(table->nplaces, lost);
	if (records != NULL)
		pfree(records);
}
