/*
 * worker_requests.h
 *		What sessions have asked the worker for.
 */
#ifndef IDGEN_WORKER_REQUESTS_H
#define IDGEN_WORKER_REQUESTS_H

#include "shmem/cache.h"

/* What a worker is to do: refill an id sequence. */
typedef struct IdgenTask
{
	IdgenCacheKey key; /* its name is the one below */
	char name[IDGEN_NAME_BYTES];
	uint64 attempt;  /* its number, for idgen_cache_end_attempt() */
	int64 nblocks;   /* blocks to allocate */
	int64 bulk_ids;  /* or as many ids as a bulk load could use at once, if that is more */
	int64 range;     /* at least this many consecutive ids, unless 0 */
	bool is_empty;   /* is no id left at all? */
	bool row_locked; /* was the row locked at the last try of the attempt before? */
	int failed_with; /* the SQLSTATE of the attempt before; 0 = it has not failed */
	TimestampTz begun_at;
} IdgenTask;

extern bool idgen_cache_has_requests(Oid dbid);
extern IdgenTask *idgen_cache_take_awaited(Oid dbid);
extern IdgenTask *idgen_cache_take_ahead(Oid dbid);
extern bool idgen_cache_has_waiters(const IdgenCacheKey *key);
extern void idgen_cache_note_row(const IdgenCacheKey *key, bool locked);
extern void idgen_cache_end_attempt(const IdgenTask *task, const IdgenOutcome *outcome,
                                    const IdgenFailure *failure);
extern void idgen_cache_abandon_attempts(Oid dbid, const IdgenFailure *failure);

#endif /* IDGEN_WORKER_REQUESTS_H */
