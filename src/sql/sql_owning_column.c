/*
 * sql_owning_column.c
 *		Type idgen_column: input and output.
 *
 * The binary form is the name, too: an OID means nothing to another server.
 */
#include "postgres.h"

#include "commands/trigger.h"
#include "fmgr.h"
#include "libpq/pqformat.h"

#include "catalog/owning_column.h"
#include "common/compat.h"

PG_FUNCTION_INFO_V1(idgen_column_in);
PG_FUNCTION_INFO_V1(idgen_column_out);
PG_FUNCTION_INFO_V1(idgen_column_recv);
PG_FUNCTION_INFO_V1(idgen_column_send);

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
