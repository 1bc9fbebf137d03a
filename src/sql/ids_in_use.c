/*
 * ids_in_use.c
 *		How far the ids of a column have gone.
 *
 * Ids are in the table, or drawn and not inserted yet. The latter are known
 * only by what the column draws from: they lie below what that says comes next.
 * So each function takes one more place into account, and the greatest id
 * counts.
 *
 * The caller has locked whatever it asks about. Each place is read after it is
 * locked.
 */
#include "postgres.h"

#include "access/relation.h"
#include "common/int.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

#include "catalog/definition.h"
#include "catalog/epoch.h"
#include "catalog/extent.h"
#include "catalog/native_sequence.h"
#include "catalog/row.h"
#include "catalog/table.h"
#include "common/compat.h"
#include "session/handle_table.h"
#include "session/validate.h"
#include "sql/column_end.h"
#include "sql/ids_in_use.h"

static void
count_last(IdgenIdsInUse *ids, int64 id)
{
	ids->last = ids->any ? Max(ids->last, id) : id;
	ids->any = true;
}

/*
 * Count the ids before the next one. If there can be none before it, count it.
 */
static void
count_before(IdgenIdsInUse *ids, int64 next)
{
	count_last(ids, next == PG_INT64_MIN ? next : next - 1);
}

/*
 * The ids in the table. Raises 42501 if row security hides rows from the
 * caller.
 */
void
idgen_count_table(const IdgenColumn *column, IdgenIdsInUse *ids)
{
	Numeric last;

	idgen_check_may_read(column->table_oid, column->name);
	last = idgen_column_end(column->table_oid, column->name, IDGEN_END_GREATEST, NULL, IDGEN_LOOK_AT_ALL);
	if (last != NULL)
		count_last(ids, idgen_cut_to_bigint(last));
}

/* Raises 0A000 for a sequence that counts down. */
static void
check_ascends(const IdgenNativeSequence *sequence)
{
	if (sequence->increment < 0)
		ereport(ERROR,
		        (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
		         errmsg("cannot move a column that draws from descending sequence \"%s\"",
		                NameStr(sequence->name)),
		         errdetail("Its ids would have to ascend from now on.")));
}

static void
count_sequence(Oid sequence_oid, IdgenIdsInUse *ids)
{
	Relation rel = relation_open(sequence_oid, NoLock);
	IdgenNativeSequence *sequence = idgen_native_describe(rel, &idgen_no_pool);
	IdgenNativeState state;
	int64 next;

	idgen_native_check(sequence_oid, ACL_USAGE | ACL_SELECT | ACL_UPDATE);
	check_ascends(sequence);
	if (!idgen_native_is_readable(rel))
		ereport(ERROR,
		        (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
		         errmsg("cannot access temporary sequences of other sessions")));
	state = idgen_native_state(rel);
	relation_close(rel, NoLock);

	if (!state.is_called)
		count_before(ids, state.last_value);
	else if (pg_add_s64_overflow(state.last_value, sequence->increment, &next))
		count_last(ids, PG_INT64_MAX);
	else
		count_before(ids, next);
}

/*
 * The ids that native sequences have given out, up to the next value: one value
 * may stand for a block of ids. Raises 42501, 0A000.
 */
void
idgen_count_sequences(const IdgenColumnSequences *sequences, IdgenIdsInUse *ids)
{
	ListCell *cell;

	foreach(cell, sequences->owned)
		count_sequence(lfirst_oid(cell), ids);
	foreach(cell, sequences->used)
		count_sequence(lfirst_oid(cell), ids);
}

/*
 * Lock the native sequence of a handle, if it has one. Returns false if it has
 * changed until it was locked. Raises 0A000 if it counts down.
 */
static bool
lock_native_sequence(const IdgenHandle *handle)
{
	uint64 epoch = idgen_epoch;
	Relation rel;

	if (!OidIsValid(handle->found.object))
		return true;
	rel = try_relation_open(handle->found.object, ShareRowExclusiveLock);
	if (rel == NULL)
		return false;
	check_ascends(idgen_native_describe(rel, &handle->found.pool));
	relation_close(rel, NoLock);
	return epoch == idgen_epoch;
}

/*
 * The id that comes after all blocks. With CACHE, the next one cannot be told
 * (peek), but all that any session holds lies before what the native sequence
 * has not given yet. Raises 2200H.
 */
static IdgenSourceResult
id_after_blocks(IdgenHandle *handle, int64 *id)
{
	IdgenIdsFound none = {0};
	IdgenMove move = {0};
	IdgenSourceResult result;

	if (!OidIsValid(handle->found.object))
		return handle->found.source->peek(handle, id);
	result = handle->found.source->advance(handle, &none, &move);
	*id = move.from;
	return result;
}

/*
 * If no block is left, count the last id of all, and return true. One that
 * somebody has stopped while ids are left is none of these.
 */
static bool
count_used_up(const IdgenHandle *handle, IdgenIdsInUse *ids)
{
	IdgenRow row;
	IdgenExtent extent = {.is_known = false};
	bool used_up;

	if (idgen_row_open(&row, handle->relid, handle->name, handle->namelen, IDGEN_SEARCH_SURE))
		idgen_extent_of_row(row.slot, handle->found.object, &extent);
	idgen_row_close(&row);
	used_up = extent.is_known && extent.exhausted && extent.any &&
		(OidIsValid(handle->found.object) || idgen_is_at_end(extent.next, extent.limit));
	if (used_up)
		count_last(ids, extent.last);
	return used_up;
}

/* Count the ids in all blocks. Raises what asking the source raises. */
static IdgenSourceResult
count_blocks(IdgenHandle *handle, IdgenIdsInUse *ids)
{
	IdgenSourceResult result;
	int64 next;

	if (count_used_up(handle, ids))
		return IDGEN_SOURCE_OK;
	result = id_after_blocks(handle, &next);
	if (result == IDGEN_SOURCE_OK)
		count_before(ids, next);
	return result;
}

/*
 * The ids in blocks of an id sequence, be they used, cached or pending. The
 * caller has locked the row. Blocks of a native sequence come without a lock of
 * the row, so this locks the native sequence. Raises 0A000 if ids are composed
 * of what the row counts, if the row has periods, or if the native sequence
 * counts down.
 */
void
idgen_count_id_sequence(IdgenHandle *handle, IdgenIdsInUse *ids)
{
	IdgenCall call = {0};
	bool held = idgen_handle_hold(handle);

	do
	{
		do
		{
			idgen_handle_invalidate(handle);
			idgen_handle_validate(handle, &call);
			if (handle->found.period != IDGEN_PERIOD_NONE)
				ereport(ERROR,
				        (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				         errmsg("cannot move back a column whose ids start anew each %s",
				                idgen_period_word(handle->found.period)),
				         errdetail("Id sequence \"%s\" has periods.", handle->name)));
			if (handle->found.layout != &idgen_layout_plain)
				ereport(ERROR,
				        (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				         errmsg("cannot move back a column that draws %s ids",
				                handle->found.layout->scrambled ? "scrambled" : "composed"),
				         errdetail("The layout of id sequence \"%s\" is not \"plain\".", handle->name)));
		} while (!lock_native_sequence(handle));
	} while (count_blocks(handle, ids) == IDGEN_SOURCE_STALE);
	if (held)
		idgen_handle_let_go(handle);
}

/*
 * The first id that the column can use; 1 if none is in use. Raises 2200H if
 * the column's type has no greater one.
 */
int64
idgen_first_free_id(const IdgenColumn *column, const IdgenIdsInUse *ids)
{
	int64 last = ids->any ? ids->last : 0;

	if (last >= column->type_max)
		ereport(ERROR,
		        (errcode(ERRCODE_SEQUENCE_GENERATOR_LIMIT_EXCEEDED),
		         errmsg("no id is left for column \"%s\" of table \"%s\"", column->name, column->table),
		         errdetail("The last value of its type is %lld.", (long long) column->type_max),
		         column->type != INT8OID ? errhint("Widen it with %s TYPE bigint first.", idgen_alter_column(column, column->table_oid)) : 0));
	return last + 1;
}
