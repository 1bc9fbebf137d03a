/*
 * sync.c
 *		idgen_sync(): moving id sequences behind the ids in their columns.
 *
 * Rows with explicit ids, say of an import, may have ids that an id sequence is
 * still to issue. The steps for each: keep refills out, find the greatest id in
 * all columns that draw from it, and have its source go behind.
 *
 * Locks, in this order: the table ACCESS SHARE; the row of the id sequence; the
 * native sequence that its blocks come from SHARE ROW EXCLUSIVE, as ALTER
 * SEQUENCE does; the other tables ACCESS SHARE. So this waits for transactions
 * that have refilled, but not for those that insert explicit ids: what they
 * have not committed does not count. To keep them out was turned down: whoever
 * may read a table could then stop all writing to it.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "fmgr.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "storage/lmgr.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/lsyscache.h"

#include "access/table.h"
#include "access/tableam.h"
#include "catalog/epoch.h"
#include "catalog/native_sequence.h"
#include "catalog/owning_column.h"
#include "catalog/row.h"
#include "catalog/table.h"
#include "common/as_owner.h"
#include "common/compat.h"
#include "common/subxact.h"
#include "session/handle_table.h"
#include "session/period_now.h"
#include "session/validate.h"
#include "sql/column_end.h"
#include "sql/drawing_columns.h"
#include "sql/drawing_defaults.h"
#include "sql/ids_in_use.h"
#include "sql/sql_support.h"
#include "sql/sync.h"
#include "sql/user_sql.h"

PG_FUNCTION_INFO_V1(idgen_sync);

/* What idgen_sync() is asked for. */
typedef enum Scope
{
	SYNC_RELATION, /* or one column of it */
	SYNC_DATABASE,
} Scope;

/* One column whose id sequence is moved. */
typedef struct Sync
{
	Scope scope;
	Oid id_sequences;
	const IdgenDrawingColumn *column;
	List *behind;       /* other columns that the same call has moved behind */
	const char *report; /* what has been done */
} Sync;

pg_noreturn static void
no_such_relation(Oid relid)
{
	ereport(ERROR,
	        (errcode(ERRCODE_UNDEFINED_TABLE),
	         errmsg("relation with OID %u does not exist", relid)));
}

static const char *
describe_column(const IdgenDrawingColumn *column)
{
	return psprintf("column \"%s\" of table \"%s\"", column->name, column->table);
}

/*
 * Does the schema of the table have a native sequence of that name itself? If
 * the name is looked for along search_path, then whoever uses the table has
 * that schema in it, most likely, and draws from that sequence: each tenant has
 * one, say.
 */
static bool
draws_from_neighbour(const IdgenDrawingColumn *column, const IdgenHandle *handle)
{
	Oid object = handle->found.object;
	Oid neighbour;

	if (handle->found.search_path == NULL)
		return false;
	neighbour = get_relname_relid(get_rel_name(object), get_rel_namespace(column->relid));
	return OidIsValid(neighbour) && neighbour != object;
}

/*
 * The owner of the column that a row belongs to; invalid if there is no such
 * row, or it belongs to none.
 */
static Oid
owner_by_row(Oid id_sequences, const char *name)
{
	Relation rel = idgen_table_open(id_sequences, AccessShareLock);
	TupleTableSlot *row = table_slot_create(rel, NULL);
	Oid owner = InvalidOid;

	if (idgen_row_find(rel, name, strlen(name), IDGEN_SEARCH_SURE, row))
	{
		bool isnull;
		Datum column = slot_getattr(row, IDGEN_ATT_OWNED_BY, &isnull);

		owner = isnull ? InvalidOid : idgen_owner_of(idgen_owning_table(DatumGetInt64(column)));
	}
	ExecDropSingleTupleTableSlot(row);
	table_close(rel, AccessShareLock);
	return owner;
}

/* Does a column count, whoever has named it? */
static bool
counts(const Sync *sync, const IdgenHandle *handle, const IdgenDrawingColumn *column)
{
	return idgen_role_counts(column->owner, sync->id_sequences, owner_by_row(sync->id_sequences, handle->name), handle->found.object);
}

/*
 * The columns whose ids count: the one asked for first, then those that draw
 * from the same id sequence. What the caller names counts, and so do other
 * tables of that owner. Columns that others have inherited are read with them.
 * The caller has locked the native sequence.
 */
static List *
columns_of_sequence(const Sync *sync, const IdgenHandle *handle)
{
	List *columns;
	List *found = NIL;
	ListCell *cell;

	idgen_defaults_look(get_rel_namespace(sync->id_sequences));
	columns = idgen_columns_drawing_from(sync->column->call.name);
	foreach(cell, columns)
	{
		IdgenDrawingColumn *column = lfirst(cell);

		if (idgen_column_is_inherited_from(column, columns))
			continue;
		if (column->relid == sync->column->relid && strcmp(column->name, sync->column->name) == 0)
			found = lcons(column, found);
		else if ((counts(sync, handle, column) || has_privs_of_role(column->owner, sync->column->owner)) &&
		         idgen_has_own_rows(column->relid) && !draws_from_neighbour(column, handle))
			found = lappend(found, column);
	}
	return found;
}

/*
 * Raises 55000 for a column that nobody has named, if those who use the table
 * have another search_path, or if it does not count.
 */
static void
check_unnamed(const Sync *sync, const IdgenHandle *handle)
{
	const IdgenDrawingColumn *column = sync->column;

	if (sync->scope == SYNC_RELATION)
		return;
	if (draws_from_neighbour(column, handle))
		ereport(ERROR,
		        (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
		         errmsg("search_path leads to another sequence than that in the schema of the table"),
		         errhint("Call %s() with the search_path of those who insert.",
		                 idgen_function_name(handle->relid, "idgen_sync"))));
	if (!counts(sync, handle, column))
		ereport(ERROR,
		        (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
		         errmsg("the owner of table \"%s\" may not write its row", column->table),
		         errhint("To move it past that column, call %s() for this table.",
		                 idgen_function_name(handle->relid, "idgen_sync"))));
}

/*
 * Raises 0A000 if nothing can be said of the ids in the column, or the source
 * cannot be moved.
 */
void
idgen_sync_check(const IdgenHandle *handle)
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
 * Lock the native sequence of a handle, if it has one. Returns false if it has
 * changed until it was locked. Raises 42501.
 */
static bool
lock_object(const IdgenHandle *handle)
{
	uint64 epoch = idgen_epoch;

	if (!OidIsValid(handle->found.object))
		return true;
	idgen_native_check(handle->found.object, ACL_UPDATE);
	LockRelationOid(handle->found.object, ShareRowExclusiveLock);
	return epoch == idgen_epoch;
}

/* The type of a column, or its domain's; invalid if the column is gone. */
static Oid
base_type(const IdgenDrawingColumn *column)
{
	Oid type = get_atttype(column->relid, get_attnum(column->relid, column->name));

	return OidIsValid(type) ? getBaseType(type) : InvalidOid;
}

/* Is the column of a type that has ids as its default draws them? */
static bool
has_type_of_ids(const IdgenDrawingColumn *column)
{
	Oid type = base_type(column);

	if (column->call.form == IDGEN_DRAWS_TEXT)
		return type == TEXTOID || type == VARCHAROID || type == BPCHAROID;
	return type == INT2OID || type == INT4OID || type == INT8OID || type == NUMERICOID;
}

/* Raises 42804 for a column of a type whose values are not ids. */
static void
check_type(const IdgenDrawingColumn *column)
{
	const char *types = column->call.form == IDGEN_DRAWS_TEXT ? "text or varchar"
															  : "smallint, integer, bigint, or numeric";

	if (!has_type_of_ids(column))
		ereport(ERROR,
		        (errcode(ERRCODE_DATATYPE_MISMATCH),
		         errmsg("%s must be of type %s", describe_column(column), types),
		         errdetail("Its type is %s.", format_type_be(base_type(column)))));
}

/*
 * Keep the table of a column from being dropped; false if it is gone. A call
 * for the whole database waits for no table, since refills wait for the rows
 * that it has moved: raises 55006 then.
 */
static bool
lock_table(const Sync *sync, const IdgenDrawingColumn *column)
{
	ListCell *cell;

	if (sync->scope == SYNC_RELATION)
		LockRelationOid(column->relid, AccessShareLock);
	else
		foreach(cell, idgen_heirs_of(column->relid))
			if (!ConditionalLockRelationOid(lfirst_oid(cell), AccessShareLock))
				ereport(ERROR,
				        (errcode(ERRCODE_OBJECT_IN_USE),
				         errmsg("table \"%s\" is locked by another transaction", idgen_display_name(lfirst_oid(cell)))));
	return get_rel_name(column->relid) != NULL;
}

/* An end of the ids in a column, as a sequence value; false if it has none. */
static bool
find_end(const IdgenHandle *handle, const IdgenDrawingColumn *column, IdgenColumnEnd end, int64 *value)
{
	bool text = column->call.form == IDGEN_DRAWS_TEXT;
	const IdgenFormat *format = text && handle->found.format == NULL ? idgen_format_parse(IDGEN_FORMAT_PLAIN) : handle->found.format;
	Numeric id = idgen_column_end(column->relid, column->name, end, text ? format : NULL, IDGEN_LOOK_AT_ALL);

	if (id == NULL)
		return false;
	if (column->call.form == IDGEN_DRAWS_NUMERIC && handle->found.big_base != NULL)
		id = DatumGetNumeric(DirectFunctionCall2(numeric_sub, NumericGetDatum(id), NumericGetDatum(handle->found.big_base)));
	*value = idgen_cut_to_bigint(id);
	return true;
}

/* The ids in all these columns, as sequence values. */
static IdgenIdsFound
find_ids(const Sync *sync, const IdgenHandle *handle, List *columns)
{
	IdgenIdsFound ids = {.least = PG_INT64_MAX, .greatest = PG_INT64_MIN};
	ListCell *cell;

	foreach(cell, columns)
	{
		const IdgenDrawingColumn *column = lfirst(cell);
		int64 value;

		if (!column->call.plain || !lock_table(sync, column))
			continue;
		idgen_check_may_read(column->relid, column->name);
		if (!find_end(handle, column, IDGEN_END_GREATEST, &value))
			continue;
		ids.any = true;
		ids.greatest = Max(ids.greatest, value);
		if (OidIsValid(handle->found.object) && find_end(handle, column, IDGEN_END_LEAST, &value))
			ids.least = Min(ids.least, value);
	}
	return ids;
}

/* What idgen_sync() returns. */
static const char *
make_report(const IdgenHandle *handle, const IdgenMove *move, List *columns)
{
	StringInfoData behind;
	StringInfoData left_out;
	ListCell *cell;

	initStringInfo(&behind);
	initStringInfo(&left_out);
	foreach(cell, columns)
	{
		const IdgenDrawingColumn *column = lfirst(cell);

		if (column->call.plain)
			appendStringInfo(&behind, "%s%s", behind.len > 0 ? " and " : "", describe_column(column));
		else
			appendStringInfo(&left_out, "; %s, which computes with its ids, was left out of account",
			                 describe_column(column));
	}
	switch (move->kind)
	{
		case IDGEN_MOVE_NONE:
			return psprintf("id sequence \"%s\" is past %s already%s",
			                handle->name, behind.data, left_out.data);
		case IDGEN_MOVE_CACHED:
			return psprintf("id sequence \"%s\" goes on with %lld; its cached ids were not all past %s, and were dropped%s",
			                handle->name, (long long) move->to, behind.data, left_out.data);
		case IDGEN_MOVE_SOURCE:
			return psprintf("id sequence \"%s\" was moved from %lld to %lld, past %s%s",
			                handle->name, (long long) move->from, (long long) move->to, behind.data, left_out.data);
	}
	return NULL;
}

/*
 * The id sequence lies behind all these columns, of which the first one was
 * asked for.
 */
static void
note_done(Sync *sync, List *columns)
{
	const IdgenDrawCall *draw = &sync->column->call;
	ListCell *cell;

	for_each_from(cell, columns, 1)
	{
		IdgenDrawingColumn *column = lfirst(cell);
		const char *source = column->call.source;

		if (column->call.plain && column->call.form == draw->form &&
		    (source == NULL ? draw->source == NULL : draw->source != NULL && strcmp(source, draw->source) == 0))
			sync->behind = lappend(sync->behind, column);
	}
}

/*
 * Move the id sequence of a column. Raises 42P01 if the table is gone, 42804
 * for a column whose type has no greatest id, 55000 unless it draws plainly,
 * 42501, 42704, 0A000, 2200H, and what its source raises.
 */
static void
sync_column(void *arg)
{
	Sync *sync = (Sync *) arg;
	const IdgenDrawCall *draw = &sync->column->call;
	IdgenHandle *handle = idgen_handle_get(sync->id_sequences, draw->name, strlen(draw->name));
	IdgenCall call = {.function = "idgen_sync()"};
	bool held = idgen_handle_hold(handle);
	List *columns;
	IdgenIdsFound ids;
	IdgenMove move;
	ListCell *cell;

	if (!sync->column->call.plain)
		ereport(ERROR,
		        (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
		         errmsg("%s computes with the ids that it draws", describe_column(sync->column)),
		         errdetail("Its default is more than a call of idgen_next(), idgen_next_big() or idgen_next_text()."),
		         errhint("Use %s() with an id after all that it has used.",
		                 idgen_function_name(handle->relid, "idgen_restart"))));
	if (draw->source != NULL)
		call.asked = idgen_source_get(draw->source);
	idgen_handle_validate(handle, &call);
	check_unnamed(sync, handle);
	if (!lock_table(sync, sync->column))
		no_such_relation(sync->column->relid);
	idgen_check_has_own_rows(sync->column->relid);
	check_type(sync->column);
	idgen_sync_check(handle);
	/* Tables before the row, as commands do that drop one. */
	foreach(cell, columns_of_sequence(sync, handle))
		(void) lock_table(sync, (const IdgenDrawingColumn *) lfirst(cell));
	if (handle->found.has_row)
		idgen_lock_row(sync->id_sequences, draw->name);
	do
	{
		do
		{
			idgen_handle_invalidate(handle);
			idgen_handle_validate(handle, &call);
			idgen_sync_check(handle);
		} while (!lock_object(handle));
		check_unnamed(sync, handle);
		columns = columns_of_sequence(sync, handle);
		ids = find_ids(sync, handle, columns);
	} while (handle->found.source->advance(handle, &ids, &move) == IDGEN_SOURCE_STALE);
	sync->report = make_report(handle, &move, columns);
	note_done(sync, columns);
	if (held)
		idgen_handle_let_go(handle);
}

/*
 * Is the column one of those that the same call has moved behind already? So
 * where many columns draw from one id sequence, each is read once.
 */
static bool
is_done(const Sync *sync)
{
	const IdgenDrawingColumn *column = sync->column;
	ListCell *cell;

	foreach(cell, sync->behind)
	{
		const IdgenDrawingColumn *other = lfirst(cell);

		if (other->relid == column->relid && strcmp(other->name, column->name) == 0 &&
		    strcmp(other->call.name, column->call.name) == 0)
			return has_type_of_ids(column);
	}
	return false;
}

/*
 * The same, but what keeps one id sequence from being moved is reported, and
 * does not keep others from it.
 */
static void
try_to_sync_column(Sync *sync)
{
	ErrorData *error = idgen_try(sync_column, sync, IDGEN_TRY_ANY);

	if (error == NULL)
		return;
	if (!idgen_may_go_on_after(error))
		idgen_rethrow(error);
	sync->report = psprintf("id sequence \"%s\" of %s was left alone: %s", sync->column->call.name,
	                        describe_column(sync->column), error->message);
	FreeErrorData(error);
}

/*
 * The column of that name. Raises 42P01, 42703, and 55000 if it does not draw
 * from an id sequence.
 */
static const IdgenDrawingColumn *
get_column(Oid idgen_schema, Oid relid, const char *name)
{
	ListCell *cell;

	foreach(cell, idgen_drawing_columns_of(idgen_schema, relid))
	{
		const IdgenDrawingColumn *column = lfirst(cell);

		if (strcmp(column->name, name) == 0)
			return column;
	}
	if (get_rel_name(relid) == NULL)
		no_such_relation(relid);
	(void) idgen_column_attribute(relid, name);
	idgen_does_not_draw(name, idgen_display_name(relid));
}

/*
 * The columns to go through: those that others have inherited go with them.
 * Raises 42P01.
 */
static List *
get_columns(Oid idgen_schema, Oid relid, Scope scope)
{
	List *all;
	List *found = NIL;
	ListCell *cell;

	if (scope == SYNC_RELATION && get_rel_name(relid) == NULL)
		no_such_relation(relid);
	if (scope == SYNC_RELATION)
		return idgen_drawing_columns_of(idgen_schema, relid);
	idgen_defaults_look(idgen_schema);
	all = idgen_drawing_columns();
	foreach(cell, all)
	{
		if (!idgen_column_is_inherited_from(lfirst(cell), all))
			found = lappend(found, lfirst(cell));
	}
	return found;
}

/*
 * idgen_sync(relation regclass, column_name name) returns setof text
 *
 * Move the id sequence of a column behind the ids that the column has. Without
 * a column_name, do so for each column of the relation that draws; without a
 * relation, of the database. Raises 22004 for a column_name without a relation,
 * 25006, 25000, and for one column what sync_column() does.
 */
Datum
idgen_sync(PG_FUNCTION_ARGS)
{
	Sync sync = {
		.scope = PG_ARGISNULL(0) ? SYNC_DATABASE : SYNC_RELATION,
		.id_sequences = idgen_table_oid(fcinfo->flinfo->fn_oid),
	};
	Oid idgen_schema = get_rel_namespace(sync.id_sequences);
	Oid relid = PG_ARGISNULL(0) ? InvalidOid : PG_GETARG_OID(0);
	ListCell *cell;

	if (!PG_ARGISNULL(1))
		idgen_refuse_null(fcinfo, 0, "relation");
	PreventCommandIfReadOnly("idgen_sync()");
	PreventCommandIfParallelMode("idgen_sync()");
	InitMaterializedSRF(fcinfo, MAT_SRF_USE_EXPECTED_DESC);
	if (!PG_ARGISNULL(1))
	{
		sync.column = get_column(idgen_schema, relid, NameStr(*PG_GETARG_NAME(1)));
		sync_column(&sync);
		idgen_return_line(fcinfo, sync.report);
		return (Datum) 0;
	}
	foreach(cell, get_columns(idgen_schema, relid, sync.scope))
	{
		sync.column = lfirst(cell);
		if (is_done(&sync))
			sync.report = psprintf("id sequence \"%s\" is past %s already",
			                       sync.column->call.name, describe_column(sync.column));
		else
			try_to_sync_column(&sync);
		idgen_return_line(fcinfo, sync.report);
	}
	return (Datum) 0;
}
