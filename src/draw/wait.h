/*
 * wait.h
 *		Waiting for another session to refill.
 */
#ifndef IDGEN_WAIT_H
#define IDGEN_WAIT_H

#include "session/call.h"
#include "session/handle.h"

extern void idgen_wait_begin(const IdgenHandle *handle);
extern void idgen_wait_measure(void);
extern void idgen_wait_forget_measure(void);
extern void idgen_wait_for_transaction(IdgenCall *call, TransactionId xid);
extern void idgen_wait_for_publishing(const IdgenHandle *handle, IdgenCall *call);
extern void idgen_wait_end(void);

#endif /* IDGEN_WAIT_H */
