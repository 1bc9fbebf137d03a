/*
 * peek.c
 *		Which id comes next, without taking it.
 */
#include "postgres.h"

#include "miscadmin.h"

#include "draw/fit.h"
#include "draw/peek.h"
#include "session/handle_table.h"
#include "session/pending.h"
#include "session/validate.h"
#include "session/xact_changes.h"

/*
 * The sequence value that comes next for a handle that is valid; see
 * idgen_peek_next().
 */
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
	published = handle->found.slot != NULL && idgen_may_use_published(handle) &&
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
 * The sequence value of the id that the next call in this transaction gets if
 * no other session draws before. For the child of a template that is not made
 * yet, it is that of its first id. Raises 25000, 42501, 42704, 2200H and 22003
 * as drawing would, and 55000 if the source cannot tell.
 */
int64
idgen_peek_next(IdgenHandle *handle, IdgenCall *call)
{
	int64 value;
	bool held;

	PreventCommandIfParallelMode(call->function);
	call->missing_row = IDGEN_MISSING_ROW_SHOWN;
	held = idgen_handle_hold(handle);
	idgen_handle_validate(handle, call);
	value = peek(handle, call);
	idgen_fit_check_call(handle, call);
	idgen_fit_check(handle, call, value);
	if (held)
		idgen_handle_let_go(handle);
	return value;
}
