/*
 * check_digits.c
 *		Check digits: they show that somebody has mistyped a number.
 *
 * Where these come from, and what they notice for sure:
 *
 * - Luhn: ISO/IEC 7812-1, annex B; H. P. Luhn, US patent 2,950,048. Each single
 *   digit that is wrong, and two adjacent ones that have changed places, but
 *   for 0 and 9.
 * - Verhoeff: J. Verhoeff, Error Detecting Decimal Codes, Mathematical Centre
 *   Tracts 29, Amsterdam 1969. Both without an exception.
 * - MOD 97-10: ISO/IEC 7064. Both without an exception, if all are digits, and
 *   96 of 97 other mistakes. A letter counts as two digits, A as 10 and Z as
 *   35, in any case: so it does in ISO 13616 (IBAN) and ISO 11649 (creditor
 *   references). Nobody can tell B1 from 1B then: both count as 111.
 *
 * All pass over characters that they do not count.
 */
#include "postgres.h"

#include "text/check_digits.h"

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
 * The check digit that follows the digits of a text, by Verhoeff: a product in
 * the group of the symmetries of a pentagon, where the order matters, of digits
 * that are permuted first, each as its place says.
 */
char
idgen_verhoeff(const char *text, int length)
{
	static const uint8 product[10][10] = {
		{0, 1, 2, 3, 4, 5, 6, 7, 8, 9},
		{1, 2, 3, 4, 0, 6, 7, 8, 9, 5},
		{2, 3, 4, 0, 1, 7, 8, 9, 5, 6},
		{3, 4, 0, 1, 2, 8, 9, 5, 6, 7},
		{4, 0, 1, 2, 3, 9, 5, 6, 7, 8},
		{5, 9, 8, 7, 6, 0, 4, 3, 2, 1},
		{6, 5, 9, 8, 7, 1, 0, 4, 3, 2},
		{7, 6, 5, 9, 8, 2, 1, 0, 4, 3},
		{8, 7, 6, 5, 9, 3, 2, 1, 0, 4},
		{9, 8, 7, 6, 5, 4, 3, 2, 1, 0},
	};
	static const uint8 permuted[8][10] = {
		{0, 1, 2, 3, 4, 5, 6, 7, 8, 9},
		{1, 5, 7, 6, 2, 8, 3, 0, 9, 4},
		{5, 8, 0, 3, 7, 9, 6, 1, 4, 2},
		{8, 9, 1, 6, 0, 4, 3, 5, 2, 7},
		{9, 4, 5, 3, 1, 2, 6, 8, 7, 0},
		{4, 2, 8, 6, 5, 7, 3, 9, 0, 1},
		{2, 7, 9, 3, 8, 0, 6, 4, 1, 5},
		{7, 0, 4, 6, 9, 1, 3, 2, 5, 8},
	};
	static const char inverse[] = "0432156789";
	int sum = 0;
	int place = 1; /* the check digit itself has place 0 */

	for (int i = length - 1; i >= 0; i--)
	{
		if (is_digit(text[i]))
			sum = product[sum][permuted[place++ % 8][text[i] - '0']];
	}
	return inverse[sum];
}

/*
 * Append the digits and letters of a text to a number. It begins as 0, and is
 * divided only before it could become too great.
 */
IdgenMod97
idgen_mod97_add(IdgenMod97 number, const char *text, int length)
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

/* Write the two check digits of all that was appended, by MOD 97-10. */
void
idgen_mod97_end(IdgenMod97 number, char *check)
{
	int value = 98 - (int) (number % 97 * 100 % 97);

	check[0] = '0' + value / 10;
	check[1] = '0' + value % 10;
}
