/*
 * sql_text.c
 *		The SQL functions for text ids: drawing them, and reading them back.
 *
 * A text id is the id that idgen_next() would return, written as column
 * "format" says: so big_base has no part in it. To write an id that was drawn
 * cannot fail any more.
 */
#include "postgres.h"

#include "access/xact.h"
#include "fmgr.h"
#include "utils/builtins.h"
#include "utils/date.h"
#include "mb/pg_wchar.h"

#include "common/compat.h"
#include "draw/draw.h"
#include "session/handle.h"
#include "session/validate.h"
#include "sql/sql_support.h"
#include "text/format.h"

PG_FUNCTION_INFO_V1(idgen_next_text);
PG_FUNCTION_INFO_V1(idgen_text_value);
PG_FUNCTION_INFO_V1(idgen_text_digits);

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
	if (format->shows_date && day == NULL)
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
