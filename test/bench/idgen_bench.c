/*
 * idgen_bench.c
 *		A function that does nothing: what any function call costs.
 *
 * The programs in test/bench build and load it to subtract that from what they
 * measure. It is never installed.
 */
#include "postgres.h"

#include "fmgr.h"

PG_MODULE_MAGIC;

PG_FUNCTION_INFO_V1(idgen_bench_empty);

/* idgen_bench_empty(text) returns bigint */
Datum
idgen_bench_empty(PG_FUNCTION_ARGS)
{
	PG_RETURN_INT64(1);
}
