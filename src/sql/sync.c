/*
 * sync.c
 *		Moving the source of an id sequence behind ids: what idgen_sync() needs
 *		besides SQL.
 *
 * Callers lock the row first. So this waits for transactions that have
 * refilled, but not for those that insert explicit ids: what they have not
 * committed does not count. To keep them out was turned down: whoever may read
 * a table could then stop all writing to it.
 */
#include "postgres.h"

#include "fmgr.h"
#include "miscadmin.h"
#include "storage/lmgr.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/guc.h"
#include "utils/numeric.h"

#include "catalog/epoch.h"
#include "catalog/native_sequence.h"
#include "catalog/owning_column.h"
#include "catalog/row.h"
#include "catalog/table.h"
#include "common/as_owner.h"
#include "session/handle_table.h"
#include "session/missing.h"
#include "session/period_now.h"
#include "session/validate.h"
#include "sources/sources.h"
#include "sql/column_end.h"
#include "sql/sql_support.h"
#include "sql/view_line.h"

PG_FUNCTION_INFO_V1(idgen_sync_source);
PG_FUNCTION_INFO_V1(idgen_advance);

/*
 * Raises 0A000 if nothing can be said of the ids in the column, or the source
 * cannot be moved.
 */
static void
check_movable(const IdgenHandle *handle)
{
	if (handle->found.period != IDGEN_PERIOD_NONE)
		idgen_refuse_periods(handle, "idgen_restart");
	if (handle->found.layout->scrambled)
		ereport(ERROR,
		        (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
		         errmsg("cannot move id sequence \"%s\" past scrambled ids", handle->name),
		         errdetail("Ids that were not drawn lie anywhere in its range.")));
	if (idgen_layout_is_composed(handle->found.layout))
		ereport(ERROR,
		        (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
		         errmsg("cannot move id sequence \"%s\" past composed ids", handle->name),
		         errdetail("The greatest one does not tell which sequence value is the greatest."),
		         errhint("Use %s(), which takes a composed id as well.",
		                 idgen_function_name(handle->relid, "idgen_restart"))));
	if (handle->found.source->advance == NULL)
		ereport(ERROR,
		        (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
		         errmsg("id sequence \"%s\" with source \"%s\" cannot be moved",
		                handle->name, handle->found.source->name),
		         errhint("Move what its ids come from. Then delete its row and insert it again, to drop the cached ids.")));
}

/*
 * The owner of the column that a row belongs to: *owner is invalid if it
 * belongs to none. Returns false if there is no row.
 */
static bool
look_up_owner(Oid id_sequences, const char *name, Oid *owner)
{
	IdgenRow row;
	bool found = idgen_row_open(&row, id_sequences, name, strlen(name), IDGEN_SEARCH_SURE);

	*owner = InvalidOid;
	if (found)
	{
		bool isnull;
		Datum column = slot_getattr(row.slot, IDGEN_ATT_OWNED_BY, &isnull);

		if (!isnull)
			*owner = idgen_owner_of(idgen_owning_table(DatumGetInt64(column)));
	}
	idgen_row_close(&row);
	return found;
}

/* An id sequence that is being moved; see begin(). */
typedef struct Move
{
	IdgenHandle *handle;
	bool held;
	int guc_level;
	IdgenCall call;
} Move;

/*
 * Begin to look at an id sequence, which the caller has named, by the
 * search_path of whoever has called: arguments are that, the name, and the
 * source that it must have, or null. Raises what idgen_handle_validate() and
 * check_movable() do.
 */
static Move
begin(FunctionCallInfo fcinfo, IdgenMissingRow missing_row)
{
	Oid id_sequences = idgen_table_oid(fcinfo->flinfo->fn_oid);
	const char *name = text_to_cstring(PG_GETARG_TEXT_PP(1));
	Move move = {
		.guc_level = NewGUCNestLevel(),
		.call = {.function = "idgen_sync()", .missing_row = missing_row},
	};

	PreventCommandIfReadOnly("idgen_sync()");
	(void) set_config_option("search_path", text_to_cstring(PG_GETARG_TEXT_PP(0)), PGC_USERSET, PGC_S_SESSION,
	                         GUC_ACTION_SAVE, true, 0, false);
	move.handle = idgen_handle_get(id_sequences, name, strlen(name));
	move.held = idgen_handle_hold(move.handle);
	if (!PG_ARGISNULL(2))
		move.call.asked = idgen_source_get(text_to_cstring(PG_GETARG_TEXT_PP(2)));
	idgen_handle_invalidate(move.handle);
	idgen_handle_validate(move.handle, &move.call);
	check_movable(move.handle);
	return move;
}

static void
end(const Move *move)
{
	if (move->held)
		idgen_handle_let_go(move->handle);
	AtEOXact_GUC(true, move->guc_level);
}

/* Lock the native sequence of a handle, as it is then. Raises 42501. */
static void
lock_object(Move *move)
{
	IdgenHandle *handle = move->handle;
	uint64 epoch;

	do
	{
		epoch = idgen_epoch;
		if (!OidIsValid(handle->found.object))
			break;
		idgen_native_check(handle->found.object, ACL_UPDATE);
		LockRelationOid(handle->found.object, ShareRowExclusiveLock);
		if (epoch == idgen_epoch)
			break;
		idgen_handle_invalidate(handle);
		idgen_handle_validate(handle, &move->call);
		check_movable(handle);
	} while (true);
}

/*
 * idgen_sync_source(search_path text, name text, source text, lock boolean)
 * returns record: what is to be known of an id sequence to move it, and lock
 * the native sequence that its blocks come from, as ALTER SEQUENCE does. Makes
 * the child of a template. All is null if there is no row, and no source is
 * asked for that needs none. Raises 42704, 42501, 0A000, 25006.
 */
Datum
idgen_sync_source(PG_FUNCTION_ARGS)
{
	Oid id_sequences = idgen_table_oid(fcinfo->flinfo->fn_oid);
	const char *name;
	IdgenViewLine line = {.n = 0};
	const IdgenFound *found;
	Oid owner;
	bool made;
	Move move;

	if (PG_ARGISNULL(0) || PG_ARGISNULL(1) || PG_ARGISNULL(3))
		PG_RETURN_NULL();
	PreventCommandIfParallelMode("idgen_sync()");
	name = text_to_cstring(PG_GETARG_TEXT_PP(1));
	made = look_up_owner(id_sequences, name, &owner);
	if (!made && idgen_parent_of(id_sequences, name) == NULL &&
	    (PG_ARGISNULL(2) || idgen_source_find(text_to_cstring(PG_GETARG_TEXT_PP(2))) == &idgen_source_table))
		PG_RETURN_NULL();
	move = begin(fcinfo, made ? IDGEN_MISSING_ROW_MISSED : IDGEN_MISSING_ROW_MADE);
	if (PG_GETARG_BOOL(3))
		lock_object(&move);
	found = &move.handle->found;
	idgen_view_add(&line, BoolGetDatum(found->has_row));
	idgen_view_add_unless(!OidIsValid(owner), &line, ObjectIdGetDatum(owner));
	idgen_view_add_unless(!OidIsValid(found->object), &line, ObjectIdGetDatum(found->object));
	idgen_view_add(&line, BoolGetDatum(found->search_path != NULL));
	idgen_view_add_unless(found->big_base == NULL, &line, NumericGetDatum(found->big_base));
	idgen_view_add_text(&line, found->format != NULL ? idgen_format_source(found->format) : NULL);
	end(&move);
	return idgen_result_row(fcinfo, (TupleDesc *) &fcinfo->flinfo->fn_extra, line.values, line.nulls);
}

/*
 * idgen_advance(search_path text, name text, source text, least numeric,
 * greatest numeric) returns record: have all ids to come lie behind these
 * sequence values, or behind none if they are null. Says what was done; null if
 * the source has changed meanwhile. Raises 2200H, and what idgen_sync_source()
 * does.
 */
Datum
idgen_advance(PG_FUNCTION_ARGS)
{
	static const char *const kinds[] = {
		[IDGEN_MOVE_NONE] = "none",
		[IDGEN_MOVE_CACHED] = "cached",
		[IDGEN_MOVE_SOURCE] = "source",
	};
	IdgenIdsFound ids = {.least = PG_INT64_MAX, .greatest = PG_INT64_MIN};
	IdgenViewLine line = {.n = 0};
	IdgenMove moved;
	bool stale;
	Move move;

	if (PG_ARGISNULL(0) || PG_ARGISNULL(1))
		PG_RETURN_NULL();
	if (!PG_ARGISNULL(3))
		ids.least = idgen_cut_to_bigint(PG_GETARG_NUMERIC(3));
	if (!PG_ARGISNULL(4))
		ids.greatest = idgen_cut_to_bigint(PG_GETARG_NUMERIC(4));
	ids.any = !PG_ARGISNULL(4);
	move = begin(fcinfo, IDGEN_MISSING_ROW_MISSED);
	stale = move.handle->found.source->advance(move.handle, &ids, &moved) == IDGEN_SOURCE_STALE;
	end(&move);
	if (stale)
		PG_RETURN_NULL();
	idgen_view_add_text(&line, kinds[moved.kind]);
	idgen_view_add(&line, Int64GetDatum(moved.from));
	idgen_view_add(&line, Int64GetDatum(moved.to));
	return idgen_result_row(fcinfo, (TupleDesc *) &fcinfo->flinfo->fn_extra, line.values, line.nulls);
}
