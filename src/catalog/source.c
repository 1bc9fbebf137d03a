/*
 * source.c
 *		The sources that there are.
 *
 * Each source uses much of what lies below it, while its name is needed at the
 * bottom already, where a row is read. So they are listed here, and defined
 * above.
 */
#include "postgres.h"

#include "lib/stringinfo.h"
#include "utils/builtins.h"

#include "catalog/row.h"
#include "catalog/source.h"

static const IdgenSource *const sources[] = {
	&idgen_source_table,
	&idgen_source_sequence,
	&idgen_source_function,
	&idgen_source_server,
};

/* The source of that name, NULL if there is none. */
const IdgenSource *
idgen_source_find(const char *name)
{
	for (int i = 0; i < (int) lengthof(sources); i++)
		if (strcmp(sources[i]->name, name) == 0)
			return sources[i];
	return NULL;
}

/* The source that a row names; NULL if it is unknown. Raises 22004. */
const IdgenSource *
idgen_source_of_row(TupleTableSlot *row)
{
	return idgen_source_find(TextDatumGetCString(idgen_row_attribute(row, IDGEN_ATT_SOURCE)));
}

/*
 * The source of that name. Raises 22023 for one that is unknown.
 */
const IdgenSource *
idgen_source_get(const char *name)
{
	const IdgenSource *source = idgen_source_find(name);
	StringInfoData valid;

	if (source != NULL)
		return source;

	initStringInfo(&valid);
	for (int i = 0; i < (int) lengthof(sources); i++)
		appendStringInfo(&valid, "%s%s", i > 0 ? ", " : "", sources[i]->name);
	ereport(ERROR,
	        (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
	         errmsg("invalid source \"%s\"", name),
	         errhint("Valid values are: %s.", valid.data)));
}
