/*
 * wait.c
 *		Waiting for another session to refill.
 *
 * The cache counts a session that it tells to wait, and the next refill takes
 * more blocks for it. So each wait that has begun ends with a word to the
 * cache, also when it is cancelled.
 *
 * A pending refill is waited for in the server's lock manager, which detects
 * deadlocks. One that will be published at once is waited for on a condition
 * variable: patience takes the place of the detection there.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "storage/lmgr.h"
#include "storage/proc.h"
#include "utils/guc.h"
#include "utils/timeout.h"
#include "utils/timestamp.h"

#include "common/compat.h"
#include "common/subxact.h"
#include "draw/server_time.h"
#include "draw/wait.h"
#include "session/messages.h"

/*
 * How much longer than deadlock_timeout a session waits before it looks again.
 */
#define IDGEN_DEADLOCK_MARGIN_MS 100

/*
 * The entry in which this session is counted as waiting, if any. The name in
 * the key is that of the handle, which lives until the transaction ends at
 * least; the wait ends before.
 */
static bool waiting = false;
static IdgenCacheKey waiting_key;
static TimestampTz began_waiting;

/* The cache has counted this session as waiting. */
void
idgen_wait_begin(const IdgenHandle *handle)
{
	idgen_handle_key(handle, &waiting_key);
	waiting = true;
	began_waiting = GetCurrentTimestamp();
}

/* The wait is over; for what, see idgen_cache_waited(). */
static void
end_wait(TransactionId xid)
{
	waiting = false;
	idgen_cache_waited(&waiting_key, xid, Max(0, GetCurrentTimestamp() - began_waiting));
}

/*
 * If this session is counted as waiting, it is not any more: it has refilled
 * itself, or the worker has refilled, or an error has ended the wait.
 */
void
idgen_wait_end(void)
{
	if (waiting)
		end_wait(InvalidTransactionId);
}

/* A wait for a (sub)transaction. */
typedef struct TransactionWait
{
	TransactionId xid;
	long timeout; /* in milliseconds */
	bool again;   /* is it not the first wait for it? */
} TransactionWait;

static void
wait_for_transaction(void *arg)
{
	const TransactionWait *wait = (const TransactionWait *) arg;

	(void) set_config_option("lock_timeout", psprintf("%ld", wait->timeout), PGC_USERSET,
	                         PGC_S_SESSION, GUC_ACTION_SAVE, true, 0, false);
	if (wait->again)
		(void) set_config_option("log_lock_waits", "off", PGC_SUSET,
		                         PGC_S_SESSION, GUC_ACTION_SAVE, true, 0, false);
	XactLockTableWait(wait->xid, NULL, NULL, XLTW_None);
}

/*
 * The milliseconds of lock_timeout that are left for a wait for a transaction;
 * 0 = no limit.
 */
static long
lock_timeout_left(IdgenCall *call, TransactionId xid)
{
	TimestampTz now = GetCurrentTimestamp();

	if (call->awaited != xid)
	{
		call->awaited = xid;
		call->awaited_since = now;
	}
	if (LockTimeout <= 0)
		return 0;
	return Max(1, TimestampDifferenceMilliseconds(now, TimestampTzPlusMilliseconds(call->awaited_since, LockTimeout)));
}

/*
 * Wait for the (sub)transaction that is refilling, in the server's lock
 * manager: deadlocks are detected, timeouts and cancelling work.
 *
 * If that lasts, look again now and then, and tell the cache how long it has
 * lasted so far: the transaction may have been prepared. Then it goes on,
 * perhaps for ever, but refills no more. The server looks for a deadlock first,
 * so the wait is a bit longer than that takes. The server logs only the first
 * such wait (log_lock_waits), as if it went on.
 *
 * By the time that the process gets to run, statement_timeout may be over as
 * well. The server acts on the timeout that was first, which is this one, and
 * forgets the other.
 */
void
idgen_wait_for_transaction(IdgenCall *call, TransactionId xid)
{
	bool again = call->awaited == xid;
	long left = lock_timeout_left(call, xid);
	long round = Min(DeadlockTimeout, INT_MAX - IDGEN_DEADLOCK_MARGIN_MS) + IDGEN_DEADLOCK_MARGIN_MS;
	TransactionWait wait = {xid, left > 0 ? Min(left, round) : round, again};
	bool limited = get_timeout_active(STATEMENT_TIMEOUT);
	ErrorData *timed_out;

	timed_out = idgen_try(wait_for_transaction, &wait, ERRCODE_LOCK_NOT_AVAILABLE);
	if (timed_out == NULL)
	{
		end_wait(xid);
		return;
	}
	if (wait.timeout == left)
		idgen_rethrow(timed_out);
	else if (limited && !get_timeout_active(STATEMENT_TIMEOUT))
		ereport(ERROR,
		        (errcode(ERRCODE_QUERY_CANCELED),
		         errmsg("canceling statement due to statement timeout")));
	else
		FreeErrorData(timed_out);
}

/*
 * The milliseconds for which a call may still wait for sessions that refill and
 * publish at once. A call waits as long as another server may need; or, if none
 * is asked, as long as the server lets a session wait before it looks for a
 * deadlock, since nothing would detect one here. The time counts from the
 * call's first wait: if one refill fails after the other, not all sessions wait
 * for all of them.
 */
static long
patience_left(const IdgenHandle *handle, IdgenCall *call)
{
	TimestampTz now = GetCurrentTimestamp();

	if (idgen_needs_server(handle))
		return idgen_server_patience_left(call);
	if (call->waiting_since == 0)
		call->waiting_since = now;
	return TimestampDifferenceMilliseconds(now, TimestampTzPlusMilliseconds(call->waiting_since, DeadlockTimeout));
}

/*
 * Wait for a refill that will be published at once, as long as patience lasts.
 * After that, this session refills itself. A session that refills so waits for
 * no lock of a transaction, but for those on the system catalogs, and at
 * another server. If it fails to reach that, those that wait share its failure.
 */
static void
wait_for_publishing(const IdgenHandle *handle, IdgenCall *call)
{
	static uint32 wait_event = 0;
	IdgenSlot *slot = handle->found.slot;
	TimestampTz since = GetCurrentTimestamp();
	IdgenPublishingState publishing;
	long timeout;

	if (wait_event == 0)
		wait_event = WaitEventExtensionNew("IdgenRefill");

	ConditionVariablePrepareToSleep(&slot->refill.done);
	while ((publishing = idgen_slot_look_at_publishing(slot, call->count)) == IDGEN_PUBLISHING_AWAITED &&
	       !call->impatient)
	{
		timeout = patience_left(handle, call);
		call->impatient = timeout == 0 || ConditionVariableTimedSleep(&slot->refill.done, timeout, wait_event);
	}
	ConditionVariableCancelSleep();
	end_wait(InvalidTransactionId);
	if (publishing == IDGEN_PUBLISHING_IN_VAIN && idgen_needs_server(handle))
		idgen_server_share_failure(handle, since);
}

/*
 * Wait for the session that refills, as the cache has said to one that draws in
 * that mode: for the end of its claim, a transaction, or for it to publish.
 * Returns false, without having waited, if that could be a deadlock.
 */
bool
idgen_wait_for_refill(const IdgenHandle *handle, IdgenCall *call, IdgenDrawMode mode, TransactionId claim)
{
	ErrorContextCallback context;

	idgen_wait_begin(handle);
	if (mode != IDGEN_MODE_PUBLISHING && idgen_handle_holds_row(handle))
	{
		idgen_wait_end();
		return false;
	}
	idgen_refill_context_push(handle->name, &context);
	if (mode == IDGEN_MODE_PUBLISHING)
		wait_for_publishing(handle, call);
	else
		idgen_wait_for_transaction(call, claim);
	error_context_stack = context.previous;
	return true;
}
