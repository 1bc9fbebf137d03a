/*
 * counters.h
 *		What is counted and measured of an id sequence.
 */
#ifndef IDGEN_COUNTERS_H
#define IDGEN_COUNTERS_H

#include "access/xact.h"
#include "utils/timestamp.h"

#include "catalog/source.h"

/* Ids that were cached and will never be issued, by reason. */
typedef struct IdgenLost
{
	int64 changed;  /* the row was changed, or restarted */
	int64 prepared; /* the transaction was prepared, or did not wait for the standby */
	int64 crowded;  /* no room for one more block, or too late: see IdgenPassed */
} IdgenLost;

static inline int64
idgen_lost_total(const IdgenLost *lost)
{
	return lost->changed + lost->prepared + lost->crowded;
}

typedef struct IdgenCounters
{
	int64 ids_issued;
	int64 refills;
	int64 session_refills; /* of these, by sessions */
	int64 blocks_taken;
	int64 waits;
	IdgenLost ids_lost;
	TimestampTz last_refill; /* 0 if none */
} IdgenCounters;

/*
 * What is measured where it is slow anyway. A slot has this beside it, in a
 * place of its own, and its lock protects it.
 */
typedef struct IdgenTimes
{
	TimestampTz counted_since; /* all this, and the counters; 0 if not known */
	int64 waited_us;           /* microseconds that sessions have waited in all */
	int64 refills_us;          /* microseconds that refills took in all */
} IdgenTimes;

/*
 * When a refill that has just been made ended. Of one that is not timed, the
 * clock of the statement says it well enough.
 */
static inline TimestampTz
idgen_refill_end(const IdgenRefill *refill)
{
	return refill->begun_at != 0 ? GetCurrentTimestamp() : GetCurrentStatementStartTimestamp();
}

/*
 * Count a refill that ended then, and its time if that was taken, also for
 * those that were not timed before it.
 */
static inline void
idgen_count_refill(IdgenCounters *counters, int64 *refills_us, const IdgenRefill *refill, TimestampTz end)
{
	counters->refills++;
	counters->blocks_taken = idgen_add_saturating(counters->blocks_taken, refill->blocks);
	counters->last_refill = Max(counters->last_refill, end);
	if (refill->begun_at != 0)
		*refills_us = idgen_add_saturating(*refills_us, Max(0, end - refill->begun_at) * refill->timed_for);
}

/* All of it. */
typedef struct IdgenCounted
{
	IdgenCounters counters;
	IdgenTimes times;
} IdgenCounted;

#endif /* IDGEN_COUNTERS_H */
