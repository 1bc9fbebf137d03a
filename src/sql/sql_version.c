/*
 * sql_version.c
 *		The version of the library, as SQL shows it.
 *
 * Each version with another second number has another name for this function in
 * C, and its scripts declare it first. So the server says which library it
 * lacks when an older one is loaded. The old names stay, as does each C
 * function that a published script names: without it, what pg_dump makes for
 * pg_upgrade could not be loaded. A C function that gets other arguments, or
 * returns other columns, gets another name as well: the version that has
 * changed it is added.
 */
#include "postgres.h"

#include "fmgr.h"
#include "utils/builtins.h"

#include "common/compat.h"

PG_FUNCTION_INFO_V1(idgen_version_1_0);

/* idgen_version() returns text: the version of the library */
Datum
idgen_version_1_0(PG_FUNCTION_ARGS)
{
	PG_RETURN_TEXT_P(cstring_to_text(IDGEN_VERSION));
}
