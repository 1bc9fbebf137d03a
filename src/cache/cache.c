/*
 * cache.c
 *		The block cache: an array of slots, and how they are found.
 *
 * A server that preloads the library has one cache, in shared memory, for all
 * sessions of all its databases. In another one, a session makes a cache for
 * itself (rule K2). It works as the shared one does, but no other session tells
 * it of changes: the server's messages say that a row of the table has changed,
 * and not which one. Then all ids that come from rows are void.
 *
 * A session remembers where its slot is and looks at it without coming here. A
 * slot's version tells the session whether it still is what it was: versions
 * come from one counter, so no two events ever give the same one, not even when
 * a slot is used again for another id sequence.
 *
 * Slots are in hash chains by their names: all of a name are in one chain,
 * whatever they come from, so a change of the row finds them there. A slot with
 * ids of a native sequence is in a second chain, by the file of that: a
 * sequence that is restarted or dropped leaves its file behind, and the ids
 * from there are void.
 *
 * When all slots are in use, the clock takes one from an id sequence that was
 * not used lately (rule K1). What that had left is a gap, which is counted.
 *
 * What is cached is already allocated and durable (rule U3). Losing anything in
 * here makes a gap, never a duplicate. A slot that is made counts as emptied by
 * the event of its making: a block that was allocated before may be void, since
 * nobody has kept the events in between, and is not published.
 *
 * Locking rules
 *
 * - cache->lock protects the chains, the free slots and the clock hand: shared
 *	 to find a slot, exclusive to give one to an id sequence.
 * - slot->lock protects all else of a slot. A slot changes its key only under
 *	 both locks. So the slot's lock alone suffices to look at its key.
 * - The order is cache->lock, then slot->lock; never two slots at once. Nothing
 *	 waits under them, or raises an error.
 *
 * There is one lock, not several for parts of the chains, as the server's
 * buffer table has: to give a slot to an id sequence holds it for a microsecond
 * at most, and the session that asks for it has then looked at a row, and
 * executes a statement.
 *
 * What concerns a whole database walks the slots (rule K4). It looks at each
 * without a lock first. A slot that is given to that database meanwhile, where
 * the walk has passed already, is newer than the event.
 */
#include "postgres.h"

#include "common/cryptohash.h"
#include "common/hashfn.h"
#include "common/sha2.h"
#include "miscadmin.h"
#include "port/atomics.h"
#include "storage/ipc.h"
#include "storage/shmem.h"
#include "utils/memutils.h"

#include "catalog/table.h"
#include "common/clock.h"
#include "common/compat.h"
#include "common/guc.h"
#include "cache/cache.h"

/* The clock passes over that many slots that are in use, then takes any. */
#define IDGEN_LOOK_AT_MOST 64

/* The slots that the cache of a session alone has. */
#define IDGEN_OWN_SLOTS 8192

typedef struct IdgenCache
{
	LWLock lock;
	pg_atomic_uint64 last_number; /* of events */
	int64 evictions;              /* as in IdgenCacheTotals, as the next two */
	int64 ids_evicted;
	pg_atomic_uint64 ids_lost;
	uint32 made;         /* slots that are initialized; only grows, and is also
	                               * read without the lock */
	uint32 used;         /* of these, with a key */
	uint32 free;         /* the first one without, linked by "next" */
	uint32 hand;         /* next slot that the clock looks at */
	int slot_tranche;    /* of the slots' locks */
	uint64 table_epoch;  /* of a session's own cache: idgen_table_epoch as far as it has
	                      * followed, */
	uint64 rows_changed; /* and the number of the event when it did so */
} IdgenCache;

static IdgenCache *cache = NULL; /* NULL if there is none, or not yet */
static bool is_shared = false;
static uint32 nslots;
static uint32 *heads;      /* of the chains by name */
static uint32 *file_heads; /* of the chains by file */
static IdgenSlot *slots;

/*
 * How it is made
 */

/* A slot begins on a cache line of its own. */
static Size
slots_at(uint32 n)
{
	return CACHELINEALIGN(sizeof(IdgenCache) + 2 * mul_size(n, sizeof(uint32)));
}

static Size
cache_size(uint32 n)
{
	return add_size(add_size(slots_at(n), mul_size(n, sizeof(IdgenSlot))), PG_CACHE_LINE_SIZE);
}

/* The cache is in that area, and has n slots. */
static void
place(void *area, uint32 n)
{
	nslots = n;
	cache = (IdgenCache *) CACHELINEALIGN(area);
	heads = (uint32 *) (cache + 1);
	file_heads = heads + n;
	slots = (IdgenSlot *) ((char *) cache + slots_at(n));
}

/*
 * It is a new one. Slots are initialized when they are used for the first time:
 * so the server starts as fast with room for many as with room for few, and
 * takes no memory for what it never uses.
 */
static void
initialize(int tranche, int slot_tranche)
{
	memset(cache, 0, sizeof(IdgenCache));
	LWLockInitialize(&cache->lock, tranche);
	pg_atomic_init_u64(&cache->last_number, 0);
	pg_atomic_init_u64(&cache->ids_lost, 0);
	cache->slot_tranche = slot_tranche;
	cache->free = IDGEN_NO_SLOT;
	memset(heads, 0xff, mul_size(nslots, 2 * sizeof(uint32)));
}

/*
 * Make one for this session, if there is none. Its locks are never waited for,
 * so no wait event shows their tranche; to register one would use up a number
 * in each session.
 */
static void
make_if_none(void)
{
	if (cache != NULL)
		return;
	place(MemoryContextAlloc(TopMemoryContext, cache_size(IDGEN_OWN_SLOTS)), IDGEN_OWN_SLOTS);
	initialize(LWTRANCHE_PER_SESSION_DSA, LWTRANCHE_PER_SESSION_DSA);
	cache->table_epoch = idgen_table_epoch;
}

/* Ask for shared memory; from shmem_request_hook. */
void
idgen_cache_request_shmem(void)
{
	RequestAddinShmemSpace(cache_size(idgen_max_sequences));
	RequestNamedLWLockTranche("IdgenCache", 1);
	RequestNamedLWLockTranche("IdgenSequence", 1);
}

/*
 * Create the shared cache or attach to it; from shmem_startup_hook. Returns
 * whether it is new.
 */
bool
idgen_cache_startup_shmem(void)
{
	bool found;

	LWLockAcquire(AddinShmemInitLock, LW_EXCLUSIVE);
	place(ShmemInitStruct("idgen cache", cache_size(idgen_max_sequences), &found), idgen_max_sequences);
	is_shared = true;
	if (!found)
		initialize(GetNamedLWLockTranche("IdgenCache")->lock.tranche,
		           GetNamedLWLockTranche("IdgenSequence")->lock.tranche);
	LWLockRelease(AddinShmemInitLock);
	return !found;
}

/* Is there one cache for the whole server? */
bool
idgen_cache_is_shared(void)
{
	return is_shared;
}

/*
 * Keys
 */

/* SHA-256 of a name, cut. Raises an error if there is no memory. */
void
idgen_cache_digest(const char *name, int namelen, uint8 *digest)
{
	uint8 whole[PG_SHA256_DIGEST_LENGTH];
	pg_cryptohash_ctx *context = pg_cryptohash_create(PG_SHA256);

	if (context == NULL || pg_cryptohash_init(context) < 0 ||
	    pg_cryptohash_update(context, (const uint8 *) name, namelen) < 0 ||
	    pg_cryptohash_final(context, whole, sizeof(whole)) < 0)
		ereport(ERROR,
		        (errcode(ERRCODE_INTERNAL_ERROR),
		         errmsg("could not compute the SHA-256 of a name: %s", pg_cryptohash_error(context))));
	pg_cryptohash_free(context);
	memcpy(digest, whole, IDGEN_DIGEST_BYTES);
}

/* The key of ids that come from a row of this database itself. */
void
idgen_cache_key(IdgenCacheKey *key, Oid relid, const uint8 *digest)
{
	*key = (IdgenCacheKey){.dbid = MyDatabaseId, .relid = relid};
	memcpy(key->name, digest, IDGEN_DIGEST_BYTES);
}

/* The head of the chain of all keys of that name. */
static uint32 *
chain_of_name(Oid dbid, Oid relid, const uint8 *digest)
{
	uint32 hash;

	memcpy(&hash, digest, sizeof(hash));
	return &heads[(hash ^ hash_bytes_uint32(dbid ^ relid)) % nslots];
}

static uint32 *
chain_of_file(Oid dbid, RelFileNumber file)
{
	return &file_heads[hash_bytes_uint32(dbid ^ file) % nslots];
}

static bool
is_named(const IdgenSlot *slot, Oid dbid, Oid relid, const uint8 *digest)
{
	return slot->key.dbid == dbid && slot->key.relid == relid &&
		memcmp(slot->key.name, digest, IDGEN_DIGEST_BYTES) == 0;
}

/*
 * Finding slots, and making them
 */

static uint64
next_number(void)
{
	return pg_atomic_add_fetch_u64(&cache->last_number, 1);
}

/* The number of the last event. */
uint64
idgen_cache_number(void)
{
	return cache != NULL ? pg_atomic_read_u64(&cache->last_number) : 0;
}

/* In a session's own cache: follow what the server has told of rows. */
static void
follow_rows(void)
{
	if (is_shared || cache->table_epoch == idgen_table_epoch)
		return;
	cache->table_epoch = idgen_table_epoch;
	cache->rows_changed = next_number();
}

/* A locked slot, which is emptied if that says that its ids are void. */
static IdgenSlot *
empty_if_old(IdgenSlot *slot)
{
	if (slot->emptied_at < cache->rows_changed && !OidIsValid(slot->key.object))
		idgen_slot_empty(slot, next_number());
	return slot;
}

/* The slot of a key, locked; or NULL. The caller holds the cache's lock. */
static IdgenSlot *
lock_slot(const IdgenCacheKey *key)
{
	for (uint32 i = *chain_of_name(key->dbid, key->relid, key->name); i != IDGEN_NO_SLOT; i = slots[i].next)
		if (memcmp(&slots[i].key, key, sizeof(IdgenCacheKey)) == 0)
		{
			LWLockAcquire(&slots[i].lock, LW_EXCLUSIVE);
			return &slots[i];
		}
	return NULL;
}

/*
 * From now on, a slot holds ids of that file, or of none. The caller holds both
 * locks.
 */
static void
set_file(IdgenSlot *slot, RelFileNumber file)
{
	uint32 number = slot - slots;
	uint32 *at = chain_of_file(slot->key.dbid, slot->file);

	if (slot->file == file)
		return;
	if (slot->file != InvalidRelFileNumber)
	{
		while (*at != number)
			at = &slots[*at].next_of_file;
		*at = slot->next_of_file;
	}
	slot->file = file;
	if (file != InvalidRelFileNumber)
	{
		at = chain_of_file(slot->key.dbid, file);
		slot->next_of_file = *at;
		*at = number;
	}
}

/*
 * Take a slot away from its id sequence. What it had counted as lost goes to
 * the totals. The caller holds both locks.
 */
static void
remove_slot(IdgenSlot *slot)
{
	uint32 *at = chain_of_name(slot->key.dbid, slot->key.relid, slot->key.name);

	set_file(slot, InvalidRelFileNumber);
	while (*at != (uint32) (slot - slots))
		at = &slots[*at].next;
	*at = slot->next;
	pg_atomic_fetch_add_u64(&cache->ids_lost, idgen_ids_lost(&slot->counters));
	cache->used--;
}

/*
 * A locked slot that has no key: one that is free, a new one, or that of an id
 * sequence which was not used lately. The caller holds the cache's lock,
 * exclusively.
 */
static IdgenSlot *
get_slot(void)
{
	IdgenSlot *slot;

	if (cache->free != IDGEN_NO_SLOT)
	{
		slot = &slots[cache->free];
		LWLockAcquire(&slot->lock, LW_EXCLUSIVE);
		cache->free = slot->next;
		return slot;
	}
	if (cache->made < nslots)
	{
		slot = &slots[cache->made];
		idgen_slot_init(slot, cache->slot_tranche);
		pg_write_barrier(); /* others see it when they see the number of slots */
		cache->made++;
		LWLockAcquire(&slot->lock, LW_EXCLUSIVE);
		return slot;
	}
	for (int looked = 0;; looked++)
	{
		slot = &slots[cache->hand];
		cache->hand = (cache->hand + 1) % cache->made;
		LWLockAcquire(&slot->lock, LW_EXCLUSIVE);
		if (!idgen_slot_was_used(slot) || looked >= IDGEN_LOOK_AT_MOST)
			break;
		LWLockRelease(&slot->lock);
	}
	cache->evictions++;
	cache->ids_evicted += slot->ids_left;
	remove_slot(slot);
	return slot;
}

/*
 * The slot of a key, locked, made if there is none. The caller holds the
 * cache's lock, exclusively.
 */
static IdgenSlot *
lock_or_make_slot(const IdgenCacheKey *key)
{
	IdgenSlot *slot = lock_slot(key);
	uint32 *head = chain_of_name(key->dbid, key->relid, key->name);

	if (slot != NULL)
		return slot;
	slot = get_slot();
	idgen_slot_assign(slot, key, next_number());
	slot->next = *head;
	*head = slot - slots;
	cache->used++;
	return slot;
}

/*
 * The slot of a key, made if there is none. *version is set to the slot's
 * version.
 */
IdgenSlot *
idgen_cache_attach(const IdgenCacheKey *key, uint64 *version)
{
	IdgenSlot *slot = idgen_cache_lock(key);

	if (slot == NULL)
	{
		make_if_none();
		LWLockAcquire(&cache->lock, LW_EXCLUSIVE);
		slot = lock_or_make_slot(key);
		LWLockRelease(&cache->lock);
	}
	*version = slot->version;
	LWLockRelease(&slot->lock);
	return slot;
}

/*
 * The same for a session that has found out what the ids come from. If that is
 * settled, since the row is committed, and the slot has ids from elsewhere,
 * these are void: a prepared transaction has changed the row, whose commit
 * tells nobody. What other sessions are just bringing from there will not be
 * published.
 */
IdgenSlot *
idgen_cache_attach_to(const IdgenCacheKey *key, RelFileNumber file, uint32 origin, bool settled, uint64 *version)
{
	IdgenSlot *slot = idgen_cache_lock(key);

	if (slot == NULL || slot->file != file || slot->origin != origin)
	{
		if (slot != NULL)
			LWLockRelease(&slot->lock);
		make_if_none();
		LWLockAcquire(&cache->lock, LW_EXCLUSIVE);
		slot = lock_or_make_slot(key);
		if (slot->nruns > 0 && settled && (slot->file != file || slot->origin != origin))
			idgen_slot_empty(slot, next_number());
		if (slot->nruns == 0)
		{
			set_file(slot, file);
			slot->origin = origin;
		}
		LWLockRelease(&cache->lock);
	}
	*version = slot->version;
	LWLockRelease(&slot->lock);
	return slot;
}

/* The slot of a key, locked; NULL if there is none. */
IdgenSlot *
idgen_cache_lock(const IdgenCacheKey *key)
{
	IdgenSlot *slot;

	if (cache == NULL)
		return NULL;
	follow_rows();
	LWLockAcquire(&cache->lock, LW_SHARED);
	slot = lock_slot(key);
	LWLockRelease(&cache->lock);
	return slot != NULL ? empty_if_old(slot) : NULL;
}

/*
 * The slot of a key, or NULL. *version is set to its version, and *row to what
 * is known of its row.
 */
IdgenSlot *
idgen_cache_find(const IdgenCacheKey *key, uint64 *version, IdgenKnownRow *row)
{
	IdgenSlot *slot = idgen_cache_lock(key);

	*row = (IdgenKnownRow){.known = false};
	if (slot == NULL)
		return NULL;
	*version = slot->version;
	if (slot->row_known)
		*row = (IdgenKnownRow){true, slot->row_block_size, (IdgenRefillMode) slot->row_refill};
	LWLockRelease(&slot->lock);
	return slot;
}

/*
 * Let sessions that have not looked yet know what a row says, if that is an
 * ordinary one: to look at a row for the first time, a session has to open
 * id_sequences, and the server reads dozens of pages of its catalogs for that.
 * Ordinary is: source "table" without a source_name, layout plain, no big_base,
 * no format, no period. Who may draw is not kept: each session finds that out.
 *
 * The row was looked at when the slot had that version, not on a standby, where
 * nobody would learn of a change. It must be committed, and no transaction that
 * was in progress then may have changed it. Changes of the row, or of the
 * table, end what is known as they change the version. When a prepared
 * transaction commits, it tells nobody: it has changed the version when it was
 * prepared, and since then its version of the row is there, so nobody shares
 * that.
 */
void
idgen_cache_share_row(IdgenSlot *slot, uint64 version, const IdgenKnownRow *row)
{
	LWLockAcquire(&slot->lock, LW_EXCLUSIVE);
	if (slot->version == version)
	{
		slot->row_known = true;
		slot->row_block_size = row->block_size;
		slot->row_refill = row->refill;
	}
	LWLockRelease(&slot->lock);
}

/*
 * A child of a template is about to be made. To count the children takes longer
 * the more there are, so not each session that makes one can do so. What was
 * counted is kept in the slot of the template, and each child that is made
 * since adds one. That is an upper bound: some are not made after all, others
 * are deleted. Only when the bound is at the limit does a session count again.
 *
 * Returns false, and adds nothing, if there are "max" of them or more, as far
 * as is known, or if nothing is known. *before is set to how many there were,
 * or -1.
 */
bool
idgen_cache_add_child(const IdgenCacheKey *template, int32 max, int32 *before)
{
	IdgenSlot *slot = idgen_cache_lock(template);
	bool added;

	*before = -1;
	if (slot == NULL)
		return false;
	if (slot->row_known)
		*before = slot->children;
	added = slot->row_known && slot->children < max;
	if (added)
		slot->children++;
	slot->uses = 1;
	LWLockRelease(&slot->lock);
	return added;
}

/*
 * The children of a template have been counted. Does nothing if its slot has
 * changed since it had that version, and there were "before" of them: the count
 * may lack what others have added.
 */
void
idgen_cache_set_children(const IdgenCacheKey *template, uint64 version, int32 children, int32 before)
{
	IdgenSlot *slot = idgen_cache_lock(template);

	if (slot == NULL)
		return;
	if (slot->version == version && before == (slot->row_known ? slot->children : -1))
	{
		slot->row_known = true;
		slot->children = children;
	}
	LWLockRelease(&slot->lock);
}

/*
 * What happens
 */

/* Ids that were to be published, or were cached, are a gap. */
void
idgen_cache_count_lost(int64 ids)
{
	if (cache != NULL)
		pg_atomic_fetch_add_u64(&cache->ids_lost, ids);
}

/*
 * A transaction has ended: apply what it did. To be called after it is
 * committed and flushed, aborted or prepared, and before its locks go, so that
 * a session that has waited for it sees the result. It makes no slot: what has
 * happened to the row since the block was allocated would not be known.
 */
void
idgen_cache_finish(const IdgenCacheKey *key, const IdgenOutcome *outcome)
{
	int64 ids = outcome->fate != IDGEN_REST_FORGOTTEN ? idgen_rest_ids(&outcome->rest) : 0;
	RelFileNumber file = outcome->rest.storage;
	IdgenSlot *slot = idgen_cache_lock(key);

	if (slot != NULL && ids > 0 && outcome->fate == IDGEN_REST_PUBLISHED && slot->file != file)
	{
		/* Its ids come from another file from now on. */
		LWLockRelease(&slot->lock);
		LWLockAcquire(&cache->lock, LW_EXCLUSIVE);
		slot = lock_slot(key);
		if (slot != NULL && (outcome->change >= IDGEN_SLOT_DROP || slot->nruns == 0))
			set_file(slot, file);
		LWLockRelease(&cache->lock);
	}
	if (slot == NULL)
	{
		idgen_cache_count_lost(ids);
		return;
	}
	idgen_slot_finish(slot, outcome, next_number());
	LWLockRelease(&slot->lock);
}

/*
 * Give a slot back which an event has emptied. A session may have found it
 * before the event: its draw must not use it any more. The caller holds both
 * locks.
 */
static void
free_slot(IdgenSlot *slot)
{
	remove_slot(slot);
	slot->key = (IdgenCacheKey){.dbid = InvalidOid};
	slot->version = next_number();
	slot->next = cache->free;
	cache->free = slot - slots;
}

/*
 * A row of that name was changed, by a transaction that has committed. Which
 * ids are cached of it, be they its own or of what it names, may depend on the
 * row: those are void, as far as they are older than event "since", with which
 * the transaction has begun to tell. With IDGEN_SLOT_REVALIDATE they are not,
 * but sessions look again. If the row is gone, nobody needs the slot of its own
 * ids; a native sequence can be drawn from without it.
 */
void
idgen_cache_change_name(Oid relid, const uint8 *digest, IdgenSlotChange change, uint64 since)
{
	uint32 i;
	uint32 next;

	if (cache == NULL)
		return;
	LWLockAcquire(&cache->lock, change == IDGEN_SLOT_REMOVE ? LW_EXCLUSIVE : LW_SHARED);
	for (i = *chain_of_name(MyDatabaseId, relid, digest); i != IDGEN_NO_SLOT; i = next)
	{
		IdgenSlot *slot = &slots[i];

		next = slot->next;
		if (!is_named(slot, MyDatabaseId, relid, digest))
			continue;
		LWLockAcquire(&slot->lock, LW_EXCLUSIVE);
		if (change == IDGEN_SLOT_REVALIDATE)
			idgen_slot_look_again(slot, next_number());
		else if (slot->emptied_at <= since)
			idgen_slot_empty(slot, next_number());
		if (change == IDGEN_SLOT_REMOVE && slot->nruns == 0 && !OidIsValid(slot->key.object))
			free_slot(slot);
		LWLockRelease(&slot->lock);
	}
	LWLockRelease(&cache->lock);
}

/*
 * Empty the slots whose ids come from the native sequence that was stored in
 * that file, which a transaction has replaced or removed.
 */
void
idgen_cache_drop_file(const RelFileLocator *file)
{
	uint32 *head;
	uint32 i;
	uint32 next;

	if (cache == NULL)
		return;
	head = chain_of_file(file->dbOid, file->relNumber);
	LWLockAcquire(&cache->lock, LW_SHARED);
	i = *head;
	LWLockRelease(&cache->lock);
	if (i == IDGEN_NO_SLOT)
		return;

	LWLockAcquire(&cache->lock, LW_EXCLUSIVE);
	for (i = *head; i != IDGEN_NO_SLOT; i = next)
	{
		IdgenSlot *slot = &slots[i];

		next = slot->next_of_file;
		if (slot->key.dbid != file->dbOid || slot->file != file->relNumber)
			continue;
		LWLockAcquire(&slot->lock, LW_EXCLUSIVE);
		idgen_slot_empty(slot, next_number());
		set_file(slot, InvalidRelFileNumber);
		LWLockRelease(&slot->lock);
	}
	LWLockRelease(&cache->lock);
}

/* The slot with that number, locked, if it is one of that database; or NULL. */
static IdgenSlot *
lock_slot_of(uint32 i, Oid dbid)
{
	IdgenSlot *slot = &slots[i];

	if (*(volatile Oid *) &slot->key.dbid != dbid)
		return NULL;
	LWLockAcquire(&slot->lock, LW_EXCLUSIVE);
	if (slot->key.dbid == dbid)
		return slot;
	LWLockRelease(&slot->lock);
	return NULL;
}

/*
 * The number of slots to walk, if there is a cache. Those that are made later
 * are newer.
 */
static uint32
begin_walk(void)
{
	uint32 made;

	if (cache == NULL)
		return 0;
	LWLockAcquire(&cache->lock, LW_SHARED);
	made = cache->made;
	LWLockRelease(&cache->lock);
	return made;
}

/*
 * Give back all slots of a database, since it is being dropped, or its
 * extension is, or its id_sequences were truncated. Those that were emptied
 * since that event stay.
 */
void
idgen_cache_drop_database(Oid dbid, uint64 since)
{
	uint32 made = begin_walk();

	for (uint32 i = 0; i < made; i++)
	{
		if (*(volatile Oid *) &slots[i].key.dbid != dbid)
			continue;
		LWLockAcquire(&cache->lock, LW_EXCLUSIVE);
		LWLockAcquire(&slots[i].lock, LW_EXCLUSIVE);
		if (slots[i].key.dbid == dbid && slots[i].emptied_at <= since)
		{
			idgen_slot_empty(&slots[i], next_number());
			free_slot(&slots[i]);
		}
		LWLockRelease(&slots[i].lock);
		LWLockRelease(&cache->lock);
	}
}

/* Have sessions look again at all rows of a database. */
void
idgen_cache_look_again(Oid dbid)
{
	uint32 made = begin_walk();

	for (uint32 i = 0; i < made; i++)
	{
		IdgenSlot *slot = lock_slot_of(i, dbid);

		if (slot == NULL)
			continue;
		idgen_slot_look_again(slot, next_number());
		LWLockRelease(&slot->lock);
	}
}

/*
 * What it holds
 */

/*
 * Copy the next slot of a database, or of any one if that is invalid. *next is
 * 0 at first. Returns false if there is no other. Sessions go on meanwhile: a
 * slot that another id sequence gets may be shown twice, or not at all.
 */
bool
idgen_cache_copy_next(int *next, Oid dbid, IdgenSlot *copy)
{
	if (cache == NULL)
		return false;
	follow_rows();
	while ((uint32) *next < cache->made)
	{
		uint32 i = (*next)++;
		IdgenSlot *slot = lock_slot_of(i, OidIsValid(dbid) ? dbid : slots[i].key.dbid);

		if (slot == NULL)
			continue;
		idgen_slot_copy(empty_if_old(slot), copy);
		LWLockRelease(&slot->lock);
		if (OidIsValid(copy->key.dbid))
			return true;
	}
	return false;
}

void
idgen_cache_totals(IdgenCacheTotals *totals)
{
	memset(totals, 0, sizeof(*totals));
	if (cache == NULL)
		return;
	LWLockAcquire(&cache->lock, LW_SHARED);
	totals->max_sequences = is_shared ? idgen_max_sequences : 0;
	totals->sequences = cache->used;
	totals->evictions = cache->evictions;
	totals->ids_evicted = cache->ids_evicted;
	totals->ids_lost = pg_atomic_read_u64(&cache->ids_lost);
	LWLockRelease(&cache->lock);
}

/* Set the counters of all id sequences of this database to zero. */
void
idgen_cache_reset_counters(void)
{
	uint32 made = begin_walk();

	for (uint32 i = 0; i < made; i++)
	{
		IdgenSlot *slot = lock_slot_of(i, MyDatabaseId);

		if (slot == NULL)
			continue;
		idgen_slot_reset_counters(slot);
		LWLockRelease(&slot->lock);
	}
}

/*
 * Take over what a slot held before the server was stopped. Returns false if
 * there is no room. Only the postmaster calls it, before there are sessions.
 */
bool
idgen_cache_restore(const IdgenSlot *saved)
{
	IdgenSlot *slot;
	uint64 version;

	if (cache->used >= nslots)
		return false;
	slot = idgen_cache_attach_to(&saved->key, saved->file, saved->origin, true, &version);
	LWLockAcquire(&slot->lock, LW_EXCLUSIVE);
	slot->step = saved->step;
	slot->nruns = saved->nruns;
	memcpy(slot->runs, saved->runs, sizeof(slot->runs));
	slot->ids_left = slot->ids_total = saved->ids_left;
	slot->ahead_below = saved->ids_left / 2; /* in case the worker refills */
	slot->counters = saved->counters;
	LWLockRelease(&slot->lock);
	return true;
}
