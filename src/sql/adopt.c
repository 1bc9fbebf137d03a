/*
 * adopt.c
 *		idgen_adopt(): moving a column over to an id sequence.
 *
 * The steps: lock the column, check what it draws from, find out how far its
 * ids have gone, make a row that goes on from there and belongs to the column,
 * and replace the default.
 *
 * Locks, in this order: the table and all its inheritors ACCESS EXCLUSIVE, then
 * the native sequences that will be dropped. So no session inserts meanwhile,
 * and a session that inserts afterwards sees the new default.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"

#include "catalog/definition.h"
#include "catalog/epoch.h"
#include "catalog/owning_column.h"
#include "catalog/row.h"
#include "catalog/table.h"
#include "common/compat.h"
#include "common/guc.h"
#include "draw/draw.h"
#include "sources/sources.h"
#include "sql/column.h"
#include "sql/column_default.h"
#include "sql/column_sequences.h"
#include "sql/ids_in_use.h"
#include "sql/serial_sequence.h"
#include "sql/sql_support.h"
#include "sql/user_sql.h"

PG_FUNCTION_INFO_V1(idgen_adopt);

/* What the caller asks for. */
typedef struct Request
{
	Oid id_sequences;
	Oid relation;
	const char *column_name;
	const char *name; /* of the id sequence, NULL for one made from the column's */
	const char *refill;
} Request;

/*
 * Raises 22004, 25006, 25000, 42809; 22023 or 22001 for the name; 22023 for the
 * refill.
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
	request.relation = PG_GETARG_OID(0);
	if (request.relation == request.id_sequences)
		ereport(ERROR,
		        (errcode(ERRCODE_WRONG_OBJECT_TYPE),
		         errmsg("columns of table \"%s\" cannot draw from it", get_rel_name(request.id_sequences))));
	request.column_name = NameStr(*PG_GETARG_NAME(1));
	request.refill = text_to_cstring(PG_GETARG_TEXT_PP(3));
	idgen_check_refill(request.refill, &idgen_source_table);
	if (!PG_ARGISNULL(2))
	{
		idgen_check_name(fcinfo, 2);
		request.name = text_to_cstring(PG_GETARG_TEXT_PP(2));
	}
	return request;
}

/*
 * Make the row, as idgen_create() does. That function is not called by SQL:
 * another function of the same name with other arguments could be taken for it.
 */
static void
insert_row(const Request *request, const IdgenColumn *column, const char *name, int64 start)
{
	AttrNumber attnum = idgen_column_attribute(column->table_oid, column->name)->attnum;
	Oid types[] = {TEXTOID, INT8OID, INT4OID, INT8OID, TEXTOID, idgen_owning_column_type(request->id_sequences)};
	Datum values[] = {
		CStringGetTextDatum(name),
		Int64GetDatum(start),
		Int32GetDatum(idgen_default_block_size),
		Int64GetDatum(column->type_max),
		CStringGetTextDatum(request->refill),
		Int64GetDatum(idgen_owning_column(column->table_oid, attnum)),
	};

	if (idgen_run_query(psprintf("INSERT INTO %s (name, next_block_start, block_size, max_value, refill, owned_by)"
	                             " VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (name) DO NOTHING",
	                             idgen_table_name(request->id_sequences)),
	                    lengthof(types), types, values, NULL, NULL) == 0)
		ereport(ERROR,
		        (errcode(ERRCODE_DUPLICATE_OBJECT),
		         errmsg("id sequence \"%s\" already exists", name),
		         errhint("Give another name as the third argument, or delete that row if nothing draws from it.")));
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
 * What idgen_adopt() returns: what the column draws from now, and what became
 * of its default and its sequences. They must still be there.
 */
static char *
make_report(const IdgenColumn *column, const IdgenColumnSequences *sequences,
            const char *name, int64 start, const char *refill)
{
	StringInfoData report;
	ListCell *cell;

	initStringInfo(&report);
	appendStringInfo(&report, "column \"%s\" of table \"%s\" now draws from id sequence \"%s\", beginning with %lld, with refill \"%s\"",
	                 column->name, column->table, name, (long long) start, refill);
	report_dropped(&report, column, sequences->owned);
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
warn_of_sequences(const IdgenColumn *column, const IdgenColumnSequences *sequences, const char *name)
{
	ListCell *cell;

	foreach(cell, idgen_find_serial_sequences(column, sequences))
		ereport(WARNING,
		        (errmsg("sequence \"%s\" is still there", idgen_display_name(lfirst_oid(cell))),
		         errdetail("Ids that programs take from it by nextval() are issued by id sequence \"%s\", too.", name),
		         errhint("Drop it if nothing else needs it. Have such programs leave ids to the default of the column, or call idgen_next().")));
}

/*
 * idgen_adopt(relation regclass, column_name name, name text, refill text)
 * returns text
 *
 * Have a column draw from a new id sequence. Not strict, because the name may
 * be null. Raises what get_request() and idgen_column_lock() do; 55000 if the
 * column draws from an id sequence already; 2200H if no id is left; 42710 if
 * the name is taken; 2BP01 if something else needs the old sequence.
 */
Datum
idgen_adopt(PG_FUNCTION_ARGS)
{
	Request request = get_request(fcinfo);
	Oid idgen_schema = get_rel_namespace(request.id_sequences);
	IdgenColumn column;
	IdgenColumnSequences sequences;
	IdgenIdsInUse ids = {0};
	const char *name;
	int64 start;
	char *report;

	idgen_column_lock(&column, request.relation, request.column_name);
	idgen_check_draws_from_none(&column, idgen_schema);
	name = request.name != NULL ? request.name : psprintf("%s.%s", column.table, column.name);

	idgen_column_lock_sequences(&column, &sequences);
	idgen_count_sequences(&sequences, &ids);
	idgen_count_table(&column, &ids);
	start = idgen_first_free_id(&column, &ids);

	report = make_report(&column, &sequences, name, start, request.refill);
	insert_row(&request, &column, name, start);
	set_default(&column, idgen_schema, name);
	drop_sequences(sequences.owned);
	warn_of_sequences(&column, &sequences, name);
	PG_RETURN_TEXT_P(cstring_to_text(report));
}
