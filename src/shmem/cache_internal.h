/*
 * cache_internal.h
 *		What the files of the cache share.
 *
 * Locking rules are at the top of cache.c.
 */
#ifndef IDGEN_CACHE_INTERNAL_H
#define IDGEN_CACHE_INTERNAL_H

#include "lib/ilist.h"
#include "port/atomics.h"
#include "utils/hsearch.h"

#include "shmem/cache.h"
#include "shmem/cache_databases.h"
#include "shmem/long_names.h"
#include "shmem/second_level.h"
#include "shmem/slot.h"

/*
 * This many slots share a list, of the two by which they are found besides
 * their keys.
 */
#define IDGEN_SLOTS_PER_BUCKET 4

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

/*
 * With what is measured of it (24), its entry, list heads, and its part of the
 * long names, an id sequence takes some 772 bytes. One cache line more is too
 * much: at most 832 are promised.
 */
StaticAssertDecl(sizeof(IdgenSlotPadded) <= 640 + sizeof(LWLock) - 16,
                 "a slot takes too much shared memory");

/* The lock protects what no comment says otherwise of. */
typedef struct IdgenCacheHeader
{
	LWLock lock;
	pg_atomic_uint64 last_number;  /* source of versions, see cache.c */
	pg_atomic_uint64 ids_uncached; /* as in IdgenCacheTotals, with what follows */
	uint64 rows_known_from;        /* see known_rows.c */
	int64 evictions;
	int64 ids_evicted;
	int64 ids_lost;
	dlist_head free;  /* slots made that have no entry, by node */
	int nslots;       /* slots made, that is, initialized; only grows, and also read
	                   * without the lock */
	int hand;         /* next slot that the clock looks at */
	bool has_objects; /* has there ever been a key with an object? Only set; also
	                   * read without the lock */
} IdgenCacheHeader;

/* Where the parts of a cache are. Fixed once it is made. */
typedef struct IdgenCache
{
	IdgenCacheHeader *header; /* NULL if there is no such cache (yet) */
	HTAB *entries;
	IdgenSlotPadded *slots; /* NULL in a session's own cache, with what follows */
	IdgenTimes *times;      /* what is measured, by the number of the slot; NULL in a
	                         * session's own cache */
	int slot_tranche;       /* of their locks */
	int nbuckets;           /* of the lists in names, and in files */
	dlist_head *names;      /* slots that have an object, by name */
	struct IdgenFileIndex *files;
	struct IdgenDatabases *databases;      /* NULL in a session's own cache */
	IdgenLongNames *long_names;            /* NULL in a session's own cache */
	struct IdgenSecondLevel *second_level; /* NULL if there is none, as in a session's
	                                        * own cache */
} IdgenCache;

extern IdgenCache idgen_shared_cache;
extern IdgenCache idgen_own_cache;

/* cache_memory.c */
extern void idgen_cache_init_header(IdgenCacheHeader *header, int tranche);
extern void idgen_cache_init_names(IdgenCache *cache);

/* cache.c */
extern int idgen_cache_describe_entries(HASHCTL *info);
extern IdgenCache *idgen_cache_of(const IdgenCacheKey *key);
extern uint64 idgen_cache_next_number(IdgenCache *cache);
extern dlist_head *idgen_cache_slots_named(const IdgenCache *cache, uint32 name);
extern IdgenSlot *idgen_cache_slot_at(const IdgenCache *cache, int i);
extern uint32 idgen_cache_slot_number(const IdgenSlot *slot);
extern bool idgen_cache_has_room(const IdgenCacheKey *key);
extern IdgenCacheEntry *idgen_cache_add_entry(IdgenCache *cache, const IdgenCacheKey *key,
                                              IdgenSlot *slot, char *long_name);
extern void idgen_cache_assign_slot(IdgenCache *cache, IdgenCacheEntry *entry, IdgenSlot *slot,
                                    TimestampTz now);
extern void idgen_cache_remove_entry(IdgenCache *cache, IdgenSlot *slot);
extern void idgen_cache_free_slot(IdgenCache *cache, IdgenSlot *slot);
extern void idgen_cache_free_if_idle(IdgenCache *cache, IdgenSlot *slot);
extern IdgenSlot *idgen_cache_find_or_make_shared(const IdgenCacheKey *key, uint64 *version);
extern IdgenSlot *idgen_cache_lock_slot_of(const IdgenCache *cache, int i, Oid dbid);
extern IdgenSlot *idgen_cache_lock_key(const IdgenCacheKey *key, LWLockMode mode);
extern void idgen_cache_unlock_key(const IdgenCacheKey *key, IdgenSlot *slot);
extern IdgenSlot *idgen_cache_lock_entry(const IdgenCacheKey *key);
extern void idgen_cache_unlock_entry(const IdgenCacheKey *key, IdgenSlot *slot);

/* cache_eviction.c */
extern IdgenSlot *idgen_cache_evict_idle_slot(IdgenCache *cache);
extern IdgenSlot *idgen_cache_evict_idle_long_name(IdgenCache *cache);
extern void idgen_cache_read_slot(const IdgenSlot *slot, IdgenIdle *idle);
extern void idgen_cache_fill_slot(IdgenSlot *slot, const IdgenIdle *idle);

/* idle_events.c */
extern bool idgen_cache_take_idle(IdgenCache *cache, const IdgenCacheKey *key, IdgenIdle *idle);
extern void idgen_cache_keep_idle(IdgenCache *cache, const IdgenCacheKey *key, const IdgenIdle *idle);
extern bool idgen_cache_read_idle(const IdgenCacheKey *key, IdgenIdle *idle);
extern int64 idgen_cache_finish_idle(const IdgenCacheKey *key, const IdgenOutcome *outcome);
extern int64 idgen_cache_restore_idle(const IdgenCacheKey *key, const IdgenRest *rest);

/* own_cache.c */
extern int idgen_own_cache_max_slots(void);
extern IdgenSlot *idgen_own_slot_at(int i);
extern IdgenTimes *idgen_own_slot_times(IdgenSlot *slot);
extern IdgenSlot *idgen_own_cache_create(const IdgenCacheKey *key, uint64 *version);

#endif /* IDGEN_CACHE_INTERNAL_H */
