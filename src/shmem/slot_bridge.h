/*
 * slot_bridge.h
 *		How many ids to keep, to bridge an outage of another server.
 */
#ifndef IDGEN_SLOT_BRIDGE_H
#define IDGEN_SLOT_BRIDGE_H

#include "shmem/slot.h"

extern Size idgen_bridges_size(void);
extern void idgen_bridges_startup_shmem(int tranche);
extern int64 idgen_bridge_begin_refill(const IdgenSlot *slot);
extern void idgen_bridge_note_refill(IdgenSlot *slot, double left_at_server);
extern void idgen_bridge_note_failure(IdgenSlot *slot);

#endif /* IDGEN_SLOT_BRIDGE_H */
