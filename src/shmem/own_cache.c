/*
 * own_cache.c
 *		A session's own cache: memory, and what is special about its entries.
 *
 * It is made on first use, and grows by a few slots at a time. No other session
 * can reach it. So nobody waits for its slots, and no worker serves them; and
 * nobody tells it of changes: a session looks for them before it draws, see
 * idgen_cache_check_table() and idgen_cache_check_storage().
 *
 * Locking rules: none are needed. The locks are taken where the code is that of
 * the shared cache. Unlike there, getting memory may raise an error, so an
 * entry is made only when its slot is there.
 */
#include "postgres.h"

#include "utils/memutils.h"
#include "utils/syscache.h"
#include "utils/timestamp.h"

#include "catalog/epoch.h"
#include "shmem/cache_internal.h"

/*
 * There are at most this many slots, made a few at a time: 810 bytes for each
 * id sequence that the session uses, which is less than the server keeps of
 * each native sequence. More would rarely be worth it: what a session caches is
 * lost when it ends.
 */
#define IDGEN_OWN_SLOTS   65536
#define IDGEN_OWN_AT_ONCE 16
#define IDGEN_OWN_BUCKETS 2048

/*
 * Before the cache gets more slots, it looks at this many whether their native
 * sequences are gone: at more than it would get, so that it does not grow when
 * many are.
 */
#define IDGEN_OWN_LOOK_AT (2 * IDGEN_OWN_AT_ONCE)

/*
 * Its locks are never waited for, so no wait event shows their tranche. It has
 * to be one that the server knows; to register one would use up a number in
 * each session.
 */
#define IDGEN_OWN_TRANCHE LWTRANCHE_PER_SESSION_DSA

typedef struct OwnSlot
{
	IdgenSlot slot;     /* must be first */
	IdgenTimes times;   /* what is measured */
	uint64 table_epoch; /* idgen_table_epoch of its ids */
	char *long_name;    /* room for a long name, or NULL if it has never had one */
} OwnSlot;

IdgenCache idgen_own_cache;

static OwnSlot *own_slots[IDGEN_OWN_SLOTS / IDGEN_OWN_AT_ONCE];
static int own_hand = 0; /* next slot for reclaim_slots() */

/* Create the cache. Raises an error if there is no memory. */
static void
init_own_cache(void)
{
	IdgenCache *cache = &idgen_own_cache;
	IdgenCacheHeader *header = MemoryContextAlloc(TopMemoryContext, sizeof(IdgenCacheHeader));
	HASHCTL info;
	int flags;

	cache->nbuckets = IDGEN_OWN_BUCKETS;
	cache->names = MemoryContextAlloc(TopMemoryContext, cache->nbuckets * sizeof(dlist_head));
	cache->files = MemoryContextAlloc(TopMemoryContext, idgen_file_index_size(cache->nbuckets));
	idgen_cache_init_names(cache);
	idgen_file_index_init(cache->files, cache->nbuckets, IDGEN_OWN_TRANCHE);
	idgen_cache_init_header(header, IDGEN_OWN_TRANCHE);
	flags = idgen_cache_describe_entries(&info);
	info.hcxt = TopMemoryContext;
	cache->entries = hash_create("idgen session cache", 64, &info,
	                             flags | HASH_CONTEXT);
	cache->header = header;
}

/* The number of slots that there can be at most. */
int
idgen_own_cache_max_slots(void)
{
	return IDGEN_OWN_SLOTS;
}

IdgenSlot *
idgen_own_slot_at(int i)
{
	return &own_slots[i / IDGEN_OWN_AT_ONCE][i % IDGEN_OWN_AT_ONCE].slot;
}

/* What is measured of the id sequence of a slot of this cache. */
IdgenTimes *
idgen_own_slot_times(IdgenSlot *slot)
{
	return &((OwnSlot *) slot)->times;
}

/*
 * All slots are in use: of the next few, give back those of native sequences
 * that are gone.
 */
static void
reclaim_slots(void)
{
	IdgenCache *cache = &idgen_own_cache;
	int nslots = cache->header->nslots;

	for (int i = 0; i < Min(nslots, IDGEN_OWN_LOOK_AT); i++)
	{
		IdgenSlot *slot = idgen_own_slot_at(own_hand);

		own_hand = (own_hand + 1) % nslots;
		if (idgen_slot_is_busy(slot) || !OidIsValid(slot->key->object) ||
		    SearchSysCacheExists1(RELOID, ObjectIdGetDatum(slot->key->object)))
			continue;
		idgen_slot_drop(slot, idgen_cache_next_number(cache));
		idgen_cache_free_slot(cache, slot);
	}
}

/* Get memory for a few more slots. */
static void
make_slots(void)
{
	IdgenCacheHeader *header = idgen_own_cache.header;
	OwnSlot *slots = MemoryContextAlloc(TopMemoryContext, IDGEN_OWN_AT_ONCE * sizeof(OwnSlot));

	own_slots[header->nslots / IDGEN_OWN_AT_ONCE] = slots;
	header->nslots += IDGEN_OWN_AT_ONCE;
	for (int i = 0; i < IDGEN_OWN_AT_ONCE; i++)
	{
		idgen_slot_init(&slots[i].slot, IDGEN_OWN_TRANCHE);
		slots[i].long_name = NULL;
		dlist_push_head(&header->free, &slots[i].slot.node);
	}
}

/* See to it that there is a free slot; false if all are busy. */
static bool
have_free_slot(void)
{
	IdgenCache *cache = &idgen_own_cache;
	dlist_head *free = &cache->header->free;
	IdgenSlot *slot;

	if (dlist_is_empty(free))
		reclaim_slots();
	if (!dlist_is_empty(free))
		return true;
	if (cache->header->nslots < IDGEN_OWN_SLOTS)
	{
		make_slots();
		return true;
	}

	slot = idgen_cache_evict_idle_slot(cache);
	if (slot == NULL)
		return false;
	idgen_slot_drop(slot, idgen_cache_next_number(cache));
	LWLockRelease(&slot->lock);
	dlist_push_head(free, &slot->node);
	return true;
}

/*
 * Make an entry for a key that has none. Returns its slot, and the version of
 * that; NULL if all slots are busy. Raises an error if there is no memory.
 */
IdgenSlot *
idgen_own_cache_create(const IdgenCacheKey *key, uint64 *version)
{
	IdgenCache *cache = &idgen_own_cache;
	OwnSlot *own;
	IdgenCacheEntry *entry;

	if (cache->header == NULL)
		init_own_cache();
	if (!have_free_slot())
		return NULL;
	own = dlist_container(OwnSlot, slot.node, dlist_head_node(&cache->header->free));
	if (idgen_key_is_long(key) && own->long_name == NULL)
		own->long_name = MemoryContextAlloc(TopMemoryContext, IDGEN_NAME_BYTES);
	entry = idgen_cache_add_entry(cache, key, &own->slot, own->long_name);

	/* From here on, nothing can fail. */
	dlist_delete(&own->slot.node);
	idgen_cache_assign_slot(cache, entry, &own->slot, GetCurrentTimestamp());
	own->table_epoch = idgen_table_epoch;
	*version = own->slot.version;
	return &own->slot;
}

/*
 * Empty the entry of a key, which is for the session's own cache, unless it was
 * looked at under the same idgen_table_epoch before.
 */
void
idgen_cache_check_table(const IdgenCacheKey *key, uint64 table_epoch)
{
	IdgenSlot *slot = idgen_cache_lock_entry(key);
	OwnSlot *own = (OwnSlot *) slot;

	Assert(idgen_cache_of(key) == &idgen_own_cache);
	if (slot == NULL)
		return;
	if (own->table_epoch != table_epoch)
		idgen_slot_drop(slot, idgen_cache_next_number(&idgen_own_cache));
	own->table_epoch = table_epoch;
	idgen_cache_unlock_entry(key, slot);
}
