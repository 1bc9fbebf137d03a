/*
 * wait.h
 *		Waiting for another session's transaction.
 */
#ifndef IDGEN_WAIT_H
#define IDGEN_WAIT_H

#include "session/call.h"
#include "session/handle.h"

extern void idgen_wait_begin(const IdgenHandle *handle, bool crowd);
extern void idgen_wait_end(void);
extern void idgen_wait_for_transaction(TransactionId xid);
extern bool idgen_wait_for_claim(const IdgenHandle *handle, IdgenCall *call, uint64 claim);
extern void idgen_wait_for_allocator(const IdgenHandle *handle, uint64 own);

#endif /* IDGEN_WAIT_H */
