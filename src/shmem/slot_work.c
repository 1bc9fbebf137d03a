/*
 * slot_work.c
 *		What the worker has to do with a slot, and in which queue the slot is.
 *
 * The queue follows from the step that the slot is at (IdgenSlotWork), and from
 * whether sessions wait. So both are changed by one function alone, and the
 * slot changes its queue with them: whenever its lock is free, it is in the
 * queue that it belongs to. If it does not belong to another one than before,
 * it keeps its turn. If it does, it goes to the end of that: first come, first
 * served.
 *
 * A request that is made while an attempt is under way is not in a queue of
 * requests: the next attempt begins only when that one is over.
 *
 * Slots of a session's own cache have no worker, and are in no queue.
 *
 * Locking rules: the caller of every function here holds the slot's lock. None
 * of them raises an error.
 */
#include "postgres.h"

#include "shmem/cache_internal.h"
#include "shmem/slot_work.h"

/* The queue that a slot belongs to. */
IdgenRequestQueue
idgen_slot_queue(const IdgenSlot *slot)
{
	switch ((IdgenSlotWork) slot->work)
	{
		case IDGEN_WORK_NOTHING:
			return IDGEN_QUEUE_NONE;
		case IDGEN_WORK_REQUESTED:
			return slot->refill.waiters > 0 ? IDGEN_QUEUE_AWAITED : IDGEN_QUEUE_AHEAD;
		case IDGEN_WORK_REFILLING:
		case IDGEN_WORK_REFILLING_REQUESTED:
			return IDGEN_QUEUE_UNDER_WAY;
	}
	pg_unreachable();
}

/* The slot comes to another step, or another number of sessions wait. */
static void
change(IdgenSlot *slot, IdgenSlotWork work, int waiters)
{
	IdgenRequestQueue before = idgen_slot_queue(slot);
	IdgenRequestQueue after;

	slot->work = work;
	slot->refill.waiters = waiters;
	after = idgen_slot_queue(slot);
	if (after != before)
		idgen_request_queue_move(idgen_cache_slot_number(slot), slot->source.stored.dbid, after);
}

/* A session requests a refill; an attempt that is under way goes on. */
void
idgen_slot_request(IdgenSlot *slot)
{
	change(slot, idgen_slot_is_attempted(slot) ? IDGEN_WORK_REFILLING_REQUESTED : IDGEN_WORK_REQUESTED,
	       slot->refill.waiters);
}

/*
 * The request, if there is one, has been met, or denied, or is not needed any
 * more; an attempt that is under way goes on.
 */
void
idgen_slot_withdraw(IdgenSlot *slot)
{
	change(slot, idgen_slot_is_attempted(slot) ? IDGEN_WORK_REFILLING : IDGEN_WORK_NOTHING,
	       slot->refill.waiters);
}

/* The worker begins an attempt. */
void
idgen_slot_begin_refilling(IdgenSlot *slot)
{
	Assert(slot->work == IDGEN_WORK_REQUESTED);
	change(slot, IDGEN_WORK_REFILLING, slot->refill.waiters);
}

/* The attempt is over. What has been requested meanwhile can be attempted. */
void
idgen_slot_end_refilling(IdgenSlot *slot)
{
	Assert(idgen_slot_is_attempted(slot));
	change(slot, idgen_slot_is_requested(slot) ? IDGEN_WORK_REQUESTED : IDGEN_WORK_NOTHING,
	       slot->refill.waiters);
}

/* One more session waits, in whichever way. */
void
idgen_slot_begin_wait(IdgenSlot *slot)
{
	change(slot, slot->work, slot->refill.waiters + 1);
}

/* One of them does not wait any more. */
void
idgen_slot_end_wait(IdgenSlot *slot)
{
	Assert(slot->refill.waiters > 0);
	change(slot, slot->work, slot->refill.waiters - 1);
}
