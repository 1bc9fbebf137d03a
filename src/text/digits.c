/*
 * digits.c
 *		Numbers written with the digits of several bases, and check digits.
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
 *
 * Check digits show that somebody has mistyped a number. Where these come from,
 * and what they notice for sure:
 *
 * - Luhn: ISO/IEC 7812-1, annex B; H. P. Luhn, US patent 2,950,048. Each single
 *   digit that is wrong, and two adjacent ones that have changed places, but
 *   for 0 and 9.
 * - MOD 97-10: ISO/IEC 7064. Both without an exception, if all are digits, and
 *   96 of 97 other mistakes. A letter counts as two digits, A as 10 and Z as
 *   35, in any case: so it does in ISO 13616 (IBAN) and ISO 11649 (creditor
 *   references). Nobody can tell B1 from 1B then: both count as 111.
 *
 * Both pass over characters that they do not count.
 */
#include "postgres.h"

#include "utils/builtins.h"

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
 * Write a number with as many digits as it needs, and with at least that many.
 * Returns the number of bytes, at most 1 + Max(IDGEN_DIGITS_MAX, least); no
 * zero byte follows them. The server has a fast way for base 10.
 */
int
idgen_digits_write(char *to, int64 signed_number, int base, int least)
{
	uint64 number = signed_number < 0 ? 0 - (uint64) signed_number : (uint64) signed_number;
	const char *digits = digits_of(base);
	char buffer[IDGEN_DIGITS_MAX];
	char *start = buffer;
	int sign = signed_number < 0 ? 1 : 0;
	int ndigits;
	int zeros;

	if (base == 10)
		ndigits = pg_ulltoa_n(number, buffer);
	else
	{
		start = buffer + IDGEN_DIGITS_MAX;
		do
		{
			*--start = digits[number % base];
			number /= base;
		} while (number > 0);
		ndigits = buffer + IDGEN_DIGITS_MAX - start;
	}
	zeros = Max(least - ndigits, 0);
	*to = '-'; /* a digit takes its place if there is no sign */
	memset(to + sign, digits[0], zeros);
	memcpy(to + sign + zeros, start, ndigits);
	return sign + zeros + ndigits;
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
 * Read a number. With IDGEN_READING_ID, *number is set, and *counted to the
 * bytes of its sign and its digits: what is passed over does not count.
 */
IdgenReading
idgen_digits_read(const char *text, int length, int base, int64 *number, int *counted)
{
	int sign = length > 0 && *text == '-' ? 1 : 0;
	uint64 magnitude = 0;
	bool too_great = false;

	*counted = sign;
	for (int i = sign; i < length; i++)
	{
		int value = digit_value(text[i], base);

		if (base == 32 && text[i] == '-' && i > sign && i < length - 1)
			continue;
		if (value < 0)
			return IDGEN_READING_OTHER;
		(*counted)++;
		if (magnitude > ((uint64) PG_INT64_MAX + sign - value) / base)
			too_great = true;
		else
			magnitude = magnitude * base + value;
	}
	if (too_great)
		return IDGEN_READING_TOO_GREAT;
	*number = sign ? (int64) (0 - magnitude) : (int64) magnitude;
	return *counted == sign || (sign && magnitude == 0) ? IDGEN_READING_OTHER : IDGEN_READING_ID;
}

static inline bool
is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* The check digit that follows the digits of a text, by Luhn. */
char
idgen_luhn(const char *text, int length)
{
	static const int doubled[] = {0, 2, 4, 6, 8, 1, 3, 5, 7, 9}; /* sum of the digits */
	bool twice = true;
	int sum = 0;

	for (int i = length - 1; i >= 0; i--)
	{
		if (!is_digit(text[i]))
			continue;
		sum += twice ? doubled[text[i] - '0'] : text[i] - '0';
		twice = !twice;
	}
	return '0' + (10 - sum % 10) % 10;
}

/*
 * Append the digits and letters of a text to a number, modulo 97. It is divided
 * only before it could become too great.
 */
static uint64
mod97_add(uint64 number, const char *text, int length)
{
	for (int i = 0; i < length; i++)
	{
		char c = pg_ascii_toupper((unsigned char) text[i]);

		if (number > PG_UINT64_MAX / 100 - 1)
			number %= 97;
		if (is_digit(c))
			number = number * 10 + (c - '0');
		else if (c >= 'A' && c <= 'Z')
			number = number * 100 + (c - 'A' + 10);
	}
	return number;
}

/*
 * Write two check digits into a text, by MOD 97-10, of what stands behind them,
 * followed by what stands in front of them.
 */
void
idgen_mod97_write(const char *text, int length, char *check)
{
	const char *behind = check + 2;
	uint64 number = mod97_add(mod97_add(0, behind, text + length - behind), text, check - text);
	int value = 98 - (int) (number % 97 * 100 % 97);

	check[0] = '0' + value / 10;
	check[1] = '0' + value % 10;
}
