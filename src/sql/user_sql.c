/*
 * user_sql.c
 *		SQL that runs with the caller's own rights.
 *
 * idgen_adopt() and idgen_release() change everything by ordinary SQL in the
 * caller's transaction: privileges, row security and triggers apply, and a
 * rollback undoes it. The SQL means the same under any search_path: the callers
 * qualify and quote each name in it.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "utils/builtins.h"
#include "utils/snapmgr.h"

#include "catalog/table.h"
#include "session/messages.h"
#include "sql/user_sql.h"

/* Run one utility command. */
void
idgen_run_command(const char *command)
{
	SPI_connect();
	if (SPI_execute(command, false, 0) != SPI_OK_UTILITY)
		elog(ERROR, "unexpected result of command: %s", command);
	SPI_finish();
}

/* Prepare a statement of SQL for the SPI, which is connected. */
SPIPlanPtr
idgen_prepare(const char *query, int nargs, Oid *types)
{
	SPIPlanPtr plan = SPI_prepare(query, nargs, types);

	if (plan == NULL)
		elog(ERROR, "unexpected result of query: %s", query);
	return plan;
}

/*
 * Run a query that sees everything that is committed now, under any isolation
 * level. Returns the number of rows. Unless "value" is NULL, it gets the first
 * column of the first row, of a type that is passed by value.
 */
uint64
idgen_run_query(const char *query, int nargs, Oid *types, Datum *values,
                Datum *value, bool *isnull)
{
	SPIPlanPtr plan;
	uint64 processed;

	SPI_connect();
	plan = idgen_prepare(query, nargs, types);
	if (SPI_execute_snapshot(plan, values, NULL, GetLatestSnapshot(), InvalidSnapshot,
	                         false, true, 0) < 0)
		elog(ERROR, "unexpected result of query: %s", query);
	processed = SPI_processed;
	if (value != NULL && processed > 0)
		*value = SPI_getbinval(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 1, isnull);
	SPI_finish();
	return processed;
}

/*
 * Run "<verb> FROM <the row> <end>". Returns whether the caller can see such a
 * row.
 */
bool
idgen_run_on_row(Oid id_sequences, const char *name, const char *verb, const char *end)
{
	Oid types[] = {TEXTOID};
	Datum values[] = {CStringGetTextDatum(name)};

	return idgen_run_query(psprintf("%s FROM ONLY %s WHERE name OPERATOR(pg_catalog.=) $1%s",
	                                verb, idgen_table_name(id_sequences), end),
	                       lengthof(types), types, values, NULL, NULL) > 0;
}

/*
 * Keep refills out until the transaction ends. Raises 42704 if there is no row.
 */
void
idgen_lock_row(Oid id_sequences, const char *name)
{
	if (!idgen_run_on_row(id_sequences, name, "SELECT", " FOR UPDATE"))
		idgen_no_such_sequence(id_sequences, name, NULL);
}
