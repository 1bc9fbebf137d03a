/*
 * extent.c
 *		How far an id sequence has got, and how far it can get.
 *
 * The source says both, as far as they are known here: of source "table" the
 * row, of source "sequence" the native sequence. With the others, somebody else
 * allocates. What limits an id sequence besides, its layout and the columns
 * that take its ids, is added by who knows it: the smallest limit counts.
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

/* What a row says as big_base, palloc'd; NULL if zero. */
static Numeric
read_big_base(TupleTableSlot *row)
{
	bool isnull;
	Datum value = slot_getattr(row, IDGEN_ATT_BIG_BASE, &isnull);
	Datum zero = NumericGetDatum(int64_to_numeric(0));

	if (isnull || DatumGetBool(DirectFunctionCall2(numeric_eq, value, zero)))
		return NULL;
	return DatumGetNumericCopy(value);
}

/*
 * The extent of the id sequence that a row describes. "object" is the native
 * sequence that its blocks come from, if the caller knows it; else it is looked
 * for. Of a template, and of a row with periods, it says where children start.
 */
void
idgen_extent_of_row(TupleTableSlot *row, Oid object, IdgenExtent *extent)
{
	const char *source_name = idgen_row_string(row, IDGEN_ATT_SOURCE);
	const char *layout_name = idgen_row_string(row, IDGEN_ATT_LAYOUT);
	const IdgenSource *source = source_name != NULL ? idgen_source_find(source_name) : NULL;
	const IdgenLayout *layout = layout_name != NULL ? idgen_layout_find(layout_name) : NULL;

	*extent = (IdgenExtent){
		.layout = layout != NULL ? layout : &idgen_layout_plain,
		.big_base = read_big_base(row),
		.format = idgen_row_string(row, IDGEN_ATT_FORMAT),
		.step = 1,
	};
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
	IdgenBlock block;
	int64 value;

	extent->exhausted = !idgen_native_next_ids(sequence, state, &value, &block);
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
	if (pool != NULL && idgen_pooling_numbers(pool->pooling) && last == pool->max_value)
		idgen_extent_limit(extent, IDGEN_LIMIT_MAX_VALUE, last, "max_value");
	else
		idgen_extent_limit(extent, IDGEN_LIMIT_SEQUENCE, last, idgen_native_title(sequence));
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
	extent->step = (int) says.ids.step;
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
	*extent = (IdgenExtent){
		.layout = &idgen_layout_plain,
		.step = 1,
	};
	idgen_extent_add_native(extent, sequence, NULL);
}

/* Is a value within the limit, as far as that is known? */
bool
idgen_extent_reaches(const IdgenExtent *extent, int64 value)
{
	if (extent->limited_by == NULL)
		return true;
	return extent->step > 0 ? value <= extent->limit : value >= extent->limit;
}

/*
 * Something limits the values, up to "limit". Of two that do so equally, the
 * later one is named: it is closer to the ids, while what the source says can
 * often be raised.
 */
void
idgen_extent_limit(IdgenExtent *extent, IdgenLimitKind kind, int64 limit, const char *limited_by)
{
	if (!idgen_extent_reaches(extent, limit))
		return;
	extent->limit = limit;
	extent->limit_kind = kind;
	extent->limited_by = limited_by;
}

/* The layout limits the values that bigint ids are composed of. */
void
idgen_extent_limit_by_layout(IdgenExtent *extent)
{
	if (idgen_layout_is_composed(extent->layout))
		idgen_extent_limit(extent, IDGEN_LIMIT_LAYOUT, extent->step > 0 ? extent->layout->values - 1 : 0,
		                   psprintf("layout %s", extent->layout->name));
}

/*
 * The values from one to the limit. These are doubles, since there may be 2^64.
 */
static double
values_from(const IdgenExtent *extent, int64 value)
{
	return extent->step * ((double) extent->limit - (double) value) + 1;
}

/* How many values are left. Negative if that is not known. */
double
idgen_extent_ids_left(const IdgenExtent *extent)
{
	if (!extent->is_known || extent->limited_by == NULL)
		return -1;
	if (extent->exhausted || !idgen_extent_reaches(extent, extent->next))
		return 0;
	return values_from(extent, extent->next);
}

/* The percentage of values that is left. Negative if that is not known. */
double
idgen_extent_percent_left(const IdgenExtent *extent)
{
	double left = idgen_extent_ids_left(extent);
	double all = values_from(extent, extent->first);

	return left <= 0 ? left : 100 * left / Max(all, left);
}
