/*
 * by_worker.c
 *		Drawing from an id sequence that the worker refills.
 *
 * A session takes what the worker has put into the cache. If few ids are left,
 * it leaves a request there and wakes the worker; if there are none, it does
 * the same and waits.
 *
 * Where a wait for the worker leads to nothing (worker_wait.c), the call fails
 * (rule W4) or, with refill "auto", the session refills itself (W5).
 *
 * Locking rules: no lock is held while a session waits. What it does to the
 * slot takes the slot's lock; see shmem/slot_worker.c.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "storage/lmgr.h"
#include "storage/proc.h"

#include "catalog/table.h"
#include "common/guc.h"
#include "draw/by_worker.h"
#include "draw/refill.h"
#include "draw/refiller.h"
#include "draw/server_time.h"
#include "draw/wait.h"
#include "draw/worker_wait.h"
#include "session/messages.h"
#include "session/xact_changes.h"
#include "shmem/slot_worker.h"
#include "shmem/worker_registry.h"

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
	         errhint("Commit first, or use refill \"auto\".")));
}

/* Raises 55P03 or 53000: the worker has had enough time. */
pg_noreturn static void
raise_timed_out(const IdgenHandle *handle, bool row_locked)
{
	int waited = idgen_worker_timeout;

	if (row_locked)
		ereport(ERROR,
		        (errcode(ERRCODE_LOCK_NOT_AVAILABLE),
		         errmsg("the worker cannot refill id sequence \"%s\"", handle->name),
		         errdetail("When it last tried, another transaction had locked its row, or what it draws from."),
		         errhint("End that transaction, or raise idgen.worker_timeout.")));
	if (idgen_needs_server(handle))
		waited = Min(waited, idgen_server_patience());
	ereport(ERROR,
	        (errcode(ERRCODE_INSUFFICIENT_RESOURCES),
	         errmsg("the worker did not refill id sequence \"%s\" in time", handle->name),
	         errdetail("The call has waited for %d ms.", waited),
	         errhint("See the server log, or raise %s.", waited < idgen_worker_timeout ? "idgen.server_timeout" : "idgen.worker_timeout")));
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
 * attempt has failed with, 53400 if there is no place for a worker, and 55P03
 * or 53000 if it has had enough time.
 */
pg_noreturn static void
raise_end(const IdgenHandle *handle, IdgenWorkerWaitEnd end, const IdgenWorkerNews *news)
{
	if (end == IDGEN_WAIT_FAILED)
		raise_failure(&news->failure);
	if (end == IDGEN_WAIT_NO_PLACE)
		ereport(ERROR,
		        (errcode(ERRCODE_CONFIGURATION_LIMIT_EXCEEDED),
		         errmsg("out of background worker slots"),
		         errhint("You might need to increase max_worker_processes.")));
	raise_timed_out(handle, news->row_locked);
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
	     (failure->sqlerrcode == ERRCODE_SEQUENCE_GENERATOR_LIMIT_EXCEEDED || idgen_needs_server(handle)));
}

/*
 * The same with refill "auto": the session refills itself. What has failed for
 * the worker, such as a trigger that counts on search_path, may do for it. It
 * does not ask for a worker again for a while, if it is the worker that fails.
 */
static void
go_on_without_worker(const IdgenHandle *handle, IdgenCall *call, IdgenWorkerWaitEnd end,
                     const IdgenWorkerNews *news)
{
	bool failed = end == IDGEN_WAIT_FAILED;

	if (failed && fails_for_all(handle, &news->failure))
		raise_failure(&news->failure);
	if ((failed && news->failure.of == IDGEN_FAILURE_OF_WORKER) ||
	    end == IDGEN_WAIT_NOT_STARTED || end == IDGEN_WAIT_NO_PLACE ||
	    (end == IDGEN_WAIT_TIMED_OUT && !news->row_locked))
		idgen_refiller_miss_worker(call);
	idgen_refiller_is_session(call);
}

/* Wait for an attempt of the worker. Raises what raise_end() does. */
static void
wait_for_attempt(const IdgenHandle *handle, IdgenCall *call, uint64 attempt)
{
	IdgenWorkerNews news = {0};
	IdgenWorkerWaitEnd end = idgen_worker_wait(handle, call, attempt, &news);

	if (end == IDGEN_WAIT_OVER)
		return;
	if (handle->found.refill == IDGEN_REFILL_WORKER)
		raise_end(handle, end, &news);
	go_on_without_worker(handle, call, end, &news);
}

/*
 * The cache has no slot for the id sequence just now. Without one the worker
 * can do nothing for it, and a refill by the session itself would break rule
 * U2. Pause, then look again; raises 53400 after idgen.worker_timeout.
 */
static void
wait_for_slot(IdgenHandle *handle, IdgenCall *call)
{
	if (!idgen_worker_wait_for_slot(call))
		ereport(ERROR,
		        (errcode(ERRCODE_CONFIGURATION_LIMIT_EXCEEDED),
		         errmsg("there is no room in the cache for id sequence \"%s\"", handle->name),
		         errdetail("All of it is in use by id sequences that are being refilled."),
		         errhint("You might need to increase idgen.max_sequences.")));
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
 * This transaction keeps the worker from refilling. If it does so by refills of
 * its own, from before the row was switched to the worker, it goes on with such
 * refills. Raises 55P03 if it has changed or locked the row, unless the session
 * may refill itself.
 */
static void
refill_past_worker(IdgenHandle *handle, IdgenCall *call)
{
	idgen_slot_withdraw_request(handle->found.slot, handle->found.version);
	if (handle->found.refill == IDGEN_REFILL_AUTO)
	{
		idgen_wait_end();
		idgen_refiller_is_session(call);
		return;
	}
	if (handle->xact.refills == 0)
		raise_locked_by_us(handle);
	idgen_wait_end();
	idgen_refill_without_slot(handle, call);
}

/*
 * The session is the worker itself: a trigger on id_sequences draws, which the
 * worker has fired. It must not wait for itself. With refill "auto" it refills
 * in its transaction, as any session may. With refill "worker" that would break
 * rule U2: raises 55P03, and the worker tries again what has fired the trigger,
 * after it has done what is requested here.
 */
static void
refill_as_worker(const IdgenHandle *handle, IdgenCall *call)
{
	if (handle->found.refill == IDGEN_REFILL_WORKER)
		ereport(ERROR,
		        (errcode(ERRCODE_LOCK_NOT_AVAILABLE),
		         errmsg("the worker cannot refill id sequence \"%s\"", handle->name),
		         errdetail("It is refilling another one, and a trigger draws from this one."),
		         errhint("Draw again, or use refill \"auto\".")));
	idgen_wait_end();
	idgen_refiller_is_session(call);
}

/*
 * Draw from the cache what idgen_worker_serves(). Returns true with the
 * consecutive ids that the call wants, or false after having waited for the
 * worker, if it does not serve the call after all, or if there is reason to
 * validate again.
 *
 * Raises 55000 if this is the worker, which refills that id sequence; with
 * refill "worker", 55000 without a server's cache, and 55P03 if this
 * transaction keeps the worker from refilling, since it has changed or made the
 * row; and with both modes what waiting can.
 */
bool
idgen_by_worker_draw(IdgenHandle *handle, IdgenCall *call, IdgenBlock *ids)
{
	ErrorContextCallback context;
	IdgenDrawResult result;

	check_shared_cache();

	/* It would leave a request, and the worker would never be done. */
	idgen_refill_check_not_nested(handle);
	if (!idgen_may_use_published(handle))
		raise_locked_by_us(handle);
	if (handle->found.slot == NULL)
	{
		wait_for_slot(handle, call);
		return false;
	}

	switch (idgen_slot_draw_served(handle->found.slot, handle->found.version, call->count,
	                               idgen_passed(handle), served_now(handle), &result))
	{
		case IDGEN_DRAW_TAKEN:
			if (result.wake_worker && idgen_registry_wake(MyDatabaseId) == IDGEN_WORKER_NONE)
				idgen_refiller_miss_worker(call);
			*ids = result.ids;
			return true;
		case IDGEN_DRAW_WAIT:
			idgen_wait_begin(handle);
			if (idgen_registry_enrolled(MyDatabaseId))
			{
				refill_as_worker(handle, call);
				return false;
			}
			if (keeps_worker_out(handle))
			{
				refill_past_worker(handle, call);
				return false;
			}
			idgen_refill_context_push(handle->name, &context);
			wait_for_attempt(handle, call, result.attempt);
			error_context_stack = context.previous;
			return false;
		default:
			idgen_handle_invalidate(handle);
			return false;
	}
}
