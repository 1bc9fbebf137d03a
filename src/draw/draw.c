/*
 * draw.c
 *		Drawing ids: pending block, then cache, then refill.
 *
 * A draw looks in these places, in this order:
 *
 * 1. The pending block: what this transaction has allocated and not used up. No
 *    lock is needed.
 * 2. The cache: what committed transactions have left over. If no id is left
 *    there and another session is refilling, wait for that.
 * 3. The source: refill, as part of this transaction; or, if the source is not
 *    transactional, for all sessions. If the worker refills, ask it to, and
 *    wait.
 *
 * After a wait or a refill, the draw begins again at the first place. After a
 * refill, the cache comes first as long as its ids are to be used before the
 * pending ones. A range is drawn in the same way, and a single id is a range of
 * one.
 *
 * If the cache has no slot for the id sequence, since all are busy, the second
 * place is what it holds all the same, and a refill belongs to the transaction,
 * whatever the source is (shmem/cache_draw.c).
 *
 * The hot path (draw.h) takes an id from the first two places, as long as it
 * has nothing to decide: fast_epoch of the handle says so.
 *
 * The slot's lock is held for one step at a time. So a draw asks the slot what
 * to do (idgen_slot_draw), does it, which may be to wait or to refill, and
 * begins again with what has changed by then.
 *
 * All this is about sequence values. To compose an id of one comes last, and
 * cannot fail any more: what does not fit has been put back.
 *
 * Nothing is drawn from a row with periods: the draw begins anew with the child
 * of the period (session/period_now.c).
 */
#include "postgres.h"

#include "miscadmin.h"

#include "common/guc.h"
#include "draw/by_worker.h"
#include "draw/draw.h"
#include "draw/fit.h"
#include "draw/refill.h"
#include "draw/refiller.h"
#include "draw/wait.h"
#include "draw/worker_wait.h"
#include "session/handle_table.h"
#include "session/pending.h"
#include "session/period_now.h"
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

/* Refill as the cache has said. Returns true if that has brought the ids. */
static bool
refill(IdgenHandle *handle, IdgenCall *call, const IdgenDraw *draw, const IdgenDrawResult *result,
       IdgenAsker asker, IdgenBlock *ids)
{
	if (draw->mode == IDGEN_MODE_PUBLISHING)
		return idgen_refill_and_publish(handle, call, result->nblocks, asker, ids);
	idgen_refill_into_pending(handle, call, draw->xid, result, asker);
	return false;
}

/*
 * Draw from the cache. Returns true with consecutive ids, or false after having
 * done what the cache has said: then the caller validates and looks again.
 * Raises what waiting and refilling raise.
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
		.passed = idgen_passed(handle),
	};
	IdgenDrawResult result;

	draw.may_refill = draw.mode == IDGEN_MODE_PUBLISHING && idgen_refill_is_prepared(handle);
	for (;;)
	{
		switch (idgen_slot_draw(handle->found.slot, &draw, &result))
		{
			case IDGEN_DRAW_TAKEN:
				*ids = result.ids;
				return true;
			case IDGEN_DRAW_STALE:
				idgen_handle_invalidate(handle);
				return false;
			case IDGEN_DRAW_PREPARE:
				if (!idgen_refill_prepare(handle, &draw))
					return false;
				break;
			case IDGEN_DRAW_WAIT:
				if (idgen_wait_for_refill(handle, call, draw.mode, result.wait_for))
					return false;
				draw.may_wait = false; /* as if we had refilled */
				break;
			case IDGEN_DRAW_REFILL:
				return refill(handle, call, &draw, &result, IDGEN_ASKER_SESSION, ids);
			case IDGEN_DRAW_REFILL_AHEAD:
				return refill(handle, call, &draw, &result, IDGEN_ASKER_SESSION_AHEAD, ids);
		}
	}
}

/*
 * The same without a slot: from what the cache holds all the same, most often
 * in the second level; of that only what is to be used before "block", unless
 * that is NULL. Returns false if there is none.
 */
static bool
draw_without_slot(IdgenHandle *handle, int64 count, const IdgenBlock *block, IdgenBlock *ids)
{
	IdgenKeyDraw draw = {
		.count = count,
		.before = block,
		.as_of = handle->found.version,
		.storage = handle->found.storage,
		.origin = handle->found.origin,
		.passed = idgen_passed(handle),
	};
	IdgenCacheKey key;

	idgen_handle_key(handle, &key);
	return idgen_may_use_published(handle) && idgen_cache_draw(&key, &draw, ids);
}

/*
 * After a refill, a session first goes on with what the cache holds before its
 * pending block, so that its ids ascend. False once there are none; a range
 * passes over those that are too few for it. The slot may have gone to another
 * id sequence while the session refilled.
 */
static bool
draw_before_pending(IdgenHandle *handle, int64 count, IdgenBlock *ids)
{
	const IdgenFound *found = &handle->found;
	const IdgenBlock *pending = idgen_pending_block(handle);
	bool drawn = false;

	if (pending != NULL && idgen_may_use_published(handle))
	{
		if (found->slot != NULL)
			drawn = idgen_slot_take_before(found->slot, found->version, pending, count,
			                               idgen_passed(handle), ids);
		if (!drawn && (found->slot == NULL || !idgen_slot_is_still(found->slot, found->version)))
			drawn = draw_without_slot(handle, count, pending, ids);
	}
	if (!drawn && count == 1)
		handle->pending.ahead = false;
	return drawn;
}

/* Put back ids that were drawn just now, from the cache or a pending block. */
static void
put_back(IdgenHandle *handle, const IdgenBlock *ids, bool from_cache)
{
	IdgenCacheKey key;

	if (!from_cache)
	{
		idgen_pending_put_back(handle, ids);
		return;
	}
	idgen_handle_key(handle, &key);
	idgen_cache_put_back(&key, handle->found.version, ids);
}

/* Raises 22023 for a range that the source cannot have. */
static void
check_range(const IdgenHandle *handle, const IdgenCall *call)
{
	const IdgenFound *found = &handle->found;
	int64 max = found->native != NULL ? found->native->max_count : found->source->max_count;

	if (max > 0 && call->count > max)
		ereport(ERROR,
		        (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
		         errmsg("id sequence \"%s\" cannot give %lld consecutive ids",
		                handle->name, (long long) call->count),
		         errdetail("With source \"%s\", the limit is %lld.", found->source->name, (long long) max)));
}

/*
 * Draw consecutive ids from the first of the places that has them, as far as
 * what the handle has found holds. Returns false if the handle must be
 * validated again: then the caller looks at all places again. *from_cache says
 * whether the ids are from the cache, or from the pending block.
 */
static bool
draw(IdgenHandle *handle, IdgenCall *call, IdgenBlock *ids, bool *from_cache)
{
	*from_cache = true;
	if (handle->pending.ahead && draw_before_pending(handle, call->count, ids))
		return true;
	if (idgen_pending_take(handle, call->count, ids))
	{
		*from_cache = false;
		return true;
	}
	if (handle->found.slot == NULL && draw_without_slot(handle, call->count, NULL, ids))
		return true;
	if (idgen_worker_serves(handle, call))
		return idgen_by_worker_draw(handle, call, ids);
	if (handle->found.slot != NULL)
		return draw_from_cache(handle, call, ids);
	idgen_refill_without_slot(handle, call);
	return false;
}

/*
 * See whether the ids can be composed, and put them back if not: raises 2200H
 * or 22003 for the first one that does not fit the layout.
 */
static void
check_drawn(IdgenHandle *handle, const IdgenCall *call, const IdgenBlock *ids, bool from_cache)
{
	int64 last = idgen_block_last(ids);

	if (handle->found.layout == &idgen_layout_plain ||
	    (idgen_fits(handle, call, ids->next) && (call->count == 1 || idgen_fits(handle, call, last))))
		return;
	put_back(handle, ids, from_cache);
	idgen_fit_check(handle, call, ids->next);
	idgen_fit_check(handle, call, last);
}

/*
 * A draw is over that has noted all that idgen_last() may be asked. The next
 * ones may take the hot path, if nothing speaks against that; see fast_epoch.
 */
static void
open_hot_path(IdgenHandle *handle)
{
	idgen_handle_close_hot_path(handle);
	if (!handle->found.remember || !idgen_may_use_published(handle) ||
	    !idgen_pending_fast_ok(&handle->pending) || idgen_passed(handle) != NULL)
		return;
	if (handle->found.layout == &idgen_layout_plain)
		handle->found.fast_epoch = handle->found.epoch;
	else
		handle->found.quick_epoch = handle->found.epoch;
}

/*
 * What the hot path is for layout plain, this is for the others: draw the next
 * sequence value, scrambled if the layout says so, if what was found before
 * still holds and there is nothing to decide. If it answers false, the caller
 * goes on with idgen_draw_slow(). (To have one path for all layouts was turned
 * down: the hot path would ask each time which layout it is.) Raises 22003 if
 * idgen.node_id does not fit the layout.
 */
bool
idgen_draw_quick(IdgenHandle *handle, IdgenCall *call, int64 *value)
{
	const IdgenFound *found = &handle->found;
	IdgenBlock *pending = &handle->pending.rest.block;

	if (!idgen_handle_is_valid(handle, found->quick_epoch, call->asked) || XactReadOnly)
		return false;
	if (idgen_layout_is_composed(found->layout))
	{
		/* Else the layout may be another one, that needs no node number. */
		if (!idgen_slot_is_still(found->slot, found->version))
			return false;
		call->prefix = idgen_layout_prefix(found->layout);
		if (call->form == IDGEN_FORM_NUMERIC || call->prefix != handle->last.prefix)
			return false;
	}

	if (pending->left > 0)
	{
		if (pending->next < found->least_value || pending->next > found->greatest_value)
			return false;
		handle->xact.counters.ids_issued++;
		*value = idgen_block_take(pending);
	}
	else if (!idgen_slot_take_between(found->slot, found->version, found->least_value,
	                                  found->greatest_value, value))
		return false;
	if (found->layout->scrambled)
		*value = idgen_scramble(found->scramble, *value);
	handle->last.value = *value;
	return true;
}

/*
 * Has the worker made the row meanwhile, and with it a key, which the handle
 * does not know yet? Then the ids go back, and the handle has to be validated.
 */
static bool
has_got_key(IdgenHandle *handle, const IdgenBlock *ids, bool from_cache)
{
	if (!handle->found.unmade || !handle->found.layout->scrambled)
		return false;
	put_back(handle, ids, from_cache);
	idgen_handle_invalidate(handle);
	return true;
}

/*
 * Draw from the id sequence of a handle that was validated just now. Returns
 * false if it has turned out that its row has periods.
 */
static bool
draw_own(IdgenHandle *handle, IdgenCall *call, IdgenBlock *ids)
{
	bool from_cache;

	while (handle->found.period == IDGEN_PERIOD_NONE)
	{
		idgen_fit_check_call(handle, call);
		if (call->count > 1)
			check_range(handle, call);
		if (draw(handle, call, ids, &from_cache) && !has_got_key(handle, ids, from_cache))
		{
			check_drawn(handle, call, ids, from_cache);
			if (handle->found.layout->scrambled)
				ids->next = idgen_scramble(handle->found.scramble, ids->next);
			idgen_handle_remember_last(handle, idgen_block_last(ids), call->prefix);
			open_hot_path(handle);
			return true;
		}
		CHECK_FOR_INTERRUPTS();
		idgen_handle_validate(handle, call);
	}
	return false;
}

/*
 * Draw from the child of the period. The handle is valid, and its row has
 * periods.
 */
static IdgenHandle *
draw_from_child(IdgenHandle *handle, IdgenCall *call, IdgenBlock *ids)
{
	IdgenCall call_of_child = {
		.function = call->function,
		.asked = call->asked,
		.form = call->form,
		.count = call->count,
		.at = call->at,
		.parent = handle,
	};
	IdgenHandle *drawn = idgen_draw_slow(idgen_handle_child(handle, call->at), &call_of_child, ids);

	call->prefix = call_of_child.prefix;
	handle->last = drawn->last;
	return drawn;
}

/*
 * Draw the next id, or a range of ids: all that the hot path leaves out. Puts
 * sequence values into *ids, scrambled if the layout says so: that is a single
 * one then. Returns the handle of the id sequence that they are of: another one
 * if the row has periods. It is good until the transaction ends.
 *
 * Raises 25006 in a read-only transaction or on a standby, 42501, 42704, 2200H
 * when there are not enough ids left; 22003, 2200H and 0A000 if they do not fit
 * the layout, 22023 and 55000 if there is no such range to be had; 22008 if the
 * date has no period; and whatever waiting for a lock or the source can raise.
 * Nothing is drawn then.
 */
IdgenHandle *
idgen_draw_slow(IdgenHandle *handle, IdgenCall *call, IdgenBlock *ids)
{
	IdgenHandle *drawn = handle;

	PreventCommandIfParallelMode(call->function);
	call->missing_row = IDGEN_MISSING_ROW_MADE;
	call->known_row_ok = true;
	idgen_handle_validate(handle, call);
	if (!handle->found.temporary)
		PreventCommandIfReadOnly(call->function);
	if (!draw_own(handle, call, ids))
		drawn = draw_from_child(handle, call, ids);
	return drawn;
}

/*
 * Draw the next id, if the hot path has not. The same as idgen_draw_slow(), but
 * it has hot paths of its own: for other layouts than plain, and through the
 * child that a handle remembers whose row has periods.
 */
IdgenHandle *
idgen_draw_one(IdgenHandle *handle, IdgenCall *call, int64 *value)
{
	IdgenBlock ids;

	if (idgen_draw_quick(handle, call, value))
		return handle;
	if (handle->found.period != IDGEN_PERIOD_NONE)
	{
		IdgenHandle *child = idgen_handle_child_fast(handle, call->asked, call->at);

		if (child != NULL && (idgen_draw_fast(child, call->asked, value) || idgen_draw_quick(child, call, value)))
		{
			handle->last = child->last;
			return child;
		}
	}
	handle = idgen_draw_slow(handle, call, &ids);
	*value = ids.next;
	return handle;
}
