/*
 * peek.c
 *		Which id comes next, without taking it.
 */
#include "postgres.h"

#include "miscadmin.h"

#include "draw/fit.h"
#include "draw/peek.h"
#include "session/handle.h"
#include "session/xact.h"
#include "session/validate.h"

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
		return handle->found.source->peek(handle, value);
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
	while (handle->found.period == IDGEN_PERIOD_NONE)
	{
		if (peek(handle, value))
		{
			idgen_fit_check_call(handle, call);
			idgen_fit_check(handle, call, *value);
			if (handle->found.layout->scrambled)
				*value = idgen_scramble(handle->found.scramble, *value);
			return true;
		}
		idgen_handle_invalidate(handle);
		idgen_handle_validate(handle, call);
	}
	return false;
}

/*
 * Look at the child of the period. The handle is valid, and its row
 * has periods.
 */
static IdgenHandle *
peek_child(IdgenHandle *handle, IdgenCall *call, int64 *value)
{
	IdgenCall call_of_child = {
		.function = call->function,
		.form = call->form,
		.parent = handle,
	};
	IdgenHandle *found = idgen_peek_next(idgen_handle_child(handle, NULL), &call_of_child, value);

	call->prefix = call_of_child.prefix;
	return found;
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
	IdgenHandle *found = handle;

	PreventCommandIfParallelMode(call->function);
	call->missing_row = IDGEN_MISSING_ROW_SHOWN;
	idgen_handle_validate(handle, call);
	if (!peek_own(handle, call, value))
		found = peek_child(handle, call, value);
	return found;
}
