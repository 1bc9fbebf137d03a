/*
 * period.h
 *		Periods, in each of which an id sequence starts anew.
 */
#ifndef IDGEN_PERIOD_H
#define IDGEN_PERIOD_H

#include "datatype/timestamp.h"
#include "pgtime.h"
#include "utils/date.h"

/* How long a period is: the values of column "period". */
typedef enum IdgenPeriod
{
	IDGEN_PERIOD_NONE, /* null: the id sequence has no periods */
	IDGEN_PERIOD_YEAR,
	IDGEN_PERIOD_MONTH,
	IDGEN_PERIOD_DAY,
} IdgenPeriod;

/* A day of the calendar, of the years 1 to 9999. */
typedef struct IdgenDay
{
	int year;
	int month;
	int day;
} IdgenDay;

/* What a name says of which the last part names a period. */
typedef struct IdgenPeriodName
{
	int parent_len;     /* the name of the period row, in bytes */
	IdgenPeriod period; /* how long the period is */
	IdgenDay first;     /* its first day */
} IdgenPeriodName;

/* Are two days in the same period of that kind? */
static inline bool
idgen_same_period(IdgenPeriod period, const IdgenDay *a, const IdgenDay *b)
{
	return a->year == b->year && (period < IDGEN_PERIOD_MONTH || a->month == b->month) &&
		(period < IDGEN_PERIOD_DAY || a->day == b->day);
}

extern pg_tz *idgen_time_zone_find(const char *name);
extern IdgenPeriod idgen_period_find(const char *word);
extern const char *idgen_period_word(IdgenPeriod period);
extern int idgen_period_suffix_len(IdgenPeriod period);
extern char *idgen_period_child(const char *name, IdgenPeriod period, const IdgenDay *day);
extern bool idgen_is_day(const IdgenDay *day);
extern bool idgen_period_parse(const char *name, IdgenPeriodName *parsed);
extern IdgenDay idgen_day_of(DateADT date);
extern IdgenDay idgen_day_at(TimestampTz at, pg_tz *zone, TimestampTz *until);

#endif /* IDGEN_PERIOD_H */
