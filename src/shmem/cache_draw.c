/*
 * cache_draw.c
 *		Sessions without a slot draw from what the cache holds.
 *
 * When all slots are busy, a session goes on without one. What the cache holds
 * of its id sequence lies in the second level then, or in a slot that another
 * session has got meanwhile: the session takes it from there. So it allocates
 * no more than it needs, and its ids ascend: what it allocates comes behind
 * what is cached.
 *
 * That takes the header's lock, exclusively, for each draw. But a session
 * without a slot has asked for one before, which takes it as well.
 *
 * Nothing here raises an error. Locking rules are at the top of cache.c.
 */
#include "postgres.h"

#include "shmem/cache_internal.h"

/* May ids be taken that were cached since that event, and come from there? */
static bool
will_do(const IdgenKeyDraw *draw, uint64 dropped_at, RelFileNumber file, uint32 origin)
{
	return dropped_at <= draw->as_of && file == draw->storage && origin == draw->origin;
}

/* The number of the block that the ids are to be taken from, or -1. */
static int
find_block(const IdgenBlock *blocks, int nblocks, const IdgenKeyDraw *draw)
{
	for (int i = 0; i < nblocks; i++)
	{
		if (blocks[i].left < draw->count)
			continue;
		return draw->before == NULL || idgen_block_before(&blocks[i], draw->before) ? i : -1;
	}
	return -1;
}

/* Draw from a slot, which the caller has locked. */
static bool
draw_from_slot(IdgenSlot *slot, const IdgenKeyDraw *draw, IdgenBlock *ids)
{
	int block;

	if (!will_do(draw, slot->dropped_at, slot->source.stored.file, slot->source.origin))
		return false;
	if (draw->passed != NULL)
		idgen_slot_drop_passed(slot, draw->passed);
	block = find_block(slot->blocks, slot->nblocks, draw);
	if (block < 0)
		return false;
	*ids = idgen_slot_take_from_block(slot, block, draw->count);
	return true;
}

/*
 * The same from what the second level keeps of a key that has no slot. Nobody
 * is about to publish there then: what lies behind the ids that the session has
 * passed is all that there is. So is what was cached since an event has emptied
 * the entry, see idgen_slot_drop_passed().
 */
static bool
draw_from_idle(IdgenIdle *idle, const IdgenKeyDraw *draw, int64 *lost, IdgenBlock *ids)
{
	int block;

	if (!will_do(draw, idle->dropped_at, idle->file, idle->origin))
		return false;
	if (draw->passed != NULL)
	{
		if (idle->dropped_at <= draw->passed->since)
			*lost = idgen_blocks_drop_passed(idle->blocks, &idle->nblocks, draw->passed->last);
		draw->passed->since = 0;
	}
	block = find_block(idle->blocks, idle->nblocks, draw);
	if (block < 0)
		return false;
	*ids = idgen_block_cut(&idle->blocks[block], draw->count);
	if (idle->blocks[block].left == 0)
	{
		idle->nblocks--;
		memmove(&idle->blocks[block], &idle->blocks[block + 1],
		        (idle->nblocks - block) * sizeof(IdgenBlock));
	}
	return true;
}

/*
 * Draw consecutive ids of a key for which the caller has no slot. Returns false
 * if the cache has none that will do.
 */
bool
idgen_cache_draw(const IdgenCacheKey *key, const IdgenKeyDraw *draw, IdgenBlock *ids)
{
	IdgenCache *cache = idgen_cache_of(key);
	IdgenSlot *slot;
	IdgenIdle idle;
	int64 lost = 0;
	bool drawn = false;

	if (cache != &idgen_shared_cache)
		return false;

	slot = idgen_cache_lock_key(key, LW_EXCLUSIVE);
	if (slot != NULL)
		drawn = draw_from_slot(slot, draw, ids);
	else if (idgen_cache_take_idle(cache, key, &idle))
	{
		drawn = draw_from_idle(&idle, draw, &lost, ids);
		cache->header->ids_lost = idgen_add_saturating(cache->header->ids_lost, lost);
		idgen_cache_keep_idle(cache, key, &idle);
	}
	idgen_cache_unlock_key(key, slot);
	return drawn;
}

/*
 * Put ids back that were drawn from the cache just now, from a slot or without
 * one, and are not used after all. If an event has emptied the entry that has a
 * greater number than "as_of", they are void.
 */
void
idgen_cache_put_back(const IdgenCacheKey *key, uint64 as_of, const IdgenBlock *ids)
{
	IdgenCache *cache = idgen_cache_of(key);
	IdgenSlot *slot = idgen_cache_lock_key(key, LW_EXCLUSIVE);
	int64 lost = ids->left;
	IdgenIdle idle;

	if (slot != NULL && slot->dropped_at <= as_of)
	{
		idgen_slot_add_block(slot, ids);
		slot->counters.ids_issued -= ids->left;
		lost = 0;
	}
	else if (slot == NULL && idgen_cache_take_idle(cache, key, &idle))
	{
		if (idle.dropped_at <= as_of)
			lost = idgen_blocks_add(idle.blocks, &idle.nblocks, ids);
		idgen_cache_keep_idle(cache, key, &idle);
	}
	cache->header->ids_lost = idgen_add_saturating(cache->header->ids_lost, lost);
	idgen_cache_unlock_key(key, slot);
}
