/*
 * slot.h
 *		The cache's place for one id sequence.
 */
#ifndef IDGEN_SLOT_H
#define IDGEN_SLOT_H

#include "datatype/timestamp.h"
#include "storage/condition_variable.h"
#include "storage/lwlock.h"

#include "common/block.h"
#include "shmem/file_index.h"

/* Blocks kept per id sequence; more would rarely exist, adjacent ones merge. */
#define IDGEN_SLOT_BLOCKS 8

struct IdgenCacheKey;

/* Ids that were cached and will never be issued, by reason. */
typedef struct IdgenLost
{
	int64 changed;  /* the row was changed, or restarted */
	int64 prepared; /* the transaction was prepared, or did not wait for the standby */
	int64 crowded;  /* no place for one more block */
} IdgenLost;

static inline int64
idgen_lost_total(const IdgenLost *lost)
{
	return lost->changed + lost->prepared + lost->crowded;
}

/* Why the worker could not refill. Texts may be cut. */
typedef struct IdgenFailure
{
	int sqlerrcode; /* 0 = it could */
	int64 count;    /* it is one for those who want at least so many ids in a row */
	char message[256];
	char detail[384]; /* may be empty, ... */
	char hint[160];   /* ... this too, ... */
	char context[96]; /* ... and this */
} IdgenFailure;

typedef struct IdgenCounters
{
	int64 ids_issued;
	int64 refills;
	int64 blocks_taken;
	int64 waits;
	IdgenLost ids_lost;
	TimestampTz last_refill; /* 0 if none */
} IdgenCounters;

/*
 * The cached state of one id sequence. Every field but the lock itself is
 * protected by the lock. Slots are never freed, so a stale pointer to one is
 * harmless: its holder takes the lock and sees that the version is not the one
 * it knows.
 */
typedef struct IdgenSlot
{
	/*
	 * The hot path touches what comes first, the lock to the first block. With usual
	 * sizes, that is one cache line: any other would have to be fetched from another
	 * processor while the lock is held. So who takes ids does not count them.
	 */
	LWLock lock;
	uint64 version;                       /* changes whenever sessions must look again */
	int64 ids_left;                       /* sum over blocks */
	int64 ahead_below;                    /* refill ahead when ids_left falls to this */
	IdgenBlock blocks[IDGEN_SLOT_BLOCKS]; /* in the order of use, none empty */
	int nblocks;

	int64 left_when_counted; /* ids_left at the last idgen_slot_count_issued() */
	bool used;               /* drawn from since the clock hand passed, as far as counted */

	/*
	 * Who refills: a (sub)transaction, until it ends, or sessions with a
	 * source that is not transactional, until they have published: one, or
	 * more if others have lost patience.
	 */
	TransactionId claim;        /* invalid if none */
	int refilling;              /* number of those sessions */
	ConditionVariable refilled; /* signalled when one of them, or the worker, is
	                             * done; has its own lock */
	int waiters;                /* sessions waiting for any of these, or the worker */
	bool ran_dry;               /* has a session had to wait since the last refill began? */
	bool row_locked;            /* has the worker found the row locked since the last success? */

	/* If it is the worker that refills: */
	bool *requested;       /* has it been asked to? In an array, see cache.c */
	uint64 attempts_begun; /* by the worker to refill it, ... */
	uint64 attempts_done;  /* ... one is going on if these differ */
	IdgenFailure failure;  /* of the last one done */
	int64 range_requested; /* the most ids in a row that it has been asked for, or 0 */
	Oid requested_by;      /* the role that has asked last */
	int prefetch_blocks;   /* how many blocks the last one asked for */

	uint32 origin;          /* of blocks, see IdgenRest; or where sessions have last seen
	                        * the name lead */
	IdgenFileEntry stored;  /* the file of the native sequence that blocks come from */
	bool lost_at_shutdown;  /* of blocks, see IdgenRest */
	int warned_percent;     /* lowest percentage logged; 101 = none */
	int64 ahead_blocks;     /* blocks that sessions' last refill asked for, and ... */
	TimestampTz filled_at;  /* ... when it, or the worker's, was published; 0 = not known */
	TimestampTz crowded_at; /* when a session last had to wait for another one */
	uint64 dropped_at;      /* number of the last event that emptied it */
	IdgenCounters counters;
	const struct IdgenCacheKey *key; /* its key, inside the hash table */
	dlist_node node;                 /* on a list of cache.c: of those that have an object
	                                  * and names in common, or of those not in use */
	uint64 table_epoch;              /* of a session's own cache: idgen_table_epoch of its ids */
} IdgenSlot;

/*
 * Which ids a draw may take, and whom its refill concerns, if it comes to one.
 * What a transaction has changed may be what the ids come from: then it must
 * not use published ids, which are from before ("after change").
 */
typedef enum IdgenDrawMode
{
	/*
	 * The refill is published as soon as it is allocated, and other sessions
	 * wait for that. For sources that are not transactional.
	 */
	IDGEN_MODE_PUBLISHING,

	/*
	 * The session claims the refill for its transaction, and other sessions
	 * wait for the end of that. For transactional sources.
	 */
	IDGEN_MODE_CLAIMING,
	IDGEN_MODE_CLAIMING_AFTER_CHANGE,

	/*
	 * The refill stays in the transaction, and nobody waits for it. For block
	 * size 1, for a session's own cache, and after a change for sources that are
	 * not transactional.
	 */
	IDGEN_MODE_ALONE,
	IDGEN_MODE_ALONE_AFTER_CHANGE,
} IdgenDrawMode;

static inline bool
idgen_mode_claims(IdgenDrawMode mode)
{
	return mode == IDGEN_MODE_CLAIMING || mode == IDGEN_MODE_CLAIMING_AFTER_CHANGE;
}

static inline bool
idgen_mode_uses_published(IdgenDrawMode mode)
{
	return mode != IDGEN_MODE_CLAIMING_AFTER_CHANGE && mode != IDGEN_MODE_ALONE_AFTER_CHANGE;
}

/* What idgen_slot_draw() is told. */
typedef struct IdgenDraw
{
	IdgenDrawMode mode;
	int64 count;             /* ids wanted, in a row */
	uint64 version;          /* the slot's version that the caller knows */
	bool may_wait;           /* false if it has refilled in this transaction, or
	                          * waited long enough */
	bool may_refill;         /* has it done what must come before a refill? */
	TransactionId xid;       /* if it may refill and is not publishing: of the
	                          * (sub)transaction */
	TransactionId own_claim; /* the claim it made before, or invalid */
	TransactionId awaited;   /* the claim that it has waited for, or invalid */
} IdgenDraw;

/* What idgen_slot_draw() answers. */
typedef enum IdgenDrawAnswer
{
	/* The version differs: validate, then try again. */
	IDGEN_DRAW_STALE,

	/* The result's ids are the caller's. */
	IDGEN_DRAW_TAKEN,

	/* It would refill: prepare for that, set may_refill, and try again. */
	IDGEN_DRAW_PREPARE,

	/*
	 * Wait for the result's transaction or, if publishing, as long as
	 * idgen_slot_awaits_publishing(). In either case call
	 * idgen_cache_waited() in the end.
	 */
	IDGEN_DRAW_WAIT,

	/*
	 * Refill the result's number of blocks. If publishing, call
	 * idgen_slot_publish() or idgen_cache_not_refilled() in the end.
	 */
	IDGEN_DRAW_REFILL,

	/* The same, though there are ids left. */
	IDGEN_DRAW_REFILL_AHEAD,
} IdgenDrawAnswer;

typedef struct IdgenDrawResult
{
	IdgenBlock ids;         /* if taken */
	TransactionId wait_for; /* if to wait, and not publishing */
	int64 nblocks;          /* if to refill */
	bool claimed;           /* if to refill: is the claim the caller's xid now? */
	bool wake_worker;       /* if taken from what the worker refills */
	uint64 attempt;         /* if to wait for the worker: its attempt that counts */
} IdgenDrawResult;

/* What has become of the worker's attempt that a session waits for. */
typedef enum IdgenAttemptState
{
	IDGEN_ATTEMPT_AWAITED, /* it is not over */
	IDGEN_ATTEMPT_OVER,    /* look again at the slot, or the row */
	IDGEN_ATTEMPT_FAILED,  /* raise the failure */
} IdgenAttemptState;

/* In place of a rest_good_as_of: the block must not be published. */
#define IDGEN_NOT_PUBLISHABLE PG_UINT64_MAX

/* What a transaction did to an id sequence, reported when it ends. */
typedef struct IdgenOutcome
{
	bool drop;              /* it changed the row: empty the cache */
	bool revalidate;        /* it changed the row: sessions look again */
	bool publish;           /* put rest into the cache, else it is lost */
	bool unsafe;            /* lost all the same: the allocation may not last */
	IdgenRest rest;         /* what is left of pending blocks */
	uint64 rest_good_as_of; /* the rest is void if the entry was emptied by an
	                         * event with a greater number; 0 if there was no
	                         * entry, or IDGEN_NOT_PUBLISHABLE */
	int64 ahead_blocks;     /* blocks asked for by its last refill */
	int64 ahead_ids;        /* ids in those; 0 = it has not refilled */
	TransactionId claim;    /* the claim it made, or invalid */
	int64 ahead_below;      /* of the worker: refill again when so many are left */
	IdgenCounters counters; /* to add; of waits and ids_lost only crowded, if published */
} IdgenOutcome;

extern void idgen_slot_assign(IdgenSlot *slot, const struct IdgenCacheKey *key,
                              uint64 number);
extern void idgen_slot_count_issued(IdgenSlot *slot);
extern void idgen_slot_drop(IdgenSlot *slot, uint64 number);
extern IdgenDrawAnswer idgen_slot_draw(IdgenSlot *slot, const IdgenDraw *draw,
                                       IdgenDrawResult *result);
extern bool idgen_slot_take_below(IdgenSlot *slot, uint64 version, int64 limit,
                                  int64 count, IdgenBlock *ids);
extern void idgen_slot_put_back(IdgenSlot *slot, uint64 version, const IdgenBlock *ids);
extern IdgenBlock idgen_slot_last_block(IdgenSlot *slot, uint64 version);
extern bool idgen_slot_take_joint(IdgenSlot *slot, uint64 version, int64 count,
                                  const IdgenBlock *block, IdgenBlock *ids);
extern bool idgen_slot_awaits_publishing(IdgenSlot *slot, int64 count);
extern bool idgen_slot_publish(IdgenSlot *slot, const IdgenOutcome *outcome,
                               int64 count, IdgenBlock *ids);
extern void idgen_slot_not_refilled(IdgenSlot *slot);
extern int64 idgen_slot_finish(IdgenSlot *slot, const IdgenOutcome *outcome,
                               uint64 number);
extern IdgenDrawAnswer idgen_slot_draw_served(IdgenSlot *slot, uint64 version, int64 count,
                                              IdgenDrawResult *result);
extern IdgenAttemptState idgen_slot_look_at_attempt(IdgenSlot *slot, uint64 version,
                                                    int64 count, uint64 attempt,
                                                    IdgenFailure *failure, bool *row_locked);
extern int idgen_slot_begin_attempt(IdgenSlot *slot, int64 *range, IdgenBlock *joins);
extern void idgen_slot_end_attempt(IdgenSlot *slot, uint64 attempt,
                                   const IdgenOutcome *outcome, const IdgenFailure *failure);
extern void idgen_slot_remove_block(IdgenSlot *slot, int i);
extern bool idgen_slot_warning_due(IdgenSlot *slot, int percent);

/*
 * The hot path: take a published id if the slot still is what the caller
 * knows and there is no reason to think about a refill. One lock, no call.
 */
static inline bool
idgen_slot_take(IdgenSlot *slot, uint64 version, int64 *id)
{
	bool taken = false;

	LWLockAcquire(&slot->lock, LW_EXCLUSIVE);
	if (likely(slot->version == version && slot->ids_left > slot->ahead_below))
	{
		IdgenBlock *block = &slot->blocks[0];

		*id = idgen_block_take(block);
		slot->ids_left--;
		if (unlikely(block->left == 0))
			idgen_slot_remove_block(slot, 0);
		taken = true;
	}
	LWLockRelease(&slot->lock);
	return taken;
}

#endif /* IDGEN_SLOT_H */
