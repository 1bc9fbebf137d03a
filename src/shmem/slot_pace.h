/*
 * slot_pace.h
 *		How much to refill, and how early.
 */
#ifndef IDGEN_SLOT_PACE_H
#define IDGEN_SLOT_PACE_H

#include "shmem/slot.h"

extern bool idgen_slot_is_crowded(const IdgenSlot *slot);
extern int64 idgen_slot_adapt_blocks(const IdgenSlot *slot, int64 blocks);
extern void idgen_slot_plan_ahead(IdgenSlot *slot, int64 blocks, int64 ids);

#endif /* IDGEN_SLOT_PACE_H */
