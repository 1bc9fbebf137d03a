/*
 * format_parse.c
 *		Formats: checking and parsing them.
 *
 * In each encoding that a server can have, the bytes of a character that is not
 * ASCII have the highest bit set. So braces are found byte by byte.
 */
#include "postgres.h"

#include "lib/stringinfo.h"
#include "mb/pg_wchar.h"

#include "common/compat.h"
#include "text/digits.h"
#include "text/format.h"

#define ID_BASE_DEFAULT 10

/* The fields that have no options. */
typedef struct FieldName
{
	const char *name;
	IdgenFieldKind kind;
	uint16 length; /* as in IdgenField */
} FieldName;

static const FieldName names[] = {
	{"YYYY", IDGEN_FIELD_YEAR, 4},
	{"YY", IDGEN_FIELD_YEAR_OF_CENTURY, 2},
	{"MM", IDGEN_FIELD_MONTH, 2},
	{"DD", IDGEN_FIELD_DAY, 2},
	{"luhn", IDGEN_FIELD_LUHN, 1},
	{"mod97", IDGEN_FIELD_MOD97, 2},
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

static bool
is_date_field(IdgenFieldKind kind)
{
	return kind == IDGEN_FIELD_YEAR || kind == IDGEN_FIELD_YEAR_OF_CENTURY ||
		kind == IDGEN_FIELD_MONTH || kind == IDGEN_FIELD_DAY;
}

static bool
is_check_field(IdgenFieldKind kind)
{
	return kind == IDGEN_FIELD_LUHN || kind == IDGEN_FIELD_MOD97;
}

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

/* The number of the character that a byte of the format belongs to, from 1. */
static int
position_of(const Parser *parser, const char *byte)
{
	return pg_mbstrlen_with_len(parser->source, byte - parser->source) + 1;
}

/* Raises 22023 for a brace that begins or ends no field. */
pg_noreturn static void
bad_brace(const Parser *parser)
{
	const char *problem = *parser->at == '{' ? "The \"{\" at position %d has no \"}\"."
											 : "The \"}\" at position %d has no \"{\".";

	bad_format(parser->source, psprintf(problem, position_of(parser, parser->at)),
	           "A brace that is text is written twice: {{ or }}.");
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
	                    position_of(parser, parser->at), problem),
	           hint);
}

/* Add a field that begins there in the source. */
static IdgenField *
add_field(Parser *parser, IdgenFieldKind kind, const char *start, int length)
{
	IdgenField *field = &parser->format->fields[parser->format->nfields++];

	field->kind = kind;
	field->start = start - parser->source;
	field->length = length;
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

/* Raises 22023 unless a base and a width, -1 if not understood, may be. */
static void
check_id_options(const Parser *parser)
{
	const IdgenFormat *format = parser->format;

	if (!idgen_base_exists(format->base))
		bad_field(parser, "has an unknown base", "Bases are 10, 16, 32, 36, 58 and 62, as in {id:base58}.");
	if (format->width < 0 || format->width > IDGEN_FORMAT_WIDTH_MAX)
		bad_field(parser, "has an invalid width",
		          psprintf("A width is 1 to %d, without zeros in front, as in {id:6} or {id:base58:11}: numbers are padded with zeros in any case.", IDGEN_FORMAT_WIDTH_MAX));
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
		check_id_options(parser);
	}
	if (*options == ':')
	{
		options++;
		format->width = read_option(&options);
		if (*options != '}')
			format->width = -1;
	}
	check_id_options(parser);
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
		const IdgenField *field;

		if (strlen(names[i].name) != (size_t) length || strncmp(names[i].name, name, length) != 0)
			continue;
		field = add_field(parser, names[i].kind, parser->at, names[i].length);
		if (is_date_field(field->kind))
			parser->format->shows_date = true;
		if (is_check_field(field->kind))
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
		bad_brace(parser);
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

/* Is what that field shows the same in all of a period? */
static bool
is_decided(IdgenFieldKind kind, IdgenPeriod period)
{
	switch (kind)
	{
		case IDGEN_FIELD_YEAR:
		case IDGEN_FIELD_YEAR_OF_CENTURY:
			return period >= IDGEN_PERIOD_YEAR;
		case IDGEN_FIELD_MONTH:
			return period >= IDGEN_PERIOD_MONTH;
		case IDGEN_FIELD_DAY:
			return period >= IDGEN_PERIOD_DAY;
		default:
			return false;
	}
}

static bool
has_field(const IdgenFormat *format, IdgenFieldKind kind)
{
	for (int i = 0; i < format->nfields; i++)
		if (format->fields[i].kind == kind)
			return true;
	return false;
}

/*
 * Do the text ids of two periods differ, whatever their numbers are? A year of
 * two digits will do: in a hundred years, it is another matter.
 */
bool
idgen_format_tells_apart(const IdgenFormat *format, IdgenPeriod period)
{
	bool has_year = has_field(format, IDGEN_FIELD_YEAR) || has_field(format, IDGEN_FIELD_YEAR_OF_CENTURY);

	return (period < IDGEN_PERIOD_YEAR || has_year) &&
		(period < IDGEN_PERIOD_MONTH || has_field(format, IDGEN_FIELD_MONTH)) &&
		(period < IDGEN_PERIOD_DAY || has_field(format, IDGEN_FIELD_DAY));
}

/*
 * The format within one period, which the day is in: the fields that the period
 * decides become literal text, and the rest stays. The format must be valid.
 */
char *
idgen_format_within(const char *source, IdgenPeriod period, const IdgenDay *day)
{
	IdgenFormat *format = idgen_format_parse(source);
	StringInfoData within;

	initStringInfo(&within);
	for (int i = 0; i < format->nfields; i++)
	{
		const IdgenField *field = &format->fields[i];
		const char *start = source + field->start;
		char digits[4];

		if (is_decided(field->kind, period))
		{
			idgen_format_write_date(field->kind, day, digits);
			appendBinaryStringInfo(&within, digits, field->length);
		}
		else if (field->kind != IDGEN_FIELD_LITERAL)
			appendBinaryStringInfo(&within, start, strchr(start, '}') + 1 - start);
		else if (*start == '{' || *start == '}')
			appendBinaryStringInfo(&within, start, 2);
		else
			appendBinaryStringInfo(&within, start, field->length);
	}
	pfree(format);
	return within.data;
}
