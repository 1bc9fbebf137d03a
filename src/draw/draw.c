/*
 * draw.c
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

#include "common/guc.h"
#include "draw/by_worker.h"
#include "draw/draw.h"
#include "draw/refill.h"
#include "draw/wait.h"
#include "session/pending.h"
#include "session/validate.h"
#include "session/xact_changes.h"

/* How does this session draw from the cache now? */
static IdgenDrawMode
draw_mode(const IdgenHandle *handle)
{
	bool published_ok = idgen_may_use_published(handle);

	if (!handle->found.source->transactional && published_ok)
		return IDGEN_MODE_PUBLISHING;
	if (handle->found.source->transactional && handle->found.block_size > 1 && idgen_cache_is_shared())
		return published_ok ? IDGEN_MODE_CLAIMING : IDGEN_MODE_CLAIMING_AFTER_CHANGE;
	return published_ok ? IDGEN_MODE_ALONE : IDGEN_MODE_ALONE_AFTER_CHANGE;
}

/*
 * Draw from the cache. Returns true with so many ids in a row, or false after having
 * done what the cache said (wait or refill): the caller then looks again.
 */
static bool
draw_from_cache(IdgenHandle *handle, IdgenCall *call, IdgenBlock *ids)
{
	const IdgenHandleXact *xact = &handle->xact;
	IdgenDraw draw = {
		.mode = draw_mode(handle),
		.count = call->count,
		.version = handle->found.version,
		.may_wait = xact->refills == 0 && !call->impatient,
		.own_claim = xact->claim,
		.awaited = call->awaited,
	};
	IdgenDrawResult result;
	IdgenDrawAnswer answer;
	IdgenAsker asker;

	draw.may_refill = draw.mode == IDGEN_MODE_PUBLISHING && idgen_refill_prepared(handle);

	for (;;)
	{
		answer = idgen_slot_draw(handle->found.slot, &draw, &result);
		if (answer == IDGEN_DRAW_WAIT)
			idgen_wait_begin(handle);

		if (answer == IDGEN_DRAW_PREPARE)
		{
			if (!idgen_refill_get_ready(handle, &draw))
				return false;
		}
		else if (answer == IDGEN_DRAW_WAIT && draw.mode != IDGEN_MODE_PUBLISHING &&
		         idgen_handle_holds_row(handle))
		{
			/* As if we had refilled: waiting could be a deadlock. */
			idgen_wait_end();
			draw.may_wait = false;
		}
		else
			break;
	}

	asker = answer == IDGEN_DRAW_REFILL_AHEAD ? IDGEN_ASKER_SESSION_AHEAD : IDGEN_ASKER_SESSION;
	switch (answer)
	{
		case IDGEN_DRAW_TAKEN:
			*ids = result.ids;
			return true;
		case IDGEN_DRAW_STALE:
			idgen_handle_invalidate(handle);
			break;
		case IDGEN_DRAW_WAIT:
			if (draw.mode == IDGEN_MODE_PUBLISHING)
				idgen_wait_for_publishing(handle, call);
			else
				idgen_wait_for_transaction(call, result.wait_for);
			break;
		case IDGEN_DRAW_REFILL:
		case IDGEN_DRAW_REFILL_AHEAD:
			if (draw.mode == IDGEN_MODE_PUBLISHING)
				return idgen_refill_and_publish(handle, call, result.nblocks, asker, ids);
			idgen_refill_claimed(handle, call, draw.xid, &result, asker);
			break;
		case IDGEN_DRAW_PREPARE:
			break;
	}
	return false;
}

/*
 * After refilling ahead, a session goes on with what the cache holds below its
 * pending block, so that its ids ascend. False once there are none.
 */
static bool
draw_below_pending(IdgenHandle *handle, int64 count, IdgenBlock *ids)
{
	if (!handle->pending.ahead)
		return false;
	if (handle->found.slot != NULL && idgen_may_use_published(handle) &&
	    idgen_slot_take_below(handle->found.slot, handle->found.version, handle->pending.rest.block.next, count, ids))
		return true;
	handle->pending.ahead = false;
	return false;
}

/*
 * If a cached block and the pending one are so many ids in a row together, draw them
 * from both: if each range left less than one behind in the cache, there would soon be
 * no place for all that.
 */
static bool
draw_joint(IdgenHandle *handle, int64 count, IdgenBlock *ids, int64 *cached)
{
	const IdgenBlock *pending = idgen_pending_block(handle);
	IdgenBlock rest;

	if (pending == NULL || handle->found.slot == NULL || !idgen_may_use_published(handle) ||
	    !idgen_slot_take_joint(handle->found.slot, handle->found.version, count, pending, ids))
		return false;
	*cached = ids->left;
	(void) idgen_pending_take(handle, count - ids->left, &rest);
	ids->left = count;
	return true;
}

/* Ids that were drawn just now, see draw(), go back to where they came from. */
static void
put_back(IdgenHandle *handle, const IdgenBlock *ids, int64 cached)
{
	IdgenBlock rest = *ids;
	IdgenBlock first;

	if (cached > 0)
	{
		first = idgen_block_cut(&rest, cached);
		idgen_slot_put_back(handle->found.slot, handle->found.version, &first);
	}
	if (rest.left > 0)
		idgen_pending_put_back(handle, &rest);
}

/*
 * Raise what keeps ids of the id sequence's layout from being composed for a call
 * (22003, 0A000), before anything is drawn.
 */
static void
check_layout(const IdgenHandle *handle, IdgenCall *call)
{
	if (handle->found.layout == &idgen_layout_plain)
		return;
	call->prefix = idgen_layout_prefix(handle->found.layout);
	if (call->form == IDGEN_FORM_RANGE && handle->found.layout->reversed)
		ereport(ERROR,
		        (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
		         errmsg("layout \"%s\" of id sequence \"%s\" does not give consecutive ids",
		                handle->found.layout->name, handle->name),
		         errhint("Draw single ids, or use a layout that is not reversed.")));
}

/* Can the id that a call asks for be composed of a sequence value? */
static bool
fits(const IdgenHandle *handle, const IdgenCall *call, int64 value)
{
	if (call->form == IDGEN_FORM_NUMERIC)
		return idgen_layout_fits_big(handle->found.layout, value, handle->found.big_base);
	return idgen_layout_fits(handle->found.layout, value);
}

/* If not, raise the reason: 2200H, 22003. */
static void
check_fit(const IdgenHandle *handle, const IdgenCall *call, int64 value)
{
	if (call->form == IDGEN_FORM_NUMERIC)
		idgen_layout_check_big(handle->found.layout, handle->name, value, handle->found.big_base);
	else
		idgen_layout_check(handle->found.layout, handle->name, value);
}

/* Raises 22023 for a range that the source cannot have. */
static void
check_range(const IdgenHandle *handle, const IdgenCall *call)
{
	const IdgenSource *source = handle->found.source;
	int64 max = source->max_count != NULL ? source->max_count(handle) : PG_INT64_MAX;

	if (call->count > max)
		ereport(ERROR,
		        (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
		         errmsg("id sequence \"%s\" cannot give %lld consecutive ids",
		                handle->name, (long long) call->count),
		         errdetail("With source \"%s\", the limit is %lld.", source->name, (long long) max)));
}

/*
 * Draw ids in a row from the first of the places that has them, as far as what
 * the handle has found holds. Returns false if that has to be validated again, and
 * all places to be looked at again. The first *cached ids are from the cache, the
 * others from the pending block.
 */
static bool
draw(IdgenHandle *handle, IdgenCall *call, IdgenBlock *ids, int64 *cached)
{
	*cached = call->count;
	if (draw_below_pending(handle, call->count, ids))
		return true;
	if (call->count > 1 && draw_joint(handle, call->count, ids, cached))
		return true;
	if (idgen_pending_take(handle, call->count, ids))
	{
		*cached = 0;
		return true;
	}
	if (handle->found.by_worker)
		return idgen_by_worker_draw(handle, call, ids);
	if (handle->found.slot != NULL)
		return draw_from_cache(handle, call, ids);
	idgen_refill_uncached(handle, call);
	return false;
}

/*
 * See whether the ids can be composed, and put them back if not: raises 2200H or
 * 22003 for the first one that does not fit the layout.
 */
static void
check_drawn(IdgenHandle *handle, const IdgenCall *call, const IdgenBlock *ids, int64 cached)
{
	int64 last = idgen_block_last(ids);

	if (handle->found.layout == &idgen_layout_plain ||
	    (fits(handle, call, ids->next) && (call->count == 1 || fits(handle, call, last))))
		return;
	put_back(handle, ids, cached);
	check_fit(handle, call, ids->next);
	check_fit(handle, call, last);
}

/*
 * A draw is over that has noted all that idgen_last() may be asked. The next ones
 * may take the hot path, if nothing speaks against that; see fast_epoch.
 */
static void
open_hot_path(IdgenHandle *handle)
{
	bool open = handle->found.remember && handle->found.layout == &idgen_layout_plain &&
		idgen_may_use_published(handle) && idgen_pending_fast_ok(&handle->pending);

	handle->found.fast_epoch = open ? handle->found.epoch : 0;
}

/*
 * Draw the next id, or a range of ids: all that the hot path leaves out. Returns
 * sequence values.
 *
 * Raises 25006 in a read-only transaction or on a standby, 42501, 42704, 2200H
 * when there are not enough ids left; 22003, 2200H and 0A000 if they do not fit
 * the layout, 22023 and 55000 if there is no such range to be had; and whatever
 * waiting for a lock or the source can raise. Nothing is drawn then.
 */
IdgenBlock
idgen_draw_slow(IdgenHandle *handle, IdgenCall *call)
{
	IdgenBlock ids;
	int64 last;
	int64 cached;

	PreventCommandIfParallelMode(call->function);
	call->may_make_row = idgen_auto_create && !XactReadOnly;
	idgen_handle_validate(handle, call);
	if (!handle->found.temporary)
		PreventCommandIfReadOnly(call->function);
	for (;;)
	{
		check_layout(handle, call);
		if (call->count > 1)
			check_range(handle, call);
		if (draw(handle, call, &ids, &cached))
			break;
		CHECK_FOR_INTERRUPTS();
		idgen_handle_validate(handle, call);
	}
	check_drawn(handle, call, &ids, cached);
	last = idgen_block_last(&ids);
	idgen_handle_remember_last(handle, last, call->prefix);
	open_hot_path(handle);
	return ids;
}

/* The sequence value that comes next, as far as handle and row tell; see below. */
static int64
peek(IdgenHandle *handle, IdgenCall *call)
{
	const IdgenBlock *pending = idgen_pending_block(handle);
	IdgenCacheKey key;
	IdgenCached cached;
	bool published;
	int64 id;

	if (pending != NULL && !handle->pending.ahead)
		return pending->next;

	idgen_handle_key(handle, &key);
	published = idgen_may_use_published(handle) &&
		idgen_cache_read(&key, &cached) && cached.ids_left > 0;
	if (pending != NULL && !(published && idgen_block_before(&cached.blocks[0], pending)))
		return pending->next;
	if (published)
		return cached.blocks[0].next;

	while (handle->found.source->peek(handle, &id) == IDGEN_SOURCE_STALE)
	{
		idgen_handle_invalidate(handle);
		idgen_handle_validate(handle, call);
	}
	return id;
}

/*
 * The sequence value of the id that the next call in this transaction would get if
 * nobody else drew one before. Takes nothing. Raises 25000, 42501, 42704, 2200H and
 * 22003 as drawing would, and 55000 if the source cannot tell.
 */
int64
idgen_peek_next(IdgenHandle *handle, IdgenCall *call)
{
	int64 value;

	PreventCommandIfParallelMode(call->function);
	idgen_handle_validate(handle, call);
	value = peek(handle, call);
	check_layout(handle, call);
	check_fit(handle, call, value);
	return value;
}

/*
 * The sequence value to restart at: start itself, or that of an id as the layout
 * composes it. The two cannot be mistaken for each other. Raises 22003.
 */
static int64
restart_value(const IdgenHandle *handle, int64 start)
{
	IdgenPrefix prefix;

	if (!idgen_layout_fits(handle->found.layout, start))
		idgen_layout_parse(handle->found.layout, start, &prefix, &start);
	return start;
}

/*
 * Start an id sequence again at an id, or its sequence value, when the transaction
 * commits. Raises 42501, 42704, 22023 or 22003 for an id out of its range, and 0A000
 * if its source cannot be restarted.
 */
void
idgen_restart_at(IdgenHandle *handle, IdgenCall *call, int64 start)
{
	for (;;)
	{
		idgen_handle_validate(handle, call);
		if (handle->found.source->restart == NULL)
			ereport(ERROR,
			        (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
			         errmsg("id sequence \"%s\" with source \"%s\" cannot be restarted",
			                handle->name, handle->found.source->name),
			         errhint("Restart what its ids come from. Then delete its row and insert it again, to drop the cached ids.")));
		if (handle->found.source->restart(handle, restart_value(handle, start)) != IDGEN_SOURCE_STALE)
			break;
		idgen_handle_invalidate(handle);
	}
}
