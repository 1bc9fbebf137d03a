/*
 * digits.c
 *		Numbers written with the digits of several bases.
 *
 * Bases 10, 16, 36 and 62 take the first digits of 0-9, A-Z, a-z. The others
 * leave out letters that look like other ones:
 *
 * - Base 32 is Douglas Crockford's (https://www.crockford.com/base32.html), who
 *   has readers take O for 0, I and L for 1, and pass over hyphens.
 * - Base 58 is that of Bitcoin addresses, by Satoshi Nakamoto
 *   (draft-msporny-base58).
 *
 * Up to base 36, digits are capitals, and are read in any case.
 */
#include "postgres.h"

#include "text/digits.h"

#define DIGITS_62 "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
#define DIGITS_32 "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
#define DIGITS_58 "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"

/* The digits of a base, NULL if there is no such base. */
static const char *
digits_of(int base)
{
	switch (base)
	{
		case 10:
		case 16:
		case 36:
		case 62:
			return DIGITS_62;
		case 32:
			return DIGITS_32;
		case 58:
			return DIGITS_58;
		default:
			return NULL;
	}
}

bool
idgen_base_exists(int base)
{
	return digits_of(base) != NULL;
}

/* Are capitals other digits than small letters? */
bool
idgen_base_has_case(int base)
{
	return base > 36;
}

/*
 * Write a number so that it ends before "end". Returns where it begins. The
 * base is a constant where this is inlined: then the compiler divides by it
 * with a multiplication, which takes a fraction of the time.
 */
static pg_attribute_always_inline char *
write_before(char *end, uint64 number, int base, const char *digits)
{
	do
	{
		*--end = digits[number % base];
		number /= base;
	} while (number > 0);
	return end;
}

/*
 * Write a number with as many digits as it needs, at most IDGEN_DIGITS_MAX, and
 * with at least that many. Returns how many there are; no zero byte follows
 * them.
 */
int
idgen_digits_write(char *to, uint64 number, int base, int least)
{
	char buffer[IDGEN_DIGITS_MAX];
	char *end = buffer + IDGEN_DIGITS_MAX;
	char *start;
	int ndigits;
	int zeros;

	switch (base)
	{
		case 16:
			start = write_before(end, number, 16, DIGITS_62);
			break;
		case 32:
			start = write_before(end, number, 32, DIGITS_32);
			break;
		case 36:
			start = write_before(end, number, 36, DIGITS_62);
			break;
		case 58:
			start = write_before(end, number, 58, DIGITS_58);
			break;
		case 62:
			start = write_before(end, number, 62, DIGITS_62);
			break;
		default:
			start = write_before(end, number, 10, DIGITS_62);
			break;
	}
	ndigits = end - start;
	zeros = Max(least - ndigits, 0);
	memset(to, digits_of(base)[0], zeros);
	memcpy(to + zeros, start, ndigits);
	return zeros + ndigits;
}

/* The value of a character as a digit; negative if it is none. */
static int
digit_value(char c, int base)
{
	const char *digits = digits_of(base);
	const char *found;

	if (!idgen_base_has_case(base))
		c = pg_ascii_toupper((unsigned char) c);
	if (base == 32 && c == 'O')
		c = '0';
	if (base == 32 && (c == 'I' || c == 'L'))
		c = '1';
	found = memchr(digits, c, base);
	return found != NULL ? (int) (found - digits) : -1;
}

/*
 * Read a number. With IDGEN_DIGITS_NUMBER, *number is set, and *ndigits to how
 * many digits there are, zeros in front included. No sign may be there.
 */
IdgenDigits
idgen_digits_read(const char *text, int length, int base, uint64 *number, int *ndigits)
{
	bool too_great = false;

	*number = 0;
	*ndigits = 0;
	for (int i = 0; i < length; i++)
	{
		int value = digit_value(text[i], base);

		if (base == 32 && text[i] == '-' && i > 0 && i < length - 1)
			continue;
		if (value < 0)
			return IDGEN_DIGITS_OTHER;
		(*ndigits)++;
		if (*number > (PG_UINT64_MAX - value) / base)
			too_great = true;
		else
			*number = *number * base + value;
	}
	if (*ndigits == 0)
		return IDGEN_DIGITS_OTHER;
	return too_great ? IDGEN_DIGITS_TOO_GREAT : IDGEN_DIGITS_NUMBER;
}
