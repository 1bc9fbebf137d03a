/*
 * cache.h
 *		The block cache: published ids of the id sequences in use.
 *
 * A server that preloads the library has one cache, in shared memory, for all
 * sessions of all its databases. Without the preload, each session has its own.
 */
#ifndef IDGEN_CACHE_H
#define IDGEN_CACHE_H

#include "common/guc.h"
#include "cache/slot.h"

/* What a row says that is an ordinary one; see idgen_cache_share_row(). */
typedef struct IdgenKnownRow
{
	bool known;
	int32 block_size;
	IdgenRefillMode refill; /* as in IdgenDefinition */
} IdgenKnownRow;

/* How it is made */
extern void idgen_cache_request_shmem(void);
extern bool idgen_cache_startup_shmem(void);
extern bool idgen_cache_is_shared(void);

/* Keys */
extern void idgen_cache_digest(const char *name, int namelen, uint8 *digest);
extern void idgen_cache_key(IdgenCacheKey *key, Oid relid, const uint8 *digest);

/* Finding slots, and making them */
extern uint64 idgen_cache_number(void);
extern IdgenSlot *idgen_cache_find(const IdgenCacheKey *key, uint64 *version, IdgenKnownRow *row);
extern IdgenSlot *idgen_cache_attach(const IdgenCacheKey *key, uint64 *version);
extern IdgenSlot *idgen_cache_attach_to(const IdgenCacheKey *key, RelFileNumber file, uint32 origin,
                                        bool settled, uint64 *version);
extern IdgenSlot *idgen_cache_lock(const IdgenCacheKey *key);
extern void idgen_cache_share_row(IdgenSlot *slot, uint64 version, const IdgenKnownRow *row);
extern bool idgen_cache_add_child(const IdgenCacheKey *template, int32 max, int32 *before);
extern void idgen_cache_set_children(const IdgenCacheKey *template, uint64 version, int32 children, int32 before);

/* What happens */
extern void idgen_cache_finish(const IdgenCacheKey *key, const IdgenOutcome *outcome);
extern void idgen_cache_change_name(Oid relid, const uint8 *digest, IdgenSlotChange change, uint64 since);
extern void idgen_cache_drop_file(const RelFileLocator *file);
extern void idgen_cache_drop_database(Oid dbid, uint64 since);
extern void idgen_cache_look_again(Oid dbid);
extern void idgen_cache_count_lost(int64 ids);

/* Totals of the whole cache. */
typedef struct IdgenCacheTotals
{
	int max_sequences;
	int sequences;
	int64 evictions;
	int64 ids_evicted; /* ids lost because a slot went to another id sequence */
	int64 ids_lost;    /* what the slots that have gone had counted as lost, and what was
	                    * to be published when there was no slot */
} IdgenCacheTotals;

/* What it holds */
extern bool idgen_cache_copy_next(int *next, Oid dbid, IdgenSlot *copy);
extern void idgen_cache_totals(IdgenCacheTotals *totals);
extern void idgen_cache_reset_counters(void);
extern bool idgen_cache_restore(const IdgenSlot *saved);

/* While the server is stopped: restart_file.c */
extern void idgen_restart_file_read(void);
extern void idgen_restart_file_write(int code, Datum arg);

#endif /* IDGEN_CACHE_H */
