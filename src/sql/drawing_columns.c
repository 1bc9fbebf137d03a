/*
 * drawing_columns.c
 *		The columns of a database that draw from id sequences.
 *
 * The server notes on what a default depends. So the defaults that draw are
 * found from the functions that draw; a domain with such a default leads to the
 * columns of that type.
 */
#include "postgres.h"

#include "catalog/dependency.h"
#include "catalog/namespace.h"
#include "catalog/pg_attrdef.h"
#include "catalog/pg_class.h"
#include "catalog/pg_inherits.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"

#include "common/compat.h"
#include "sql/dependants.h"
#include "sql/drawing_columns.h"

/* The columns found so far. */
typedef struct Columns
{
	Oid idgen_schema;
	List *list; /* of IdgenDrawingColumn */
} Columns;

static bool
is_known(const Columns *columns, Oid relid, const char *name)
{
	ListCell *cell;

	foreach(cell, columns->list)
	{
		const IdgenDrawingColumn *column = lfirst(cell);

		if (column->relid == relid && strcmp(column->name, name) == 0)
			return true;
	}
	return false;
}

/* A column as it was at one moment, or NULL if it is gone by now. */
static Form_pg_attribute
look_up_column(Oid relid, AttrNumber attnum)
{
	HeapTuple tuple = SearchSysCacheCopyAttNum(relid, attnum);

	if (!HeapTupleIsValid(tuple))
		return NULL;
	return (Form_pg_attribute) GETSTRUCT(tuple);
}

/*
 * Add a column, once for each id sequence that its default draws from. Whatever
 * may have been dropped just now is left out, and so are temporary tables of
 * other sessions, which nobody else can read.
 */
static void
add_column(Columns *columns, const FormData_pg_attribute *att, Node *expr)
{
	Oid relid = att->attrelid;
	const char *name = NameStr(att->attname);
	IdgenDrawingColumn column = {.relid = relid, .name = name, .inherited = att->attinhcount > 0};
	ListCell *cell;

	if (get_rel_name(relid) == NULL || is_known(columns, relid, name) ||
	    isOtherTempNamespace(get_rel_namespace(relid)))
		return;
	column.table = idgen_display_name(relid);
	column.plain = idgen_default_call(expr, columns->idgen_schema, &column.call);
	foreach(cell, idgen_default_names(expr, columns->idgen_schema))
	{
		IdgenDrawingColumn *copy = palloc(sizeof(IdgenDrawingColumn));

		*copy = column;
		copy->call.name = lfirst(cell);
		columns->list = lappend(columns->list, copy);
	}
}

/* Does an INSERT into it take the default of a column's domain? */
static bool
takes_defaults(Oid relid)
{
	char relkind = get_rel_relkind(relid);

	return relkind == RELKIND_RELATION || relkind == RELKIND_PARTITIONED_TABLE ||
		relkind == RELKIND_FOREIGN_TABLE;
}

/* Add the columns that have their default from a domain. */
static void
add_domain(Columns *columns, Oid domain)
{
	Node *expr = idgen_domain_default(domain);
	ListCell *cell;

	if (expr == NULL || idgen_default_names(expr, columns->idgen_schema) == NIL)
		return;
	foreach(cell, idgen_dependants(TypeRelationId, domain))
	{
		const ObjectAddress *user = lfirst(cell);
		Form_pg_attribute att;

		if (user->classId != RelationRelationId || user->objectSubId == 0)
			continue;
		att = look_up_column(user->objectId, user->objectSubId);
		if (att != NULL && att->atttypid == domain && !att->atthasdef && takes_defaults(user->objectId))
			add_column(columns, att, expr);
	}
}

/* Sort by the names of table and column. */
static int
compare_columns(const ListCell *a, const ListCell *b)
{
	const IdgenDrawingColumn *x = lfirst(a);
	const IdgenDrawingColumn *y = lfirst(b);
	int order = strcmp(x->table, y->table);

	return order != 0 ? order : strcmp(x->name, y->name);
}

/* All columns that draw from id sequences: a list of IdgenDrawingColumn. */
List *
idgen_drawing_columns(Oid idgen_schema)
{
	Columns columns = {.idgen_schema = idgen_schema};
	ListCell *function;
	ListCell *cell;

	foreach(function, idgen_drawing_functions(idgen_schema))
	{
		foreach(cell, idgen_dependants(ProcedureRelationId, lfirst_oid(function)))
		{
			const ObjectAddress *user = lfirst(cell);

			if (user->classId == AttrDefaultRelationId)
			{
				ObjectAddress column = GetAttrDefaultColumnAddress(user->objectId);
				Form_pg_attribute att = look_up_column(column.objectId, column.objectSubId);
				Node *expr = idgen_read_default(user->objectId);

				if (att != NULL && expr != NULL)
					add_column(&columns, att, expr);
			}
			else if (user->classId == TypeRelationId)
				add_domain(&columns, user->objectId);
		}
	}
	list_sort(columns.list, compare_columns);
	return columns.list;
}

/*
 * Is the column that of another one's table by inheritance, and does it draw
 * from the same id sequence? Then whoever reads that table has read this one.
 */
bool
idgen_column_is_inherited_from(const IdgenDrawingColumn *column, List *columns)
{
	ListCell *cell;

	if (!column->inherited)
		return false;
	foreach(cell, columns)
	{
		const IdgenDrawingColumn *parent = lfirst(cell);

		if (!parent->inherited && parent->plain == column->plain &&
		    strcmp(parent->name, column->name) == 0 &&
		    strcmp(parent->call.name, column->call.name) == 0 &&
		    list_member_oid(find_all_inheritors(parent->relid, NoLock, NULL), column->relid))
			return true;
	}
	return false;
}
