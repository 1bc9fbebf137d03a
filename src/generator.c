/*
 * generator.c
 *		The algorithm: pending block, then cache, then refill.
 *
 * 1. The pending block: what this transaction allocated and has not used up.
 * 2. The cache: what committed transactions left over.
 * 3. If another transaction is refilling, wait for its end and start again.
 * 4. Refill: allocate from the row, as part of this transaction.
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

#include "generator.h"
#include "guc.h"
#include "pending.h"
#include "row.h"
#include "source_table.h"

/* Refills of one block before a transaction's refills begin to grow. */
#define IDGEN_EVEN_REFILLS 8
/* The part of what it has taken by then that the next refill takes. */
#define IDGEN_GROWTH_DIVISOR 8

/* The entry in which this session is counted as waiting, if any. */
static bool waiting = false;
static IdgenCacheKey waiting_key;

static void
refill_error_context(void *arg)
{
	errcontext("while refilling id sequence \"%s\"", ((IdgenHandle *) arg)->name);
}

/* The wait is not to be, or an error has ended it (called at abort). */
void
idgen_wait_given_up(void)
{
	if (!waiting)
		return;
	waiting = false;
	idgen_cache_waited(&waiting_key, InvalidTransactionId);
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
wait_for_refill(TransactionId xid)
{
	XactLockTableWait(xid, NULL, NULL, XLTW_None);
	waiting = false;
	idgen_cache_waited(&waiting_key, xid);
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
 * Get a block into the handle's pending state. "ahead" means that there are
 * still ids in the cache: then nothing is worth waiting for or failing.
 * Returns false if nothing was allocated.
 */
static bool
refill(IdgenHandle *handle, int64 nblocks, bool ahead)
{
	IdgenPending *pending = &handle->pending;
	ErrorContextCallback context;
	IdgenRefill refilled;
	int64 min_ids = 0;
	bool done;

	if (pending->refills >= IDGEN_EVEN_REFILLS)
		min_ids = pending->ids_allocated / IDGEN_GROWTH_DIVISOR;

	context.callback = refill_error_context;
	context.arg = handle;
	context.previous = error_context_stack;
	error_context_stack = &context;
	done = idgen_table_allocate(handle, nblocks, min_ids, !ahead, &refilled);
	if (done)
	{
		/*
		 * The rest is for other sessions as soon as we have committed, so
		 * the commit must be on disk by then, whatever synchronous_commit
		 * says. So must it be for ids that our own client relies on.
		 */
		ForceSyncCommit();
		refilled.ahead = ahead;
		idgen_pending_add(handle, &refilled);
	}
	error_context_stack = context.previous;

	if (done)
		warn_if_low(handle, refilled.percent_left);
	return done;
}

/* Refill outside of the cache's protocol, because it has no slot for us. */
static void
refill_uncached(IdgenHandle *handle)
{
	if (!refill(handle, 1, false))
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
 * Draw from the cache. Returns true with an id, or false after having done
 * what the cache said (wait or refill): the caller then looks again.
 */
static bool
draw_from_cache(IdgenHandle *handle, int64 *id)
{
	IdgenPending *pending = &handle->pending;
	IdgenDraw draw = {
		.version = handle->version,
		.published_ok = idgen_pending_published_ok(handle),
		.claims = handle->block_size > 1 && idgen_cache_is_shared(),
		.never_wait = pending->refills > 0,
		.own_claim = pending->claim,
	};
	IdgenDrawResult result;
	IdgenDrawAnswer answer;

	for (;;)
	{
		answer = idgen_slot_draw(handle->slot, &draw, &result);
		if (answer == IDGEN_DRAW_WAIT)
			note_waiting(handle);

		if (answer == IDGEN_DRAW_NEEDS_XID)
		{
			/* Not in advance: a draw from the cache writes nothing. */
			draw.xid = GetCurrentTransactionId();
		}
		else if (answer == IDGEN_DRAW_WAIT && holds_row(handle))
		{
			/* As if we had refilled: waiting could be a deadlock. */
			idgen_wait_given_up();
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
			wait_for_refill(result.wait_for);
			break;
		case IDGEN_DRAW_REFILL:
			refill_claimed(handle, draw.xid, &result, false);
			break;
		case IDGEN_DRAW_REFILL_AHEAD:
			refill_claimed(handle, draw.xid, &result, true);
			break;
		case IDGEN_DRAW_NEEDS_XID:
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
	    idgen_slot_take_below(handle->slot, handle->version, pending->block.next, id))
		return true;
	pending->ahead = false;
	return false;
}

/* Make sure that the handle's answers hold, which may have just been given. */
static void
revalidate(IdgenHandle *handle, bool auto_create)
{
	if (handle->epoch == idgen_epoch && handle->userid == GetUserId())
		return;
	idgen_handle_validate(handle, auto_create);

	/* What holds for an uncommitted row holds for this transaction only. */
	if (handle->own_row)
		idgen_pending_change(handle, IDGEN_CHANGE_REVALIDATE);
}

/* At the beginning of a call, make sure that the handle's answers hold. */
static void
validate(IdgenHandle *handle, bool auto_create)
{
	if (!handle->remember)
		idgen_handle_forget(handle);
	revalidate(handle, auto_create);
	handle->fast_epoch =
		handle->remember && idgen_pending_published_ok(handle) ? handle->epoch : 0;
}

/*
 * Check that the current user may draw from the id sequence and that it
 * exists, without drawing. Raises 42501, 42704.
 */
void
idgen_check_usable(IdgenHandle *handle)
{
	validate(handle, false);
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
idgen_generate_slow(IdgenHandle *handle, const char *function)
{
	int64 id;

	PreventCommandIfReadOnly(function);
	PreventCommandIfParallelMode(function);

	validate(handle, idgen_auto_create);
	for (;;)
	{
		if (draw_below_pending(handle, &id) || idgen_pending_take(handle, &id))
			break;
		if (handle->slot == NULL)
			refill_uncached(handle);
		else if (draw_from_cache(handle, &id))
			break;
		CHECK_FOR_INTERRUPTS();
		revalidate(handle, idgen_auto_create);
	}

	handle->last_id = id;
	handle->has_last = true;
	return id;
}

/*
 * The id that the next call in this transaction would get if nobody else drew
 * one before. Takes nothing. Raises 42501, 42704, 2200H.
 */
int64
idgen_peek_next(IdgenHandle *handle)
{
	IdgenPending *pending = &handle->pending;
	IdgenCacheKey key;
	IdgenSlot cached;
	bool published;
	IdgenDefinition def;
	IdgenRow row;

	validate(handle, false);
	if (pending->block.left > 0 && !pending->ahead)
		return pending->block.next;

	idgen_handle_key(handle, &key);
	published = idgen_pending_published_ok(handle) &&
		idgen_cache_read(&key, &cached) && cached.ids_left > 0;
	if (pending->block.left > 0 &&
	    !(published && cached.blocks[0].next < pending->block.next))
		return pending->block.next;
	if (published)
		return cached.blocks[0].next;

	if (!idgen_row_open(&row, handle->relid, handle->name, handle->namelen, true))
		idgen_no_such_sequence(handle->name);
	idgen_definition_from_row(row.slot, handle->name, &def);
	idgen_row_close(&row);

	if (idgen_definition_is_exhausted(&def))
		idgen_exhausted(handle->name, &def);
	return def.next_block_start;
}
