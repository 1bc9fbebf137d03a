/*
 * format.c
 *		Formats: how an id is written as text, and read back.
 *
 * A format is literal text with fields in braces:
 *
 * {id}                  the number, in decimal digits
 * {id:6}                with zeros in front, if it has less than 6 digits
 * {id:base32}           in another base, see digits.c
 * {id:base32:13}        both
 * {YYYY} {YY} {MM} {DD} year, month, and day
 * {luhn}                a check digit of all decimal digits in front of it
 * {mod97}               two check digits of all digits and letters behind it,
 *                       followed by all in front of it, as in an IBAN
 *
 * A brace that is text is doubled. There is one number, and at most one field
 * of check digits. So all but the number has the same length in each text id,
 * and the number is what is left between: a reader cannot mistake it, whatever
 * stands around it. (To have numbers of variable length end where the next
 * literal begins was turned down: some formats could not be read back then.)
 *
 * A number below zero has its sign in front of its digits, zeros included. What
 * check digits say of the sign is nothing.
 *
 * Check digits are those of the characters that stand there, so the standards'
 * own examples hold. Luhn counts decimal digits only, so the number must be in
 * base 10. Bases 58 and 62 tell capitals from small letters, and no standard
 * does: so they have no check digits.
 *
 * A text is a text id of a format if that writes it, for some number and day.
 * It may differ in the case of digits that have none, and in what else base 32
 * lets its readers do. So to read one is to take the number and the day from
 * their places, to write them, and to compare all but the number: literal text,
 * date fields that occur twice, and check digits.
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

static inline uint64
magnitude(int64 id)
{
	return id < 0 ? 0 - (uint64) id : (uint64) id;
}

/* The most bytes that a text id has. */
int
idgen_format_room(const IdgenFormat *format)
{
	return format->before + 1 + Max(format->width, IDGEN_DIGITS_MAX) + format->behind;
}

/* Write the last two decimal digits of a number. */
static inline void
write_two(char *to, int number)
{
	to[0] = '0' + number / 10 % 10;
	to[1] = '0' + number % 10;
}

/* Write a date field. */
void
idgen_format_write_date(IdgenFieldKind kind, const IdgenDay *day, char *to)
{
	if (kind == IDGEN_FIELD_YEAR)
	{
		write_two(to, day->year / 100);
		to += 2;
	}
	write_two(to, kind == IDGEN_FIELD_MONTH ? day->month : kind == IDGEN_FIELD_DAY ? day->day
	                                                                               : day->year);
}

/*
 * Write an id as text, into room of idgen_format_room() bytes. Returns how many
 * bytes it took; no zero byte follows them. The day may be NULL if the
 * format does not show it.
 */
int
idgen_format_write(const IdgenFormat *format, int64 id, const IdgenDay *day, char *to)
{
	const char *source = idgen_format_source(format);
	char *luhn = NULL;
	char *mod97 = NULL;
	char *at = to;

	for (const IdgenField *field = format->fields; field < format->fields + format->nfields; field++)
	{
		switch (field->kind)
		{
			case IDGEN_FIELD_LITERAL:
				memcpy(at, source + field->start, field->length);
				break;
			case IDGEN_FIELD_ID:
				if (id < 0)
					*at++ = '-';
				at += idgen_digits_write(at, magnitude(id), format->base, format->width);
				break;
			case IDGEN_FIELD_YEAR:
			case IDGEN_FIELD_YEAR_OF_CENTURY:
			case IDGEN_FIELD_MONTH:
			case IDGEN_FIELD_DAY:
				idgen_format_write_date(field->kind, day, at);
				break;
			case IDGEN_FIELD_LUHN:
				luhn = at;
				break;
			case IDGEN_FIELD_MOD97:
				mod97 = at;
				break;
		}
		at += field->length;
	}
	if (luhn != NULL)
		*luhn = idgen_luhn(to, luhn - to);
	if (mod97 != NULL)
		idgen_mod97_write(to, at - to, mod97);
	return at - to;
}

/*
 * Set *id to the number of a text id, of which that many bytes are digits. If
 * it is none, *problem says why.
 */
static IdgenReading
read_number(const IdgenFormat *format, const char *number, int length, int64 *id, char **problem)
{
	bool negative = length > 0 && *number == '-';
	char digits[IDGEN_FORMAT_WIDTH_MAX + IDGEN_DIGITS_MAX];
	uint64 magnitude;
	int ndigits;
	IdgenDigits found = idgen_digits_read(number + negative, length - negative, format->base, &magnitude, &ndigits);

	if (found == IDGEN_DIGITS_TOO_GREAT || (found == IDGEN_DIGITS_NUMBER && magnitude > (uint64) PG_INT64_MAX + negative))
		return IDGEN_READING_TOO_GREAT;
	*problem = NULL;
	if (found == IDGEN_DIGITS_OTHER || (negative && magnitude == 0))
		*problem = psprintf("It has no number in base %d where the format has it.", format->base);
	else if (ndigits != idgen_digits_write(digits, magnitude, format->base, format->width))
		*problem = psprintf("Its number has too many zeros in front, or too few.");
	*id = negative ? (int64) (0 - magnitude) : (int64) magnitude;
	return *problem != NULL ? IDGEN_READING_OTHER : IDGEN_READING_ID;
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
 * leap year. False if there is no such day.
 */
static bool
read_day(const IdgenFormat *format, const char *text, int length, IdgenDay *day)
{
	bool has_year = false;
	int offset = 0;

	*day = (IdgenDay){YEARS_BEFORE, 1, 1};
	for (int i = 0; i < format->nfields; i++)
	{
		const IdgenField *field = &format->fields[i];
		int value = read_date_field(text + offset, field->length);

		if (field->kind == IDGEN_FIELD_YEAR)
			day->year = value;
		else if (field->kind == IDGEN_FIELD_YEAR_OF_CENTURY && !has_year)
			day->year = value < 0 ? value : YEARS_BEFORE + value;
		else if (field->kind == IDGEN_FIELD_MONTH)
			day->month = value;
		else if (field->kind == IDGEN_FIELD_DAY)
			day->day = value;
		has_year = has_year || field->kind == IDGEN_FIELD_YEAR;
		offset = field->kind == IDGEN_FIELD_ID ? length - format->behind : offset + field->length;
	}
	return day->year >= 1 && day->month >= 1 && day->month <= MONTHS_PER_YEAR && day->day >= 1 &&
		day->day <= day_tab[isleap(day->year)][day->month - 1];
}

/*
 * Read a text, which need not end with a zero byte. Sets *id if it is a text id
 * of that format; otherwise *problem, to a sentence that says why it is none.
 */
IdgenReading
idgen_format_read(const IdgenFormat *format, const char *text, int length, int64 *id, char **problem)
{
	int number_length = length - format->before - format->behind;
	IdgenReading reading;
	IdgenDay day;
	char *written;
	int written_length;

	if (number_length <= 0 || number_length > NUMBER_MAX)
	{
		*problem = pstrdup(number_length <= 0 ? "It is too short." : "It is too long.");
		return IDGEN_READING_OTHER;
	}
	reading = read_number(format, text + format->before, number_length, id, problem);
	if (reading != IDGEN_READING_ID)
		return reading;
	if (!read_day(format, text, length, &day))
	{
		*problem = pstrdup("It shows a day that does not exist.");
		return IDGEN_READING_OTHER;
	}
	written = palloc(idgen_format_room(format));
	written_length = idgen_format_write(format, *id, &day, written);
	if (memcmp(text, written, format->before) != 0 ||
	    memcmp(text + length - format->behind, written + written_length - format->behind, format->behind) != 0)
	{
		*problem = psprintf("The format writes number " INT64_FORMAT " otherwise.", *id);
		reading = IDGEN_READING_OTHER;
	}
	pfree(written);
	return reading;
}
