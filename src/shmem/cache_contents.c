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

/* Copy what a slot holds. The caller holds its lock. */
static void
copy_slot(IdgenSlot *slot, IdgenCached *cached)
{
	idgen_slot_count_issued(slot);
	memcpy(cached->blocks, slot->blocks, sizeof(cached->blocks));
	cached->nblocks = slot->nblocks;
	cached->ids_left = slot->ids_left;
	cached->worker_blocks = slot->pace.worker_blocks;
	cached->counters = slot->counters;
}

/* What the entry of a key holds; false if there is none. */
bool
idgen_cache_read(const IdgenCacheKey *key, IdgenCached *cached)
{
	IdgenSlot *slot = idgen_cache_lock_entry(key);

	if (slot == NULL)
		return false;
	copy_slot(slot, cached);
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
 * Copy what the slot with that number holds, if that is of the installation.
 */
static bool
scan_slot(IdgenCacheScan *scan, const IdgenCache *cache, int i)
{
	IdgenSlot *slot = idgen_cache_lock_slot_of(cache, i, MyDatabaseId);
	bool found;

	if (slot == NULL)
		return false;
	found = slot->key->relid == scan->relid;
	if (found)
	{
		scan->key = *slot->key;
		scan->key.name = memcpy(scan->name, slot->key->name, slot->key->namelen + 1);
		copy_slot(slot, &scan->cached);
	}
	LWLockRelease(&slot->lock);
	return found;
}

/*
 * Go to the next entry. Returns false if there is none.
 */
bool
idgen_cache_scan_next(IdgenCacheScan *scan)
{
	for (;;)
	{
		const IdgenCache *cache = scan->own ? &idgen_own_cache : &idgen_shared_cache;
		int nslots = cache->header != NULL ? cache->header->nslots : 0;

		while (scan->next < nslots)
		{
			if (scan_slot(scan, cache, scan->next++))
				return true;
		}
		if (scan->own)
			return false;
		scan->own = true;
		scan->next = 0;
	}
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

/* Set the counters of all id sequences of a database to zero. */
void
idgen_cache_reset_counters(Oid dbid)
{
	const IdgenCache *caches[] = {&idgen_shared_cache, &idgen_own_cache};

	for (size_t c = 0; c < lengthof(caches); c++)
	{
		int nslots = caches[c]->header != NULL ? caches[c]->header->nslots : 0;

		for (int i = 0; i < nslots; i++)
		{
			IdgenSlot *slot = idgen_cache_lock_slot_of(caches[c], i, dbid);

			if (slot == NULL)
				continue;
			idgen_slot_count_issued(slot);
			memset(&slot->counters, 0, sizeof(IdgenCounters));
			LWLockRelease(&slot->lock);
		}
	}
}

/*
 * Show all entries of the server's cache, of all databases. Only the postmaster
 * calls it, when there are no sessions: it keeps the header's lock all the
 * time.
 */
void
idgen_cache_visit(void (*visit)(const IdgenCacheKey *key, const IdgenSlot *slot, void *arg),
                  void *arg)
{
	HASH_SEQ_STATUS status;
	IdgenCacheEntry *entry;

	LWLockAcquire(&idgen_shared_cache.header->lock, LW_SHARED);
	hash_seq_init(&status, idgen_shared_cache.entries);
	while ((entry = hash_seq_search(&status)) != NULL)
	{
		LWLockAcquire(&entry->slot->lock, LW_EXCLUSIVE);
		visit(&entry->key, entry->slot, arg);
		LWLockRelease(&entry->slot->lock);
	}
	LWLockRelease(&idgen_shared_cache.header->lock);
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
