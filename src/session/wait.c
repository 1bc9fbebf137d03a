/*
 * wait.c
 *		Waiting for another session's transaction.
 *
 * A session that refills has left its xid in the slot. Others wait for the end
 * of that in the server's lock manager: deadlocks are detected, timeouts and
 * cancelling work, and long waits are logged.
 *
 * The end of a transaction is: the commit is flushed; it is visible, and its
 * rows are free; its blocks are published; its locks go. So a session that has
 * got the row may come before the publication of what was allocated before.
 * Whoever allocates leaves its top xid in the slot, too: the next one who gets
 * the row waits for that, if the transaction is in progress no more. (One that
 * is in progress, though the row is free, has rolled back to a savepoint. It
 * has nothing to publish, and may be waiting for this very session. Waiting for
 * the writer of the row does not do: that is a subtransaction, perhaps, or
 * another program.)
 *
 * How many sessions wait is a hint: the next refill takes more blocks. One that
 * is cancelled takes itself off, but nothing depends on that.
 */
#include "postgres.h"

#include "storage/lmgr.h"
#include "storage/procarray.h"

#include "common/clock.h"
#include "common/compat.h"
#include "common/full_xid.h"
#include "session/xact.h"
#include "session/handle.h"

/* No slot counts more sessions than that. */
#define IDGEN_MAX_WAITERS 10000

/* The handle for which this session is counted as waiting, or NULL. */
static const IdgenHandle *waiting_for = NULL;
static instr_time began_waiting;

/*
 * Count this session as one that waits; with "crowd", for another session that
 * uses the same ids.
 */
void
idgen_wait_begin(const IdgenHandle *handle, bool crowd)
{
	IdgenSlot *slot = idgen_handle_lock_slot(handle);

	INSTR_TIME_SET_CURRENT(began_waiting);
	waiting_for = handle;
	if (slot == NULL)
		return;
	slot->waiters = Min(slot->waiters + 1, IDGEN_MAX_WAITERS);
	slot->counters.waits++;
	slot->ran_dry = true;
	if (crowd)
		slot->crowded_ms = idgen_clock_ms();
	LWLockRelease(&slot->lock);
}

/* If this session is counted as waiting, it is not any more. */
void
idgen_wait_end(void)
{
	IdgenSlot *slot;
	instr_time now;

	if (waiting_for == NULL)
		return;
	INSTR_TIME_SET_CURRENT(now);
	INSTR_TIME_SUBTRACT(now, began_waiting);
	slot = idgen_handle_lock_slot(waiting_for);
	waiting_for = NULL;
	if (slot == NULL)
		return;
	if (slot->waiters > 0)
		slot->waiters--;
	slot->counters.waited_us = idgen_add_saturating(slot->counters.waited_us, INSTR_TIME_GET_MICROSEC(now));
	LWLockRelease(&slot->lock);
}

/* Wait for the end of a (sub)transaction, in the server's lock manager. */
void
idgen_wait_for_transaction(TransactionId xid)
{
	XactLockTableWait(xid, NULL, NULL, XLTW_None);
}

/*
 * Wait until the transaction that has allocated last has published, if it is
 * about to. From now on that is "own", unless it is 0.
 */
void
idgen_wait_for_allocator(const IdgenHandle *handle, uint64 own)
{
	IdgenSlot *slot = idgen_handle_lock_slot(handle);
	uint64 allocator;
	TransactionId xid;

	if (slot == NULL)
		return;
	allocator = slot->allocator;
	if (own != 0)
		slot->allocator = own;
	LWLockRelease(&slot->lock);

	xid = idgen_short_xid(allocator);
	if (TransactionIdIsValid(xid) && !TransactionIdIsCurrentTransactionId(xid) && !TransactionIdIsInProgress(xid))
		idgen_wait_for_transaction(xid);
}

/* Is a claim void, since its (sub)transaction has ended, or is this one's? */
static bool
is_void(TransactionId xid)
{
	return !TransactionIdIsValid(xid) || TransactionIdIsCurrentTransactionId(xid) ||
		ConditionalXactLockTableWait(xid, false);
}

/*
 * Wait for the session that refills, as the cache has said. Returns false,
 * without having waited, if that could be a deadlock.
 */
bool
idgen_wait_for_claim(const IdgenHandle *handle, IdgenCall *call, uint64 claim)
{
	TransactionId xid = idgen_short_xid(claim);
	ErrorContextCallback context;

	if (!is_void(xid))
	{
		if (idgen_handle_holds_row(handle))
			return false;
		idgen_wait_begin(handle, true);
		idgen_refill_context_push(handle->name, &context);
		idgen_wait_for_transaction(xid);
		error_context_stack = context.previous;
		idgen_wait_end();
	}
	idgen_wait_for_allocator(handle, 0);
	call->awaited = claim;
	return true;
}
