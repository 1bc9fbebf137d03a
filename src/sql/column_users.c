/*
 * column_users.c
 *		Which columns draw from id sequences by their defaults.
 *
 * The server knows which defaults depend on the functions that draw, but not
 * from what they draw. So all of them are read, once for all id sequences that
 * are asked about.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "catalog/dependency.h"
#include "catalog/pg_attrdef.h"
#include "catalog/pg_class.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
#include "nodes/nodeFuncs.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"

#include "common/compat.h"
#include "sql/column_default.h"
#include "sql/column_users.h"
#include "sql/dependants.h"

/* An expression that is looked into, and on whose behalf. */
typedef struct Search
{
	List *functions; /* see idgen_drawing_functions() */
	IdgenUsed *used; /* in the order of names */
	int n;
	IdgenUse use; /* what the expression is the default of */
	IdgenOwningColumn column;
} Search;

static int
compare_names(const void *a, const void *b)
{
	return strcmp(((const IdgenUsed *) a)->name, ((const IdgenUsed *) b)->name);
}

/* Walker: note each id sequence that an expression draws from. */
static bool
note_draws(Node *node, void *context)
{
	Search *search = (Search *) context;
	IdgenUsed key;

	if (node == NULL)
		return false;
	key.name = idgen_drawn_from(node, search->functions);
	if (key.name != NULL)
	{
		IdgenUsed *found = bsearch(&key, search->used, search->n, sizeof(IdgenUsed), compare_names);

		if (found != NULL && search->use > found->use)
		{
			found->use = search->use;
			found->column = search->column;
		}
	}
	return expression_tree_walker(node, note_draws, context);
}

/* The default of a column, by its OID in pg_attrdef. */
static void
look_at_column(Search *search, Oid attrdef)
{
	ObjectAddress column = GetAttrDefaultColumnAddress(attrdef);
	HeapTuple tuple;

	/* It is gone, or goes with its session. */
	if (!OidIsValid(column.objectId) || get_rel_persistence(column.objectId) == RELPERSISTENCE_TEMP)
		return;
	tuple = SearchSysCacheAttNum(column.objectId, column.objectSubId);
	if (!HeapTupleIsValid(tuple))
		return;
	search->use = ((Form_pg_attribute) GETSTRUCT(tuple))->attinhcount > 0 ? IDGEN_USED_BY_INHERITOR : IDGEN_USED_BY_COLUMN;
	search->column = idgen_owning_column(column.objectId, column.objectSubId);
	ReleaseSysCache(tuple);
	note_draws(idgen_read_default(attrdef), search);
}

static void
look_at_domain(Search *search, Oid domain)
{
	search->use = IDGEN_USED_BY_DOMAIN;
	search->column = IDGEN_NO_COLUMN;
	note_draws(get_typdefault(domain), search);
}

/* All defaults that depend on a function. */
static void
look_at_dependants(Search *search, Oid function)
{
	ListCell *cell;

	foreach(cell, idgen_dependants(ProcedureRelationId, function))
	{
		const ObjectAddress *user = lfirst(cell);

		if (user->classId == AttrDefaultRelationId)
			look_at_column(search, user->objectId);
		else if (user->classId == TypeRelationId)
			look_at_domain(search, user->objectId);
	}
}

/*
 * Find out what draws from each of n id sequences, which all have the same
 * id_sequences. The array is sorted by name.
 */
void
idgen_find_users(Oid idgen_schema, IdgenUsed *used, int n)
{
	Search search = {.functions = idgen_drawing_functions(idgen_schema), .used = used, .n = n};
	ListCell *cell;

	qsort(used, n, sizeof(IdgenUsed), compare_names);
	for (int i = 0; i < n; i++)
	{
		used[i].use = IDGEN_USED_BY_NONE;
		used[i].column = IDGEN_NO_COLUMN;
	}
	foreach(cell, search.functions)
		look_at_dependants(&search, lfirst_oid(cell));
}
