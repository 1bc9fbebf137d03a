/*
 * slot.h
 *		The cache's place for one id sequence.
 *
 * What a slot holds is here, and the hot path, which takes an id from it. What
 * else is done with a slot is in files of its own:
 *
 *	slot.c			its blocks and counters, and how it begins
 *	slot_draw.c		sessions draw, and learn that another one is refilling
 *	slot_publish.c	sessions leave what a refill has brought
 *	slot_worker.c	the same where the worker refills
 *	slot_work.c		what the worker has to do, and in which queue the slot is
 *	slot_pace.c		how much to refill, and how early
 *	slot_bridge.c	the same, to bridge an outage of another server
 */
#ifndef IDGEN_SLOT_H
#define IDGEN_SLOT_H

#include "datatype/timestamp.h"
#include "storage/condition_variable.h"
#include "storage/lwlock.h"

#include "common/block.h"
#include "shmem/counters.h"
#include "shmem/failure_pool.h"
#include "shmem/file_index.h"

/* Blocks kept per id sequence; more would rarely exist, adjacent ones merge. */
#define IDGEN_SLOT_BLOCKS 8

/*
 * The column is varchar(255). In bytes, that is enough in any server encoding,
 * with a terminating zero.
 */
#define IDGEN_NAME_CHARACTERS 255
#define IDGEN_NAME_BYTES      1024

/*
 * The room for a name in a slot, with a terminating zero. 48 characters of
 * three bytes fit, that is, of any living script; longer names are in a place
 * of their own, see long_names.c. This fills the last cache line of a slot.
 */
#define IDGEN_SHORT_NAME_BYTES 148

/* The server log was told no percentage; see IdgenSlotSource. */
#define IDGEN_NOT_WARNED 101

struct IdgenCacheKey;

/*
 * A session has drawn ids that it refilled without a slot. Of the same source,
 * others may have been allocated before, and be published only afterwards. The
 * session takes none of these, since its ids ascend.
 */
typedef struct IdgenPassed
{
	uint64 since; /* number of the last event when it refilled; 0 if nothing that it
	               * has passed can be cached */
	int64 last;   /* the id that it has drawn last */
} IdgenPassed;

/* Where the blocks of a slot come from. */
typedef struct IdgenSlotSource
{
	/*
	 * As in IdgenRest. Without blocks: where sessions have last seen the name
	 * lead.
	 */
	uint32 origin;
	bool lost_at_shutdown; /* as in IdgenRest */
	uint8 warned_percent;  /* the lowest one that is left which the server log was
	                        * told, or IDGEN_NOT_WARNED */
	IdgenFileEntry stored; /* the file of the native sequence; its node is protected
	                        * by the lock of the index */
} IdgenSlotSource;

/*
 * Sessions that refill, and sessions that wait. A slot is refilled by
 *
 * - a transaction, if the source is transactional. "claim" is the
 *	 (sub)transaction, and other sessions wait for its end in the lock manager.
 * - sessions that publish at once, if the source is not transactional.
 *	 "publishers" counts them. It is one session, or more if others have lost
 *	 patience. Other sessions sleep on "done".
 * - the worker; see IdgenSlotWorker. Sessions that wait for it sleep on "done".
 */
typedef struct IdgenSlotRefill
{
	TransactionId claim;    /* invalid if there is none */
	int publishers;         /* 0 if there is none */
	int waiters;            /* sessions that wait now, in whichever way; only slot_work.c
	                         * changes it */
	ConditionVariable done; /* signalled when a publisher or the worker is done; has
	                         * a lock of its own */
} IdgenSlotRefill;

/* How fast ids are used, which says when and how much to refill. */
typedef struct IdgenSlotPace
{
	TimestampTz filled_at;  /* when the last refill was published; 0 = not known */
	TimestampTz crowded_at; /* when a session last had to wait for another one; 0 = never */
	int session_blocks;     /* blocks that sessions' last refill asked for */
	int worker_blocks;      /* blocks that the worker's last refill asked for, not
	                         * counting those for a bulk load */
} IdgenSlotPace;

/*
 * What the worker has to do with a slot. The steps are:
 *
 *	NOTHING -> REQUESTED				a session requests a refill
 *	REQUESTED -> REFILLING				the worker begins an attempt
 *	REFILLING -> REFILLING_REQUESTED	a session requests the next one
 *	REFILLING -> NOTHING				the attempt is over
 *	REFILLING_REQUESTED -> REQUESTED	the attempt is over
 *
 * An attempt that has brought enough also meets requests that were made while
 * it was under way, and a worker that goes because of an error denies them:
 * both lead to NOTHING.
 */
typedef enum IdgenSlotWork
{
	IDGEN_WORK_NOTHING,
	IDGEN_WORK_REQUESTED,           /* a session has asked the worker to refill */
	IDGEN_WORK_REFILLING,           /* an attempt of the worker has begun */
	IDGEN_WORK_REFILLING_REQUESTED, /* and a session has asked for the next one */
} IdgenSlotWork;

/* What sessions ask the worker for, and what has become of it. */
typedef struct IdgenSlotWorker
{
	uint64 attempt;           /* the number of the last attempt begun; 0 = none */
	IdgenFailureNote failure; /* of the last attempt that has ended */
	int64 range;              /* this many consecutive ids are requested; or 0 */
	int bulk_ids;             /* a bulk load could use this many at once; or 0 */
} IdgenSlotWorker;

/*
 * The cached state of one id sequence. The slot's lock protects it, except for
 * the lock itself, and where a field says otherwise. Slots are never freed, so
 * a stale pointer to one is harmless: its holder takes the lock and sees that
 * the version is not the one it knows.
 */
typedef struct IdgenSlot
{
	/*
	 * The hot line: the hot path touches the lock and what follows, up to the
	 * first block. That is one cache line: any other would have to be fetched
	 * from another processor while the lock is held. So a session that takes
	 * ids does not count them; see idgen_slot_count_issued().
	 */
	LWLock lock;
	uint64 version;                       /* changes whenever sessions must look again */
	int64 ids_left;                       /* sum over blocks */
	int64 ahead_below;                    /* refill ahead when ids_left falls to this */
	IdgenBlock blocks[IDGEN_SLOT_BLOCKS]; /* in the order of use, none empty */
	uint8 nblocks;

	uint8 work;              /* an IdgenSlotWork; only slot_work.c changes it */
	uint8 uses : 2;          /* how much it was used since the clock hand passed, as
	                          * far as counted; see idgen_slot_note_use() */
	bool ran_dry : 1;        /* has a session had to wait since the last refill began? */
	bool row_locked : 1;     /* had another transaction locked the row when the worker
	                          * last tried? */
	uint8 row_refill;        /* an IdgenRefillMode; see row_as_of */
	int64 left_when_counted; /* ids_left at the last idgen_slot_count_issued() */
	uint64 dropped_at;       /* number of the last event that emptied it */
	IdgenCounters counters;

	IdgenSlotSource source;
	IdgenSlotRefill refill;

	IdgenSlotPace pace;
	IdgenSlotWorker worker;

	/*
	 * When the row was looked at that says row_refill and row_block_size, as in
	 * IdgenKnownRow. See known_rows.c.
	 */
	uint64 row_as_of;

	/*
	 * What names it. The lock of the cache's header protects this as well; see
	 * cache.c. "node" is on the list of slots that have an object and names in
	 * common, or of a session's own slots that are not in use.
	 */
	const struct IdgenCacheKey *key; /* inside the hash table */
	dlist_node node;
	int32 row_block_size;                    /* see row_as_of; the slot's lock suffices */
	char short_name[IDGEN_SHORT_NAME_BYTES]; /* the key's name, unless it is long */
} IdgenSlot;

/* The hot line; a lock is larger in a server built to debug locks. */
StaticAssertDecl(offsetof(IdgenSlot, blocks[1]) - sizeof(LWLock) <= 64 - 16,
                 "the hot line of a slot must be one cache line");

extern void idgen_slot_init(IdgenSlot *slot, int tranche);
extern void idgen_slot_assign(IdgenSlot *slot, const struct IdgenCacheKey *key,
                              uint64 number, TimestampTz now);
extern void idgen_slot_drop(IdgenSlot *slot, uint64 number);
extern void idgen_slot_note_use(IdgenSlot *slot);
extern void idgen_slot_count_issued(IdgenSlot *slot);
extern void idgen_slot_read_counted(IdgenSlot *slot, IdgenCounted *counted);
extern void idgen_slot_restore_counted(IdgenSlot *slot, const IdgenCounted *counted);
extern void idgen_slot_reset_counters(IdgenSlot *slot, TimestampTz now);
extern bool idgen_slot_is_being_filled(const IdgenSlot *slot);
extern bool idgen_slot_is_busy(const IdgenSlot *slot);
extern bool idgen_slot_percent_is_news(IdgenSlot *slot, int percent);
extern IdgenTimes *idgen_slot_times(IdgenSlot *slot); /* in cache.c */

extern int idgen_slot_find_block(const IdgenSlot *slot, int64 count);
extern IdgenBlock idgen_slot_take_from_block(IdgenSlot *slot, int i, int64 count);
extern void idgen_slot_add_block(IdgenSlot *slot, const IdgenBlock *block);
extern void idgen_slot_remove_block(IdgenSlot *slot, int i);
extern void idgen_slot_drop_passed(IdgenSlot *slot, IdgenPassed *passed);
extern int64 idgen_blocks_add(IdgenBlock *blocks, int *nblocks, const IdgenBlock *block);
extern int64 idgen_blocks_drop_passed(IdgenBlock *blocks, int *nblocks, int64 last);

/*
 * The hot path: take a published id if the slot still is what the caller
 * knows, there is no reason to think about a refill, and the id is one of those
 * that are wanted. One lock, no call.
 */
static pg_attribute_always_inline bool
idgen_slot_take_between(IdgenSlot *slot, uint64 version, int64 least, int64 greatest, int64 *id)
{
	bool taken = false;

	LWLockAcquire(&slot->lock, LW_EXCLUSIVE);
	if (likely(slot->version == version && slot->ids_left > slot->ahead_below &&
	           slot->blocks[0].next >= least && slot->blocks[0].next <= greatest))
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

/* The same, whatever the id is. */
static pg_attribute_always_inline bool
idgen_slot_take(IdgenSlot *slot, uint64 version, int64 *id)
{
	return idgen_slot_take_between(slot, version, PG_INT64_MIN, PG_INT64_MAX, id);
}

/*
 * Is the slot still what the caller knows? This looks without the lock, so it
 * is for a caller who takes nothing from the slot. Such a one needs to learn of
 * a change only if it knows by other means that the change is committed, and
 * then the version was written before.
 */
static inline bool
idgen_slot_is_still(const IdgenSlot *slot, uint64 version)
{
	return *(const volatile uint64 *) &slot->version == version;
}

#endif /* IDGEN_SLOT_H */
