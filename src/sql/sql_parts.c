/*
 * sql_parts.c
 *		The SQL functions that take composed ids apart, and unscramble others.
 */
#include "postgres.h"

#include "catalog/definition.h"
#include "catalog/privileges.h"
#include "catalog/row.h"
#include "catalog/table.h"
#include "common/compat.h"
#include "draw/draw.h"
#include "session/validate.h"
#include "sql/sql_support.h"

PG_FUNCTION_INFO_V1(idgen_parts);
PG_FUNCTION_INFO_V1(idgen_parts_big);
PG_FUNCTION_INFO_V1(idgen_unscramble);

/*
 * The row (node, channel, session, sequence_value), with null for what the
 * layout does not have.
 */
static Datum
parts_row(FunctionCallInfo fcinfo, const IdgenLayout *layout, const IdgenPrefix *prefix, Datum value)
{
	bool plain = !idgen_layout_is_composed(layout);
	IdgenViewLine line = {.n = 0};

	idgen_view_add_unless(plain, &line, Int32GetDatum(prefix->node));
	idgen_view_add_unless(!layout->has_channel, &line, Int32GetDatum(prefix->channel));
	idgen_view_add_unless(plain, &line, Int32GetDatum(prefix->session));
	idgen_view_add(&line, value);
	return idgen_view_row(fcinfo, &line);
}

/*
 * The layout of that name. Raises 22023 for one that is unknown, and 0A000 for
 * one whose ids say nothing without a key.
 */
static const IdgenLayout *
get_layout(FunctionCallInfo fcinfo)
{
	const IdgenLayout *layout = idgen_check_layout(text_to_cstring(PG_GETARG_TEXT_PP(1)));

	if (layout->scrambled)
		ereport(ERROR,
		        (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
		         errmsg("ids of layout \"%s\" have no parts", layout->name),
		         errhint("Use %s().", idgen_function_name(idgen_table_oid(fcinfo->flinfo->fn_oid), "idgen_unscramble"))));
	return layout;
}

/*
 * idgen_parts(id bigint, layout text, OUT node integer, OUT channel integer,
 *			   OUT session integer, OUT sequence_value bigint)
 *
 * Raises 22003 for an id that is not of that layout, 22023 for an unknown
 * layout, 0A000 for a layout that scrambles.
 */
Datum
idgen_parts(PG_FUNCTION_ARGS)
{
	const IdgenLayout *layout = get_layout(fcinfo);
	int64 value = PG_GETARG_INT64(0);
	IdgenPrefix prefix = {0};

	if (idgen_layout_is_composed(layout))
		idgen_layout_parse(layout, value, &prefix, &value);
	return parts_row(fcinfo, layout, &prefix, Int64GetDatum(value));
}

/*
 * idgen_parts(id numeric, layout text, OUT node integer, OUT channel integer,
 *			   OUT session integer, OUT sequence_value numeric)
 *
 * Takes ids of idgen_next_big() apart. Raises what idgen_parts(bigint, text)
 * does.
 */
Datum
idgen_parts_big(PG_FUNCTION_ARGS)
{
	const IdgenLayout *layout = get_layout(fcinfo);
	Numeric value = PG_GETARG_NUMERIC(0);
	IdgenPrefix prefix = {0};

	if (idgen_layout_is_composed(layout))
		idgen_layout_parse_big(layout, value, &prefix, &value);
	return parts_row(fcinfo, layout, &prefix, NumericGetDatum(value));
}

/*
 * Raises 42501 unless the current user may write the row of a handle that is
 * valid. If the row is gone by now, the next call says so.
 */
static void
check_may_write(const IdgenHandle *handle)
{
	IdgenRow row;

	if (idgen_row_open(&row, handle->relid, handle->name))
		idgen_check_may_write(row.rel, row.slot);
	idgen_row_close(&row);
}

/*
 * idgen_unscramble(name text, id bigint) returns bigint
 *
 * The sequence value of an id. Raises 42501 unless the user may write the row,
 * 42704, 22023 if the layout scrambles nothing, 55000 if there is no key, and
 * 22003 for a number that cannot be an id.
 */
Datum
idgen_unscramble(PG_FUNCTION_ARGS)
{
	text *name = PG_GETARG_TEXT_PP(0);
	int64 id = PG_GETARG_INT64(1);
	IdgenHandle *handle = idgen_handle_get(idgen_table_oid(fcinfo->flinfo->fn_oid),
	                                       VARDATA_ANY(name), VARSIZE_ANY_EXHDR(name));
	IdgenCall call = {.function = "idgen_unscramble()"};
	const IdgenFound *found = &handle->found;

	idgen_handle_validate(handle, &call);
	check_may_write(handle);
	if (found->row.period != IDGEN_PERIOD_NONE)
		idgen_refuse_periods(handle, "idgen_unscramble");
	if (!found->row.layout->scrambled)
		ereport(ERROR,
		        (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
		         errmsg("ids of id sequence \"%s\" are not scrambled", handle->name),
		         errdetail("Its layout is \"%s\".", found->row.layout->name)));
	idgen_fit_check_key(handle);
	if (id < found->least_value || id > found->greatest_value)
		ereport(ERROR,
		        (errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
		         errmsg("%lld is not an id of id sequence \"%s\"", (long long) id, handle->name),
		         errdetail("Its ids are between %lld and %lld.",
		                   (long long) found->least_value, (long long) found->greatest_value)));
	id = idgen_scramble_undo(found->scramble, id);
	PG_RETURN_INT64(id);
}
