/*
 * generator.h
 *		The algorithm: pending block, then cache, then refill.
 */
#ifndef IDGEN_GENERATOR_H
#define IDGEN_GENERATOR_H

#include "access/xact.h"
#include "miscadmin.h"

#include "handle.h"

extern int64 idgen_generate_slow(IdgenHandle *handle, const IdgenSource *asked,
                                 const char *function);
extern void idgen_check_usable(IdgenHandle *handle, const IdgenSource *asked);
extern int64 idgen_peek_next(IdgenHandle *handle, const IdgenSource *asked);
extern void idgen_restart_at(IdgenHandle *handle, const IdgenSource *asked,
                             int64 start);

/*
 * Draw the next id of a handle, for the SQL function of that name, which may ask
 * for a source (else NULL); see idgen_generate_slow() for what it raises.
 *
 * This is the hot path: no catalog, no memory allocation, no snapshot. It is
 * right as long as nothing has happened that the handle has to look at first,
 * and otherwise leaves everything to the slow path. So it does with a gapless
 * block, because of savepoints, and with one refilled ahead. (A parallel worker
 * never comes through here: it is a new process, whose handles are not
 * validated yet.)
 */
static inline int64
idgen_generate(IdgenHandle *handle, const IdgenSource *asked, const char *function)
{
	int64 id;

	if (likely(idgen_handle_holds(handle, handle->fast_epoch) &&
	           idgen_handle_answers(handle, asked) && !XactReadOnly))
	{
		if (handle->pending.rest.block.left > 0)
		{
			if (handle->pending.gapless || handle->pending.ahead)
				return idgen_generate_slow(handle, asked, function);
			handle->pending.counters.ids_issued++;
			id = idgen_block_take(&handle->pending.rest.block);
		}
		else if (!idgen_slot_take(handle->slot, handle->version, &id))
			return idgen_generate_slow(handle, asked, function);
		handle->last_id = id;
		handle->has_last = true;
		return id;
	}
	return idgen_generate_slow(handle, asked, function);
}

#endif /* IDGEN_GENERATOR_H */
