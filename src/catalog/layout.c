/*
 * layout.c
 *		Composing ids of several fields, and taking them apart.
 *
 * A composed id is a decimal number of 19 digits, or of 38 as a numeric. It
 * begins with a prefix that says where it was drawn. The sequence value
 * follows, in the digits that are left. So sessions that insert at the same
 * time do so in different leaf pages of an index. The first digit is the node,
 * 1 to 8: with a 9, the number would not always fit a bigint.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "storage/proc.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"

#include "catalog/layout.h"
#include "catalog/table.h"
#include "common/compat.h"
#include "common/guc.h"
#include "node/lease.h"

/* How many numbers there are for sessions */
#define SESSIONS 1000

const IdgenLayout idgen_layouts[] = {
	{.name = "plain"},
	{.name = "scrambled", .scrambled = true},
	{.name = "prefixed", .prefix_digits = 5, .has_channel = true, .values = INT64CONST(100000000000000)},
	{.name = "session", .prefix_digits = 4, .values = INT64CONST(1000000000000000)},
	{.name = "prefixed_reversed", .prefix_digits = 5, .has_channel = true, .reversed = true, .values = INT64CONST(100000000000000)},
	{.name = "session_reversed", .prefix_digits = 4, .reversed = true, .values = INT64CONST(1000000000000000)},
	{.name = NULL},
};

/*
 * The node number of ids that are drawn now, if idgen_node_id is not a digit
 * that an id can begin with: it may be leased. Raises 22003, and what
 * idgen_node_leased() does.
 */
static int
other_node(const IdgenLayout *layout)
{
	bool leased = idgen_node_id == IDGEN_NODE_LEASED;
	int node = leased ? idgen_node_leased() : idgen_node_id;

	if (node < IDGEN_LEAST_DIGIT || node > IDGEN_GREATEST_DIGIT)
		ereport(ERROR,
		        (errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
		         errmsg("node %d does not fit layout \"%s\"", node, layout->name),
		         errdetail("It must be between %d and %d.", IDGEN_LEAST_DIGIT, IDGEN_GREATEST_DIGIT),
		         leased ? errhint("Free one of these at the centre, with idgen_reserve_node(number, NULL).") : errhint("Set idgen.node_id in the configuration file.")));
	return node;
}

/*
 * The prefix of ids that this session draws now, as a number. Raises 22003 if
 * the node number is not a digit that an id can begin with, and what
 * idgen_node_leased() does.
 */
int
idgen_layout_prefix(const IdgenLayout *layout)
{
	int session = MyProcNumber % SESSIONS;
	int node = idgen_node_id;

	if (unlikely(node < IDGEN_LEAST_DIGIT || node > IDGEN_GREATEST_DIGIT))
		node = other_node(layout);
	if (!layout->has_channel)
		return node * SESSIONS + session;
	return (node * 10 + idgen_channel) * SESSIONS + session;
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

/* The sequence value plus big_base, which is NULL if zero. */
static Numeric
big_value(int64 value, Numeric big_base)
{
	Numeric big = int64_to_numeric(value);

	if (big_base == NULL)
		return big;
	return DatumGetNumeric(DirectFunctionCall2(numeric_add, NumericGetDatum(big),
	                                           NumericGetDatum(big_base)));
}

/*
 * Of which sequence values can bigint ids be made? Scrambled ones are between 1
 * and max_value.
 */
void
idgen_layout_limits(const IdgenLayout *layout, int64 max_value, int64 *least, int64 *greatest)
{
	bool composed = idgen_layout_is_composed(layout);

	*least = layout->scrambled ? 1 : composed ? 0
											  : PG_INT64_MIN;
	*greatest = layout->scrambled ? max_value : composed ? layout->values - 1
														 : PG_INT64_MAX;
}

/*
 * Of which sequence values can numeric ids be composed with that big_base (NULL
 * if zero)? If there are none, *least is greater than *greatest.
 */
void
idgen_layout_big_limits(const IdgenLayout *layout, Numeric big_base, int64 *least, int64 *greatest)
{
	char nines[IDGEN_BIG_ID_DIGITS + 1];
	int ndigits = IDGEN_BIG_ID_DIGITS - layout->prefix_digits;
	Datum base = NumericGetDatum(big_base);
	Datum first;
	Datum last;

	*least = idgen_layout_is_composed(layout) ? 0 : PG_INT64_MIN;
	*greatest = PG_INT64_MAX;
	if (!idgen_layout_is_composed(layout) || big_base == NULL)
		return;
	memset(nines, '9', ndigits);
	nines[ndigits] = '\0';
	first = DirectFunctionCall2(numeric_larger, DirectFunctionCall1(numeric_uminus, base),
	                            NumericGetDatum(int64_to_numeric(PG_INT64_MIN)));
	last = DirectFunctionCall2(numeric_smaller,
	                           DirectFunctionCall2(numeric_sub, NumericGetDatum(numeric_from_text(nines)), base),
	                           NumericGetDatum(int64_to_numeric(PG_INT64_MAX)));
	if (DatumGetBool(DirectFunctionCall2(numeric_gt, first, last)))
	{
		*least = PG_INT64_MAX;
		*greatest = PG_INT64_MIN;
		return;
	}
	*least = DatumGetInt64(DirectFunctionCall1(numeric_int8, first));
	*greatest = DatumGetInt64(DirectFunctionCall1(numeric_int8, last));
}

/* Can any id, bigint or numeric, be made of a sequence value? */
bool
idgen_layout_can_begin(const IdgenLayout *layout, int64 value, Numeric big_base)
{
	int64 least;
	int64 greatest;

	idgen_layout_limits(layout, PG_INT64_MAX, &least, &greatest);
	if (idgen_layout_is_composed(layout) && (value < least || value > greatest))
		idgen_layout_big_limits(layout, big_base, &least, &greatest);
	return value >= least && value <= greatest;
}

/*
 * Raises 2200H for a decimal number that is too wide, and 22003 for a negative
 * one.
 */
static void
does_not_fit(const IdgenLayout *layout, const char *name, const char *value,
             int ndigits, const char *hint)
{
	if (value[0] == '-')
		ereport(ERROR,
		        (errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
		         errmsg("id %s of id sequence \"%s\" does not fit layout \"%s\"", value, name, layout->name),
		         errdetail("It must not be negative.")));
	ereport(ERROR,
	        (errcode(ERRCODE_SEQUENCE_GENERATOR_LIMIT_EXCEEDED),
	         errmsg("id %s of id sequence \"%s\" is too wide for layout \"%s\"", value, name, layout->name),
	         errdetail("There is room for %d digits.", ndigits - layout->prefix_digits),
	         errhint("%s", hint)));
}

/*
 * Raises 2200H or 22003 if no bigint id can be composed of a sequence value.
 * "name" is the id sequence, of that id_sequences.
 */
void
idgen_layout_check(const IdgenLayout *layout, Oid relid, const char *name, int64 value)
{
	if (idgen_layout_is_composed(layout) && (value < 0 || value >= layout->values))
		does_not_fit(layout, name, psprintf("%lld", (long long) value), IDGEN_ID_DIGITS,
		             psprintf("Use %s(), or another id sequence.", idgen_function_name(relid, "idgen_next_big")));
}

/*
 * Raises 2200H or 22003 if no numeric id can be composed of a sequence value
 * and big_base (NULL if zero).
 */
void
idgen_layout_check_big(const IdgenLayout *layout, const char *name, int64 value, Numeric big_base)
{
	int64 least;
	int64 greatest;

	idgen_layout_big_limits(layout, big_base, &least, &greatest);
	if (value < least || value > greatest)
		does_not_fit(layout, name, numeric_to_text(big_value(value, big_base)), IDGEN_BIG_ID_DIGITS,
		             "Lower big_base, or use another id sequence.");
}

/* Reverse the digits of a number that has "ndigits" of them, zeros included. */
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

/* The bigint id of a sequence value, which must fit. */
int64
idgen_layout_compose(const IdgenLayout *layout, int prefix, int64 value)
{
	if (!idgen_layout_is_composed(layout))
		return value;
	if (layout->reversed)
		value = reverse_number(value, IDGEN_ID_DIGITS - layout->prefix_digits);
	return prefix * layout->values + value;
}

/*
 * The numeric id of a sequence value and big_base (NULL if zero), which must
 * fit.
 */
Numeric
idgen_layout_compose_big(const IdgenLayout *layout, int prefix, int64 value, Numeric big_base)
{
	Numeric big = big_value(value, big_base);
	char digits[IDGEN_BIG_ID_DIGITS + 1];
	char *text;
	int length;

	if (!idgen_layout_is_composed(layout))
		return big;
	text = numeric_to_text(big);
	length = strlen(text);
	Assert(text[0] != '-' && length <= IDGEN_BIG_ID_DIGITS - layout->prefix_digits);

	memset(digits, '0', IDGEN_BIG_ID_DIGITS);
	pg_ultoa_n(prefix, digits);
	memcpy(digits + IDGEN_BIG_ID_DIGITS - length, text, length);
	digits[IDGEN_BIG_ID_DIGITS] = '\0';
	if (layout->reversed)
		reverse_text(digits + layout->prefix_digits, IDGEN_BIG_ID_DIGITS - layout->prefix_digits);
	return numeric_from_text(digits);
}

/* Raises 22003: the number is not an id of that layout. */
static void
not_composed(const IdgenLayout *layout, const char *id, int ndigits)
{
	ereport(ERROR,
	        (errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
	         errmsg("%s is not an id of layout \"%s\"", id, layout->name),
	         errdetail("It must have %d digits, the first of them between %d and %d.",
	                   ndigits, IDGEN_LEAST_DIGIT, IDGEN_GREATEST_DIGIT)));
}

/* Take a prefix apart, which is given as a number. */
static void
split_prefix(const IdgenLayout *layout, int number, IdgenPrefix *prefix)
{
	prefix->session = number % SESSIONS;
	number /= SESSIONS;
	prefix->channel = layout->has_channel ? number % 10 : 0;
	prefix->node = layout->has_channel ? number / 10 : number;
}

/*
 * Take a bigint id apart, of a layout that composes it. Raises 22003 if the id
 * is not of that layout.
 */
void
idgen_layout_parse(const IdgenLayout *layout, int64 id, IdgenPrefix *prefix, int64 *value)
{
	split_prefix(layout, id < 0 ? 0 : id / layout->values, prefix);
	if (prefix->node < IDGEN_LEAST_DIGIT || prefix->node > IDGEN_GREATEST_DIGIT)
		not_composed(layout, psprintf("%lld", (long long) id), IDGEN_ID_DIGITS);
	*value = id % layout->values;
	if (layout->reversed)
		*value = reverse_number(*value, IDGEN_ID_DIGITS - layout->prefix_digits);
}

/*
 * Take a numeric id apart, of a layout that composes it. Raises 22003 if the id
 * is not of that layout.
 */
void
idgen_layout_parse_big(const IdgenLayout *layout, Numeric id, IdgenPrefix *prefix, Numeric *value)
{
	char *text = numeric_to_text(DatumGetNumeric(DirectFunctionCall1(numeric_trim_scale, NumericGetDatum(id))));
	char *digits = text + layout->prefix_digits;

	if (strspn(text, "0123456789") != IDGEN_BIG_ID_DIGITS || text[IDGEN_BIG_ID_DIGITS] != '\0' ||
	    text[0] < '0' + IDGEN_LEAST_DIGIT || text[0] > '0' + IDGEN_GREATEST_DIGIT)
		not_composed(layout, text, IDGEN_BIG_ID_DIGITS);
	if (layout->reversed)
		reverse_text(digits, IDGEN_BIG_ID_DIGITS - layout->prefix_digits);
	*value = numeric_from_text(digits);
	digits[0] = '\0';
	split_prefix(layout, pg_strtoint32(text), prefix);
}
