/*
 * refill.h
 *		Refilling.
 */
#ifndef IDGEN_REFILL_H
#define IDGEN_REFILL_H

#include "session/call.h"
#include "session/handle.h"

extern bool idgen_refill_prepare(IdgenHandle *handle, IdgenCall *call, IdgenDraw *draw, bool ahead);
extern void idgen_refill_into_pending(IdgenHandle *handle, IdgenCall *call, const IdgenDraw *draw,
                                      const IdgenDrawResult *drawn);
extern IdgenDrawAnswer idgen_refill_and_publish(IdgenHandle *handle, IdgenCall *call, const IdgenDraw *draw,
                                                const IdgenDrawResult *drawn, IdgenBlock *ids);

extern bool idgen_refill_try_lock(const IdgenHandle *handle);
extern void idgen_refill_unlock(const IdgenHandle *handle);

extern void idgen_refill_check_not_nested(const IdgenHandle *handle);
extern IdgenSourceResult idgen_refill_allocate(IdgenHandle *handle, const IdgenRequest *request,
                                               IdgenRefill *refill);
extern IdgenSourceResult idgen_refill_pending(IdgenHandle *handle, const IdgenRequest *request,
                                              IdgenRefill *refill);

/* refiller.c */
extern bool idgen_worker_serves(const IdgenHandle *handle, const IdgenCall *call);
extern void idgen_refiller_miss_worker(const IdgenHandle *handle, const IdgenCall *call);
extern Oid idgen_worker_for(const IdgenHandle *handle);
extern void idgen_refiller_is_session(IdgenCall *call);


#endif /* IDGEN_REFILL_H */
