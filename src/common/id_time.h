/*
 * id_time.h
 *		Times in time-ordered ids: milliseconds since 2024-01-01 00:00 UTC.
 */
#ifndef IDGEN_ID_TIME_H
#define IDGEN_ID_TIME_H

#include "datatype/timestamp.h"

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

#endif /* IDGEN_ID_TIME_H */
