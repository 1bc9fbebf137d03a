/*
 * generator.c
 *		The algorithm: pending block, then cache, then refill.
 *
 * 1. The pending block: what this transaction allocated and has not used up.
 * 2. The cache: what committed transactions left over.
 * 3. If another transaction is refilling, wait for its end and start again.
 * 4. Refill: allocate from the source, as part of this transaction; or, if the
 *	  source is not transactional, for everybody at once.
 *
 * How much a refill takes (rule T6): one block; if k sessions wait, k + 1; and
 * from a transaction's ninth refill on, an eighth of what it has taken so
 * far, so that a bulk load of m ids writes O(log m) row versions and leaves
 * not more than an eighth unused.
 */
#include "postgres.h"

#include "access/xact.h"
#include "miscadmin.h"
#include "storage/lmgr.h"
#include "storage/proc.h"

#include "generator.h"
#include "guc.h"
#include "pending.h"
#include "row.h"

/* Refills of one block before a transaction's refills begin to grow. */
#define IDGEN_EVEN_REFILLS 8
/* The part of what it has taken by then that the next refill takes. */
#define IDGEN_GROWTH_DIVISOR 8

/* The entry in which this session is counted as waiting, if any. */
static bool waiting = false;
static IdgenCacheKey waiting_key;

/* The entry that others wait for this session to refill at once, if any. */
static bool refilling = false;
static IdgenCacheKey refilling_key;

/* The wait is not to be, or an error has ended it. */
static void
give_up_waiting(void)
{
	if (!waiting)
		return;
	waiting = false;
	idgen_cache_waited(&waiting_key, InvalidTransactionId);
}

/* An error has ended whatever we did, as far as it was visible to others. */
void
idgen_generator_abort(void)
{
	give_up_waiting();
	if (refilling)
	{
		refilling = false;
		idgen_cache_not_refilled(&refilling_key);
	}
}

/* The cache has counted us as waiting; see to it that it does not stay so. */
static void
note_waiting(IdgenHandle *handle)
{
	idgen_handle_key(handle, &waiting_key);
	waiting = true;
}

/*
 * Wait for the (sub)transaction that is refilling, in the server's lock
 * manager: deadlocks are detected, timeouts and cancelling work.
 */
static void
wait_for_transaction(TransactionId xid)
{
	XactLockTableWait(xid, NULL, NULL, XLTW_None);
	waiting = false;
	idgen_cache_waited(&waiting_key, xid);
}

/*
 * Wait for a refill that will be published at once. Whoever makes it waits for
 * no lock of a transaction, so there can be no deadlock.
 */
static void
wait_for_publishing(IdgenSlot *slot)
{
	static uint32 wait_event = 0;

	if (wait_event == 0)
		wait_event = WaitEventExtensionNew("IdgenRefill");

	ConditionVariablePrepareToSleep(&slot->refilled);
	while (idgen_slot_is_refilling(slot))
		ConditionVariableSleep(&slot->refilled, wait_event);
	ConditionVariableCancelSleep();
	waiting = false;
	idgen_cache_waited(&waiting_key, InvalidTransactionId);
}

/*
 * Could whoever refills be waiting for us, because this transaction has
 * changed or locked the row, or the table, by ordinary SQL?
 */
static bool
holds_row(IdgenHandle *handle)
{
	IdgenRow row;
	bool held;

	held = idgen_row_open(&row, handle->relid, handle->name, handle->namelen, true) &&
		idgen_row_is_held(row.rel, row.slot);
	idgen_row_close(&row);
	return held;
}

/* Say in the server's log that ids are running out, once per percent. */
static void
warn_if_low(IdgenHandle *handle, int percent_left)
{
	IdgenCacheKey key;

	if (percent_left >= idgen_warn_remaining)
		return;
	idgen_handle_key(handle, &key);
	if (idgen_cache_warning_due(&key, percent_left))
		ereport(LOG,
		        (errmsg("id sequence \"%s\" has %d%% of its ids left",
		                handle->name, percent_left),
		         errhidestmt(true), errhidecontext(true)));
}

/*
 * Have the source allocate. "ahead" means that there are still ids in the
 * cache: then nothing is worth waiting for or failing. Returns false if nothing
 * was allocated.
 */
static bool
allocate(IdgenHandle *handle, int64 nblocks, bool ahead, IdgenRefill *refill)
{
	const IdgenPending *pending = &handle->pending;
	IdgenRequest request = {.blocks = nblocks, .wait = !ahead};
	ErrorContextCallback context;
	bool done;

	if (pending->refills >= IDGEN_EVEN_REFILLS)
		request.bulk_ids = pending->ids_allocated / IDGEN_GROWTH_DIVISOR;

	memset(refill, 0, sizeof(IdgenRefill));
	idgen_refill_context_push(handle, &context);
	done = handle->source->allocate(handle, &request, refill);
	error_context_stack = context.previous;
	return done;
}

/* Get blocks into the handle's pending state; see allocate(). */
static bool
refill(IdgenHandle *handle, int64 nblocks, bool ahead)
{
	IdgenRefill refilled;

	if (!allocate(handle, nblocks, ahead, &refilled))
		return false;

	/*
	 * The rest is for other sessions as soon as we have committed, so the
	 * commit must be on disk by then, whatever synchronous_commit says. So must
	 * it be for ids that our own client relies on.
	 */
	ForceSyncCommit();
	idgen_pending_add(handle, &refilled, ahead);
	warn_if_low(handle, refilled.percent_left);
	return true;
}

/* Has this transaction done what a refill needs that is published at once? */
static bool
is_prepared(const IdgenHandle *handle)
{
	return handle->prepared == MyLocalTransactionId;
}

/*
 * Get ready to refill. Not in advance: a draw from the cache writes nothing and
 * locks nothing. Returns false if what we know of the source has turned out to
 * be out of date meanwhile.
 */
static bool
get_ready(IdgenHandle *handle, IdgenDraw *draw)
{
	uint64 epoch = idgen_epoch;

	if (!handle->source->transactional && !is_prepared(handle))
	{
		handle->source->prepare(handle);
		handle->prepared = MyLocalTransactionId;
	}
	if (!draw->at_once)
		draw->xid = GetCurrentTransactionId();
	draw->ready = true;
	return epoch == idgen_epoch;
}

/* Refill outside of the cache's protocol, because it has no slot for us. */
static void
refill_uncached(IdgenHandle *handle)
{
	IdgenDraw draw = {0};

	if (get_ready(handle, &draw) && !refill(handle, 1, false))
		idgen_handle_forget(handle);
}

/* Refill as the cache has said, having claimed it if it has said so. */
static void
refill_claimed(IdgenHandle *handle, TransactionId xid,
               const IdgenDrawResult *result, bool ahead)
{
	if (result->claimed)
	{
		/* Listed, the end of the transaction takes the claim back. */
		idgen_pending_list(handle);
		handle->pending.claim = xid;
	}

	if (!refill(handle, result->nblocks, ahead))
	{
		IdgenCacheKey key;

		idgen_handle_key(handle, &key);
		idgen_cache_unclaim(&key, xid);

		/* Ahead, it was not needed; else the row is gone: look again. */
		if (!ahead)
			idgen_handle_forget(handle);
	}
}

/*
 * Refill and publish at once, for the cache has let us. If it is not ahead,
 * the first id is ours: returns true with it.
 */
static bool
refill_at_once(IdgenHandle *handle, int64 nblocks, bool ahead, int64 *id)
{
	IdgenRefill refilled;
	IdgenOutcome outcome = {0};

	idgen_handle_key(handle, &refilling_key);
	refilling = true;
	if (!allocate(handle, nblocks, ahead, &refilled))
	{
		idgen_generator_abort();
		if (!ahead)
			idgen_handle_forget(handle);
		return false;
	}

	outcome.counters.refills = 1;
	outcome.counters.blocks_taken = refilled.blocks;
	outcome.counters.last_refill = GetCurrentTimestamp();
	if (!ahead)
	{
		*id = idgen_block_take(&refilled.block);
		outcome.counters.ids_issued = 1;
	}
	outcome.rest.block = refilled.block;
	outcome.rest.more = refilled.more;
	outcome.rest.nmore = refilled.nmore;
	outcome.rest.storage = handle->storage;
	outcome.ahead_blocks = refilled.ahead_blocks;
	outcome.ahead_ids = refilled.ahead_ids;
	idgen_slot_publish(handle->slot, &outcome);
	refilling = false;

	warn_if_low(handle, refilled.percent_left);
	return !ahead;
}

/*
 * Draw from the cache. Returns true with an id, or false after having done
 * what the cache said (wait or refill): the caller then looks again.
 */
static bool
draw_from_cache(IdgenHandle *handle, int64 *id)
{
	IdgenPending *pending = &handle->pending;
	const IdgenSource *source = handle->source;
	bool published_ok = idgen_pending_published_ok(handle);
	IdgenDraw draw = {
		.version = handle->version,
		.published_ok = published_ok,
		.at_once = !source->transactional && published_ok,
		.claims = source->transactional && handle->block_size > 1 && idgen_cache_is_shared(),
		.never_wait = pending->refills > 0,
		.own_claim = pending->claim,
	};
	IdgenDrawResult result;
	IdgenDrawAnswer answer;

	draw.ready = draw.at_once && is_prepared(handle);

	for (;;)
	{
		answer = idgen_slot_draw(handle->slot, &draw, &result);
		if (answer == IDGEN_DRAW_WAIT)
			note_waiting(handle);

		if (answer == IDGEN_DRAW_NOT_READY)
		{
			if (!get_ready(handle, &draw))
				return false;
		}
		else if (answer == IDGEN_DRAW_WAIT && !draw.at_once && holds_row(handle))
		{
			/* As if we had refilled: waiting could be a deadlock. */
			give_up_waiting();
			draw.never_wait = true;
		}
		else
			break;
	}

	switch (answer)
	{
		case IDGEN_DRAW_TAKEN:
			*id = result.id;
			return true;
		case IDGEN_DRAW_STALE:
			idgen_handle_forget(handle);
			break;
		case IDGEN_DRAW_WAIT:
			if (draw.at_once)
				wait_for_publishing(handle->slot);
			else
				wait_for_transaction(result.wait_for);
			break;
		case IDGEN_DRAW_REFILL:
		case IDGEN_DRAW_REFILL_AHEAD:
			if (draw.at_once)
				return refill_at_once(handle, result.nblocks,
				                      answer == IDGEN_DRAW_REFILL_AHEAD, id);
			refill_claimed(handle, draw.xid, &result,
			               answer == IDGEN_DRAW_REFILL_AHEAD);
			break;
		case IDGEN_DRAW_NOT_READY:
			break;
	}
	return false;
}

/*
 * After refilling ahead, a session goes on with what the cache holds below its
 * pending block, so that its ids ascend. False once there are none.
 */
static bool
draw_below_pending(IdgenHandle *handle, int64 *id)
{
	IdgenPending *pending = &handle->pending;

	if (!pending->ahead)
		return false;
	if (handle->slot != NULL && idgen_pending_published_ok(handle) &&
	    idgen_slot_take_below(handle->slot, handle->version, pending->rest.block.next, id))
		return true;
	pending->ahead = false;
	return false;
}

/* Make sure that the handle's answers hold, which may have just been given. */
static void
revalidate(IdgenHandle *handle, const IdgenSource *asked, bool auto_create)
{
	if (idgen_handle_holds(handle, handle->epoch) && idgen_handle_answers(handle, asked))
		return;
	idgen_handle_validate(handle, asked, auto_create);
	idgen_pending_validated(handle);
}

/* At the beginning of a call, make sure that the handle's answers hold. */
static void
validate(IdgenHandle *handle, const IdgenSource *asked, bool auto_create)
{
	if (!handle->remember)
		idgen_handle_forget(handle);
	revalidate(handle, asked, auto_create);
	handle->fast_epoch =
		handle->remember && idgen_pending_published_ok(handle) ? handle->epoch : 0;
}

/*
 * Check that the current user may draw from the id sequence and that it
 * exists, without drawing. Raises 42501, 42704.
 */
void
idgen_check_usable(IdgenHandle *handle, const IdgenSource *asked)
{
	validate(handle, asked, false);
}

/*
 * Draw the next id: all that the hot path leaves out. "function" is what the
 * user has called, for messages.
 *
 * Raises 25006 in a read-only transaction or on a standby, 42501, 42704,
 * 2200H when there is no id left, and whatever waiting for a lock can raise. No
 * id is lost by an error.
 */
int64
idgen_generate_slow(IdgenHandle *handle, const IdgenSource *asked, const char *function)
{
	bool auto_create = idgen_auto_create && !XactReadOnly;
	int64 id;

	PreventCommandIfParallelMode(function);

	validate(handle, asked, auto_create);
	if (!handle->temporary)
		PreventCommandIfReadOnly(function);
	for (;;)
	{
		if (draw_below_pending(handle, &id) || idgen_pending_take(handle, &id))
			break;
		if (handle->slot == NULL)
			refill_uncached(handle);
		else if (draw_from_cache(handle, &id))
			break;
		CHECK_FOR_INTERRUPTS();
		revalidate(handle, asked, auto_create);
	}

	handle->last_id = id;
	handle->has_last = true;
	return id;
}

/*
 * The id that the next call in this transaction would get if nobody else drew
 * one before. Takes nothing. Raises 42501, 42704, 2200H, and 55000 if the source
 * cannot tell.
 */
int64
idgen_peek_next(IdgenHandle *handle, const IdgenSource *asked)
{
	const IdgenBlock *pending;
	IdgenCacheKey key;
	IdgenSlot cached;
	bool published;

	validate(handle, asked, false);
	pending = idgen_pending_block(handle);
	if (pending != NULL && !handle->pending.ahead)
		return pending->next;

	idgen_handle_key(handle, &key);
	published = idgen_pending_published_ok(handle) &&
		idgen_cache_read(&key, &cached) && cached.ids_left > 0;
	if (pending != NULL && !(published && idgen_block_before(&cached.blocks[0], pending)))
		return pending->next;
	if (published)
		return cached.blocks[0].next;
	return handle->source->peek(handle);
}

/*
 * Start an id sequence again at an id, when the transaction commits. Raises
 * 42501, 42704, 22023 for an id out of its range, and 0A000 if its source
 * cannot be restarted.
 */
void
idgen_restart_at(IdgenHandle *handle, const IdgenSource *asked, int64 start)
{
	validate(handle, asked, false);
	if (handle->source->restart == NULL)
		ereport(ERROR,
		        (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
		         errmsg("id sequence \"%s\" with source \"%s\" cannot be restarted",
		                handle->name, handle->source->name),
		         errhint("Restart what its ids come from, then delete and insert its row to drop what is cached.")));
	handle->source->restart(handle, start);
}
