/*
 * generator.h
 *		The algorithm: pending block, then cache, then refill.
 */
#ifndef IDGEN_GENERATOR_H
#define IDGEN_GENERATOR_H

#include "access/xact.h"
#include "miscadmin.h"

#include "handle.h"

/* What a call asks for. */
typedef struct IdgenCall
{
	const char *function;     /* that the user has called, for messages */
	const IdgenSource *asked; /* the source that the id sequence must have, or NULL */
	bool big;                 /* are ids to be numeric? */
	int64 range;              /* number of ids in a row, or 0 for a single id */
} IdgenCall;

extern IdgenBlock idgen_generate_slow(IdgenHandle *handle, const IdgenCall *call);
extern void idgen_check_usable(IdgenHandle *handle, const IdgenSource *asked);
extern int64 idgen_peek_next(IdgenHandle *handle, const IdgenCall *call);
extern void idgen_restart_at(IdgenHandle *handle, const IdgenSource *asked,
                             int64 start);

/*
 * Draw the sequence value of which a handle's next id is composed; see
 * idgen_generate_slow() for what it raises.
 *
 * This is the hot path: no catalog, no memory allocation, no snapshot. It is
 * right as long as nothing has happened that the handle has to look at first,
 * and otherwise leaves everything to the slow path. So it does with a gapless
 * block, because of savepoints, with one refilled ahead, and with any layout but
 * plain. (A parallel worker never comes through here: it is a new process, whose
 * handles are not validated yet.)
 */
static inline int64
idgen_generate(IdgenHandle *handle, const IdgenCall *call)
{
	int64 value;

	if (likely(idgen_handle_holds(handle, handle->fast_epoch) &&
	           idgen_handle_answers(handle, call->asked) && !XactReadOnly))
	{
		if (handle->pending.rest.block.left > 0)
		{
			if (handle->pending.gapless || handle->pending.ahead)
				return idgen_generate_slow(handle, call).next;
			handle->pending.counters.ids_issued++;
			value = idgen_block_take(&handle->pending.rest.block);
		}
		else if (!idgen_slot_take(handle->slot, handle->version, &value))
			return idgen_generate_slow(handle, call).next;
		handle->last.value = value;
		return value;
	}
	return idgen_generate_slow(handle, call).next;
}

#endif /* IDGEN_GENERATOR_H */
