/*
 * full_xid.h
 *		Transaction ids that may be kept for long.
 *
 * What is kept in shared memory of a transaction that is over must not be taken
 * for a later one with the same 32-bit id, nor for one that is still to come.
 */
#ifndef IDGEN_FULL_XID_H
#define IDGEN_FULL_XID_H

#include "access/transam.h"
#include "access/xact.h"

/* The 64-bit id of a transaction that has begun within the last 2^31. */
static inline uint64
idgen_full_xid(TransactionId xid)
{
	FullTransactionId next = ReadNextFullTransactionId();

	return U64FromFullTransactionId(next) - (uint32) (XidFromFullTransactionId(next) - xid);
}

/*
 * The 32-bit id of one that is kept, 0 if it is none, or so old that it must be
 * over.
 */
static inline TransactionId
idgen_short_xid(uint64 full)
{
	if (full == 0 || U64FromFullTransactionId(ReadNextFullTransactionId()) - full > (UINT64CONST(1) << 30))
		return InvalidTransactionId;
	return (TransactionId) full;
}

#endif /* IDGEN_FULL_XID_H */
