/*
 * sql_version.c
 *		The version of the library, and the C functions that only install
 *		scripts of older versions name.
 *
 * A C function that gets other arguments, or returns other columns, gets
 * another name as well: the version that has changed it is added. So neither a
 * library nor an install script of another version takes the one for the other.
 * The old name stays: without it, what pg_dump makes for pg_upgrade could not
 * be loaded, and the caller would not be told what to do.
 */
#include "postgres.h"

#include "fmgr.h"
#include "utils/builtins.h"

#include "catalog/version.h"

PG_FUNCTION_INFO_V1(idgen_version_1_1);
PG_FUNCTION_INFO_V1(idgen_create);
PG_FUNCTION_INFO_V1(idgen_adopt);
PG_FUNCTION_INFO_V1(idgen_release);
PG_FUNCTION_INFO_V1(idgen_entries);
PG_FUNCTION_INFO_V1(idgen_totals);

/*
 * idgen_version() returns text: the version of the library
 *
 * Each version has another name for it in C, and its scripts declare it first.
 * So the server says which library it lacks when an older one is loaded.
 */
Datum
idgen_version_1_1(PG_FUNCTION_ARGS)
{
	PG_RETURN_TEXT_P(cstring_to_text(IDGEN_VERSION));
}

/* What follows is of 1.0. */

Datum
idgen_create(PG_FUNCTION_ARGS)
{
	idgen_version_refuse();
}

Datum
idgen_adopt(PG_FUNCTION_ARGS)
{
	idgen_version_refuse();
}

Datum
idgen_release(PG_FUNCTION_ARGS)
{
	idgen_version_refuse();
}

Datum
idgen_entries(PG_FUNCTION_ARGS)
{
	idgen_version_refuse();
}

Datum
idgen_totals(PG_FUNCTION_ARGS)
{
	idgen_version_refuse();
}
