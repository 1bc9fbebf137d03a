/*
 * refill.h
 *		Refilling.
 */
#ifndef IDGEN_REFILL_H
#define IDGEN_REFILL_H

#include "session/call.h"
#include "session/handle.h"
#include "shmem/slot_draw.h"

extern bool idgen_refill_is_prepared(const IdgenHandle *handle);
extern bool idgen_refill_prepare(IdgenHandle *handle, IdgenDraw *draw);
extern void idgen_refill_without_slot(IdgenHandle *handle, IdgenCall *call);
extern void idgen_refill_into_pending(IdgenHandle *handle, IdgenCall *call, TransactionId xid,
                                      const IdgenDrawResult *draw, IdgenAsker asker);
extern bool idgen_refill_and_publish(IdgenHandle *handle, IdgenCall *call, int64 nblocks,
                                     IdgenAsker asker, IdgenBlock *ids);

extern void idgen_refill_check_not_nested(const IdgenHandle *handle);
extern IdgenSourceResult idgen_refill_allocate(IdgenHandle *handle, const IdgenRequest *request,
                                               IdgenRefill *refill);
extern void idgen_refill_abort(void);

#endif /* IDGEN_REFILL_H */
