/*
 * unique_id.c
 *		Time-ordered ids: bigints and UUIDs; and their SQL functions.
 *
 * Of each kind, one number in shared memory says which id was the last. Every
 * session replaces it by a greater one. A time is a number of milliseconds
 * since the beginning of 2024, UTC.
 *
 * Bigints, from the highest bit down: a sign of 0, 41 bits of time, 10 bits of
 * node, 12 bits of counter. The next id is
 *
 * - the first one of the clock's millisecond, if that is later than the last
 *	 id's;
 * - else the last id plus one, if the counter has room and the node is the
 *	 same;
 * - else the first one of the millisecond after that of the last id. For this
 *	 step, the session waits until the clock has moved on, so each millisecond
 *	 of the clock begins one millisecond of ids at most. After the clock was set
 *	 back, ids stay as far ahead of it as it was set back, and no further, until
 *	 it has caught up.
 *
 * The node is idgen_node.number. It may be a leased one, so no id gets a time
 * for which the centre may lease the number to somebody else. That is compared
 * with the time in the id itself: a process may be stopped between any two
 * instructions, for however long, and no id is issued twice.
 *
 * UUIDs are of version 7 (RFC 9562, section 5.7). From the highest bit down: 48
 * bits of milliseconds since 1970, the version, 12 bits of the fraction of the
 * millisecond, the variant, 4 more bits of that fraction, 58 random bits.
 * Milliseconds and fraction together are a tick, 65,536 of them in a
 * millisecond. The next tick is that of the clock; or, if the clock has not
 * come so far, the last one plus one. So UUIDs ascend over all sessions,
 * whatever their random bits are. These are new for each UUID: nobody can guess
 * it from others, and servers need no numbers, since two of them can draw the
 * same UUID only in the same tick, and then by 1 in 2^58.
 *
 * Of the RFC's ways to keep UUIDs in order (section 6.2), this is "replace
 * leftmost random bits with increased clock precision" (method 3), as uuidv7()
 * of PostgreSQL 18 does it. A counter that begins anew in each millisecond
 * (method 1) would have to wait when it is full; a tick carries over, and no
 * machine can draw 65,536 UUIDs in each millisecond for long. A random number
 * that is incremented (method 2) has more bits than can be exchanged at once.
 *
 * Ids of both kinds are ahead of the clock by MAX_AHEAD_MS at most. Beyond
 * that, an error says that the clock is wrong.
 *
 * A crash re-issues no id (rule U3). Before the first id of a time is issued,
 * that time and some more is reserved in a file, for both kinds at once. When
 * half of a reservation is used up, one session extends it, and the others go
 * on. So only the first id after a pause waits for the disk. The file is
 * replaced as a whole, so a crash leaves the old time or the new one.
 *
 * The latest time that ids may have had is the floor of the server that starts.
 * Its first id waits until the clock is beyond. So ids are ahead of the clock
 * only if that was set back; and if the clock is right, they ascend whatever
 * has become of the file.
 *
 * A server that stops writes the time of its last id, and the checksum of
 * pg_control, which changes with each start and each checkpoint. So a file with
 * the right one is the last word: whatever clock a server had that drew none
 * does not matter. Without it, the server has crashed, or the file is damaged,
 * or comes from a backup that is older than the last ids. Then the time of the
 * last checkpoint is a second witness, and ids may have been ahead of that.
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

#include "access/htup_details.h"
#include "access/xlog.h"
#include "catalog/pg_control.h"
#include "common/controldata_utils.h"
#include "fmgr.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "pgstat.h"
#include "port/atomics.h"
#include "port/pg_bswap.h"
#include "port/pg_crc32c.h"
#include "storage/fd.h"
#include "storage/ipc.h"
#include "storage/lwlock.h"
#include "storage/shmem.h"
#include "utils/timestamp.h"
#include "utils/uuid.h"

#include "common/clock.h"
#include "common/compat.h"
#include "common/guc.h"
#include "node/lease.h"
#include "unique_id/unique_id.h"

PG_FUNCTION_INFO_V1(idgen_unique_id);
PG_FUNCTION_INFO_V1(idgen_unique_id_parts);
PG_FUNCTION_INFO_V1(idgen_unique_id_min);
PG_FUNCTION_INFO_V1(idgen_unique_uuid);
PG_FUNCTION_INFO_V1(idgen_unique_uuid_min);
PG_FUNCTION_INFO_V1(idgen_unique_uuid_created_at);

/*
 * How far ids may be ahead of the clock. A clock that is corrected in one step
 * is seldom off by more, even if a crash adds what was reserved. With a much
 * greater bound, nobody would notice that the times in ids are wrong.
 */
#define MAX_AHEAD_MS 5000

/* The time of a checkpoint is one of whole seconds. */
#define AFTER_CHECKPOINT_MS (MAX_AHEAD_MS + 1000)

/*
 * How far ahead of the clock a reservation goes: one write a second under load.
 * If ids are ahead of the clock already, it goes ahead of them at least.
 */
#define RESERVE_MS       2000
#define RESERVE_LEAST_MS 100

/* How a bigint is composed */
#define TIME_SHIFT  22
#define NODE_SHIFT  12
#define MAX_COUNTER ((1 << NODE_SHIFT) - 1)

/* Milliseconds from the beginning of 1970 to that of 2024 */
#define UNIX_TO_IDGEN_MS ((IDGEN_EPOCH - IDGEN_UNIX_EPOCH) / 1000)

/* How a UUID is composed */
#define FRACTION_BITS  16
#define MAX_UNIX_MS    ((INT64CONST(1) << 48) - 1)
#define VERSION_7      (UINT64CONST(7) << 12)
#define VARIANT        (UINT64CONST(2) << 62)
#define VARIANT_MASK   (UINT64CONST(3) << 62)
#define LOW_TICK_SHIFT 58 /* the lowest 4 bits of the tick, below the variant */
#define RANDOM_MASK    ((UINT64CONST(1) << LOW_TICK_SHIFT) - 1)

/* The first TimestampTz that no UUID has */
#define END_OF_UUIDS (IDGEN_UNIX_EPOCH + (MAX_UNIX_MS + 1) * 1000)

/* In a directory where the server leaves files of others alone. */
#define FILE_NAME PGSTAT_STAT_PERMANENT_DIRECTORY "/idgen.unique_id"

/* The same machine writes and reads it: in native byte order. No padding. */
typedef struct FileContents
{
	TimestampTz limit; /* no id has a later time */
	pg_crc32c stop;    /* the checksum of pg_control when the server had
	                      * stopped; 0 while it runs */
	pg_crc32c crc;     /* of the above */
} FileContents;

/* In shared memory */
typedef struct State
{
	LWLock lock;
	int64 floor;                 /* the latest time that ids may have had before
	                              * the server was started */
	bool floor_is_exact;         /* had they, or was there none? */
	bool floor_is_checkpoint;    /* does the last checkpoint say so? */
	pg_atomic_uint64 reserved;   /* the last time that is on disk */
	pg_atomic_uint64 reserve_at; /* the first id of this time extends the reservation */
	pg_atomic_uint64 last_id;    /* the last bigint issued */
	pg_atomic_uint64 last_tick;  /* the tick of the last UUID issued */
	pg_atomic_flag told_standby; /* the server log is told that a standby draws */
} State;

static State *shared = NULL;

/* The time of a bigint */
static inline int64
time_of_id(uint64 id)
{
	return id >> TIME_SHIFT;
}

static inline int
node_of(uint64 id)
{
	return (id >> NODE_SHIFT) & IDGEN_MAX_NODE;
}

static inline int
counter_of(uint64 id)
{
	return id & MAX_COUNTER;
}

static inline uint64
compose_id(int64 time, int node, int counter)
{
	return ((uint64) time << TIME_SHIFT) | ((uint64) node << NODE_SHIFT) | counter;
}

/* The last bigint that can have that time, whatever the node. */
static uint64
last_id_of(int64 time)
{
	return compose_id(Min(time, IDGEN_MAX_ID_TIME), IDGEN_MAX_NODE, MAX_COUNTER);
}

/* The time that a tick belongs to */
static inline int64
time_of_tick(uint64 tick)
{
	return (int64) (tick >> FRACTION_BITS) - UNIX_TO_IDGEN_MS;
}

/*
 * The last tick of that time, or the last one of all. There is always one left
 * behind it, so that counting on does not begin anew.
 */
static uint64
last_tick_of(int64 time)
{
	return ((uint64) (Min(time + UNIX_TO_IDGEN_MS, MAX_UNIX_MS - 1) + 1) << FRACTION_BITS) - 1;
}

/* Ask for shared memory; from shmem_request_hook. */
void
idgen_unique_request_shmem(void)
{
	RequestAddinShmemSpace(sizeof(State));
	RequestNamedLWLockTranche("IdgenUniqueId", 1);
}

static pg_crc32c
checksum(const FileContents *contents)
{
	pg_crc32c crc;

	INIT_CRC32C(crc);
	COMP_CRC32C(crc, contents, offsetof(FileContents, crc));
	FIN_CRC32C(crc);
	return crc;
}

/*
 * Replace the file, durably. A failure is reported at elevel; if that is below
 * ERROR, the function returns false then. Caller holds the lock, or is alone.
 */
static bool
write_file(TimestampTz limit, pg_crc32c stop, int elevel)
{
	const char *temporary = FILE_NAME ".tmp";
	FileContents contents = {.limit = limit, .stop = stop};
	int fd = OpenTransientFile(temporary, O_CREAT | O_WRONLY | O_TRUNC | PG_BINARY);
	bool written = false;

	contents.crc = checksum(&contents);
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
	return durable_rename(temporary, FILE_NAME, elevel) == 0;
}

/*
 * Read the file: no id has a later time than *limit. Returns whether that is
 * the last word for a server with this checksum of pg_control: so it is without
 * a file, when no id was ever drawn.
 */
static bool
read_file(pg_crc32c stopped, TimestampTz *limit)
{
	FileContents contents[2]; /* room to see that it is too long */
	int fd = OpenTransientFile(FILE_NAME, O_RDONLY | PG_BINARY);
	int size = fd < 0 ? -1 : read(fd, contents, sizeof(contents));

	*limit = 0;
	if (fd < 0 && errno == ENOENT)
		return true;
	if (size < 0)
		ereport(LOG,
		        (errcode_for_file_access(),
		         errmsg("could not read file \"%s\": %m", FILE_NAME)));
	if (fd >= 0)
		CloseTransientFile(fd);
	if (size == sizeof(FileContents) && contents[0].crc == checksum(&contents[0]))
	{
		*limit = contents[0].limit;
		return contents[0].stop == stopped;
	}
	ereport(LOG,
	        (errmsg("ignoring file \"%s\"", FILE_NAME),
	         errdetail("It cannot be read, is damaged, or is from another version."),
	         errhint("If the clock has been set back, time-ordered ids could be issued twice.")));
	return false;
}

/*
 * Go on behind all ids that may have been issued. On a standby, the checkpoint
 * is the primary's that was replayed last.
 */
static void
init_state(void)
{
	bool crc_ok;
	ControlFileData *control = get_controlfile(DataDir, &crc_ok);
	TimestampTz checkpoint = crc_ok ? time_t_to_timestamptz(control->checkPointCopy.time) : 0;
	TimestampTz limit;

	shared->floor_is_exact = read_file(control->crc, &limit);
	shared->floor_is_checkpoint = !shared->floor_is_exact && checkpoint > limit;
	shared->floor = shared->floor_is_checkpoint ? idgen_unique_time(checkpoint) + AFTER_CHECKPOINT_MS
												: idgen_unique_time(limit);
	shared->floor = Max(shared->floor, 0);
	LWLockInitialize(&shared->lock, GetNamedLWLockTranche("IdgenUniqueId")->lock.tranche);
	pg_atomic_init_u64(&shared->reserved, shared->floor);
	pg_atomic_init_u64(&shared->reserve_at, shared->floor + 1);
	pg_atomic_init_u64(&shared->last_id, last_id_of(shared->floor));
	pg_atomic_init_u64(&shared->last_tick, last_tick_of(shared->floor));
	pg_atomic_init_flag(&shared->told_standby);
	pfree(control);
}

/*
 * When the server has been stopped, the time in the file becomes that of the
 * last id. If there is none since the start, only a floor that was exact is one
 * for the next start, too.
 */
static void
write_last_time(int code, Datum arg)
{
	int64 last = Max(time_of_id(pg_atomic_read_u64(&shared->last_id)),
	                 time_of_tick(pg_atomic_read_u64(&shared->last_tick)));
	bool crc_ok;
	ControlFileData *control;

	if (code != 0 || last == 0 || (last == shared->floor && !shared->floor_is_exact))
		return;
	control = get_controlfile(DataDir, &crc_ok);
	(void) write_file(idgen_unique_timestamp(last), crc_ok ? control->crc : 0, LOG);
	pfree(control);
}

/* Create the shared memory, or attach to it; from shmem_startup_hook. */
void
idgen_unique_startup_shmem(void)
{
	bool found;

	LWLockAcquire(AddinShmemInitLock, LW_EXCLUSIVE);
	shared = ShmemInitStruct("idgen unique id", sizeof(State), &found);
	if (!found)
	{
		init_state();
		on_shmem_exit(write_last_time, (Datum) 0);
	}
	LWLockRelease(AddinShmemInitLock);
}

/* The shared memory. Raises 55000 if the library is not preloaded. */
static State *
get_state(void)
{
	if (unlikely(shared == NULL))
		ereport(ERROR,
		        (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
		         errmsg("time-ordered ids need shared memory"),
		         errhint("Add \"idgen\" to shared_preload_libraries.")));
	return shared;
}

/* Raises 55000 if an id of that time would be too far ahead of the clock. */
static inline void
check_clock(int64 time, int64 now)
{
	if (unlikely(time - now > MAX_AHEAD_MS))
		ereport(ERROR,
		        (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
		         errmsg("the clock is %lld s behind the last time-ordered id", (long long) (time - now) / 1000),
		         errdetail("Time-ordered ids can be at most %d s ahead of the clock.", MAX_AHEAD_MS / 1000),
		         errhint("Check the server's clock. When it has caught up, ids can be drawn again.")));
}

/* Sleep until the clock is in its next millisecond. */
static void
wait_for_clock(TimestampTz clock)
{
	pg_usleep(1000 - clock % 1000);
	CHECK_FOR_INTERRUPTS();
}

/*
 * Sleep until the clock is beyond the floor. Raises 55000 if that would take
 * too long.
 */
static void
wait_at_floor(const State *state, TimestampTz clock)
{
	int64 now = idgen_unique_time(clock);

	if (!state->floor_is_checkpoint)
		check_clock(state->floor, now);
	else if (state->floor - now > AFTER_CHECKPOINT_MS)
		ereport(ERROR,
		        (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
		         errmsg("the clock is %lld s behind the last checkpoint", (long long) (state->floor - AFTER_CHECKPOINT_MS - now) / 1000),
		         errdetail("Time-ordered ids that were drawn before the server was started may have times until then."),
		         errhint("Check the server's clock. If it is right, and was ahead when the server ran last, restart the server: that makes another checkpoint.")));
	wait_for_clock(clock);
}

/*
 * May the id after one of last_time be issued now, with that time? The first id
 * of a server that has started must wait until the clock is beyond the floor:
 * that counts as the time of the last id. If it had to wait, the answer is
 * false: then the caller looks again. Raises 55000 if the clock is wrong.
 */
static inline bool
may_issue(const State *state, int64 last_time, int64 time, TimestampTz clock)
{
	int64 now = idgen_unique_time(clock);

	if (unlikely(last_time == state->floor && now <= state->floor))
	{
		wait_at_floor(state, clock);
		return false;
	}
	check_clock(time, now);
	return true;
}

/*
 * The part of reserve() that is needed once a second: reserve that time and
 * some more. If that time is reserved already, a failure is only logged, and no
 * session tries again before the reservation ends.
 */
static void
reserve_more(State *state, int64 time, int64 now)
{
	if ((uint64) time > pg_atomic_read_u64(&state->reserved))
		LWLockAcquire(&state->lock, LW_EXCLUSIVE);
	else if (!LWLockConditionalAcquire(&state->lock, LW_EXCLUSIVE))
		return;
	if ((uint64) time >= pg_atomic_read_u64(&state->reserve_at))
	{
		int64 reserved = pg_atomic_read_u64(&state->reserved);
		int64 limit = Max(reserved, Max(now + RESERVE_MS, time + RESERVE_LEAST_MS));

		if (write_file(idgen_unique_timestamp(limit), 0, time > reserved ? ERROR : LOG))
		{
			pg_atomic_write_u64(&state->reserved, limit);
			pg_atomic_write_u64(&state->reserve_at, time + (limit - time) / 2);
		}
		else
			pg_atomic_write_u64(&state->reserve_at, reserved + 1);
	}
	LWLockRelease(&state->lock);
}

/*
 * Make sure that this time is reserved. If it is, but it is time for more,
 * extend the reservation unless another session does so just now. Returns
 * whether it was time. Raises what writing the file can.
 */
static inline bool
reserve(State *state, int64 time, int64 now)
{
	if (likely((uint64) time < pg_atomic_read_u64(&state->reserve_at)))
		return false;
	reserve_more(state, time, now);
	return true;
}

/*
 * Tell the server log, once after each start, that a standby draws. It cannot
 * know which number its primary has, and was most likely made with the same.
 */
static void
tell_of_standby(State *state)
{
	if (!RecoveryInProgress() || !pg_atomic_test_set_flag(&state->told_standby))
		return;
	ereport(LOG_SERVER_ONLY,
	        (errmsg("time-ordered ids are drawn on a standby, with node number %d", idgen_node.number),
	         errhint("Its primary, and other standbys that draw, need other numbers in idgen.node_id: with the same one, they draw equal ids."),
	         errhidestmt(true)));
}

/* A kind of ids has none for the clock any more. Raises 2200H. */
pg_noreturn static void
none_left(const char *detail)
{
	ereport(ERROR,
	        (errcode(ERRCODE_SEQUENCE_GENERATOR_LIMIT_EXCEEDED),
	         errmsg("no time-ordered id is left"),
	         errdetail_internal("%s", detail)));
}

/* No id of a kind has that time. Raises 22008. */
pg_noreturn static void
out_of_range(TimestampTz timestamp, const char *kind, const char *first, const char *last)
{
	ereport(ERROR,
	        (errcode(ERRCODE_DATETIME_VALUE_OUT_OF_RANGE),
	         errmsg("timestamp out of range: \"%s\"", timestamptz_to_str(timestamp)),
	         errdetail("%s have times from %s to %s.", kind, first, last),
	         errhint("If the range has no end there, leave the bound out; in a partition, write MINVALUE or MAXVALUE.")));
}

/*
 * SQL: idgen_unique_id() returns bigint
 *
 * Raises 55000 if the library is not preloaded or the clock is wrong, 2200H
 * from 2093 on, what writing the file can, and, with a leased node number, what
 * idgen_node_reach() can.
 */
Datum
idgen_unique_id(PG_FUNCTION_ARGS)
{
	State *state = get_state();
	int64 full_time = -1; /* time of the last id when it was first seen to have no room */
	int64 full_since = 0; /* time of the clock at that moment */

	for (;;)
	{
		uint64 last = pg_atomic_read_u64(&state->last_id);
		uint64 next = last + 1;
		int64 last_time = time_of_id(last);
		TimestampTz clock = GetCurrentTimestamp();
		int64 now = idgen_unique_time(clock);
		bool has_room = counter_of(last) < MAX_COUNTER && node_of(last) == idgen_node.number;
		bool full = now <= last_time && !has_room;
		int64 time = full ? last_time + 1 : Max(now, last_time);

		if (!may_issue(state, last_time, time, clock))
			continue;
		if (unlikely(time > idgen_node.last_time))
		{
			/*
			 * This process does not know that an id with the server's node
			 * number may have that time: find out.
			 */
			if (time > IDGEN_MAX_ID_TIME)
				none_left("The time in an id ends in September 2093.");
			idgen_node_reach(time);
			continue;
		}

		/*
		 * If sessions with an old number and a new one drew in turn, each id
		 * would have to wait for the next millisecond.
		 */
		if (unlikely(node_of(last) != idgen_node.number) && idgen_node_has_changed(time))
			continue;
		if (full && (full_time != last_time || full_since == now))
		{
			full_time = last_time;
			full_since = now;
			wait_for_clock(clock);
			continue;
		}
		if (reserve(state, time, now))
			tell_of_standby(state);
		if (time > last_time)
			next = compose_id(time, idgen_node.number, 0);
		if (pg_atomic_compare_exchange_u64(&state->last_id, &last, next))
			PG_RETURN_INT64(next);
	}
}

/*
 * The time that the last bigint has, or, if it is farther ahead of the clock
 * than ids may be, the last one that the next can have.
 */
TimestampTz
idgen_unique_id_last_time(TimestampTz clock)
{
	TimestampTz last = idgen_unique_timestamp(time_of_id(pg_atomic_read_u64(&get_state()->last_id)));

	return Min(last, clock + MAX_AHEAD_MS * 1000);
}

/* Have all bigints from now on be later than that time. */
void
idgen_unique_id_begin_after(TimestampTz timestamp)
{
	State *state = get_state();
	uint64 bound = last_id_of(Max(idgen_unique_time(timestamp), 0));
	uint64 last = pg_atomic_read_u64(&state->last_id);

	while (last < bound && !pg_atomic_compare_exchange_u64(&state->last_id, &last, bound))
		;
}

/*
 * SQL: idgen_unique_id_parts(id bigint, OUT created_at timestamptz,
 *							  OUT node integer, OUT counter integer)
 *
 * Raises 22003 for a negative number: all others are ids.
 */
Datum
idgen_unique_id_parts(PG_FUNCTION_ARGS)
{
	int64 id = PG_GETARG_INT64(0);
	Datum parts[] = {
		TimestampTzGetDatum(idgen_unique_timestamp(time_of_id(id))),
		Int32GetDatum(node_of(id)),
		Int32GetDatum(counter_of(id)),
	};
	bool nulls[lengthof(parts)] = {false};
	TupleDesc tupdesc;

	if (id < 0)
		ereport(ERROR,
		        (errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
		         errmsg("%lld is not a time-ordered id", (long long) id),
		         errdetail("Time-ordered ids are not negative.")));
	if (get_call_result_type(fcinfo, NULL, &tupdesc) != TYPEFUNC_COMPOSITE)
		elog(ERROR, "return type must be a row type");
	PG_RETURN_DATUM(HeapTupleGetDatum(heap_form_tuple(BlessTupleDesc(tupdesc), parts, nulls)));
}

/*
 * SQL: idgen_unique_id_min(created_at timestamptz) returns bigint
 *
 * The smallest bigint of that time, to the millisecond: an id that is drawn
 * then or later is not smaller. Raises 22008 if no id has that time.
 */
Datum
idgen_unique_id_min(PG_FUNCTION_ARGS)
{
	TimestampTz timestamp = PG_GETARG_TIMESTAMPTZ(0);

	if (timestamp < IDGEN_EPOCH || idgen_unique_time(timestamp) > IDGEN_MAX_ID_TIME)
		out_of_range(timestamp, "Time-ordered ids", "2024-01-01 00:00:00+00", "2093-09-06 15:47:35.551+00");
	PG_RETURN_INT64(compose_id(idgen_unique_time(timestamp), 0, 0));
}

/*
 * The tick of the clock. Raises 2200H if the clock is beyond all ticks. One
 * that is before them, in a year before 1970, is far behind the last tick.
 */
static inline uint64
tick_of(TimestampTz clock)
{
	int64 us = Max(clock - IDGEN_UNIX_EPOCH, 0);

	if (unlikely(us / 1000 > MAX_UNIX_MS))
		none_left("The time in a UUID ends in August 10889.");
	return ((uint64) (us / 1000) << FRACTION_BITS) | ((uint64) (us % 1000) << FRACTION_BITS) / 1000;
}

/*
 * 64 random bits that nobody can guess. Raises XX000 if the system has none.
 * pg_strong_random() takes much longer to begin than for another byte, so each
 * process keeps a store of what it has got.
 */
static uint64
random_bits(void)
{
	static uint64 store[64];
	static int left = 0; /* those that come first are not used yet */

	if (unlikely(left == 0))
	{
		if (!pg_strong_random(store, sizeof(store)))
			ereport(ERROR,
			        (errcode(ERRCODE_INTERNAL_ERROR),
			         errmsg("could not generate random values")));
		left = lengthof(store);
	}
	return store[--left];
}

/* The UUID of that tick with these random bits; others are cut off. */
static inline Datum
compose_uuid(uint64 tick, uint64 random)
{
	uint64 halves[] = {
		pg_hton64((tick & ~UINT64CONST(0xFFFF)) | VERSION_7 | ((tick & 0xFFFF) >> 4)),
		pg_hton64(VARIANT | ((tick & 0xF) << LOW_TICK_SHIFT) | (random & RANDOM_MASK)),
	};

	return UUIDPGetDatum(memcpy(palloc(UUID_LEN), halves, UUID_LEN));
}

/*
 * SQL: idgen_unique_uuid() returns uuid
 *
 * Raises 55000 if the library is not preloaded or the clock is wrong, 2200H
 * from the year 10889 on, XX000 if there are no random bits, and what writing
 * the file can.
 */
Datum
idgen_unique_uuid(PG_FUNCTION_ARGS)
{
	State *state = get_state();
	uint64 random = random_bits();

	for (;;)
	{
		TimestampTz clock = GetCurrentTimestamp();
		int64 now = idgen_unique_time(clock);
		uint64 last = pg_atomic_read_u64(&state->last_tick);
		uint64 next = Max(tick_of(clock), last + 1);

		if (!may_issue(state, time_of_tick(last), time_of_tick(next), clock))
			continue;
		(void) reserve(state, time_of_tick(next), now);
		if (pg_atomic_compare_exchange_u64(&state->last_tick, &last, next))
			return compose_uuid(next, random);
	}
}

/*
 * SQL: idgen_unique_uuid_min(created_at timestamptz) returns uuid
 *
 * The smallest UUID of that time, to the millisecond: one that is drawn then or
 * later is not smaller, whatever makes it. Raises 22008 if no UUID has that
 * time.
 */
Datum
idgen_unique_uuid_min(PG_FUNCTION_ARGS)
{
	TimestampTz timestamp = PG_GETARG_TIMESTAMPTZ(0);

	if (timestamp < IDGEN_UNIX_EPOCH || timestamp >= END_OF_UUIDS)
		out_of_range(timestamp, "UUIDs of version 7", "1970-01-01 00:00:00+00", "10889-08-02 05:31:50.655+00");
	return compose_uuid((uint64) idgen_unix_ms(timestamp) << FRACTION_BITS, 0);
}

/*
 * SQL: idgen_unique_uuid_created_at(id uuid) returns timestamptz
 *
 * The time in a UUID, in whole milliseconds. Null for one that is not of
 * version 7 and of the RFC's variant, as the server's own
 * uuid_extract_timestamp() answers for one without a time.
 */
Datum
idgen_unique_uuid_created_at(PG_FUNCTION_ARGS)
{
	uint64 halves[2];

	memcpy(halves, PG_GETARG_UUID_P(0)->data, UUID_LEN);
	if ((pg_ntoh64(halves[0]) & 0xF000) != VERSION_7 || (pg_ntoh64(halves[1]) & VARIANT_MASK) != VARIANT)
		PG_RETURN_NULL();
	PG_RETURN_TIMESTAMPTZ(idgen_from_unix_ms(pg_ntoh64(halves[0]) >> FRACTION_BITS));
}
