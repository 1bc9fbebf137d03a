/*
 * sql_nodes.c
 *		SQL function for node numbers: what an operator does at the centre.
 *
 * It runs with the caller's own rights on idgen_node_numbers.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/timestamp.h"

#include "common/compat.h"
#include "common/guc.h"
#include "sql/sql_support.h"
#include "sql/user_sql.h"

PG_FUNCTION_INFO_V1(idgen_reserve_node);

/* The table, for use in a query: it is in the schema of the called function. */
static const char *
numbers_table(FunctionCallInfo fcinfo)
{
	Oid schema = get_func_namespace(fcinfo->flinfo->fn_oid);

	return quote_qualified_identifier(get_namespace_name(schema), "idgen_node_numbers");
}

/* Raises 22023 for a number that is not leased to anybody. */
static void
check_number(int number)
{
	if (number < 1 || number > IDGEN_MAX_NODE)
		ereport(ERROR,
		        (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
		         errmsg("node number %d is not one that is leased", number),
		         errdetail("It must be between 1 and %d.", IDGEN_MAX_NODE)));
}

/*
 * Run a statement that changes the row of a number unless a server has the
 * number. Its first argument is the number; a text may follow. Raises 55006 if
 * a server has it.
 */
static void
change_row(const char *table, const char *statement, int number, int nargs, Datum text)
{
	Oid types[] = {INT4OID, TEXTOID};
	Datum values[] = {Int32GetDatum(number), text};
	Datum until;
	bool isnull;

	if (idgen_run_query(statement, nargs, types, values, NULL, NULL) > 0)
		return;
	if (idgen_run_query(psprintf("SELECT leased_until FROM ONLY %s WHERE number OPERATOR(pg_catalog.=) $1", table),
	                    1, types, values, &until, &isnull) == 0)
		return; /* a number that no server has had is free already */
	ereport(ERROR,
	        (errcode(ERRCODE_OBJECT_IN_USE),
	         errmsg("a server has node number %d", number),
	         isnull ? 0 : errdetail("Its lease ends at %s, unless it is renewed.", timestamptz_to_str(DatumGetTimestampTz(until))),
	         errhint("Stop that server, or set its idgen.node_id, and wait until the lease has ended.")));
}

/*
 * idgen_reserve_node(number integer, reserved_for text) returns void
 *
 * Null for reserved_for lets any server have the number again. What the row
 * says of time-ordered ids stays. Raises 55006 as long as a server has the
 * number, 22004 for a null number.
 */
Datum
idgen_reserve_node(PG_FUNCTION_ARGS)
{
	const char *table = numbers_table(fcinfo);
	int number;

	idgen_refuse_null(fcinfo, 0, "number");
	number = PG_GETARG_INT32(0);
	PreventCommandIfReadOnly("idgen_reserve_node()");
	check_number(number);
	if (PG_ARGISNULL(1))
		change_row(table,
		           psprintf("UPDATE ONLY %s SET holder = NULL, token = NULL, previous_token = NULL, system_identifier = NULL,"
		                    " data_directory = NULL, address = NULL, taken_at = NULL, renewed_at = NULL, leased_until = NULL, reserved_for = NULL"
		                    " WHERE number OPERATOR(pg_catalog.=) $1"
		                    " AND (leased_until IS NULL OR leased_until OPERATOR(pg_catalog.<=) pg_catalog.clock_timestamp()) RETURNING 1",
		                    table),
		           number, 1, (Datum) 0);
	else
		change_row(table,
		           psprintf("INSERT INTO %s AS n (number, reserved_for) VALUES ($1, $2)"
		                    " ON CONFLICT (number) DO UPDATE SET reserved_for = excluded.reserved_for"
		                    " WHERE n.leased_until IS NULL OR n.leased_until OPERATOR(pg_catalog.<=) pg_catalog.clock_timestamp() RETURNING 1",
		                    table),
		           number, 2, PG_GETARG_DATUM(1));
	PG_RETURN_VOID();
}
