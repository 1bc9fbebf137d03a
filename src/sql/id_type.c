/*
 * id_type.c
 *		What ids shall fit: the argument id_type of idgen_create().
 */
#include "postgres.h"

#include "sources/sources.h"
#include "sql/id_type.h"

/*
 * The types and their ends. A number of JavaScript is a double: it tells all
 * integers apart up to Number.MAX_SAFE_INTEGER. So does JSON where it is read
 * into such numbers.
 */
static const struct
{
	const char *name;
	int64 least;
	int64 end;
} types[] = {
	{"smallint", PG_INT16_MIN, PG_INT16_MAX},
	{"integer", PG_INT32_MIN, PG_INT32_MAX},
	{"bigint", PG_INT64_MIN, PG_INT64_MAX},
	{"javascript", 1 - (INT64CONST(1) << 53), (INT64CONST(1) << 53) - 1},
};

/*
 * The end of a type. Raises 22023 for an unknown one, and for a start below it.
 */
static int64
end_of(const char *type, int64 start)
{
	for (size_t i = 0; i < lengthof(types); i++)
	{
		if (strcmp(types[i].name, type) != 0)
			continue;
		if (start < types[i].least)
			ereport(ERROR,
			        (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			         errmsg("next_block_start (%lld) does not fit id_type \"%s\"", (long long) start, type),
			         errhint("Its least value is %lld.", (long long) types[i].least)));
		return types[i].end;
	}
	ereport(ERROR,
	        (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
	         errmsg("invalid id_type \"%s\"", type),
	         errhint("Valid values are: smallint, integer, bigint, javascript.")));
}

/*
 * The max_value with which ids from that start on fit that type. Raises 22023
 * for an unknown type, for a start that is none of it, and for a type that
 * max_value cannot keep the ids within, because the layout makes longer ones of
 * the sequence values, or the source has its own end.
 */
int64
idgen_id_type_max_value(const char *type, int64 start, const IdgenLayout *layout, const IdgenSource *source)
{
	int64 end = end_of(type, start);

	if (end < PG_INT64_MAX && layout->prefix_digits > 0)
		ereport(ERROR,
		        (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
		         errmsg("ids with layout \"%s\" do not fit id_type \"%s\"", layout->name, type),
		         errdetail("Composed ids have 19 digits.")));
	if (end < PG_INT64_MAX && source != &idgen_source_table)
		ereport(ERROR,
		        (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
		         errmsg("id_type \"%s\" needs source \"table\"", type),
		         errdetail("With source \"%s\", max_value does not bound the ids.", source->name),
		         errhint("Bound what the ids come from.")));
	return end;
}
