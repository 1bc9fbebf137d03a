/*
 * sql_api.c
 *		The SQL functions that draw ids: arguments in, Datum out.
 */
#include "postgres.h"

#include "fmgr.h"
#include "miscadmin.h"

#include "catalog/table.h"
#include "draw/draw.h"
#include "session/validate.h"
#include "sql/sql_support.h"
#include "sql/hooks.h"

PG_FUNCTION_INFO_V1(idgen_next);
PG_FUNCTION_INFO_V1(idgen_next_from);
PG_FUNCTION_INFO_V1(idgen_next_big);
PG_FUNCTION_INFO_V1(idgen_next_in_copy);
PG_FUNCTION_INFO_V1(idgen_next_range);
PG_FUNCTION_INFO_V1(idgen_last);
PG_FUNCTION_INFO_V1(idgen_peek);

/*
 * The most consecutive ids that one call may ask for: half of those of a
 * bigint.
 */
#define IDGEN_RANGE_MAX (INT64CONST(1) << 62)

/*
 * Raises 55000 if the id sequence has got a source that runs code since COPY
 * has planned its defaults: it may be that the code had to see rows that COPY
 * has not stored yet. The error undoes what the code has done.
 */
static void
check_without_code(const IdgenHandle *handle)
{
	const IdgenSource *source = handle->found.row.source;

	if (source->runs_code && idgen_in_copy_from())
		ereport(ERROR,
		        (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
		         errmsg("id sequence \"%s\" has got source \"%s\" while COPY stores rows in batches",
		                handle->name, source->name),
		         errdetail("The function might have to see rows that are not stored yet."),
		         errhint("Repeat the COPY.")));
}

/* The slow part of next_id(). */
static pg_noinline Datum
next_id_slow(IdgenHandle *handle, const IdgenSource *asked, bool in_copy)
{
	IdgenCall call = {.function = "idgen_next()", .asked = asked, .count = 1};
	int64 value;

	handle = idgen_draw_one(handle, &call, &value);
	if (in_copy)
		check_without_code(handle);
	PG_RETURN_INT64(idgen_compose(handle, &call, value));
}

/*
 * The next id. The hot path draws only ids of layout plain, so it composes
 * none.
 */
static pg_attribute_always_inline Datum
next_id(IdgenHandle *handle, const IdgenSource *asked, bool in_copy)
{
	int64 value;

	if (likely(idgen_draw_fast(handle, asked, &value)))
		PG_RETURN_INT64(value);
	return next_id_slow(handle, asked, in_copy);
}

/* idgen_next(name text) returns bigint */
Datum
idgen_next(PG_FUNCTION_ARGS)
{
	return next_id(idgen_call_site(fcinfo, 1)->handle, NULL, false);
}

/*
 * idgen_next(name text, source text) returns bigint. Raises 22023 for an
 * unknown source, and for another source than that of the row.
 */
Datum
idgen_next_from(PG_FUNCTION_ARGS)
{
	IdgenCallSite *site = idgen_call_site(fcinfo, 1);

	return next_id(site->handle, site->asked, false);
}

/*
 * idgen_next_big(name text [, source text]) returns numeric: the next id, plus
 * big_base
 */
Datum
idgen_next_big(PG_FUNCTION_ARGS)
{
	IdgenCallSite *site = idgen_call_site(fcinfo, 1);
	IdgenHandle *handle = site->handle;
	int64 value;
	int prefix = 0;

	if (!idgen_draw_fast(handle, site->asked, &value))
	{
		IdgenCall call = {
			.function = "idgen_next_big()",
			.asked = site->asked,
			.form = IDGEN_FORM_NUMERIC,
			.count = 1,
		};

		handle = idgen_draw_one(handle, &call, &value);
		prefix = call.prefix;
	}
	PG_RETURN_NUMERIC(idgen_layout_compose_big(handle->found.row.layout, prefix, value, handle->found.row.big_base));
}

/*
 * idgen_next_in_copy(name text, internal) returns bigint: what the planner puts
 * in place of idgen_next(name) in defaults of COPY, see hooks.c
 */
Datum
idgen_next_in_copy(PG_FUNCTION_ARGS)
{
	return next_id(idgen_call_site(fcinfo, 2)->handle, NULL, true);
}

/*
 * idgen_next_range(name text, n bigint [, source text],
 *					OUT first_id bigint, OUT last_id bigint)
 *
 * n consecutive ids. In a descending sequence, the first is the greatest.
 * Raises 22023 unless n is 1 to 2^62.
 */
Datum
idgen_next_range(PG_FUNCTION_ARGS)
{
	IdgenCallSite *site = idgen_call_site(fcinfo, 2);
	IdgenCall call = {
		.function = "idgen_next_range()",
		.asked = site->asked,
		.form = IDGEN_FORM_RANGE,
		.count = PG_GETARG_INT64(1),
	};
	IdgenHandle *drawn;
	IdgenBlock ids;
	Datum values[2];
	bool nulls[2] = {false, false};

	if (call.count < 1 || call.count > IDGEN_RANGE_MAX)
		ereport(ERROR,
		        (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
		         errmsg("n must be between 1 and %lld", (long long) IDGEN_RANGE_MAX)));
	drawn = idgen_draw_slow(site->handle, &call, &ids);
	values[0] = Int64GetDatum(idgen_compose(drawn, &call, ids.next));
	values[1] = Int64GetDatum(idgen_compose(drawn, &call, idgen_block_last(&ids)));
	return idgen_result_row(fcinfo, &site->desc, values, nulls);
}

/*
 * idgen_last(name text) returns bigint
 *
 * The id that this session drew last, also of a native sequence that has no
 * row; of a range, the last one. As with currval(), a rollback does not change
 * the answer, nor does a change of layout. Raises 55000 if there is none; 2200H
 * if idgen_next_big() drew the id and it does not fit a bigint; and 25000,
 * 42501 or 42704 where drawing does.
 */
Datum
idgen_last(PG_FUNCTION_ARGS)
{
	IdgenHandle *handle = idgen_call_site(fcinfo, 1)->handle;
	IdgenCall call = {.function = "idgen_last()"};

	PreventCommandIfParallelMode(call.function);
	if (handle->last.layout != NULL && !handle->last.had_row)
	{
		call.asked = &idgen_source_sequence;
		call.asked_without_row = true;
	}
	idgen_handle_validate(handle, &call);
	if (handle->last.layout == NULL || handle->last.object != handle->found.object)
		ereport(ERROR,
		        (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
		         errmsg("no id of id sequence \"%s\" has been drawn in this session yet",
		                handle->name),
		         errhint("Read the id by RETURNING from the statement that draws it: behind a pooler, the next one may run in another session.")));
	idgen_layout_check(handle->last.layout, handle->relid, handle->name, handle->last.value);
	PG_RETURN_INT64(idgen_layout_compose(handle->last.layout, handle->last.prefix, handle->last.value));
}

/* idgen_peek(name text) returns bigint: the next id, not drawn */
Datum
idgen_peek(PG_FUNCTION_ARGS)
{
	IdgenCall call = {.function = "idgen_peek()"};
	int64 value;
	const IdgenHandle *seen = idgen_peek_next(idgen_call_site(fcinfo, 1)->handle, &call, &value);

	PG_RETURN_INT64(idgen_compose(seen, &call, value));
}
