/*
 * cache_contents.c
 *		What the cache holds: for views, and while the server is stopped.
 *
 * Locking rules are at the top of cache.c.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "utils/timestamp.h"

#include "common/guc.h"
#include "shmem/cache_internal.h"
#include "shmem/slot_work.h"

/* Copy what a slot holds. The caller holds its lock. */
static void
copy_slot(IdgenSlot *slot, IdgenCached *cached)
{
	cached->place = IDGEN_IN_SLOT;
	memcpy(cached->blocks, slot->blocks, sizeof(cached->blocks));
	cached->nblocks = slot->nblocks;
	cached->ids_left = slot->ids_left;
	cached->worker_blocks = slot->pace.worker_blocks;
	cached->awaited = slot->refill.waiters > 0 || slot->work != IDGEN_WORK_NOTHING;
	cached->claim = slot->refill.claim;
	cached->failure = slot->worker.failure;
	idgen_slot_read_counted(slot, &cached->counted);
}

/* The same of what the second level keeps. */
static void
copy_idle(const IdgenIdle *idle, IdgenCached *cached)
{
	memset(cached, 0, sizeof(IdgenCached));
	cached->place = IDGEN_IN_SECOND_LEVEL;
	memcpy(cached->blocks, idle->blocks, sizeof(cached->blocks));
	cached->nblocks = idle->nblocks;
	cached->ids_left = idgen_idle_ids(idle);
}

/* What the cache holds of a key; false if it does not know it. */
bool
idgen_cache_read(const IdgenCacheKey *key, IdgenCached *cached)
{
	IdgenSlot *slot = idgen_cache_lock_key(key, LW_SHARED);
	bool known = true;
	IdgenIdle idle;

	if (slot != NULL)
		copy_slot(slot, cached);
	else if (idgen_cache_read_idle(key, &idle))
		copy_idle(&idle, cached);
	else
		known = false;
	idgen_cache_unlock_key(key, slot);
	return known;
}

static bool
blocks_lie_behind(const IdgenBlock *blocks, int nblocks, int64 last, int64 step)
{
	for (int i = 0; i < nblocks; i++)
		if (!idgen_block_lies_behind(&blocks[i], last, step))
			return false;
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
	IdgenIdle idle;
	bool behind = true;

	if (!idgen_cache_is_shared())
		return false;
	slot = idgen_cache_lock_key(key, LW_SHARED);
	if (slot != NULL)
		behind = !idgen_slot_is_being_filled(slot) &&
			blocks_lie_behind(slot->blocks, slot->nblocks, last, step);
	else if (idgen_cache_read_idle(key, &idle))
		behind = blocks_lie_behind(idle.blocks, idle.nblocks, last, step);
	idgen_cache_unlock_key(key, slot);
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

/* The same of an entry of the second level. */
static bool
scan_idle(IdgenCacheScan *scan, const IdgenCache *cache, int i)
{
	IdgenIdle idle;
	bool found = false;

	LWLockAcquire(&cache->header->lock, LW_SHARED);
	if (idgen_second_level_find(cache->second_level, i, i + 1, MyDatabaseId) == i)
	{
		idgen_second_level_read_at(cache->second_level, i, &scan->key, scan->name, &idle);
		found = scan->key.relid == scan->relid;
	}
	LWLockRelease(&cache->header->lock);
	if (found)
		copy_idle(&idle, &scan->cached);
	return found;
}

/* The next slot of a cache; false if there is none. */
static bool
next_slot(IdgenCacheScan *scan, const IdgenCache *cache)
{
	int nslots = cache->header != NULL ? cache->header->nslots : 0;

	while (scan->next < nslots)
		if (scan_slot(scan, cache, scan->next++))
			return true;
	return false;
}

/* The next entry of the second level; false if there is none. */
static bool
next_idle(IdgenCacheScan *scan, const IdgenCache *cache)
{
	int end;

	if (cache->second_level == NULL)
		return false;
	end = idgen_second_level_cells(cache->second_level);
	while ((scan->next = idgen_second_level_find(cache->second_level, scan->next, end, MyDatabaseId)) < end)
		if (scan_idle(scan, cache, scan->next++))
			return true;
	return false;
}

/*
 * Go to the next entry. Returns false if there is none.
 */
bool
idgen_cache_scan_next(IdgenCacheScan *scan)
{
	for (; scan->part < IDGEN_SCAN_OVER; scan->part++, scan->next = 0)
	{
		bool found;

		if (scan->part == IDGEN_SCAN_IDLE)
			found = next_idle(scan, &idgen_shared_cache);
		else
			found = next_slot(scan, scan->part == IDGEN_SCAN_SLOTS ? &idgen_shared_cache : &idgen_own_cache);
		if (found)
			return true;
	}
	return false;
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
	if (cache->second_level != NULL)
	{
		totals->max_idle_sequences = idgen_max_idle_sequences;
		totals->idle_sequences = idgen_second_level_entries(cache->second_level);
		totals->idle_ids = idgen_second_level_ids(cache->second_level);
	}
	totals->evictions = header->evictions;
	totals->ids_evicted = header->ids_evicted;
	totals->ids_lost = header->ids_lost;
	totals->ids_uncached = pg_atomic_read_u64(&header->ids_uncached);
	LWLockRelease(&header->lock);
}

/* Set the counters of all id sequences of this database to zero. */
void
idgen_cache_reset_counters(void)
{
	const IdgenCache *caches[] = {&idgen_shared_cache, &idgen_own_cache};
	TimestampTz now = GetCurrentTimestamp();

	for (size_t c = 0; c < lengthof(caches); c++)
	{
		int nslots = caches[c]->header != NULL ? caches[c]->header->nslots : 0;

		for (int i = 0; i < nslots; i++)
		{
			IdgenSlot *slot = idgen_cache_lock_slot_of(caches[c], i, MyDatabaseId);

			if (slot == NULL)
				continue;
			idgen_slot_reset_counters(slot, now);
			LWLockRelease(&slot->lock);
		}
	}
}

/*
 * Show what all slots of the server's cache hold, in the order in which they
 * lie in memory. Entries of the hash table come in no order: of a million, the
 * processor would have to fetch each from elsewhere, ten times as slow.
 */
static void
visit_slots(IdgenVisit visit, void *arg)
{
	const IdgenCache *cache = &idgen_shared_cache;
	IdgenCounted counted;
	IdgenIdle held;

	for (int i = 0; i < cache->header->nslots; i++)
	{
		IdgenSlot *slot = idgen_cache_slot_at(cache, i);
		const IdgenCacheKey *key;

		LWLockAcquire(&slot->lock, LW_EXCLUSIVE);
		key = slot->key;
		if (key != NULL)
		{
			idgen_cache_read_slot(slot, &held);
			idgen_slot_read_counted(slot, &counted);
		}
		LWLockRelease(&slot->lock);
		if (key != NULL)
			visit(key, &held, &counted, arg);
	}
}

/*
 * Show all that the server's cache holds, of all databases: first the slots,
 * then the second level, from what has been used lately on. Only the postmaster
 * calls it, when there are no sessions: it keeps the header's lock all the
 * time.
 */
void
idgen_cache_visit(IdgenVisit visit, void *arg)
{
	const IdgenCache *cache = &idgen_shared_cache;
	char name[IDGEN_NAME_BYTES];
	IdgenCacheKey key;
	IdgenIdle idle;
	int i = -1;

	LWLockAcquire(&cache->header->lock, LW_SHARED);
	visit_slots(visit, arg);
	while (cache->second_level != NULL && (i = idgen_second_level_older(cache->second_level, i)) >= 0)
	{
		idgen_second_level_read_at(cache->second_level, i, &key, name, &idle);
		visit(&key, &idle, NULL, arg);
	}
	LWLockRelease(&cache->header->lock);
}

/*
 * Publish what was cached before the server was stopped, in slots or, when
 * these are all taken, in the second level; and go on counting from there,
 * unless "counted" is NULL. Returns the number of ids for which there is no
 * room. Only the postmaster calls it, before there are sessions.
 */
int64
idgen_cache_restore(const IdgenCacheKey *key, const IdgenRest *rest, const IdgenCounted *counted)
{
	IdgenCache *cache = &idgen_shared_cache;
	IdgenSlot *slot;
	IdgenOutcome outcome = {
		.change = IDGEN_SLOT_REVALIDATE,
		.rest_fate = IDGEN_OUTCOME_PUBLISHED,
		.rest = *rest,
	};

	if (!idgen_cache_has_room(key))
		return idgen_rest_ids(rest) > 0 ? idgen_cache_restore_idle(key, rest) : 0;
	slot = idgen_cache_find_or_make_shared(key, &outcome.rest_good_as_of);
	if (slot == NULL)
		return idgen_rest_ids(rest);
	LWLockAcquire(&slot->lock, LW_EXCLUSIVE);
	if (counted != NULL)
		idgen_slot_restore_counted(slot, counted);
	(void) idgen_slot_finish(slot, &outcome, idgen_cache_next_number(cache));
	LWLockRelease(&slot->lock);
	return 0;
}
