/*
 * generator.h
 *		The algorithm: pending block, then cache, then refill.
 */
#ifndef IDGEN_GENERATOR_H
#define IDGEN_GENERATOR_H

#include "access/xact.h"
#include "miscadmin.h"

#include "handle.h"

extern int64 idgen_generate_slow(IdgenHandle *handle, const char *function);
extern void idgen_check_usable(IdgenHandle *handle);
extern int64 idgen_peek_next(IdgenHandle *handle);
extern void idgen_wait_given_up(void);

/*
 * Draw the next id of a handle, for the SQL function of that name; see
 * idgen_generate_slow() for what it raises.
 *
 * This is the hot path: no catalog, no memory allocation, no snapshot. It is
 * right as long as nothing has happened that the handle has to look at first,
 * and otherwise leaves everything to the slow path. So it does with a gapless
 * block, because of savepoints, and with one refilled ahead. (A parallel worker never comes through here: it
 * is a new process, whose handles are not validated yet.)
 */
static inline int64
idgen_generate(IdgenHandle *handle, const char *function)
{
	int64 id;

	if (likely(handle->fast_epoch == idgen_epoch &&
	           handle->userid == GetUserId() &&
	           !XactReadOnly))
	{
		if (handle->pending.block.left > 0)
		{
			if (handle->pending.gapless || handle->pending.ahead)
				return idgen_generate_slow(handle, function);
			handle->pending.counters.ids_issued++;
			id = idgen_block_take(&handle->pending.block);
		}
		else if (!idgen_slot_take(handle->slot, handle->version, &id))
			return idgen_generate_slow(handle, function);
		handle->last_id = id;
		handle->has_last = true;
		return id;
	}
	return idgen_generate_slow(handle, function);
}

#endif /* IDGEN_GENERATOR_H */
