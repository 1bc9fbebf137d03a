/*
 * sql_api.c
 *		The SQL functions that draw ids, and those for text ids: arguments in,
 *		Datum out.
 */
#include "postgres.h"

#include "access/xact.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "utils/date.h"

#include "catalog/table.h"
#include "common/compat.h"
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
PG_FUNCTION_INFO_V1(idgen_next_text);
PG_FUNCTION_INFO_V1(idgen_text_value);
PG_FUNCTION_INFO_V1(idgen_text_digits);

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

/*
 * Text ids: the id that idgen_next() would return, written as column "format"
 * says. So big_base has no part in it. To write an id that was drawn cannot
 * fail any more.
 */

/* These functions have no argument that names a source. */
#define NO_SOURCE_ARG FUNC_MAX_ARGS

/* An id without a format. */
static pg_noinline Datum
plain_digits(int64 id)
{
	char digits[MAXINT8LEN + 1];

	PG_RETURN_TEXT_P(cstring_to_text_with_len(digits, pg_lltoa(id, digits)));
}

/*
 * The day in that time zone when the transaction began, as CURRENT_DATE says it
 * there. It is looked for each quarter of an hour.
 */
static const IdgenDay *
today(pg_tz *zone)
{
	static struct
	{
		pg_tz *zone;
		TimestampTz from;
		TimestampTz until;
		IdgenDay day;
	} known;
	TimestampTz now = GetCurrentTransactionStartTimestamp();

	if (zone != known.zone || now < known.from || now >= known.until)
	{
		known.zone = NULL;
		known.day = idgen_day_at(now, zone, &known.until);
		known.from = now;
		known.zone = zone;
	}
	return &known.day;
}

/*
 * idgen_next_text(name text [, at date]) returns text
 *
 * Draw the next id, and write it as the row says. The date is that day, or
 * today; it also says which period is drawn from. Raises 22008 for a year that
 * the date fields cannot show.
 */
Datum
idgen_next_text(PG_FUNCTION_ARGS)
{
	IdgenHandle *handle = idgen_call_site(fcinfo, NO_SOURCE_ARG)->handle;
	IdgenDay at;
	const IdgenDay *day = NULL;
	int64 id;
	const IdgenFormat *format;
	text *result;

	if (PG_NARGS() > 1)
	{
		at = idgen_day_of(PG_GETARG_DATEADT(1));
		day = &at;
	}
	if (unlikely(!idgen_draw_fast(handle, NULL, &id)))
	{
		IdgenCall call = {.function = "idgen_next_text()", .count = 1, .at = day};

		handle = idgen_draw_one(handle, &call, &id);
		id = idgen_compose(handle, &call, id);
	}
	format = handle->found.format;
	if (format == NULL)
		return plain_digits(id);
	if (format->shows != 0 && day == NULL)
		day = today(idgen_handle_zone(handle));
	result = palloc(VARHDRSZ + idgen_format_room(format));
	SET_VARSIZE(result, VARHDRSZ + idgen_format_write(format, id, day, VARDATA(result)));
	PG_RETURN_TEXT_P(result);
}

/*
 * The number of a text id, which need not end with a zero byte. The name is
 * that of the id sequence. Raises 22P02 if it is none, and 22003 if its number
 * is no bigint.
 */
int64
idgen_read_text_id(const IdgenFormat *format, const char *name, const char *text_id, int length)
{
	int64 value;
	IdgenReading reading = idgen_format_read(format, text_id, length, &value);

	if (reading == IDGEN_READING_TOO_GREAT)
		ereport(ERROR,
		        (errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
		         errmsg("number of \"%.*s\" is out of range for type bigint", length, text_id)));
	if (reading != IDGEN_READING_ID)
		ereport(ERROR,
		        (errcode(ERRCODE_INVALID_TEXT_REPRESENTATION),
		         errmsg("\"%.*s\" is not a text id of id sequence \"%s\"", length, text_id, name),
		         reading == IDGEN_READING_OTHERWISE ? errdetail("The format writes number %lld otherwise.", (long long) value) : 0,
		         errhint("Its format is \"%s\".", idgen_format_source(format))));
	return value;
}

/*
 * idgen_text_value(name text, text_id text) returns bigint
 *
 * The id that idgen_next() would have returned, had it drawn what was drawn for
 * a text id. Raises 22P02 if it is none, 22003 if its number is no bigint, and
 * 42501 or 42704 where drawing does.
 */
Datum
idgen_text_value(PG_FUNCTION_ARGS)
{
	IdgenHandle *handle = idgen_call_site(fcinfo, NO_SOURCE_ARG)->handle;
	IdgenCall call = {.function = "idgen_text_value()", .missing_row = IDGEN_MISSING_ROW_SHOWN};
	const text *id = PG_GETARG_TEXT_PP(1);
	const IdgenFormat *format;

	idgen_handle_validate(handle, &call);
	format = handle->found.format != NULL ? handle->found.format : idgen_format_parse(IDGEN_FORMAT_PLAIN);
	PG_RETURN_INT64(idgen_read_text_id(format, handle->name, VARDATA_ANY(id), VARSIZE_ANY_EXHDR(id)));
}

/*
 * idgen_text_digits(format text, length integer) returns record: how many
 * digits of which base a text id of that length has. Raises 22023 for an
 * invalid format.
 */
Datum
idgen_text_digits(PG_FUNCTION_ARGS)
{
	IdgenFormat *format = idgen_format_parse(text_to_cstring(PG_GETARG_TEXT_PP(0)));
	const char *source = idgen_format_source(format);
	int digits = PG_GETARG_INT32(1);
	IdgenViewLine line = {.n = 0};

	for (int i = 0; i < format->nfields; i++)
	{
		const IdgenField *field = &format->fields[i];

		digits -= field->kind == IDGEN_FIELD_LITERAL ? pg_mbstrlen_with_len(source + field->start, field->length)
													 : field->length;
	}
	idgen_view_add(&line, Int32GetDatum(digits < Max(format->width, 1) ? 0 : digits));
	idgen_view_add(&line, Int32GetDatum(format->base));
	return idgen_view_row(fcinfo, &line);
}
