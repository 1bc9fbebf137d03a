/*
 * cache_eviction.c
 *		Id sequences move between their slots and the second level.
 *
 * When all slots are taken, an idle id sequence gives its slot to another one.
 * What it has left goes to the second level (second_level.c), and comes back
 * when it gets a slot again. So nothing is lost, unless the second level is
 * full as well.
 *
 * Which id sequence it is, a clock says: its hand goes around all slots, and
 * takes one that is empty, or that nobody has used since it last passed. If
 * there is none among the next few, it takes the one of these that was used
 * least: to go on until there is a better one would keep others from the cache
 * for too long.
 *
 * Locking rules: the caller of every function here holds the header's lock,
 * exclusively. So between a slot and the second level no event finds an id
 * sequence in neither of them, or in both.
 */
#include "postgres.h"

#include "shmem/cache_internal.h"

/* How many slots the clock looks at before it takes one that was used. */
#define IDGEN_LOOK_AT 64

/*
 * And before it gives up, because all of them are busy: some transaction has
 * refilled more id sequences than that. Each of its next ones would look at all
 * slots in vain, with all other sessions waiting.
 */
#define IDGEN_LOOK_AT_MOST 1024

/* Which slot the clock looks at next: of all, or of those with long names. */
typedef IdgenSlot *(*NextSlot)(IdgenCache *cache);

static IdgenSlot *
next_slot(IdgenCache *cache)
{
	IdgenCacheHeader *header = cache->header;
	IdgenSlot *slot = idgen_cache_slot_at(cache, header->hand);

	header->hand = (header->hand + 1) % header->nslots;
	return slot;
}

static IdgenSlot *
next_slot_with_long_name(IdgenCache *cache)
{
	IdgenLongNames *names = cache->long_names;
	IdgenSlot *slot = names->places[names->hand].slot;

	names->hand = (names->hand + 1) % names->nplaces;
	return slot;
}

/*
 * Look at that many slots. Returns one that is idle, locked; NULL if all are
 * busy.
 */
static IdgenSlot *
lock_idle_slot(IdgenCache *cache, NextSlot next, int n)
{
	IdgenSlot *used = NULL; /* of those that were used, the one used least */
	int uses = 0;           /* how much that was */

	for (int i = 0; i < n; i++)
	{
		IdgenSlot *slot = next(cache);

		LWLockAcquire(&slot->lock, LW_EXCLUSIVE);
		if (!idgen_slot_is_busy(slot))
		{
			idgen_slot_count_issued(slot);
			if (slot->ids_left == 0 || slot->uses == 0)
				return slot;
			if (used == NULL || slot->uses < uses)
			{
				used = slot;
				uses = slot->uses;
			}
			slot->uses--;
		}
		LWLockRelease(&slot->lock);
	}
	if (used == NULL)
		return NULL;
	LWLockAcquire(&used->lock, LW_EXCLUSIVE);
	if (!idgen_slot_is_busy(used))
		return used;
	LWLockRelease(&used->lock);
	return NULL;
}

/* What is to be kept of the id sequence of a slot; the caller has locked it. */
void
idgen_cache_read_slot(const IdgenSlot *slot, IdgenIdle *idle)
{
	memcpy(idle->blocks, slot->blocks, slot->nblocks * sizeof(IdgenBlock));
	idle->nblocks = slot->nblocks;
	idle->file = slot->source.stored.file;
	idle->origin = slot->source.origin;
	idle->lost_at_shutdown = slot->source.lost_at_shutdown;
	idle->warned_percent = slot->source.warned_percent;
	idle->dropped_at = slot->dropped_at;
}

/*
 * Take a slot away from its id sequence, and keep what that has left. The
 * caller has locked the slot.
 */
static void
evict(IdgenCache *cache, IdgenSlot *slot)
{
	if (slot->ids_left > 0)
	{
		IdgenIdle idle;

		idgen_cache_read_slot(slot, &idle);
		idgen_cache_keep_idle(cache, slot->key, &idle);
	}
	cache->header->evictions++;
	idgen_cache_remove_entry(cache, slot);
}

/*
 * Take a slot away from an idle id sequence: the slot comes back locked; NULL
 * if all of these slots are busy, which are that many, or all that it has
 * looked at.
 */
static IdgenSlot *
evict_one(IdgenCache *cache, NextSlot next, int nslots)
{
	int most = Min(nslots, IDGEN_LOOK_AT_MOST);

	for (int looked = 0; looked < most; looked += IDGEN_LOOK_AT)
	{
		IdgenSlot *slot = lock_idle_slot(cache, next, Min(IDGEN_LOOK_AT, most - looked));

		if (slot != NULL)
		{
			evict(cache, slot);
			return slot;
		}
	}
	return NULL;
}

/* The same, of all slots. */
IdgenSlot *
idgen_cache_evict_idle_slot(IdgenCache *cache)
{
	return evict_one(cache, next_slot, cache->header->nslots);
}

/* The same, of those with long names: to be called when these are all. */
IdgenSlot *
idgen_cache_evict_idle_long_name(IdgenCache *cache)
{
	return evict_one(cache, next_slot_with_long_name, cache->long_names->nplaces);
}

/*
 * An id sequence has got a slot, in which nothing is yet: bring back what the
 * second level has kept. The caller has locked the slot.
 */
void
idgen_cache_fill_slot(IdgenSlot *slot, const IdgenIdle *idle)
{
	memcpy(slot->blocks, idle->blocks, idle->nblocks * sizeof(IdgenBlock));
	slot->nblocks = idle->nblocks;
	slot->ids_left = slot->left_when_counted = idgen_idle_ids(idle);
	slot->ahead_below = slot->ids_left / 2; /* in case the worker refills */
	slot->dropped_at = idle->dropped_at;
	idgen_file_entry_set(&slot->source.stored, idle->file);
	slot->source.origin = idle->origin;
	slot->source.lost_at_shutdown = idle->lost_at_shutdown;
	slot->source.warned_percent = idle->warned_percent;
}
