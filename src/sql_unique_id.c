/*
 * sql_unique_id.c
 *		The SQL functions for time-ordered ids: arguments in, Datum out.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "fmgr.h"
#include "funcapi.h"
#include "utils/timestamp.h"

#include "unique_id.h"

PG_FUNCTION_INFO_V1(idgen_unique_id);
PG_FUNCTION_INFO_V1(idgen_unique_id_parts);

/* idgen_unique_id() */
Datum
idgen_unique_id(PG_FUNCTION_ARGS)
{
	PG_RETURN_INT64(idgen_unique_id_draw());
}

/* idgen_unique_id_parts(id) */
Datum
idgen_unique_id_parts(PG_FUNCTION_ARGS)
{
	int64 id = PG_GETARG_INT64(0);
	IdgenUniqueIdParts parts;
	TupleDesc desc;
	Datum values[3];
	bool nulls[3] = {false};

	if (id < 0)
		ereport(ERROR,
		        (errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
		         errmsg("%lld is not a time-ordered id", (long long) id),
		         errdetail("Time-ordered ids are not negative.")));
	if (get_call_result_type(fcinfo, NULL, &desc) != TYPEFUNC_COMPOSITE)
		elog(ERROR, "return type must be a row type");
	parts = idgen_unique_id_take_apart(id);
	values[0] = TimestampTzGetDatum(parts.created_at);
	values[1] = Int32GetDatum(parts.node);
	values[2] = Int32GetDatum(parts.counter);
	PG_RETURN_DATUM(HeapTupleGetDatum(heap_form_tuple(BlessTupleDesc(desc), values, nulls)));
}
