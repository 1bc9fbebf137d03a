/*
 * column.c
 *		A column that can be moved to an id sequence, or back: finding, checking
 *		and locking it.
 */
#include "postgres.h"

#include "catalog/catalog.h"
#include "catalog/pg_class.h"
#include "catalog/pg_inherits.h"
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "storage/lmgr.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"

#include "catalog/privileges.h"
#include "catalog/table.h"
#include "common/compat.h"
#include "sql/column.h"
#include "sql/column_default.h"

/* A relation's name for messages. */
const char *
idgen_display_name(Oid relid)
{
	return psprintf("%s.%s", get_namespace_name(get_rel_namespace(relid)), get_rel_name(relid));
}

/* A column's entry in pg_attribute, palloc'd. Raises 42703 if there is none. */
Form_pg_attribute
idgen_column_attribute(Oid relid, const char *name)
{
	HeapTuple tuple = SearchSysCacheCopyAttName(relid, name);

	if (!HeapTupleIsValid(tuple))
		ereport(ERROR,
		        (errcode(ERRCODE_UNDEFINED_COLUMN),
		         errmsg("column \"%s\" of relation \"%s\" does not exist", name, get_rel_name(relid))));
	return (Form_pg_attribute) GETSTRUCT(tuple);
}

/* The beginning of a command that changes the column in one of its tables. */
const char *
idgen_alter_column(const IdgenColumn *column, Oid member)
{
	return psprintf("ALTER TABLE %s ALTER COLUMN %s",
	                idgen_table_name(member), quote_identifier(column->name));
}

/*
 * What cannot be moved
 */

/* Why a column cannot be moved. */
typedef enum Obstacle
{
	OBSTACLE_NONE,
	OBSTACLE_RELATION,  /* it is not of a table, or the table is gone */
	OBSTACLE_CATALOG,   /* it is of a system catalog */
	OBSTACLE_TEMPORARY, /* of a temporary table */
	OBSTACLE_SYSTEM,    /* it is a system column */
	OBSTACLE_INHERITED,
	OBSTACLE_GENERATED,
	OBSTACLE_TYPE,
} Obstacle;

/* What keeps all columns of a relation from being moved? */
static Obstacle
table_obstacle(Oid relid)
{
	char relkind = get_rel_relkind(relid);

	if (relkind != RELKIND_RELATION && relkind != RELKIND_PARTITIONED_TABLE)
		return OBSTACLE_RELATION;
	if (IsCatalogNamespace(get_rel_namespace(relid)))
		return OBSTACLE_CATALOG;
	return get_rel_persistence(relid) == RELPERSISTENCE_TEMP ? OBSTACLE_TEMPORARY : OBSTACLE_NONE;
}

/*
 * What keeps them, in a table that inherits? The rows of a foreign table cannot
 * be locked. A table that is gone keeps nobody.
 */
static Obstacle
member_obstacle(Oid relid)
{
	char relkind = get_rel_relkind(relid);

	if (relkind != '\0' && get_rel_persistence(relid) == RELPERSISTENCE_TEMP)
		return OBSTACLE_TEMPORARY;
	return relkind == RELKIND_FOREIGN_TABLE ? OBSTACLE_RELATION : OBSTACLE_NONE;
}

/* What keeps this one? */
static Obstacle
attribute_obstacle(const FormData_pg_attribute *att)
{
	if (att->attnum < 0)
		return OBSTACLE_SYSTEM;
	if (att->attinhcount > 0)
		return OBSTACLE_INHERITED;
	if (att->attgenerated)
		return OBSTACLE_GENERATED;
	return idgen_greatest_value(getBaseType(att->atttypid)) == 0 ? OBSTACLE_TYPE : OBSTACLE_NONE;
}

pg_noreturn static void
refuse_temporary(Oid relid)
{
	ereport(ERROR,
	        (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
	         errmsg("cannot move a column of temporary table \"%s\"", get_rel_name(relid)),
	         errdetail("An id sequence outlives the session.")));
}

/*
 * Raises 42P01, 42809, 42501 or 0A000 unless this is a table whose columns the
 * caller may move.
 */
static void
check_table(Oid relid)
{
	char relkind = get_rel_relkind(relid);
	Obstacle obstacle = table_obstacle(relid);

	if (relkind == '\0')
		ereport(ERROR,
		        (errcode(ERRCODE_UNDEFINED_TABLE),
		         errmsg("relation with OID %u does not exist", relid)));
	if (obstacle == OBSTACLE_RELATION)
		ereport(ERROR,
		        (errcode(ERRCODE_WRONG_OBJECT_TYPE),
		         errmsg("cannot move a column of relation \"%s\"", get_rel_name(relid)),
		         errdetail_relkind_not_supported(relkind)));
	if (!object_ownercheck(RelationRelationId, relid, GetUserId()))
		aclcheck_error(ACLCHECK_NOT_OWNER, get_relkind_objtype(relkind), get_rel_name(relid));
	if (obstacle == OBSTACLE_CATALOG)
		ereport(ERROR,
		        (errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
		         errmsg("permission denied: \"%s\" is a system catalog", get_rel_name(relid))));
	if (obstacle == OBSTACLE_TEMPORARY)
		refuse_temporary(relid);
}

/*
 * Raises 42501 or 0A000 unless the caller may move the column of all members.
 */
static void
check_members(List *members)
{
	ListCell *cell;

	foreach(cell, members)
	{
		Oid relid = lfirst_oid(cell);
		Obstacle obstacle = member_obstacle(relid);

		if (obstacle == OBSTACLE_TEMPORARY)
			refuse_temporary(relid);
		if (obstacle != OBSTACLE_NONE)
			ereport(ERROR,
			        (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
			         errmsg("cannot move a column that foreign table \"%s\" has inherited", get_rel_name(relid)),
			         errdetail("Its rows cannot be locked.")));
		if (!object_ownercheck(RelationRelationId, relid, GetUserId()))
			aclcheck_error(ACLCHECK_NOT_OWNER, OBJECT_TABLE, get_rel_name(relid));
	}
}

/* Raises 0A000, 42P16, 55000 or 42804 for an attribute that cannot be moved. */
static void
check_attribute(Oid relid, const char *name, Form_pg_attribute att)
{
	switch (attribute_obstacle(att))
	{
		case OBSTACLE_SYSTEM:
			ereport(ERROR,
			        (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
			         errmsg("cannot move system column \"%s\"", name)));
			break;
		case OBSTACLE_INHERITED:
			ereport(ERROR,
			        (errcode(ERRCODE_INVALID_TABLE_DEFINITION),
			         errmsg("cannot move inherited column \"%s\" of relation \"%s\"", name, get_rel_name(relid)),
			         get_rel_relispartition(relid) ? errhint("Move the column of the partitioned table.") : errhint("Move the column of the table that it is inherited from.")));
			break;
		case OBSTACLE_GENERATED:
			ereport(ERROR,
			        (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
			         errmsg("column \"%s\" of relation \"%s\" is a generated column", name, get_rel_name(relid))));
			break;
		case OBSTACLE_TYPE:
			ereport(ERROR,
			        (errcode(ERRCODE_DATATYPE_MISMATCH),
			         errmsg("column \"%s\" of relation \"%s\" must be of type smallint, integer, or bigint",
			                name, get_rel_name(relid)),
			         errdetail("Its type is %s.", format_type_be(att->atttypid))));
			break;
		default:
			break;
	}
}

/* The greatest value of an integer type, 0 for other types. */
int64
idgen_greatest_value(Oid type)
{
	switch (type)
	{
		case INT2OID:
			return PG_INT16_MAX;
		case INT4OID:
			return PG_INT32_MAX;
		case INT8OID:
			return PG_INT64_MAX;
		default:
			return 0;
	}
}

/*
 * Find the column that "table_oid" and "name" say, after checking that it can
 * be moved. Leaves "members" alone. Raises 42703 if there is none, and what the
 * checks do.
 */
static void
find_column(IdgenColumn *column)
{
	Oid relid = column->table_oid;
	Form_pg_attribute att;

	check_table(relid);
	att = idgen_column_attribute(relid, column->name);
	check_attribute(relid, column->name, att);

	column->table = idgen_display_name(relid);
	column->type = getBaseType(att->atttypid);
	column->type_max = idgen_greatest_value(column->type);
	column->identity = att->attidentity;
	column->partitioned = get_rel_relkind(relid) == RELKIND_PARTITIONED_TABLE;
	column->default_expr = idgen_column_default(relid, column->name);
	column->default_domain = column->default_expr == NULL || att->atthasdef ? InvalidOid : att->atttypid;
}

/*
 * Find the column that "table_oid" and "name" say, and lock its table with all
 * inheritors, until the transaction ends. Everything is checked before the lock
 * is requested, and again under it: nobody should wait for a lock only to be
 * refused. "needed" are the privileges on id_sequences that it takes to move
 * it. Raises what find_column() does, and 42501.
 */
void
idgen_column_lock(IdgenColumn *column, Oid id_sequences, AclMode needed)
{
	find_column(column);
	idgen_check_may_change(id_sequences, needed);
	LockRelationOid(column->table_oid, AccessExclusiveLock);
	find_column(column);
	column->members = find_all_inheritors(column->table_oid, AccessExclusiveLock, NULL);
	check_members(column->members);
}
