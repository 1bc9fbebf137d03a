/*
 * idle_events.c
 *		What happens to an id sequence that has no slot.
 *
 * What it holds lies in the second level then, if it holds anything. An event
 * finds it there as it would find it in a slot.
 *
 * When all slots are busy, a session goes on without one, and its transaction
 * may bring ids: those get a place in the second level from the beginning on.
 *
 * Nothing here raises an error. Locking rules are at the top of cache.c.
 */
#include "postgres.h"

#include "shmem/cache_internal.h"

/* What is kept of an id sequence that has nothing, from that event on. */
static void
init_idle(IdgenIdle *idle, uint64 number)
{
	memset(idle, 0, sizeof(IdgenIdle));
	idle->dropped_at = number;
	idle->warned_percent = IDGEN_NOT_WARNED;
}

/*
 * An event that voids all ids of a database may go on just now, and have passed
 * the place where this gets to. Is this older than such an event? Then it is
 * void, and is counted. The caller holds the header's lock, exclusively, as
 * with the next two functions.
 */
static bool
is_void(IdgenCache *cache, const IdgenCacheKey *key, const IdgenIdle *idle)
{
	IdgenCacheHeader *header = cache->header;

	if (idle->dropped_at >= idgen_databases_voided_at(cache->databases, key->dbid))
		return false;
	header->ids_lost = idgen_add_saturating(header->ids_lost, idgen_idle_ids(idle));
	return true;
}

/*
 * Take from the second level what it keeps of a key; false, with nothing in
 * "idle", if it keeps nothing.
 */
bool
idgen_cache_take_idle(IdgenCache *cache, const IdgenCacheKey *key, IdgenIdle *idle)
{
	if (cache->second_level != NULL && idgen_second_level_take(cache->second_level, key, idle) &&
	    !is_void(cache, key, idle))
		return true;
	init_idle(idle, idgen_cache_next_number(cache));
	return false;
}

/*
 * Keep that in the second level, as far as there is one, for a key that has no
 * slot. That is good for something even if it holds no ids: it says since when
 * nothing has happened to the id sequence. If a session refills without a slot,
 * its ids are good as long as that is there.
 */
void
idgen_cache_keep_idle(IdgenCache *cache, const IdgenCacheKey *key, const IdgenIdle *idle)
{
	IdgenCacheHeader *header = cache->header;
	int64 lost;

	if (cache->second_level == NULL)
		lost = idgen_idle_ids(idle);
	else if (is_void(cache, key, idle))
		return;
	else
		lost = idgen_second_level_put(cache->second_level, key, idle);
	header->ids_evicted = idgen_add_saturating(header->ids_evicted, lost);
}

/*
 * What the second level keeps of a key; false if that is nothing. The caller
 * has locked the key, and found no slot.
 */
bool
idgen_cache_read_idle(const IdgenCacheKey *key, IdgenIdle *idle)
{
	const IdgenCache *cache = idgen_cache_of(key);

	return cache->second_level != NULL && idgen_second_level_read(cache->second_level, key, idle);
}

/* Is anything known of a key? */
static bool
is_known(IdgenCache *cache, const IdgenCacheKey *key)
{
	bool known;

	LWLockAcquire(&cache->header->lock, LW_SHARED);
	known = idgen_second_level_has(cache->second_level, key) ||
		hash_search(cache->entries, key, HASH_FIND, NULL) != NULL;
	LWLockRelease(&cache->header->lock);
	return known;
}

/*
 * Publish the rest of a refill. Returns the number of ids for which there is no
 * room.
 */
static int64
add_rest(IdgenIdle *idle, const IdgenRest *rest)
{
	int64 crowded = 0;

	if (rest->block.left > 0)
		crowded = idgen_blocks_add(idle->blocks, &idle->nblocks, &rest->block);
	for (int i = 0; i < rest->nmore; i++)
		crowded += idgen_blocks_add(idle->blocks, &idle->nblocks, &rest->more[i]);
	idle->file = rest->storage;
	idle->origin = rest->origin;
	idle->lost_at_shutdown = rest->lost_at_shutdown;
	return crowded;
}

/*
 * As idgen_slot_finish(), for a key that has no slot: the same to what the
 * second level keeps of it. The caller holds the header's lock, exclusively.
 */
static int64
finish(IdgenCache *cache, const IdgenCacheKey *key, const IdgenOutcome *outcome, uint64 number)
{
	IdgenCacheHeader *header = cache->header;
	int64 uncached = idgen_outcome_ids(outcome);
	IdgenIdle idle;
	bool known = idgen_cache_take_idle(cache, key, &idle);

	if (known && outcome->change >= IDGEN_SLOT_DROP)
	{
		header->ids_lost = idgen_add_saturating(header->ids_lost, idgen_idle_ids(&idle));
		init_idle(&idle, number);
		known = false;
	}
	if (outcome->change == IDGEN_SLOT_REVALIDATE)
		idle.warned_percent = IDGEN_NOT_WARNED;

	if (uncached > 0 && outcome->rest_fate == IDGEN_OUTCOME_PUBLISHED &&
	    idgen_outcome_is_good(outcome, idle.dropped_at, idle.nblocks == 0, idle.origin))
	{
		header->ids_lost = idgen_add_saturating(header->ids_lost, add_rest(&idle, &outcome->rest));
		uncached = 0;
	}
	if (known || idle.nblocks > 0)
		idgen_cache_keep_idle(cache, key, &idle);
	return uncached;
}

/*
 * A transaction has ended: apply what it did to an id sequence for which the
 * caller has found no slot; see idgen_cache_finish(). Returns the number of ids
 * that are lost and have no slot to be counted in.
 */
int64
idgen_cache_finish_idle(const IdgenCacheKey *key, const IdgenOutcome *outcome)
{
	IdgenCache *cache = idgen_cache_of(key);
	int64 uncached = idgen_outcome_ids(outcome);
	int64 lost = outcome->counters.ids_lost.changed +
		(outcome->rest_fate == IDGEN_OUTCOME_FORGOTTEN ? 0 : outcome->counters.ids_lost.crowded);
	uint64 number;
	IdgenSlot *slot;

	if (cache->second_level == NULL ||
	    (uncached == 0 && (outcome->change == IDGEN_SLOT_UNCHANGED || !is_known(cache, key))))
		return uncached + lost;

	/* It may have got a slot meanwhile. */
	slot = idgen_cache_lock_key(key, LW_EXCLUSIVE);
	number = idgen_cache_next_number(cache);
	if (slot != NULL)
		uncached = idgen_slot_finish(slot, outcome, number);
	else
		uncached = finish(cache, key, outcome, number) + lost;
	idgen_cache_unlock_key(key, slot);
	return uncached;
}

/*
 * Keep in the second level what was cached before the server was stopped, as
 * what has not been used for longest. Returns the number of ids for which there
 * is no room.
 */
int64
idgen_cache_restore_idle(const IdgenCacheKey *key, const IdgenRest *rest)
{
	IdgenCache *cache = &idgen_shared_cache;
	IdgenIdle idle;
	int64 lost;

	init_idle(&idle, idgen_cache_next_number(cache));
	lost = add_rest(&idle, rest);
	LWLockAcquire(&cache->header->lock, LW_EXCLUSIVE);
	if (cache->second_level == NULL ||
	    !idgen_second_level_put_oldest(cache->second_level, key, &idle))
		lost = idgen_rest_ids(rest);
	LWLockRelease(&cache->header->lock);
	return lost;
}
