/*
 * period.c
 *		Periods, in each of which an id sequence starts anew.
 *
 * A period is a year, a month or a day of the Gregorian calendar in some time
 * zone. Its name begins as ISO 8601 writes a day: 2026, 2026-11, 2026-11-22.
 * The child of a period row is named after the row and the period, with a slash
 * between. Years have four digits, so names sort as periods do.
 */
#include "postgres.h"

#include "utils/datetime.h"
#include "utils/timestamp.h"

#include "common/compat.h"
#include "common/period.h"

/* What there is to say of each kind of period, by IdgenPeriod. */
static const struct
{
	const char *word; /* in column "period" */
	int length;       /* of its name, which a day begins with */
} periods[] = {
	[IDGEN_PERIOD_YEAR] = {"year", sizeof("0000") - 1},
	[IDGEN_PERIOD_MONTH] = {"month", sizeof("0000-00") - 1},
	[IDGEN_PERIOD_DAY] = {"day", sizeof("0000-00-00") - 1},
};

/*
 * The time zone of a name that SET TIME ZONE takes as well; NULL if there is
 * none, or if it counts leap seconds, which timestamps of the server do not.
 * What it returns stays until the process ends.
 */
pg_tz *
idgen_time_zone_find(const char *name)
{
	pg_tz *zone = pg_tzset(name);

	return zone != NULL && pg_tz_acceptable(zone) ? zone : NULL;
}

/* The kind of period that a word stands for, or IDGEN_PERIOD_NONE. */
IdgenPeriod
idgen_period_find(const char *word)
{
	IdgenPeriod period = IDGEN_PERIOD_DAY;

	while (period != IDGEN_PERIOD_NONE && strcmp(word, periods[period].word) != 0)
		period--;
	return period;
}

/* The word for a kind of period, which is not IDGEN_PERIOD_NONE. */
const char *
idgen_period_word(IdgenPeriod period)
{
	return periods[period].word;
}

/* How much longer the name of a child is than that of its period row. */
int
idgen_period_suffix_len(IdgenPeriod period)
{
	return 1 + periods[period].length;
}

/* The name of the child for the period that the day is in, palloc'd. */
char *
idgen_period_child(const char *name, IdgenPeriod period, const IdgenDay *day)
{
	char *child = psprintf("%s/%04d-%02d-%02d", name, day->year, day->month, day->day);

	child[strlen(name) + 1 + periods[period].length] = '\0';
	return child;
}

/* Is there such a day, in a year of four digits? */
bool
idgen_is_day(const IdgenDay *day)
{
	return day->year >= 1 && day->year <= 9999 && day->month >= 1 && day->month <= MONTHS_PER_YEAR &&
		day->day >= 1 && day->day <= day_tab[isleap(day->year)][day->month - 1];
}

/*
 * Take a name apart whose part behind the last slash names a period. False if
 * it names none, or if nothing is before the slash.
 */
bool
idgen_period_parse(const char *name, IdgenPeriodName *parsed)
{
	const char *slash = strrchr(name, '/');
	int length = slash != NULL ? strlen(slash + 1) : 0;
	IdgenPeriod period = IDGEN_PERIOD_DAY;
	IdgenDay first = {1, 1, 1};

	while (period != IDGEN_PERIOD_NONE && periods[period].length != length)
		period--;
	if (period == IDGEN_PERIOD_NONE || slash == name)
		return false;

	/* The name is right if that is how this day's period is written. */
	(void) sscanf(slash, "/%4d-%2d-%2d", &first.year, &first.month, &first.day);
	*parsed = (IdgenPeriodName){slash - name, period, first};
	return idgen_is_day(&first) && strcmp(slash, idgen_period_child("", period, &first)) == 0;
}

/* Raises 22008: no period is named after such a year. */
pg_noreturn static void
date_out_of_range(const char *hint)
{
	ereport(ERROR,
	        (errcode(ERRCODE_DATETIME_VALUE_OUT_OF_RANGE),
	         errmsg("date out of range for an id"),
	         errdetail("Its year must be between 1 and 9999."),
	         errhint("%s", hint)));
}

/* The same day as an IdgenDay. Raises 22008. */
IdgenDay
idgen_day_of(DateADT date)
{
	IdgenDay result = {0};

	if (!DATE_NOT_FINITE(date))
		j2date(date + POSTGRES_EPOCH_JDATE, &result.year, &result.month, &result.day);
	if (!idgen_is_day(&result))
		date_out_of_range("Leave the date out to draw for today.");
	return result;
}

/*
 * The date in a time zone at some time. It stays the same until *until, at
 * least: until the clocks there show the next quarter of an hour. To compute
 * when the day ends was turned down: clocks may be put forward or back
 * meanwhile, but they are so at such times. Raises 22008.
 */
IdgenDay
idgen_day_at(TimestampTz at, pg_tz *zone, TimestampTz *until)
{
	struct pg_tm tm;
	fsec_t fsec;
	int offset;
	IdgenDay date = {0};

	if (timestamp2tm(at, &offset, &tm, &fsec, NULL, zone) == 0)
		date = (IdgenDay){tm.tm_year, tm.tm_mon, tm.tm_mday};
	if (!idgen_is_day(&date))
		date_out_of_range("The clock of the server is wrong.");
	*until = at - (tm.tm_min % 15 * SECS_PER_MINUTE + tm.tm_sec) * USECS_PER_SEC - fsec +
		15 * USECS_PER_MINUTE;
	return date;
}
