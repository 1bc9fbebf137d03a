/*
 * limits.c
 *		The columns that take the ids of an id sequence, and how they limit it.
 *
 * Those are the columns whose defaults draw from it, and the one that it
 * belongs to. What their types can hold limits it, as max_value does, or the
 * bounds of a native sequence. A CHECK constraint may limit it as well; nobody
 * looks for these.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "mb/pg_wchar.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/lsyscache.h"

#include "catalog/template.h"
#include "common/subxact.h"
#include "sql/column_end.h"
#include "sql/limits.h"
#include "text/format.h"

/*
 * Columns
 */

static bool
is_among(List *columns, Oid relid, const char *name)
{
	ListCell *cell;

	foreach(cell, columns)
	{
		const IdgenDrawingColumn *column = lfirst(cell);

		if (column->relid == relid && strcmp(column->name, name) == 0)
			return true;
	}
	return false;
}

/*
 * The column that an id sequence belongs to, as if its default drew from it;
 * NULL if there is none.
 */
static IdgenDrawingColumn *
owning_column(const char *name, IdgenOwningColumn owner)
{
	Form_pg_attribute att = idgen_look_up_column(idgen_owning_table(owner), idgen_owning_attnum(owner));
	IdgenDrawCall call = {.name = name, .form = IDGEN_DRAWS_BIGINT, .plain = true};

	IdgenDrawingColumn *column = att != NULL ? idgen_describe_column(att, &call) : NULL;

	if (column != NULL)
		column->undrawn = true;
	return column;
}

/*
 * The columns that take the ids of an id sequence, by what its row says: a list
 * of IdgenDrawingColumn. "template" may be NULL; the ids of a child go to the
 * columns that draw from its row with periods, too. Columns that are inherited
 * from one of these are left out. Caller must have looked at the defaults
 * (idgen_defaults_look()).
 */
List *
idgen_columns_taking(const char *name, const char *template, IdgenOwningColumn owner)
{
	List *columns = idgen_columns_drawing_from(name);
	List *found = NIL;
	IdgenDrawingColumn *owning = owner != IDGEN_NO_COLUMN ? owning_column(name, owner) : NULL;
	ListCell *cell;

	if (template != NULL && !idgen_is_template_name(template, strlen(template)))
		columns = list_concat(columns, idgen_columns_drawing_from(template));
	if (owning != NULL && !is_among(columns, owning->relid, owning->name))
		columns = lappend(columns, owning);
	foreach(cell, columns)
	{
		if (!idgen_column_is_inherited_from(lfirst(cell), columns))
			found = lappend(found, lfirst(cell));
	}
	return found;
}

/* The column where it limits something, with the type that does. */
char *
idgen_column_title(const IdgenDrawingColumn *column)
{
	return idgen_owning_column_title(idgen_owning_column(column->relid, column->attnum));
}

/*
 * What their types hold
 */

/* The numbers that a column holds. */
typedef struct Capacity
{
	bool bounded; /* if not, all */
	int64 least;  /* of bigints, those from here to the next */
	int64 greatest;
	int digits;     /* of greater ones, those with that many digits, */
	Numeric beyond; /* up to this one; 0 and NULL if none */
} Capacity;

/*
 * The greatest number with one more digit of a base. The last bigint stands for
 * all that are greater.
 */
static int64
add_digit(int64 greatest, int base)
{
	return greatest > (PG_INT64_MAX - base + 1) / base ? PG_INT64_MAX : greatest * base + base - 1;
}

static Numeric
greatest_of_digits(int digits)
{
	char *text = palloc(digits + 1);

	memset(text, '9', digits);
	text[digits] = '\0';
	return DatumGetNumeric(DirectFunctionCall3(numeric_in, CStringGetDatum(text),
	                                           ObjectIdGetDatum(InvalidOid), Int32GetDatum(-1)));
}

/* What numeric(precision, scale) holds, or numeric without them. */
static Capacity
capacity_of_numeric(int32 typmod)
{
	int precision = ((typmod - VARHDRSZ) >> 16) & 0xffff;
	int scale = (((typmod - VARHDRSZ) & 0x7ff) ^ 1024) - 1024;
	int digits = Max(precision - scale, 0);
	Capacity capacity = {.bounded = typmod >= (int32) VARHDRSZ};

	if (!capacity.bounded)
		return capacity;
	if (digits >= IDGEN_ID_DIGITS)
		return (Capacity){true, PG_INT64_MIN, PG_INT64_MAX, digits, greatest_of_digits(digits)};
	for (int i = 0; i < digits; i++)
		capacity.greatest = add_digit(capacity.greatest, 10);
	capacity.least = -capacity.greatest;
	return capacity;
}

/* The characters of a text id besides its number. */
static int
characters_around(const IdgenFormat *format)
{
	const char *source = idgen_format_source(format);
	int characters = 0;

	for (int i = 0; i < format->nfields; i++)
	{
		const IdgenField *field = &format->fields[i];

		characters += field->kind == IDGEN_FIELD_LITERAL ? pg_mbstrlen_with_len(source + field->start, field->length) : field->length;
	}
	return characters;
}

/* The format of a row, while it is parsed. */
typedef struct RowFormat
{
	const char *source;
	IdgenFormat *parsed;
} RowFormat;

static void
parse_format(void *arg)
{
	RowFormat *format = (RowFormat *) arg;

	format->parsed = idgen_format_parse(format->source);
}

/*
 * The numbers of text ids that varchar(length) or char(length) holds, in that
 * format (NULL for plain digits). A row may have an invalid one, of which
 * nothing is said.
 */
static Capacity
capacity_of_text(int32 typmod, const char *format_source)
{
	RowFormat of_row = {.source = format_source};
	Capacity capacity = {.bounded = typmod >= (int32) VARHDRSZ};
	IdgenFormat *format;
	int digits;

	if (format_source == NULL)
		format = idgen_format_parse(IDGEN_FORMAT_PLAIN);
	else if (idgen_try(parse_format, &of_row, ERRCODE_INVALID_PARAMETER_VALUE) == NULL)
		format = of_row.parsed;
	else
		return (Capacity){.bounded = false};

	digits = typmod - (int32) VARHDRSZ - characters_around(format);
	for (int i = 0; i < digits && digits >= format->width && capacity.greatest < PG_INT64_MAX; i++)
		capacity.greatest = add_digit(capacity.greatest, format->base);
	pfree(format);
	if (capacity.greatest == PG_INT64_MAX)
		capacity.bounded = false;
	return capacity;
}

/*
 * What a column holds of the ids of an id sequence. Of other types, nothing is
 * said.
 */
static Capacity
capacity_of(const IdgenDrawingColumn *column, const IdgenExtent *extent)
{
	bool text = column->call.form == IDGEN_DRAWS_TEXT;
	int32 typmod = column->typmod;

	switch (getBaseTypeAndTypmod(column->type, &typmod))
	{
		case VARCHAROID:
		case BPCHAROID:
			return text ? capacity_of_text(typmod, extent->format) : (Capacity){.bounded = false};
		case INT2OID:
			return (Capacity){.bounded = true, .least = PG_INT16_MIN, .greatest = PG_INT16_MAX};
		case INT4OID:
			return (Capacity){.bounded = true, .least = PG_INT32_MIN, .greatest = PG_INT32_MAX};
		case INT8OID:
			return (Capacity){.bounded = true, .least = PG_INT64_MIN, .greatest = PG_INT64_MAX};
		case NUMERICOID:
			return capacity_of_numeric(typmod);
		default:
			return (Capacity){.bounded = false};
	}
}

/* The last sequence value whose id, with or without big_base, is held. */
static int64
last_held(const Capacity *capacity, const IdgenExtent *extent, IdgenDrawForm form)
{
	int64 last = extent->step > 0 ? capacity->greatest : capacity->least;
	Numeric bound;

	if (form != IDGEN_DRAWS_NUMERIC || extent->big_base == NULL)
		return last;
	bound = extent->step > 0 && capacity->beyond != NULL ? capacity->beyond : int64_to_numeric(last);
	return idgen_cut_to_bigint(DatumGetNumeric(DirectFunctionCall2(numeric_sub, NumericGetDatum(bound), NumericGetDatum(extent->big_base))));
}

/* Does a column hold the ids of values up to "last", if it does any? */
static IdgenFit
fit_up_to(const Capacity *capacity, const IdgenExtent *extent, int64 last)
{
	if (extent->step > 0 ? last < extent->first : last > extent->first)
		return IDGEN_FIT_NEVER;
	if (capacity->beyond != NULL && (last == PG_INT64_MAX || last == PG_INT64_MIN))
		return IDGEN_FIT_ALL;
	return IDGEN_FIT_UP_TO;
}

/*
 * Can the column hold the ids of an id sequence? *last gets the last sequence
 * value, if it can up to one. Ids that are part of an expression are left out
 * of account.
 */
IdgenFit
idgen_column_fit(const IdgenDrawingColumn *column, const IdgenExtent *extent, int64 *last)
{
	Capacity capacity = capacity_of(column, extent);
	bool big = column->call.form == IDGEN_DRAWS_NUMERIC;
	bool holds_composed = big ? capacity.digits >= IDGEN_BIG_ID_DIGITS : capacity.greatest == PG_INT64_MAX;

	if (!column->call.plain || !capacity.bounded)
		return IDGEN_FIT_ALL;
	if (idgen_layout_is_composed(extent->layout))
		return holds_composed ? IDGEN_FIT_ALL : IDGEN_FIT_NEVER;
	*last = last_held(&capacity, extent, column->call.form);
	if (!extent->layout->scrambled)
		return fit_up_to(&capacity, extent, *last);

	/* Ids lie anywhere from 1 to max_value. */
	return extent->limited_by == NULL || *last >= extent->limit ? IDGEN_FIT_ALL : IDGEN_FIT_NEVER;
}

/*
 * Of a column that never holds the ids, the limit is before the first one. One
 * that holds all until the native sequence begins anew is no limit.
 */
void
idgen_extent_limit_by_column(IdgenExtent *extent, const IdgenDrawingColumn *column)
{
	int64 last;

	switch (idgen_column_fit(column, extent, &last))
	{
		case IDGEN_FIT_ALL:
			return;
		case IDGEN_FIT_UP_TO:
			break;
		case IDGEN_FIT_NEVER:
			last = (int64) ((uint64) extent->first - (uint64) extent->step);
			break;
	}
	if (extent->cycles && (extent->step > 0 ? last >= extent->cycle_end : last <= extent->cycle_end))
		return;
	if (idgen_extent_reaches(extent, last))
		idgen_extent_limit(extent, IDGEN_LIMIT_COLUMN, last, idgen_column_title(column));
}

/*
 * The same for all columns that take the ids, and for the layout: which limits
 * bigint ids, but hardly those of idgen_next_big().
 */
void
idgen_extent_limit_by_columns(IdgenExtent *extent, List *columns)
{
	bool draws_bigint = columns == NIL;
	ListCell *cell;

	foreach(cell, columns)
		draws_bigint = draws_bigint || ((const IdgenDrawingColumn *) lfirst(cell))->call.form != IDGEN_DRAWS_NUMERIC;
	if (draws_bigint)
		idgen_extent_limit_by_layout(extent);
	foreach(cell, columns)
		idgen_extent_limit_by_column(extent, lfirst(cell));
}
