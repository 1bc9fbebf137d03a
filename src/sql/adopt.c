/*
 * adopt.c
 *		idgen_adopt(): moving a column over to an id sequence.
 *
 * The steps: lock the column, check what it draws from, find out how far its
 * ids have gone, make a row that goes on from there and belongs to the column,
 * or take the one that does, replace the default, and drop the native sequences
 * that belonged to it.
 *
 * Locks, in this order: the table and all its inheritors ACCESS EXCLUSIVE, then
 * the native sequences that will be dropped. So no session inserts meanwhile,
 * and a session that inserts afterwards sees the new default.
 */
#include "postgres.h"

#include "catalog/objectaddress.h"
#include "catalog/pg_type.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"

#include "catalog/definition.h"
#include "catalog/epoch.h"
#include "catalog/row.h"
#include "catalog/table.h"
#include "catalog/template.h"
#include "common/compat.h"
#include "common/guc.h"
#include "sources/sources.h"
#include "sql/column.h"
#include "sql/column_default.h"
#include "sql/column_row.h"
#include "sql/column_sequences.h"
#include "sql/dependants.h"
#include "sql/ids_in_use.h"
#include "sql/serial_sequence.h"
#include "sql/sql_support.h"
#include "sql/user_sql.h"

PG_FUNCTION_INFO_V1(idgen_adopt);

/* What the caller asks for. */
typedef struct Request
{
	Oid id_sequences;
	IdgenColumn column;
	const char *name; /* of the id sequence, NULL for one made from the column's */
	const char *refill;
} Request;

/*
 * The arguments. Raises 22004 for a null; 22023 or 22001 for the name; 22023
 * for the refill; 25006, 25000.
 */
static Request
get_request(FunctionCallInfo fcinfo)
{
	Request request = {.id_sequences = idgen_table_oid(fcinfo->flinfo->fn_oid)};

	idgen_refuse_null(fcinfo, 0, "relation");
	idgen_refuse_null(fcinfo, 1, "column_name");
	idgen_refuse_null(fcinfo, 3, "refill");
	PreventCommandIfReadOnly("idgen_adopt()");
	PreventCommandIfParallelMode("idgen_adopt()");
	request.column = (IdgenColumn){.table_oid = PG_GETARG_OID(0), .name = NameStr(*PG_GETARG_NAME(1))};
	request.refill = text_to_cstring(PG_GETARG_TEXT_PP(3));
	idgen_check_refill(request.refill, &idgen_source_table);
	if (!PG_ARGISNULL(2))
	{
		idgen_check_name(PG_GETARG_TEXT_PP(2));
		request.name = text_to_cstring(PG_GETARG_TEXT_PP(2));
	}
	return request;
}

/*
 * Raises 22023 for a name that is a word for refills: the refill comes after
 * it. A table that is called so may well have an id sequence of that name.
 */
static void
check_is_no_refill(const Request *request)
{
	const struct config_enum_entry *entry = idgen_refill_modes;

	if (strcmp(request->name, get_rel_name(request->column.table_oid)) == 0)
		return;
	while (entry->name != NULL && strcmp(request->name, entry->name) != 0)
		entry++;
	if (entry->name != NULL)
		ereport(ERROR,
		        (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
		         errmsg("invalid name \"%s\"", request->name),
		         errdetail("The third argument is the name of the id sequence, the fourth one is the refill."),
		         errhint("Write refill => '%s'.", request->name)));
}

/*
 * Make the row. Raises 22023 for the name of a template or a refill, 2200H if
 * no id is left, and 42710.
 */
static int64
make_row(const Request *request, const IdgenIdsInUse *ids)
{
	const IdgenColumn *column = &request->column;
	const char *name = request->name;
	IdgenColumnRow row = {
		.name = name,
		.refill = request->refill,
		.start = idgen_first_free_id(column, ids),
		.max_value = column->type_max,
		.owner = idgen_column_as_owner(column),
	};

	if (idgen_is_template_name(name, strlen(name)))
		idgen_refuse_template(name);
	check_is_no_refill(request);
	if (!idgen_column_row_insert(request->id_sequences, &row))
		ereport(ERROR,
		        (errcode(ERRCODE_DUPLICATE_OBJECT),
		         errmsg("id sequence \"%s\" already exists", name),
		         errhint("Give another name as the third argument, or delete that row if nothing draws from it.")));
	return row.start;
}

/*
 * Give the column its new default, in place of the default or identity it has.
 */
static void
set_default(const IdgenColumn *column, Oid idgen_schema, const char *name)
{
	ListCell *cell;

	foreach(cell, column->members)
	{
		Oid member = lfirst_oid(cell);

		/*
		 * Inheritors have an identity of their own. Since 17, partitions share
		 * that of the partitioned table, and it is gone from all at once.
		 */
		if (idgen_column_attribute(member, column->name)->attidentity)
			idgen_run_command(psprintf("%s DROP IDENTITY", idgen_alter_column(column, member)));
	}
	idgen_run_command(psprintf("%s SET DEFAULT %s(%s::pg_catalog.text)",
	                           idgen_alter_column(column, column->table_oid),
	                           quote_qualified_identifier(get_namespace_name(idgen_schema), "idgen_next"),
	                           quote_literal_cstr(name)));
}

/*
 * The native sequences that belong to the column, and are dropped with what it
 * drew from them. If anything else depends on one, it stays behind, and belongs
 * to nothing. That of an identity cannot: raises 2BP01.
 */
static List *
sequences_to_drop(const IdgenColumn *column, List *owned)
{
	List *to_drop = NIL;
	ListCell *cell;

	foreach(cell, owned)
	{
		Oid sequence = lfirst_oid(cell);
		const ObjectAddress *user = idgen_sequence_user(sequence, column);

		if (user == NULL)
			to_drop = lappend_oid(to_drop, sequence);
		else if (column->identity)
			ereport(ERROR,
			        (errcode(ERRCODE_DEPENDENT_OBJECTS_STILL_EXIST),
			         errmsg("cannot drop sequence \"%s\" of identity column \"%s\" because something else uses it",
			                idgen_display_name(sequence), column->name),
			         errdetail_internal("It is %s.", getObjectDescription(user, false)),
			         errhint("Drop that first, or have it use something else.")));
		else
		{
			idgen_run_command(psprintf("ALTER SEQUENCE %s OWNED BY NONE", idgen_table_name(sequence)));
			ereport(NOTICE,
			        (errmsg("sequence \"%s\" was not dropped", idgen_display_name(sequence)),
			         errdetail_internal("It is used by %s.", getObjectDescription(user, false))));
		}
	}
	return to_drop;
}

/* Drop the native sequences, once the column has its new default. */
static void
drop_sequences(List *sequences)
{
	ListCell *cell;

	foreach(cell, sequences)
	{
		Oid sequence = lfirst_oid(cell);

		/* The sequence of an identity is gone by now. */
		if (SearchSysCacheExists1(RELOID, ObjectIdGetDatum(sequence)))
			idgen_run_command(psprintf("DROP SEQUENCE %s", idgen_table_name(sequence)));
	}
}

/* Append "; its A, B and C were dropped". */
static void
report_dropped(StringInfo report, const IdgenColumn *column, List *owned)
{
	List *dropped = NIL;
	ListCell *cell;

	if (column->identity)
		dropped = lappend(dropped, "identity");
	else if (column->default_expr != NULL && !OidIsValid(column->default_domain))
		dropped = lappend(dropped, "default");
	foreach(cell, owned)
		dropped = lappend(dropped, psprintf("sequence \"%s\"", idgen_display_name(lfirst_oid(cell))));
	if (dropped == NIL)
		return;

	foreach(cell, dropped)
	{
		if (cell == list_head(dropped))
			appendStringInfoString(report, "; its ");
		else if (lnext(dropped, cell) != NULL)
			appendStringInfoString(report, ", ");
		else
			appendStringInfoString(report, " and ");
		appendStringInfoString(report, (char *) lfirst(cell));
	}
	appendStringInfoString(report, list_length(dropped) > 1 ? " were dropped" : " was dropped");
}

/*
 * The end of what idgen_adopt() returns: what becomes of the column's default
 * and its sequences. They must still be there.
 */
static char *
report_changes(const IdgenColumn *column, const IdgenColumnSequences *sequences, List *to_drop)
{
	StringInfoData report;
	ListCell *cell;

	initStringInfo(&report);
	report_dropped(&report, column, to_drop);
	foreach(cell, sequences->used)
		appendStringInfo(&report, "; sequence \"%s\", which does not belong to the column, is still there",
		                 idgen_display_name(lfirst_oid(cell)));
	if (OidIsValid(column->default_domain))
		appendStringInfo(&report, "; the default of domain %s does not apply to it any more",
		                 format_type_be_qualified(column->default_domain));
	if (column->identity == ATTRIBUTE_IDENTITY_ALWAYS)
		appendStringInfoString(&report, "; explicit values are accepted from now on");
	return report.data;
}

/*
 * Warn of sequences that programs may go on using instead of the id sequence.
 * Those of the column are dropped by now.
 */
static void
warn_of_sequences(const Request *request, const IdgenColumnSequences *sequences)
{
	ListCell *cell;

	foreach(cell, idgen_find_serial_sequences(&request->column, sequences))
		ereport(WARNING,
		        (errmsg("sequence \"%s\" is still there", idgen_display_name(lfirst_oid(cell))),
		         errdetail("Ids that programs take from it by nextval() are issued by id sequence \"%s\", too.", request->name),
		         errhint("Drop it if nothing else needs it. Have such programs leave ids to the default of the column and read them by RETURNING, not by currval() or lastval(), or call %s().",
		                 idgen_function_name(request->id_sequences, "idgen_next"))));
}

/*
 * Make or take the row of the column, and set its default. Returns what to tell
 * of it. Raises 42501, and what make_row() and idgen_column_row_take() do.
 */
static char *
move_column(const Request *request, const IdgenColumnSequences *sequences, List *to_drop)
{
	const IdgenColumn *column = &request->column;
	const char *changes = report_changes(column, sequences, to_drop);
	IdgenIdsInUse ids = {0};
	StringInfoData report;

	idgen_count_sequences(sequences, &ids);
	idgen_count_table(column, &ids);
	initStringInfo(&report);
	appendStringInfo(&report, "column \"%s\" of table \"%s\" ", column->name, column->table);
	if (idgen_column_has_row(request->id_sequences, column, request->name))
	{
		idgen_column_row_take(request->id_sequences, request->name, &ids);
		appendStringInfo(&report, "draws from id sequence \"%s\", which belongs to it already%s", request->name, changes);
	}
	else
	{
		int64 start = make_row(request, &ids);

		appendStringInfo(&report, "now draws from id sequence \"%s\", beginning with %lld, with refill \"%s\"%s",
		                 request->name, (long long) start, request->refill, changes);
	}
	set_default(column, get_rel_namespace(request->id_sequences), request->name);
	return report.data;
}

/* The id sequence that belongs to the column, or a name for a new one. */
static const char *
name_of_row(const Request *request)
{
	List *names = idgen_column_rows(request->id_sequences, &request->column);

	return list_length(names) == 1 ? linitial(names) : psprintf("%s.%s", request->column.table, request->column.name);
}

/*
 * idgen_adopt(relation regclass, column_name name, name text, refill text)
 * returns text
 *
 * Have a column draw from a new id sequence. Not strict, because the name may
 * be null. Raises what get_request(), idgen_column_lock(), sequences_to_drop()
 * and move_column() do; 42809 for a column of id_sequences; 55000 for one that
 * draws from an id sequence already.
 */
Datum
idgen_adopt(PG_FUNCTION_ARGS)
{
	Request request = get_request(fcinfo);
	IdgenColumnSequences sequences;
	List *to_drop;
	char *report;

	if (request.column.table_oid == request.id_sequences)
		ereport(ERROR,
		        (errcode(ERRCODE_WRONG_OBJECT_TYPE),
		         errmsg("columns of table \"%s\" cannot draw from it", get_rel_name(request.id_sequences))));
	idgen_column_lock(&request.column, request.id_sequences, ACL_INSERT);
	idgen_check_draws_from_none(&request.column, get_rel_namespace(request.id_sequences));
	if (request.name == NULL)
		request.name = name_of_row(&request);
	idgen_column_lock_sequences(&request.column, &sequences);
	to_drop = sequences_to_drop(&request.column, sequences.owned);
	report = move_column(&request, &sequences, to_drop);
	drop_sequences(to_drop);
	warn_of_sequences(&request, &sequences);
	PG_RETURN_TEXT_P(cstring_to_text(report));
}
