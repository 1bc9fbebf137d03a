/*
 * callgrind_parts.c
 *		A function that divides what callgrind counts into named parts.
 *
 * test/bench/instructions builds and loads it; it is never installed.
 */
#include "postgres.h"

#include <valgrind/callgrind.h>

#include "fmgr.h"
#include "utils/builtins.h"

PG_MODULE_MAGIC;

PG_FUNCTION_INFO_V1(callgrind_part);

/*
 * callgrind_part(name text) returns void: what was counted since the last call
 * has that name
 */
Datum
callgrind_part(PG_FUNCTION_ARGS)
{
	char *name = text_to_cstring(PG_GETARG_TEXT_PP(0));

	/*
	 * not earlier: it takes a server long to start when everything is counted
	 */
	CALLGRIND_START_INSTRUMENTATION;
	CALLGRIND_DUMP_STATS_AT(name);
	PG_RETURN_VOID();
}
