/*
 * slot_pace.h
 *		How much to refill, and how early.
 */
#ifndef IDGEN_SLOT_PACE_H
#define IDGEN_SLOT_PACE_H

#include "shmem/slot.h"

/* Refills of a transaction before these begin to grow. */
#define IDGEN_EVEN_REFILLS 8
/* The part of what it has taken by then that the next refill takes. */
#define IDGEN_GROWTH_DIVISOR 8

/*
 * A transaction has made that many refills, and has taken that many ids: how
 * many should the next refill take at once (rule T6)? 0 = what it would take
 * for any other transaction.
 */
static inline int64
idgen_bulk_ids(int64 refills, int64 ids)
{
	return refills >= IDGEN_EVEN_REFILLS ? ids / IDGEN_GROWTH_DIVISOR : 0;
}

extern bool idgen_slot_is_crowded(const IdgenSlot *slot);
extern int64 idgen_slot_adapt_blocks(const IdgenSlot *slot, int64 blocks);
extern void idgen_slot_plan_ahead(IdgenSlot *slot, int64 blocks, int64 ids);

#endif /* IDGEN_SLOT_PACE_H */
