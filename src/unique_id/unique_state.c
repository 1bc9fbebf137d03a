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
 * that time and some more is reserved on disk, for both kinds at once, and a
 * server that starts goes on behind what is reserved. When half of a
 * reservation is used up, one session extends it, and the others go on. So only
 * the first id after a pause waits for the disk.
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

#include "miscadmin.h"
#include "storage/shmem.h"
#include "utils/timestamp.h"

#include "unique_id/unique_id.h"
#include "unique_id/unique_id_file.h"
#include "unique_id/unique_state.h"
#include "unique_id/unique_uuid.h"

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

static IdgenUniqueState *state = NULL;

/* Ask for shared memory; from shmem_request_hook. */
void
idgen_unique_request_shmem(void)
{
	RequestAddinShmemSpace(sizeof(IdgenUniqueState));
	RequestNamedLWLockTranche("IdgenUniqueId", 1);
}

/* Go on behind all ids that may have been issued. */
static void
init_state(void)
{
	int64 floor = Max(idgen_unique_time(idgen_unique_id_file_floor()), 0);

	LWLockInitialize(&state->lock, GetNamedLWLockTranche("IdgenUniqueId")->lock.tranche);
	pg_atomic_init_u64(&state->reserved, floor);
	pg_atomic_init_u64(&state->reserve_at, floor + 1);
	pg_atomic_init_u64(&state->last_id, idgen_unique_id_last_of(floor));
	pg_atomic_init_u64(&state->last_tick, idgen_unique_uuid_last_of(floor));
	pg_atomic_init_flag(&state->told_standby);
}

/* Create the shared memory, or attach to it; from shmem_startup_hook. */
void
idgen_unique_startup_shmem(void)
{
	bool found;

	LWLockAcquire(AddinShmemInitLock, LW_EXCLUSIVE);
	state = ShmemInitStruct("idgen unique id", sizeof(IdgenUniqueState), &found);
	if (!found)
		init_state();
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

/* Raises 55000. */
void
idgen_unique_clock_behind(int64 time, int64 now)
{
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

	if (idgen_unique_id_file_write(idgen_unique_timestamp(limit), time > reserved ? ERROR : LOG))
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
