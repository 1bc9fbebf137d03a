/*
 * clock.h
 *		Times: those in time-ordered ids, milliseconds since 2024-01-01 00:00
 *		UTC; and two that 32 bits suffice for.
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

/*
 * The beginning of 2024: 24 years, 6 of them leap years, after that of
 * TimestampTz
 */
#define IDGEN_EPOCH (INT64CONST(8766) * USECS_PER_DAY)

/* The beginning of 1970 as a TimestampTz, in microseconds */
#define IDGEN_UNIX_EPOCH ((UNIX_EPOCH_JDATE - POSTGRES_EPOCH_JDATE) * USECS_PER_DAY)

/* The last time that an id that is a bigint can have: it has 41 bits. */
#define IDGEN_MAX_ID_TIME ((INT64CONST(1) << 41) - 1)

static inline int64
idgen_unique_time(TimestampTz timestamp)
{
	return (timestamp - IDGEN_EPOCH) / 1000;
}

static inline TimestampTz
idgen_unique_timestamp(int64 time)
{
	return time * 1000 + IDGEN_EPOCH;
}

/* Whole milliseconds since 1970 */
static inline int64
idgen_unix_ms(TimestampTz timestamp)
{
	return (timestamp - IDGEN_UNIX_EPOCH) / 1000;
}

static inline TimestampTz
idgen_from_unix_ms(int64 ms)
{
	return ms * 1000 + IDGEN_UNIX_EPOCH;
}

#endif /* IDGEN_CLOCK_H */
