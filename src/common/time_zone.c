/*
 * time_zone.c
 *		Time zones by name.
 */
#include "postgres.h"

#include "common/time_zone.h"

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
