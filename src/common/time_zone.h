/*
 * time_zone.h
 *		Time zones by name.
 */
#ifndef IDGEN_TIME_ZONE_H
#define IDGEN_TIME_ZONE_H

#include "pgtime.h"

extern pg_tz *idgen_time_zone_find(const char *name);

#endif /* IDGEN_TIME_ZONE_H */
