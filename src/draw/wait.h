/*
 * wait.h
 *		Waiting for another session to refill.
 */
#ifndef IDGEN_WAIT_H
#define IDGEN_WAIT_H

#include "session/call.h"
#include "session/handle.h"
#include "shmem/slot_draw.h"

extern void idgen_wait_begin(const IdgenHandle *handle);
extern void idgen_wait_for_transaction(IdgenCall *call, TransactionId xid);
extern bool idgen_wait_for_refill(const IdgenHandle *handle, IdgenCall *call, IdgenDrawMode mode,
                                  TransactionId claim);
extern void idgen_wait_end(void);

#endif /* IDGEN_WAIT_H */
