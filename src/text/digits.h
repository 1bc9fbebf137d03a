/*
 * digits.h
 *		Numbers written with the digits of several bases, and check digits.
 */
#ifndef IDGEN_DIGITS_H
#define IDGEN_DIGITS_H

/* The most digits that a number has, in base 10: 2^63 has 19. */
#define IDGEN_DIGITS_MAX 20

/* What idgen_digits_read() found. */
typedef enum IdgenDigits
{
	IDGEN_DIGITS_NUMBER,
	IDGEN_DIGITS_OTHER,     /* characters that are no digits, or none at all */
	IDGEN_DIGITS_TOO_GREAT, /* more than 2^64 - 1 */
} IdgenDigits;

extern bool idgen_base_exists(int base);
extern bool idgen_base_has_case(int base);
extern int idgen_digits_write(char *to, uint64 number, int base, int least);
extern IdgenDigits idgen_digits_read(const char *text, int length, int base,
                                     uint64 *number, int *ndigits);
extern char idgen_luhn(const char *text, int length);
extern void idgen_mod97_write(const char *text, int length, char *check);

#endif /* IDGEN_DIGITS_H */
