/*
 * by_worker.h
 *		Drawing from an id sequence that the worker refills.
 */
#ifndef IDGEN_BY_WORKER_H
#define IDGEN_BY_WORKER_H

#include "session/call.h"
#include "session/handle.h"

extern IdgenDrawAnswer idgen_by_worker_draw(IdgenHandle *handle, IdgenCall *call,
                                            const IdgenWanted *wanted, IdgenBlock *ids);

#endif /* IDGEN_BY_WORKER_H */
