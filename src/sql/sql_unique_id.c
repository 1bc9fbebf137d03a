/*
 * sql_unique_id.c
 *		The SQL functions for time-ordered ids: arguments in, Datum out.
 */
#include "postgres.h"

#include "fmgr.h"
#include "utils/timestamp.h"

#include "sql/sql_support.h"
#include "unique_id/unique_id.h"

PG_FUNCTION_INFO_V1(idgen_unique_id);
PG_FUNCTION_INFO_V1(idgen_unique_id_parts);

/* idgen_unique_id() returns bigint */
Datum
idgen_unique_id(PG_FUNCTION_ARGS)
{
	PG_RETURN_INT64(idgen_unique_id_draw());
}

/*
 * idgen_unique_id_parts(id bigint, OUT created_at timestamptz, OUT node
 * integer,
 *						 OUT counter integer)
 *
 * Raises 22003 for a negative number: all others are ids.
 */
Datum
idgen_unique_id_parts(PG_FUNCTION_ARGS)
{
	int64 id = PG_GETARG_INT64(0);
	IdgenUniqueIdParts parts;
	Datum values[3];
	bool nulls[3] = {false};

	if (id < 0)
		ereport(ERROR,
		        (errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
		         errmsg("%lld is not a time-ordered id", (long long) id),
		         errdetail("Time-ordered ids are not negative.")));
	parts = idgen_unique_id_take_apart(id);
	values[0] = TimestampTzGetDatum(parts.created_at);
	values[1] = Int32GetDatum(parts.node);
	values[2] = Int32GetDatum(parts.counter);
	return idgen_result_row(fcinfo, (TupleDesc *) &fcinfo->flinfo->fn_extra, values, nulls);
}
