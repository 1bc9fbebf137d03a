/*
 * forecast.h
 *		How fast ids are issued, and when they will be used up.
 */
#ifndef IDGEN_FORECAST_H
#define IDGEN_FORECAST_H

#include "datatype/timestamp.h"

/* What the functions below answer if they do not know; no other answer is
 * negative. */
#define IDGEN_NOT_KNOWN (-1.0)

/* The ids that were issued between two times. */
typedef struct IdgenUsage
{
	int64 ids;
	TimestampTz since; /* 0 = not known */
	TimestampTz until; /* now, as a rule */
} IdgenUsage;

extern double idgen_ids_per_second(const IdgenUsage *usage);
extern double idgen_seconds_left(const IdgenUsage *usage, double ids_left);

#endif /* IDGEN_FORECAST_H */
