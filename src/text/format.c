/*
 * format.c
 *		Formats: how an id is written as text.
 *
 * A format is literal text with fields in braces:
 *
 * {id}                  the number, in decimal digits
 * {id:6}                with zeros in front, if it has less than 6 digits
 * {id:base32}           in another base, see digits.c
 * {id:base32:13}        both
 * {YYYY} {YY} {MM} {DD} year, month, and day
 * {luhn}                a check digit of all decimal digits in front of it
 * {verhoeff}            another one
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
 * Up to base 36, check digits are those of the characters that stand there, so
 * the standards' own examples hold. Luhn and Verhoeff count decimal digits
 * only, so the number must be in base 10. Bases 58 and 62 tell capitals from
 * small letters, and no standard does: there, {mod97} counts the number with
 * its decimal digits. Each wrong digit, and two adjacent ones that have changed
 * places, are noticed then too: 97 is prime, and divides neither what that
 * changes nor a power of the base.
 */
#include "postgres.h"

#include "text/check_digits.h"
#include "text/digits.h"
#include "text/format.h"

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

/* Append a part of a text id, which has the number as a whole or not at all. */
static IdgenMod97
add_part(IdgenMod97 sum, const char *from, const char *to,
         const char *number, int length, int64 id)
{
	char digits[IDGEN_DIGITS_MAX];

	if (number < from || number >= to)
		return idgen_mod97_add(sum, from, to - from);
	sum = idgen_mod97_add(sum, from, number - from);
	sum = idgen_mod97_add(sum, digits, idgen_digits_write(digits, magnitude(id), 10, 0));
	return idgen_mod97_add(sum, number + length, to - (number + length));
}

/* Write {mod97} into a text id that has all else; see above. */
static void
write_mod97(const IdgenFormat *format, int64 id, const char *start, const char *end, char *check)
{
	const char *number = idgen_base_has_case(format->base) ? start + format->before : NULL;
	int length = end - start - format->before - format->behind;
	IdgenMod97 sum = 0;

	sum = add_part(sum, check + 2, end, number, length, id);
	sum = add_part(sum, start, check, number, length, id);
	idgen_mod97_end(sum, check);
}

/* Write the check digits of that field into a text id that has all else. */
static void
write_check(const IdgenFormat *format, IdgenFieldKind kind, int64 id,
            const char *start, const char *end, char *check)
{
	if (kind == IDGEN_FIELD_LUHN)
		*check = idgen_luhn(start, check - start);
	else if (kind == IDGEN_FIELD_VERHOEFF)
		*check = idgen_verhoeff(start, check - start);
	else
		write_mod97(format, id, start, end, check);
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
	const IdgenField *check_field = NULL;
	char *check = NULL;
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
			case IDGEN_FIELD_MOD97:
			case IDGEN_FIELD_VERHOEFF:
				check_field = field;
				check = at;
				break;
		}
		at += field->length;
	}
	if (check_field != NULL)
		write_check(format, check_field->kind, id, to, at, check);
	return at - to;
}
