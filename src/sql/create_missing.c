/*
 * create_missing.c
 *		idgen_create_missing(): making the id sequences that defaults draw from,
 *		and that have no row.
 *
 * A dump of the schema has the defaults, and so have the files that frameworks
 * make databases of, but none has the rows of id_sequences. What a default says
 * is the name, so the rows that are made are such as idgen_adopt() makes. Where
 * only the row that is missing can say what the ids are like, none is made.
 *
 * The tables are locked ACCESS SHARE: as with idgen_sync(), what others insert
 * with ids of their own, and have not committed, does not count.
 */
#include "postgres.h"

#include "access/table.h"
#include "catalog/pg_class.h"
#include "catalog/pg_type.h"
#include "fmgr.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "storage/lmgr.h"
#include "storage/sinval.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

#include "catalog/definition.h"
#include "catalog/epoch.h"
#include "catalog/owning_column.h"
#include "catalog/parent.h"
#include "catalog/privileges.h"
#include "catalog/row.h"
#include "catalog/table.h"
#include "catalog/template.h"
#include "common/as_owner.h"
#include "common/compat.h"
#include "common/subxact.h"
#include "session/messages.h"
#include "sources/sources.h"
#include "sql/column_end.h"
#include "sql/column_row.h"
#include "sql/drawing_columns.h"
#include "sql/drawing_defaults.h"
#include "sql/sql_support.h"

PG_FUNCTION_INFO_V1(idgen_create_missing);

/* An id sequence that is to be made. */
typedef struct Missing
{
	Oid id_sequences;
	Oid relation; /* that the caller names, or invalid */
	IdgenColumnRow row;
	const char *report; /* what has been done; NULL for nothing */
} Missing;

/* Is there a row of that name, or one that a draw would make it from? */
static bool
is_there(Oid id_sequences, const char *name)
{
	Relation rel = idgen_table_open(id_sequences, AccessShareLock);
	TupleTableSlot *slot = table_slot_create(rel, NULL);
	bool found = idgen_row_find(rel, name, strlen(name), IDGEN_SEARCH_SURE, slot) ||
		idgen_parent_find(rel, name, strlen(name), slot) != IDGEN_PARENT_NONE;

	ExecDropSingleTupleTableSlot(slot);
	table_close(rel, AccessShareLock);
	return found;
}

/* "column "a" of table "s.t" and column "b" of table "s.u"" */
static const char *
describe_columns(List *columns)
{
	StringInfoData text;
	ListCell *cell;

	initStringInfo(&text);
	foreach(cell, columns)
	{
		const IdgenDrawingColumn *column = lfirst(cell);

		appendStringInfo(&text, "%scolumn \"%s\" of table \"%s\"", text.len > 0 ? " and " : "",
		                 column->name, column->table);
	}
	return text.data;
}

/*
 * Raises 0A000 for a default that does not simply take the next number of the
 * row itself.
 */
static void
check_call(const IdgenDrawingColumn *column)
{
	const IdgenDrawCall *call = &column->call;

	if (!call->plain || call->form != IDGEN_DRAWS_BIGINT ||
	    (call->source != NULL && idgen_source_find(call->source) != &idgen_source_table))
		ereport(ERROR,
		        (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
		         errmsg_internal("only its row could say what column \"%s\" of table \"%s\" draws", column->name, column->table)));
}

/* The greatest id of a column. Raises 42804 if it has other values. */
static int64
greatest_id(const IdgenDrawingColumn *column)
{
	Oid type = getBaseType(column->type);
	int64 greatest = type == NUMERICOID ? PG_INT64_MAX : idgen_greatest_value(type);

	if (greatest == 0)
		ereport(ERROR,
		        (errcode(ERRCODE_DATATYPE_MISMATCH),
		         errmsg("column \"%s\" of table \"%s\" must be of type %s", column->name, column->table,
		                "smallint, integer, bigint, or numeric"),
		         errdetail("Its type is %s.", format_type_be(column->type))));
	return greatest;
}

/* May the id sequence belong to a column, and may the caller say so? */
static bool
can_own(const IdgenDrawingColumn *column)
{
	Form_pg_attribute att = idgen_look_up_column(column->relid, column->attnum);

	return att != NULL && att->atthasdef && !column->inherited &&
		idgen_owning_column_problem(idgen_owning_column(column->relid, column->attnum)) == NULL &&
		object_ownercheck(RelationRelationId, column->relid, GetUserId());
}

/*
 * Take a column into account: the row begins behind its ids, ends where it
 * ends, and belongs to the first column that can own it. Caller has locked the
 * table. Raises 42501, and what check_call() and greatest_id() do.
 */
static void
count_column(IdgenColumnRow *row, const IdgenDrawingColumn *column)
{
	Numeric id;
	int64 last;

	check_call(column);
	idgen_check_has_own_rows(column->relid);
	row->max_value = Min(row->max_value, greatest_id(column));
	idgen_check_may_read(column->relid, column->name);
	id = idgen_column_end(column->relid, column->name, IDGEN_END_GREATEST, NULL, IDGEN_LOOK_AT_ALL);
	if (id != NULL)
	{
		last = idgen_cut_to_bigint(id);
		row->start = Max(row->start, last == PG_INT64_MAX ? last : last + 1);
	}
	if (row->owner == IDGEN_NO_COLUMN && can_own(column))
		row->owner = idgen_owning_column(column->relid, column->attnum);
}

static int
compare_names(const ListCell *a, const ListCell *b)
{
	return strcmp(lfirst(a), lfirst(b));
}

/*
 * The columns that draw from an id sequence. Those that have inherited the
 * column of another table go with that.
 */
static List *
columns_of(const char *name)
{
	List *all = idgen_columns_drawing_from(name);
	List *columns = NIL;
	ListCell *cell;

	foreach(cell, all)
	{
		if (!idgen_column_is_inherited_from(lfirst(cell), all))
			columns = lappend(columns, lfirst(cell));
	}
	return columns;
}

/*
 * Whose columns count: no row says whose id sequence it is. In this order, that
 * is the owner of the relation that the caller names; of the column that
 * idgen_adopt() gives the name; or of all columns. Invalid if there is no such
 * role.
 */
static Oid
find_owner(const Missing *missing, List *columns)
{
	Oid only = InvalidOid;
	ListCell *cell;

	if (OidIsValid(missing->relation))
		return idgen_owner_of(missing->relation);
	foreach(cell, columns)
	{
		const IdgenDrawingColumn *column = lfirst(cell);

		if (strcmp(missing->row.name, psprintf("%s.%s", column->table, column->name)) == 0)
			return column->owner;
		if (foreach_current_index(cell) == 0)
			only = column->owner;
		else if (only != column->owner)
			only = InvalidOid;
	}
	return only;
}

/*
 * The columns that count. Raises 55000 if none does: any of their owners could
 * have taken the name of another's id sequence.
 */
static List *
counting_columns(const Missing *missing, List *columns)
{
	Oid owner = find_owner(missing, columns);
	List *counting = NIL;
	ListCell *cell;

	foreach(cell, columns)
		if (idgen_role_counts(((const IdgenDrawingColumn *) lfirst(cell))->owner, missing->id_sequences, owner, InvalidOid))
			counting = lappend(counting, lfirst(cell));
	if (columns != NIL && counting == NIL)
		ereport(ERROR,
		        (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
		         errmsg("tables of several owners draw from it, so name one")));
	return counting;
}

/*
 * The same, and their tables are locked. What has changed before that is known:
 * whoever had a lock on one may have dropped, renamed or altered the column.
 */
static List *
lock_columns_of(const Missing *missing)
{
	List *columns;
	uint64 known;
	ListCell *cell;

	do
	{
		idgen_defaults_look(get_rel_namespace(missing->id_sequences));
		known = SharedInvalidMessageCounter;
		columns = counting_columns(missing, columns_of(missing->row.name));
		foreach(cell, columns)
			LockRelationOid(((const IdgenDrawingColumn *) lfirst(cell))->relid, AccessShareLock);
	} while (known != SharedInvalidMessageCounter);
	return columns;
}

/*
 * Make an id sequence, if columns still draw from it. Raises what
 * count_column() does, 42501, and 2200H if no id is left.
 */
static void
create_one(void *arg)
{
	Missing *missing = (Missing *) arg;
	IdgenColumnRow *row = &missing->row;
	List *columns = lock_columns_of(missing);
	ListCell *cell;

	if (columns == NIL)
		return;
	foreach(cell, columns)
		count_column(row, lfirst(cell));
	if (row->start > row->max_value || row->start == PG_INT64_MAX)
		ereport(ERROR,
		        (errcode(ERRCODE_SEQUENCE_GENERATOR_LIMIT_EXCEEDED),
		         errmsg("no id is left for %s", describe_columns(columns))));
	if (idgen_column_row_insert(missing->id_sequences, row))
		missing->report = psprintf("id sequence \"%s\" was created for %s, beginning with %lld, with refill \"%s\"",
		                           row->name, describe_columns(columns), (long long) row->start, row->refill);
}

/*
 * The same, but what keeps one from being made is reported, and does not keep
 * others from it.
 */
static void
try_to_create(Missing *missing)
{
	ErrorData *error = idgen_try(create_one, missing, IDGEN_TRY_ANY);

	if (error == NULL)
		return;
	if (!idgen_may_go_on_after(error))
		idgen_rethrow(error);
	missing->report = psprintf("id sequence \"%s\" was not created: %s", missing->row.name, error->message);
	FreeErrorData(error);
}

/* What the columns draw from that can have a row, in order, each once. */
static List *
names_of(List *columns)
{
	List *names = NIL;
	List *once = NIL;
	ListCell *cell;

	foreach(cell, columns)
	{
		const char *name = ((const IdgenDrawingColumn *) lfirst(cell))->call.name;

		if (idgen_is_possible_name(name) && !idgen_is_template_name(name, strlen(name)))
			names = lappend(names, unconstify(char *, name));
	}
	list_sort(names, compare_names);
	foreach(cell, names)
	{
		if (once == NIL || strcmp(llast(once), lfirst(cell)) != 0)
			once = lappend(once, lfirst(cell));
	}
	return once;
}

/* The columns to go through. Raises 42P01 if the relation is gone. */
static List *
get_columns(FunctionCallInfo fcinfo, Oid idgen_schema)
{
	if (PG_ARGISNULL(0))
		return idgen_drawing_columns();
	if (get_rel_name(PG_GETARG_OID(0)) == NULL)
		ereport(ERROR,
		        (errcode(ERRCODE_UNDEFINED_TABLE),
		         errmsg("relation with OID %u does not exist", PG_GETARG_OID(0))));
	return idgen_drawing_columns_of(idgen_schema, PG_GETARG_OID(0));
}

/*
 * idgen_create_missing(relation regclass, refill text) returns setof text
 *
 * Make the id sequences that the defaults of a relation, or of all if it is
 * null, draw from and that are missing. Says what it has done of each. Raises
 * 22004 or 22023 for the refill, 25006, 25000, 42P01, and 42501 without the
 * privileges to make any.
 */
Datum
idgen_create_missing(PG_FUNCTION_ARGS)
{
	Oid id_sequences = idgen_table_oid(fcinfo->flinfo->fn_oid);
	Oid idgen_schema = get_rel_namespace(id_sequences);
	const char *refill;
	ListCell *cell;

	idgen_refuse_null(fcinfo, 1, "refill");
	PreventCommandIfReadOnly("idgen_create_missing()");
	PreventCommandIfParallelMode("idgen_create_missing()");
	refill = text_to_cstring(PG_GETARG_TEXT_PP(1));
	idgen_check_refill(refill, &idgen_source_table);
	idgen_check_may_change(id_sequences, ACL_INSERT);
	InitMaterializedSRF(fcinfo, MAT_SRF_USE_EXPECTED_DESC);
	idgen_defaults_look(idgen_schema);
	foreach(cell, names_of(get_columns(fcinfo, idgen_schema)))
	{
		Missing missing = {
			.id_sequences = id_sequences,
			.relation = PG_ARGISNULL(0) ? InvalidOid : PG_GETARG_OID(0),
			.row = {.name = lfirst(cell), .refill = refill, .start = 1, .max_value = PG_INT64_MAX},
		};

		if (is_there(id_sequences, missing.row.name))
			continue;
		try_to_create(&missing);
		if (missing.report != NULL)
			idgen_return_line(fcinfo, missing.report);
		CHECK_FOR_INTERRUPTS();
	}
	return (Datum) 0;
}
