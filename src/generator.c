/*
 * generator.c
 *		The algorithm: pending block, then cache, then refill.
 *
 * 1. The pending block: what this transaction allocated and has not used up.
 * 2. The cache: what committed transactions left over.
 * 3. If another transaction is refilling, wait for its end and start again.
 * 4. Refill: allocate from the source, as part of this transaction; or, if the
 *	  source is not transactional, for everybody at once. If that is the worker's
 *	  business, ask for it, and wait if no id is left.
 */
#include "postgres.h"

#include "miscadmin.h"

#include "by_worker.h"
#include "generator.h"
#include "guc.h"
#include "pending.h"
#include "refill.h"

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
		.never_wait = pending->refills > 0 || handle->impatient,
		.own_claim = pending->claim,
	};
	IdgenDrawResult result;
	IdgenDrawAnswer answer;

	draw.ready = draw.at_once && idgen_refill_prepared(handle);

	for (;;)
	{
		answer = idgen_slot_draw(handle->slot, &draw, &result);
		if (answer == IDGEN_DRAW_WAIT)
			idgen_refill_expected(handle);

		if (answer == IDGEN_DRAW_NOT_READY)
		{
			if (!idgen_refill_get_ready(handle, &draw))
				return false;
		}
		else if (answer == IDGEN_DRAW_WAIT && !draw.at_once && idgen_handle_holds_row(handle))
		{
			/* As if we had refilled: waiting could be a deadlock. */
			idgen_refill_not_awaited();
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
				idgen_refill_await_publishing(handle);
			else
				idgen_refill_await_transaction(result.wait_for);
			break;
		case IDGEN_DRAW_REFILL:
		case IDGEN_DRAW_REFILL_AHEAD:
			if (draw.at_once)
				return idgen_refill_at_once(handle, result.nblocks,
				                            answer == IDGEN_DRAW_REFILL_AHEAD, id);
			idgen_refill_claimed(handle, draw.xid, &result,
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
	handle->fast_epoch = 0;
	if (handle->remember && idgen_pending_published_ok(handle) &&
	    handle->object == handle->last_object)
		handle->fast_epoch = handle->epoch;
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
 * 2200H when there is no id left, and whatever waiting for a lock or the source
 * can raise.
 */
int64
idgen_generate_slow(IdgenHandle *handle, const IdgenSource *asked, const char *function)
{
	bool auto_create = idgen_auto_create && !XactReadOnly;
	int64 id;

	PreventCommandIfParallelMode(function);

	handle->waiting_since = 0;
	validate(handle, asked, auto_create);
	if (!handle->temporary)
		PreventCommandIfReadOnly(function);
	for (;;)
	{
		if (draw_below_pending(handle, &id) || idgen_pending_take(handle, &id))
			break;
		if (handle->by_worker)
		{
			if (idgen_by_worker_draw(handle, &id))
				break;
		}
		else if (handle->slot == NULL)
			idgen_refill_uncached(handle);
		else if (draw_from_cache(handle, &id))
			break;
		CHECK_FOR_INTERRUPTS();
		revalidate(handle, asked, auto_create);
	}

	handle->impatient = false;
	handle->last_id = id;
	handle->last_object = handle->object;
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
	int64 id;

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

	while (!handle->source->peek(handle, &id))
	{
		idgen_handle_forget(handle);
		validate(handle, asked, false);
	}
	return id;
}

/*
 * Start an id sequence again at an id, when the transaction commits. Raises
 * 42501, 42704, 22023 or 22003 for an id out of its range, and 0A000 if its
 * source cannot be restarted.
 */
void
idgen_restart_at(IdgenHandle *handle, const IdgenSource *asked, int64 start)
{
	for (;;)
	{
		validate(handle, asked, false);
		if (handle->source->restart == NULL)
			ereport(ERROR,
			        (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
			         errmsg("id sequence \"%s\" with source \"%s\" cannot be restarted",
			                handle->name, handle->source->name),
			         errhint("Restart what its ids come from, then delete and insert its row to drop what is cached.")));
		if (handle->source->restart(handle, start))
			break;
		idgen_handle_forget(handle);
	}
}
