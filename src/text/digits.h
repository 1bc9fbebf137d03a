/*
 * digits.h
 *		Numbers written with the digits of several bases, and check digits.
 */
#ifndef IDGEN_DIGITS_H
#define IDGEN_DIGITS_H

/* The most digits that a number has, in base 10: 2^63 has 19. */
#define IDGEN_DIGITS_MAX 20

/* What a text was found to be. */
typedef enum IdgenReading
{
	IDGEN_READING_ID,        /* a number, or a text id */
	IDGEN_READING_OTHER,     /* none */
	IDGEN_READING_OTHERWISE, /* none, but there is one of that number */
	IDGEN_READING_TOO_GREAT, /* its number is no bigint */
} IdgenReading;

extern bool idgen_base_exists(int base);
extern bool idgen_base_has_case(int base);
extern int idgen_digits_write(char *to, int64 signed_number, int base, int least);
extern IdgenReading idgen_digits_read(const char *text, int length, int base,
                                      int64 *number, int *counted);
extern char idgen_luhn(const char *text, int length);
extern void idgen_mod97_write(const char *text, int length, char *check);

#endif /* IDGEN_DIGITS_H */
