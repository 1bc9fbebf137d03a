/*
 * cache.c
 *		The block cache: finding the slot of an id sequence, and making one.
 *
 * A hash table finds the slot of an id sequence by its key; the slots
 * themselves are an array, because a session remembers where its slot is and
 * looks at it without the hash table. A slot's version tells the session
 * whether it still is what it was: versions come from one counter, so no two
 * events ever give the same one, not even when a slot is used again for another
 * id sequence.
 *
 * What is cached is already allocated and durable: the caller of
 * idgen_cache_finish() or idgen_slot_publish() with a block to publish has
 * committed and flushed the allocation before (rule U3). Losing anything in
 * here makes a gap, never a duplicate.
 *
 * Locking rules
 *
 * - header->lock protects the hash table, the array's fill, the places for long
 *	 names, the clock hands, and the second level: shared to find an entry,
 *	 exclusive to make or replace one. A key of an entry stays as it is.
 * - A key is in a slot, in the second level, or in neither. As long as a
 *	 process holds header->lock, in either mode, it stays there: see
 *	 idgen_cache_lock_key().
 * - slot->lock, always exclusive, protects all other fields of a slot. A slot
 *	 changes its owner only under both locks. So the slot's lock alone suffices
 *	 to look at its key, and what concerns many slots takes one lock after the
 *	 other, but not the header's: see idgen_cache_lock_slot_of().
 * - The order is header->lock, then slot->lock, then the lock of the file
 *	 index, of the failures or of the queues of requests; never two slots at
 *	 once.
 * - Under a slot's lock, or the header's exclusive one, nothing may raise an
 *	 error: an entry is complete whenever its lock is released.
 *
 * - A slot whose key has an object is found by its name, too, when a row of
 *	 that name is changed: which object is meant may depend on the row. The
 *	 header's lock protects those lists as it does the hash table. And it is
 *	 found by the file that its ids come from: see file_index.c.
 *
 * - A slot that the worker has something to do with is in a queue; see
 *	 slot_work.c.
 *
 * There is one lock of the header, not several for parts of the hash table, as
 * the server's buffer table has. To give a slot to an id sequence holds it
 * exclusively for 0.5 microseconds, or 1.6 if another id sequence gives way and
 * both move between slots and the second level (measured on a virtual machine,
 * 2 processors). The session that asks for it has then looked at a row, and
 * executes a statement: 30 microseconds at least. So it takes dozens of
 * processors that do nothing else until they wait for each other here.
 *
 * A slot that is being refilled or waited for (idgen_slot_is_busy) is never
 * given to another id sequence, so the notes in it can be taken back later by
 * key. A slot whose entry was removed is the next to be used, see
 * idgen_cache_free_slot(). When there is none, an idle id sequence gives its
 * slot away, see cache_eviction.c.
 */
#include "postgres.h"

#include "utils/timestamp.h"

#include "common/guc.h"
#include "shmem/cache_internal.h"
#include "shmem/slot_work.h"

/* Which cache is a key for? */
IdgenCache *
idgen_cache_of(const IdgenCacheKey *key)
{
	return key->temporary || !idgen_cache_is_shared() ? &idgen_own_cache : &idgen_shared_cache;
}

/*
 * Slots
 */

/* The number of the next event. */
uint64
idgen_cache_next_number(IdgenCache *cache)
{
	return pg_atomic_add_fetch_u64(&cache->header->last_number, 1);
}

IdgenSlot *
idgen_cache_slot_at(const IdgenCache *cache, int i)
{
	return cache == &idgen_shared_cache ? &cache->slots[i].slot : idgen_own_slot_at(i);
}

/* The number of a slot of the shared cache. */
uint32
idgen_cache_slot_number(const IdgenSlot *slot)
{
	const IdgenSlotPadded *padded = (const IdgenSlotPadded *) slot;

	Assert(padded >= idgen_shared_cache.slots && padded < idgen_shared_cache.slots + idgen_max_sequences);
	return padded - idgen_shared_cache.slots;
}

/*
 * What is measured of the id sequence of a slot. The caller holds the slot's
 * lock.
 */
IdgenTimes *
idgen_slot_times(IdgenSlot *slot)
{
	const IdgenCache *cache = &idgen_shared_cache;

	if (cache->slots != NULL && slot >= &cache->slots[0].slot &&
	    slot <= &cache->slots[idgen_max_sequences - 1].slot)
		return &cache->times[idgen_cache_slot_number(slot)];
	return idgen_own_slot_times(slot);
}

/*
 * Lock the slot with that number, if it has an entry of that database; else
 * return NULL. This is how to go through all entries of a database: it takes
 * the lock of the slot only.
 */
IdgenSlot *
idgen_cache_lock_slot_of(const IdgenCache *cache, int i, Oid dbid)
{
	IdgenSlot *slot = idgen_cache_slot_at(cache, i);

	if (cache->databases != NULL && !idgen_databases_may_own(cache->databases, i, dbid))
		return NULL;
	pg_read_barrier(); /* see make_slot() */
	LWLockAcquire(&slot->lock, LW_EXCLUSIVE);
	if (slot->key != NULL && slot->key->dbid == dbid)
		return slot;
	LWLockRelease(&slot->lock);
	return NULL;
}

/* Note which database a slot belongs to. The caller holds both locks. */
static void
set_owner(IdgenCache *cache, IdgenSlot *slot, Oid dbid)
{
	if (cache->databases != NULL)
		idgen_databases_set_owner(cache->databases, idgen_cache_slot_number(slot), dbid);
}

/*
 * The list of slots that have an object and a name with that hash value, and of
 * others.
 */
dlist_head *
idgen_cache_slots_named(const IdgenCache *cache, uint32 name)
{
	return &cache->names[name % cache->nbuckets];
}

/*
 * Make the entry of a slot. A name that does not fit into the slot is put into
 * long_name, where there are IDGEN_NAME_BYTES. The caller holds the header's
 * lock exclusively, and then gives the slot to the entry.
 *
 * Raises an error only in a session's own cache, if there is no memory; then
 * nothing has changed. The shared one has as many elements as slots.
 */
IdgenCacheEntry *
idgen_cache_add_entry(IdgenCache *cache, const IdgenCacheKey *key, IdgenSlot *slot, char *long_name)
{
	IdgenCacheKey stored = *key;
	char *name = idgen_key_is_long(key) ? long_name : slot->short_name;

	memcpy(name, key->name, key->namelen);
	name[key->namelen] = '\0';
	stored.name = name;
	return hash_search(cache->entries, &stored, HASH_ENTER, NULL);
}

/*
 * Give a slot to a new entry. The caller holds its lock and, exclusively, the
 * header's.
 */
void
idgen_cache_assign_slot(IdgenCache *cache, IdgenCacheEntry *entry, IdgenSlot *slot, TimestampTz now)
{
	idgen_slot_assign(slot, &entry->key, idgen_cache_next_number(cache), now);
	slot->source.stored.dbid = entry->key.dbid;
	entry->slot = slot;
	set_owner(cache, slot, entry->key.dbid);
	if (!OidIsValid(entry->key.object))
		return;
	dlist_push_head(idgen_cache_slots_named(cache, idgen_key_hash_name(&entry->key)), &slot->node);
	cache->header->has_objects = true;
}

/*
 * Take the entry of a slot away, which is idle, as another one needs the slot,
 * or nobody needs the entry: the worker, too, has nothing to do for it any
 * more. What it had counted as lost goes to the totals. The caller holds the
 * same locks.
 */
void
idgen_cache_remove_entry(IdgenCache *cache, IdgenSlot *slot)
{
	const char *name = slot->key->name;

	idgen_slot_withdraw(slot);
	cache->header->ids_lost += idgen_lost_total(&slot->counters.ids_lost);
	if (OidIsValid(slot->key->object))
		dlist_delete(&slot->node);
	hash_search(cache->entries, slot->key, HASH_REMOVE, NULL);
	if (name != slot->short_name && cache->long_names != NULL)
		idgen_long_names_give_back(cache->long_names, name);
	slot->key = NULL;
	set_owner(cache, slot, InvalidOid);
}

/*
 * Take the entry of a slot away, which must be idle and empty, and put the slot
 * where the next one is taken from. A session may have found the entry since
 * the event that emptied it: its draw must not use the slot any more. The
 * caller holds the same locks.
 */
void
idgen_cache_free_slot(IdgenCache *cache, IdgenSlot *slot)
{
	idgen_cache_remove_entry(cache, slot);
	slot->version = idgen_cache_next_number(cache);
	dlist_push_head(&cache->header->free, &slot->node);
}

/*
 * Take away the entry of a slot that an event has emptied, unless somebody is
 * about to use it, or has published in it since. The caller holds the slot's
 * lock and, exclusively, the header's.
 */
void
idgen_cache_free_if_idle(IdgenCache *cache, IdgenSlot *slot)
{
	if (slot->nblocks == 0 && !idgen_slot_is_busy(slot))
		idgen_cache_free_slot(cache, slot);
}

/*
 * Entries
 */

/* The description of the hash table; the caller adds where its memory is. */
int
idgen_cache_describe_entries(HASHCTL *info)
{
	info->keysize = sizeof(IdgenCacheKey);
	info->entrysize = sizeof(IdgenCacheEntry);
	info->hash = idgen_key_hash;
	info->match = idgen_key_compare;
	return HASH_ELEM | HASH_FUNCTION | HASH_COMPARE;
}

/*
 * Is there no place left for the name of a key? The caller holds the header's
 * lock.
 */
static bool
lacks_long_name(const IdgenCacheKey *key)
{
	return idgen_key_is_long(key) && slist_is_empty(&idgen_shared_cache.long_names->free);
}

/* Can there be an entry in the shared cache without another one giving way? */
bool
idgen_cache_has_room(const IdgenCacheKey *key)
{
	IdgenCacheHeader *header = idgen_shared_cache.header;
	bool result;

	LWLockAcquire(&header->lock, LW_SHARED);
	result = (header->nslots < idgen_max_sequences || !dlist_is_empty(&header->free)) &&
		!lacks_long_name(key);
	LWLockRelease(&header->lock);
	return result;
}

/* Make one more slot of the shared cache. */
static IdgenSlot *
make_slot(IdgenCache *cache)
{
	IdgenSlot *slot = idgen_cache_slot_at(cache, cache->header->nslots);

	idgen_slot_init(slot, cache->slot_tranche);
	pg_write_barrier(); /* others see it when they see the number of slots */
	cache->header->nslots++;
	return slot;
}

/*
 * A slot of the shared cache for a new entry, locked, and with a place for its
 * name; NULL if there is none.
 */
static IdgenSlot *
get_free_slot(const IdgenCacheKey *key)
{
	IdgenCache *cache = &idgen_shared_cache;
	IdgenCacheHeader *header = cache->header;
	IdgenSlot *slot;

	if (lacks_long_name(key))
		return idgen_cache_evict_idle_long_name(cache);
	if (!dlist_is_empty(&header->free))
		slot = dlist_container(IdgenSlot, node, dlist_pop_head_node(&header->free));
	else if (header->nslots < idgen_max_sequences)
		slot = make_slot(cache);
	else
		return idgen_cache_evict_idle_slot(cache);
	LWLockAcquire(&slot->lock, LW_EXCLUSIVE);
	return slot;
}

/*
 * Make an entry in the shared cache, with what the second level has kept for
 * it; NULL if all slots are busy that would do. The caller holds the header's
 * lock exclusively.
 *
 * What was kept is taken first: else it could be the one that gives way when
 * another id sequence goes to the second level.
 */
static IdgenCacheEntry *
create_entry(const IdgenCacheKey *key, TimestampTz now)
{
	IdgenCache *cache = &idgen_shared_cache;
	IdgenIdle idle;
	bool kept = idgen_cache_take_idle(cache, key, &idle);
	IdgenSlot *slot = get_free_slot(key);
	IdgenCacheEntry *entry;
	char *long_name = NULL;

	if (slot == NULL)
	{
		idgen_cache_keep_idle(cache, key, &idle);
		return NULL;
	}
	if (idgen_key_is_long(key))
		long_name = idgen_long_names_take(cache->long_names, slot);
	entry = idgen_cache_add_entry(cache, key, slot, long_name);
	idgen_cache_assign_slot(cache, entry, slot, now);
	if (kept)
		idgen_cache_fill_slot(slot, &idle);
	LWLockRelease(&slot->lock);
	return entry;
}

/*
 * Lock the header of the cache of a key, in that mode, and its slot; NULL if it
 * has none. Where it is cannot change then, and nor can that it is nowhere.
 * Release both with idgen_cache_unlock_key().
 */
IdgenSlot *
idgen_cache_lock_key(const IdgenCacheKey *key, LWLockMode mode)
{
	IdgenCache *cache = idgen_cache_of(key);
	IdgenCacheEntry *entry;

	if (cache->header == NULL)
		return NULL;

	LWLockAcquire(&cache->header->lock, mode);
	entry = hash_search(cache->entries, key, HASH_FIND, NULL);
	if (entry == NULL)
		return NULL;
	LWLockAcquire(&entry->slot->lock, LW_EXCLUSIVE);
	return entry->slot;
}

void
idgen_cache_unlock_key(const IdgenCacheKey *key, IdgenSlot *slot)
{
	IdgenCache *cache = idgen_cache_of(key);

	if (slot != NULL)
		LWLockRelease(&slot->lock);
	if (cache->header != NULL)
		LWLockRelease(&cache->header->lock);
}

/*
 * Find the slot of a key and lock it; NULL if there is none. The header's lock
 * is kept meanwhile, so that the slot cannot be given away in between: release
 * both with idgen_cache_unlock_entry().
 */
IdgenSlot *
idgen_cache_lock_entry(const IdgenCacheKey *key)
{
	IdgenSlot *slot = idgen_cache_lock_key(key, LW_SHARED);

	if (slot == NULL)
		idgen_cache_unlock_key(key, NULL);
	return slot;
}

void
idgen_cache_unlock_entry(const IdgenCacheKey *key, IdgenSlot *slot)
{
	idgen_cache_unlock_key(key, slot);
}

/*
 * Find the slot of a key; NULL if there is none. *version is set to the slot's
 * version.
 */
static IdgenSlot *
find(const IdgenCacheKey *key, uint64 *version)
{
	IdgenSlot *slot = idgen_cache_lock_entry(key);

	if (slot == NULL)
		return NULL;
	*version = slot->version;
	idgen_cache_unlock_entry(key, slot);
	return slot;
}

/*
 * Find the slot of a key in the shared cache, and make it if there is none;
 * NULL if all are busy.
 */
IdgenSlot *
idgen_cache_find_or_make_shared(const IdgenCacheKey *key, uint64 *version)
{
	IdgenCache *cache = &idgen_shared_cache;
	TimestampTz now = GetCurrentTimestamp(); /* before there is a lock */
	IdgenCacheEntry *entry;
	IdgenSlot *slot = NULL;

	LWLockAcquire(&cache->header->lock, LW_EXCLUSIVE);
	entry = hash_search(cache->entries, key, HASH_FIND, NULL);
	if (entry == NULL)
		entry = create_entry(key, now);
	if (entry != NULL)
	{
		slot = entry->slot;
		LWLockAcquire(&slot->lock, LW_EXCLUSIVE);
		*version = slot->version;
		LWLockRelease(&slot->lock);
	}
	LWLockRelease(&cache->header->lock);
	return slot;
}

/*
 * Find the slot of a key, and make one if there is none. Returns NULL if none
 * can be had because all are busy. *version is set to the slot's version.
 * Raises an error if there is no memory.
 */
IdgenSlot *
idgen_cache_find_or_make(const IdgenCacheKey *key, uint64 *version)
{
	IdgenSlot *slot = find(key, version);

	if (slot != NULL)
		return slot;
	if (idgen_cache_of(key) == &idgen_shared_cache)
		return idgen_cache_find_or_make_shared(key, version);
	return idgen_own_cache_create(key, version);
}
