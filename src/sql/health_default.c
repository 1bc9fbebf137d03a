/*
 * health_default.c
 *		What has become of the default of a column that an id sequence belongs
 *		to.
 *
 * A migration may have undone what idgen_adopt() did. But programs or triggers
 * may also draw for a column, and a default may call somebody's function that
 * does. So columns are told of that draw from a native sequence, and columns
 * without a default if their id sequence has the name that idgen_adopt() gives.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/table.h"
#include "catalog/indexing.h"
#include "catalog/pg_attrdef.h"
#include "catalog/pg_type.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"

#include "sql/health.h"
#include "sql/nextval_calls.h"

/* Does the default of a column, which has one, draw from a native sequence? */
static bool
calls_nextval(const IdgenDrawingColumn *column)
{
	Relation rel = table_open(AttrDefaultRelationId, AccessShareLock);
	ScanKeyData keys[2];
	SysScanDesc scan;
	HeapTuple tuple;
	bool calls = false;

	ScanKeyInit(&keys[0], Anum_pg_attrdef_adrelid, BTEqualStrategyNumber, F_OIDEQ, ObjectIdGetDatum(column->relid));
	ScanKeyInit(&keys[1], Anum_pg_attrdef_adnum, BTEqualStrategyNumber, F_INT2EQ, Int16GetDatum(column->attnum));
	scan = systable_beginscan(rel, AttrDefaultIndexId, true, NULL, lengthof(keys), keys);
	tuple = systable_getnext(scan);
	if (HeapTupleIsValid(tuple))
	{
		bool isnull;
		char *stored = TextDatumGetCString(heap_getattr(tuple, Anum_pg_attrdef_adbin, RelationGetDescr(rel), &isnull));

		calls = idgen_may_call_nextval(stored) && idgen_nextval_calls(stored) != NIL;
	}
	systable_endscan(scan);
	table_close(rel, AccessShareLock);
	return calls;
}

/* Is the id sequence named as idgen_adopt() names that of the column? */
static bool
has_usual_name(const IdgenDrawingColumn *column)
{
	return strcmp(column->call.name, psprintf("%s.%s", column->table, column->name)) == 0;
}

/*
 * What the column is instead of one that draws from its id sequence, as the end
 * of a sentence; NULL if it may draw after all, or is gone by now.
 */
const char *
idgen_health_changed_default(const IdgenDrawingColumn *column)
{
	Form_pg_attribute att = idgen_look_up_column(column->relid, column->attnum);

	if (att == NULL)
		return NULL;
	if (att->attidentity != '\0')
		return "is an identity column";
	if (att->atthasdef)
		return calls_nextval(column) ? "draws from a native sequence" : NULL;
	return has_usual_name(column) && get_typdefault(att->atttypid) == NULL ? "has no default" : NULL;
}
