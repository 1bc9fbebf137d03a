/*
 * extent.c
 *		How far an id sequence has got, and how far it can get.
 *
 * The source says both, as far as they are known here: of source "table" the
 * row, of source "sequence" the native sequence. With the others, somebody else
 * allocates. The smallest limit counts.
 *
 * Views look at whatever there is. So nothing here waits for a lock, and
 * nothing fails because of what a row says.
 */
#include "postgres.h"

#include "utils/builtins.h"
#include "utils/fmgrprotos.h"

#include "catalog/extent.h"
#include "catalog/native_look.h"
#include "catalog/row.h"
#include "catalog/source.h"

/*
 * The extent of the id sequence that a row describes. "object" is the native
 * sequence that its blocks come from, if the caller knows it; else it is looked
 * for. Of a template, and of a row with periods, it says where children start.
 */
void
idgen_extent_of_row(TupleTableSlot *row, Oid object, IdgenExtent *extent)
{
	const char *source_name = idgen_row_string(row, IDGEN_ATT_SOURCE);
	const IdgenSource *source = source_name != NULL ? idgen_source_find(source_name) : NULL;

	*extent = (IdgenExtent){.step = 1};
	if (source != NULL && source->extent)
		source->extent(row, object, extent);
}

/* How far a native sequence has got, in values. */
static void
add_values(IdgenExtent *extent, const IdgenNativeSequence *sequence, const IdgenNativeState *state)
{
	extent->last = state->last_value;
	extent->exhausted = !idgen_native_next_value(sequence, state, &extent->next);
}

/* The same in the ids that they stand for. */
static void
add_ids(IdgenExtent *extent, const IdgenNativeSequence *sequence, const IdgenNativeState *state)
{
	IdgenBlock block = idgen_native_next_ids(sequence, state);

	extent->exhausted = block.left == 0;
	if (extent->exhausted)
	{
		extent->last = idgen_native_last_id(sequence, state->last_value);
		return;
	}
	extent->next = block.next;
	extent->last = (int64) ((uint64) block.next - (uint64) block.step);
}

/* The last value of a native sequence, or the last id that they stand for. */
static void
limit_by_native(IdgenExtent *extent, Oid sequence, const IdgenNativeSequence *says, const IdgenPool *pool)
{
	int64 last = pool != NULL ? idgen_native_last_id(says, says->start) : says->last;

	extent->cycles = says->cycle;
	extent->cycle_end = last;
	if (says->cycle)
		return;
	if (pool != NULL && pool->pooling == IDGEN_POOLING_HILO && last == pool->max_value)
		idgen_extent_limit(extent, last, "max_value");
	else
		idgen_extent_limit(extent, last, idgen_native_title(sequence));
}

/*
 * Add the extent of a native sequence: of the ids that its values stand for by
 * that pool or, if it is NULL, of the values as nextval() gives them.
 *
 * It begins with the first value that the sequence can have, not with START:
 * one that idgen_release() has made starts where ids are by then. It is not
 * known how far it has got while somebody drops it, nor where it ends if it is
 * gone. One with CYCLE has no end of its own.
 */
void
idgen_extent_add_native(IdgenExtent *extent, Oid sequence, const IdgenPool *pool)
{
	IdgenNativeSequence says;
	IdgenNativeState state;

	if (!idgen_native_look(sequence, pool != NULL ? pool : &idgen_no_pool, &says))
		return;
	extent->step = (int) says.step;
	extent->first = pool != NULL ? idgen_native_first_id(&says) : says.first;
	limit_by_native(extent, sequence, &says, pool);
	if (!idgen_native_look_at_state(sequence, &state))
		return;
	extent->is_known = true;
	extent->any = state.is_called;
	if (pool != NULL)
		add_ids(extent, &says, &state);
	else
		add_values(extent, &says, &state);
}

/* The extent of a native sequence from which nextval() draws. */
void
idgen_extent_of_native(Oid sequence, IdgenExtent *extent)
{
	*extent = (IdgenExtent){.step = 1};
	idgen_extent_add_native(extent, sequence, NULL);
}

/*
 * Something limits the values, up to "limit". Of two that do so equally, the
 * later one is named: it is closer to the ids, while what the source says can
 * often be raised.
 */
void
idgen_extent_limit(IdgenExtent *extent, int64 limit, const char *limited_by)
{
	if (extent->limited_by != NULL && (extent->step > 0 ? limit > extent->limit : limit < extent->limit))
		return;
	extent->limit = limit;
	extent->limited_by = limited_by;
}
