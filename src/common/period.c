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
	const char *word;    /* in column "period" */
	const char *pattern; /* of its name; '0' stands for a digit */
} periods[] = {
	[IDGEN_PERIOD_NONE] = {NULL, ""},
	[IDGEN_PERIOD_YEAR] = {"year", "0000"},
	[IDGEN_PERIOD_MONTH] = {"month", "0000-00"},
	[IDGEN_PERIOD_DAY] = {"day", "0000-00-00"},
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

/* The kind of period that a word stands for; false if it stands for none. */
bool
idgen_period_find(const char *name, IdgenPeriod *period)
{
	for (int i = IDGEN_PERIOD_YEAR; i < (int) lengthof(periods); i++)
	{
		if (strcmp(name, periods[i].word) == 0)
		{
			*period = (IdgenPeriod) i;
			return true;
		}
	}
	return false;
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
	return period == IDGEN_PERIOD_NONE ? 0 : 1 + (int) strlen(periods[period].pattern);
}

/* The name of the child for the period that has the date, palloc'd. */
char *
idgen_period_child(const char *name, IdgenPeriod period, const IdgenDay *date)
{
	char *day = psprintf("%04d-%02d-%02d", date->year, date->month, date->day);
	char *child = psprintf("%s/%.*s", name, (int) strlen(periods[period].pattern), day);

	pfree(day);
	return child;
}

/* Is a text what the pattern of a period says? */
static bool
matches(const char *text, const char *pattern)
{
	for (; *pattern != '\0'; text++, pattern++)
	{
		bool digit = *text >= '0' && *text <= '9';

		if (*pattern == '0' ? !digit : *text != *pattern)
			return false;
	}
	return *text == '\0';
}

static bool
is_date(const IdgenDay *date)
{
	return date->year >= 1 && date->year <= 9999 && date->month >= 1 && date->month <= MONTHS_PER_YEAR &&
		date->day >= 1 && date->day <= day_tab[isleap(date->year)][date->month - 1];
}

/*
 * Take a name apart whose part behind the last slash names a period. False if
 * it names none, or if nothing is before the slash.
 */
bool
idgen_period_parse(const char *name, IdgenPeriodName *parsed)
{
	const char *slash = strrchr(name, '/');

	if (slash == NULL || slash == name)
		return false;
	for (int i = IDGEN_PERIOD_YEAR; i < (int) lengthof(periods); i++)
	{
		const char *text = slash + 1;

		if (!matches(text, periods[i].pattern))
			continue;
		parsed->parent_len = slash - name;
		parsed->period = (IdgenPeriod) i;
		parsed->first.year = atoi(text);
		parsed->first.month = i >= IDGEN_PERIOD_MONTH ? atoi(text + strlen("0000-")) : 1;
		parsed->first.day = i >= IDGEN_PERIOD_DAY ? atoi(text + strlen("0000-00-")) : 1;
		return is_date(&parsed->first);
	}
	return false;
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
	if (!is_date(&result))
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
	if (!is_date(&date))
		date_out_of_range("The clock of the server is wrong.");
	*until = at - (tm.tm_min % 15 * SECS_PER_MINUTE + tm.tm_sec) * USECS_PER_SEC - fsec +
		15 * USECS_PER_MINUTE;
	return date;
}
