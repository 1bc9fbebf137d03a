/*
 * clock.h
 *		Two clocks that 32 bits suffice for.
 */
#ifndef IDGEN_CLOCK_H
#define IDGEN_CLOCK_H

#include "portability/instr_time.h"
#include "utils/timestamp.h"

/*
 * Milliseconds of a clock that nobody sets, to find out how long something
 * lasts: only the difference of two means anything, as long as that is less
 * than 49 days. It is never 0.
 */
static inline uint32
idgen_clock_ms(void)
{
	instr_time now;

	INSTR_TIME_SET_CURRENT(now);
	return (uint32) (uint64) INSTR_TIME_GET_MILLISEC(now) | 1;
}

/* Whole seconds since the year 2000, until 2136; 0 stands for "never". */
static inline uint32
idgen_seconds(TimestampTz time)
{
	return Max(time, 0) / USECS_PER_SEC;
}

static inline TimestampTz
idgen_time_of_seconds(uint32 seconds)
{
	return (TimestampTz) seconds * USECS_PER_SEC;
}

#endif /* IDGEN_CLOCK_H */
