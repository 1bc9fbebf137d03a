/*
 * draw.h
 *		Drawing ids: pending block, then cache, then refill.
 */
#ifndef IDGEN_DRAW_H
#define IDGEN_DRAW_H

#include "access/xact.h"
#include "miscadmin.h"

#include "session/call.h"
#include "session/handle.h"

extern bool idgen_draw_quick(IdgenHandle *handle, IdgenCall *call, int64 *value);
extern IdgenHandle *idgen_draw_one(IdgenHandle *handle, IdgenCall *call, int64 *value);
extern IdgenHandle *idgen_draw_slow(IdgenHandle *handle, IdgenCall *call, IdgenBlock *ids);
extern IdgenHandle *idgen_peek_next(IdgenHandle *handle, IdgenCall *call, int64 *value);

/*
 * The hot path: no catalog, no memory allocation, no snapshot. Draw the
 * sequence value that is a handle's next id, if what was found before still
 * holds and there is nothing to decide; "asked" is the source asked for, or
 * NULL. If it answers false, the caller goes on with idgen_draw_one() or
 * idgen_draw_slow(). (In a parallel worker it always does: that is a new
 * process, whose handles are not validated yet.)
 */
static pg_attribute_always_inline bool
idgen_draw_fast(IdgenHandle *handle, const IdgenSource *asked, int64 *value)
{
	if (unlikely(!idgen_handle_is_valid(handle, handle->found.fast_epoch, asked) || XactReadOnly))
		return false;

	if (handle->pending.block != NULL && handle->pending.block->left > 0)
	{
		handle->xact.told.counters.ids_issued++;
		*value = idgen_block_take(handle->pending.block);
	}
	else if (!idgen_slot_take_between(handle->found.slot, handle->found.version, PG_INT64_MIN, PG_INT64_MAX, value))
		return false;
	handle->last.value = *value;
	return true;
}

/* The bigint id of a sequence value that fits, and is scrambled already. */
static inline int64
idgen_compose(const IdgenHandle *handle, const IdgenCall *call, int64 value)
{
	if (likely(handle->found.row.layout == &idgen_layout_plain))
		return value;
	return idgen_layout_compose(handle->found.row.layout, call->prefix, value);
}

extern void idgen_fit_check_key(const IdgenHandle *handle);

#endif /* IDGEN_DRAW_H */
