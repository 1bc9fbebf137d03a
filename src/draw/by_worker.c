/*
 * by_worker.c
 *		Drawing from an id sequence that the worker refills.
 *
 * A session takes what the worker has put into the cache. If few ids are left,
 * it leaves a request there and wakes the worker; if there are none, it does
 * the same and waits.
 *
 * It does not wait forever for anything (rule W4): not for a worker to start,
 * and not for one that waits for a lock. The lock manager cannot help, since it
 * does not know that this session waits for the worker. So the wait has an end
 * of its own, idgen.worker_timeout, and lock_timeout counts as well.
 *
 * Locking rules: no lock is held while a session waits. What it does to the
 * slot takes the slot's lock; see shmem/slot_worker.c.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "storage/latch.h"
#include "storage/lmgr.h"
#include "storage/proc.h"
#include "utils/timeout.h"
#include "utils/timestamp.h"

#include "catalog/table.h"
#include "common/compat.h"
#include "common/guc.h"
#include "draw/by_worker.h"
#include "draw/refill.h"
#include "draw/wait.h"
#include "session/messages.h"
#include "session/xact_changes.h"
#include "shmem/slot_worker.h"
#include "shmem/worker_registry.h"

/* How often a session that waits looks whether there still is a worker. */
#define IDGEN_LOOK_AFTER_MS 100

/* How long to wait for a slot of the cache before looking again. */
#define IDGEN_NO_SLOT_PAUSE_MS 10

/* Has this session set the timer for lock_timeout? */
static bool lock_timer_runs = false;

static void
start_lock_timer(void)
{
	if (LockTimeout <= 0)
		return;
	lock_timer_runs = true;
	enable_timeout_after(LOCK_TIMEOUT, LockTimeout);
}

/*
 * If the timer has run out just now, the server must still be able to tell that
 * the interrupt comes from it.
 */
static void
stop_lock_timer(void)
{
	if (lock_timer_runs)
		disable_timeout(LOCK_TIMEOUT, true);
	lock_timer_runs = false;
}

/* The transaction or subtransaction is aborted, and with it the wait. */
void
idgen_by_worker_abort(void)
{
	stop_lock_timer();
}

/* Raises 55000: there is no worker without the server's cache. */
static void
check_shared_cache(void)
{
	if (!idgen_cache_is_shared())
		ereport(ERROR,
		        (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
		         errmsg("refill \"worker\" needs a cache in shared memory"),
		         errhint("Add \"idgen\" to shared_preload_libraries, or use refill \"transaction\".")));
}

/* Has this transaction locked what the worker needs? */
static bool
keeps_worker_out(IdgenHandle *handle)
{
	bool held;

	if (!handle->found.source->locks_row)
		return (OidIsValid(handle->found.object) && idgen_relation_is_held(handle->found.object, ShareLock)) ||
			idgen_relation_is_held(handle->relid, AccessExclusiveLock);

	/* If this session cannot look at the table, another one has locked it. */
	if (!ConditionalLockRelationOid(handle->relid, AccessShareLock))
		return false;
	held = idgen_handle_holds_row(handle);
	UnlockRelationOid(handle->relid, AccessShareLock);
	return held;
}

/* Raises 55P03: it is this transaction that keeps the worker from refilling. */
pg_noreturn static void
raise_locked_by_us(const IdgenHandle *handle)
{
	ereport(ERROR,
	        (errcode(ERRCODE_LOCK_NOT_AVAILABLE),
	         errmsg("the worker cannot refill id sequence \"%s\"", handle->name),
	         errdetail("The current transaction has changed or locked its row, or what it draws from."),
	         errhint("Commit first, or use refill \"transaction\".")));
}

/* Raises 55P03 or 53000: the worker has had enough time. */
pg_noreturn static void
raise_timed_out(const IdgenHandle *handle, bool row_locked)
{
	if (row_locked)
		ereport(ERROR,
		        (errcode(ERRCODE_LOCK_NOT_AVAILABLE),
		         errmsg("the worker cannot refill id sequence \"%s\"", handle->name),
		         errdetail("When it last tried, another transaction had locked its row, or what it draws from."),
		         errhint("End that transaction, or raise idgen.worker_timeout.")));
	ereport(ERROR,
	        (errcode(ERRCODE_INSUFFICIENT_RESOURCES),
	         errmsg("the worker did not refill id sequence \"%s\" in time", handle->name),
	         errdetail("The call has waited for %d ms.", idgen_worker_timeout),
	         errhint("See the server log, or raise idgen.worker_timeout.")));
}

/* Raises the error that the worker has had. */
pg_noreturn static void
raise_failure(const IdgenFailure *failure)
{
	ereport(ERROR,
	        (errcode(failure->sqlerrcode),
	         errmsg_internal("%s", failure->message),
	         failure->detail[0] != '\0' ? errdetail_internal("%s", failure->detail) : 0,
	         failure->hint[0] != '\0' ? errhint("%s", failure->hint) : 0,
	         failure->context[0] != '\0' ? errcontext("%s", failure->context) : 0));
}

/* The milliseconds of idgen.worker_timeout that this call has left. */
static long
time_left(IdgenCall *call)
{
	TimestampTz now = GetCurrentTimestamp();

	if (call->waiting_since == 0)
		call->waiting_since = now;
	return TimestampDifferenceMilliseconds(now, TimestampTzPlusMilliseconds(call->waiting_since, idgen_worker_timeout));
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

/* How a wait for the worker ends. */
typedef enum WaitEnd
{
	WAIT_OVER,      /* look again at the slot, or the row */
	WAIT_FAILED,    /* the attempt has failed */
	WAIT_TIMED_OUT, /* after idgen.worker_timeout */
	WAIT_NO_WORKER, /* there is no worker, and none can be started */
} WaitEnd;

/*
 * Sleep until the worker's attempt is over. In between, see to it that there
 * still is a worker. Sets *failure if the attempt has failed, and *row_locked
 * in any case.
 */
static WaitEnd
sleep_until_over(const IdgenHandle *handle, IdgenCall *call, uint64 attempt,
                 IdgenFailure *failure, bool *row_locked)
{
	const IdgenFound *found = &handle->found;
	long timeout;

	for (;;)
	{
		switch (idgen_slot_look_at_attempt(found->slot, found->version, call->count, attempt,
		                                   failure, row_locked))
		{
			case IDGEN_ATTEMPT_OVER:
				return WAIT_OVER;
			case IDGEN_ATTEMPT_FAILED:
				return WAIT_FAILED;
			case IDGEN_ATTEMPT_AWAITED:
				break;
		}
		timeout = time_left(call);
		if (timeout == 0)
			return WAIT_TIMED_OUT;
		if (!idgen_registry_wake(MyDatabaseId))
			return WAIT_NO_WORKER;
		ConditionVariableTimedSleep(&found->slot->refill.done, Min(timeout, IDGEN_LOOK_AFTER_MS),
		                            wait_event());
	}
}

/*
 * Wait for an attempt of the worker; for lock_timeout that is a lock. Raises
 * what the attempt fails with, 53400 if there is no place for a worker, and
 * 55P03 or 53000 after idgen.worker_timeout.
 */
static void
wait_for_attempt(const IdgenHandle *handle, IdgenCall *call, uint64 attempt)
{
	WaitEnd end;
	IdgenFailure failure;
	bool row_locked;

	start_lock_timer();
	ConditionVariablePrepareToSleep(&handle->found.slot->refill.done);
	end = sleep_until_over(handle, call, attempt, &failure, &row_locked);
	ConditionVariableCancelSleep();
	stop_lock_timer();
	CHECK_FOR_INTERRUPTS(); /* the timer may have run out just now */
	idgen_wait_end();

	switch (end)
	{
		case WAIT_OVER:
			break;
		case WAIT_FAILED:
			raise_failure(&failure);
		case WAIT_TIMED_OUT:
			raise_timed_out(handle, row_locked);
		case WAIT_NO_WORKER:
			ereport(ERROR,
			        (errcode(ERRCODE_CONFIGURATION_LIMIT_EXCEEDED),
			         errmsg("out of background worker slots"),
			         errhint("You might need to increase max_worker_processes.")));
	}
}

/*
 * The cache has no slot for the id sequence just now. Without one the worker
 * can do nothing for it, and a refill by the session itself would break rule
 * U2. Pause, then look again; raises 53400 after idgen.worker_timeout.
 */
static void
wait_for_slot(IdgenHandle *handle, IdgenCall *call)
{
	if (time_left(call) == 0)
		ereport(ERROR,
		        (errcode(ERRCODE_CONFIGURATION_LIMIT_EXCEEDED),
		         errmsg("there is no room in the cache for id sequence \"%s\"", handle->name),
		         errdetail("All of it is in use by id sequences that are being refilled."),
		         errhint("You might need to increase idgen.max_sequences.")));
	(void) WaitLatch(MyLatch, WL_LATCH_SET | WL_TIMEOUT | WL_EXIT_ON_PM_DEATH,
	                 IDGEN_NO_SLOT_PAUSE_MS, wait_event());
	ResetLatch(MyLatch);
	idgen_handle_invalidate(handle);
}

/* What the worker has refilled for the transaction that is in progress now. */
static IdgenServed *
served_now(IdgenHandle *handle)
{
	if (handle->by_worker.lxid != MyLocalTransactionId)
		handle->by_worker = (IdgenServedXact){.lxid = MyLocalTransactionId};
	return &handle->by_worker.served;
}

/*
 * Draw from the cache. Returns true with the consecutive ids that the call
 * wants, or false after having waited for the worker, or if there is reason to
 * validate again.
 *
 * Raises 55000; 55P03 if this transaction keeps the worker from refilling,
 * since it has changed or made the row; and what waiting can.
 */
bool
idgen_by_worker_draw(IdgenHandle *handle, IdgenCall *call, IdgenBlock *ids)
{
	ErrorContextCallback context;
	IdgenDrawResult result;

	check_shared_cache();
	if (!idgen_may_use_published(handle))
		raise_locked_by_us(handle);
	if (handle->found.slot == NULL)
	{
		wait_for_slot(handle, call);
		return false;
	}

	switch (idgen_slot_draw_served(handle->found.slot, handle->found.version, call->count,
	                               served_now(handle), &result))
	{
		case IDGEN_DRAW_TAKEN:
			if (result.wake_worker)
				(void) idgen_registry_wake(MyDatabaseId);
			*ids = result.ids;
			return true;
		case IDGEN_DRAW_WAIT:
			idgen_wait_begin(handle);
			if (keeps_worker_out(handle))
			{
				/*
				 * If refills of this transaction keep it out, from before the
				 * row was switched to the worker, go on with such refills.
				 */
				if (handle->xact.refills == 0)
					raise_locked_by_us(handle);
				idgen_wait_end();
				idgen_refill_without_slot(handle, call);
				return false;
			}
			idgen_refill_context_push(handle, &context);
			wait_for_attempt(handle, call, result.attempt);
			error_context_stack = context.previous;
			return false;
		default:
			idgen_handle_invalidate(handle);
			return false;
	}
}
