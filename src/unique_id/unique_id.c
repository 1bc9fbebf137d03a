/*
 * unique_id.c
 *		Time-ordered ids: the clock, the node, and a counter.
 *
 * From the highest bit down: a sign of 0, 41 bits of milliseconds since
 * 2024-01-01 00:00 UTC, 10 bits of node, 12 bits of counter. The state of the
 * server is one number, the last id that was issued. The next one is greater,
 * by construction:
 *
 * - If the clock is in a later millisecond than the last id: the first id of
 *	 that millisecond.
 * - Else, if the counter has room and the node is the same: the last id plus
 *	 one.
 * - Else the first id of the millisecond after that of the last id. For this
 *	 step, the session waits until the clock has moved on, so each millisecond
 *	 of the clock begins one millisecond of ids at most. After the clock was set
 *	 back, ids stay as far ahead of it as it was set back, and no further, until
 *	 it has caught up.
 *
 * Ids are ahead of the clock by IDGEN_MAX_AHEAD_MS at most. Beyond that, an
 * error says that the clock is wrong.
 *
 * A crash re-issues no id (rule U3). Before the first id of a time is issued,
 * that time and some more is reserved on disk, and a server that starts goes on
 * behind what is reserved. When half of a reservation is used up, one session
 * extends it, and the others go on. So only the first id after a pause waits
 * for the disk.
 *
 * In this file, a time is a number of milliseconds since the beginning of 2024.
 *
 * Locking rules
 *
 * - state->last is changed without a lock, by compare-and-exchange, to an id
 *	 whose time is reserved.
 * - state->lock protects the file, and changes of state->reserved and
 *	 state->reserve_at. The file is written first, then they are changed. Both
 *	 may be read without the lock: they only grow, so a value that is out of
 *	 date is too small, which is safe.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "port/atomics.h"
#include "storage/lwlock.h"
#include "storage/shmem.h"
#include "utils/timestamp.h"

#include "common/guc.h"
#include "unique_id/unique_id.h"
#include "unique_id/unique_id_file.h"

/*
 * The beginning of 2024: 24 years, 6 of them leap years, after that of
 * TimestampTz
 */
#define IDGEN_EPOCH (INT64CONST(8766) * USECS_PER_DAY)

#define IDGEN_MAX_TIME    ((INT64CONST(1) << 41) - 1)
#define IDGEN_MAX_NODE    ((1 << 10) - 1)
#define IDGEN_MAX_COUNTER ((1 << 12) - 1)

#define IDGEN_TIME_SHIFT 22
#define IDGEN_NODE_SHIFT 12

/*
 * How far ids may be ahead of the clock. A clock that is corrected in one step
 * is seldom off by more, even if a crash adds what was reserved. With a much
 * greater bound, nobody would notice that the times in ids are wrong.
 */
#define IDGEN_MAX_AHEAD_MS 5000

/*
 * How far ahead of the clock a reservation goes: one write a second under load.
 */
#define IDGEN_RESERVE_MS 2000

/*
 * How far a reservation goes at least, when ids are ahead of the clock already.
 * That is less than the server needs to start. So ids do not run away from the
 * clock, however often the server crashes.
 */
#define IDGEN_RESERVE_LEAST_MS 100

typedef struct IdgenUniqueIdState
{
	LWLock lock;
	pg_atomic_uint64 last;       /* the last id issued */
	pg_atomic_uint64 reserved;   /* the last time that is on disk */
	pg_atomic_uint64 reserve_at; /* the first id of this time extends the reservation */
} IdgenUniqueIdState;

static IdgenUniqueIdState *state = NULL;

static int64
to_time(TimestampTz timestamp)
{
	return (timestamp - IDGEN_EPOCH) / 1000;
}

static TimestampTz
to_timestamp(int64 time)
{
	return time * 1000 + IDGEN_EPOCH;
}

static inline int64
time_of(uint64 id)
{
	return id >> IDGEN_TIME_SHIFT;
}

static inline int
node_of(uint64 id)
{
	return (id >> IDGEN_NODE_SHIFT) & IDGEN_MAX_NODE;
}

static inline int
counter_of(uint64 id)
{
	return id & IDGEN_MAX_COUNTER;
}

static inline uint64
compose(int64 time, int node, int counter)
{
	return ((uint64) time << IDGEN_TIME_SHIFT) | ((uint64) node << IDGEN_NODE_SHIFT) | counter;
}

/* Ask for shared memory; from shmem_request_hook. */
void
idgen_unique_id_request_shmem(void)
{
	RequestAddinShmemSpace(sizeof(IdgenUniqueIdState));
	RequestNamedLWLockTranche("IdgenUniqueId", 1);
}

/* Go on behind all ids that may have been issued. */
static void
init_state(void)
{
	int64 floor = to_time(idgen_unique_id_file_floor());

	floor = Min(Max(floor, 0), IDGEN_MAX_TIME);
	LWLockInitialize(&state->lock, GetNamedLWLockTranche("IdgenUniqueId")->lock.tranche);
	pg_atomic_init_u64(&state->last, compose(floor, IDGEN_MAX_NODE, IDGEN_MAX_COUNTER));
	pg_atomic_init_u64(&state->reserved, floor);
	pg_atomic_init_u64(&state->reserve_at, floor + 1);
}

/* Create the shared memory, or attach to it; from shmem_startup_hook. */
void
idgen_unique_id_startup_shmem(void)
{
	bool found;

	LWLockAcquire(AddinShmemInitLock, LW_EXCLUSIVE);
	state = ShmemInitStruct("idgen unique id", sizeof(IdgenUniqueIdState), &found);
	if (!found)
		init_state();
	LWLockRelease(AddinShmemInitLock);
}

/*
 * Check that an id may have that time now. Raises 55000 if the clock is too far
 * behind it, and 2200H if no id can have it.
 */
static void
check_time(int64 time, int64 now)
{
	if (unlikely(time - now > IDGEN_MAX_AHEAD_MS))
		ereport(ERROR,
		        (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
		         errmsg("the clock is %lld s behind the last time-ordered id",
		                (long long) (time - now) / 1000),
		         errdetail("Time-ordered ids can be at most %d s ahead of the clock.",
		                   IDGEN_MAX_AHEAD_MS / 1000),
		         errhint("Check the server's clock. When it has caught up, ids can be drawn again.")));
	if (unlikely(time > IDGEN_MAX_TIME))
		ereport(ERROR,
		        (errcode(ERRCODE_SEQUENCE_GENERATOR_LIMIT_EXCEEDED),
		         errmsg("no time-ordered id is left"),
		         errdetail("The time in an id ends in September 2093.")));
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

	if (idgen_unique_id_file_write(to_timestamp(limit), time > reserved ? ERROR : LOG))
	{
		pg_atomic_write_u64(&state->reserved, limit);
		pg_atomic_write_u64(&state->reserve_at, time + (limit - time) / 2);
	}
	else
		pg_atomic_write_u64(&state->reserve_at, reserved + 1);
}

/*
 * Make sure that this time is reserved. If it is, but it is time for more,
 * extend the reservation unless another session does so just now. Raises what
 * writing the file can.
 */
static inline void
reserve(int64 time, int64 now)
{
	if (likely((uint64) time < pg_atomic_read_u64(&state->reserve_at)))
		return;
	if ((uint64) time > pg_atomic_read_u64(&state->reserved))
		LWLockAcquire(&state->lock, LW_EXCLUSIVE);
	else if (!LWLockConditionalAcquire(&state->lock, LW_EXCLUSIVE))
		return;
	if ((uint64) time >= pg_atomic_read_u64(&state->reserve_at))
		extend_reservation(time, now);
	LWLockRelease(&state->lock);
}

/* Can the id after this one have the same time? */
static inline bool
has_room(uint64 id)
{
	return counter_of(id) < IDGEN_MAX_COUNTER && node_of(id) == idgen_node_id;
}

/* Sleep until the clock is in its next millisecond. */
static void
wait_for_clock(TimestampTz clock)
{
	pg_usleep(1000 - clock % 1000);
	CHECK_FOR_INTERRUPTS();
}

/*
 * Draw the next id. Raises 55000 if the library is not preloaded or the clock
 * is wrong, 2200H from 2093 on, and what writing the file can.
 */
int64
idgen_unique_id_draw(void)
{
	int64 full_time = -1; /* time of the last id when it was first seen to have no room */
	int64 full_since = 0; /* time of the clock at that moment */

	if (unlikely(state == NULL))
		ereport(ERROR,
		        (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
		         errmsg("time-ordered ids need shared memory"),
		         errhint("Add \"idgen\" to shared_preload_libraries.")));

	for (;;)
	{
		uint64 last = pg_atomic_read_u64(&state->last);
		uint64 next = last + 1;
		TimestampTz clock = GetCurrentTimestamp();
		int64 now = to_time(clock);
		bool full = now <= time_of(last) && !has_room(last);
		int64 time = full ? time_of(last) + 1 : Max(now, time_of(last));

		check_time(time, now);
		if (full && full_time != time_of(last))
		{
			full_time = time_of(last);
			full_since = now;
		}
		if (full && now == full_since)
		{
			wait_for_clock(clock);
			continue;
		}
		reserve(time, now);
		if (time > time_of(last))
			next = compose(time, idgen_node_id, 0);
		if (pg_atomic_compare_exchange_u64(&state->last, &last, next))
			return next;
	}
}

/* What an id is composed of. The id must not be negative. */
IdgenUniqueIdParts
idgen_unique_id_take_apart(int64 id)
{
	IdgenUniqueIdParts parts = {
		.created_at = to_timestamp(time_of(id)),
		.node = node_of(id),
		.counter = counter_of(id),
	};

	return parts;
}
