/*
 * column.c
 *		A column that can be moved to an id sequence, or back.
 *
 * What it is and what it draws from so far, found in the catalogs, checked and
 * locked.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/table.h"
#include "catalog/catalog.h"
#include "catalog/dependency.h"
#include "catalog/indexing.h"
#include "catalog/pg_attrdef.h"
#include "catalog/pg_class.h"
#include "catalog/pg_depend.h"
#include "catalog/pg_inherits.h"
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "storage/lmgr.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"

#include "common/compat.h"
#include "sql/column.h"

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

/* An expression that is a column's default, by its OID in pg_attrdef. */
Node *
idgen_read_default(Oid attrdef)
{
	Relation rel = table_open(AttrDefaultRelationId, AccessShareLock);
	ScanKeyData key;
	SysScanDesc scan;
	HeapTuple tuple;
	Node *expr = NULL;

	ScanKeyInit(&key, Anum_pg_attrdef_oid, BTEqualStrategyNumber, F_OIDEQ, ObjectIdGetDatum(attrdef));
	scan = systable_beginscan(rel, AttrDefaultOidIndexId, true, NULL, 1, &key);
	tuple = systable_getnext(scan);
	if (HeapTupleIsValid(tuple))
	{
		bool isnull;
		Datum adbin = heap_getattr(tuple, Anum_pg_attrdef_adbin, RelationGetDescr(rel), &isnull);

		expr = (Node *) stringToNode(TextDatumGetCString(adbin));
	}
	systable_endscan(scan);
	table_close(rel, AccessShareLock);
	return expr;
}

/* What an INSERT takes for a column: its own default, or that of its domain. NULL if nothing. */
Node *
idgen_column_default(Oid relid, const char *name)
{
	Form_pg_attribute att = idgen_column_attribute(relid, name);

	if (att->atthasdef)
		return idgen_read_default(GetAttrDefaultOid(relid, att->attnum));
	return get_typdefault(att->atttypid);
}

static void
check_not_temporary(Oid relid)
{
	if (get_rel_persistence(relid) == RELPERSISTENCE_TEMP)
		ereport(ERROR,
		        (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
		         errmsg("cannot move a column of temporary table \"%s\"", get_rel_name(relid)),
		         errdetail("An id sequence outlives the session.")));
}

/* Raises 42P01, 42809, 42501, 0A000 for what is not a table whose columns the caller may move. */
static void
check_table(Oid relid)
{
	char relkind = get_rel_relkind(relid);

	if (relkind == '\0')
		ereport(ERROR,
		        (errcode(ERRCODE_UNDEFINED_TABLE),
		         errmsg("relation with OID %u does not exist", relid)));
	if (relkind != RELKIND_RELATION && relkind != RELKIND_PARTITIONED_TABLE)
		ereport(ERROR,
		        (errcode(ERRCODE_WRONG_OBJECT_TYPE),
		         errmsg("cannot move a column of relation \"%s\"", get_rel_name(relid)),
		         errdetail_relkind_not_supported(relkind)));
	if (!object_ownercheck(RelationRelationId, relid, GetUserId()))
		aclcheck_error(ACLCHECK_NOT_OWNER, get_relkind_objtype(relkind), get_rel_name(relid));
	if (IsCatalogNamespace(get_rel_namespace(relid)))
		ereport(ERROR,
		        (errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
		         errmsg("permission denied: \"%s\" is a system catalog", get_rel_name(relid))));
	check_not_temporary(relid);
}

/* The same for what inherits from it. */
static void
check_members(List *members)
{
	ListCell *cell;

	foreach(cell, members)
	{
		Oid relid = lfirst_oid(cell);

		check_not_temporary(relid);
		if (get_rel_relkind(relid) == RELKIND_FOREIGN_TABLE)
			ereport(ERROR,
			        (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
			         errmsg("cannot move a column that foreign table \"%s\" has inherited", get_rel_name(relid)),
			         errdetail("Its rows cannot be locked.")));
		if (!object_ownercheck(RelationRelationId, relid, GetUserId()))
			aclcheck_error(ACLCHECK_NOT_OWNER, OBJECT_TABLE, get_rel_name(relid));
	}
}

/* Raises an error for an attribute that cannot be moved. */
static void
check_attribute(Oid relid, const char *name, Form_pg_attribute att)
{
	Oid type;

	if (att->attnum < 0)
		ereport(ERROR,
		        (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
		         errmsg("cannot move system column \"%s\"", name)));
	if (att->attinhcount > 0)
		ereport(ERROR,
		        (errcode(ERRCODE_INVALID_TABLE_DEFINITION),
		         errmsg("cannot move inherited column \"%s\" of relation \"%s\"", name, get_rel_name(relid)),
		         get_rel_relispartition(relid) ? errhint("Move the column of the partitioned table.") : errhint("Move the column of the table that it is inherited from.")));
	if (att->attgenerated)
		ereport(ERROR,
		        (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
		         errmsg("column \"%s\" of relation \"%s\" is a generated column", name, get_rel_name(relid))));
	type = getBaseType(att->atttypid);
	if (type != INT2OID && type != INT4OID && type != INT8OID)
		ereport(ERROR,
		        (errcode(ERRCODE_DATATYPE_MISMATCH),
		         errmsg("column \"%s\" of relation \"%s\" must be of type smallint, integer, or bigint",
		                name, get_rel_name(relid)),
		         errdetail("Its type is %s.", format_type_be(att->atttypid))));
}

/* Find the column, after checking that it can be moved. */
static void
examine(IdgenColumn *column, Oid relid, const char *name)
{
	Form_pg_attribute att;

	check_table(relid);
	att = idgen_column_attribute(relid, name);
	check_attribute(relid, name, att);

	column->table_oid = relid;
	column->table = idgen_display_name(relid);
	column->name = name;
	column->type = getBaseType(att->atttypid);
	column->type_max = column->type == INT2OID ? PG_INT16_MAX : column->type == INT4OID ? PG_INT32_MAX
																						: PG_INT64_MAX;
	column->identity = att->attidentity;
	column->partitioned = get_rel_relkind(relid) == RELKIND_PARTITIONED_TABLE;
	column->default_expr = idgen_column_default(relid, name);
	column->default_domain = column->default_expr == NULL || att->atthasdef ? InvalidOid : att->atttypid;
}

/*
 * Find the column and lock its table and all inheritors. What is no use waiting
 * for is found before; but it may have changed when we have got the lock.
 */
void
idgen_column_lock(IdgenColumn *column, Oid relid, const char *name)
{
	examine(column, relid, name);
	LockRelationOid(relid, AccessExclusiveLock);
	examine(column, relid, name);
	column->members = find_all_inheritors(relid, AccessExclusiveLock, NULL);
	check_members(column->members);
}

/*
 * Add to a list the sequences that depend on an object, as those that belong to a
 * column do ("owned"), or that it depends on.
 */
static List *
add_sequences(List *sequences, const ObjectAddress *object, bool owned)
{
	Relation rel = table_open(DependRelationId, AccessShareLock);
	ScanKeyData keys[3];
	SysScanDesc scan;
	HeapTuple tuple;

	ScanKeyInit(&keys[0], owned ? Anum_pg_depend_refclassid : Anum_pg_depend_classid,
	            BTEqualStrategyNumber, F_OIDEQ, ObjectIdGetDatum(object->classId));
	ScanKeyInit(&keys[1], owned ? Anum_pg_depend_refobjid : Anum_pg_depend_objid,
	            BTEqualStrategyNumber, F_OIDEQ, ObjectIdGetDatum(object->objectId));
	ScanKeyInit(&keys[2], owned ? Anum_pg_depend_refobjsubid : Anum_pg_depend_objsubid,
	            BTEqualStrategyNumber, F_INT4EQ, Int32GetDatum(object->objectSubId));
	scan = systable_beginscan(rel, owned ? DependReferenceIndexId : DependDependerIndexId,
	                          true, NULL, 3, keys);
	while (HeapTupleIsValid(tuple = systable_getnext(scan)))
	{
		Form_pg_depend form = (Form_pg_depend) GETSTRUCT(tuple);
		Oid classid = owned ? form->classid : form->refclassid;
		Oid objid = owned ? form->objid : form->refobjid;

		if (classid == RelationRelationId && get_rel_relkind(objid) == RELKIND_SEQUENCE)
			sequences = list_append_unique_oid(sequences, objid);
	}
	systable_endscan(scan);
	table_close(rel, AccessShareLock);
	return sequences;
}

/*
 * The sequences that belong to the column in the table and its inheritors, and
 * others that its defaults there use, those of a domain included.
 */
static void
find_sequences(const IdgenColumn *column, List **owned, List **used)
{
	List *all = NIL;
	ListCell *cell;

	/* The order is that in which they were made, for the report. */
	*owned = NIL;
	foreach(cell, column->members)
	{
		Oid member = lfirst_oid(cell);
		Form_pg_attribute att = idgen_column_attribute(member, column->name);
		ObjectAddress address;

		ObjectAddressSubSet(address, RelationRelationId, member, att->attnum);
		*owned = add_sequences(*owned, &address, true);
		if (att->atthasdef)
			ObjectAddressSet(address, AttrDefaultRelationId, GetAttrDefaultOid(member, att->attnum));
		else
			ObjectAddressSet(address, TypeRelationId, att->atttypid);
		all = add_sequences(all, &address, false);
	}
	*used = list_difference_oid(all, *owned);
	list_sort(*owned, list_oid_cmp);
	list_sort(*used, list_oid_cmp);
}

static void
lock_all(List *relations, LOCKMODE lockmode)
{
	ListCell *cell;

	foreach(cell, relations)
		LockRelationOid(lfirst_oid(cell), lockmode);
}

/*
 * Find the sequences and lock them. Those that will be dropped are locked like
 * that: so we wait for whoever has drawn from them. The others are only kept
 * from being dropped, since other tables may go on drawing from them.
 */
void
idgen_column_lock_sequences(const IdgenColumn *column, List **owned, List **used)
{
	List *owned_then;
	List *used_then;

	find_sequences(column, owned, used);
	do
	{
		lock_all(*owned, AccessExclusiveLock);
		lock_all(*used, AccessShareLock);
		owned_then = *owned;
		used_then = *used;
		find_sequences(column, owned, used);
	} while (!equal(owned_then, *owned) || !equal(used_then, *used));
}
