/*
 * eviction_pace.c
 *		How fast id sequences lose their slots to others.
 *
 * Where many id sequences take turns in too few slots, each draw looks at a row
 * again: the cache thrashes. That is told by the time that idgen.warn_evictions
 * evictions take: if it is less than a minute, these are too many. So only one
 * of them has to look at the clock.
 *
 * The session that evicts holds the cache's lock, under which nothing may be
 * logged. It leaves the news, and logs them when it has released the lock.
 *
 * Locking rules: the caller of every function here holds the lock of the
 * cache's header, exclusively; to look whether it is thrashing, a shared one
 * will do, and to log, none. Only idgen_eviction_log() may raise an error.
 */
#include "postgres.h"

#include "utils/timestamp.h"

#include "common/guc.h"
#include "shmem/eviction_pace.h"

#define IDGEN_MINUTE_MS 60000

/* Is that less than a minute ago? (Not if the clock was put back since.) */
static bool
is_recent(TimestampTz at, TimestampTz now)
{
	return at <= now && !TimestampDifferenceExceeds(at, now, IDGEN_MINUTE_MS);
}

/* As many evictions have been counted as there may be in a minute, and one. */
static void
end_count(IdgenEvictionPace *pace)
{
	TimestampTz now = GetCurrentTimestamp();

	if (is_recent(pace->since, now))
	{
		pace->thrashed_at = now;
		if (!is_recent(pace->logged_at, now))
		{
			pace->logged_at = now;
			pace->news.evictions = pace->count;
			pace->news.ms = TimestampDifferenceMilliseconds(pace->since, now);
		}
	}
	pace->since = now;
	pace->count = 0;
}

/* An id sequence has lost its slot. */
void
idgen_eviction_count(IdgenEvictionPace *pace)
{
	if (idgen_warn_evictions == 0)
	{
		pace->count = 0;
		return;
	}
	if (pace->count == 0)
		pace->since = GetCurrentTimestamp();
	if (++pace->count > idgen_warn_evictions)
		end_count(pace);
}

/*
 * Have there been more than idgen.warn_evictions a minute in the last minute?
 */
bool
idgen_eviction_is_thrashing(const IdgenEvictionPace *pace)
{
	return idgen_warn_evictions > 0 && is_recent(pace->thrashed_at, GetCurrentTimestamp());
}

/* What is to be logged, which then is the caller's to do. */
IdgenEvictionNews
idgen_eviction_take_news(IdgenEvictionPace *pace)
{
	IdgenEvictionNews news = pace->news;

	pace->news.evictions = 0;
	return news;
}

/* Log it, unless it is nothing. */
void
idgen_eviction_log(const IdgenEvictionNews *news)
{
	if (news->evictions == 0)
		return;
	ereport(LOG,
	        (errmsg("id sequences lose their slots in the cache too frequently (%lld within %lld ms)",
	                (long long) news->evictions, (long long) news->ms),
	         errdetail("It has %d slots.", idgen_max_sequences),
	         errhint("Consider increasing the configuration parameter \"idgen.max_sequences\"."),
	         errhidestmt(true), errhidecontext(true)));
}
