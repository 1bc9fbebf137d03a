/*
 * adopt.c
 *		idgen_adopt(), idgen_adopt_columns(): moving columns over to id
 *		sequences.
 *
 * The steps: lock the columns, check what they draw from; for each, find out
 * how far its ids have gone, make a row that goes on from there and belongs to
 * the column, or take the one that does, and replace the default. At last the
 * native sequences are dropped, which other columns of the same call may have
 * drawn from.
 *
 * idgen_adopt_columns() has a name of its own: with an array as its first
 * argument, idgen_adopt('orders', 'id') could mean either.
 *
 * Locks, in this order: the table and all its inheritors ACCESS EXCLUSIVE, then
 * the native sequences that will be dropped. So no session inserts meanwhile,
 * and a session that inserts afterwards sees the new default.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "fmgr.h"
#include "funcapi.h"
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
#include "sql/column_list.h"
#include "sql/column_row.h"
#include "sql/column_sequences.h"
#include "sql/ids_in_use.h"
#include "sql/serial_sequence.h"
#include "sql/sql_support.h"
#include "sql/user_sql.h"

PG_FUNCTION_INFO_V1(idgen_adopt);
PG_FUNCTION_INFO_V1(idgen_adopt_columns);

/* What the caller asks for. */
typedef struct Request
{
	Oid id_sequences;
	IdgenColumnList *list;
	const char **names; /* of the id sequences, NULL for one made from the column's */
	const char *refill;
} Request;

/*
 * What the functions have in common. Raises 22004 or 22023 for the refill,
 * 25006, 25000.
 */
static Request
begin_request(FunctionCallInfo fcinfo, const char *function)
{
	Request request = {.id_sequences = idgen_table_oid(fcinfo->flinfo->fn_oid)};

	idgen_refuse_null(fcinfo, 3, "refill");
	PreventCommandIfReadOnly(function);
	PreventCommandIfParallelMode(function);
	request.refill = text_to_cstring(PG_GETARG_TEXT_PP(3));
	idgen_check_refill(request.refill, &idgen_source_table);
	return request;
}

/*
 * The arguments of idgen_adopt(). Raises what begin_request() does, 22004, and
 * 22023 or 22001 for the name.
 */
static Request
get_request(FunctionCallInfo fcinfo)
{
	Request request;

	idgen_refuse_null(fcinfo, 0, "relation");
	idgen_refuse_null(fcinfo, 1, "column_name");
	request = begin_request(fcinfo, "idgen_adopt()");
	request.list = idgen_column_list_of_one(fcinfo);
	request.names = palloc0(sizeof(char *));
	if (!PG_ARGISNULL(2))
	{
		idgen_check_name(PG_GETARG_TEXT_PP(2));
		request.names[0] = text_to_cstring(PG_GETARG_TEXT_PP(2));
	}
	return request;
}

/*
 * The arguments of idgen_adopt_columns(). Raises what begin_request() and
 * idgen_column_list_of_arrays() do, and for the names 2202E, 22023, 22001.
 */
static Request
get_request_of_arrays(FunctionCallInfo fcinfo)
{
	Request request = begin_request(fcinfo, "idgen_adopt_columns()");
	int n;

	request.list = idgen_column_list_of_arrays(fcinfo);
	n = request.list->n;
	request.names = palloc0((n + 1) * sizeof(char *));
	if (!PG_ARGISNULL(2))
	{
		bool *nulls;
		Datum *names = idgen_array_argument(fcinfo, 2, "names", &nulls);

		idgen_check_array_length(fcinfo, 2, "names", n, "relations");
		for (int i = 0; i < n; i++)
		{
			if (nulls[i])
				continue;
			idgen_check_name(DatumGetTextPP(names[i]));
			request.names[i] = TextDatumGetCString(names[i]);
		}
	}
	return request;
}

/*
 * Make the row. Raises 22023 for the name of a template, 2200H if no id is
 * left, and 42710.
 */
static int64
make_row(const Request *request, const IdgenColumn *column, const char *name, const IdgenIdsInUse *ids)
{
	IdgenColumnRow row = {
		.name = name,
		.refill = request->refill,
		.start = idgen_first_free_id(column, ids),
		.max_value = column->type_max,
		.owner = idgen_column_as_owner(column),
	};

	if (idgen_is_template_name(name, strlen(name)))
		idgen_refuse_template(name);
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
 * Drop the native sequences that belong to the column, once it has its new
 * default. Raises 2BP01 if anything else depends on one.
 */
static void
drop_sequences(List *owned)
{
	ListCell *cell;

	foreach(cell, owned)
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
 * The end of what idgen_adopt() returns: what became of the column's default
 * and its sequences. They must still be there. Those that belong to other
 * columns of the call will be dropped, too.
 */
static char *
report_changes(const IdgenColumn *column, const IdgenColumnSequences *sequences, List *all_owned)
{
	StringInfoData report;
	ListCell *cell;

	initStringInfo(&report);
	report_dropped(&report, column, sequences->owned);
	foreach(cell, sequences->used)
	{
		if (list_member_oid(all_owned, lfirst_oid(cell)))
			continue;
		appendStringInfo(&report, "; sequence \"%s\", which does not belong to the column, is still there",
		                 idgen_display_name(lfirst_oid(cell)));
	}
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
warn_of_sequences(const Request *request, const IdgenColumn *column, const IdgenColumnSequences *sequences, const char *name)
{
	ListCell *cell;

	foreach(cell, idgen_find_serial_sequences(column, sequences))
		ereport(WARNING,
		        (errmsg("sequence \"%s\" is still there", idgen_display_name(lfirst_oid(cell))),
		         errdetail("Ids that programs take from it by nextval() are issued by id sequence \"%s\", too.", name),
		         errhint("Drop it if nothing else needs it. Have such programs leave ids to the default of the column and read them by RETURNING, not by currval() or lastval(), or call %s().",
		                 idgen_function_name(request->id_sequences, "idgen_next"))));
}

/* Raises 42809 for a column of id_sequences, before that is locked. */
static void
refuse_own_columns(const Request *request)
{
	for (int i = 0; i < request->list->n; i++)
		if (request->list->columns[i].table_oid == request->id_sequences)
			ereport(ERROR,
			        (errcode(ERRCODE_WRONG_OBJECT_TYPE),
			         errmsg("columns of table \"%s\" cannot draw from it", get_rel_name(request->id_sequences))));
}

/*
 * Make or take the row of a column, and set its default. Returns what to tell
 * of it. Raises 42501, and what make_row() and idgen_column_row_take() do.
 */
static char *
move_column(const Request *request, int i, const char *name, List *all_owned)
{
	const IdgenColumn *column = &request->list->columns[i];
	const IdgenColumnSequences *sequences = &request->list->sequences[i];
	const char *changes = report_changes(column, sequences, all_owned);
	IdgenIdsInUse ids = {0};
	StringInfoData report;

	idgen_count_sequences(sequences, &ids);
	idgen_count_table(column, &ids);
	initStringInfo(&report);
	appendStringInfo(&report, "column \"%s\" of table \"%s\" ", column->name, column->table);
	if (idgen_column_has_row(request->id_sequences, column, name))
	{
		idgen_column_row_take(request->id_sequences, name, &ids);
		appendStringInfo(&report, "draws from id sequence \"%s\", which belongs to it already%s", name, changes);
	}
	else
	{
		int64 start = make_row(request, column, name, &ids);

		appendStringInfo(&report, "now draws from id sequence \"%s\", beginning with %lld, with refill \"%s\"%s",
		                 name, (long long) start, request->refill, changes);
	}
	set_default(column, get_rel_namespace(request->id_sequences), name);
	return report.data;
}

/* The id sequence that belongs to the column, or a name for a new one. */
static const char *
name_of_row(const Request *request, const IdgenColumn *column)
{
	List *names = idgen_column_rows(request->id_sequences, column);

	return list_length(names) == 1 ? linitial(names) : psprintf("%s.%s", column->table, column->name);
}

/* All native sequences that belong to one of the columns. */
static List *
list_owned(const IdgenColumnList *list)
{
	List *all = NIL;

	for (int i = 0; i < list->n; i++)
		all = list_concat(all, list->sequences[i].owned);
	return all;
}

/*
 * Have columns draw from id sequences. Returns what to tell of each. Raises
 * what idgen_column_list_lock() and move_column() do; 42809 for a column of
 * id_sequences; 55000 for one that draws from an id sequence already; 2BP01 if
 * something else needs a native sequence.
 */
static char **
adopt(const Request *request)
{
	IdgenColumnList *list = request->list;
	char **reports = palloc((list->n + 1) * sizeof(char *));
	List *all_owned;
	IdgenColumnTurn turn;

	refuse_own_columns(request);
	idgen_column_list_lock(list, request->id_sequences, ACL_INSERT);
	for (int i = 0; i < list->n; i++)
	{
		const IdgenColumn *column = idgen_column_turn_begin(&turn, list, i);

		idgen_check_draws_from_none(column, get_rel_namespace(request->id_sequences));
		if (request->names[i] == NULL)
			request->names[i] = name_of_row(request, column);
		idgen_column_turn_end(&turn);
	}
	idgen_column_list_lock_sequences(list);
	all_owned = list_owned(list);
	for (int i = 0; i < list->n; i++)
	{
		idgen_column_turn_begin(&turn, list, i);
		reports[i] = move_column(request, i, request->names[i], all_owned);
		idgen_column_turn_end(&turn);
	}
	for (int i = 0; i < list->n; i++)
	{
		const IdgenColumn *column = idgen_column_turn_begin(&turn, list, i);

		drop_sequences(list->sequences[i].owned);
		warn_of_sequences(request, column, &list->sequences[i], request->names[i]);
		idgen_column_turn_end(&turn);
	}
	return reports;
}

/*
 * idgen_adopt(relation regclass, column_name name, name text, refill text)
 * returns text
 *
 * Have a column draw from a new id sequence. Not strict, because the name may
 * be null. Raises what get_request() and adopt() do.
 */
Datum
idgen_adopt(PG_FUNCTION_ARGS)
{
	Request request = get_request(fcinfo);

	PG_RETURN_TEXT_P(cstring_to_text(adopt(&request)[0]));
}

/*
 * idgen_adopt_columns(relations regclass[], column_names name[], names text[],
 *					   refill text)
 * returns setof text
 *
 * The same for the first column of the first relation, the second one of the
 * second, and so on: all of them, or none. Raises what get_request_of_arrays()
 * and adopt() do.
 */
Datum
idgen_adopt_columns(PG_FUNCTION_ARGS)
{
	Request request = get_request_of_arrays(fcinfo);
	char **reports;

	InitMaterializedSRF(fcinfo, MAT_SRF_USE_EXPECTED_DESC);
	reports = adopt(&request);
	for (int i = 0; i < request.list->n; i++)
		idgen_return_line(fcinfo, reports[i]);
	return (Datum) 0;
}
