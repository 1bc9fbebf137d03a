/*
 * cache_wide_events.c
 *		What happens to many id sequences in the cache at once.
 *
 * An event finds those that it concerns: by their database (cache_databases.c),
 * by the file of their native sequence (file_index.c), or by their name. If it
 * looks at many, it holds no lock all the time.
 *
 * Nothing here raises an error, since much of it is done when a transaction has
 * ended. Locking rules are at the top of cache.c.
 */
#include "postgres.h"

#include "miscadmin.h"

#include "shmem/cache_internal.h"

/*
 * What concerns a database looks at this many cells of the second level at a
 * time, under the header's lock.
 */
#define IDGEN_DROP_AT_ONCE 256

/* Count ids that have become void in the second level. */
static void
count_void(IdgenCache *cache, int64 ids)
{
	cache->header->ids_lost = idgen_add_saturating(cache->header->ids_lost, ids);
}

/*
 * Remove what the second level keeps of a database, a portion at a time. It
 * looks for that without a lock.
 */
static void
drop_idle_of(IdgenCache *cache, Oid dbid)
{
	struct IdgenSecondLevel *level = cache->second_level;
	int i = 0;
	int end;

	if (level == NULL)
		return;
	end = idgen_second_level_cells(level);
	while ((i = idgen_second_level_find(level, i, end, dbid)) < end)
	{
		int end_of_portion = Min(i + IDGEN_DROP_AT_ONCE, end);

		LWLockAcquire(&cache->header->lock, LW_EXCLUSIVE);
		while ((i = idgen_second_level_find(level, i, end_of_portion, dbid)) < end_of_portion)
			count_void(cache, idgen_second_level_remove_at(level, i));
		LWLockRelease(&cache->header->lock);
	}
}

/*
 * Empty the slots of a database. It looks at one slot at a time. So a slot may
 * get an entry of that database when it has been passed: what that brings is
 * void if it is older than the event, see cache_databases.c.
 */
static void
drop_slots_of(IdgenCache *cache, Oid dbid)
{
	for (int i = 0; i < cache->header->nslots; i++)
	{
		IdgenSlot *slot = idgen_cache_lock_slot_of(cache, i, dbid);

		if (slot == NULL)
			continue;
		idgen_slot_drop(slot, idgen_cache_next_number(cache));
		LWLockRelease(&slot->lock);
	}
}

/*
 * An event voids all ids of a database. Returns its number; 0 if there is
 * nothing to do.
 */
static uint64
begin_event(IdgenCache *cache, Oid dbid)
{
	uint64 number = 0;

	LWLockAcquire(&cache->header->lock, LW_EXCLUSIVE);
	if (idgen_databases_has_entries(cache->databases, dbid))
	{
		number = idgen_cache_next_number(cache);
		idgen_databases_begin_event(cache->databases, dbid, number);
	}
	LWLockRelease(&cache->header->lock);
	return number;
}

static void
end_event(IdgenCache *cache, Oid dbid, uint64 number)
{
	LWLockAcquire(&cache->header->lock, LW_EXCLUSIVE);
	idgen_databases_end_event(cache->databases, dbid, number);
	LWLockRelease(&cache->header->lock);
}

/*
 * Empty all entries of a database, since it is being dropped, or its extension
 * is, or its id_sequences were truncated.
 */
void
idgen_cache_drop_database(Oid dbid)
{
	IdgenCache *shared = &idgen_shared_cache;
	uint64 number = shared->header != NULL ? begin_event(shared, dbid) : 0;

	if (number != 0)
	{
		drop_slots_of(shared, dbid);
		drop_idle_of(shared, dbid);
		end_event(shared, dbid, number);
	}
	if (idgen_own_cache.header != NULL)
		drop_slots_of(&idgen_own_cache, dbid);
}

/*
 * Take the entries of a database away that have been emptied and that nobody is
 * about to use.
 */
void
idgen_cache_remove_empty(Oid dbid)
{
	IdgenCache *cache = &idgen_shared_cache;

	if (cache->header == NULL || !idgen_databases_has_entries(cache->databases, dbid))
		return;
	for (int i = 0; i < cache->header->nslots; i++)
	{
		IdgenSlot *slot;

		if (!idgen_databases_may_own(cache->databases, i, dbid))
			continue;
		LWLockAcquire(&cache->header->lock, LW_EXCLUSIVE);
		slot = idgen_cache_lock_slot_of(cache, i, dbid);
		if (slot != NULL)
		{
			idgen_cache_free_if_idle(cache, slot);
			LWLockRelease(&slot->lock);
		}
		LWLockRelease(&cache->header->lock);
	}
}

/* Empty the slots that hold ids of that file. */
static void
drop_slots_stored_in(IdgenCache *cache, const RelFileLocator *file)
{
	IdgenFileEntry *stored;

	while ((stored = idgen_file_index_find(cache->files, file)) != NULL)
	{
		IdgenSlot *slot = (IdgenSlot *) ((char *) stored - offsetof(IdgenSlot, source.stored));

		LWLockAcquire(&slot->lock, LW_EXCLUSIVE);
		if (idgen_file_entry_is(stored, file))
			idgen_slot_drop(slot, idgen_cache_next_number(cache));
		LWLockRelease(&slot->lock);
	}
}

/*
 * The header's lock keeps the ids of the file from moving meanwhile. It is
 * taken exclusively only if some of them are in the second level.
 */
static void
drop_stored_in(IdgenCache *cache, const RelFileLocator *file)
{
	bool any_idle;

	if (cache->header == NULL)
		return;
	LWLockAcquire(&cache->header->lock, LW_SHARED);
	drop_slots_stored_in(cache, file);
	any_idle = cache->second_level != NULL && idgen_second_level_has_file(cache->second_level, file);
	LWLockRelease(&cache->header->lock);
	if (!any_idle)
		return;

	LWLockAcquire(&cache->header->lock, LW_EXCLUSIVE);
	drop_slots_stored_in(cache, file);
	count_void(cache, idgen_second_level_remove_file(cache->second_level, file));
	LWLockRelease(&cache->header->lock);
}

/*
 * Empty the entries whose blocks come from the native sequence that was stored
 * in that file, which a transaction has replaced or removed.
 */
void
idgen_cache_drop_storage(const RelFileLocator *file)
{
	drop_stored_in(&idgen_shared_cache, file);
	drop_stored_in(&idgen_own_cache, file);
}

/*
 * Are there entries with an object? It looks without a lock, so "no" is sure
 * only for objects that nobody can be drawing from.
 */
bool
idgen_cache_has_objects(void)
{
	return (idgen_shared_cache.header != NULL && idgen_shared_cache.header->has_objects) ||
		(idgen_own_cache.header != NULL && idgen_own_cache.header->has_objects);
}

/* The caller holds the header's lock. */
static void
change_slots_named(IdgenCache *cache, uint32 name, IdgenSlotChange change)
{
	dlist_iter iter;

	dlist_foreach(iter, idgen_cache_slots_named(cache, name))
	{
		IdgenSlot *slot = dlist_container(IdgenSlot, node, iter.cur);

		if (idgen_key_hash_name(slot->key) != name)
			continue;
		LWLockAcquire(&slot->lock, LW_EXCLUSIVE);
		if (change >= IDGEN_SLOT_DROP)
			idgen_slot_drop(slot, idgen_cache_next_number(cache));
		else
			slot->version = idgen_cache_next_number(cache);
		LWLockRelease(&slot->lock);
	}
}

/*
 * As drop_stored_in(). Sessions have nothing to look at again in the second
 * level.
 */
static void
change_objects(IdgenCache *cache, uint32 name, IdgenSlotChange change)
{
	bool any_idle;

	if (cache->header == NULL)
		return;
	LWLockAcquire(&cache->header->lock, LW_SHARED);
	change_slots_named(cache, name, change);
	any_idle = change >= IDGEN_SLOT_DROP && cache->second_level != NULL &&
		idgen_second_level_has_name(cache->second_level, name);
	LWLockRelease(&cache->header->lock);
	if (!any_idle)
		return;

	LWLockAcquire(&cache->header->lock, LW_EXCLUSIVE);
	change_slots_named(cache, name, change);
	count_void(cache, idgen_second_level_remove_name(cache->second_level, name));
	LWLockRelease(&cache->header->lock);
}

/*
 * Have sessions look again at the id sequences of that name that have an
 * object: which one it is may depend on the row of that name, which was
 * changed. With IDGEN_SLOT_DROP or more, which ids come from the object
 * may depend on it as well: empty the entries.
 */
void
idgen_cache_change_objects(uint32 name, IdgenSlotChange change)
{
	change_objects(&idgen_shared_cache, name, change);
	change_objects(&idgen_own_cache, name, change);
}
