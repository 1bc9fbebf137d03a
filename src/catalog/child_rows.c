/*
 * child_rows.c
 *		Finding the children of a row of id_sequences, by their column
 *		"template".
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/stratnum.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/snapmgr.h"

#include "catalog/child_rows.h"
#include "catalog/row.h"
#include "common/ordered_index.h"

/*
 * Count the children of a row, up to "max". Where another transaction in
 * progress has updated one, as each refill does, there are two versions of it:
 * the older one counts. Without an index, all rows are looked at.
 */
int64
idgen_child_rows_count(Relation rel, Datum parent, int64 max)
{
	Relation index = idgen_index_open(rel, IDGEN_ATT_TEMPLATE);
	SnapshotData snapshot;
	ScanKeyData key;
	SysScanDesc scan;
	HeapTuple tuple;
	int64 count = 0;

	InitDirtySnapshot(snapshot);
	ScanKeyInit(&key, IDGEN_ATT_TEMPLATE, BTEqualStrategyNumber, F_TEXTEQ, parent);
	scan = systable_beginscan(rel, index != NULL ? RelationGetRelid(index) : InvalidOid, index != NULL, &snapshot, 1, &key);
	while (count < max && HeapTupleIsValid(tuple = systable_getnext(scan)))
	{
		CHECK_FOR_INTERRUPTS();
		if (!TransactionIdIsValid(snapshot.xmin) || !(tuple->t_data->t_infomask & HEAP_UPDATED))
			count++;
	}
	systable_endscan(scan);
	if (index != NULL)
		index_close(index, AccessShareLock);
	return count;
}
