/*
 * sql_columns.c
 *		SQL functions about columns: input and output of type idgen_column, and
 *		what stored expressions draw from.
 */
#include "postgres.h"

#include "commands/trigger.h"
#include "fmgr.h"
#include "funcapi.h"
#include "libpq/pqformat.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

#include "catalog/calls.h"
#include "catalog/owning_column.h"
#include "catalog/table.h"
#include "common/compat.h"
#include "sql/sql_support.h"

PG_FUNCTION_INFO_V1(idgen_column_in);
PG_FUNCTION_INFO_V1(idgen_column_out);
PG_FUNCTION_INFO_V1(idgen_column_recv);
PG_FUNCTION_INFO_V1(idgen_column_send);
PG_FUNCTION_INFO_V1(idgen_calls);

/*
 * Type idgen_column. The binary form is the name, too: an OID means nothing to
 * another server.
 */

/*
 * Rows that are restored or replicated may name tables that are not there. The
 * latter do so each time that the row changes, so nobody is told.
 */
static Datum
read_column(const char *name)
{
	bool replicated = SessionReplicationRole == SESSION_REPLICATION_ROLE_REPLICA;

	return Int64GetDatum(idgen_owning_column_find(name, replicated ? DEBUG1 : WARNING));
}

/* idgen_column_in(cstring) returns idgen_column */
Datum
idgen_column_in(PG_FUNCTION_ARGS)
{
	return read_column(PG_GETARG_CSTRING(0));
}

/* idgen_column_out(idgen_column) returns cstring */
Datum
idgen_column_out(PG_FUNCTION_ARGS)
{
	PG_RETURN_CSTRING(idgen_owning_column_name(PG_GETARG_INT64(0)));
}

/* idgen_column_recv(internal) returns idgen_column */
Datum
idgen_column_recv(PG_FUNCTION_ARGS)
{
	StringInfo buffer = (StringInfo) PG_GETARG_POINTER(0);
	int length;

	return read_column(pq_getmsgtext(buffer, buffer->len - buffer->cursor, &length));
}

/* idgen_column_send(idgen_column) returns bytea */
Datum
idgen_column_send(PG_FUNCTION_ARGS)
{
	char *name = idgen_owning_column_name(PG_GETARG_INT64(0));
	StringInfoData buffer;

	pq_begintypsend(&buffer);
	pq_sendtext(&buffer, name, strlen(name));
	PG_RETURN_BYTEA_P(pq_endtypsend(&buffer));
}

/*
 * What stored expressions draw from
 */

/*
 * What idgen_calls() looks for: it is kept as long as the calling statement
 * runs. Raises 55000 if the library is not of the version of the database.
 */
static IdgenSearched *
get_searched(FmgrInfo *flinfo)
{
	if (flinfo->fn_extra == NULL)
	{
		MemoryContext caller = MemoryContextSwitchTo(flinfo->fn_mcxt);

		idgen_version_check();
		flinfo->fn_extra = idgen_searched(get_func_namespace(flinfo->fn_oid));
		MemoryContextSwitchTo(caller);
	}
	return flinfo->fn_extra;
}

/*
 * idgen_calls(expression pg_node_tree) returns setof record: the calls in an
 * expression that draw, each thing that they draw from once
 */
Datum
idgen_calls(PG_FUNCTION_ARGS)
{
	IdgenSearched *searched = get_searched(fcinfo->flinfo);
	char *stored = TextDatumGetCString(PG_GETARG_DATUM(0));
	ListCell *cell;

	InitMaterializedSRF(fcinfo, MAT_SRF_USE_EXPECTED_DESC);
	foreach(cell, idgen_calls_in(searched, stored))
	{
		const IdgenDrawCall *call = lfirst(cell);
		IdgenViewLine line = {.n = 0};

		idgen_view_add_text(&line, call->form);
		idgen_view_add_text(&line, call->name);
		idgen_view_add_text(&line, call->source);
		idgen_view_add_unless(!OidIsValid(call->sequence), &line, ObjectIdGetDatum(call->sequence));
		idgen_view_add(&line, BoolGetDatum(call->plain));
		idgen_view_put((ReturnSetInfo *) fcinfo->resultinfo, &line);
	}
	pfree(stored);
	return (Datum) 0;
}
