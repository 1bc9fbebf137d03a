/*
 * refiller.h
 *		Does the worker refill for a call, or the session itself?
 */
#ifndef IDGEN_REFILLER_H
#define IDGEN_REFILLER_H

#include "session/call.h"
#include "session/handle.h"

extern bool idgen_worker_serves(const IdgenHandle *handle, const IdgenCall *call);
extern void idgen_refiller_miss_worker(const IdgenHandle *handle, const IdgenCall *call);
extern Oid idgen_worker_for(const IdgenHandle *handle);
extern void idgen_refiller_is_session(IdgenCall *call);

#endif /* IDGEN_REFILLER_H */
