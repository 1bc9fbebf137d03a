/*
 * slot_work.h
 *		What the worker has to do with a slot, and in which queue the slot is.
 */
#ifndef IDGEN_SLOT_WORK_H
#define IDGEN_SLOT_WORK_H

#include "shmem/request_queue.h"
#include "shmem/slot.h"

/* Has a session requested a refill that the worker has not begun? */
static inline bool
idgen_slot_is_requested(const IdgenSlot *slot)
{
	return slot->work == IDGEN_WORK_REQUESTED || slot->work == IDGEN_WORK_REFILLING_REQUESTED;
}

/* Is an attempt of the worker under way? */
static inline bool
idgen_slot_is_attempted(const IdgenSlot *slot)
{
	return slot->work == IDGEN_WORK_REFILLING || slot->work == IDGEN_WORK_REFILLING_REQUESTED;
}

extern IdgenRequestQueue idgen_slot_queue(const IdgenSlot *slot);
extern void idgen_slot_request(IdgenSlot *slot);
extern void idgen_slot_withdraw(IdgenSlot *slot);
extern void idgen_slot_begin_refilling(IdgenSlot *slot);
extern void idgen_slot_end_refilling(IdgenSlot *slot);
extern void idgen_slot_begin_wait(IdgenSlot *slot);
extern void idgen_slot_end_wait(IdgenSlot *slot);

#endif /* IDGEN_SLOT_WORK_H */
