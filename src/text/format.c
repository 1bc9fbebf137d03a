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

#include "lib/stringinfo.h"
#include "mb/pg_wchar.h"

#include "common/compat.h"
#include "text/digits.h"
#include "text/format.h"

#define ID_BASE_DEFAULT 10

/* {YY} counts from here, where nothing else says the century. */
#define YEARS_BEFORE 2000

/* The most bytes of a number: each second one may be a sign or a hyphen. */
#define NUMBER_MAX (2 * IDGEN_FORMAT_WIDTH_MAX)

/* The fields that have no options. */
static const struct
{
	const char *name;
	IdgenFieldKind kind;
	IdgenPeriod decided_by; /* as in IdgenField, as the length is */
	uint16 length;
} names[] = {
	{"YYYY", IDGEN_FIELD_DATE, IDGEN_PERIOD_YEAR, 4},
	{"YY", IDGEN_FIELD_DATE, IDGEN_PERIOD_YEAR, 2},
	{"MM", IDGEN_FIELD_DATE, IDGEN_PERIOD_MONTH, 2},
	{"DD", IDGEN_FIELD_DATE, IDGEN_PERIOD_DAY, 2},
	{"luhn", IDGEN_FIELD_LUHN, IDGEN_PERIOD_NONE, 1},
	{"mod97", IDGEN_FIELD_MOD97, IDGEN_PERIOD_NONE, 2},
};

/* A format while it is parsed. */
typedef struct Parser
{
	const char *source;
	const char *at;      /* the first byte that is not parsed yet */
	IdgenFormat *format; /* has room for a field for each byte of the source */
	bool has_id;
	const IdgenField *check; /* the check digits, or NULL */
} Parser;

/* Raises 22023: what is wrong with a format, and what would be right. */
pg_noreturn static void
bad_format(const char *source, const char *detail, const char *hint)
{
	ereport(ERROR,
	        (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
	         errmsg("invalid format \"%s\"", source),
	         errdetail_internal("%s", detail),
	         errhint("%s", hint)));
}

/* The number of the character that comes next, from 1. */
static int
position(const Parser *parser)
{
	return pg_mbstrlen_with_len(parser->source, parser->at - parser->source) + 1;
}

/*
 * Raises 22023 for the field that begins at parser->at. "problem" goes on from
 * there.
 */
pg_noreturn static void
bad_field(const Parser *parser, const char *problem, const char *hint)
{
	int length = strchr(parser->at, '}') + 1 - parser->at;

	bad_format(parser->source,
	           psprintf("Field \"%.*s\" at position %d %s.", length, parser->at,
	                    position(parser), problem),
	           hint);
}

/* Add a field that begins there in the source. */
static IdgenField *
add_field(Parser *parser, IdgenFieldKind kind, const char *start, int length)
{
	IdgenField *field = &parser->format->fields[parser->format->nfields++];

	*field = (IdgenField){.kind = kind, .start = start - parser->source, .length = length};
	if (parser->has_id)
		parser->format->behind += length;
	else
		parser->format->before += length;
	return field;
}

/*
 * Read an option of {id}, a number that ends at the next colon or brace. It is
 * -1 if there is something else, or zeros are in front: in {id:06}, somebody
 * might take them for what decides about padding.
 */
static int
read_option(const char **at)
{
	int length = strspn(*at, "0123456789");
	int value = length > 0 && length < 5 && **at != '0' ? atoi(*at) : -1;

	*at += length;
	return **at == ':' || **at == '}' ? value : -1;
}

/* Parse {id}, {id:WIDTH}, {id:baseBASE} or {id:baseBASE:WIDTH}. */
static void
parse_id(Parser *parser, const char *options)
{
	IdgenFormat *format = parser->format;

	if (parser->has_id)
		bad_field(parser, "is a second number", "A format has exactly one {id}.");
	format->base = ID_BASE_DEFAULT;
	format->width = 0;
	if (strncmp(options, ":base", 5) == 0)
	{
		options += 5;
		format->base = read_option(&options);
	}
	if (!idgen_base_exists(format->base))
		bad_field(parser, "has an unknown base", "Bases are 10, 16, 32, 36, 58 and 62, as in {id:base58}.");
	if (*options == ':')
	{
		options++;
		format->width = read_option(&options);
	}
	if (*options != '}' || format->width < 0 || format->width > IDGEN_FORMAT_WIDTH_MAX)
		bad_field(parser, "has an invalid width",
		          psprintf("A width is 1 to %d, without zeros in front, as in {id:6} or {id:base58:11}: numbers are padded with zeros in any case.", IDGEN_FORMAT_WIDTH_MAX));
	parser->has_id = true;
	add_field(parser, IDGEN_FIELD_ID, parser->at, 0);
}

/* Note the check digits that were added last. */
static void
parse_check(Parser *parser, const IdgenField *field)
{
	if (parser->check != NULL)
		bad_field(parser, "has second check digits", "A format has one field of check digits at most.");
	if (!parser->has_id && field->kind != IDGEN_FIELD_MOD97)
		bad_field(parser, "stands in front of the number that it checks",
		          "Put it after {id}, or use {mod97}, which may stand in front.");
	parser->check = field;
}

/* Parse the field that begins at parser->at, and ends with that brace. */
static void
parse_field(Parser *parser, const char *end)
{
	const char *name = parser->at + 1;
	int length = end - name;

	if (strncmp(name, "id", 2) == 0 && (name[2] == ':' || name[2] == '}'))
	{
		parse_id(parser, name + 2);
		return;
	}
	for (size_t i = 0; i < lengthof(names); i++)
	{
		IdgenField *field;

		if (strlen(names[i].name) != (size_t) length || strncmp(names[i].name, name, length) != 0)
			continue;
		field = add_field(parser, names[i].kind, parser->at, names[i].length);
		field->decided_by = names[i].decided_by;
		if (field->kind == IDGEN_FIELD_DATE)
			parser->format->shows |= 1 << field->decided_by;
		else
			parse_check(parser, field);
		return;
	}
	bad_field(parser, "is unknown",
	          "Fields are {id}, {id:6}, {id:base58}, {id:base58:11}, {YYYY}, {YY}, {MM}, {DD}, {luhn} and {mod97}. A brace that is text is written twice.");
}

/* Parse what comes next: a literal, a doubled brace, or a field. */
static void
parse_next(Parser *parser)
{
	int literal = strcspn(parser->at, "{}");
	const char *end;

	if (literal > 0)
	{
		add_field(parser, IDGEN_FIELD_LITERAL, parser->at, literal);
		parser->at += literal;
		return;
	}
	if (parser->at[0] == parser->at[1])
	{
		add_field(parser, IDGEN_FIELD_LITERAL, parser->at, 1);
		parser->at += 2;
		return;
	}
	end = parser->at + 1 + strcspn(parser->at + 1, "{}");
	if (*parser->at == '}' || *end != '}')
		bad_format(parser->source,
		           psprintf(*parser->at == '{' ? "The \"{\" at position %d has no \"}\"." : "The \"}\" at position %d has no \"{\".",
		                    position(parser)),
		           "A brace that is text is written twice: {{ or }}.");
	parse_field(parser, end);
	parser->at = end + 1;
}

/* Raises 22023 for what is wrong with a format as a whole. */
static void
check_whole(const Parser *parser)
{
	const IdgenFormat *format = parser->format;

	if (!parser->has_id)
		bad_format(parser->source, "It has no number.", "A format has exactly one {id}.");
	if (parser->check != NULL && parser->check->kind == IDGEN_FIELD_LUHN && format->base != 10)
		bad_format(parser->source,
		           psprintf("Its check digit counts decimal digits only, and the number is in base %d.", format->base),
		           "Use {mod97}, which counts letters, too.");
	if (parser->check != NULL && idgen_base_has_case(format->base))
		bad_format(parser->source,
		           psprintf("Its check digits take a letter for the same in any case, and the number is in base %d.", format->base),
		           "Check digits go with bases up to 36.");
}

/*
 * Parse a format, into a piece of memory of its own. Raises 22023 for one that
 * is not valid.
 */
IdgenFormat *
idgen_format_parse(const char *source)
{
	int length = strlen(source);
	int characters = pg_mbstrlen_with_len(source, length);
	IdgenFormat *format = palloc0(offsetof(IdgenFormat, fields) + length * sizeof(IdgenField) + length + 1);
	Parser parser = {.source = source, .at = source, .format = format};

	if (characters > IDGEN_FORMAT_CHARACTERS)
		ereport(ERROR,
		        (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
		         errmsg("format is too long"),
		         errdetail("It has %d characters.", characters),
		         errhint("A format has at most %d characters.", IDGEN_FORMAT_CHARACTERS)));
	while (*parser.at != '\0')
		parse_next(&parser);
	check_whole(&parser);
	strcpy((char *) &format->fields[format->nfields], source);
	format->size = offsetof(IdgenFormat, fields) + format->nfields * sizeof(IdgenField) + length + 1;
	return format;
}

/*
 * Do the text ids of two periods differ, whatever their numbers are? A year of
 * two digits will do: in a hundred years, it is another matter.
 */
bool
idgen_format_tells_apart(const IdgenFormat *format, IdgenPeriod period)
{
	int needed = 0;

	for (IdgenPeriod part = IDGEN_PERIOD_YEAR; part <= period; part++)
		needed |= 1 << part;
	return (format->shows & needed) == needed;
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
static void
write_date(const IdgenField *field, const IdgenDay *day, char *to)
{
	int shown = field->decided_by == IDGEN_PERIOD_DAY ? day->day
		: field->decided_by == IDGEN_PERIOD_MONTH     ? day->month
													  : day->year;

	if (field->length == 4)
		write_two(to, shown / 100);
	write_two(to + field->length - 2, shown);
}

/*
 * The format within one period, which the day is in: the fields that the period
 * decides become literal text, and the rest stays. The format must be valid.
 */
char *
idgen_format_within(const char *source, IdgenPeriod period, const IdgenDay *day)
{
	IdgenFormat *format = idgen_format_parse(source);
	const char *rest = source; /* what is not taken over yet */
	StringInfoData within;

	initStringInfo(&within);
	for (int i = 0; i < format->nfields; i++)
	{
		const IdgenField *field = &format->fields[i];
		char digits[4];

		if (field->kind != IDGEN_FIELD_DATE || field->decided_by > period)
			continue;
		write_date(field, day, digits);
		appendBinaryStringInfo(&within, rest, source + field->start - rest);
		appendBinaryStringInfo(&within, digits, field->length);
		rest = strchr(source + field->start, '}') + 1;
	}
	appendStringInfoString(&within, rest);
	pfree(format);
	return within.data;
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
				at += idgen_digits_write(at, id, format->base, format->width);
				break;
			case IDGEN_FIELD_DATE:
				write_date(field, day, at);
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
bool
idgen_format_read_day(const IdgenFormat *format, const char *text, int length, IdgenDay *day)
{
	bool has_year = false;
	int offset = 0;

	*day = (IdgenDay){YEARS_BEFORE, 1, 1};
	for (int i = 0; i < format->nfields; i++)
	{
		const IdgenField *field = &format->fields[i];
		int value = read_date_field(text + offset, field->length);

		if (field->decided_by == IDGEN_PERIOD_YEAR && field->length == 4)
		{
			day->year = value;
			has_year = true;
		}
		else if (field->decided_by == IDGEN_PERIOD_YEAR && !has_year)
			day->year = value < 0 ? value : YEARS_BEFORE + value;
		else if (field->decided_by == IDGEN_PERIOD_MONTH)
			day->month = value;
		else if (field->decided_by == IDGEN_PERIOD_DAY)
			day->day = value;
		offset = field->kind == IDGEN_FIELD_ID ? length - format->behind : offset + field->length;
	}
	return idgen_is_day(day);
}

/*
 * Read a text, which need not end with a zero byte. Sets *id if it is a text id
 * of that format, or if the format writes that id otherwise.
 */
IdgenReading
idgen_format_read(const IdgenFormat *format, const char *text, int length, int64 *id)
{
	int number_length = length - format->before - format->behind;
	int counted;
	IdgenReading reading;
	IdgenDay day;
	char *written;
	int written_length;

	if (number_length <= 0 || number_length > NUMBER_MAX)
		return IDGEN_READING_OTHER;
	reading = idgen_digits_read(text + format->before, number_length, format->base, id, &counted);
	if (reading != IDGEN_READING_ID)
		return reading;
	if (!idgen_format_read_day(format, text, length, &day))
		return IDGEN_READING_OTHER;
	written = palloc(idgen_format_room(format));
	written_length = idgen_format_write(format, *id, &day, written);
	if (counted != written_length - format->before - format->behind ||
	    memcmp(text, written, format->before) != 0 ||
	    memcmp(text + length - format->behind, written + written_length - format->behind, format->behind) != 0)
		reading = IDGEN_READING_OTHERWISE;
	pfree(written);
	return reading;
}
