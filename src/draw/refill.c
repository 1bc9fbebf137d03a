/*
 * refill.c
 *		Refilling, and waiting for others to.
 *
 * A refill from a transactional source belongs to the transaction: its blocks
 * are pending until it commits, and whoever waits for them waits for that, in
 * the server's lock manager. One from a source that is not transactional is
 * published as soon as the source has allocated it, and waited for on a condition
 * variable. In a transaction that must not use what is published, because it
 * has changed what ids come from, any refill is of the first kind.
 *
 * How much a refill takes (rule T6): one block; if k sessions wait, k + 1; and
 * from a transaction's ninth refill on, an eighth of what it has taken so
 * far, so that a bulk load of m ids writes O(log m) row versions and leaves
 * not more than an eighth unused.
 */
#include "postgres.h"

#include "access/xact.h"
#include "access/xlog.h"
#include "miscadmin.h"
#include "replication/syncrep.h"
#include "replication/walsender.h"
#include "replication/walsender_private.h"
#include "storage/lmgr.h"
#include "storage/lwlock.h"
#include "storage/proc.h"
#include "utils/guc.h"
#include "utils/timeout.h"
#include "utils/timestamp.h"

#include "catalog/epoch.h"
#include "common/compat.h"
#include "common/subxact.h"
#include "draw/refill.h"
#include "session/messages.h"
#include "session/pending.h"
#include "session/xact_changes.h"

/* Refills of one block before a transaction's refills begin to grow. */
#define IDGEN_EVEN_REFILLS 8
/* The part of what it has taken by then that the next refill takes. */
#define IDGEN_GROWTH_DIVISOR 8

/* How much longer than deadlock_timeout a session waits before it looks again. */
#define IDGEN_DEADLOCK_MARGIN_MS 100

/* Refills that a call makes to get its ids in a row before it gives up. */
#define IDGEN_RANGE_REFILLS 10

/* The entry in which this session is counted as waiting, if any. */
static bool waiting = false;
static IdgenCacheKey waiting_key;

/* The entry that others wait for this session to refill at once, if any. */
static bool refilling = false;
static int refilling_level; /* nesting level of the transaction then */
static IdgenCacheKey refilling_key;

/* The wait is over; for what, see idgen_cache_waited(). */
static void
end_wait(TransactionId xid)
{
	waiting = false;
	idgen_cache_waited(&waiting_key, xid);
}

/* The wait is not to be, or an error has ended it. */
void
idgen_refill_not_awaited(void)
{
	if (waiting)
		end_wait(InvalidTransactionId);
}

/*
 * The transaction or subtransaction is aborted, and with it what we did, as far
 * as that was visible to others; but not if it is one that the source itself has
 * begun.
 */
void
idgen_refill_abort(void)
{
	idgen_refill_not_awaited();
	if (refilling && GetCurrentTransactionNestLevel() <= refilling_level)
	{
		refilling = false;
		idgen_cache_not_refilled(&refilling_key);
	}
}

/* The cache has counted us as waiting; see to it that it does not stay so. */
void
idgen_refill_expected(IdgenHandle *handle)
{
	idgen_handle_key(handle, &waiting_key);
	waiting = true;
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

/* The milliseconds of lock_timeout that are left for a wait for a transaction; 0 = no limit. */
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
 * If that lasts, look again now and then: the transaction may have been
 * prepared. Then it goes on, perhaps for ever, but refills no more. The server
 * looks for a deadlock first, so the wait is a bit longer than it takes to do so.
 * Only the first such wait is logged, as if it went on.
 *
 * If statement_timeout is over, too, by the time that the process gets to run, the
 * server takes only the timeout that was first, which is ours, and forgets the other.
 */
void
idgen_refill_await_transaction(IdgenCall *call, TransactionId xid)
{
	bool again = call->awaited == xid;
	long left = lock_timeout_left(call, xid);
	long round = Min(DeadlockTimeout, INT_MAX - IDGEN_DEADLOCK_MARGIN_MS) + IDGEN_DEADLOCK_MARGIN_MS;
	TransactionWait wait = {xid, left > 0 ? Min(left, round) : round, again};
	bool limited = get_timeout_active(STATEMENT_TIMEOUT);
	ErrorData *timed_out = idgen_try(wait_for_transaction, &wait, ERRCODE_LOCK_NOT_AVAILABLE);

	if (timed_out == NULL)
		end_wait(xid);
	else if (wait.timeout == left)
		ReThrowError(timed_out);
	else if (limited && !get_timeout_active(STATEMENT_TIMEOUT))
		ereport(ERROR,
		        (errcode(ERRCODE_QUERY_CANCELED),
		         errmsg("canceling statement due to statement timeout")));
	else
		FreeErrorData(timed_out);
}

/*
 * The milliseconds for which a call may still wait for others who refill at once: as long as
 * the source may need and, besides, as the server lets others wait before it looks for a
 * deadlock, since nobody would see one here. They count from the call's first wait: if
 * one refill fails after the other, not everybody is to wait for all of them.
 */
static long
patience_left(const IdgenHandle *handle, IdgenCall *call)
{
	TimestampTz now = GetCurrentTimestamp();
	const int *source_timeout = handle->found.source->timeout;
	int64 patience = (int64) DeadlockTimeout + (source_timeout != NULL ? *source_timeout : 0);

	if (call->waiting_since == 0)
		call->waiting_since = now;
	return TimestampDifferenceMilliseconds(now, TimestampTzPlusMilliseconds(call->waiting_since, patience));
}

/*
 * Wait for a refill that will be published at once, as long as patience lasts. Then we refill
 * ourselves: whoever refills waits for no lock of a transaction, but for those on the
 * system catalogs, and at another server.
 */
void
idgen_refill_await_publishing(const IdgenHandle *handle, IdgenCall *call)
{
	static uint32 wait_event = 0;
	IdgenSlot *slot = handle->found.slot;
	long timeout;

	if (wait_event == 0)
		wait_event = WaitEventExtensionNew("IdgenRefill");

	ConditionVariablePrepareToSleep(&slot->refill.done);
	while (idgen_slot_awaits_publishing(slot, call->count) && !call->impatient)
	{
		timeout = patience_left(handle, call);
		call->impatient = timeout == 0 || ConditionVariableTimedSleep(&slot->refill.done, timeout, wait_event);
	}
	ConditionVariableCancelSleep();
	end_wait(InvalidTransactionId);
}

/*
 * Raises 55000 if the id sequence is being refilled by this very session: what its
 * allocation runs, an allocator or a trigger, must not need the ids that it is to bring.
 */
static void
check_not_refilling(const IdgenHandle *handle)
{
	if (handle->allocating)
		ereport(ERROR,
		        (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
		         errmsg("the refill of id sequence \"%s\" draws from the same id sequence", handle->name),
		         errhint("Make the allocator, or the trigger on \"id_sequences\", leave this id sequence out.")));
}

/*
 * Have the source allocate. Raises whatever the source does, and 55000 if that
 * draws from the same id sequence.
 */
IdgenSourceResult
idgen_refill_allocate(IdgenHandle *handle, const IdgenRequest *request, IdgenRefill *refill)
{
	ErrorContextCallback context;
	IdgenSourceResult result;

	memset(refill, 0, sizeof(IdgenRefill));
	refill->rest.storage = handle->found.storage;
	refill->rest.origin = handle->found.origin;
	idgen_refill_context_push(handle, &context);
	check_not_refilling(handle);
	handle->allocating = true;
	PG_TRY();
	{
		result = handle->found.source->allocate(handle, request, refill);
	}
	PG_FINALLY();
	{
		handle->allocating = false;
	}
	PG_END_TRY();
	error_context_stack = context.previous;

	/* Of a gapless refill ids may go back, see idgen_xact_warn_low(). */
	if (result == IDGEN_SOURCE_OK && refill->fate != IDGEN_REST_RETURNED)
		idgen_warn_low(handle, refill->percent_left);
	return result;
}

/*
 * Has the wait for synchronous standbys up to that place in the WAL, which is over, come to
 * its end? It is given up when it is cancelled or the session has to go, of which the server
 * only warns. If no standbys count any more, that is an end, too.
 */
bool
idgen_refill_is_replicated(XLogRecPtr lsn)
{
	int mode = synchronous_commit == SYNCHRONOUS_COMMIT_REMOTE_WRITE ? SYNC_REP_WAIT_WRITE : SYNC_REP_WAIT_FLUSH;
	bool replicated;

	if ((!InterruptPending && !ProcDiePending) || !SyncRepRequested())
		return true;
	/* as the wait does, not by this session's setting, which may be older */
	LWLockAcquire(SyncRepLock, LW_SHARED);
	replicated = lsn <= WalSndCtl->lsn[mode] || !sync_standbys_are_defined(WalSndCtl);
	LWLockRelease(SyncRepLock);
	return replicated;
}

/*
 * Wait until no crash can bring back what a source has allocated: as a commit would,
 * also for synchronous replication, but whatever synchronous_commit says about
 * the local disk. Returns false if the wait for a standby was given up: then nobody
 * may have what was allocated.
 */
bool
idgen_refill_flush(XLogRecPtr lsn)
{
	if (lsn == InvalidXLogRecPtr)
		return true;
	XLogFlush(lsn);
	HOLD_INTERRUPTS();
	SyncRepWaitForLSN(lsn, false);
	RESUME_INTERRUPTS();
	return idgen_refill_is_replicated(lsn);
}

/*
 * Raises 57014, or ends the session: that wait was given up. Unlike a commit, a refill
 * can still fail, but the server has taken the cancel for done.
 */
static void
flush_cancelled(void)
{
	QueryCancelPending = true;
	InterruptPending = true;
	CHECK_FOR_INTERRUPTS();
}

/*
 * What there is already, to which new ids may be added for a range. Others draw from what
 * is published: if that has failed once, it is not tried again.
 */
static IdgenBlock
last_block(IdgenHandle *handle, const IdgenCall *call)
{
	IdgenBlock block = idgen_pending_last_block(handle);

	if (block.left == 0 && call->refills == 0 &&
	    handle->found.slot != NULL && idgen_may_use_published(handle))
		block = idgen_slot_read_last_block(handle->found.slot, handle->found.version);
	return block;
}

/* Raises 55000: the source gives blocks, but they are too small. */
static void
not_in_a_row(const IdgenHandle *handle, const IdgenCall *call)
{
	ereport(ERROR,
	        (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
	         errmsg("could not get %lld consecutive ids of id sequence \"%s\"",
	                (long long) call->count, handle->name),
	         errdetail("Its source gave smaller blocks, or other sessions drew from it in between."),
	         errhint("Make the blocks larger.")));
}

/* How many ids are worth taking at once, after what this transaction has taken? */
static int64
bulk_ids(const IdgenHandle *handle)
{
	const IdgenHandleXact *xact = &handle->xact;

	if (xact->refills >= IDGEN_EVEN_REFILLS)
		return xact->ids_allocated / IDGEN_GROWTH_DIVISOR;
	if (handle->publishing.refills >= IDGEN_EVEN_REFILLS && idgen_refill_prepared(handle))
		return handle->publishing.ids / IDGEN_GROWTH_DIVISOR;
	return 0;
}

/*
 * Allocate for this session, which wants so many ids in a row. "ahead" means
 * that there are still ids in the cache.
 */
static IdgenSourceResult
allocate(IdgenHandle *handle, IdgenCall *call, int64 nblocks, bool ahead, IdgenRefill *refill)
{
	IdgenRequest request = {
		.asker = ahead ? IDGEN_ASKER_SESSION_AHEAD : IDGEN_ASKER_SESSION,
		.blocks = nblocks,
		.bulk_ids = bulk_ids(handle),
		.count = ahead ? 1 : call->count,
	};

	if (request.count > 1)
		request.joins = last_block(handle, call);
	if (++call->refills > IDGEN_RANGE_REFILLS && request.count > 1)
		not_in_a_row(handle, call);
	return idgen_refill_allocate(handle, &request, refill);
}

/* Get blocks into the handle's pending state; see allocate(). */
static IdgenSourceResult
refill(IdgenHandle *handle, IdgenCall *call, int64 nblocks, bool ahead)
{
	uint64 version = handle->found.slot != NULL ? handle->found.version : 0;
	IdgenRefill refilled;
	IdgenSourceResult result = allocate(handle, call, nblocks, ahead, &refilled);

	if (result != IDGEN_SOURCE_OK)
		return result;

	/*
	 * The rest is for other sessions as soon as we have committed, so the
	 * commit must be on disk by then, whatever synchronous_commit says. So must
	 * it be for ids that our own client relies on.
	 */
	ForceSyncCommit();
	idgen_pending_add(handle, &refilled, version, ahead);
	return result;
}

/* Has this transaction done what a refill needs that is published at once? */
bool
idgen_refill_prepared(const IdgenHandle *handle)
{
	return handle->publishing.lxid == MyLocalTransactionId;
}

/*
 * Get ready to refill. Not in advance: a draw from the cache writes nothing and
 * locks nothing. Returns false if what we know of the source has turned out to
 * be out of date meanwhile.
 */
bool
idgen_refill_get_ready(IdgenHandle *handle, IdgenDraw *draw)
{
	uint64 epoch = idgen_epoch;

	if (!handle->found.source->transactional && !idgen_refill_prepared(handle))
	{
		if (handle->found.source->prepare)
			handle->found.source->prepare(handle);
		handle->publishing.lxid = MyLocalTransactionId;
		handle->publishing.refills = handle->publishing.ids = 0;
	}
	if (draw->mode != IDGEN_MODE_PUBLISHING)
		draw->xid = GetCurrentTransactionId();
	draw->may_refill = true;
	return epoch == idgen_epoch;
}

/* Refill outside of the cache's protocol, because it has no slot for us. */
void
idgen_refill_uncached(IdgenHandle *handle, IdgenCall *call)
{
	IdgenDraw draw = {.mode = IDGEN_MODE_ALONE};

	if (idgen_refill_get_ready(handle, &draw) &&
	    refill(handle, call, 1, false) == IDGEN_SOURCE_STALE)
		idgen_handle_invalidate(handle);
}

/* Refill as the cache has said, having claimed it if it has said so. */
void
idgen_refill_claimed(IdgenHandle *handle, IdgenCall *call, TransactionId xid,
                     const IdgenDrawResult *draw, bool ahead)
{
	IdgenSourceResult result;

	if (draw->claimed)
	{
		/* Listed, the end of the transaction takes the claim back. */
		idgen_handle_list(handle);
		handle->xact.claim = xid;
	}

	result = refill(handle, call, draw->nblocks, ahead);
	if (result != IDGEN_SOURCE_OK)
	{
		IdgenCacheKey key;

		idgen_handle_key(handle, &key);
		idgen_cache_unclaim(&key, xid);
	}
	if (result == IDGEN_SOURCE_STALE)
		idgen_handle_invalidate(handle);
}

/*
 * Refill and publish at once, for the cache has let us. If it is not ahead,
 * the first ids are ours: returns true with them, if there are so many in a row.
 */
bool
idgen_refill_at_once(IdgenHandle *handle, IdgenCall *call, int64 nblocks, bool ahead, IdgenBlock *ids)
{
	uint64 version = handle->found.version;
	IdgenRefill refilled;
	IdgenOutcome outcome = {0};
	IdgenSourceResult result;
	bool taken;

	idgen_handle_key(handle, &refilling_key);
	refilling = true;
	refilling_level = GetCurrentTransactionNestLevel();
	result = allocate(handle, call, nblocks, ahead, &refilled);
	if (result != IDGEN_SOURCE_OK)
	{
		idgen_refill_abort();
		if (result == IDGEN_SOURCE_STALE)
			idgen_handle_invalidate(handle);
		return false;
	}
	outcome.unsafe = !idgen_refill_flush(refilled.lsn);

	handle->publishing.refills++;
	handle->publishing.ids = idgen_add_saturating(handle->publishing.ids, idgen_rest_ids(&refilled.rest));
	idgen_count_refill(&outcome.counters, &refilled);
	outcome.rest = refilled.rest;
	outcome.rest_good_as_of = version;
	outcome.ahead_blocks = refilled.ahead_blocks;
	outcome.ahead_ids = refilled.ahead_ids;
	taken = idgen_slot_publish(handle->found.slot, &outcome, ahead || outcome.unsafe ? 0 : call->count, ids);
	refilling = false;
	if (outcome.unsafe)
		flush_cancelled();
	return taken;
}
