/*
 * cache.h
 *		The block cache: published blocks of every id sequence in use.
 *
 * A server that preloads the library has one cache, in shared memory, for all
 * sessions of all its databases ("server"). Without the preload each session
 * has one of its own ("session"): same structures in local memory, where a
 * lock that nobody else can reach is always free, so one code serves both. A
 * session of the former kind has its own, too, for temporary sequences.
 *
 * What is declared here is in several files. Locking rules are at the top of
 * cache.c.
 */
#ifndef IDGEN_CACHE_H
#define IDGEN_CACHE_H

#include "nodes/pg_list.h"

#include "shmem/cache_key.h"
#include "shmem/second_level.h"
#include "shmem/slot.h"
#include "shmem/slot_publish.h"

/* cache_memory.c: how it is made */
extern void idgen_cache_request_shmem(void);
extern bool idgen_cache_startup_shmem(void);
extern bool idgen_cache_is_shared(void);

/* cache.c: finding the slot of an id sequence, and making one */
extern IdgenSlot *idgen_cache_find_or_make(const IdgenCacheKey *key, uint64 *version);

/* cache_events.c: what happens to an id sequence */
extern void idgen_cache_waited(const IdgenCacheKey *key, TransactionId xid, int64 us);
extern void idgen_cache_unclaim(const IdgenCacheKey *key, TransactionId xid);
extern void idgen_cache_not_refilled(const IdgenCacheKey *key);
extern uint64 idgen_cache_dropped_at(const IdgenCacheKey *key);
extern void idgen_cache_finish(const IdgenCacheKey *key,
                               const IdgenOutcome *outcome);
extern bool idgen_cache_percent_is_news(const IdgenCacheKey *key, int percent);
extern void idgen_cache_check_storage(const IdgenCacheKey *key, RelFileNumber storage);
extern void idgen_cache_check_origin(const IdgenCacheKey *key, uint32 origin);

/* cache_wide_events.c: what happens to many at once */
extern void idgen_cache_drop_storage(const RelFileLocator *file);
extern void idgen_cache_drop_database(Oid dbid);
extern void idgen_cache_remove_empty(Oid dbid);
extern bool idgen_cache_has_objects(void);
extern void idgen_cache_change_objects(uint32 name, IdgenSlotChange change);

/* What a session wants that has no slot. */
typedef struct IdgenKeyDraw
{
	int64 count;              /* consecutive ids */
	const IdgenBlock *before; /* ids that are to be used before these; NULL if any
	                           * will do */
	uint64 as_of;             /* if no event with a greater number has emptied the entry */
	RelFileNumber storage;    /* and if they come from there, as in IdgenRest */
	uint32 origin;
	IdgenPassed *passed; /* NULL if it has passed no ids */
} IdgenKeyDraw;

/* cache_draw.c: drawing without a slot, and putting back */
extern bool idgen_cache_draw(const IdgenCacheKey *key, const IdgenKeyDraw *draw, IdgenBlock *ids);
extern void idgen_cache_put_back(const IdgenCacheKey *key, uint64 as_of, const IdgenBlock *ids);

/* own_cache.c: a session's own cache */
extern void idgen_cache_check_table(const IdgenCacheKey *key, uint64 table_epoch);

/* Where the cache holds an id sequence. */
typedef enum IdgenPlace
{
	IDGEN_IN_SLOT,
	IDGEN_IN_SECOND_LEVEL, /* there are no counters */
} IdgenPlace;

/* What the cache holds of an id sequence. */
typedef struct IdgenCached
{
	IdgenPlace place;
	IdgenBlock blocks[IDGEN_SLOT_BLOCKS];
	int nblocks;
	int64 ids_left;
	int worker_blocks;        /* blocks that the worker's last refill asked for */
	bool awaited;             /* do sessions wait for a refill, or has the worker to do one? */
	TransactionId claim;      /* as in IdgenSlotRefill */
	IdgenFailureNote failure; /* of the worker's last attempt */
	IdgenCounted counted;
} IdgenCached;

/* Totals of the whole cache. */
typedef struct IdgenCacheTotals
{
	int max_sequences;
	int sequences;
	int max_idle_sequences;
	int idle_sequences; /* in the second level */
	int64 idle_ids;     /* that it holds */
	int64 evictions;
	int64 ids_evicted;  /* ids lost because the second level had no room */
	int64 ids_lost;     /* what the evicted ones had counted as lost, and what has
	                     * become void in the second level */
	int64 ids_uncached; /* ids lost because all slots were busy */
} IdgenCacheTotals;

/* The parts of the cache that a scan goes through, in that order. */
typedef enum IdgenScanPart
{
	IDGEN_SCAN_SLOTS,
	IDGEN_SCAN_IDLE, /* the second level */
	IDGEN_SCAN_OWN,  /* the session's own cache */
	IDGEN_SCAN_OVER,
} IdgenScanPart;

/*
 * Goes through the entries of an installation. "relid" is its table; all else
 * is zero at the beginning, and then what the entry holds that is shown now.
 * Sessions go on meanwhile: an entry that moves to another slot may be shown
 * twice, or not at all.
 */
typedef struct IdgenCacheScan
{
	Oid relid;
	IdgenScanPart part; /* where it has come to */
	int next;           /* number of the slot, or of the entry, to look at */

	IdgenCacheKey key; /* its name is the one below */
	char name[IDGEN_NAME_BYTES];
	IdgenCached cached;
} IdgenCacheScan;

/*
 * What is called with each id sequence, what the cache holds of it, and what it
 * has counted: NULL if that is one of the second level.
 */
typedef void (*IdgenVisit)(const IdgenCacheKey *key, const IdgenIdle *held,
                           const IdgenCounted *counted, void *arg);

/* cache_contents.c: what the cache holds */
extern bool idgen_cache_lies_behind(const IdgenCacheKey *key, int64 last, int64 step);
extern bool idgen_cache_read(const IdgenCacheKey *key, IdgenCached *cached);
extern bool idgen_cache_scan_next(IdgenCacheScan *scan);
extern void idgen_cache_totals(IdgenCacheTotals *totals);
extern void idgen_cache_reset_counters(void);
extern void idgen_cache_visit(IdgenVisit visit, void *arg);
extern int64 idgen_cache_restore(const IdgenCacheKey *key, const IdgenRest *rest,
                                 const IdgenCounted *counted);

#endif /* IDGEN_CACHE_H */
