/*
 * slot_publish.c
 *		What a refill has brought is put into a slot.
 *
 * It comes from a transaction that has ended (idgen_slot_finish), or right from
 * the source (idgen_slot_publish). In either case it is allocated for good, and
 * that is on disk. But between the allocation and now an event may have emptied
 * the slot, because ids of before are void: such a block is lost.
 *
 * Locking rules: the caller of each function holds the slot's lock, except for
 * idgen_slot_publish(), which takes it. None of them raises an error.
 */
#include "postgres.h"

#include "access/transam.h"

#include "shmem/slot_pace.h"
#include "shmem/slot_publish.h"

/* Add what is left of a refill. */
static void
add_rest(IdgenSlot *slot, const IdgenRest *rest)
{
	if (rest->block.left > 0)
		idgen_slot_add_block(slot, &rest->block);
	for (int i = 0; i < rest->nmore; i++)
		idgen_slot_add_block(slot, &rest->more[i]);
	idgen_file_entry_set(&slot->source.stored, rest->storage);
	slot->source.origin = rest->origin;
	slot->source.lost_at_shutdown = rest->lost_at_shutdown;
}

/*
 * May the rest of a refill be published where the last event that voided ids
 * has that number, and which is empty, or has ids of that origin? What a
 * transaction allocates after changing the row itself is good.
 */
bool
idgen_outcome_is_good(const IdgenOutcome *outcome, uint64 dropped_at, bool empty, uint32 origin)
{
	return outcome->rest_good_as_of != IDGEN_NOT_PUBLISHABLE &&
		(outcome->change >= IDGEN_SLOT_DROP || dropped_at <= outcome->rest_good_as_of) &&
		(empty || origin == outcome->rest.origin);
}

/*
 * Publish the rest of a refill, or count it as lost. Returns the ids lost
 * because there was no slot when they were allocated.
 */
static int64
publish_or_lose(IdgenSlot *slot, const IdgenOutcome *outcome)
{
	int64 ids = idgen_rest_ids(&outcome->rest);

	if (ids == 0)
		return 0;
	if (outcome->rest_fate == IDGEN_OUTCOME_LOST)
		slot->counters.ids_lost.prepared += ids;
	else if (idgen_outcome_is_good(outcome, slot->dropped_at, slot->nblocks == 0, slot->source.origin))
		add_rest(slot, &outcome->rest);
	else if (outcome->rest_good_as_of == 0)
		return ids;
	else
		slot->counters.ids_lost.changed += ids;
	return 0;
}

static void
add_counters(IdgenSlot *slot, const IdgenOutcome *outcome)
{
	const IdgenCounters *add = &outcome->counters;

	slot->counters.ids_issued = idgen_add_saturating(slot->counters.ids_issued, add->ids_issued);
	slot->counters.refills += add->refills;
	slot->counters.session_refills += add->session_refills;
	slot->counters.blocks_taken = idgen_add_saturating(slot->counters.blocks_taken, add->blocks_taken);
	slot->counters.last_refill = Max(slot->counters.last_refill, add->last_refill);
	if (outcome->refills_us > 0)
		idgen_slot_times(slot)->refills_us = idgen_add_saturating(idgen_slot_times(slot)->refills_us, outcome->refills_us);

	/* Sessions that draw from pending blocks only use the slot, too. */
	if (add->ids_issued > 0 || add->refills > 0)
		idgen_slot_note_use(slot);
}

/*
 * A transaction has ended: apply what it did. "number" is that of this event.
 * Returns the ids lost because there was no slot when they were allocated.
 */
int64
idgen_slot_finish(IdgenSlot *slot, const IdgenOutcome *outcome, uint64 number)
{
	int64 uncached = 0;

	if (outcome->change >= IDGEN_SLOT_DROP)
		idgen_slot_drop(slot, number);
	else if (outcome->change == IDGEN_SLOT_REVALIDATE)
	{
		slot->version = number;
		slot->source.warned_percent = IDGEN_NOT_WARNED; /* the range may be another one */
	}

	if (outcome->rest_fate != IDGEN_OUTCOME_FORGOTTEN)
	{
		uncached = publish_or_lose(slot, outcome);
		slot->counters.ids_lost.crowded += outcome->counters.ids_lost.crowded;
	}
	slot->counters.ids_lost.changed += outcome->counters.ids_lost.changed;
	if (outcome->change != IDGEN_SLOT_UNCHANGED)
		slot->ahead_below = slot->ids_left / 2; /* in case the worker refills now */
	if (outcome->rest_fate != IDGEN_OUTCOME_FORGOTTEN)
		idgen_slot_plan_ahead(slot, outcome->ahead_blocks, outcome->ahead_ids);

	/* What kept the worker from the row may have been this transaction. */
	slot->row_locked = false;
	if (TransactionIdIsValid(outcome->claim) && slot->refill.claim == outcome->claim)
		slot->refill.claim = InvalidTransactionId;

	add_counters(slot, outcome);
	return uncached;
}

/*
 * A publisher's refill is done: publish what it has brought, or count it as
 * lost, and wake the sessions that wait for it. It is void if the slot was
 * emptied by an event with a number greater than "good_as_of". Before any other
 * session, take "count" consecutive ids, unless that is 0; returns false if
 * there are none.
 */
bool
idgen_slot_publish(IdgenSlot *slot, const IdgenRefill *refill, IdgenOutcomeRest fate,
                   uint64 good_as_of, int64 count, IdgenBlock *ids)
{
	TimestampTz now = idgen_refill_end(refill);
	IdgenRest rest = refill->rest;
	bool taken = false;
	int block;

	LWLockAcquire(&slot->lock, LW_EXCLUSIVE);
	if (count == 1)
	{
		/* Often there are no others, and nothing is left to add. */
		*ids = idgen_block_cut(&rest.block, 1);
		slot->counters.ids_issued++;
		taken = true;
	}
	if (fate == IDGEN_OUTCOME_LOST)
		slot->counters.ids_lost.prepared += idgen_rest_ids(&rest);
	else if (slot->source.origin == rest.origin && slot->dropped_at <= good_as_of)
		add_rest(slot, &rest);
	else
		slot->counters.ids_lost.changed += idgen_rest_ids(&rest);
	if (count > 1 && (block = idgen_slot_find_block(slot, count)) >= 0)
	{
		*ids = idgen_slot_take_from_block(slot, block, count);
		taken = true;
	}
	idgen_slot_plan_ahead(slot, refill->ahead_blocks, refill->ahead_ids);
	idgen_count_refill(&slot->counters, &idgen_slot_times(slot)->refills_us, refill, now);
	slot->counters.session_refills++;
	idgen_slot_note_use(slot);
	Assert(slot->refill.publishers > 0);
	slot->refill.publishers--;
	LWLockRelease(&slot->lock);
	ConditionVariableBroadcast(&slot->refill.done);
	return taken;
}

/* A publisher has given its refill up. */
void
idgen_slot_not_refilled(IdgenSlot *slot)
{
	Assert(slot->refill.publishers > 0);
	slot->refill.publishers--;
	ConditionVariableBroadcast(&slot->refill.done);
}
