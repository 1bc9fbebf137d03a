/*
 * dependants.c
 *		What depends on an object, as the server has noted it.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/table.h"
#include "catalog/dependency.h"
#include "catalog/indexing.h"
#include "catalog/pg_attrdef.h"
#include "catalog/pg_class.h"
#include "catalog/pg_depend.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"

#include "common/compat.h"
#include "sql/dependants.h"

/* What depends on an object: a list of palloc'd ObjectAddresses. */
List *
idgen_dependants(Oid class_id, Oid object_id)
{
	Relation rel = table_open(DependRelationId, AccessShareLock);
	List *found = NIL;
	ScanKeyData keys[2];
	SysScanDesc scan;
	HeapTuple tuple;

	ScanKeyInit(&keys[0], Anum_pg_depend_refclassid, BTEqualStrategyNumber, F_OIDEQ,
	            ObjectIdGetDatum(class_id));
	ScanKeyInit(&keys[1], Anum_pg_depend_refobjid, BTEqualStrategyNumber, F_OIDEQ,
	            ObjectIdGetDatum(object_id));
	scan = systable_beginscan(rel, DependReferenceIndexId, true, NULL, lengthof(keys), keys);
	while (HeapTupleIsValid(tuple = systable_getnext(scan)))
	{
		Form_pg_depend form = (Form_pg_depend) GETSTRUCT(tuple);
		ObjectAddress *address = palloc(sizeof(ObjectAddress));

		ObjectAddressSubSet(*address, form->classid, form->objid, form->objsubid);
		found = lappend(found, address);
	}
	systable_endscan(scan);
	table_close(rel, AccessShareLock);
	return found;
}

/* Is an object the default of the column, in any of its tables? */
static bool
is_default_of(const ObjectAddress *object, const IdgenColumn *column)
{
	ObjectAddress of;
	char *name;

	if (object->classId != AttrDefaultRelationId)
		return false;
	of = GetAttrDefaultColumnAddress(object->objectId);
	name = OidIsValid(of.objectId) ? get_attname(of.objectId, of.objectSubId, true) : NULL;
	return name == NULL || (list_member_oid(column->members, of.objectId) && strcmp(name, column->name) == 0);
}

/*
 * What else depends on a sequence that belongs to the column, its defaults
 * apart: one of them, or NULL if there is nothing.
 */
const ObjectAddress *
idgen_sequence_user(Oid sequence, const IdgenColumn *column)
{
	ListCell *cell;

	foreach(cell, idgen_dependants(RelationRelationId, sequence))
	{
		if (!is_default_of(lfirst(cell), column))
			return lfirst(cell);
	}
	return NULL;
}
