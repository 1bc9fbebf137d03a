/*
 * format_read.c
 *		Formats: reading the number of a text id.
 *
 * A text is a text id of a format if that writes it, for some number and day.
 * It may differ in the case of digits that have none, and in what else base 32
 * lets its readers do. All but the number has a fixed length, so the number is
 * what is left between.
 *
 * First, the number and the day are read. Then they are written once more, and
 * all but the number must be the same: so also date fields that occur twice,
 * and check digits.
 */
#include "postgres.h"

#include "datatype/timestamp.h"
#include "mb/pg_wchar.h"
#include "pgtime.h"
#include "utils/datetime.h"

#include "text/digits.h"
#include "text/format.h"

/* {YY} counts from here, where nothing else says the century. */
#define YEARS_BEFORE 2000

/* The most bytes of a number: each second one may be a sign or a hyphen. */
#define NUMBER_MAX (2 * IDGEN_FORMAT_WIDTH_MAX)

/* A text while it is read. */
typedef struct Reader
{
	const IdgenFormat *format;
	const char *text;
	int length;
	char *problem; /* as of idgen_format_read() */
	int64 id;
	IdgenDay day;
} Reader;

/* The text is no text id of the format, for that reason. */
static IdgenReading
other(Reader *reader, char *problem)
{
	reader->problem = problem;
	return IDGEN_READING_OTHER;
}

/* The number of the character that a byte of the text belongs to, from 1. */
static int
position_of(const Reader *reader, int offset)
{
	int whole = pg_mbcliplen(reader->text, reader->length, offset); /* not a part of one */

	return pg_mbstrlen_with_len(reader->text, whole) + 1;
}

/* A field as the format has it, or the text of a literal. */
static char *
describe_field(const IdgenFormat *format, const IdgenField *field)
{
	const char *start = idgen_format_source(format) + field->start;

	if (field->kind == IDGEN_FIELD_LITERAL)
		return psprintf("\"%.*s\"", field->length, start);
	return psprintf("%.*s", (int) (strchr(start, '}') + 1 - start), start);
}

/* Has the text another thing than that literal at its beginning, or end? */
static bool
lacks_literal(const Reader *reader, const IdgenField *field, int offset)
{
	return field->kind == IDGEN_FIELD_LITERAL &&
		(reader->length < field->length ||
	     memcmp(reader->text + offset, idgen_format_source(reader->format) + field->start, field->length) != 0);
}

/* Look at what says most of a text that is no id: its ends, and its length. */
static IdgenReading
check_ends(Reader *reader)
{
	const IdgenFormat *format = reader->format;
	const IdgenField *first = &format->fields[0];
	const IdgenField *last = &format->fields[format->nfields - 1];
	int length = reader->length - format->before - format->behind;

	if (lacks_literal(reader, first, 0))
		return other(reader, psprintf("It must begin with %s.", describe_field(format, first)));
	if (lacks_literal(reader, last, reader->length - last->length))
		return other(reader, psprintf("It must end with %s.", describe_field(format, last)));
	if (length <= 0)
		return other(reader, pstrdup("It is too short."));
	if (length > NUMBER_MAX)
		return other(reader, pstrdup("It is too long."));
	return IDGEN_READING_ID;
}

/* Set the number. */
static IdgenReading
read_id(Reader *reader)
{
	const IdgenFormat *format = reader->format;
	const char *number = reader->text + format->before;
	int length = reader->length - format->before - format->behind;
	bool negative = *number == '-';
	char digits[IDGEN_FORMAT_WIDTH_MAX + IDGEN_DIGITS_MAX];
	uint64 magnitude;
	int ndigits;
	IdgenDigits found = idgen_digits_read(number + negative, length - negative, format->base, &magnitude, &ndigits);

	if (found == IDGEN_DIGITS_OTHER || (negative && magnitude == 0))
		return other(reader, psprintf("It must have a number in base %d at position %d.", format->base, position_of(reader, format->before)));
	if (found == IDGEN_DIGITS_TOO_GREAT || magnitude > (uint64) PG_INT64_MAX + negative)
		return IDGEN_READING_TOO_GREAT;
	if (ndigits != idgen_digits_write(digits, magnitude, format->base, format->width))
		return other(reader, format->width <= 1 ? pstrdup("Its number must not begin with zeros.") : psprintf("Its number must have %d digits, or more that do not begin with zeros.", format->width));
	reader->id = negative ? (int64) (0 - magnitude) : (int64) magnitude;
	return IDGEN_READING_ID;
}

/* The number that a date field of the text shows; -1 if it shows none. */
static int
read_date_field(const char *text, int length)
{
	int value = 0;

	for (int i = 0; i < length; i++)
	{
		if (text[i] < '0' || text[i] > '9')
			return -1;
		value = value * 10 + (text[i] - '0');
	}
	return value;
}

/*
 * Set the day, or what is shown of it. The rest is as in the first days of a
 * leap year.
 */
static IdgenReading
read_day(Reader *reader)
{
	const IdgenFormat *format = reader->format;
	bool has_year = false;
	int offset = 0;
	IdgenDay *day = &reader->day;

	*day = (IdgenDay){YEARS_BEFORE, 1, 1};
	for (int i = 0; i < format->nfields; i++)
	{
		const IdgenField *field = &format->fields[i];
		int value = read_date_field(reader->text + offset, field->length);

		if (field->kind == IDGEN_FIELD_YEAR)
			day->year = value;
		else if (field->kind == IDGEN_FIELD_YEAR_OF_CENTURY && !has_year)
			day->year = value < 0 ? value : YEARS_BEFORE + value;
		else if (field->kind == IDGEN_FIELD_MONTH)
			day->month = value;
		else if (field->kind == IDGEN_FIELD_DAY)
			day->day = value;
		has_year = has_year || field->kind == IDGEN_FIELD_YEAR;
		offset = field->kind == IDGEN_FIELD_ID ? reader->length - format->behind : offset + field->length;
	}
	if (day->year < 1 || day->month < 1 || day->month > MONTHS_PER_YEAR || day->day < 1 ||
	    day->day > day_tab[isleap(day->year)][day->month - 1])
		return other(reader, pstrdup("It shows a day that does not exist."));
	return IDGEN_READING_ID;
}

/* All but the number must be what the format writes. */
static IdgenReading
check_fields(Reader *reader)
{
	const IdgenFormat *format = reader->format;
	char *written = palloc(idgen_format_room(format));
	int length = idgen_format_write(format, reader->id, &reader->day, written);
	int offset = 0;
	int written_offset = 0;

	for (int i = 0; i < format->nfields; i++)
	{
		const IdgenField *field = &format->fields[i];

		if (memcmp(reader->text + offset, written + written_offset, field->length) != 0)
		{
			if (field->kind >= IDGEN_FIELD_LUHN)
				return other(reader, psprintf("Its %s wrong.", field->length > 1 ? "check digits are" : "check digit is"));
			return other(reader, psprintf("It must have %s at position %d.", describe_field(format, field), position_of(reader, offset)));
		}
		offset = field->kind == IDGEN_FIELD_ID ? reader->length - format->behind : offset + field->length;
		written_offset = field->kind == IDGEN_FIELD_ID ? length - format->behind : written_offset + field->length;
	}
	pfree(written);
	return IDGEN_READING_ID;
}

/*
 * Read a text, which need not end with a zero byte. Sets *id if it is a text id
 * of that format; otherwise *problem, to a sentence that says why it is none.
 */
IdgenReading
idgen_format_read(const IdgenFormat *format, const char *text, int length, int64 *id, char **problem)
{
	Reader reader = {.format = format, .text = text, .length = length};
	IdgenReading reading = check_ends(&reader);

	if (reading == IDGEN_READING_ID)
		reading = read_id(&reader);
	if (reading == IDGEN_READING_ID)
		reading = read_day(&reader);
	if (reading == IDGEN_READING_ID)
		reading = check_fields(&reader);
	*id = reader.id;
	*problem = reader.problem;
	return reading;
}
