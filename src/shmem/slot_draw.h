/*
 * slot_draw.h
 *		Sessions draw from a slot, and learn that another one is refilling.
 */
#ifndef IDGEN_SLOT_DRAW_H
#define IDGEN_SLOT_DRAW_H

#include "shmem/slot.h"

/*
 * Which ids a draw may take, and which sessions its refill concerns, if it
 * comes to one. What a transaction has changed may be what the ids come from:
 * then it must not use published ids, which are from before ("after change").
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
	 * size 1, for a session's own cache, and after a change for sources that
	 * are not transactional.
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
	int64 count;             /* consecutive ids wanted */
	uint64 version;          /* the slot's version that the caller knows */
	bool may_wait;           /* false if it has refilled in this transaction, or
	                          * waited long enough */
	bool may_refill;         /* has it done what must come before a refill? */
	TransactionId xid;       /* if it may refill and is not publishing: of the
	                          * (sub)transaction */
	TransactionId own_claim; /* the claim it made before, or invalid */
	TransactionId awaited;   /* the claim that it has waited for, or invalid */
	IdgenPassed *passed;     /* NULL if it has passed no ids */
} IdgenDraw;

/* What idgen_slot_draw() answers. */
typedef enum IdgenDrawAnswer
{
	/* The version differs: validate, then try again. */
	IDGEN_DRAW_STALE,

	/* The result's ids are the caller's. */
	IDGEN_DRAW_TAKEN,

	/* The draw needs a refill: prepare it, set may_refill, and try again. */
	IDGEN_DRAW_PREPARE,

	/*
	 * Wait for the result's transaction or, if publishing, as long as
	 * idgen_slot_look_at_publishing() says. In either case call
	 * idgen_cache_waited() in the end.
	 */
	IDGEN_DRAW_WAIT,

	/*
	 * Refill the result's number of blocks. If publishing, call
	 * idgen_slot_publish() or idgen_cache_not_refilled() in the end.
	 */
	IDGEN_DRAW_REFILL,

	/* Do what IDGEN_DRAW_REFILL says, though there are ids left. */
	IDGEN_DRAW_REFILL_AHEAD,
} IdgenDrawAnswer;

typedef struct IdgenDrawResult
{
	IdgenBlock ids;         /* if taken */
	TransactionId wait_for; /* if to wait, and not publishing: the claim */
	int64 nblocks;          /* if to refill */
	bool claimed;           /* if to refill: is the claim the caller's xid now? */
	bool wake_worker;       /* if taken from what the worker refills */
	uint64 attempt;         /* if to wait for the worker: its attempt that counts */
} IdgenDrawResult;

/* What has become of ids that another session is to publish. */
typedef enum IdgenPublishingState
{
	IDGEN_PUBLISHING_AWAITED,
	IDGEN_PUBLISHING_DONE,
	IDGEN_PUBLISHING_IN_VAIN, /* nobody is about to publish any, nor are there any */
} IdgenPublishingState;

extern IdgenDrawAnswer idgen_slot_draw(IdgenSlot *slot, const IdgenDraw *draw,
                                       IdgenDrawResult *result);
extern IdgenPublishingState idgen_slot_look_at_publishing(IdgenSlot *slot, int64 count);

extern bool idgen_slot_take_before(IdgenSlot *slot, uint64 version, const IdgenBlock *block,
                                   int64 count, IdgenPassed *passed, IdgenBlock *ids);

#endif /* IDGEN_SLOT_DRAW_H */
