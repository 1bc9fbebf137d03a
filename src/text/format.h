/*
 * format.h
 *		Formats: how an id is written as text, and read back.
 *
 * format.c says what a format may be.
 */
#ifndef IDGEN_FORMAT_H
#define IDGEN_FORMAT_H

#include "common/period.h"
#include "text/digits.h"

/* The format of ids that are written as plain digits. */
#define IDGEN_FORMAT_PLAIN "{id}"

/* The characters that a format has at most. */
#define IDGEN_FORMAT_CHARACTERS 255

/* The digits that a number can be padded to. */
#define IDGEN_FORMAT_WIDTH_MAX 64

typedef enum IdgenFieldKind
{
	IDGEN_FIELD_LITERAL,
	IDGEN_FIELD_ID,
	IDGEN_FIELD_DATE, /* decided_by says what of it */
	IDGEN_FIELD_LUHN,
	IDGEN_FIELD_MOD97,
} IdgenFieldKind;

/* A part of a format. */
typedef struct IdgenField
{
	IdgenFieldKind kind;
	IdgenPeriod decided_by; /* the longest period in all of which a date field
	                         * is the same; IDGEN_PERIOD_NONE for others */
	uint16 start;           /* of the field in the format, or of a literal's text */
	uint16 length;          /* bytes that it takes in a text id; 0 for the number, whose
	                * length varies */
} IdgenField;

/*
 * A format that was parsed. It is one piece of memory, without pointers, so it
 * can be copied. Nobody changes it.
 */
typedef struct IdgenFormat
{
	int size;   /* bytes of the whole */
	int base;   /* of the number */
	int width;  /* digits that the number has at least */
	int before; /* bytes of a text id in front of the number */
	int behind; /* and behind it */
	int shows;  /* of a date: 1 << IdgenPeriod for each that decides a field */
	int nfields;
	IdgenField fields[FLEXIBLE_ARRAY_MEMBER]; /* behind these, the format as it was
	                                           * given, zero-terminated */
} IdgenFormat;

/* The format as it was given. */
static inline const char *
idgen_format_source(const IdgenFormat *format)
{
	return (const char *) &format->fields[format->nfields];
}

extern IdgenFormat *idgen_format_parse(const char *source);
extern bool idgen_format_tells_apart(const IdgenFormat *format, IdgenPeriod period);
extern char *idgen_format_within(const char *source, IdgenPeriod period, const IdgenDay *day);
extern int idgen_format_room(const IdgenFormat *format);
extern int idgen_format_write(const IdgenFormat *format, int64 id, const IdgenDay *day, char *to);
extern bool idgen_format_read_day(const IdgenFormat *format, const char *text, int length, IdgenDay *day);
extern IdgenReading idgen_format_read(const IdgenFormat *format, const char *text, int length,
                                      int64 *id);

#endif /* IDGEN_FORMAT_H */
