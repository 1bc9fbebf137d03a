/*
 * forecast.c
 *		How fast ids are issued, and when they will be used up.
 *
 * The forecast takes for granted that ids go on to be issued as fast as they
 * were on average since the counters began. So it is late where use grows. To
 * weigh recent hours more was turned down: it takes a history of each id
 * sequence, and a monitoring system keeps that anyway.
 *
 * Numbers of ids are doubles: a range may be wider than 2^63, and a forecast
 * does not depend on single ids.
 */
#include "postgres.h"

#include "utils/timestamp.h"

#include "common/forecast.h"

/*
 * How long ids must have been counted for a rate, and for a forecast, in
 * seconds. One bulk load right after the start must not look like the end of an
 * id sequence.
 */
#define SECONDS_FOR_RATE     1
#define SECONDS_FOR_FORECAST 3600

/* For how many seconds ids were counted; negative if that is not known. */
static double
seconds_counted(const IdgenUsage *usage)
{
	if (usage->since == 0 || usage->since > usage->until)
		return IDGEN_NOT_KNOWN;
	return (double) (usage->until - usage->since) / USECS_PER_SEC;
}

/* The ids that were issued in a second, on average; IDGEN_NOT_KNOWN. */
double
idgen_ids_per_second(const IdgenUsage *usage)
{
	double seconds = seconds_counted(usage);

	return seconds < SECONDS_FOR_RATE ? IDGEN_NOT_KNOWN : (double) usage->ids / seconds;
}

/*
 * In how many seconds that many ids will be used up. IDGEN_NOT_KNOWN if the
 * number of ids is not known, if ids were not counted for long enough, or if
 * none was issued.
 */
double
idgen_seconds_left(const IdgenUsage *usage, double ids_left)
{
	if (ids_left < 0 || usage->ids <= 0 || seconds_counted(usage) < SECONDS_FOR_FORECAST)
		return IDGEN_NOT_KNOWN;
	return ids_left / idgen_ids_per_second(usage);
}
