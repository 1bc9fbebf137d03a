/*
 * worker_wait.c
 *		Waiting for the worker.
 *
 * No wait lasts forever (rule W4): not for a worker to start, and not for one
 * that waits for a lock. The lock manager cannot help, since it does not know
 * that this session waits for the worker. So the wait has an end of its own,
 * idgen.worker_timeout, and lock_timeout counts as well.
 *
 * With refill "auto", the end of a wait is no error: the session refills itself
 * (rule W5). The wait is shorter, if no worker starts; and if another
 * transaction holds the row, since the session then waits for that in the lock
 * manager, which detects deadlocks. It asks the worker again after that: if it
 * refilled itself, others would have to wait for its transaction next.
 *
 * Locking rules: no lock is held while a session waits.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "storage/latch.h"
#include "storage/lmgr.h"
#include "storage/proc.h"
#include "utils/timestamp.h"

#include "catalog/row.h"
#include "common/compat.h"
#include "common/guc.h"
#include "draw/server_time.h"
#include "draw/wait.h"
#include "draw/worker_wait.h"
#include "shmem/slot_worker.h"
#include "shmem/worker_registry.h"

/* How often a session that waits looks whether there still is a worker. */
#define IDGEN_LOOK_AFTER_MS 100

/* How long to wait for a slot of the cache before looking again. */
#define IDGEN_NO_SLOT_PAUSE_MS 10

/*
 * The milliseconds that this call has left, of as many since its first wait.
 */
static long
time_left(IdgenCall *call, int timeout)
{
	TimestampTz now = GetCurrentTimestamp();

	if (call->waiting_since == 0)
		call->waiting_since = now;
	return TimestampDifferenceMilliseconds(now, TimestampTzPlusMilliseconds(call->waiting_since, timeout));
}

/*
 * For how many milliseconds a call waits for the worker, in the state that it
 * is in; "row_locked" as idgen_slot_look_at_attempt() says. If there is another
 * way, the call does not wait for a locked row longer than it would wait in the
 * lock manager before that looks for a deadlock, or gives up.
 */
static int
patience(const IdgenHandle *handle, IdgenWorkerState state, bool row_locked)
{
	int ms = idgen_worker_timeout;

	if (handle->found.refill != IDGEN_REFILL_AUTO)
		return ms;
	if (state == IDGEN_WORKER_STARTING)
		ms = Min(ms, idgen_worker_start_timeout);
	if (row_locked)
		ms = Min(ms, DeadlockTimeout);
	if (row_locked && LockTimeout > 0)
		ms = Min(ms, LockTimeout);
	return ms;
}

/* How many of them are left. */
static long
patience_left(const IdgenHandle *handle, IdgenCall *call, IdgenWorkerState state, bool row_locked)
{
	long left = time_left(call, patience(handle, state, row_locked));

	return idgen_needs_server(handle) ? Min(left, idgen_server_patience_left(call)) : left;
}

/* What a session that waits for the worker is seen to wait for. */
static uint32
wait_event(void)
{
	static uint32 event = 0;

	if (event == 0)
		event = WaitEventExtensionNew("IdgenWorker");
	return event;
}

/*
 * The session waits, or has had no need to any more: count that, once. A
 * session is not counted that has found no worker, or that it must not wait.
 */
static void
count_wait(const IdgenHandle *handle, IdgenWorkerNews *news)
{
	if (!news->counted)
		idgen_slot_count_wait(handle->found.slot, handle->found.version);
	news->counted = true;
}

/*
 * Does another transaction refill itself? Then it keeps the worker from the
 * row until it ends, and is better waited for in the lock manager.
 */
static bool
is_claimed(const IdgenHandle *handle, TransactionId *holder)
{
	*holder = idgen_slot_read_claim(handle->found.slot, handle->found.version);
	return handle->found.refill == IDGEN_REFILL_AUTO && TransactionIdIsValid(*holder) &&
		*holder != handle->xact.claim;
}

/*
 * The other transaction that holds the row; invalid if it is not known, or if
 * the worker does not need the row.
 */
static TransactionId
row_holder(const IdgenHandle *handle)
{
	TransactionId holder = InvalidTransactionId;
	IdgenRow row;

	if (!handle->found.source->locks_row ||
	    !ConditionalLockRelationOid(handle->relid, AccessShareLock))
		return InvalidTransactionId;
	if (idgen_row_open(&row, handle->relid, handle->name, handle->namelen))
		holder = idgen_row_holder(row.slot);
	idgen_row_close(&row);
	UnlockRelationOid(handle->relid, AccessShareLock);
	return holder;
}

/*
 * Does the transaction still hold the row that the call has waited for before?
 * Then the call goes on with that: two that wait for each other are found out
 * only while both wait in the lock manager.
 */
static bool
is_still_held(const IdgenHandle *handle, const IdgenCall *call, TransactionId *holder)
{
	*holder = call->awaited;
	return handle->found.refill == IDGEN_REFILL_AUTO && TransactionIdIsValid(*holder) &&
		row_holder(handle) == *holder;
}

/*
 * The call has waited for the worker long enough, since the row is locked. Is
 * it the first transaction that it has met there? If transactions take turns on
 * the row, the session refills itself instead, so that it does not wait for
 * one after the other.
 */
static bool
is_held(const IdgenHandle *handle, const IdgenCall *call, TransactionId *holder)
{
	if (handle->found.refill != IDGEN_REFILL_AUTO || TransactionIdIsValid(call->awaited))
		return false;
	*holder = row_holder(handle);
	return TransactionIdIsValid(*holder);
}

/*
 * Sleep until the worker's attempt is over. In between, see to it that there
 * still is a worker. Raises 55P03 after lock_timeout: for that the worker is a
 * lock, unless there is another way if it lasts.
 */
static IdgenWorkerWaitEnd
sleep_until_over(const IdgenHandle *handle, IdgenCall *call, uint64 attempt, IdgenWorkerNews *news)
{
	const IdgenFound *found = &handle->found;
	bool is_lock = found->refill == IDGEN_REFILL_WORKER && LockTimeout > 0;
	TimestampTz locked_until = is_lock ? TimestampTzPlusMilliseconds(GetCurrentTimestamp(), LockTimeout) : 0;

	for (;;)
	{
		IdgenWorkerState state;
		long timeout;

		switch (idgen_slot_look_at_attempt(found->slot, found->version, call->count, attempt,
		                                   &news->failure, &news->row_locked))
		{
			case IDGEN_ATTEMPT_OVER:
				return IDGEN_WAIT_OVER;
			case IDGEN_ATTEMPT_FAILED:
				return IDGEN_WAIT_FAILED;
			case IDGEN_ATTEMPT_AWAITED:
				break;
		}
		if (is_claimed(handle, &news->holder))
			return IDGEN_WAIT_HELD;
		state = idgen_registry_wake(MyDatabaseId);
		if (state == IDGEN_WORKER_NONE)
			return IDGEN_WAIT_NO_PLACE;
		timeout = patience_left(handle, call, state, news->row_locked);
		if (timeout == 0)
			return state == IDGEN_WORKER_STARTING ? IDGEN_WAIT_NOT_STARTED : IDGEN_WAIT_TIMED_OUT;
		count_wait(handle, news);
		if (is_lock)
		{
			timeout = Min(timeout, TimestampDifferenceMilliseconds(GetCurrentTimestamp(), locked_until));
			if (timeout == 0)
				ereport(ERROR,
				        (errcode(ERRCODE_LOCK_NOT_AVAILABLE),
				         errmsg("canceling statement due to lock timeout")));
		}
		ConditionVariableTimedSleep(&found->slot->refill.done, Min(timeout, IDGEN_LOOK_AFTER_MS),
		                            wait_event());
	}
}

static IdgenWorkerWaitEnd
wait_for_worker(const IdgenHandle *handle, IdgenCall *call, uint64 attempt, IdgenWorkerNews *news)
{
	IdgenWorkerWaitEnd end;

	ConditionVariablePrepareToSleep(&handle->found.slot->refill.done);
	end = sleep_until_over(handle, call, attempt, news);
	ConditionVariableCancelSleep();
	return end;
}

/*
 * Wait for an attempt of the worker, which the slot has told the session to do;
 * also for the end of a transaction that keeps the worker from the row.
 */
IdgenWorkerWaitEnd
idgen_worker_wait(const IdgenHandle *handle, IdgenCall *call, uint64 attempt, IdgenWorkerNews *news)
{
	IdgenWorkerWaitEnd end = IDGEN_WAIT_HELD;

	if (!is_still_held(handle, call, &news->holder))
		end = wait_for_worker(handle, call, attempt, news);
	if (end != IDGEN_WAIT_NO_PLACE)
		count_wait(handle, news);
	if (end == IDGEN_WAIT_TIMED_OUT && news->row_locked && is_held(handle, call, &news->holder))
		end = IDGEN_WAIT_HELD;
	if (end == IDGEN_WAIT_HELD)
	{
		idgen_wait_for_transaction(call, news->holder);
		call->waiting_since = 0;
		end = IDGEN_WAIT_OVER;
	}
	idgen_wait_end();
	return end;
}

/*
 * Pause, since the cache has no slot for the id sequence. Returns false if the
 * call has waited for idgen.worker_timeout.
 */
bool
idgen_worker_wait_for_slot(IdgenCall *call)
{
	if (time_left(call, idgen_worker_timeout) == 0)
		return false;
	(void) WaitLatch(MyLatch, WL_LATCH_SET | WL_TIMEOUT | WL_EXIT_ON_PM_DEATH,
	                 IDGEN_NO_SLOT_PAUSE_MS, wait_event());
	ResetLatch(MyLatch);
	return true;
}
