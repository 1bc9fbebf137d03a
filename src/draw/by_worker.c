/*
 * by_worker.c
 *		Drawing from an id sequence that the worker refills.
 *
 * A session takes what the worker has put into the cache. If few ids are left,
 * it asks for more (cache/desk.c); if there are none, it does the same and
 * waits.
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

#include <limits.h>

#include "miscadmin.h"
#include "storage/lmgr.h"
#include "storage/proc.h"

#include "catalog/row.h"
#include "catalog/table.h"
#include "common/clock.h"
#include "common/compat.h"
#include "common/full_xid.h"
#include "common/guc.h"
#include "draw/by_worker.h"
#include "draw/refill.h"
#include "session/xact.h"
#include "session/handle.h"
#include "cache/desk.h"

/* How often a session that waits looks whether there still is a worker. */
#define IDGEN_LOOK_AFTER_MS 100

/* How long to wait for a place for a request before looking again. */
#define IDGEN_NO_PLACE_PAUSE_MS 10

/*
 * A worker that asks a server has as much time for that as the setting says.
 * Who waits for it waits that much longer: so it hears of a failure.
 */
#define SERVER_EXTRA_MS 500

/* How a wait for the worker ends. */
typedef enum WaitEnd
{
	WAIT_OVER,        /* look again at the slot, or the row */
	WAIT_FAILED,      /* the refill has failed */
	WAIT_TIMED_OUT,   /* it has lasted long enough; see patience() */
	WAIT_NOT_STARTED, /* likewise, and a worker has not even started */
	WAIT_NO_PLACE,    /* the server has no place for a worker */
	WAIT_HELD,        /* another transaction holds the row */
} WaitEnd;

/* One wait for the worker. */
typedef struct Wait
{
	const IdgenHandle *handle;
	IdgenCall *call;
	IdgenTicket ticket;
	IdgenFailure failure; /* if the refill has failed */
	TransactionId holder; /* of the row, as far as is known */
	uint32 began_ms;
	bool counted; /* as a session that waits */
} Wait;

/* Raises 55000: there is no worker without the server's cache. */
static void
check_shared_cache(void)
{
	if (!idgen_cache_is_shared())
		ereport(ERROR,
		        (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
		         errmsg("refill \"worker\" needs a cache in shared memory"),
		         errhint("Add \"idgen\" to shared_preload_libraries, or use refill \"auto\".")));
}

/* Has this transaction locked what the worker needs? */
static bool
keeps_worker_out(IdgenHandle *handle)
{
	bool held;

	if (!handle->found.row.source->locks_row)
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
	         errhint("Commit first, or use refill \"auto\".")));
}

/* Raises 55P03 or 53000: the worker has had enough time. */
pg_noreturn static void
raise_timed_out(const IdgenHandle *handle, const IdgenCall *call)
{
	if (call->row_locked)
		ereport(ERROR,
		        (errcode(ERRCODE_LOCK_NOT_AVAILABLE),
		         errmsg("the worker cannot refill id sequence \"%s\"", handle->name),
		         errdetail("When it last tried, another transaction had locked its row, or what it draws from."),
		         errhint("End that transaction, or raise idgen.worker_timeout.")));
	ereport(ERROR,
	        (errcode(ERRCODE_INSUFFICIENT_RESOURCES),
	         errmsg("the worker did not refill id sequence \"%s\" in time", handle->name),
	         errdetail("The call has waited for %u ms.", idgen_clock_ms() - call->waiting_ms),
	         errhint("See the server log, or raise %s.",
	                 handle->found.row.source->is_remote && idgen_server_timeout < idgen_worker_timeout ? "idgen.server_timeout" : "idgen.worker_timeout")));
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

/*
 * The wait for the worker has not brought what the call needs. Raises what the
 * refill has failed with, 53400 if there is no place for a worker, and 55P03 or
 * 53000 if it has had enough time.
 */
pg_noreturn static void
raise_end(const Wait *wait, WaitEnd end)
{
	if (end == WAIT_FAILED)
		raise_failure(&wait->failure);
	if (end == WAIT_NO_PLACE)
		ereport(ERROR,
		        (errcode(ERRCODE_CONFIGURATION_LIMIT_EXCEEDED),
		         errmsg("out of background worker slots"),
		         errhint("You might need to increase max_worker_processes.")));
	raise_timed_out(wait->handle, wait->call);
}

/*
 * Would a refill by the session itself fail as that of the worker has: since no
 * id is left, or another server fails, for which the call has waited already?
 */
static bool
fails_for_all(const IdgenHandle *handle, const IdgenFailure *failure)
{
	return failure->of == IDGEN_FAILURE_OF_SERVER ||
		(failure->of == IDGEN_FAILURE_OF_REFILL &&
	     (failure->sqlerrcode == ERRCODE_SEQUENCE_GENERATOR_LIMIT_EXCEEDED || handle->found.row.source->is_remote));
}

/*
 * The same with refill "auto": the session refills itself. What has failed for
 * the worker, such as a trigger that counts on search_path, may do for it. It
 * does not ask for a worker again for a while, if it is the worker that fails.
 */
static void
go_on_without_worker(const Wait *wait, WaitEnd end)
{
	if (end == WAIT_FAILED && fails_for_all(wait->handle, &wait->failure))
		raise_failure(&wait->failure);
	if ((end == WAIT_FAILED && wait->failure.of == IDGEN_FAILURE_OF_WORKER) ||
	    end == WAIT_NOT_STARTED || end == WAIT_NO_PLACE || (end == WAIT_TIMED_OUT && !wait->call->row_locked))
		idgen_refiller_miss_worker(wait->handle, wait->call);
	idgen_refiller_is_session(wait->call);
}

/*
 * Waiting
 */

/* The milliseconds that are left of as many since then. */
static long
left_of(int ms, uint32 since_ms)
{
	uint32 passed = idgen_clock_ms() - since_ms;

	return passed < (uint32) ms ? ms - passed : 0;
}

/*
 * For how many milliseconds a call still waits for the worker, which is in that
 * state. If there is another way, the call does not wait for a locked row
 * longer than it would wait in the lock manager before that looks for a
 * deadlock, or gives up. All waits of a call together have an end, too: else
 * transactions that take turns on the row would keep it for ever.
 */
static long
patience_left(const Wait *wait, IdgenWorkerState state)
{
	int timeout = idgen_worker_timeout;
	long left;

	if (wait->handle->found.row.source->is_remote)
		timeout = Min(timeout, Min(idgen_server_timeout, INT_MAX - SERVER_EXTRA_MS) + SERVER_EXTRA_MS);
	left = left_of(timeout, wait->call->waiting_ms);
	if (wait->handle->found.row.refill != IDGEN_REFILL_AUTO)
		return left;
	if (state == IDGEN_WORKER_STARTING)
		left = Min(left, left_of(idgen_worker_start_timeout, wait->began_ms));
	if (wait->call->row_locked)
		left = Min(left, left_of(LockTimeout > 0 ? Min(LockTimeout, DeadlockTimeout) : DeadlockTimeout, wait->began_ms));
	return left;
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
 * The worker has found the row locked. Does another transaction refill itself?
 * Then it keeps the worker from the row until it ends, and is better waited for
 * in the lock manager. (Without that, its claim may wait for what the worker is
 * about to publish.)
 */
static bool
is_claimed(Wait *wait)
{
	const IdgenHandle *handle = wait->handle;
	IdgenSlot *slot;
	uint64 claim = 0;

	if (handle->found.row.refill != IDGEN_REFILL_AUTO)
		return false;
	slot = idgen_handle_lock_slot(handle);
	if (slot != NULL)
	{
		claim = slot->claim;
		LWLockRelease(&slot->lock);
	}
	wait->holder = claim != handle->xact.told.claim ? idgen_short_xid(claim) : InvalidTransactionId;
	return TransactionIdIsValid(wait->holder) && !ConditionalXactLockTableWait(wait->holder, false);
}

/*
 * The call has waited for the worker long enough, since the row is locked. Is
 * the transaction known that has locked it? If transactions take turns on the
 * row, the session does not wait for one after the other.
 */
static bool
is_held(Wait *wait)
{
	const IdgenHandle *handle = wait->handle;
	IdgenRow row;

	wait->holder = InvalidTransactionId;
	if (handle->found.row.refill != IDGEN_REFILL_AUTO || wait->call->was_held || !handle->found.row.source->locks_row ||
	    !ConditionalLockRelationOid(handle->relid, AccessShareLock))
		return false;
	if (idgen_row_open(&row, handle->relid, handle->name))
		wait->holder = idgen_row_holder(row.slot);
	idgen_row_close(&row);
	UnlockRelationOid(handle->relid, AccessShareLock);
	return TransactionIdIsValid(wait->holder);
}

/* Raises 55P03: for a session that has no other way, the worker is a lock. */
static void
check_lock_timeout(const Wait *wait)
{
	if (wait->handle->found.row.refill == IDGEN_REFILL_WORKER && LockTimeout > 0 && left_of(LockTimeout, wait->began_ms) == 0)
		ereport(ERROR,
		        (errcode(ERRCODE_LOCK_NOT_AVAILABLE),
		         errmsg("canceling statement due to lock timeout")));
}

/*
 * The session really waits: it has found a worker, or somebody else to wait
 * for.
 */
static void
count_wait(Wait *wait)
{
	if (!wait->counted)
		idgen_wait_begin(wait->handle, false);
	wait->counted = true;
}

/*
 * Sleep until the request is over. In between, see to it that there still is a
 * worker. Raises 55P03 after lock_timeout.
 */
static WaitEnd
sleep_until_over(Wait *wait)
{
	for (;;)
	{
		IdgenWorkerState state;
		long left;

		switch (idgen_desk_look(&wait->ticket, wait->call->count, &wait->failure, &wait->call->row_locked))
		{
			case IDGEN_TICKET_OVER:
				return WAIT_OVER;
			case IDGEN_TICKET_FAILED:
				return WAIT_FAILED;
			case IDGEN_TICKET_AWAITED:
				break;
		}
		if (idgen_slot_has(wait->handle->found.slot, wait->handle->found.version, wait->call->count))
			return WAIT_OVER;
		if (wait->call->row_locked && is_claimed(wait))
			return WAIT_HELD;
		state = idgen_desk_wake(idgen_worker_for(wait->handle));
		if (state == IDGEN_WORKER_NONE)
			return WAIT_NO_PLACE;
		left = patience_left(wait, state);
		if (left == 0 && state == IDGEN_WORKER_STARTING)
			return WAIT_NOT_STARTED;
		if (left == 0)
			return wait->call->row_locked && is_held(wait) ? WAIT_HELD : WAIT_TIMED_OUT;
		check_lock_timeout(wait);
		count_wait(wait);
		ConditionVariableTimedSleep(idgen_desk_done(&wait->ticket), Min(left, IDGEN_LOOK_AFTER_MS), wait_event());
	}
}

/*
 * All places for requests are taken, or there can be no worker: pause, and look
 * again.
 */
static WaitEnd
wait_for_place(Wait *wait)
{
	if (idgen_desk_wake(idgen_worker_for(wait->handle)) == IDGEN_WORKER_NONE)
		return WAIT_NO_PLACE;
	if (patience_left(wait, IDGEN_WORKER_RUNNING) == 0)
		return WAIT_TIMED_OUT;
	check_lock_timeout(wait);
	(void) WaitLatch(MyLatch, WL_LATCH_SET | WL_TIMEOUT | WL_EXIT_ON_PM_DEATH,
	                 IDGEN_NO_PLACE_PAUSE_MS, wait_event());
	ResetLatch(MyLatch);
	return WAIT_OVER;
}

/* Leave a request. Returns false if there is no place for it. */
static bool
leave_request(const IdgenHandle *handle, const IdgenAsk *ask, IdgenTicket *ticket)
{
	IdgenCacheKey key;

	idgen_handle_key(handle, &key);
	return idgen_desk_ask(&key, idgen_worker_for(handle), handle->name, ask, ticket);
}

/* Ask the worker, and wait for it. */
static WaitEnd
ask_and_wait(Wait *wait, const IdgenAsk *ask)
{
	WaitEnd end;

	if (!leave_request(wait->handle, ask, &wait->ticket))
		return wait_for_place(wait);
	ConditionVariablePrepareToSleep(idgen_desk_done(&wait->ticket));
	end = sleep_until_over(wait);
	ConditionVariableCancelSleep();
	return end;
}

/*
 * Have the worker refill, and wait for that, or for the end of a transaction
 * that keeps the worker from the row. Raises what raise_end() does.
 */
static void
wait_for_worker(IdgenHandle *handle, IdgenCall *call, const IdgenAsk *ask)
{
	Wait wait = {.handle = handle, .call = call, .began_ms = idgen_clock_ms()};
	ErrorContextCallback context;
	WaitEnd end;

	if (call->waiting_ms == 0)
		call->waiting_ms = wait.began_ms;
	idgen_refill_context_push(handle->name, &context);
	end = ask_and_wait(&wait, ask);
	if (end == WAIT_HELD)
	{
		count_wait(&wait);
		call->was_held = true;
		call->row_locked = false;
		idgen_wait_for_transaction(wait.holder);
		idgen_wait_for_allocator(handle, 0);
		end = WAIT_OVER;
	}
	idgen_wait_end();
	if (end != WAIT_OVER && handle->found.row.refill == IDGEN_REFILL_WORKER)
		raise_end(&wait, end);
	if (end != WAIT_OVER)
		go_on_without_worker(&wait, end);
	error_context_stack = context.previous;

	/* If there is nothing in the cache, the row may be another one by now. */
	if (!idgen_slot_has(handle->found.slot, handle->found.version, call->count))
		idgen_handle_invalidate(handle);
}

/*
 * Asking
 */

/*
 * A transaction requests a refill: count it, and the ids that it has drawn
 * since it requested the one before. Returns what a bulk load could use at
 * once.
 *
 * It does not know what it has drawn: the hot path has no time to count. But
 * the slot knows what it has issued to all since then, and how many refills
 * there were. One refill's share of these ids counts as drawn by the
 * transaction that has requested that refill. Whoever draws most requests most,
 * so this is right on average, and exact for a transaction that is alone.
 */
static int64
count_request(IdgenHandle *handle, const IdgenDrawResult *drawn)
{
	IdgenServed *served = &handle->served;
	int64 issued;
	int64 refilled;

	if (served->lxid != MyLocalTransactionId)
		*served = (IdgenServed){.lxid = MyLocalTransactionId};
	issued = drawn->ids_issued - served->issued; /* negative after a reset */
	refilled = drawn->refills - served->refilled;
	if (served->refills == 0 || refilled > 0)
	{
		if (served->refills > 0 && issued > 0)
			served->ids = idgen_add_saturating(served->ids, issued / refilled);
		served->refills++;
		served->issued = drawn->ids_issued;
		served->refilled = drawn->refills;
	}
	return Min(idgen_bulk_ids(served->refills - 1, served->ids), INT_MAX);
}

/* Few ids are left: ask for more, ahead of need. */
static void
ask_ahead(IdgenHandle *handle, IdgenCall *call, const IdgenAsk *ask)
{
	IdgenTicket ticket;

	(void) leave_request(handle, ask, &ticket);
	if (idgen_desk_wake(idgen_worker_for(handle)) == IDGEN_WORKER_NONE)
		idgen_refiller_miss_worker(handle, call);
}

/*
 * This transaction keeps the worker from refilling. If it does so by refills of
 * its own, from before the row was switched to the worker, it goes on with such
 * refills. Raises 55P03 if it has changed or locked the row, unless the session
 * may refill itself.
 */
static void
refill_past_worker(const IdgenHandle *handle, IdgenCall *call)
{
	if (handle->found.row.refill == IDGEN_REFILL_WORKER && handle->xact.refills == 0)
		raise_locked_by_us(handle);
	idgen_refiller_is_session(call);
}

/*
 * The session is the worker itself: a trigger on id_sequences draws, which the
 * worker has fired. It must not wait for itself. With refill "auto" it refills
 * in its transaction, as any session may. With refill "worker" that would break
 * rule U2: raises 55P03, and the worker tries again what has fired the trigger,
 * after it has done what is requested here.
 */
static void
refill_as_worker(const IdgenHandle *handle, IdgenCall *call, const IdgenAsk *ask)
{
	IdgenTicket ticket;

	if (handle->found.row.refill == IDGEN_REFILL_AUTO)
	{
		idgen_refiller_is_session(call);
		return;
	}
	(void) leave_request(handle, ask, &ticket);
	(void) idgen_desk_wake(idgen_worker_for(handle)); /* it may be another one */
	ereport(ERROR,
	        (errcode(ERRCODE_LOCK_NOT_AVAILABLE),
	         errmsg("the worker cannot refill id sequence \"%s\"", handle->name),
	         errdetail("It is refilling another one, and a trigger draws from this one."),
	         errhint("Draw again, or use refill \"auto\".")));
}

/* The cache has too few ids for a call. */
static void
get_more(IdgenHandle *handle, IdgenCall *call, const IdgenAsk *ask)
{
	if (idgen_desk_is_worker())
		refill_as_worker(handle, call, ask);
	else if (keeps_worker_out(handle))
		refill_past_worker(handle, call);
	else
		wait_for_worker(handle, call, ask);
}

/*
 * Draw from the cache what idgen_worker_serves(). Unless the ids are taken, or
 * unfit, it has waited for the worker, or the worker does not serve the call
 * after all, or there is reason to validate again.
 *
 * Raises 55000 if this is the worker, which refills that id sequence; with
 * refill "worker", 55000 without a server's cache, and 55P03 if this
 * transaction keeps the worker from refilling, since it has changed or made the
 * row; and with both modes what waiting can.
 */
IdgenDrawAnswer
idgen_by_worker_draw(IdgenHandle *handle, IdgenCall *call, const IdgenWanted *wanted, IdgenBlock *ids)
{
	const IdgenDraw draw = {
		.mode = IDGEN_MODE_SERVED,
		.published_ok = true,
		.wanted = *wanted,
		.version = handle->found.version,
	};
	IdgenDrawResult result;
	IdgenDrawAnswer answer;
	IdgenAsk ask = {.awaited = false};

	check_shared_cache();

	/* It would leave a request, and the worker would never be done. */
	idgen_refill_check_not_nested(handle);
	if (!idgen_may_use_published(handle))
		raise_locked_by_us(handle);

	answer = idgen_slot_draw(handle->found.slot, &draw, &result);
	*ids = result.ids;
	if (answer == IDGEN_DRAW_STALE)
		idgen_handle_invalidate(handle);
	if (answer == IDGEN_DRAW_REFILL || result.low)
		ask.bulk_ids = count_request(handle, &result);
	if (answer == IDGEN_DRAW_REFILL)
	{
		ask.awaited = true;
		ask.range = call->count > 1 ? call->count : 0;
		get_more(handle, call, &ask);
	}
	else if (result.low)
		ask_ahead(handle, call, &ask);
	return answer;
}
