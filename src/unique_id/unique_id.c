/*
 * unique_id.c
 *		Time-ordered ids that are bigints: the clock, the node, and a counter.
 *
 * From the highest bit down: a sign of 0, 41 bits of milliseconds since
 * 2024-01-01 00:00 UTC, 10 bits of node, 12 bits of counter. The next id is
 * greater than the last one that was issued, by construction:
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
 * The node is idgen_node.number. It may be a leased one, so no id gets a time
 * for which the centre may lease the number to somebody else. That is compared
 * with the time in the id itself: a process may be stopped between any two
 * instructions, for however long, and no id is issued twice.
 *
 * A time is a number of milliseconds since the beginning of 2024.
 */
#include "postgres.h"

#include "access/xlog.h"
#include "miscadmin.h"
#include "utils/timestamp.h"

#include "common/guc.h"
#include "node/node_number.h"
#include "unique_id/unique_id.h"
#include "unique_id/unique_state.h"

#define IDGEN_MAX_COUNTER ((1 << 12) - 1)

#define IDGEN_TIME_SHIFT 22
#define IDGEN_NODE_SHIFT 12

static inline int64
time_of(uint64 id)
{
	return id >> IDGEN_TIME_SHIFT;
}

/* The time of an id */
int64
idgen_unique_id_time(uint64 id)
{
	return time_of(id);
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

/* The last id that can have that time, whatever the node. */
uint64
idgen_unique_id_last_of(int64 time)
{
	return compose(Min(time, IDGEN_MAX_ID_TIME), IDGEN_MAX_NODE, IDGEN_MAX_COUNTER);
}

/*
 * Tell the server log, once after each start, that a standby draws. It cannot
 * know which number its primary has, and was most likely made with the same.
 */
static void
tell_of_standby(IdgenUniqueState *state)
{
	if (!RecoveryInProgress() || !pg_atomic_test_set_flag(&state->told_standby))
		return;
	ereport(LOG_SERVER_ONLY,
	        (errmsg("time-ordered ids are drawn on a standby, with node number %d", idgen_node.number),
	         errhint("Its primary, and other standbys that draw, need other numbers in idgen.node_id: with the same one, they draw equal ids."),
	         errhidestmt(true)));
}

/*
 * An id has no such time, or this process does not know that it may have it
 * with the server's node number: find out, and have the draw begin anew. Raises
 * 2200H, and what idgen_node_reach() does.
 */
static void
reach_time(int64 time)
{
	if (time > IDGEN_MAX_ID_TIME)
		ereport(ERROR,
		        (errcode(ERRCODE_SEQUENCE_GENERATOR_LIMIT_EXCEEDED),
		         errmsg("no time-ordered id is left"),
		         errdetail("The time in an id ends in September 2093.")));
	idgen_node_reach(time);
}

/* Can the id after this one have the same time? */
static inline bool
has_room(uint64 id)
{
	return counter_of(id) < IDGEN_MAX_COUNTER && node_of(id) == idgen_node.number;
}

/*
 * Draw the next id. Raises 55000 if the library is not preloaded or the clock
 * is wrong, 2200H from 2093 on, what writing the file can, and, with a leased
 * node number, what idgen_node_reach() can.
 */
int64
idgen_unique_id_draw(void)
{
	IdgenUniqueState *state = idgen_unique_state();
	int64 full_time = -1; /* time of the last id when it was first seen to have no room */
	int64 full_since = 0; /* time of the clock at that moment */

	for (;;)
	{
		uint64 last = pg_atomic_read_u64(&state->last_id);
		uint64 next = last + 1;
		TimestampTz clock = GetCurrentTimestamp();
		int64 now = idgen_unique_time(clock);
		bool full = now <= time_of(last) && !has_room(last);
		int64 time = full ? time_of(last) + 1 : Max(now, time_of(last));

		idgen_unique_check_clock(time, now);
		if (unlikely(time > idgen_node.last_time))
		{
			reach_time(time);
			continue;
		}
		if (full && full_time != time_of(last))
		{
			full_time = time_of(last);
			full_since = now;
		}
		if (full && (now == full_since || idgen_unique_is_at_floor(state, time_of(last), now)))
		{
			idgen_unique_wait_for_clock(clock);
			continue;
		}
		if (idgen_unique_reserve(state, time, now))
			tell_of_standby(state);
		if (time > time_of(last))
			next = compose(time, idgen_node.number, 0);
		if (pg_atomic_compare_exchange_u64(&state->last_id, &last, next))
			return next;
	}
}

/*
 * The time that the last id has, or, if it is farther ahead of the clock than
 * ids may be, the last one that the next id can have.
 */
TimestampTz
idgen_unique_id_last_time(TimestampTz clock)
{
	TimestampTz last = idgen_unique_timestamp(time_of(pg_atomic_read_u64(&idgen_unique_state()->last_id)));

	return Min(last, clock + IDGEN_MAX_AHEAD_MS * 1000);
}

/* Have all ids from now on be later than that time. */
void
idgen_unique_id_begin_after(TimestampTz timestamp)
{
	IdgenUniqueState *state = idgen_unique_state();
	uint64 bound = idgen_unique_id_last_of(Max(idgen_unique_time(timestamp), 0));
	uint64 last = pg_atomic_read_u64(&state->last_id);

	while (last < bound && !pg_atomic_compare_exchange_u64(&state->last_id, &last, bound))
		;
}

/* What an id is composed of. The id must not be negative. */
IdgenUniqueIdParts
idgen_unique_id_take_apart(int64 id)
{
	IdgenUniqueIdParts parts = {
		.created_at = idgen_unique_timestamp(time_of(id)),
		.node = node_of(id),
		.counter = counter_of(id),
	};

	return parts;
}

/*
 * The smallest id of that time, to the millisecond: an id that is drawn then or
 * later is not smaller. Raises 22008 if no id has that time.
 */
int64
idgen_unique_id_first_of(TimestampTz timestamp)
{
	int64 time = TIMESTAMP_NOT_FINITE(timestamp) || timestamp < IDGEN_EPOCH ? -1 : idgen_unique_time(timestamp);

	if (time < 0 || time > IDGEN_MAX_ID_TIME)
		ereport(ERROR,
		        (errcode(ERRCODE_DATETIME_VALUE_OUT_OF_RANGE),
		         errmsg("timestamp out of range: \"%s\"", timestamptz_to_str(timestamp)),
		         errdetail("Time-ordered ids have times from %s to %s.",
		                   "2024-01-01 00:00:00+00", "2093-09-06 15:47:35.551+00"),
		         errhint("If the range has no end there, leave the bound out; in a partition, write MINVALUE or MAXVALUE.")));
	return compose(time, 0, 0);
}
