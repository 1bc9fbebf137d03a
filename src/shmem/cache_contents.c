/*
 * cache_contents.c
 *		What the cache holds: for views, and while the server is stopped.
 *
 * Locking rules are at the top of cache.c.
 */
#include "postgres.h"

#include "miscadmin.h"

#include "common/guc.h"
#include "shmem/cache_internal.h"
#include "shmem/slot_work.h"

/* What the entry of a key holds; false if there is none. */
bool
idgen_cache_read(const IdgenCacheKey *key, IdgenCached *cached)
{
	IdgenSlot *slot = idgen_cache_lock_entry(key);

	if (slot == NULL)
		return false;
	idgen_slot_count_issued(slot);
	memcpy(cached->blocks, slot->blocks, sizeof(cached->blocks));
	cached->nblocks = slot->nblocks;
	cached->ids_left = slot->ids_left;
	cached->worker_blocks = slot->pace.worker_blocks;
	cached->counters = slot->counters;
	idgen_cache_unlock_entry(key, slot);
	return true;
}

/*
 * Do all ids that the cache may give lie behind "last", in the direction of
 * "step"? If that is not known, the answer is no: the worker, or a session, may
 * be about to publish, and without a shared cache other sessions have caches of
 * their own.
 */
bool
idgen_cache_lies_behind(const IdgenCacheKey *key, int64 last, int64 step)
{
	IdgenSlot *slot;
	bool behind;

	if (!idgen_cache_is_shared())
		return false;
	slot = idgen_cache_lock_entry(key);
	if (slot == NULL)
		return true;
	behind = slot->refill.publishers == 0 && !idgen_slot_is_attempted(slot);
	for (int i = 0; i < slot->nblocks && behind; i++)
		behind = idgen_block_lies_behind(&slot->blocks[i], last, step);
	idgen_cache_unlock_entry(key, slot);
	return behind;
}

/*
 * The keys of all entries of this database that belong to the installation of
 * that table: a list of palloc'd IdgenCacheKeys.
 */
List *
idgen_cache_entries(Oid relid)
{
	IdgenCache *const caches[] = {&idgen_shared_cache, &idgen_own_cache};
	List *keys = NIL;

	for (int i = 0; i < (int) lengthof(caches); i++)
	{
		HASH_SEQ_STATUS status;
		IdgenCacheEntry *entry;

		if (caches[i]->header == NULL)
			continue;
		LWLockAcquire(&caches[i]->header->lock, LW_SHARED);
		hash_seq_init(&status, caches[i]->entries);
		while ((entry = hash_seq_search(&status)) != NULL)
		{
			if (entry->key.dbid == MyDatabaseId && entry->key.relid == relid)
				keys = lappend(keys, idgen_key_copy(&entry->key));
		}
		LWLockRelease(&caches[i]->header->lock);
	}
	return keys;
}

/*
 * Totals of the server's cache, or of the session's own one if there is none.
 */
void
idgen_cache_totals(IdgenCacheTotals *totals)
{
	const IdgenCache *cache = idgen_cache_is_shared() ? &idgen_shared_cache : &idgen_own_cache;
	IdgenCacheHeader *header = cache->header;

	memset(totals, 0, sizeof(*totals));
	totals->max_sequences = idgen_cache_is_shared() ? idgen_max_sequences : idgen_own_cache_max_slots();
	if (header == NULL)
		return;

	LWLockAcquire(&header->lock, LW_SHARED);
	totals->sequences = hash_get_num_entries(cache->entries);
	totals->evictions = header->evictions;
	totals->ids_evicted = header->ids_evicted;
	totals->ids_lost = header->ids_lost;
	totals->ids_uncached = pg_atomic_read_u64(&header->ids_uncached);
	LWLockRelease(&header->lock);
}

static void
reset_if_in_database(IdgenCache *cache, IdgenCacheEntry *entry, void *arg)
{
	if (entry->key.dbid != *(Oid *) arg)
		return;
	idgen_slot_count_issued(entry->slot);
	memset(&entry->slot->counters, 0, sizeof(IdgenCounters));
}

/* Set the counters of all id sequences of a database to zero. */
void
idgen_cache_reset_counters(Oid dbid)
{
	idgen_cache_for_each_entry(&idgen_shared_cache, reset_if_in_database, &dbid);
	idgen_cache_for_each_entry(&idgen_own_cache, reset_if_in_database, &dbid);
}

/* Arguments of idgen_cache_visit(). */
typedef struct Visit
{
	void (*visit)(const IdgenCacheKey *key, const IdgenSlot *slot, void *arg);
	void *arg;
} Visit;

static void
visit_entry(IdgenCache *cache, IdgenCacheEntry *entry, void *arg)
{
	const Visit *visit = (const Visit *) arg;

	visit->visit(&entry->key, entry->slot, visit->arg);
}

/* Show all entries of the server's cache, of all databases. */
void
idgen_cache_visit(void (*visit)(const IdgenCacheKey *key, const IdgenSlot *slot, void *arg),
                  void *arg)
{
	Visit v = {visit, arg};

	idgen_cache_for_each_entry(&idgen_shared_cache, visit_entry, &v);
}

/*
 * Publish what was cached before the server was stopped. Returns the number of
 * ids for which there is no room. Only the postmaster calls it, before there
 * are sessions.
 */
int64
idgen_cache_restore(const IdgenCacheKey *key, const IdgenRest *rest)
{
	uint64 version;
	IdgenOutcome outcome = {
		.change = IDGEN_SLOT_REVALIDATE,
		.rest_fate = IDGEN_OUTCOME_PUBLISHED,
		.rest = *rest,
	};

	if (!idgen_cache_has_room(key) || idgen_cache_find_or_make(key, &version) == NULL)
		return idgen_rest_ids(rest);
	outcome.rest_good_as_of = version;
	idgen_cache_finish(key, &outcome);
	return 0;
}
