/*
 * adopt.c
 *		Moving columns over to id sequences, and back to native ones.
 *
 * All that is changed is changed by ordinary SQL with the caller's own rights, in
 * the caller's transaction: a rollback undoes it. That SQL is the same for any
 * search_path: each name in it is qualified and quoted.
 *
 * Locks, in this order: the table and all its inheritors ACCESS EXCLUSIVE; then
 * the native sequences that will be dropped, or the row of the id sequence. So
 * nobody inserts meanwhile, and those who insert afterwards see the new default.
 * What somebody has drawn and not inserted yet is not in the table, but it is
 * below what the sequence or the row says comes next. That is read once the locks
 * are there, and so is the table: by the newest snapshot, not the transaction's.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/relation.h"
#include "access/table.h"
#include "catalog/dependency.h"
#include "catalog/pg_attrdef.h"
#include "catalog/pg_depend.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
#include "common/int.h"
#include "executor/spi.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "nodes/value.h"
#include "parser/parse_func.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"
#include "utils/snapmgr.h"
#include "utils/syscache.h"

#include "catalog/native_sequence.h"
#include "catalog/row.h"
#include "common/compat.h"
#include "common/guc.h"
#include "draw/generator.h"
#include "sql/column.h"
#include "sql/sql_support.h"

PG_FUNCTION_INFO_V1(idgen_adopt);
PG_FUNCTION_INFO_V1(idgen_release);

/*
 * SQL
 */

static void
run_command(const char *command)
{
	SPI_connect();
	if (SPI_execute(command, false, 0) != SPI_OK_UTILITY)
		elog(ERROR, "unexpected result of command: %s", command);
	SPI_finish();
}

/*
 * Run a query that sees whatever is committed now. Returns the number of rows; the
 * first column of the first one, which must be passed by value, goes to *value.
 */
static uint64
run_query(const char *query, int nargs, Oid *types, Datum *values, Datum *value, bool *isnull)
{
	SPIPlanPtr plan;
	uint64 processed;

	SPI_connect();
	plan = SPI_prepare(query, nargs, types);
	if (plan == NULL ||
	    SPI_execute_snapshot(plan, values, NULL, GetLatestSnapshot(), InvalidSnapshot,
	                         false, true, 0) < 0)
		elog(ERROR, "unexpected result of query: %s", query);
	processed = SPI_processed;
	if (value != NULL && processed > 0)
		*value = SPI_getbinval(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 1, isnull);
	SPI_finish();
	return processed;
}

/* The beginning of a command that changes the column. */
static const char *
alter_column(const IdgenColumn *column, Oid member)
{
	return psprintf("ALTER TABLE %s ALTER COLUMN %s",
	                idgen_table_name(member), quote_identifier(column->name));
}

/*
 * The ids
 *
 * They are reckoned by the last one used, so that the one after it need not be
 * representable.
 */

static void
raise_last(int64 *last, int64 id)
{
	*last = Max(*last, id);
}

/* The same for the next one. */
static void
raise_next(int64 *last, int64 next)
{
	raise_last(last, next == PG_INT64_MIN ? next : next - 1);
}

/* The greatest id in the table. Returns false if there is none. */
static bool
raise_by_table(const IdgenColumn *column, int64 *last)
{
	char *query = psprintf("SELECT pg_catalog.max(%s)::pg_catalog.int8 FROM %s",
	                       quote_identifier(column->name), idgen_table_name(column->table_oid));
	int nestlevel = NewGUCNestLevel();
	Datum value;
	bool isnull = true;

	/* Row security must not hide rows from us: the server then raises 42501. */
	set_config_option("row_security", "off", PGC_USERSET, PGC_S_SESSION, GUC_ACTION_SAVE, true, 0, false);
	run_query(query, 0, NULL, NULL, &value, &isnull);
	AtEOXact_GUC(true, nestlevel);
	if (!isnull)
		raise_last(last, DatumGetInt64(value));
	return !isnull;
}

/* The first id that can be used. Raises 2200H if there is none. */
static int64
next_id(const IdgenColumn *column, int64 last)
{
	if (last >= column->type_max)
		ereport(ERROR,
		        (errcode(ERRCODE_SEQUENCE_GENERATOR_LIMIT_EXCEEDED),
		         errmsg("no id is left for column \"%s\" of table \"%s\"", column->name, column->table),
		         errdetail("The last value of its type is %lld.", (long long) column->type_max),
		         column->type != INT8OID ? errhint("Change its type to bigint first.") : 0));
	return last + 1;
}

/*
 * Native sequences
 */

/* Raises 0A000 for a sequence that counts down. */
static void
check_direction(const IdgenNativeSequence *sequence)
{
	if (sequence->increment < 0)
		ereport(ERROR,
		        (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
		         errmsg("cannot move a column that draws from descending sequence \"%s\"",
		                NameStr(sequence->name)),
		         errdetail("Its ids would have to ascend from now on.")));
}

/* The ids that a locked sequence has given out. Raises 42501, 0A000. */
static void
raise_by_sequence(Oid sequence_oid, int64 *last)
{
	Relation rel = relation_open(sequence_oid, NoLock);
	IdgenNativeSequence *sequence = idgen_native_describe(rel);
	IdgenNativeState state;
	int64 next;

	idgen_native_check(sequence_oid, ACL_USAGE | ACL_SELECT | ACL_UPDATE);
	check_direction(sequence);
	if (!idgen_native_is_readable(rel))
		ereport(ERROR,
		        (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
		         errmsg("cannot access temporary sequences of other sessions")));
	state = idgen_native_state(rel);
	relation_close(rel, NoLock);

	if (!state.is_called)
		raise_next(last, state.last_value);
	else if (pg_add_s64_overflow(state.last_value, sequence->increment, &next))
		raise_last(last, PG_INT64_MAX);
	else
		raise_next(last, next);
}

/*
 * Lock the native sequences that belong to the column, and the others that its
 * defaults use, and count what they have given out.
 */
static void
raise_by_sequences(const IdgenColumn *column, List **owned, List **used, int64 *last)
{
	ListCell *cell;

	idgen_column_lock_sequences(column, owned, used);
	foreach(cell, *owned)
		raise_by_sequence(lfirst_oid(cell), last);
	foreach(cell, *used)
		raise_by_sequence(lfirst_oid(cell), last);
}

/*
 * Drop what the column has drawn from so far, once it has its new default.
 * Raises 2BP01 if anything else depends on it.
 */
static void
drop_sequences(List *owned)
{
	ListCell *cell;

	foreach(cell, owned)
	{
		Oid sequence = lfirst_oid(cell);

		/* that of an identity is gone by now */
		if (SearchSysCacheExists1(RELOID, ObjectIdGetDatum(sequence)))
			run_command(psprintf("DROP SEQUENCE %s", idgen_table_name(sequence)));
	}
}

/*
 * Id sequences
 */

/* The OIDs of the extension's functions that draw single ids. */
static List *
drawing_functions(Oid idgen_schema)
{
	static const char *const names[] = {"idgen_next", "idgen_next_big"};
	static const Oid types[] = {TEXTOID, TEXTOID};
	char *schema = get_namespace_name(idgen_schema);
	List *functions = NIL;

	for (size_t i = 0; i < lengthof(names); i++)
		for (int nargs = 1; nargs <= 2; nargs++)
			functions = lappend_oid(functions,
			                        LookupFuncName(list_make2(makeString(schema), makeString(pstrdup(names[i]))),
			                                       nargs, types, true));
	return functions;
}

/* An expression without the conversions around it. */
static Node *
strip_conversions(Node *expr)
{
	for (;;)
	{
		if (expr == NULL)
			return NULL;
		else if (IsA(expr, RelabelType))
			expr = (Node *) ((RelabelType *) expr)->arg;
		else if (IsA(expr, CoerceToDomain))
			expr = (Node *) ((CoerceToDomain *) expr)->arg;
		else if (IsA(expr, FuncExpr) && ((FuncExpr *) expr)->args != NIL &&
		         (((FuncExpr *) expr)->funcformat == COERCE_IMPLICIT_CAST ||
		          ((FuncExpr *) expr)->funcformat == COERCE_EXPLICIT_CAST))
			expr = (Node *) linitial(((FuncExpr *) expr)->args);
		else
			return expr;
	}
}

/*
 * The id sequence that a call draws from; NULL if it is no call of one of these
 * functions, or with a name that is not constant.
 */
static char *
drawn_from(Node *node, List *functions)
{
	Node *argument;

	if (!IsA(node, FuncExpr) || !list_member_oid(functions, ((FuncExpr *) node)->funcid))
		return NULL;
	argument = strip_conversions((Node *) linitial(((FuncExpr *) node)->args));
	if (!IsA(argument, Const) || ((Const *) argument)->constisnull)
		return NULL;
	return TextDatumGetCString(((Const *) argument)->constvalue);
}

/* What to look for in an expression. */
typedef struct Search
{
	List *functions;
	const char *name;   /* of an id sequence, or NULL for any ... */
	const char *except; /* ... but this one */
} Search;

/* Walker: does an expression draw from such an id sequence? */
static bool
draws(Node *node, void *context)
{
	const Search *search = (const Search *) context;
	char *name;

	if (node == NULL)
		return false;
	name = drawn_from(node, search->functions);
	if (name != NULL && (search->name == NULL || strcmp(name, search->name) == 0) &&
	    (search->except == NULL || strcmp(name, search->except) != 0))
		return true;
	return expression_tree_walker(node, draws, context);
}

/*
 * Raises 55000 if the column draws, in the table or what inherits from it, from an id
 * sequence other than that name: what that has given out would not count.
 */
static void
check_draws_from_no_other(const IdgenColumn *column, const char *name, Oid idgen_schema)
{
	Search search = {.functions = drawing_functions(idgen_schema), .except = name};
	ListCell *cell;

	foreach(cell, column->members)
	{
		Oid member = lfirst_oid(cell);

		if (draws(idgen_column_default(member, column->name), &search))
			ereport(ERROR,
			        (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
			         errmsg("column \"%s\" of table \"%s\" draws from %s",
			                column->name, idgen_display_name(member),
			                name == NULL ? "an id sequence already" : "another id sequence")));
	}
}

/*
 * The id sequence that a column draws from, if its default is nothing but that call of
 * idgen_next(); else NULL.
 */
static char *
id_sequence_of(const IdgenColumn *column, Oid idgen_schema)
{
	Node *expr = strip_conversions(column->default_expr);
	List *functions = drawing_functions(idgen_schema);

	/* the first one is idgen_next(text) */
	return expr != NULL ? drawn_from(expr, list_make1_oid(linitial_oid(functions))) : NULL;
}

/*
 * Make the row, as idgen_create() does. That is not called by SQL, where a
 * function of the same name with other arguments could be taken for it.
 */
static void
insert_row(Oid id_sequences, const char *name, int64 start, int64 max_value)
{
	Oid types[] = {TEXTOID, INT8OID, INT4OID, INT8OID};
	Datum values[] = {
		CStringGetTextDatum(name),
		Int64GetDatum(start),
		Int32GetDatum(idgen_default_block_size),
		Int64GetDatum(max_value),
	};

	if (run_query(psprintf("INSERT INTO %s (name, next_block_start, block_size, max_value)"
	                       " VALUES ($1, $2, $3, $4) ON CONFLICT (name) DO NOTHING",
	                       idgen_table_name(id_sequences)),
	              4, types, values, NULL, NULL) == 0)
		ereport(ERROR,
		        (errcode(ERRCODE_DUPLICATE_OBJECT),
		         errmsg("id sequence \"%s\" already exists", name),
		         errhint("Give another name as the third argument, or delete that row if nothing draws from it.")));
}

/* Do something with the row, by SQL that begins and ends so. Returns whether there is one. */
static bool
run_on_row(Oid id_sequences, const char *name, const char *verb, const char *end)
{
	Oid types[] = {TEXTOID};
	Datum values[] = {CStringGetTextDatum(name)};

	return run_query(psprintf("%s FROM ONLY %s WHERE name OPERATOR(pg_catalog.=) $1%s",
	                          verb, idgen_table_name(id_sequences), end),
	                 1, types, values, NULL, NULL) > 0;
}

/* Lock the row against refills until the transaction ends. Raises 42704 if there is none. */
static void
lock_row(Oid id_sequences, const char *name)
{
	if (!run_on_row(id_sequences, name, "SELECT", " FOR UPDATE"))
		idgen_no_such_sequence(id_sequences, name, NULL);
}

/* Raises 42501 if row security lets the caller see the row but not delete it. */
static void
delete_row(Oid id_sequences, const char *name)
{
	if (!run_on_row(id_sequences, name, "DELETE", ""))
		aclcheck_error(ACLCHECK_NO_PRIV, OBJECT_TABLE, get_rel_name(id_sequences));
}

/*
 * The ids that are in blocks, be they used, cached or pending. The caller has
 * locked the row; what refills do not lock it for is locked here. Raises 0A000 if
 * ids are composed of what the row counts.
 */
static void
raise_by_id_sequence(IdgenHandle *handle, int64 *last)
{
	Relation rel;
	int64 next;

	do
	{
		idgen_handle_forget(handle);
		idgen_check_usable(handle, NULL);
		if (handle->layout != &idgen_layout_plain)
			ereport(ERROR,
			        (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
			         errmsg("cannot move a column back that draws composed ids"),
			         errdetail("The layout of id sequence \"%s\" is not plain.", handle->name)));
		rel = OidIsValid(handle->object) ? try_relation_open(handle->object, ShareRowExclusiveLock) : NULL;
		if (rel != NULL)
		{
			check_direction(idgen_native_describe(rel));
			relation_close(rel, NoLock);
		}
	} while (!handle->source->peek(handle, &next));
	raise_next(last, next);
}

/* Raises 2BP01: something else draws from the id sequence. */
static void
used_by_another(const char *name, const char *what, const char *detail)
{
	ereport(ERROR,
	        (errcode(ERRCODE_DEPENDENT_OBJECTS_STILL_EXIST),
	         errmsg("cannot delete id sequence \"%s\" because %s draws from it", name, what),
	         errdetail_internal("%s", detail)));
}

/* The same, if the default of a column other than the one given does so. */
static void
check_column_default(const IdgenColumn *column, Oid attrdef, Search *search)
{
	ObjectAddress user = GetAttrDefaultColumnAddress(attrdef);
	char *user_column = get_attname(user.objectId, user.objectSubId, true);

	if (user_column == NULL ||
	    (list_member_oid(column->members, user.objectId) && strcmp(user_column, column->name) == 0))
		return;
	if (draws(idgen_read_default(attrdef), search))
		used_by_another(search->name, "another column",
		                psprintf("It is column \"%s\" of table \"%s\".",
		                         user_column, idgen_display_name(user.objectId)));
}

/* The same for what depends on one of the functions: defaults of columns and of domains. */
static void
check_dependants(const IdgenColumn *column, Oid function, Search *search)
{
	Relation rel = table_open(DependRelationId, AccessShareLock);
	ScanKeyData keys[2];
	SysScanDesc scan;
	HeapTuple tuple;

	ScanKeyInit(&keys[0], Anum_pg_depend_refclassid, BTEqualStrategyNumber, F_OIDEQ,
	            ObjectIdGetDatum(ProcedureRelationId));
	ScanKeyInit(&keys[1], Anum_pg_depend_refobjid, BTEqualStrategyNumber, F_OIDEQ,
	            ObjectIdGetDatum(function));
	scan = systable_beginscan(rel, DependReferenceIndexId, true, NULL, 2, keys);
	while (HeapTupleIsValid(tuple = systable_getnext(scan)))
	{
		Form_pg_depend form = (Form_pg_depend) GETSTRUCT(tuple);

		if (form->classid == AttrDefaultRelationId)
			check_column_default(column, form->objid, search);
		else if (form->classid == TypeRelationId && draws(get_typdefault(form->objid), search))
			used_by_another(search->name, "a domain",
			                psprintf("It is domain %s.", format_type_be_qualified(form->objid)));
	}
	systable_endscan(scan);
	table_close(rel, AccessShareLock);
}

static void
check_no_other_user(const IdgenColumn *column, const char *name, Oid idgen_schema)
{
	Search search = {.functions = drawing_functions(idgen_schema), .name = name};
	ListCell *cell;

	foreach(cell, search.functions)
		check_dependants(column, lfirst_oid(cell), &search);
}

/*
 * Moving over
 */

/* Tell what became of the old default and of the sequences. */
static void
report_changes(StringInfo report, const IdgenColumn *column, List *owned, List *used)
{
	List *dropped = NIL;
	ListCell *cell;

	if (column->identity)
		dropped = lappend(dropped, "identity");
	else if (column->default_expr != NULL && !OidIsValid(column->default_domain))
		dropped = lappend(dropped, "default");
	foreach(cell, owned)
		dropped = lappend(dropped, psprintf("sequence \"%s\"", idgen_display_name(lfirst_oid(cell))));
	foreach(cell, dropped)
	{
		int i = foreach_current_index(cell);

		appendStringInfo(report, "%s %s",
		                 i == 0 ? "; its" : i < list_length(dropped) - 1 ? ","
		                                                                 : " and",
		                 (char *) lfirst(cell));
	}
	if (dropped != NIL)
		appendStringInfoString(report, list_length(dropped) > 1 ? " were dropped" : " was dropped");

	foreach(cell, used)
		appendStringInfo(report, "; sequence \"%s\", which does not belong to the column, is still there",
		                 idgen_display_name(lfirst_oid(cell)));
	if (OidIsValid(column->default_domain))
		appendStringInfo(report, "; the default of domain %s does not apply to it any more",
		                 format_type_be_qualified(column->default_domain));
	if (column->identity == ATTRIBUTE_IDENTITY_ALWAYS)
		appendStringInfoString(report, "; explicit values are accepted from now on");
}

/* Give the column its new default, in place of what it has. */
static void
set_default(const IdgenColumn *column, Oid idgen_schema, const char *name)
{
	ListCell *cell;

	foreach(cell, column->members)
	{
		Oid member = lfirst_oid(cell);

		/* Each has one of its own, or since 17 partitions share one. */
		if (idgen_column_attribute(member, column->name)->attidentity)
			run_command(psprintf("%s DROP IDENTITY", alter_column(column, member)));
	}
	run_command(psprintf("%s SET DEFAULT %s(%s::pg_catalog.text)",
	                     alter_column(column, column->table_oid),
	                     quote_qualified_identifier(get_namespace_name(idgen_schema), "idgen_next"),
	                     quote_literal_cstr(name)));
}

/*
 * idgen_adopt(relation regclass, column_name name, name text) returns text
 *
 * Have a column draw from a new id sequence. Not strict, because the name may be
 * null. Raises 22004; what check_table() and check_attribute() do; 55000 if that is what the
 * column does; 2200H if no id is left; 42710; and 2BP01 if something else needs the old sequence.
 */
Datum
idgen_adopt(PG_FUNCTION_ARGS)
{
	Oid id_sequences = idgen_table_oid(fcinfo->flinfo->fn_oid);
	Oid idgen_schema = get_rel_namespace(id_sequences);
	IdgenColumn column;
	List *owned;
	List *used;
	const char *name;
	int64 last = PG_INT64_MIN;
	int64 start;
	StringInfoData report;

	idgen_refuse_null(fcinfo, 0, "relation");
	idgen_refuse_null(fcinfo, 1, "column_name");
	PreventCommandIfReadOnly("idgen_adopt()");
	PreventCommandIfParallelMode("idgen_adopt()");
	if (PG_GETARG_OID(0) == id_sequences)
		ereport(ERROR,
		        (errcode(ERRCODE_WRONG_OBJECT_TYPE),
		         errmsg("columns of table \"%s\" cannot draw from it", get_rel_name(id_sequences))));
	if (!PG_ARGISNULL(2))
		idgen_check_name(fcinfo, 2);
	idgen_column_lock(&column, PG_GETARG_OID(0), NameStr(*PG_GETARG_NAME(1)));
	check_draws_from_no_other(&column, NULL, idgen_schema);
	name = PG_ARGISNULL(2) ? psprintf("%s.%s", column.table, column.name) : text_to_cstring(PG_GETARG_TEXT_PP(2));

	raise_by_sequences(&column, &owned, &used, &last);
	if (!raise_by_table(&column, &last) && owned == NIL && used == NIL)
		last = 0;
	start = next_id(&column, last);

	initStringInfo(&report);
	appendStringInfo(&report, "column \"%s\" of table \"%s\" now draws from id sequence \"%s\", beginning with %lld",
	                 column.name, column.table, name, (long long) start);
	report_changes(&report, &column, owned, used);

	insert_row(id_sequences, name, start, column.type_max);
	set_default(&column, idgen_schema, name);
	drop_sequences(owned);
	PG_RETURN_TEXT_P(cstring_to_text(report.data));
}

/*
 * Moving back
 */

/* Does each partition know of the identity (since 17), or only the table? */
static bool
identity_is_inherited(const IdgenColumn *column)
{
	return idgen_column_attribute(llast_oid(column->members), column->name)->attidentity != '\0';
}

/*
 * idgen_release(relation regclass, column_name name) returns text
 *
 * Have a column that draws from an id sequence draw from a native one, as an
 * identity column. Raises what idgen_adopt() does, 55000 if it does not draw from
 * an id sequence, 42704, 23502 if it has nulls, 2BP01 if another column or a domain
 * draws from the id sequence, and what the source says if it cannot tell the next id.
 */
Datum
idgen_release(PG_FUNCTION_ARGS)
{
	Oid id_sequences = idgen_table_oid(fcinfo->flinfo->fn_oid);
	Oid idgen_schema = get_rel_namespace(id_sequences);
	IdgenColumn column;
	const char *name;
	const char *alter;
	List *owned;
	List *used;
	int64 last = PG_INT64_MIN;
	int64 start;
	StringInfoData report;

	PreventCommandIfReadOnly("idgen_release()");
	PreventCommandIfParallelMode("idgen_release()");
	idgen_column_lock(&column, PG_GETARG_OID(0), NameStr(*PG_GETARG_NAME(1)));
	name = id_sequence_of(&column, idgen_schema);
	if (name == NULL)
		ereport(ERROR,
		        (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
		         errmsg("column \"%s\" of table \"%s\" does not draw from an id sequence",
		                column.name, column.table),
		         errdetail("Its default is not just idgen_next() with a name.")));
	if (!column.partitioned && list_length(column.members) > 1)
		ereport(ERROR,
		        (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
		         errmsg("cannot make an identity column of a column that other tables have inherited"),
		         errdetail("Table \"%s\" has inheritance children, and they would not inherit that.",
		                   column.table)));
	check_draws_from_no_other(&column, name, idgen_schema);
	check_no_other_user(&column, name, idgen_schema);

	raise_by_sequences(&column, &owned, &used, &last);
	lock_row(id_sequences, name);
	raise_by_id_sequence(idgen_handle_get(id_sequences, name, strlen(name)), &last);
	raise_by_table(&column, &last);
	start = next_id(&column, last);

	alter = quote_identifier(column.name);
	run_command(psprintf("ALTER TABLE %s ALTER COLUMN %s DROP DEFAULT, ALTER COLUMN %s SET NOT NULL,"
	                     " ALTER COLUMN %s ADD GENERATED BY DEFAULT AS IDENTITY (START WITH %lld MINVALUE %lld)",
	                     idgen_table_name(column.table_oid), alter, alter, alter,
	                     (long long) start, (long long) Min(start, 1)));
	delete_row(id_sequences, name);

	initStringInfo(&report);
	appendStringInfo(&report, "column \"%s\" of table \"%s\" is now an identity column, beginning with %lld;"
	                          " id sequence \"%s\" was deleted",
	                 column.name, column.table, (long long) start, name);
	if (!identity_is_inherited(&column))
		appendStringInfoString(&report, "; rows inserted directly into a partition get no id");
	PG_RETURN_TEXT_P(cstring_to_text(report.data));
}
