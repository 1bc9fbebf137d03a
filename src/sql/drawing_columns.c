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
#include "utils/acl.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"

#include "common/as_owner.h"
#include "common/compat.h"
#include "sql/dependants.h"
#include "sql/drawing_columns.h"
#include "sql/drawing_defaults.h"

/* A column as it was at one moment, palloc'd; NULL if it is gone by now. */
Form_pg_attribute
idgen_look_up_column(Oid relid, AttrNumber attnum)
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
 * A column that draws by that call, palloc'd. NULL if its table has been
 * dropped just now, or is a temporary one of another session: nobody else can
 * read it.
 */
IdgenDrawingColumn *
idgen_describe_column(Form_pg_attribute att, const IdgenDrawCall *call)
{
	Oid relid = att->attrelid;
	IdgenDrawingColumn *column;

	if (get_rel_name(relid) == NULL || isOtherTempNamespace(get_rel_namespace(relid)))
		return NULL;
	column = palloc(sizeof(IdgenDrawingColumn));
	*column = (IdgenDrawingColumn){
		.relid = relid,
		.attnum = att->attnum,
		.owner = idgen_owner_of(relid),
		.table = idgen_display_name(relid),
		.name = NameStr(att->attname),
		.type = att->atttypid,
		.typmod = att->atttypmod,
		.inherited = att->attinhcount > 0,
		.call = *call,
	};
	return column;
}

/*
 * Do columns of tables that a role owns count for an id sequence that they draw
 * from? Anybody can make a table with such a default: what is in it must not
 * move, exhaust or block what others draw from. So a role counts that may write
 * to the row, or to the native sequence, anyway, or that acts for the owner of
 * the column that the id sequence belongs to. The last two are invalid if there
 * are none.
 */
bool
idgen_role_counts(Oid role, Oid id_sequences, Oid owner, Oid sequence)
{
	return pg_class_aclcheck(id_sequences, role, ACL_DELETE) == ACLCHECK_OK ||
		(OidIsValid(owner) && has_privs_of_role(role, owner)) ||
		(OidIsValid(sequence) && pg_class_aclcheck(sequence, role, ACL_UPDATE) == ACLCHECK_OK);
}

/* Add a column that draws by that call, if its name is a constant. */
static List *
add_column(List *columns, Form_pg_attribute att, const IdgenDrawCall *call)
{
	IdgenDrawingColumn *column = call->name != NULL ? idgen_describe_column(att, call) : NULL;

	return column != NULL ? lappend(columns, column) : columns;
}

/* Does an INSERT into it take the default of a column's domain? */
static bool
takes_defaults(Oid relid)
{
	char relkind = get_rel_relkind(relid);

	return relkind == RELKIND_RELATION || relkind == RELKIND_PARTITIONED_TABLE ||
		relkind == RELKIND_FOREIGN_TABLE;
}

/* Does a column have its default from that domain? */
static bool
has_default_of_domain(Form_pg_attribute att, Oid domain)
{
	return att->atttypid == domain && !att->atthasdef && takes_defaults(att->attrelid);
}

/*
 * The columns whose default that is, of a column or of a domain: a list of
 * Form_pg_attribute, palloc'd.
 */
List *
idgen_columns_with_default(const ObjectAddress *object)
{
	List *columns = NIL;
	Form_pg_attribute att;
	ListCell *cell;

	if (object->classId == RelationRelationId)
	{
		att = idgen_look_up_column(object->objectId, object->objectSubId);
		return att != NULL && att->atthasdef ? list_make1(att) : NIL;
	}
	foreach(cell, idgen_dependants(TypeRelationId, object->objectId))
	{
		const ObjectAddress *user = lfirst(cell);

		if (user->classId != RelationRelationId || user->objectSubId == 0)
			continue;
		att = idgen_look_up_column(user->objectId, user->objectSubId);
		if (att != NULL && has_default_of_domain(att, object->objectId))
			columns = lappend(columns, att);
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
	ListCell *default_cell;
	ListCell *column_cell;

	foreach(default_cell, defaults)
	{
		const IdgenDrawingDefault *found = lfirst(default_cell);

		foreach(column_cell, idgen_columns_with_default(&found->object))
			columns = add_column(columns, lfirst(column_cell), &found->call);
	}
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
		Form_pg_attribute att = idgen_look_up_column(relid, attnum);
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

/*
 * Of the lines of pg_inherits that have a table in one column, what the other
 * column has.
 */
static List *
read_inheritance(AttrNumber attnum, Oid index, Oid relid)
{
	Relation rel = table_open(InheritsRelationId, AccessShareLock);
	List *found = NIL;
	ScanKeyData key;
	SysScanDesc scan;
	HeapTuple tuple;

	ScanKeyInit(&key, attnum, BTEqualStrategyNumber, F_OIDEQ, ObjectIdGetDatum(relid));
	scan = systable_beginscan(rel, index, true, NULL, 1, &key);
	while (HeapTupleIsValid(tuple = systable_getnext(scan)))
	{
		Form_pg_inherits form = (Form_pg_inherits) GETSTRUCT(tuple);

		found = lappend_oid(found, attnum == Anum_pg_inherits_inhrelid ? form->inhparent : form->inhrelid);
	}
	systable_endscan(scan);
	table_close(rel, AccessShareLock);
	return found;
}

/* The tables that a table inherits from directly, as a list of OIDs. */
List *
idgen_parents_of(Oid relid)
{
	return read_inheritance(Anum_pg_inherits_inhrelid, InheritsRelidSeqnoIndexId, relid);
}

/*
 * A table and all that inherit from it, directly or not, as a list of OIDs. The
 * server's own function raises an error if a table is dropped meanwhile.
 */
List *
idgen_heirs_of(Oid relid)
{
	List *line = list_make1_oid(relid);
	ListCell *cell;

	foreach(cell, line)
		line = list_concat_unique_oid(line, read_inheritance(Anum_pg_inherits_inhparent, InheritsParentIndexId, lfirst_oid(cell)));
	return line;
}

/* Does a table inherit from another one, directly or not? */
static bool
inherits_from(Oid relid, Oid ancestor)
{
	List *line = list_make1_oid(relid);
	ListCell *cell;

	foreach(cell, line)
		line = list_concat_unique_oid(line, idgen_parents_of(lfirst_oid(cell)));
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
