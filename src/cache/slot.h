/*
 * slot.h
 *		The cache's place for one id sequence, and the hot path.
 *
 * A slot is a cache of ids and nothing else. It may go to another id sequence
 * at any time, and what it has left is a gap then. What processes leave in it
 * about themselves are hints, which become void by themselves: an xid has
 * ended, a number of waiting sessions only makes the next refill larger. So
 * nobody has to take anything back, whatever error comes up.
 */
#ifndef IDGEN_SLOT_H
#define IDGEN_SLOT_H

#include "storage/lwlock.h"

#include "catalog/source.h"

/*
 * The column is varchar(255). In bytes, that is enough in any server encoding,
 * with a terminating zero.
 */
#define IDGEN_NAME_CHARACTERS 255
#define IDGEN_NAME_BYTES      1024

/* Runs of ids kept for each id sequence; more would rarely exist. */
#define IDGEN_SLOT_RUNS 4

/* Stands for "no slot". */
#define IDGEN_NO_SLOT PG_UINT32_MAX

/* The server log was told no percentage; see idgen_warn_low(). */
#define IDGEN_NOT_WARNED 101

/* SHA-256 of a name, cut. */
#define IDGEN_DIGEST_BYTES 16

/*
 * What names an id sequence in the whole server; build it with
 * idgen_cache_key(). The table's OID stands for the installation of the
 * extension: dropped and created again, it differs. The name does not suffice
 * where ids come from a native sequence, since search_path may say which.
 *
 * There is no padding: keys are compared byte by byte. (Names themselves were
 * turned down: they are up to 1,024 bytes long. A hash value that is not
 * cryptographic was turned down as well: whoever may draw from the children of
 * a template chooses names, and two that are alike would be one id sequence.)
 */
typedef struct IdgenCacheKey
{
	Oid dbid;
	Oid relid;
	uint8 name[IDGEN_DIGEST_BYTES];
	Oid object; /* native sequence, or invalid */
} IdgenCacheKey;

/* Consecutive ids. The step is that of the slot. */
typedef struct IdgenRun
{
	int64 next;
	int64 left;
} IdgenRun;

/* What is counted and measured of an id sequence. */
typedef struct IdgenCounters
{
	int64 ids_issued;
	int64 refills;
	int64 session_refills; /* of these, by sessions */
	int64 blocks_taken;
	int64 waits;
	int64 waited_us;     /* microseconds that sessions have waited in all */
	int64 refills_us;    /* microseconds that refills took in all */
	int64 lost_changed;  /* ids that became a gap: the row was changed, or restarted */
	int64 lost_prepared; /* the transaction was prepared, or did not wait for the standby */
	int64 lost_crowded;  /* no room for one more run */
	uint32 last_refill;  /* seconds, as idgen_seconds() counts; 0 if none */
	uint32 since;        /* all this is counted since then */
} IdgenCounters;

/* Ids that are a gap since the counters were reset. */
static inline int64
idgen_ids_lost(const IdgenCounters *counters)
{
	return counters->lost_changed + counters->lost_prepared + counters->lost_crowded;
}

/* Why the worker's last refill has failed; the texts are at the desk. */
typedef struct IdgenFailureNote
{
	int sqlerrcode; /* 0 = it has not */
	uint32 number;  /* of the texts; 0 = they were not kept */
} IdgenFailureNote;

/*
 * The cached state of one id sequence. The slot's lock protects it, except for
 * the lock itself, and for the chains, which the lock of the cache protects.
 * Slots are never freed, so a stale pointer to one is harmless: its holder
 * takes the lock and sees that the version is not the one it knows.
 *
 * The file that keeps the cache while the server is stopped holds slots as they
 * are: whoever changes this changes its IDGEN_FILE_VERSION.
 */
typedef struct IdgenSlot
{
	/*
	 * The hot line: the hot path touches the lock and what follows, up to the
	 * first run. That is one cache line: any other would have to be fetched
	 * from another processor while the lock is held. So a session that takes
	 * ids does not count them; see ids_total.
	 */
	LWLock lock;
	uint64 version;    /* changes whenever sessions must look again */
	int64 ids_left;    /* sum over runs */
	int64 ahead_below; /* refill ahead when ids_left falls to this */
	int8 step;         /* from one id to the next: 1 or -1 */
	uint8 nruns;
	uint8 uses;                     /* how much it was used since the clock hand passed, as far as
	                     * was noticed */
	bool ran_dry : 1;               /* has a session had to wait since the last refill began? */
	bool not_kept : 1;              /* must a clean shutdown lose the ids? */
	bool row_known : 1;             /* see row_block_size */
	uint32 next;                    /* in the chain of slots with names alike */
	IdgenRun runs[IDGEN_SLOT_RUNS]; /* in the order of use, none empty */

	IdgenCacheKey key;   /* dbid is invalid if the slot is free */
	RelFileNumber file;  /* of the native sequence that the ids come from, or invalid;
	                      * changes only with the chain */
	uint32 origin;       /* what else they come from, as in IdgenFound */
	uint32 next_of_file; /* in the chain of slots with files alike */
	uint64 emptied_at;   /* number of the last event that emptied it, or of its making */
	int64 ids_total;     /* ids_left and all issued from here: the hot path leaves this
	                      * sum as it is */
	uint32 left_seen;    /* the last digits of ids_left when the clock hand passed */

	/*
	 * Hints: who refills, and has allocated last. 64-bit xids, 0 if there is
	 * none. A claim is void when its (sub)transaction has ended.
	 */
	uint16 waiters;     /* sessions that wait for a refill, as far as is known */
	uint8 row_refill;   /* see row_block_size */
	uint8 told_percent; /* the lowest one that is left which the server log was told */
	uint64 claim;
	uint64 allocator; /* a top transaction */

	/*
	 * What the row was found to say, if it is an ordinary one, see
	 * idgen_cache_share_row(); or how many children it has at most, if it is a
	 * template, see idgen_cache_add_child(). Valid if row_known.
	 */
	union
	{
		int32 row_block_size;
		int32 children;
	};

	/* How fast ids are used, which says when and how much to refill. */
	uint32 filled_ms;     /* when the last refill was published; 0 = not known. This and
	                       * the next one as idgen_clock_ms() */
	uint32 crowded_ms;    /* when a session last had to wait for another one; 0 = never */
	int32 session_blocks; /* blocks that sessions' last refill asked for */
	int32 worker_blocks;  /* blocks that the worker's last refill asked for, not
	                       * counting those for a bulk load */
	float rate;           /* of ids from another server: used a second, of late */
	float left_at_server; /* after the last refill */
	float left_at_fill;   /* cached then */

	IdgenFailureNote failure; /* of the worker's last refill */
	IdgenCounters counters;   /* ids_issued by others than from here */
} IdgenSlot;

/* A lock is larger in a server built to debug locks. */
StaticAssertDecl(offsetof(IdgenSlot, runs[1]) - sizeof(LWLock) <= 64 - 16,
                 "the hot line of a slot must be one cache line");
StaticAssertDecl(sizeof(IdgenSlot) - sizeof(LWLock) <= 320 - 16, "a slot must be small");
StaticAssertDecl(sizeof(IdgenCacheKey) == 28, "a key must have no padding");

/* Which sessions the refill of a draw concerns, if it comes to one. */
typedef enum IdgenDrawMode
{
	/* The worker refills: the session only takes what there is. */
	IDGEN_MODE_SERVED,

	/*
	 * The refill is published as soon as it is allocated, under a lock of the
	 * lock manager. For sources that are not transactional.
	 */
	IDGEN_MODE_PUBLISHING,

	/*
	 * The session claims the refill for its transaction, and other sessions
	 * wait for the end of that. For transactional sources.
	 */
	IDGEN_MODE_CLAIMING,

	/*
	 * The refill stays in the transaction, and nobody waits for it. For block
	 * size 1, for a session's own cache, and after a change for sources that
	 * are not transactional.
	 */
	IDGEN_MODE_ALONE,
} IdgenDrawMode;

/* Which ids a call can use. */
typedef struct IdgenWanted
{
	int64 count; /* consecutive ones, at least 1 */
	int64 least; /* the first and the last one must lie between these */
	int64 greatest;
	struct IdgenNote *note; /* where the least one is noted, or NULL */
} IdgenWanted;

/* Can a call use these ids? */
static inline bool
idgen_are_wanted(const IdgenBlock *ids, const IdgenWanted *wanted)
{
	int64 last = idgen_block_last(ids);

	return Min(ids->next, last) >= wanted->least && Max(ids->next, last) <= wanted->greatest;
}

/* What idgen_slot_draw() is told. */
typedef struct IdgenDraw
{
	IdgenDrawMode mode;
	bool published_ok; /* see idgen_may_use_published() */
	IdgenWanted wanted;
	uint64 version;    /* the slot's version that the caller knows */
	bool may_wait;     /* false if it has refilled in this transaction */
	bool may_be_ahead; /* may it refill while there are ids? */
	bool may_refill;   /* has it done what must come before a refill? */
	bool locked;       /* does it hold the lock of refills? see draw/refill.c */
	uint64 xid;        /* if it may refill and claims: of the (sub)transaction */
	uint64 own_claim;  /* the claim it made before, or 0 */
	uint64 awaited;    /* the claim that it has waited for, or 0 */
} IdgenDraw;

/* What idgen_slot_draw() answers. */
typedef enum IdgenDrawAnswer
{
	/* The version differs: validate, then try again. */
	IDGEN_DRAW_STALE,

	/* The result's ids are the caller's. */
	IDGEN_DRAW_TAKEN,

	/* The result's ids come next, and are not those that are wanted. */
	IDGEN_DRAW_UNFIT,

	/* The draw needs a refill: prepare it, set may_refill, and try again. */
	IDGEN_DRAW_PREPARE,

	/* Wait for the result's claim, unless that is void; then try again. */
	IDGEN_DRAW_WAIT,

	/* Refill the result's number of blocks; or have the worker refill. */
	IDGEN_DRAW_REFILL,
} IdgenDrawAnswer;

typedef struct IdgenDrawResult
{
	IdgenBlock ids;
	uint64 wait_for;
	int64 nblocks;
	bool ahead;       /* if to prepare or refill: is it though there are ids left? */
	bool claimed;     /* if to refill: is the claim the caller's xid now? */
	bool low;         /* if taken with IDGEN_MODE_SERVED: ask the worker for more */
	int64 ids_issued; /* with IDGEN_MODE_SERVED: to all, and by how many refills */
	int64 refills;
} IdgenDrawResult;

/* In place of a good_as_of: the block must not be published. */
#define IDGEN_NOT_PUBLISHABLE 0

/* What has been done to the row, or to what the ids come from. */
typedef enum IdgenSlotChange
{
	IDGEN_SLOT_UNCHANGED,
	IDGEN_SLOT_REVALIDATE, /* sessions look again, e.g. at a row that was made */
	IDGEN_SLOT_DROP,       /* they do, and what is cached is void */
	IDGEN_SLOT_REMOVE,     /* and nobody needs the slot any more */
} IdgenSlotChange;

/* Refills of an id sequence that its slot has not been told of yet. */
typedef struct IdgenRefills
{
	IdgenCounters counters; /* to add */
	uint64 claim;           /* the last claim that was made, or 0 */
	int64 ahead_blocks;     /* blocks asked for by the last one */
	int64 ahead_ids;        /* ids in those; 0 = no session has refilled */
	int64 ahead_below;      /* of a worker: refill again when this many are left */
} IdgenRefills;

/* What a transaction did to an id sequence, reported when it ends. */
typedef struct IdgenOutcome
{
	IdgenSlotChange change;
	IdgenRestFate fate;
	IdgenRest rest;    /* what is left of pending blocks */
	uint64 good_as_of; /* the number of events when the block was allocated, which is
	                    * void if a later one has emptied the slot; or
	                    * IDGEN_NOT_PUBLISHABLE */
	IdgenRefills refills;
	bool by_worker;        /* and if so: */
	double left_at_server; /* the ids that another server has left; 0 if the blocks are
	                        * from this one */
} IdgenOutcome;

extern void idgen_slot_init(IdgenSlot *slot, int tranche);
extern void idgen_slot_assign(IdgenSlot *slot, const IdgenCacheKey *key, uint64 number);
extern void idgen_slot_empty(IdgenSlot *slot, uint64 number);
extern void idgen_slot_look_again(IdgenSlot *slot, uint64 number);
extern void idgen_slot_copy(const IdgenSlot *slot, IdgenSlot *copy);
extern void idgen_slot_reset_counters(IdgenSlot *slot);
extern bool idgen_slot_was_used(IdgenSlot *slot);

extern IdgenDrawAnswer idgen_slot_draw(IdgenSlot *slot, const IdgenDraw *draw, IdgenDrawResult *result);
extern bool idgen_slot_take_before(IdgenSlot *slot, const IdgenBlock *block, const IdgenWanted *wanted,
                                   IdgenBlock *ids);
extern bool idgen_slot_has(IdgenSlot *slot, uint64 version, int64 count);
extern void idgen_slot_remove_run(IdgenSlot *slot, int i);
extern void idgen_slot_finish(IdgenSlot *slot, const IdgenOutcome *outcome, uint64 number);
extern void idgen_slot_begin_refill(IdgenSlot *slot, int64 *nblocks, int64 *bulk_ids);
extern void idgen_slot_note_failure(IdgenSlot *slot, bool of_server);

extern int64 idgen_bulk_ids(int64 refills, int64 ids);
extern void idgen_count_refill(IdgenRefills *refills, const IdgenRefill *refill, bool by_worker);

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
	           slot->runs[0].next >= least && slot->runs[0].next <= greatest))
	{
		IdgenRun *run = &slot->runs[0];

		*id = run->next;
		slot->ids_left--;
		if (likely(--run->left > 0))
			run->next += slot->step;
		else
			idgen_slot_remove_run(slot, 0);
		taken = true;
	}
	LWLockRelease(&slot->lock);
	return taken;
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
