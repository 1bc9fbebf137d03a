/*
 * by_worker.c
 *		Drawing from an id sequence that the worker refills.
 *
 * A session takes what the worker has put into the cache. If few ids are left, it
 * leaves a request there and wakes the worker; if there are none, it does the same
 * and waits. It does not wait forever for anything (rule W4): neither for a worker
 * to be started, nor for one that is held up by a lock, which the lock manager knows
 * nothing of, since it is not a lock that the session waits for.
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

/* While a session waits for the worker, it looks after it that often. */
#define IDGEN_LOOK_AFTER_MS 100
/* How long to wait for a slot of the cache before looking again. */
#define IDGEN_NO_SLOT_PAUSE_MS 10

/* Have we set off the timer for lock_timeout? */
static bool lock_timer_runs = false;

static void
start_lock_timer(void)
{
	if (LockTimeout <= 0)
		return;
	lock_timer_runs = true;
	enable_timeout_after(LOCK_TIMEOUT, LockTimeout);
}

/* If it has run out just now, the interrupt that comes still has to be known for it. */
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

	/* If we cannot look at the table, somebody else has locked it. */
	if (!ConditionalLockRelationOid(handle->relid, AccessShareLock))
		return false;
	held = idgen_handle_holds_row(handle);
	UnlockRelationOid(handle->relid, AccessShareLock);
	return held;
}

/* Raises 55P03: it is this transaction that keeps the worker from refilling. */
static void
locked_by_us(const IdgenHandle *handle)
{
	ereport(ERROR,
	        (errcode(ERRCODE_LOCK_NOT_AVAILABLE),
	         errmsg("the worker cannot refill id sequence \"%s\"", handle->name),
	         errdetail("The current transaction has changed or locked its row, or what it draws from."),
	         errhint("Commit first, or use refill \"transaction\".")));
}

/* Raises 55P03 or 53000: the worker has had enough time. */
static void
timed_out(const IdgenHandle *handle, bool row_locked)
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

/* Raises what the worker has met with. */
static void
failed(const IdgenFailure *failure)
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

/*
 * Wait for the worker, which is asked for that attempt to refill; for lock_timeout
 * that is a lock. In between, see to it that there still is a worker. Raises what
 * the attempt fails with, 53400 if there is no place for a worker, and 55P03 or
 * 53000 after idgen.worker_timeout.
 */
static void
await_worker(const IdgenHandle *handle, IdgenCall *call, uint64 attempt)
{
	IdgenSlot *slot = handle->found.slot;
	IdgenAttemptState attempt_state;
	IdgenFailure failure;
	bool row_locked;
	long timeout = 0;

	start_lock_timer();
	ConditionVariablePrepareToSleep(&slot->refill.done);
	while ((attempt_state = idgen_slot_look_at_attempt(slot, handle->found.version, call->count, attempt,
	                                                   &failure, &row_locked)) == IDGEN_ATTEMPT_AWAITED &&
	       (timeout = time_left(call)) > 0 && idgen_registry_wake(MyDatabaseId))
		ConditionVariableTimedSleep(&slot->refill.done, Min(timeout, IDGEN_LOOK_AFTER_MS), wait_event());
	ConditionVariableCancelSleep();
	stop_lock_timer();
	CHECK_FOR_INTERRUPTS(); /* it may have run out just now */
	idgen_wait_end();

	if (attempt_state == IDGEN_ATTEMPT_FAILED)
		failed(&failure);
	if (attempt_state == IDGEN_ATTEMPT_AWAITED && timeout == 0)
		timed_out(handle, row_locked);
	if (attempt_state == IDGEN_ATTEMPT_AWAITED)
		ereport(ERROR,
		        (errcode(ERRCODE_CONFIGURATION_LIMIT_EXCEEDED),
		         errmsg("out of background worker slots"),
		         errhint("You might need to increase max_worker_processes.")));
}

/*
 * The cache has no slot for us just now. Without one the worker can do nothing for
 * us, and refilling ourselves would break rule U2. Raises 53400 in the end.
 */
static void
await_slot(IdgenHandle *handle, IdgenCall *call)
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

/*
 * Draw from the cache. Returns true with so many ids in a row, or false after having waited for
 * the worker, or if there is reason to validate again.
 *
 * The worker cannot refill what this transaction keeps it from, which may be to
 * change the row, or to have made it. Raises 55000, and what waiting can.
 */
bool
idgen_by_worker_draw(IdgenHandle *handle, IdgenCall *call, IdgenBlock *ids)
{
	ErrorContextCallback context;
	IdgenDrawResult result;

	check_shared_cache();
	if (!idgen_may_use_published(handle))
		locked_by_us(handle);
	if (handle->found.slot == NULL)
	{
		await_slot(handle, call);
		return false;
	}

	switch (idgen_slot_draw_served(handle->found.slot, handle->found.version, call->count, &result))
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
				/* If that was by refilling, before the switch, go on so. */
				if (handle->xact.refills == 0)
					locked_by_us(handle);
				idgen_wait_end();
				idgen_refill_without_slot(handle, call);
				return false;
			}
			idgen_refill_context_push(handle, &context);
			await_worker(handle, call, result.attempt);
			error_context_stack = context.previous;
			return false;
		default:
			idgen_handle_invalidate(handle);
			return false;
	}
}
