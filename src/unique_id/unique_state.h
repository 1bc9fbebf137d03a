/*
 * unique_state.h
 *		What time-ordered ids share: the last ones, and the time that is
 *		reserved.
 *
 * A time is a number of milliseconds since 2024-01-01 00:00 UTC.
 */
#ifndef IDGEN_UNIQUE_STATE_H
#define IDGEN_UNIQUE_STATE_H

#include "port/atomics.h"
#include "storage/lwlock.h"

#include "common/compat.h"
#include "common/id_time.h"

/* In shared memory. unique_state.c says what protects each field. */
typedef struct IdgenUniqueState
{
	LWLock lock;
	int64 floor;                 /* the latest time that ids may have had before
	                              * the server was started */
	bool floor_is_checkpoint;    /* is that the time of the last checkpoint? */
	pg_atomic_uint64 reserved;   /* the last time that is on disk */
	pg_atomic_uint64 reserve_at; /* the first id of this time extends the reservation */
	pg_atomic_uint64 last_id;    /* the last id issued */
	pg_atomic_uint64 last_tick;  /* the tick of the last UUID issued */
	pg_atomic_flag told_standby; /* the server log is told that a standby draws */
} IdgenUniqueState;

extern void idgen_unique_request_shmem(void);
extern void idgen_unique_startup_shmem(void);

extern IdgenUniqueState *idgen_unique_state(void);
extern void idgen_unique_reserve_more(int64 time, int64 now);
extern void idgen_unique_wait_for_clock(TimestampTz clock);
pg_noreturn extern void idgen_unique_clock_behind(int64 time, int64 now);

/*
 * How far ids may be ahead of the clock. A clock that is corrected in one step
 * is seldom off by more, even if a crash adds what was reserved. With a much
 * greater bound, nobody would notice that the times in ids are wrong.
 */
#define IDGEN_MAX_AHEAD_MS 5000

/* Raises 55000 if an id of that time would be too far ahead of the clock. */
static inline void
idgen_unique_check_clock(int64 time, int64 now)
{
	if (unlikely(time - now > IDGEN_MAX_AHEAD_MS))
		idgen_unique_clock_behind(time, now);
}

/*
 * Must the first id of a server that has started wait until the clock is beyond
 * the floor? "last_time" is the time of what counts as the last id.
 */
static inline bool
idgen_unique_is_at_floor(const IdgenUniqueState *state, int64 last_time, int64 now)
{
	return last_time == state->floor && now <= state->floor;
}

/*
 * Make sure that this time is reserved. If it is, but it is time for more,
 * extend the reservation unless another session does so just now. Returns
 * whether it was time. Raises what writing the file can.
 */
static inline bool
idgen_unique_reserve(IdgenUniqueState *state, int64 time, int64 now)
{
	if (likely((uint64) time < pg_atomic_read_u64(&state->reserve_at)))
		return false;
	idgen_unique_reserve_more(time, now);
	return true;
}

#endif /* IDGEN_UNIQUE_STATE_H */
