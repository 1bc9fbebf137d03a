/*
 * sql_fdw.c
 *		The SQL function of the foreign-data wrapper: arguments in, Datum out.
 */
#include "postgres.h"

#include "access/reloptions.h"
#include "fmgr.h"

#include "common/compat.h"
#include "remote/server_options.h"

PG_FUNCTION_INFO_V1(idgen_fdw_validator);

/*
 * idgen_fdw_validator(options text[], catalog oid) returns void
 *
 * Raises what idgen_server_check_options() does.
 */
Datum
idgen_fdw_validator(PG_FUNCTION_ARGS)
{
	idgen_server_check_options(untransformRelOptions(PG_GETARG_DATUM(0)), PG_GETARG_OID(1));
	PG_RETURN_VOID();
}
