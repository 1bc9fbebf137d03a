/*
 * unique_state.c
 *		What time-ordered ids share: the last ones, and the time that is
 *		reserved.
 *
 * There are two kinds of time-ordered ids, bigints (unique_id.c) and UUIDs
 * (unique_uuid.c). Of each, one number in shared memory says which was the
 * last. Every session replaces it by a greater one.
 *
 * Ids are ahead of the clock by IDGEN_MAX_AHEAD_MS at most. Beyond that, an
 * error says that the clock is wrong.
 *
 * A crash re-issues no id (rule U3). Before the first id of a time is issued,
 * that time and some more is reserved on disk, for both kinds at once. When
 * half of a reservation is used up, one session extends it, and the others go
 * on. So only the first id after a pause waits for the disk.
 *
 * The latest time that ids may have had is the floor of the server that starts.
 * Its first id waits until the clock is beyond. So ids are ahead of the clock
 * only if that was set back; and if the clock is right, they ascend whatever
 * has become of the file.
 *
 * The file is replaced as a whole, so a crash leaves the old reservation or the
 * new one. Unlike the restart file, this one may be used by any copy of the
 * cluster, and more than once: a time that is too late costs nothing, once the
 * clock is there. So it is read after every crash, and may come with a backup.
 * It may be damaged, or come from a backup that is older than the last ids. So
 * the time of the last checkpoint is a second witness: a clock that is behind
 * that has been set back. Without a file, no id was ever drawn, and nothing
 * depends on the clock before.
 *
 * Locking rules
 *
 * - last_id and last_tick are changed without a lock, by compare-and-exchange,
 *	 to something whose time is reserved.
 * - The lock protects the file, and changes of reserved and reserve_at. The
 *	 file is written first, then they are changed. Both may be read without the
 *	 lock: they only grow, so a value that is out of date is too small, which is
 *	 safe.
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
#include "storage/ipc.h"
#include "storage/shmem.h"
#include "utils/timestamp.h"

#include "unique_id/unique_id.h"
#include "unique_id/unique_state.h"
#include "unique_id/unique_uuid.h"

/*
 * How far ahead of the clock a reservation goes: one write a second under load.
 */
#define IDGEN_RESERVE_MS 2000

/*
 * How far a reservation goes at least, when ids are ahead of the clock already.
 */
#define IDGEN_RESERVE_LEAST_MS 100

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

static IdgenUniqueState *state = NULL;

/* Ask for shared memory; from shmem_request_hook. */
void
idgen_unique_request_shmem(void)
{
	RequestAddinShmemSpace(sizeof(IdgenUniqueState));
	RequestNamedLWLockTranche("IdgenUniqueId", 1);
}

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
 * Replace the limit in the file by that time, durably. A failure is reported at
 * elevel; if that is below ERROR, the function returns false then. Only one
 * process may call this at a time.
 */
static bool
write_limit(int64 time, int elevel)
{
	const char *temporary = IDGEN_UNIQUE_ID_FILE ".tmp";
	TimestampTz limit = idgen_unique_timestamp(time);
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

/*
 * The limit in the file. Without a good one, a time before all ids. *exists is
 * set to whether there is a file at all.
 */
static TimestampTz
read_limit(bool *exists)
{
	FileContents contents[2]; /* room to see that it is too long */
	const char *problem;
	int size;
	int fd = OpenTransientFile(IDGEN_UNIQUE_ID_FILE, O_RDONLY | PG_BINARY);

	*exists = fd >= 0 || errno != ENOENT;
	if (!*exists)
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

/* Go on behind all ids that may have been issued. */
static void
init_state(void)
{
	bool was_drawn;
	TimestampTz limit = read_limit(&was_drawn);
	TimestampTz checkpoint = was_drawn ? last_checkpoint() : 0;
	int64 floor = Max(idgen_unique_time(Max(limit, checkpoint)), 0);

	state->floor = floor;
	state->floor_is_checkpoint = checkpoint > limit;
	LWLockInitialize(&state->lock, GetNamedLWLockTranche("IdgenUniqueId")->lock.tranche);
	pg_atomic_init_u64(&state->reserved, floor);
	pg_atomic_init_u64(&state->reserve_at, floor + 1);
	pg_atomic_init_u64(&state->last_id, idgen_unique_id_last_of(floor));
	pg_atomic_init_u64(&state->last_tick, idgen_unique_uuid_last_of(floor));
	pg_atomic_init_flag(&state->told_standby);
}

/*
 * When the server has been stopped, the limit in the file becomes the time of
 * the last id, if that is earlier: then the next start has nothing to wait for.
 */
static void
lower_limit(int code, Datum arg)
{
	int64 last = Max(idgen_unique_id_time(pg_atomic_read_u64(&state->last_id)),
	                 idgen_unique_uuid_tick_time(pg_atomic_read_u64(&state->last_tick)));

	if (code == 0 && last > state->floor && (uint64) last < pg_atomic_read_u64(&state->reserved))
		(void) write_limit(last, LOG);
}

/* Create the shared memory, or attach to it; from shmem_startup_hook. */
void
idgen_unique_startup_shmem(void)
{
	bool found;

	LWLockAcquire(AddinShmemInitLock, LW_EXCLUSIVE);
	state = ShmemInitStruct("idgen unique id", sizeof(IdgenUniqueState), &found);
	if (!found)
	{
		init_state();
		on_shmem_exit(lower_limit, (Datum) 0);
	}
	LWLockRelease(AddinShmemInitLock);
}

/* The shared memory. Raises 55000 if the library is not preloaded. */
IdgenUniqueState *
idgen_unique_state(void)
{
	if (unlikely(state == NULL))
		ereport(ERROR,
		        (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
		         errmsg("time-ordered ids need shared memory"),
		         errhint("Add \"idgen\" to shared_preload_libraries.")));
	return state;
}

/* Sleep until the clock is in its next millisecond. */
void
idgen_unique_wait_for_clock(TimestampTz clock)
{
	pg_usleep(1000 - clock % 1000);
	CHECK_FOR_INTERRUPTS();
}

/* Raises 55000. */
void
idgen_unique_clock_behind(int64 time, int64 now)
{
	if (state->floor_is_checkpoint && time <= state->floor + 1)
		ereport(ERROR,
		        (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
		         errmsg("the clock is %lld s behind the last checkpoint",
		                (long long) (time - now) / 1000),
		         errdetail("Time-ordered ids that were drawn before the server was started may have times until then."),
		         errhint("Check the server's clock. If it is right, and was ahead when the server ran last, restart the server: that makes another checkpoint.")));
	ereport(ERROR,
	        (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
	         errmsg("the clock is %lld s behind the last time-ordered id",
	                (long long) (time - now) / 1000),
	         errdetail("Time-ordered ids can be at most %d s ahead of the clock.",
	                   IDGEN_MAX_AHEAD_MS / 1000),
	         errhint("Check the server's clock. When it has caught up, ids can be drawn again.")));
}

/*
 * Reserve that time and some more. If that time is reserved already, a failure
 * is only logged, and no session tries again before the reservation ends.
 * Caller must hold the lock. Raises what writing the file can.
 */
static void
extend_reservation(int64 time, int64 now)
{
	int64 reserved = pg_atomic_read_u64(&state->reserved);
	int64 limit = Max(reserved, Max(now + IDGEN_RESERVE_MS, time + IDGEN_RESERVE_LEAST_MS));

	if (write_limit(limit, time > reserved ? ERROR : LOG))
	{
		pg_atomic_write_u64(&state->reserved, limit);
		pg_atomic_write_u64(&state->reserve_at, time + (limit - time) / 2);
	}
	else
		pg_atomic_write_u64(&state->reserve_at, reserved + 1);
}

/* The part of idgen_unique_reserve() that is needed once a second. */
void
idgen_unique_reserve_more(int64 time, int64 now)
{
	if ((uint64) time > pg_atomic_read_u64(&state->reserved))
		LWLockAcquire(&state->lock, LW_EXCLUSIVE);
	else if (!LWLockConditionalAcquire(&state->lock, LW_EXCLUSIVE))
		return;
	if ((uint64) time >= pg_atomic_read_u64(&state->reserve_at))
		extend_reservation(time, now);
	LWLockRelease(&state->lock);
}
