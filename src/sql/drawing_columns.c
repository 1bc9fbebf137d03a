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

/* A column as it was at one moment, palloc'd; NULL if it is gone by now. */
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
 * Add a column to the list, whose default draws by that call. Whatever may have
 * been dropped just now is left out, and so are temporary tables of other
 * sessions, which nobody else can read, and calls whose name is no constant.
 */
static List *
add_column(List *columns, const FormData_pg_attribute *att, const IdgenDrawCall *call)
{
	Oid relid = att->attrelid;
	IdgenDrawingColumn *column;

	if (call->name == NULL || get_rel_name(relid) == NULL || isOtherTempNamespace(get_rel_namespace(relid)))
		return columns;
	column = palloc(sizeof(IdgenDrawingColumn));
	*column = (IdgenDrawingColumn){
		.relid = relid,
		.attnum = att->attnum,
		.table = idgen_display_name(relid),
		.name = NameStr(att->attname),
		.type = att->atttypid,
		.typmod = att->atttypmod,
		.inherited = att->attinhcount > 0,
		.call = *call,
	};
	return lappend(columns, column);
}

/* Does an INSERT into it take the default of a column's domain? */
static bool
takes_defaults(Oid relid)
{
	char relkind = get_rel_relkind(relid);

	return relkind == RELKIND_RELATION || relkind == RELKIND_PARTITIONED_TABLE ||
		relkind == RELKIND_FOREIGN_TABLE;
}

/* Add a column that may have its default from its domain. */
static List *
add_column_of_domain(List *columns, Oid domain, const ObjectAddress *user, const IdgenDrawCall *call)
{
	Form_pg_attribute att;

	if (user->classId != RelationRelationId || user->objectSubId == 0)
		return columns;
	att = look_up_column(user->objectId, user->objectSubId);
	if (att == NULL || att->atttypid != domain || att->atthasdef || !takes_defaults(user->objectId))
		return columns;
	return add_column(columns, att, call);
}

/* Add a column, or the columns of a domain, that have such a default. */
static List *
add_columns(List *columns, const IdgenDrawingDefault *found)
{
	const ObjectAddress *object = &found->object;

	if (object->classId == TypeRelationId)
	{
		ListCell *cell;

		foreach(cell, idgen_dependants(TypeRelationId, object->objectId))
			columns = add_column_of_domain(columns, object->objectId, lfirst(cell), &found->call);
	}
	else
	{
		Form_pg_attribute att = look_up_column(object->objectId, object->objectSubId);

		if (att != NULL && att->atthasdef)
			columns = add_column(columns, att, &found->call);
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

/* The columns with these IdgenDrawingDefaults. */
static List *
find_columns(List *defaults)
{
	List *columns = NIL;
	ListCell *cell;

	foreach(cell, defaults)
		columns = add_columns(columns, lfirst(cell));
	list_sort(columns, compare_columns);
	return columns;
}

/*
 * All columns that draw from id sequences, as of the last look at their
 * defaults: a list of IdgenDrawingColumn, a column once for each id sequence.
 */
List *
idgen_drawing_columns(void)
{
	return find_columns(idgen_defaults_all());
}

/* Those that draw from the id sequence of that name. */
List *
idgen_columns_drawing_from(const char *name)
{
	return find_columns(idgen_defaults_from(name));
}

/* Those of a table. Each default is read: this needs no knowledge of others. */
List *
idgen_drawing_columns_of(Oid idgen_schema, Oid relid)
{
	List *functions = idgen_drawing_functions(idgen_schema);
	AttrNumber natts = count_columns(relid);
	List *columns = NIL;
	ListCell *cell;

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
		foreach(cell, idgen_default_calls(expr, functions))
			columns = add_column(columns, att, lfirst(cell));
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

		if (!parent->inherited && parent->call.plain == column->call.plain &&
		    strcmp(parent->name, column->name) == 0 &&
		    strcmp(parent->call.name, column->call.name) == 0 &&
		    inherits_from(column->relid, parent->relid))
			return true;
	}
	return false;
}
