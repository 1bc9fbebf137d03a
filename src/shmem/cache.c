/*
 * cache.c
 *		The block cache: published blocks of every id sequence in use.
 *
 * A hash table finds the slot of an id sequence by its key; the slots
 * themselves are an array, because a session remembers where its slot is and
 * looks at it without the hash table. A slot's version tells the session
 * whether it still is what it was: versions come from one counter, so no two
 * events ever give the same one, not even when a slot is used again for
 * another id sequence.
 *
 * What is cached is already allocated and durable: whoever calls
 * idgen_cache_finish() or idgen_slot_publish() with a block to publish has
 * committed and flushed the allocation before (rule U3). Losing anything in
 * here makes a gap, never a duplicate.
 *
 * Locking rules
 *
 * - header->lock protects the hash table, the array's fill and the clock hand:
 *	 shared to find an entry, exclusive to make or replace one.
 * - slot->lock, always exclusive, protects all other fields of a slot. A slot
 *	 changes its owner only under both locks.
 * - The order is header->lock, then slot->lock, then that of files; never two slots
 *	 at once.
 * - Under a slot's lock, or the header's exclusive one, nothing may raise an error:
 *	 an entry is complete whenever its lock is released.
 *
 * - A slot whose key has an object is found by its name, too, when a row of that
 *	 name is changed: which object is meant may depend on the row. The header's
 *	 lock protects those lists as it does the hash table. And it is found by the
 *	 file that its ids come from: see file_index.c.
 *
 * - A slot's "requested" is kept apart, in an array without gaps, for the worker to
 *	 find those that are set. The slot's lock protects it, but for a glance.
 *
 * A slot with waiters or a claim, or that is being refilled, is never given to
 * another id sequence, so all that can be taken back later by key.
 */
#include "postgres.h"

#include "access/transam.h"
#include "common/hashfn.h"
#include "miscadmin.h"
#include "port/atomics.h"
#include "storage/ipc.h"
#include "storage/shmem.h"
#include "utils/hsearch.h"
#include "utils/memutils.h"
#include "utils/syscache.h"
#include "utils/timestamp.h"

#include "catalog/epoch.h"
#include "common/guc.h"
#include "shmem/cache.h"

typedef struct IdgenCacheEntry
{
	IdgenCacheKey key; /* must be first */
	IdgenSlot *slot;
} IdgenCacheEntry;

/* A slot in the shared array, kept on cache lines of its own. */
typedef union IdgenSlotPadded
{
	IdgenSlot slot;
	char pad[TYPEALIGN(PG_CACHE_LINE_SIZE, sizeof(IdgenSlot))];
} IdgenSlotPadded;

typedef struct IdgenCacheHeader
{
	LWLock lock;
	pg_atomic_uint64 last_number; /* source of versions, see above */
	int nslots;                   /* slots made; the lock protects the rest */
	int hand;                     /* next slot that the clock looks at */
	int64 evictions;
	int64 ids_evicted;
	int64 ids_lost;
	bool has_objects; /* has there ever been a key with an object? Only set */
	pg_atomic_uint64 ids_uncached;
} IdgenCacheHeader;

typedef struct IdgenCache
{
	IdgenCacheHeader *header; /* NULL if there is no such cache (yet) */
	HTAB *entries;
	IdgenSlotPadded *slots;       /* NULL in a session's own */
	bool *requests;               /* of the slots; likewise */
	int nbuckets;                 /* of these: */
	dlist_head *names;            /* slots that have an object, by name */
	struct IdgenFileIndex *files; /* slots by the file that their ids come from */
} IdgenCache;

/* So many slots share a list, of the two by which they are found besides their keys. */
#define IDGEN_SLOTS_PER_BUCKET 4

/* A session's own cache has so many slots at most (some 20 MB), made a few at a time. */
#define IDGEN_OWN_SLOTS   8192
#define IDGEN_OWN_AT_ONCE 16
#define IDGEN_OWN_BUCKETS 256

/*
 * Before it gets more slots, it looks at so many whether their native sequences are
 * gone: at more than it would get, so that it does not grow when many are.
 */
#define IDGEN_OWN_LOOK_AT (2 * IDGEN_OWN_AT_ONCE)

/*
 * Its locks are never waited for, so no wait event shows their tranche. It has to be
 * one that the server knows; to register one would use up a number in each session.
 */
#define IDGEN_OWN_TRANCHE LWTRANCHE_PER_SESSION_DSA

static IdgenCache shared;
static IdgenCache own;
static IdgenSlot *own_slots[IDGEN_OWN_SLOTS / IDGEN_OWN_AT_ONCE];
static dlist_head own_free = DLIST_STATIC_INIT(own_free); /* slots not in use */
static int own_hand = 0;                                  /* next one that reclaim_own_slots() looks at */
static bool own_requested;                                /* of all own slots, which no worker serves */

static uint32
hash_name(Oid number, const char *name)
{
	return hash_combine(hash_bytes_uint32(number),
	                    hash_bytes((const unsigned char *) name, strlen(name)));
}

/* Most names are short, so only as much of a key is looked at as is used. */
static uint32
hash_key(const void *key, Size keysize)
{
	const IdgenCacheKey *k = (const IdgenCacheKey *) key;

	return hash_name(k->dbid ^ k->relid ^ k->object, k->name);
}

/* The same of all keys of a name, whatever their object. */
static uint32
hash_key_name(const IdgenCacheKey *key)
{
	return hash_name(key->dbid ^ key->relid, key->name);
}

static int
compare_keys(const void *a, const void *b, Size keysize)
{
	const IdgenCacheKey *ka = (const IdgenCacheKey *) a;
	const IdgenCacheKey *kb = (const IdgenCacheKey *) b;

	return ka->dbid == kb->dbid && ka->relid == kb->relid && ka->object == kb->object ? strcmp(ka->name, kb->name) : 1;
}

/* The description of the hash table; memory is the caller's business. */
static int
describe_entries(HASHCTL *info)
{
	info->keysize = sizeof(IdgenCacheKey);
	info->entrysize = sizeof(IdgenCacheEntry);
	info->hash = hash_key;
	info->match = compare_keys;
	return HASH_ELEM | HASH_FUNCTION | HASH_COMPARE;
}

static Size
idgen_cache_header_size(void)
{
	return CACHELINEALIGN(sizeof(IdgenCacheHeader));
}

/* How many lists are there, of each kind? */
static int
idgen_cache_nbuckets(void)
{
	return (idgen_max_sequences - 1) / IDGEN_SLOTS_PER_BUCKET + 1;
}

static Size
idgen_cache_array_size(void)
{
	Size size = add_size(PG_CACHE_LINE_SIZE, idgen_cache_header_size());

	size = add_size(size, mul_size(idgen_max_sequences, sizeof(IdgenSlotPadded) + sizeof(bool)));
	return add_size(size, mul_size(idgen_cache_nbuckets(), sizeof(dlist_head)));
}

static Size
idgen_cache_memsize(void)
{
	Size size = idgen_cache_array_size();

	size = add_size(size, CACHELINEALIGN(idgen_file_index_size(idgen_cache_nbuckets())));
	return add_size(size, hash_estimate_size(idgen_max_sequences, sizeof(IdgenCacheEntry)));
}

/* Ask for shared memory; from shmem_request_hook. */
void
idgen_cache_request_shmem(void)
{
	RequestAddinShmemSpace(idgen_cache_memsize());
	RequestNamedLWLockTranche("IdgenCache", 1);
	RequestNamedLWLockTranche("IdgenSequence", 1);
}

static uint64
next_number(IdgenCache *cache)
{
	return pg_atomic_add_fetch_u64(&cache->header->last_number, 1);
}

static void
init_header(IdgenCacheHeader *header, int tranche)
{
	LWLockInitialize(&header->lock, tranche);
	pg_atomic_init_u64(&header->last_number, 0);
	header->nslots = 0;
	header->hand = 0;
	header->evictions = 0;
	header->ids_evicted = 0;
	header->ids_lost = 0;
	header->has_objects = false;
	pg_atomic_init_u64(&header->ids_uncached, 0);
}

static void
init_names(IdgenCache *cache)
{
	for (int i = 0; i < cache->nbuckets; i++)
		dlist_init(&cache->names[i]);
}

static void
init_slot(IdgenSlot *slot, const IdgenCache *cache, int tranche, bool *requested)
{
	memset(slot, 0, sizeof(IdgenSlot));
	slot->stored.index = cache->files;
	slot->requested = requested;
	*requested = false;
	LWLockInitialize(&slot->lock, tranche);
	ConditionVariableInit(&slot->refilled);
}

/*
 * Create the shared cache or attach to it; from shmem_startup_hook. Returns
 * whether it is new.
 */
bool
idgen_cache_startup_shmem(void)
{
	char *area;
	bool found;
	bool found_files;
	HASHCTL info;
	int flags;

	/* The postmaster runs this again after a crash, in a new segment. */
	memset(&shared, 0, sizeof(shared));

	LWLockAcquire(AddinShmemInitLock, LW_EXCLUSIVE);

	area = ShmemInitStruct("idgen cache", idgen_cache_array_size(), &found);
	shared.header = (IdgenCacheHeader *) CACHELINEALIGN(area);
	shared.slots = (IdgenSlotPadded *) ((char *) shared.header + idgen_cache_header_size());
	shared.nbuckets = idgen_cache_nbuckets();
	shared.names = (dlist_head *) (shared.slots + idgen_max_sequences);
	shared.requests = (bool *) (shared.names + shared.nbuckets);
	shared.files = ShmemInitStruct("idgen cache files", idgen_file_index_size(shared.nbuckets), &found_files);
	if (!found)
	{
		int tranche = GetNamedLWLockTranche("IdgenCache")->lock.tranche;
		int slot_tranche = GetNamedLWLockTranche("IdgenSequence")->lock.tranche;

		init_header(shared.header, tranche);
		init_names(&shared);
		idgen_file_index_init(shared.files, shared.nbuckets, tranche);
		for (int i = 0; i < idgen_max_sequences; i++)
			init_slot(&shared.slots[i].slot, &shared, slot_tranche, &shared.requests[i]);
	}

	flags = describe_entries(&info);
	shared.entries = ShmemInitHash("idgen cache entries",
	                               idgen_max_sequences, idgen_max_sequences,
	                               &info, flags);

	LWLockRelease(AddinShmemInitLock);
	return !found;
}

/* Create this session's own cache, on first use. */
static void
init_own_cache(void)
{
	IdgenCacheHeader *header = MemoryContextAlloc(TopMemoryContext, sizeof(IdgenCacheHeader));
	HASHCTL info;
	int flags;

	own.nbuckets = IDGEN_OWN_BUCKETS;
	own.names = MemoryContextAlloc(TopMemoryContext, own.nbuckets * sizeof(dlist_head));
	own.files = MemoryContextAlloc(TopMemoryContext, idgen_file_index_size(own.nbuckets));
	init_names(&own);
	idgen_file_index_init(own.files, own.nbuckets, IDGEN_OWN_TRANCHE);
	init_header(header, IDGEN_OWN_TRANCHE);
	flags = describe_entries(&info);
	info.hcxt = TopMemoryContext;
	own.entries = hash_create("idgen session cache", 64, &info,
	                          flags | HASH_CONTEXT);
	own.header = header;
}

/* Is there one cache for the whole server? */
bool
idgen_cache_is_shared(void)
{
	return shared.header != NULL;
}

/*
 * Build a key. "object" is the native sequence that blocks come from, or
 * invalid. namelen must be below IDGEN_NAME_BYTES.
 */
void
idgen_cache_key(IdgenCacheKey *key, Oid relid, Oid object, bool temporary,
                const char *name, int namelen)
{
	Assert(namelen < IDGEN_NAME_BYTES);
	key->dbid = MyDatabaseId;
	key->relid = relid;
	key->object = object;
	key->temporary = temporary;
	memcpy(key->name, name, namelen);
	key->name[namelen] = '\0';
}

/* Which cache is a key for? */
static IdgenCache *
cache_of(const IdgenCacheKey *key)
{
	return key->temporary || !idgen_cache_is_shared() ? &own : &shared;
}

static IdgenSlot *
slot_at(const IdgenCache *cache, int i)
{
	if (cache == &shared)
		return &shared.slots[i].slot;
	return &own_slots[i / IDGEN_OWN_AT_ONCE][i % IDGEN_OWN_AT_ONCE];
}

/* The list of slots that have an object and a name with that hash_key_name(), and others. */
static dlist_head *
slots_named(const IdgenCache *cache, uint32 hash)
{
	return &cache->names[hash % cache->nbuckets];
}

/*
 * The slot has an entry no more. Caller holds its lock and, exclusively, the
 * header's.
 */
static void
remove_entry(IdgenCache *cache, IdgenSlot *slot)
{
	if (OidIsValid(slot->key->object))
		dlist_delete(&slot->node);
	hash_search(cache->entries, slot->key, HASH_REMOVE, NULL);
}

/*
 * Take an idle slot away from its id sequence: the clock algorithm, where a
 * slot drawn from since the hand last passed gets a second chance. Returns
 * NULL if all of them are being refilled or waited for. Caller holds the header's
 * lock exclusively; the slot comes back locked, its entry removed.
 */
static IdgenSlot *
evict_idle_slot(IdgenCache *cache)
{
	IdgenCacheHeader *header = cache->header;

	for (int looked = 0; looked < 2 * header->nslots; looked++)
	{
		IdgenSlot *slot = slot_at(cache, header->hand);

		header->hand = (header->hand + 1) % header->nslots;
		LWLockAcquire(&slot->lock, LW_EXCLUSIVE);
		if (slot->waiters == 0 && slot->refilling == 0 &&
		    slot->attempts_begun == slot->attempts_done && !TransactionIdIsValid(slot->claim))
		{
			idgen_slot_count_issued(slot);
			if (!slot->used)
			{
				header->evictions++;
				header->ids_evicted += slot->ids_left;
				header->ids_lost += idgen_lost_total(&slot->counters.ids_lost);
				remove_entry(cache, slot);
				return slot;
			}
			slot->used = false;
		}
		LWLockRelease(&slot->lock);
	}
	return NULL;
}

/* A slot for a new entry, locked; NULL if there is none. See evict_idle_slot. */
static IdgenSlot *
get_free_slot(void)
{
	IdgenSlot *slot;

	if (shared.header->nslots == idgen_max_sequences)
		return evict_idle_slot(&shared);

	slot = &shared.slots[shared.header->nslots++].slot;
	LWLockAcquire(&slot->lock, LW_EXCLUSIVE);
	return slot;
}

/* Give a slot to a new entry. Caller holds its lock and the header's. */
static void
assign_slot(IdgenCache *cache, IdgenCacheEntry *entry, IdgenSlot *slot)
{
	idgen_slot_assign(slot, &entry->key, next_number(cache));
	slot->stored.dbid = entry->key.dbid;
	entry->slot = slot;
	if (!OidIsValid(entry->key.object))
		return;
	dlist_push_head(slots_named(cache, hash_key_name(&entry->key)), &slot->node);
	cache->header->has_objects = true;
}

/* Put a slot of the session's own cache, which has no entry, where the next one is taken from. */
static void
free_own_slot(IdgenSlot *slot)
{
	dlist_push_head(&own_free, &slot->node);
}

/* All own slots are in use: give back those of native sequences that are gone, of the next few. */
static void
reclaim_own_slots(void)
{
	int nslots = own.header->nslots;

	for (int i = 0; i < Min(nslots, IDGEN_OWN_LOOK_AT); i++)
	{
		IdgenSlot *slot = slot_at(&own, own_hand);

		own_hand = (own_hand + 1) % nslots;
		if (slot->refilling > 0 || !OidIsValid(slot->key->object) ||
		    SearchSysCacheExists1(RELOID, ObjectIdGetDatum(slot->key->object)))
			continue;
		idgen_slot_drop(slot, next_number(&own));
		remove_entry(&own, slot);
		free_own_slot(slot);
	}
}

/* See to it that there is a free slot in the session's own cache; false if all are busy. */
static bool
have_free_own_slot(void)
{
	IdgenSlot *slot;

	if (dlist_is_empty(&own_free))
		reclaim_own_slots();
	if (!dlist_is_empty(&own_free))
		return true;
	if (own.header->nslots == IDGEN_OWN_SLOTS)
	{
		slot = evict_idle_slot(&own);
		if (slot == NULL)
			return false;
		idgen_slot_drop(slot, next_number(&own));
		LWLockRelease(&slot->lock);
		free_own_slot(slot);
		return true;
	}

	slot = MemoryContextAlloc(TopMemoryContext, IDGEN_OWN_AT_ONCE * sizeof(IdgenSlot));
	own_slots[own.header->nslots / IDGEN_OWN_AT_ONCE] = slot;
	own.header->nslots += IDGEN_OWN_AT_ONCE;
	for (int i = 0; i < IDGEN_OWN_AT_ONCE; i++)
	{
		init_slot(&slot[i], &own, IDGEN_OWN_TRANCHE, &own_requested);
		free_own_slot(&slot[i]);
	}
	return true;
}

/* Make an entry in the session's own cache; NULL if all its slots are busy. */
static IdgenSlot *
create_own_slot(const IdgenCacheKey *key)
{
	IdgenSlot *slot;
	IdgenCacheEntry *entry;

	if (!have_free_own_slot())
		return NULL;
	entry = hash_search(own.entries, key, HASH_ENTER, NULL);
	slot = dlist_container(IdgenSlot, node, dlist_pop_head_node(&own_free));
	assign_slot(&own, entry, slot);
	slot->table_epoch = idgen_table_epoch;
	return slot;
}

/*
 * Find the slot of a key and, if asked to, make one. Returns NULL if there is
 * none, or none can be had because all are busy. *version is set to the
 * slot's version.
 */
IdgenSlot *
idgen_cache_attach(const IdgenCacheKey *key, bool create, uint64 *version)
{
	IdgenCache *cache = cache_of(key);
	IdgenCacheEntry *entry;
	IdgenSlot *slot = NULL;

	if (cache->header == NULL)
		init_own_cache();

	LWLockAcquire(&cache->header->lock, LW_SHARED);
	entry = hash_search(cache->entries, key, HASH_FIND, NULL);
	if (entry == NULL && create && cache == &shared)
	{
		/* Somebody else may create it while we change locks. */
		LWLockRelease(&cache->header->lock);
		LWLockAcquire(&cache->header->lock, LW_EXCLUSIVE);
		entry = hash_search(cache->entries, key, HASH_FIND, NULL);
		if (entry == NULL && (slot = get_free_slot()) != NULL)
		{
			/* Cannot fail: there are as many elements as slots. */
			entry = hash_search(cache->entries, key, HASH_ENTER_NULL, NULL);
			assign_slot(cache, entry, slot);
			LWLockRelease(&slot->lock);
		}
	}

	/* Still under the header's lock: nobody can take the slot away. */
	if (entry != NULL)
	{
		slot = entry->slot;
		LWLockAcquire(&slot->lock, LW_EXCLUSIVE);
		*version = slot->version;
		LWLockRelease(&slot->lock);
	}
	LWLockRelease(&cache->header->lock);

	if (slot == NULL && create && cache == &own)
	{
		slot = create_own_slot(key);
		if (slot != NULL)
			*version = slot->version;
	}
	return slot;
}

/*
 * Find the slot of a key and lock it; NULL if there is none. The header's lock
 * is kept meanwhile, so that the slot cannot be given away in between: release
 * both with unlock_entry().
 */
static IdgenSlot *
lock_entry(const IdgenCacheKey *key)
{
	IdgenCache *cache = cache_of(key);
	IdgenCacheEntry *entry;

	if (cache->header == NULL)
		return NULL;

	LWLockAcquire(&cache->header->lock, LW_SHARED);
	entry = hash_search(cache->entries, key, HASH_FIND, NULL);
	if (entry == NULL)
	{
		LWLockRelease(&cache->header->lock);
		return NULL;
	}
	LWLockAcquire(&entry->slot->lock, LW_EXCLUSIVE);
	return entry->slot;
}

static void
unlock_entry(const IdgenCacheKey *key, IdgenSlot *slot)
{
	LWLockRelease(&slot->lock);
	LWLockRelease(&cache_of(key)->header->lock);
}

/*
 * The wait that idgen_slot_draw() asked for is over, or given up. Whatever
 * xid was, it has ended; if the claim is still there, it is that of a
 * subtransaction that was rolled back, and nobody else will remove it. Pass
 * an invalid xid if it was no wait for a transaction, or was given up.
 */
void
idgen_cache_waited(const IdgenCacheKey *key, TransactionId xid)
{
	IdgenSlot *slot = lock_entry(key);

	if (slot == NULL)
		return;
	Assert(slot->waiters > 0);
	slot->waiters--;
	if (slot->waiters == 0)
		slot->range_requested = 0;
	if (TransactionIdIsValid(xid) && slot->claim == xid)
		slot->claim = InvalidTransactionId;
	unlock_entry(key, slot);
}

/* Take back a claim, because there will be no refill after all. */
void
idgen_cache_unclaim(const IdgenCacheKey *key, TransactionId xid)
{
	IdgenSlot *slot = lock_entry(key);

	if (slot == NULL)
		return;
	if (slot->claim == xid)
		slot->claim = InvalidTransactionId;
	unlock_entry(key, slot);
}

/* A refill that was to be published at once has failed. */
void
idgen_cache_not_refilled(const IdgenCacheKey *key)
{
	IdgenSlot *slot = lock_entry(key);

	if (slot == NULL)
		return;
	idgen_slot_not_refilled(slot);
	unlock_entry(key, slot);
}

/*
 * The number of the last event that emptied the entry, 0 if there is no entry.
 * To be read after the row was updated, kept with the block, and given back
 * to idgen_cache_finish(): if it has changed by then, the row was changed
 * by somebody else in between and the block must not be published.
 */
uint64
idgen_cache_dropped_at(const IdgenCacheKey *key)
{
	IdgenSlot *slot = lock_entry(key);
	uint64 dropped_at;

	if (slot == NULL)
		return 0;
	dropped_at = slot->dropped_at;
	unlock_entry(key, slot);
	return dropped_at;
}

/*
 * A transaction has ended: apply what it did. To be called after it is
 * committed and flushed, aborted or prepared, and before its locks go, so
 * that whoever waited for it sees the result. Does not raise errors.
 */
void
idgen_cache_finish(const IdgenCacheKey *key, const IdgenOutcome *outcome)
{
	IdgenSlot *slot = lock_entry(key);
	int64 uncached;

	if (slot != NULL)
	{
		uncached = idgen_slot_finish(slot, outcome, next_number(cache_of(key)));
		unlock_entry(key, slot);
	}
	else
		uncached = outcome->publish ? idgen_rest_ids(&outcome->rest) : 0;

	if (uncached > 0)
		pg_atomic_fetch_add_u64(&cache_of(key)->header->ids_uncached, uncached);
}

/*
 * Call a function for every entry of a cache that it is given, with the slot
 * locked.
 */
static void
for_each_entry(IdgenCache *cache,
               void (*action)(IdgenCache *cache, IdgenCacheEntry *entry, void *arg),
               void *arg)
{
	HASH_SEQ_STATUS status;
	IdgenCacheEntry *entry;

	if (cache->header == NULL)
		return;

	LWLockAcquire(&cache->header->lock, LW_SHARED);
	hash_seq_init(&status, cache->entries);
	while ((entry = hash_seq_search(&status)) != NULL)
	{
		LWLockAcquire(&entry->slot->lock, LW_EXCLUSIVE);
		action(cache, entry, arg);
		LWLockRelease(&entry->slot->lock);
	}
	LWLockRelease(&cache->header->lock);
}

static void
drop_if_in_database(IdgenCache *cache, IdgenCacheEntry *entry, void *arg)
{
	if (entry->key.dbid == *(Oid *) arg)
		idgen_slot_drop(entry->slot, next_number(cache));
}

/*
 * Empty all entries of a database: it is being dropped, or its extension is,
 * or its id_sequences were truncated. The entries themselves stay until
 * others need their slots.
 */
void
idgen_cache_drop_database(Oid dbid)
{
	for_each_entry(&shared, drop_if_in_database, &dbid);
	for_each_entry(&own, drop_if_in_database, &dbid);
}

/*
 * Are there entries with an object? Without a lock, "no" holds only for objects
 * that nobody can be drawing from.
 */
bool
idgen_cache_has_objects(void)
{
	return (shared.header != NULL && shared.header->has_objects) ||
		(own.header != NULL && own.header->has_objects);
}

static void
drop_stored_in(IdgenCache *cache, const RelFileLocator *file)
{
	IdgenFileEntry *stored;

	if (cache->header == NULL)
		return;
	while ((stored = idgen_file_index_find(cache->files, file)) != NULL)
	{
		IdgenSlot *slot = (IdgenSlot *) ((char *) stored - offsetof(IdgenSlot, stored));

		LWLockAcquire(&slot->lock, LW_EXCLUSIVE);
		if (idgen_file_entry_is(stored, file))
			idgen_slot_drop(slot, next_number(cache));
		LWLockRelease(&slot->lock);
	}
}

/*
 * Empty the entries whose blocks come from the native sequence that was stored in
 * that file, which a transaction has replaced or removed.
 */
void
idgen_cache_drop_storage(const RelFileLocator *file)
{
	drop_stored_in(&shared, file);
	drop_stored_in(&own, file);
}

/*
 * Empty the entry of a key, of the session's own cache, unless it was looked at
 * under the same idgen_table_epoch before.
 */
void
idgen_cache_check_table(const IdgenCacheKey *key, uint64 table_epoch)
{
	IdgenSlot *slot = lock_entry(key);

	if (slot == NULL)
		return;
	if (slot->table_epoch != table_epoch)
		idgen_slot_drop(slot, next_number(&own));
	slot->table_epoch = table_epoch;
	unlock_entry(key, slot);
}

/*
 * Empty the entry of a key if its blocks come from another file than this one,
 * where its native sequence is stored now.
 */
void
idgen_cache_check_storage(const IdgenCacheKey *key, RelFileNumber storage)
{
	IdgenSlot *slot = lock_entry(key);

	if (slot == NULL)
		return;
	if (slot->stored.file != InvalidRelFileNumber && slot->stored.file != storage)
		idgen_slot_drop(slot, next_number(cache_of(key)));
	unlock_entry(key, slot);
}

/*
 * A session has found out which function or server the row names. If the blocks of the key come from
 * another one, empty its entry; and what others are just bringing from there is not wanted.
 */
void
idgen_cache_check_origin(const IdgenCacheKey *key, uint32 origin)
{
	IdgenSlot *slot = lock_entry(key);

	if (slot == NULL)
		return;
	if (slot->nblocks > 0 && slot->origin != origin)
		idgen_slot_drop(slot, next_number(cache_of(key)));
	slot->origin = origin;
	unlock_entry(key, slot);
}

static void
revalidate_objects(IdgenCache *cache, uint32 name)
{
	dlist_iter iter;

	if (cache->header == NULL)
		return;
	LWLockAcquire(&cache->header->lock, LW_SHARED);
	dlist_foreach(iter, slots_named(cache, name))
	{
		IdgenSlot *slot = dlist_container(IdgenSlot, node, iter.cur);

		if (hash_key_name(slot->key) != name)
			continue;
		LWLockAcquire(&slot->lock, LW_EXCLUSIVE);
		slot->version = next_number(cache);
		LWLockRelease(&slot->lock);
	}
	LWLockRelease(&cache->header->lock);
}

/* What stands for a name of that table in this database, for idgen_cache_revalidate_objects(). */
uint32
idgen_cache_hash_name(Oid relid, const char *name)
{
	return hash_name(MyDatabaseId ^ relid, name);
}

/*
 * Have sessions look again at the id sequences of that name that have an object:
 * which one it is may depend on the row of that name, which was changed.
 */
void
idgen_cache_revalidate_objects(uint32 name)
{
	revalidate_objects(&shared, name);
	revalidate_objects(&own, name);
}

/*
 * Lock the slot with that number if a session of that database has requested something
 * of it; else return NULL. Caller holds the header's lock.
 */
static IdgenSlot *
lock_requested(int i, Oid dbid)
{
	IdgenSlot *slot = &shared.slots[i].slot;

	if (!shared.requests[i])
		return NULL;
	LWLockAcquire(&slot->lock, LW_EXCLUSIVE);
	if (*slot->requested && slot->key->dbid == dbid)
		return slot;
	LWLockRelease(&slot->lock);
	return NULL;
}

/* Has a session of that database requested anything? */
bool
idgen_cache_has_requests(Oid dbid)
{
	bool found = false;

	LWLockAcquire(&shared.header->lock, LW_SHARED);
	for (int i = 0; i < shared.header->nslots && !found; i++)
	{
		IdgenSlot *slot = lock_requested(i, dbid);

		found = slot != NULL;
		if (found)
			LWLockRelease(&slot->lock);
	}
	LWLockRelease(&shared.header->lock);
	return found;
}

/*
 * What sessions of that database want the worker to refill: a list of palloc'd
 * IdgenTasks. For each, idgen_cache_end_attempt() is to be called; until then, further
 * requests of the same have to wait.
 */
List *
idgen_cache_take_requests(Oid dbid)
{
	List *tasks = NIL;
	IdgenTask *task = NULL; /* made before it is known whether it is needed */

	LWLockAcquire(&shared.header->lock, LW_SHARED);
	for (int i = 0; i < shared.header->nslots; i++)
	{
		IdgenSlot *slot;
		bool taken;

		if (task == NULL)
			task = palloc(sizeof(IdgenTask));
		slot = lock_requested(i, dbid);
		if (slot == NULL)
			continue;
		taken = slot->attempts_begun == slot->attempts_done;
		if (taken)
		{
			memcpy(&task->key, slot->key, offsetof(IdgenCacheKey, name) + strlen(slot->key->name) + 1);
			task->nblocks = idgen_slot_begin_attempt(slot, &task->range, &task->joins);
			task->attempt = slot->attempts_begun;
			task->requested_by = slot->requested_by;
			task->begun_at = GetCurrentTimestamp();
		}
		LWLockRelease(&slot->lock);
		if (taken)
		{
			tasks = lappend(tasks, task);
			task = NULL;
		}
	}
	LWLockRelease(&shared.header->lock);
	if (task != NULL)
		pfree(task);
	return tasks;
}

/* Is any session waiting? */
bool
idgen_cache_has_waiters(const IdgenCacheKey *key)
{
	IdgenSlot *slot = lock_entry(key);
	bool result;

	if (slot == NULL)
		return false;
	result = slot->waiters > 0;
	unlock_entry(key, slot);
	return result;
}

/* The worker has found the row locked. */
void
idgen_cache_row_locked(const IdgenCacheKey *key)
{
	IdgenSlot *slot = lock_entry(key);

	if (slot == NULL)
		return;
	slot->row_locked = true;
	unlock_entry(key, slot);
}

/*
 * The worker has done a task: publish the outcome, if there is one, and wake who
 * waits for it; see idgen_slot_end_attempt().
 */
void
idgen_cache_end_attempt(const IdgenTask *task, const IdgenOutcome *outcome,
                        const IdgenFailure *failure)
{
	IdgenSlot *slot;

	if (outcome != NULL)
		idgen_cache_finish(&task->key, outcome);
	slot = lock_entry(&task->key);
	if (slot == NULL)
		return;
	idgen_slot_end_attempt(slot, task->attempt, outcome, failure);
	unlock_entry(&task->key, slot);
}

/* Argument of the next function. */
typedef struct Abandonment
{
	Oid dbid;
	const IdgenFailure *failure;
} Abandonment;

static void
abandon_if_in_database(IdgenCache *cache, IdgenCacheEntry *entry, void *arg)
{
	const Abandonment *abandonment = (const Abandonment *) arg;
	IdgenSlot *slot = entry->slot;

	if (entry->key.dbid != abandonment->dbid)
		return;
	if (abandonment->failure != NULL && *slot->requested)
	{
		*slot->requested = false;
		slot->attempts_begun++;
	}
	idgen_slot_end_attempt(slot, slot->attempts_begun, NULL, abandonment->failure);
}

/*
 * The worker of that database is going away. Without a failure, those who have
 * requested something will look for another one; else they get the failure.
 */
void
idgen_cache_abandon_attempts(Oid dbid, const IdgenFailure *failure)
{
	Abandonment abandonment = {dbid, failure};

	for_each_entry(&shared, abandon_if_in_database, &abandonment);
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

	for_each_entry(&shared, visit_entry, &v);
}

/*
 * Publish what was cached before the server was stopped. Returns the number of ids
 * for which there is no room. Not to be called once there are sessions.
 */
int64
idgen_cache_restore(const IdgenCacheKey *key, const IdgenRest *rest)
{
	uint64 version;
	IdgenOutcome outcome = {.publish = true, .revalidate = true, .rest = *rest};

	if (idgen_cache_attach(key, shared.header->nslots < idgen_max_sequences, &version) == NULL)
		return idgen_rest_ids(rest);
	outcome.rest_good_as_of = version;
	idgen_cache_finish(key, &outcome);
	return 0;
}

/*
 * Is it time to say that only percent (0 to 100) of a range is left? True once
 * for each percent step; without an entry to remember it in, every time.
 */
bool
idgen_cache_warning_due(const IdgenCacheKey *key, int percent)
{
	IdgenSlot *slot = lock_entry(key);
	bool due;

	if (slot == NULL)
		return true;
	due = idgen_slot_warning_due(slot, percent);
	unlock_entry(key, slot);
	return due;
}

/* Copy the entry of a key; false if there is none. The copy's lock is unset. */
bool
idgen_cache_read(const IdgenCacheKey *key, IdgenSlot *copy)
{
	IdgenSlot *slot = lock_entry(key);

	if (slot == NULL)
		return false;
	idgen_slot_count_issued(slot);
	*copy = *slot;
	unlock_entry(key, slot);
	memset(&copy->lock, 0, sizeof(copy->lock));
	return true;
}

/*
 * The keys of all entries of this database that belong to the installation of
 * that table: a list of palloc'd IdgenCacheKeys.
 */
List *
idgen_cache_entries(Oid relid)
{
	IdgenCache *const caches[] = {&shared, &own};
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
			Size used = offsetof(IdgenCacheKey, name) + strlen(entry->key.name) + 1;

			if (entry->key.dbid == MyDatabaseId && entry->key.relid == relid)
				keys = lappend(keys, memcpy(palloc(used), &entry->key, used));
		}
		LWLockRelease(&caches[i]->header->lock);
	}
	return keys;
}

/* Totals of the server's cache, or of the session's own if there is none. */
void
idgen_cache_totals(IdgenCacheTotals *totals)
{
	const IdgenCache *cache = idgen_cache_is_shared() ? &shared : &own;
	IdgenCacheHeader *header = cache->header;

	memset(totals, 0, sizeof(*totals));
	totals->max_sequences = cache == &shared ? idgen_max_sequences : IDGEN_OWN_SLOTS;
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
	for_each_entry(&shared, reset_if_in_database, &dbid);
	for_each_entry(&own, reset_if_in_database, &dbid);
}
