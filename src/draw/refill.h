/*
 * refill.h
 *		Refilling, and waiting for others to.
 */
#ifndef IDGEN_REFILL_H
#define IDGEN_REFILL_H

#include "session/call.h"
#include "session/handle.h"
#include "shmem/slot_draw.h"

extern bool idgen_refill_prepared(const IdgenHandle *handle);
extern bool idgen_refill_get_ready(IdgenHandle *handle, IdgenDraw *draw);
extern void idgen_refill_uncached(IdgenHandle *handle, IdgenCall *call);
extern void idgen_refill_claimed(IdgenHandle *handle, IdgenCall *call, TransactionId xid,
                                 const IdgenDrawResult *draw, bool ahead);
extern bool idgen_refill_at_once(IdgenHandle *handle, IdgenCall *call, int64 nblocks, bool ahead,
                                 IdgenBlock *ids);

extern IdgenSourceResult idgen_refill_allocate(IdgenHandle *handle, const IdgenRequest *request,
                                               IdgenRefill *refill);
extern bool idgen_refill_is_replicated(XLogRecPtr lsn);
extern bool idgen_refill_flush(XLogRecPtr lsn);

extern void idgen_refill_expected(IdgenHandle *handle);
extern void idgen_refill_await_transaction(IdgenCall *call, TransactionId xid);
extern void idgen_refill_await_publishing(const IdgenHandle *handle, IdgenCall *call);
extern void idgen_refill_not_awaited(void);
extern void idgen_refill_abort(void);

#endif /* IDGEN_REFILL_H */
