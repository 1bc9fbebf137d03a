/*
 * counters.c
 *		What is counted and measured of an id sequence.
 */
#include "postgres.h"

#include "common/block.h"
#include "shmem/counters.h"

static void
add_counters(IdgenCounters *sum, const IdgenCounters *add)
{
	sum->ids_issued = idgen_add_saturating(sum->ids_issued, add->ids_issued);
	sum->refills += add->refills;
	sum->session_refills += add->session_refills;
	sum->blocks_taken = idgen_add_saturating(sum->blocks_taken, add->blocks_taken);
	sum->waits += add->waits;
	sum->ids_lost.changed = idgen_add_saturating(sum->ids_lost.changed, add->ids_lost.changed);
	sum->ids_lost.prepared = idgen_add_saturating(sum->ids_lost.prepared, add->ids_lost.prepared);
	sum->ids_lost.crowded = idgen_add_saturating(sum->ids_lost.crowded, add->ids_lost.crowded);
	sum->last_refill = Max(sum->last_refill, add->last_refill);
}

/* Add what was counted of the same id sequence at another time. */
void
idgen_counted_add(IdgenCounted *sum, const IdgenCounted *add)
{
	IdgenTimes *times = &sum->times;

	add_counters(&sum->counters, &add->counters);
	if (times->counted_since == 0 ||
	    (add->times.counted_since != 0 && add->times.counted_since < times->counted_since))
		times->counted_since = add->times.counted_since;
	times->waited_us = idgen_add_saturating(times->waited_us, add->times.waited_us);
	idgen_histogram_merge(&times->refills, &add->times.refills);
	idgen_histogram_merge(&times->waits, &add->times.waits);
}

/* A percentile of microseconds, in milliseconds; negative if there are none. */
static double
percentile_ms(const IdgenHistogram *histogram, int64 first_bound, int percent)
{
	if (idgen_histogram_is_empty(histogram))
		return -1;
	return idgen_histogram_percentile(histogram, first_bound, percent) / 1000;
}

/*
 * Below how many milliseconds that percentage of all refills was; negative if
 * there was none.
 */
double
idgen_refill_ms(const IdgenTimes *times, int percent)
{
	return percentile_ms(&times->refills, IDGEN_REFILL_BOUND_US, percent);
}

/* The same of waits. */
double
idgen_wait_ms(const IdgenTimes *times, int percent)
{
	return percentile_ms(&times->waits, IDGEN_WAIT_BOUND_US, percent);
}
