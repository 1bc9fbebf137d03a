/*
 * sql_unique_id.c
 *		The SQL functions for time-ordered ids, bigints and UUIDs: arguments in,
 *		Datum out.
 */
#include "postgres.h"

#include "fmgr.h"
#include "utils/timestamp.h"
#include "utils/uuid.h"

#include "common/compat.h"
#include "sql/sql_support.h"
#include "unique_id/unique_id.h"
#include "unique_id/unique_uuid.h"

PG_FUNCTION_INFO_V1(idgen_unique_id);
PG_FUNCTION_INFO_V1(idgen_unique_id_parts);
PG_FUNCTION_INFO_V1(idgen_unique_id_min);
PG_FUNCTION_INFO_V1(idgen_unique_uuid);
PG_FUNCTION_INFO_V1(idgen_unique_uuid_min);
PG_FUNCTION_INFO_V1(idgen_unique_uuid_created_at);

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

/*
 * idgen_unique_id_min(created_at timestamptz) returns bigint
 *
 * The smallest id of that time. Raises 22008 if no id has that time.
 */
Datum
idgen_unique_id_min(PG_FUNCTION_ARGS)
{
	PG_RETURN_INT64(idgen_unique_id_first_of(PG_GETARG_TIMESTAMPTZ(0)));
}

static Datum
uuid_result(pg_uuid_t uuid)
{
	pg_uuid_t *result = palloc(sizeof(pg_uuid_t));

	*result = uuid;
	PG_RETURN_UUID_P(result);
}

/* idgen_unique_uuid() returns uuid */
Datum
idgen_unique_uuid(PG_FUNCTION_ARGS)
{
	return uuid_result(idgen_unique_uuid_draw());
}

/*
 * idgen_unique_uuid_min(created_at timestamptz) returns uuid
 *
 * The smallest UUID of that time. Raises 22008 if no UUID has that time.
 */
Datum
idgen_unique_uuid_min(PG_FUNCTION_ARGS)
{
	return uuid_result(idgen_unique_uuid_first_of(PG_GETARG_TIMESTAMPTZ(0)));
}

/*
 * idgen_unique_uuid_created_at(id uuid) returns timestamptz
 *
 * Null for a UUID that is not of version 7, as the server's own
 * uuid_extract_timestamp() answers for one without a time.
 */
Datum
idgen_unique_uuid_created_at(PG_FUNCTION_ARGS)
{
	const pg_uuid_t *uuid = PG_GETARG_UUID_P(0);

	if (!idgen_unique_uuid_has_time(uuid))
		PG_RETURN_NULL();
	PG_RETURN_TIMESTAMPTZ(idgen_unique_uuid_time(uuid));
}
