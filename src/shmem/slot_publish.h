/*
 * slot_publish.h
 *		What a refill has brought is put into a slot.
 */
#ifndef IDGEN_SLOT_PUBLISH_H
#define IDGEN_SLOT_PUBLISH_H

#include "shmem/slot.h"

/* In place of a rest_good_as_of: the block must not be published. */
#define IDGEN_NOT_PUBLISHABLE PG_UINT64_MAX

/* What has been done to the row, or to what the ids come from. */
typedef enum IdgenSlotChange
{
	IDGEN_SLOT_UNCHANGED,
	IDGEN_SLOT_REVALIDATE, /* sessions look again, e.g. at a row that was made */
	IDGEN_SLOT_DROP,       /* they do, and what is cached is void */
	IDGEN_SLOT_REMOVE,     /* and nobody needs the entry any more */
} IdgenSlotChange;

/* What becomes of allocated ids that were not drawn. */
typedef enum IdgenOutcomeRest
{
	IDGEN_OUTCOME_FORGOTTEN, /* their allocation is undone */
	IDGEN_OUTCOME_PUBLISHED, /* they go into the slot */
	IDGEN_OUTCOME_LOST,      /* the allocation may be undone later, or may not last */
} IdgenOutcomeRest;

/* What a transaction did to an id sequence, reported when it ends. */
typedef struct IdgenOutcome
{
	IdgenSlotChange change;
	IdgenOutcomeRest rest_fate;
	IdgenRest rest;         /* what is left of pending blocks */
	uint64 rest_good_as_of; /* the rest is void if the entry was emptied by an
	                         * event with a greater number; 0 if there was no
	                         * entry, or IDGEN_NOT_PUBLISHABLE */
	int64 ahead_blocks;     /* blocks asked for by its last refill */
	int64 ahead_ids;        /* ids in those; 0 = it has not refilled */
	TransactionId claim;    /* the claim it made, or invalid */
	int64 ahead_below;      /* of the worker: refill again when this many are left */
	double left_at_server;  /* of the worker: the ids that another server has left;
	                         * 0 if the blocks are from this one */
	IdgenCounters counters; /* to add: no waits, no ids_lost prepared, and crowded only if
	                         * published */
	int64 refills_us;       /* to add: microseconds that these took */
} IdgenOutcome;

/* The number of ids that were allocated, for good or not, and not drawn. */
static inline int64
idgen_outcome_ids(const IdgenOutcome *outcome)
{
	return outcome->rest_fate == IDGEN_OUTCOME_FORGOTTEN ? 0 : idgen_rest_ids(&outcome->rest);
}

extern bool idgen_outcome_is_good(const IdgenOutcome *outcome, uint64 dropped_at, bool empty,
                                  uint32 origin);
extern int64 idgen_slot_finish(IdgenSlot *slot, const IdgenOutcome *outcome,
                               uint64 number);
extern bool idgen_slot_publish(IdgenSlot *slot, const IdgenRefill *refill, IdgenOutcomeRest fate,
                               uint64 good_as_of, int64 count, IdgenBlock *ids);
extern void idgen_slot_not_refilled(IdgenSlot *slot);

#endif /* IDGEN_SLOT_PUBLISH_H */
