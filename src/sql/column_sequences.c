/*
 * column_sequences.c
 *		The native sequences of a column.
 *
 * The column can have them in several tables: its own, and those that inherit
 * from it. If the caller has locked these tables, no default can change; but
 * ALTER SEQUENCE ... OWNED BY locks no table, and can move a sequence from one
 * list to the other.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/table.h"
#include "catalog/dependency.h"
#include "catalog/indexing.h"
#include "catalog/pg_attrdef.h"
#include "catalog/pg_class.h"
#include "catalog/pg_depend.h"
#include "catalog/pg_type.h"
#include "storage/lmgr.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"

#include "common/compat.h"
#include "sql/column_sequences.h"

/* How a sequence and another object depend on each other. */
typedef enum Dependency
{
	SEQUENCE_DEPENDS_ON, /* so the sequence belongs to the object */
	SEQUENCE_IS_USED_BY, /* so the object is a default that draws from it */
} Dependency;

/* Add to a list the sequences with that relation to an object. */
static List *
add_sequences(List *sequences, Dependency dependency, const ObjectAddress *object)
{
	bool owned = dependency == SEQUENCE_DEPENDS_ON;
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
 * Where the default of a column is kept: its entry in pg_attrdef, or its type,
 * which may be a domain with a default.
 */
static ObjectAddress
default_address(Oid relid, Form_pg_attribute att)
{
	ObjectAddress address;

	if (att->atthasdef)
		ObjectAddressSet(address, AttrDefaultRelationId, GetAttrDefaultOid(relid, att->attnum));
	else
		ObjectAddressSet(address, TypeRelationId, att->atttypid);
	return address;
}

/*
 * Find the sequences. Each list is in the order in which they were made, for
 * the report. Where the column is gone, it has none.
 */
static void
find_sequences(const IdgenColumn *column, IdgenColumnSequences *sequences)
{
	List *owned = NIL;
	List *used = NIL;
	ListCell *cell;

	foreach(cell, column->members)
	{
		Oid member = lfirst_oid(cell);
		HeapTuple tuple = SearchSysCacheCopyAttName(member, column->name);
		Form_pg_attribute att;
		ObjectAddress default_of_it;
		ObjectAddress itself;

		if (!HeapTupleIsValid(tuple))
			continue;
		att = (Form_pg_attribute) GETSTRUCT(tuple);
		default_of_it = default_address(member, att);
		ObjectAddressSubSet(itself, RelationRelationId, member, att->attnum);
		owned = add_sequences(owned, SEQUENCE_DEPENDS_ON, &itself);
		used = add_sequences(used, SEQUENCE_IS_USED_BY, &default_of_it);
	}
	sequences->owned = owned;
	sequences->used = list_difference_oid(used, owned);
	list_sort(sequences->owned, list_oid_cmp);
	list_sort(sequences->used, list_oid_cmp);
}

/* Lock what has been found, in the order of OIDs, as any other call does. */
static void
lock_sequences(const IdgenColumnSequences *sequences)
{
	List *all = list_concat_copy(sequences->owned, sequences->used);
	ListCell *cell;

	list_sort(all, list_oid_cmp);
	foreach(cell, all)
		LockRelationOid(lfirst_oid(cell),
		                list_member_oid(sequences->owned, lfirst_oid(cell)) ? AccessExclusiveLock : AccessShareLock);
}

/*
 * Find the native sequences of the column, and lock them until the lists are
 * the same as before the locks. The owned ones get the lock that dropping them
 * takes, so this waits for every transaction that has drawn from them. The used
 * ones are only kept from being dropped: other tables may go on drawing from
 * them.
 */
void
idgen_column_lock_sequences(const IdgenColumn *column, IdgenColumnSequences *sequences)
{
	IdgenColumnSequences before;

	find_sequences(column, sequences);
	do
	{
		before = *sequences;
		lock_sequences(&before);
		find_sequences(column, sequences);
	} while (!equal(before.owned, sequences->owned) || !equal(before.used, sequences->used));
}
