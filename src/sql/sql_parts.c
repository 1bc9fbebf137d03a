/*
 * sql_parts.c
 *		The SQL functions that take composed ids apart.
 */
#include "postgres.h"

#include "fmgr.h"
#include "utils/builtins.h"

#include "catalog/definition.h"
#include "sql/sql_support.h"

PG_FUNCTION_INFO_V1(idgen_parts);
PG_FUNCTION_INFO_V1(idgen_parts_big);

/*
 * The row (node, channel, session, sequence_value), with null for what the
 * layout does not have.
 */
static Datum
parts_row(FunctionCallInfo fcinfo, const IdgenLayout *layout, const IdgenPrefix *prefix, Datum value)
{
	bool plain = layout == &idgen_layout_plain;
	Datum values[] = {
		Int32GetDatum(prefix->node),
		Int32GetDatum(prefix->channel),
		Int32GetDatum(prefix->session),
		value,
	};
	bool nulls[] = {plain, !layout->has_channel, plain, false};

	return idgen_result_row(fcinfo, (TupleDesc *) &fcinfo->flinfo->fn_extra, values, nulls);
}

/*
 * idgen_parts(id bigint, layout text, OUT node integer, OUT channel integer,
 *			   OUT session integer, OUT sequence_value bigint)
 *
 * Raises 22003 for an id that is not of that layout, 22023 for an unknown
 * layout.
 */
Datum
idgen_parts(PG_FUNCTION_ARGS)
{
	const IdgenLayout *layout = idgen_check_layout(text_to_cstring(PG_GETARG_TEXT_PP(1)));
	int64 value = PG_GETARG_INT64(0);
	IdgenPrefix prefix = {0};

	if (layout != &idgen_layout_plain)
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
	const IdgenLayout *layout = idgen_check_layout(text_to_cstring(PG_GETARG_TEXT_PP(1)));
	Numeric value = PG_GETARG_NUMERIC(0);
	IdgenPrefix prefix = {0};

	if (layout != &idgen_layout_plain)
		idgen_layout_parse_big(layout, value, &prefix, &value);
	return parts_row(fcinfo, layout, &prefix, NumericGetDatum(value));
}
