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
 * The hot path (draw.h) takes an id from the first two places, as long as it
 * has nothing to decide: fast_epoch of the handle says so.
 *
 * The slot's lock is held for one step at a time. So a draw asks the slot what
 * to do (idgen_slot_draw), does it, which may be to wait or to refill, and
 * begins again with what has changed by then.
 *
 * All this is about sequence values. To compose an id of one comes last, and
 * cannot fail any more: what does not fit is not taken.
 *
 * Nothing is drawn from a row with periods: the draw begins anew with the child
 * of the period (idgen_handle_child()).
 */
#include "postgres.h"

#include "miscadmin.h"

#include "common/guc.h"
#include "draw/by_worker.h"
#include "draw/draw.h"
#include "draw/refill.h"
#include "draw/watermark.h"
#include "session/xact.h"
#include "session/handle.h"
#include "session/validate.h"

/*
 * Can the ids that a call asks for be composed of sequence values?
 */

/*
 * Raises 55000 if the id sequence scrambles its ids and has no key. To give it
 * another salt was turned down: ids may have been issued with the one it had.
 */
void
idgen_fit_check_key(const IdgenHandle *handle)
{
	if (handle->found.row.layout->scrambled && handle->found.scramble == NULL)
		ereport(ERROR,
		        (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
		         errmsg("id sequence \"%s\" has no key", handle->name),
		         handle->found.unmade ? errdetail("It gets one when its first id is drawn.") : errdetail("Its layout is \"%s\", and table \"idgen_secrets\" does not have the secret of its salt.", handle->found.row.layout->name),
		         handle->found.unmade ? 0 : errhint("Copy the row of \"idgen_secrets\" from where its row of \"id_sequences\" comes from.")));
}

/*
 * The sequence values that a call wants: those that fit the layout, in the form
 * that the call asks for. As long as the row is only shown, there may be a key
 * for them in the end that is not known yet.
 */
static IdgenWanted
wanted_by(const IdgenHandle *handle, const IdgenCall *call)
{
	const IdgenFound *found = &handle->found;
	IdgenWanted wanted = {call->count, found->least_value, found->greatest_value, handle->xact.note};

	if (call->form == IDGEN_FORM_NUMERIC && !found->row.layout->scrambled)
		idgen_layout_big_limits(found->row.layout, found->row.big_base, &wanted.least, &wanted.greatest);
	else if (handle->xact.note != NULL)
		wanted.least = PG_INT64_MIN; /* see open_hot_path() */
	else if (found->unmade && found->row.layout->scrambled)
		wanted.greatest = 0;
	return wanted;
}

/* Raises 0A000 unless consecutive sequence values make consecutive ids. */
static void
check_consecutive(const IdgenHandle *handle)
{
	const IdgenLayout *layout = handle->found.row.layout;

	if (layout->reversed || layout->scrambled)
		ereport(ERROR,
		        (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
		         errmsg("layout \"%s\" of id sequence \"%s\" does not give consecutive ids",
		                layout->name, handle->name),
		         layout->reversed ? errhint("Draw single ids, or use a layout that is not reversed.") : errhint("Draw single ids.")));
}

/*
 * Before anything is drawn: raise what keeps the call from getting ids of the
 * id sequence's layout (22003, 55000, 0A000). Sets the call's prefix.
 */
static void
fit_check_call(const IdgenHandle *handle, IdgenCall *call)
{
	call->prefix = 0;
	if (handle->found.row.layout == &idgen_layout_plain)
		return;
	if (!handle->found.unmade)
		idgen_fit_check_key(handle);
	if (idgen_layout_is_composed(handle->found.row.layout))
		call->prefix = idgen_layout_prefix(handle->found.row.layout);
	if (call->form == IDGEN_FORM_RANGE)
		check_consecutive(handle);
}

/* Raises 22003 or 2200H for a sequence value that cannot be scrambled. */
static void
check_scrambled(const IdgenHandle *handle, int64 value)
{
	idgen_fit_check_key(handle);
	if (value >= handle->found.least_value && value <= handle->found.greatest_value)
		return;
	ereport(ERROR,
	        (errcode(value < handle->found.least_value ? ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE : ERRCODE_SEQUENCE_GENERATOR_LIMIT_EXCEEDED),
	         errmsg("id %lld of id sequence \"%s\" does not fit layout \"%s\"",
	                (long long) value, handle->name, handle->found.row.layout->name),
	         errdetail("It must be between %lld and max_value, %lld.",
	                   (long long) handle->found.least_value, (long long) handle->found.greatest_value)));
}

/* If a sequence value does not fit, raise the reason: 2200H, 22003. */
static void
fit_check(const IdgenHandle *handle, const IdgenCall *call, int64 value)
{
	if (handle->found.row.layout->scrambled)
		check_scrambled(handle, value);
	else if (call->form == IDGEN_FORM_NUMERIC)
		idgen_layout_check_big(handle->found.row.layout, handle->name, value, handle->found.row.big_base);
	else
		idgen_layout_check(handle->found.row.layout, handle->relid, handle->name, value);
}

/*
 * Drawing
 */

/* How does this session refill, if it may use what is published? */
static IdgenDrawMode
draw_mode(const IdgenHandle *handle, bool published_ok)
{
	if (!handle->found.row.source->transactional)
		return published_ok ? IDGEN_MODE_PUBLISHING : IDGEN_MODE_ALONE;
	return handle->found.row.block_size > 1 && idgen_cache_is_shared() ? IDGEN_MODE_CLAIMING : IDGEN_MODE_ALONE;
}

/*
 * Draw from the cache. Unless the ids are taken, or unfit, this has done what
 * the cache has said: then the caller validates and looks again. Raises what
 * waiting and refilling raise.
 */
static IdgenDrawAnswer
draw_or_refill(IdgenHandle *handle, IdgenCall *call, IdgenDraw *draw, IdgenBlock *ids)
{
	for (;;)
	{
		IdgenDrawResult result;
		IdgenDrawAnswer answer = idgen_slot_draw(handle->found.slot, draw, &result);

		switch (answer)
		{
			case IDGEN_DRAW_TAKEN:
			case IDGEN_DRAW_UNFIT:
				*ids = result.ids;
				return answer;
			case IDGEN_DRAW_STALE:
				idgen_handle_invalidate(handle);
				return answer;
			case IDGEN_DRAW_PREPARE:
				if (!idgen_refill_prepare(handle, call, draw, result.ahead))
					return answer;
				break;
			case IDGEN_DRAW_WAIT:
				if (idgen_wait_for_claim(handle, call, result.wait_for))
					return answer;
				draw->may_wait = false; /* as if we had refilled */
				break;
			case IDGEN_DRAW_REFILL:
				if (draw->mode == IDGEN_MODE_PUBLISHING)
					return idgen_refill_and_publish(handle, call, draw, &result, ids);
				idgen_refill_into_pending(handle, call, draw, &result);
				return answer;
		}
	}
}

static IdgenDrawAnswer
draw_from_cache(IdgenHandle *handle, IdgenCall *call, const IdgenWanted *wanted, IdgenBlock *ids)
{
	const IdgenHandleXact *xact = &handle->xact;
	bool published_ok = idgen_may_use_published(handle);
	IdgenDraw draw = {
		.mode = draw_mode(handle, published_ok),
		.published_ok = published_ok,
		.wanted = *wanted,
		.version = handle->found.version,
		.may_wait = xact->refills == 0 && !idgen_changes_include(handle),
		.may_be_ahead = true,
		.own_claim = xact->told.claim,
		.awaited = call->awaited,
	};
	IdgenDrawAnswer answer = draw_or_refill(handle, call, &draw, ids);

	if (draw.locked)
		idgen_refill_unlock(handle);
	return answer;
}

/*
 * After a refill, a session first goes on with what the cache holds before its
 * pending block, so that its ids ascend. IDGEN_DRAW_REFILL once there are none;
 * a range passes over those that are too few for it. An answer by another
 * version is no answer: then the caller validates, and looks again.
 */
static IdgenDrawAnswer
draw_before_pending(IdgenHandle *handle, const IdgenWanted *wanted, IdgenBlock *ids)
{
	IdgenSlot *slot = handle->found.slot;
	const IdgenBlock *pending = idgen_pending_block(handle);
	IdgenDrawAnswer answer = IDGEN_DRAW_REFILL;

	if (pending != NULL && idgen_may_use_published(handle))
	{
		LWLockAcquire(&slot->lock, LW_EXCLUSIVE);
		if (slot->version != handle->found.version)
			answer = IDGEN_DRAW_STALE;
		else if (idgen_slot_take_before(slot, pending, wanted, ids))
			answer = IDGEN_DRAW_TAKEN;
		LWLockRelease(&slot->lock);
	}
	if (answer == IDGEN_DRAW_REFILL && wanted->count == 1)
		handle->pending.ahead = false;
	return answer;
}

/* Raises 22023 for a range that the source cannot have. */
static void
check_range(const IdgenHandle *handle, const IdgenCall *call)
{
	const IdgenFound *found = &handle->found;
	int64 max = found->native != NULL ? found->native->max_count : found->row.source->max_count;

	if (max > 0 && call->count > max)
		ereport(ERROR,
		        (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
		         errmsg("id sequence \"%s\" cannot give %lld consecutive ids",
		                handle->name, (long long) call->count),
		         errdetail("With source \"%s\", the limit is %lld.", found->row.source->name, (long long) max)));
}

/*
 * Draw consecutive ids from the first of the places that has them, as far as
 * what the handle has found holds. If they are neither taken nor unfit, the
 * handle must be validated again: then the caller looks at all places again.
 */
static IdgenDrawAnswer
draw(IdgenHandle *handle, IdgenCall *call, IdgenBlock *ids)
{
	IdgenWanted wanted = wanted_by(handle, call);
	IdgenDrawAnswer answer = IDGEN_DRAW_REFILL;

	if (handle->pending.ahead)
		answer = draw_before_pending(handle, &wanted, ids);
	if (answer == IDGEN_DRAW_STALE)
		idgen_handle_invalidate(handle);
	if (answer == IDGEN_DRAW_REFILL)
		answer = idgen_pending_draw(handle, &wanted, ids);
	if (answer != IDGEN_DRAW_REFILL)
		return answer;
	if (idgen_worker_serves(handle, call))
		return idgen_by_worker_draw(handle, call, &wanted, ids);
	return draw_from_cache(handle, call, &wanted, ids);
}

/*
 * These ids come next, and cannot be composed: raises 2200H or 22003 for the
 * first one that does not fit the layout. But if the row has been made
 * meanwhile, the handle has to be validated, to know its key.
 */
static void
raise_unfit(IdgenHandle *handle, const IdgenCall *call, const IdgenBlock *ids)
{
	if (handle->found.unmade && handle->found.row.layout->scrambled)
	{
		idgen_handle_invalidate(handle);
		return;
	}
	fit_check(handle, call, ids->next);
	fit_check(handle, call, idgen_block_last(ids));
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
	    !idgen_pending_fast_ok(&handle->pending))
		return;
	if (handle->xact.note != NULL)
	{
		/* Lower ones have to be noted. */
		handle->found.least_value = idgen_note_least(handle->xact.note);
		handle->found.quick_epoch = handle->found.epoch;
	}
	else if (handle->found.row.layout == &idgen_layout_plain)
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
	IdgenBlock *pending = handle->pending.block;

	if (!idgen_handle_is_valid(handle, found->quick_epoch, call->asked) || XactReadOnly)
		return false;
	if (idgen_layout_is_composed(found->row.layout))
	{
		/* Else the layout may be another one, that needs no node number. */
		if (!idgen_slot_is_still(found->slot, found->version))
			return false;
		call->prefix = idgen_layout_prefix(found->row.layout);
		if (call->form == IDGEN_FORM_NUMERIC || call->prefix != handle->last.prefix)
			return false;
	}

	if (pending != NULL && pending->left > 0)
	{
		if (pending->next < found->least_value || pending->next > found->greatest_value)
			return false;
		handle->xact.told.counters.ids_issued++;
		*value = idgen_block_take(pending);
	}
	else if (!idgen_slot_take_between(found->slot, found->version, found->least_value,
	                                  found->greatest_value, value))
		return false;
	if (found->row.layout->scrambled)
		*value = idgen_scramble(found->scramble, *value);
	handle->last.value = *value;
	return true;
}

/*
 * Draw from the id sequence of a handle that was validated just now. Returns
 * false if it has turned out that its row has periods.
 */
static bool
draw_own(IdgenHandle *handle, IdgenCall *call, IdgenBlock *ids)
{
	while (handle->found.row.period == IDGEN_PERIOD_NONE)
	{
		IdgenDrawAnswer answer;

		if (handle->found.row.watermark)
			idgen_watermark_begin(handle);
		fit_check_call(handle, call);
		if (call->count > 1)
			check_range(handle, call);
		answer = draw(handle, call, ids);
		if (answer == IDGEN_DRAW_UNFIT)
			raise_unfit(handle, call, ids);
		if (answer == IDGEN_DRAW_TAKEN)
		{
			if (handle->found.row.layout->scrambled)
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

/* What a call for a row with periods asks the child of the period. */
static IdgenCall
call_of_child(IdgenHandle *handle, const IdgenCall *call)
{
	return (IdgenCall){
		.function = call->function,
		.asked = call->asked,
		.form = call->form,
		.count = call->count,
		.at = call->at,
		.parent = handle,
	};
}

/*
 * Draw from the child of the period. The handle is valid, and its row has
 * periods.
 */
static IdgenHandle *
draw_from_child(IdgenHandle *handle, IdgenCall *call, IdgenBlock *ids)
{
	IdgenCall of_child = call_of_child(handle, call);
	IdgenHandle *drawn = idgen_draw_slow(idgen_handle_child(handle, call->at), &of_child, ids);

	call->prefix = of_child.prefix;
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
 * The child that the handle draws from at the day of the call, or now if there
 * is none, if it is remembered, and what the handle has found still holds;
 * otherwise NULL. To take the slot's lock would cost as much as all the rest.
 */
static inline IdgenHandle *
remembered_child(const IdgenHandle *handle, const IdgenCall *call)
{
	const IdgenPeriodChild *last = handle->of_period;

	if (last == NULL || last->epoch != idgen_epoch || !handle->found.remember ||
	    !idgen_handle_is_valid(handle, handle->found.epoch, call->asked) ||
	    !idgen_slot_is_still(handle->found.slot, handle->found.version))
		return NULL;
	if (call->at != NULL)
	{
		if (!idgen_same_period(handle->found.row.period, &last->day, call->at))
			return NULL;
	}
	else
	{
		TimestampTz start = GetCurrentTransactionStartTimestamp();

		if (last->zone != idgen_handle_zone(handle) || start < last->from || start >= last->until)
			return NULL;
	}
	return last->child->found.for_periods ? last->child : NULL;
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
	if (handle->found.row.period != IDGEN_PERIOD_NONE)
	{
		IdgenHandle *child = remembered_child(handle, call);

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

/*
 * Looking
 */

/*
 * Find the sequence value that comes next for a handle that is valid. Returns
 * false if the handle must be validated again.
 */
static bool
peek(IdgenHandle *handle, int64 *value)
{
	const IdgenBlock *pending = idgen_pending_block(handle);
	IdgenSlot *slot = NULL;
	IdgenBlock cached = {.left = 0};

	*value = pending != NULL ? pending->next : 0;
	if (pending != NULL && !handle->pending.ahead)
		return true;

	if (!handle->found.unmade && idgen_may_use_published(handle))
		slot = idgen_handle_lock_slot(handle);
	if (slot != NULL)
	{
		if (slot->nruns > 0)
			cached = (IdgenBlock){slot->runs[0].next, slot->runs[0].left, slot->step};
		LWLockRelease(&slot->lock);
	}
	if (pending != NULL && !(cached.left > 0 && idgen_block_before(&cached, pending)))
		return true;
	if (cached.left == 0)
		return handle->found.row.source->peek(handle, value);
	*value = cached.next;
	return true;
}

/*
 * The same, whatever changes meanwhile. Returns false if it has turned out that
 * the row has periods.
 */
static bool
peek_own(IdgenHandle *handle, IdgenCall *call, int64 *value)
{
	while (handle->found.row.period == IDGEN_PERIOD_NONE)
	{
		if (peek(handle, value))
		{
			fit_check_call(handle, call);
			fit_check(handle, call, *value);
			if (handle->found.row.layout->scrambled)
				*value = idgen_scramble(handle->found.scramble, *value);
			return true;
		}
		idgen_handle_invalidate(handle);
		idgen_handle_validate(handle, call);
	}
	return false;
}

/*
 * Find the sequence value of the id that the next call in this transaction gets
 * if no other session draws before, scrambled if the layout says so. For a
 * child that is not made yet, it is that of its first id. Returns the handle of
 * the id sequence that it is of, as idgen_draw_slow() does. Raises 25000,
 * 42501, 42704, 2200H and 22003 as drawing would, and 55000 if the source
 * cannot tell.
 */
IdgenHandle *
idgen_peek_next(IdgenHandle *handle, IdgenCall *call, int64 *value)
{
	IdgenCall of_child;

	PreventCommandIfParallelMode(call->function);
	call->missing_row = IDGEN_MISSING_ROW_SHOWN;
	idgen_handle_validate(handle, call);
	if (peek_own(handle, call, value))
		return handle;
	of_child = call_of_child(handle, call);
	handle = idgen_peek_next(idgen_handle_child(handle, NULL), &of_child, value);
	call->prefix = of_child.prefix;
	return handle;
}
