/*
 * drawing_columns.c
 *		The columns of a database that draw from id sequences.
 *
 * The defaults that draw are those of columns and of domains. A domain leads to
 * the columns of that type.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/table.h"
#include "catalog/dependency.h"
#include "catalog/namespace.h"
#include "catalog/pg_attrdef.h"
#include "catalog/pg_class.h"
#include "catalog/pg_inherits.h"
#include "catalog/pg_type.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"

#include "common/compat.h"
#include "sql/dependants.h"
#include "sql/drawing_columns.h"
#include "sql/drawing_defaults.h"

/* A column as it was at one moment, or NULL if it is gone by now. */
static Form_pg_attribute
look_up_column(Oid relid, AttrNumber attnum)
{
	HeapTuple tuple = SearchSysCacheCopyAttNum(relid, attnum);

	if (!HeapTupleIsValid(tuple))
		return NULL;
	return (Form_pg_attribute) GETSTRUCT(tuple);
}

/* How many columns a table has, dropped ones included; 0 if it is gone. */
static AttrNumber
count_columns(Oid relid)
{
	HeapTuple tuple = SearchSysCache1(RELOID, ObjectIdGetDatum(relid));
	AttrNumber natts;

	if (!HeapTupleIsValid(tuple))
		return 0;
	natts = ((Form_pg_class) GETSTRUCT(tuple))->relnatts;
	ReleaseSysCache(tuple);
	return natts;
}

/*
 * Add a column to the list, once for each id sequence that its default draws
 * from. Whatever may have been dropped just now is left out, and so are
 * temporary tables of other sessions, which nobody else can read.
 */
static List *
add_column(List *columns, Oid idgen_schema, const FormData_pg_attribute *att, Node *expr)
{
	Oid relid = att->attrelid;
	IdgenDrawingColumn column = {
		.relid = relid,
		.name = NameStr(att->attname),
		.inherited = att->attinhcount > 0,
	};
	List *names = idgen_default_names(expr, idgen_drawing_functions(idgen_schema));
	ListCell *cell;

	if (names == NIL || get_rel_name(relid) == NULL || isOtherTempNamespace(get_rel_namespace(relid)))
		return columns;
	column.table = idgen_display_name(relid);
	column.plain = idgen_default_call(expr, idgen_schema, &column.call);
	foreach(cell, names)
	{
		IdgenDrawingColumn *copy = palloc(sizeof(IdgenDrawingColumn));

		*copy = column;
		copy->call.name = lfirst(cell);
		columns = lappend(columns, copy);
	}
	return columns;
}

/* Does an INSERT into it take the default of a column's domain? */
static bool
takes_defaults(Oid relid)
{
	char relkind = get_rel_relkind(relid);

	return relkind == RELKIND_RELATION || relkind == RELKIND_PARTITIONED_TABLE ||
		relkind == RELKIND_FOREIGN_TABLE;
}

/* Add a column that has its default from its domain. */
static List *
add_column_of_domain(List *columns, Oid idgen_schema, Oid domain, const ObjectAddress *user, Node *expr)
{
	Form_pg_attribute att;

	if (user->classId != RelationRelationId || user->objectSubId == 0)
		return columns;
	att = look_up_column(user->objectId, user->objectSubId);
	if (att == NULL || att->atttypid != domain || att->atthasdef || !takes_defaults(user->objectId))
		return columns;
	return add_column(columns, idgen_schema, att, expr);
}

/* Add a column, or the columns of a domain, that have such a default. */
static List *
add_columns(List *columns, Oid idgen_schema, const ObjectAddress *with_default)
{
	if (with_default->classId == TypeRelationId)
	{
		Node *expr = idgen_domain_default(with_default->objectId);
		ListCell *cell;

		foreach(cell, idgen_dependants(TypeRelationId, with_default->objectId))
			columns = add_column_of_domain(columns, idgen_schema, with_default->objectId, lfirst(cell), expr);
	}
	else
	{
		Form_pg_attribute att = look_up_column(with_default->objectId, with_default->objectSubId);

		if (att != NULL && att->atthasdef)
			columns = add_column(columns, idgen_schema, att,
			                     idgen_read_default(GetAttrDefaultOid(att->attrelid, att->attnum)));
	}
	return columns;
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

/* The columns with these defaults, which are columns or domains. */
static List *
find_columns(Oid idgen_schema, List *defaults)
{
	List *columns = NIL;
	ListCell *cell;

	foreach(cell, defaults)
		columns = add_columns(columns, idgen_schema, lfirst(cell));
	list_sort(columns, compare_columns);
	return columns;
}

/* All columns that draw from id sequences: a list of IdgenDrawingColumn. */
List *
idgen_drawing_columns(Oid idgen_schema)
{
	return find_columns(idgen_schema, idgen_defaults_all(idgen_schema));
}

/* Those that draw from the id sequence of that name. */
List *
idgen_columns_drawing_from(Oid idgen_schema, const char *name)
{
	List *columns = NIL;
	ListCell *cell;

	foreach(cell, find_columns(idgen_schema, idgen_defaults_from(idgen_schema, name)))
	{
		IdgenDrawingColumn *column = lfirst(cell);

		if (strcmp(column->call.name, name) == 0)
			columns = lappend(columns, column);
	}
	return columns;
}

/* Those of a table. Each default is read: this needs no knowledge of others. */
List *
idgen_drawing_columns_of(Oid idgen_schema, Oid relid)
{
	AttrNumber natts = count_columns(relid);
	List *columns = NIL;

	for (AttrNumber attnum = 1; attnum <= natts; attnum++)
	{
		Form_pg_attribute att = look_up_column(relid, attnum);
		Node *expr = NULL;

		if (att == NULL)
			continue;
		if (att->atthasdef)
			expr = idgen_read_default(GetAttrDefaultOid(relid, attnum));
		else if (takes_defaults(relid))
			expr = get_typdefault(att->atttypid);
		columns = add_column(columns, idgen_schema, att, expr);
	}
	list_sort(columns, compare_columns);
	return columns;
}

/* Does a table inherit from another one, directly or not? */
static bool
inherits_from(Oid relid, Oid ancestor)
{
	Relation rel = table_open(InheritsRelationId, AccessShareLock);
	List *line = list_make1_oid(relid);
	ListCell *cell;

	foreach(cell, line)
	{
		ScanKeyData key;
		SysScanDesc scan;
		HeapTuple tuple;

		ScanKeyInit(&key, Anum_pg_inherits_inhrelid, BTEqualStrategyNumber, F_OIDEQ,
		            ObjectIdGetDatum(lfirst_oid(cell)));
		scan = systable_beginscan(rel, InheritsRelidSeqnoIndexId, true, NULL, 1, &key);
		while (HeapTupleIsValid(tuple = systable_getnext(scan)))
			line = list_append_unique_oid(line, ((Form_pg_inherits) GETSTRUCT(tuple))->inhparent);
		systable_endscan(scan);
	}
	table_close(rel, AccessShareLock);
	return list_member_oid(line, ancestor);
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
		    inherits_from(column->relid, parent->relid))
			return true;
	}
	return false;
}
