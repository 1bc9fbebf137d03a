/*
 * cache_events.c
 *		What happens to an id sequence in the cache.
 *
 * Sessions report here what they have done by the time that their transactions
 * end, what they have found out, and what they do not wait for any more.
 *
 * Nothing here raises an error, since much of it is done when a transaction has
 * ended. Locking rules are at the top of cache.c.
 */
#include "postgres.h"

#include "access/transam.h"
#include "miscadmin.h"

#include "shmem/cache_internal.h"
#include "shmem/slot_work.h"

/*
 * A session does not wait any more, as idgen_slot_draw() or
 * idgen_slot_draw_served() has told it to. "xid" is the transaction whose end
 * it has seen; it is invalid if the session has waited for something else, or
 * has given up. If the claim of that xid is still there, it is that of a
 * subtransaction that was rolled back, and nobody else will remove it. "us" are
 * the microseconds that the session has waited.
 */
void
idgen_cache_waited(const IdgenCacheKey *key, TransactionId xid, int64 us)
{
	IdgenSlot *slot = idgen_cache_lock_entry(key);

	if (slot == NULL)
		return;
	idgen_slot_end_wait(slot);
	idgen_slot_times(slot)->waited_us = idgen_add_saturating(idgen_slot_times(slot)->waited_us, us);
	if (slot->refill.waiters == 0)
		slot->worker.range = 0;
	if (TransactionIdIsValid(xid) && slot->refill.claim == xid)
		slot->refill.claim = InvalidTransactionId;
	idgen_cache_unlock_entry(key, slot);
}

/* Take back a claim, because there will be no refill after all. */
void
idgen_cache_unclaim(const IdgenCacheKey *key, TransactionId xid)
{
	IdgenSlot *slot = idgen_cache_lock_entry(key);

	if (slot == NULL)
		return;
	if (slot->refill.claim == xid)
		slot->refill.claim = InvalidTransactionId;
	idgen_cache_unlock_entry(key, slot);
}

/* A session that was to publish its refill at once has given it up. */
void
idgen_cache_not_refilled(const IdgenCacheKey *key)
{
	IdgenSlot *slot = idgen_cache_lock_entry(key);

	if (slot == NULL)
		return;
	idgen_slot_not_refilled(slot);
	idgen_cache_unlock_entry(key, slot);
}

/*
 * The number of the last event that emptied the entry, 0 if there is no entry.
 * The caller reads it after it has updated the row, keeps it with the block,
 * and gives it back to idgen_cache_finish(). If it is another one by then,
 * somebody has changed the row in between, and the block must not be published.
 */
uint64
idgen_cache_dropped_at(const IdgenCacheKey *key)
{
	IdgenSlot *slot = idgen_cache_lock_key(key, LW_SHARED);
	uint64 dropped_at = 0;
	IdgenIdle idle;

	if (slot != NULL)
		dropped_at = slot->dropped_at;
	else if (idgen_cache_read_idle(key, &idle))
		dropped_at = idle.dropped_at;
	idgen_cache_unlock_key(key, slot);
	return dropped_at;
}

/* The row of a key is gone: take its entry away. */
static void
remove_if_idle(const IdgenCacheKey *key)
{
	IdgenCache *cache = idgen_cache_of(key);
	IdgenCacheEntry *entry;

	LWLockAcquire(&cache->header->lock, LW_EXCLUSIVE);
	entry = hash_search(cache->entries, key, HASH_FIND, NULL);
	if (entry != NULL)
	{
		IdgenSlot *slot = entry->slot;

		LWLockAcquire(&slot->lock, LW_EXCLUSIVE);
		idgen_cache_free_if_idle(cache, slot);
		LWLockRelease(&slot->lock);
	}
	LWLockRelease(&cache->header->lock);
}

/*
 * A transaction has ended: apply what it did. To be called after it is
 * committed and flushed, aborted or prepared, and before its locks go, so that
 * a session that has waited for it sees the result.
 */
void
idgen_cache_finish(const IdgenCacheKey *key, const IdgenOutcome *outcome)
{
	IdgenSlot *slot = idgen_cache_lock_entry(key);
	int64 uncached;

	if (slot != NULL)
	{
		uncached = idgen_slot_finish(slot, outcome, idgen_cache_next_number(idgen_cache_of(key)));
		idgen_cache_unlock_entry(key, slot);
		if (outcome->change == IDGEN_SLOT_REMOVE)
			remove_if_idle(key);
	}
	else
		uncached = idgen_cache_finish_idle(key, outcome);

	if (uncached > 0)
		pg_atomic_fetch_add_u64(&idgen_cache_of(key)->header->ids_uncached, uncached);
}

/*
 * Is it time to say that only percent (0 to 100) of a range is left? True once
 * for each percent step; without an entry to remember it in, every time.
 */
bool
idgen_cache_percent_is_news(const IdgenCacheKey *key, int percent)
{
	IdgenSlot *slot = idgen_cache_lock_entry(key);
	bool news;

	if (slot == NULL)
		return true;
	news = idgen_slot_percent_is_news(slot, percent);
	idgen_cache_unlock_entry(key, slot);
	return news;
}

/*
 * Empty the entry of a key if its blocks come from another file than this one,
 * where its native sequence is stored now.
 */
void
idgen_cache_check_storage(const IdgenCacheKey *key, RelFileNumber storage)
{
	IdgenSlot *slot = idgen_cache_lock_entry(key);

	if (slot == NULL)
		return;
	if (slot->source.stored.file != InvalidRelFileNumber && slot->source.stored.file != storage)
		idgen_slot_drop(slot, idgen_cache_next_number(idgen_cache_of(key)));
	idgen_cache_unlock_entry(key, slot);
}

/*
 * A session has found out which function or server the row names. If the blocks
 * of the key come from another one, empty its entry. What other sessions are
 * just bringing from there will not be published.
 */
void
idgen_cache_check_origin(const IdgenCacheKey *key, uint32 origin)
{
	IdgenSlot *slot = idgen_cache_lock_entry(key);

	if (slot == NULL)
		return;
	if (slot->nblocks > 0 && slot->source.origin != origin)
		idgen_slot_drop(slot, idgen_cache_next_number(idgen_cache_of(key)));
	slot->source.origin = origin;
	idgen_cache_unlock_entry(key, slot);
}
