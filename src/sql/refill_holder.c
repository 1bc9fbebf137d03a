/*
 * refill_holder.c
 *		Which transaction a refill of an id sequence waits for.
 *
 * A refill may wait for a transaction that has locked the row, be it that of a
 * session which has refilled or that of another program; for one that has
 * claimed the refill; and for one that has locked the native sequence. Nobody
 * who draws or refills notes that for this. It is found out when somebody asks:
 * from the row itself, from what the cache holds, and from the lock manager.
 *
 * The row comes first. A session that has claimed the refill may itself wait
 * for another program, which has locked the row.
 */
#include "postgres.h"

#include "access/transam.h"

#include "catalog/row.h"
#include "sql/refill_holder.h"

/*
 * Find the transaction that a refill of an id sequence waits for. "row" is its
 * newest version in "rel", or empty; "object" what its source draws from, or
 * invalid; "cached" what the cache holds of it, or NULL. Returns false if no
 * refill is known to wait. (That a transaction holds a native sequence is
 * enough: a refill will wait for it.) Caller has a snapshot.
 */
bool
idgen_refill_find_holder(Relation rel, TupleTableSlot *row, const IdgenSource *source,
                         Oid object, const IdgenCached *cached, IdgenLockHolder *holder)
{
	bool awaited = cached != NULL && cached->awaited;
	TransactionId xid = InvalidTransactionId;
	IdgenLock lock;

	if (source->locks_row && !TTS_EMPTY(row) && (awaited || idgen_row_is_awaited(rel, row)))
		xid = idgen_row_holder(row);
	if (!TransactionIdIsValid(xid) && awaited)
		xid = cached->claim;
	if (!idgen_lock_of_running(xid, &lock))
	{
		if (!OidIsValid(object))
			return false;
		lock = idgen_lock_of_relation(object);
	}
	return idgen_lock_find_holder(&lock, holder);
}
