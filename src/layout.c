/*
 * layout.c
 *		Composing ids of several fields, and taking them apart.
 *
 * A composed id is a decimal number of 19 digits, or of 38 as a numeric: a prefix
 * that says where it was drawn, then the sequence value, in as many digits as are left.
 * Sessions that insert at the same time thus do so in different leaf pages of an
 * index. The first digit is the node, 1 to 8: with a 9, the number would not always fit
 * into a bigint.
 */
#include "postgres.h"

#include "common/int.h"
#include "miscadmin.h"
#include "storage/proc.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"

#include "compat.h"
#include "guc.h"
#include "layout.h"

/* Digits of composed ids, and of the session's number in them. */
#define ID_DIGITS     19
#define BIG_ID_DIGITS 38
#define SESSIONS      1000

#define LEAST_NODE    1
#define GREATEST_NODE 8

const IdgenLayout idgen_layout_plain = {.name = "plain"};

static const IdgenLayout composed[] = {
	{
		.name = "prefixed",
		.prefix_digits = 5,
		.has_channel = true,
		.values = INT64CONST(100000000000000),
	},
	{
		.name = "session",
		.prefix_digits = 4,
		.values = INT64CONST(1000000000000000),
	},
	{
		.name = "prefixed_reversed",
		.prefix_digits = 5,
		.has_channel = true,
		.reversed = true,
		.values = INT64CONST(100000000000000),
	},
	{
		.name = "session_reversed",
		.prefix_digits = 4,
		.reversed = true,
		.values = INT64CONST(1000000000000000),
	},
};

/* The layout of that name, NULL if there is none. */
const IdgenLayout *
idgen_layout_find(const char *name)
{
	if (strcmp(name, idgen_layout_plain.name) == 0)
		return &idgen_layout_plain;
	for (size_t i = 0; i < lengthof(composed); i++)
		if (strcmp(name, composed[i].name) == 0)
			return &composed[i];
	return NULL;
}

/*
 * The prefix of ids that this session draws now, as a number. Raises 22003 if
 * idgen.node_id is not a digit that an id can begin with.
 */
int
idgen_layout_prefix(const IdgenLayout *layout)
{
	int session = MyProcNumber % SESSIONS;

	if (idgen_node_id < LEAST_NODE || idgen_node_id > GREATEST_NODE)
		ereport(ERROR,
		        (errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
		         errmsg("node %d does not fit layout \"%s\"", idgen_node_id, layout->name),
		         errdetail("It must be between %d and %d.", LEAST_NODE, GREATEST_NODE),
		         errhint("Set idgen.node_id in the configuration file.")));
	if (!layout->has_channel)
		return idgen_node_id * SESSIONS + session;
	return (idgen_node_id * 10 + idgen_channel) * SESSIONS + session;
}

/* For bigint ids. */
IdgenBounds
idgen_layout_bounds(const IdgenLayout *layout)
{
	if (layout == &idgen_layout_plain)
		return (IdgenBounds){PG_INT64_MIN, PG_INT64_MAX};
	return (IdgenBounds){0, layout->values - 1};
}

static Numeric
numeric_from_text(const char *text)
{
	return DatumGetNumeric(DirectFunctionCall3(numeric_in, CStringGetDatum(text),
	                                           ObjectIdGetDatum(InvalidOid), Int32GetDatum(-1)));
}

static char *
numeric_to_text(Numeric number)
{
	return DatumGetCString(DirectFunctionCall1(numeric_out, NumericGetDatum(number)));
}

/* a - b, or the nearest number that is an int64 */
static int64
subtract_clamped(Numeric a, Numeric b)
{
	Datum difference = DirectFunctionCall2(numeric_sub, NumericGetDatum(a), NumericGetDatum(b));
	Datum least = NumericGetDatum(int64_to_numeric(PG_INT64_MIN));
	Datum greatest = NumericGetDatum(int64_to_numeric(PG_INT64_MAX));

	difference = DirectFunctionCall2(numeric_larger, difference, least);
	difference = DirectFunctionCall2(numeric_smaller, difference, greatest);
	return DatumGetInt64(DirectFunctionCall1(numeric_int8, difference));
}

/* For numeric ids, where big_base (NULL if zero) is added to the sequence value. */
IdgenBounds
idgen_layout_big_bounds(const IdgenLayout *layout, Numeric big_base)
{
	char nines[BIG_ID_DIGITS + 1] = {0};

	if (layout == &idgen_layout_plain)
		return (IdgenBounds){PG_INT64_MIN, PG_INT64_MAX};
	if (big_base == NULL)
		return (IdgenBounds){0, PG_INT64_MAX};
	memset(nines, '9', BIG_ID_DIGITS - layout->prefix_digits);
	return (IdgenBounds){
		subtract_clamped(int64_to_numeric(0), big_base),
		subtract_clamped(numeric_from_text(nines), big_base),
	};
}

/* The digits of a number of so many digits the other way round. */
static int64
reverse_number(int64 number, int ndigits)
{
	int64 reversed = 0;

	for (int i = 0; i < ndigits; i++)
	{
		reversed = reversed * 10 + number % 10;
		number /= 10;
	}
	return reversed;
}

static void
reverse_text(char *digits, int ndigits)
{
	for (int i = 0, j = ndigits - 1; i < j; i++, j--)
	{
		char digit = digits[i];

		digits[i] = digits[j];
		digits[j] = digit;
	}
}

/* The bigint id of a sequence value, which is within the layout's bounds. */
int64
idgen_layout_compose(const IdgenLayout *layout, int prefix, int64 value)
{
	if (layout == &idgen_layout_plain)
		return value;
	if (layout->reversed)
		value = reverse_number(value, ID_DIGITS - layout->prefix_digits);
	return prefix * layout->values + value;
}

/* The numeric id; big_base has been added to the value already. */
Numeric
idgen_layout_compose_big(const IdgenLayout *layout, int prefix, Numeric value)
{
	char digits[BIG_ID_DIGITS + 1];
	char *text;
	int length;

	if (layout == &idgen_layout_plain)
		return value;
	text = numeric_to_text(value);
	length = strlen(text);
	Assert(length <= BIG_ID_DIGITS - layout->prefix_digits);

	memset(digits, '0', BIG_ID_DIGITS);
	pg_ultoa_n(prefix, digits);
	memcpy(digits + BIG_ID_DIGITS - length, text, length);
	digits[BIG_ID_DIGITS] = '\0';
	if (layout->reversed)
		reverse_text(digits + layout->prefix_digits, BIG_ID_DIGITS - layout->prefix_digits);
	pfree(text);
	return numeric_from_text(digits);
}

/* Raises 22003: no id of that layout. */
static void
not_composed(const IdgenLayout *layout, const char *id, int ndigits)
{
	ereport(ERROR,
	        (errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
	         errmsg("%s is not an id of layout \"%s\"", id, layout->name),
	         errdetail("It must have %d digits, the first of them between %d and %d.",
	                   ndigits, LEAST_NODE, GREATEST_NODE)));
}

/* The fields of a number that is a prefix. */
static void
split_prefix(const IdgenLayout *layout, int number, IdgenPrefix *prefix)
{
	prefix->session = number % SESSIONS;
	number /= SESSIONS;
	prefix->channel = layout->has_channel ? number % 10 : 0;
	prefix->node = layout->has_channel ? number / 10 : number;
}

/* Take a bigint id apart, whose layout is not plain. Raises 22003 if it has another one. */
void
idgen_layout_parse(const IdgenLayout *layout, int64 id, IdgenPrefix *prefix, int64 *value)
{
	split_prefix(layout, id < 0 ? 0 : id / layout->values, prefix);
	if (prefix->node < LEAST_NODE || prefix->node > GREATEST_NODE)
		not_composed(layout, psprintf("%lld", (long long) id), ID_DIGITS);
	*value = id % layout->values;
	if (layout->reversed)
		*value = reverse_number(*value, ID_DIGITS - layout->prefix_digits);
}

/* The same for a numeric id. */
void
idgen_layout_parse_big(const IdgenLayout *layout, Numeric id, IdgenPrefix *prefix, Numeric *value)
{
	char *text = numeric_to_text(DatumGetNumeric(DirectFunctionCall1(numeric_trim_scale, NumericGetDatum(id))));
	char *digits = text + layout->prefix_digits;

	if (strspn(text, "0123456789") != BIG_ID_DIGITS || text[BIG_ID_DIGITS] != '\0' ||
	    text[0] < '0' + LEAST_NODE || text[0] > '0' + GREATEST_NODE)
		not_composed(layout, text, BIG_ID_DIGITS);
	if (layout->reversed)
		reverse_text(digits, BIG_ID_DIGITS - layout->prefix_digits);
	*value = numeric_from_text(digits);
	digits[0] = '\0';
	split_prefix(layout, pg_strtoint32(text), prefix);
}
