/*
 * counters.h
 *		What is counted and measured of an id sequence.
 */
#ifndef IDGEN_COUNTERS_H
#define IDGEN_COUNTERS_H

#include "access/xact.h"
#include "utils/timestamp.h"

#include "catalog/source.h"
#include "common/histogram.h"

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

/* The bound of the first bucket of these histograms, in microseconds. */
#define IDGEN_REFILL_BOUND_US 100
#define IDGEN_WAIT_BOUND_US   1000

/*
 * What is measured where it is slow anyway. A slot has this beside it, in a
 * place of its own, and its lock protects it.
 */
typedef struct IdgenTimes
{
	TimestampTz counted_since; /* all this, and the counters; 0 if not known */
	int64 waited_us;           /* microseconds that sessions have waited in all */
	IdgenHistogram refills;    /* how long each took */
	IdgenHistogram waits;      /* how long each session waited for one */
} IdgenTimes;

StaticAssertDecl(sizeof(IdgenTimes) == 64, "what is measured must take one cache line");

/*
 * When a refill that has just been made ended. Of one that is not timed, the
 * clock of the statement says it well enough.
 */
static inline TimestampTz
idgen_refill_end(const IdgenRefill *refill)
{
	return refill->begun_at != 0 ? GetCurrentTimestamp() : GetCurrentStatementStartTimestamp();
}

/* Count a refill that ended then, and its time if it was taken. */
static inline void
idgen_count_refill(IdgenCounters *counters, IdgenHistogram *times, const IdgenRefill *refill,
                   TimestampTz end)
{
	counters->refills++;
	counters->blocks_taken = idgen_add_saturating(counters->blocks_taken, refill->blocks);
	counters->last_refill = Max(counters->last_refill, end);
	if (refill->begun_at != 0)
		idgen_histogram_add(times, IDGEN_REFILL_BOUND_US, end - refill->begun_at);
}

/* All of it. */
typedef struct IdgenCounted
{
	IdgenCounters counters;
	IdgenTimes times;
} IdgenCounted;

extern double idgen_refill_ms(const IdgenTimes *times, int percent);
extern double idgen_wait_ms(const IdgenTimes *times, int percent);

#endif /* IDGEN_COUNTERS_H */
