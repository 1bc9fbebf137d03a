/*
 * counters.c
 *		What is counted and measured of an id sequence.
 */
#include "postgres.h"

#include "common/block.h"
#include "shmem/counters.h"

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
