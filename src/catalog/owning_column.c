/*
 * owning_column.c
 *		The column that an id sequence belongs to: what it is called, and how
 *		many ids its type has left.
 *
 * The value holds an OID and a number, so it follows a column that is renamed
 * or moved. It is shown as a name, like a regclass. So a dump has the name, and
 * a restored database finds the OID that the table has there.
 *
 * Unlike regclass, a name that stands for nothing can be read: a dump may have
 * left the table out, and the rows must be restored nevertheless.
 */
#include "postgres.h"

#include "access/transam.h"
#include "catalog/namespace.h"
#include "catalog/pg_class.h"
#include "catalog/pg_type.h"
#include "commands/dbcommands.h"
#include "miscadmin.h"
#include "nodes/value.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/varlena.h"

#include "catalog/owning_column.h"
#include "catalog/table.h"
#include "common/compat.h"

/* What stands for no column, as "-" does for regclass. */
#define NO_COLUMN_NAME "-"

/* Is there such a column? (One that is dropped has no type.) */
bool
idgen_owning_column_exists(IdgenOwningColumn column)
{
	return OidIsValid(get_atttype(idgen_owning_table(column), idgen_owning_attnum(column)));
}

/*
 * Why an id sequence cannot belong to that column, as a sentence; NULL if it
 * can. The server lets sequences belong to columns of the same kinds of
 * relations.
 */
const char *
idgen_owning_column_problem(IdgenOwningColumn column)
{
	Oid relid = idgen_owning_table(column);

	if (!idgen_owning_column_exists(column))
		return "There is no such column.";
	if (idgen_owning_attnum(column) < 0)
		return "It is a system column.";
	switch (get_rel_relkind(relid))
	{
		case RELKIND_RELATION:
		case RELKIND_FOREIGN_TABLE:
		case RELKIND_VIEW:
		case RELKIND_PARTITIONED_TABLE:
			break;
		default:
			return "It does not belong to a table.";
	}
	/* Not even initdb's other tables and views: a dump has none of them. */
	if (relid < FirstNormalObjectId)
		return "Its table is one of the system.";
	if (get_rel_persistence(relid) == RELPERSISTENCE_TEMP)
		return "Its table is temporary, and an id sequence outlives the session.";
	return NULL;
}

/*
 * "schema.table.column", quoted where that is needed; "-" if there is no such
 * column.
 */
char *
idgen_owning_column_name(IdgenOwningColumn column)
{
	Oid relid = idgen_owning_table(column);
	const char *table = idgen_relation_name(relid);

	if (table == NULL || !idgen_owning_column_exists(column))
		return pstrdup(NO_COLUMN_NAME);
	return psprintf("%s.%s", table, quote_identifier(get_attname(relid, idgen_owning_attnum(column), false)));
}

/*
 * The type of a column or, if that is a domain, the one that this is made of.
 * Invalid if the column is gone.
 */
static Oid
base_type_of(IdgenOwningColumn column)
{
	Oid type = get_atttype(idgen_owning_table(column), idgen_owning_attnum(column));

	return OidIsValid(type) ? getBaseType(type) : InvalidOid;
}

/*
 * The column where it limits an id sequence, with the type that does:
 * "column schema.table.column (integer)".
 */
char *
idgen_owning_column_title(IdgenOwningColumn column)
{
	Oid type = base_type_of(column);
	char *name = idgen_owning_column_name(column);

	return OidIsValid(type) ? psprintf("column %s (%s)", name, format_type_be(type)) : psprintf("column %s", name);
}

/*
 * The greatest number that an integer column holds or, if "step" is negative,
 * the least one. False if its type is another one, or it is gone.
 */
static bool
find_end(IdgenOwningColumn column, int step, int64 *end)
{
	switch (base_type_of(column))
	{
		case INT2OID:
			*end = step > 0 ? PG_INT16_MAX : PG_INT16_MIN;
			return true;
		case INT4OID:
			*end = step > 0 ? PG_INT32_MAX : PG_INT32_MIN;
			return true;
		case INT8OID:
			*end = step > 0 ? PG_INT64_MAX : PG_INT64_MIN;
			return true;
		default:
			return false;
	}
}

/*
 * The command that widens an integer column whose type has no id after "last";
 * NULL if it has one, no type has, or the column is gone.
 */
char *
idgen_owning_column_widening(IdgenOwningColumn column, int64 last)
{
	const char *table = idgen_relation_name(idgen_owning_table(column));
	const char *name = get_attname(idgen_owning_table(column), idgen_owning_attnum(column), true);
	int64 end;

	if (table == NULL || name == NULL || !find_end(column, 1, &end) || last < end || end == PG_INT64_MAX)
		return NULL;
	return psprintf("ALTER TABLE %s ALTER COLUMN %s TYPE bigint", table, quote_identifier(name));
}

/*
 * What is left of the range from "first" to "last" if no block holds "next" and
 * what lies behind it. ("next" may lie behind the range.) These are doubles,
 * since ranges may be wider than 2^63.
 *
 * The ids are stored in that column (IDGEN_NO_COLUMN for none), and its type
 * may end the range before: an integer column is full long before a bigint id
 * sequence is. So each refill looks the type up, in the system caches. To know
 * which other columns draw from the id sequence takes reading all defaults:
 * view idgen_health does that.
 */
IdgenRangeLeft
idgen_range_left(double first, double next, double last, IdgenOwningColumn column)
{
	int step = first <= last ? 1 : -1;
	IdgenRangeLeft left = {.column = IDGEN_NO_COLUMN};
	int64 end;

	if (column != IDGEN_NO_COLUMN && find_end(column, step, &end) && step * (end - last) < 0)
	{
		last = end;
		left.column = column;
	}
	left.ids = step * (last - next) + 1;
	left.percent = (int) Max(0, 100 * left.ids / Max(step * (last - first) + 1, 1));
	return left;
}

/*
 * The table of that name, invalid if there is none. Unlike the server's own
 * function, this does not raise 42501 for a schema that the current user may
 * not use: catalogs tell everybody what is in there, and rows must be restored
 * by those that cannot use all of them. Raises 0A000.
 */
static Oid
find_table(const RangeVar *table)
{
	if (table->catalogname != NULL && strcmp(table->catalogname, get_database_name(MyDatabaseId)) != 0)
		ereport(ERROR,
		        (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
		         errmsg("cross-database references are not implemented: \"%s.%s.%s\"",
		                table->catalogname, table->schemaname, table->relname)));
	if (table->schemaname == NULL)
		return RelnameGetRelid(table->relname);
	return get_relname_relid(table->relname, get_namespace_oid(table->schemaname, true));
}

/*
 * The column of that name, "table.column" or "schema.table.column". Without a
 * schema, search_path says which table is meant. If there is none, reports
 * 42P01 or 42703 at that level, and returns IDGEN_NO_COLUMN. Raises 42602 for
 * what is no name, 0A000 for another database's.
 */
IdgenOwningColumn
idgen_owning_column_find(const char *name, int elevel)
{
	List *parts;
	List *names = NIL;
	ListCell *cell;
	char *column;
	RangeVar *table;
	Oid relid;
	AttrNumber attnum;

	if (strcmp(name, NO_COLUMN_NAME) == 0)
		return IDGEN_NO_COLUMN;
	if (!SplitIdentifierString(pstrdup(name), '.', &parts) || list_length(parts) < 2)
		ereport(ERROR,
		        (errcode(ERRCODE_INVALID_NAME),
		         errmsg("\"%s\" is not the name of a column", name),
		         errhint("Write it as table.column, or schema.table.column.")));
	foreach(cell, parts)
		names = lappend(names, makeString(pstrdup(lfirst(cell))));
	column = strVal(llast(names));
	table = makeRangeVarFromNameList(list_truncate(names, list_length(names) - 1));
	relid = find_table(table);
	if (!OidIsValid(relid))
	{
		ereport(elevel,
		        (errcode(ERRCODE_UNDEFINED_TABLE),
		         errmsg("relation \"%s\" does not exist", NameListToString(names))));
		return IDGEN_NO_COLUMN;
	}
	attnum = get_attnum(relid, column);
	if (attnum == InvalidAttrNumber)
	{
		ereport(elevel,
		        (errcode(ERRCODE_UNDEFINED_COLUMN),
		         errmsg("column \"%s\" of relation \"%s\" does not exist", column, get_rel_name(relid))));
		return IDGEN_NO_COLUMN;
	}
	return idgen_owning_column(relid, attnum);
}
