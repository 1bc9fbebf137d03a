/*
 * check_digits.h
 *		Check digits: they show that somebody has mistyped a number.
 */
#ifndef IDGEN_CHECK_DIGITS_H
#define IDGEN_CHECK_DIGITS_H

/* A number modulo 97, of which ISO 7064 appends the characters one by one. */
typedef uint64 IdgenMod97;

extern char idgen_luhn(const char *text, int length);
extern char idgen_verhoeff(const char *text, int length);
extern IdgenMod97 idgen_mod97_add(IdgenMod97 number, const char *text, int length);
extern void idgen_mod97_end(IdgenMod97 number, char *check);

#endif /* IDGEN_CHECK_DIGITS_H */
