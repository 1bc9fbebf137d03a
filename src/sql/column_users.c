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
#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "utils/acl.h"
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
	Oid id_sequences;
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

/*
 * May columns of a role's tables own an id sequence, because the current user
 * has dropped the column that did? Everybody can make a table that draws, and
 * who owns the column can delete the row and lower its max_value. So that must
 * be somebody whose tables the current user shares, or who may delete the row
 * anyway. (A superuser does not mean to share with everybody.)
 */
static bool
may_own(Oid role, Oid id_sequences)
{
	return is_member_of_role_nosuper(GetUserId(), role) ||
		pg_class_aclcheck(id_sequences, role, ACL_DELETE) == ACLCHECK_OK;
}

/* What a column is to the id sequence that its default draws from. */
static IdgenUse
use_of_column(Oid id_sequences, ObjectAddress column)
{
	HeapTuple table = SearchSysCache1(RELOID, ObjectIdGetDatum(column.objectId));
	HeapTuple attribute;
	IdgenUse use;

	/* It is gone. */
	if (!HeapTupleIsValid(table))
		return IDGEN_USED_BY_NONE;
	attribute = SearchSysCacheAttNum(column.objectId, column.objectSubId);
	/* It is gone, or goes with its session. */
	if (!HeapTupleIsValid(attribute) ||
	    ((Form_pg_class) GETSTRUCT(table))->relpersistence == RELPERSISTENCE_TEMP)
		use = IDGEN_USED_BY_NONE;
	else if (!may_own(((Form_pg_class) GETSTRUCT(table))->relowner, id_sequences))
		use = IDGEN_USED_BY_OTHER;
	else if (((Form_pg_attribute) GETSTRUCT(attribute))->attinhcount > 0)
		use = IDGEN_USED_BY_INHERITOR;
	else
		use = IDGEN_USED_BY_COLUMN;
	if (HeapTupleIsValid(attribute))
		ReleaseSysCache(attribute);
	ReleaseSysCache(table);
	return use;
}

/* The default of a column, by its OID in pg_attrdef. */
static void
look_at_column(Search *search, Oid attrdef)
{
	ObjectAddress column = GetAttrDefaultColumnAddress(attrdef);

	search->use = use_of_column(search->id_sequences, column);
	if (search->use == IDGEN_USED_BY_NONE)
		return;
	search->column = search->use == IDGEN_USED_BY_OTHER ? IDGEN_NO_COLUMN : idgen_owning_column(column.objectId, column.objectSubId);
	note_draws(idgen_read_default(attrdef), search);
}

static void
look_at_domain(Search *search, Oid domain)
{
	search->use = IDGEN_USED_BY_OTHER;
	search->column = IDGEN_NO_COLUMN;
	note_draws(idgen_domain_default(domain), search);
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
 * Find out what draws from each of n id sequences. The array is sorted by name.
 */
void
idgen_find_users(Relation id_sequences, IdgenUsed *used, int n)
{
	Search search = {
		.functions = idgen_drawing_functions(RelationGetNamespace(id_sequences)),
		.used = used,
		.n = n,
		.id_sequences = RelationGetRelid(id_sequences),
	};
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
