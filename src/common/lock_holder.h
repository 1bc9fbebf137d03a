/*
 * lock_holder.h
 *		Locks that refills wait for, and who holds them.
 */
#ifndef IDGEN_LOCK_HOLDER_H
#define IDGEN_LOCK_HOLDER_H

#include "storage/lock.h"

/* The transaction that holds a lock which somebody else needs. */
typedef struct IdgenLockHolder
{
	TransactionId xid; /* invalid if it has none */
	int pid;           /* of its session; 0 if the transaction is prepared */
} IdgenLockHolder;

extern IdgenLockHolder idgen_lock_holder_of(VirtualTransactionId vxid);
extern bool idgen_lock_holder_find(TransactionId xid, Oid relid, IdgenLockHolder *holder);

#endif /* IDGEN_LOCK_HOLDER_H */
