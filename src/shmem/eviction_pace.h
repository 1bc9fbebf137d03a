/*
 * eviction_pace.h
 *		How fast id sequences lose their slots to others.
 */
#ifndef IDGEN_EVICTION_PACE_H
#define IDGEN_EVICTION_PACE_H

#include "datatype/timestamp.h"

/* What the server log is to be told. */
typedef struct IdgenEvictionNews
{
	int64 evictions; /* 0 = nothing */
	int64 ms;        /* in that time */
} IdgenEvictionNews;

/* All zero at first. The lock of the cache's header protects it. */
typedef struct IdgenEvictionPace
{
	TimestampTz since;       /* the count began */
	int64 count;             /* evictions since then */
	TimestampTz thrashed_at; /* they were last found to be too many; 0 = never */
	TimestampTz logged_at;   /* the server log was last told so; 0 = never */
	IdgenEvictionNews news;  /* that nobody has logged yet */
} IdgenEvictionPace;

extern void idgen_eviction_count(IdgenEvictionPace *pace);
extern bool idgen_eviction_is_thrashing(const IdgenEvictionPace *pace);
extern IdgenEvictionNews idgen_eviction_take_news(IdgenEvictionPace *pace);
extern void idgen_eviction_log(const IdgenEvictionNews *news);

#endif /* IDGEN_EVICTION_PACE_H */
