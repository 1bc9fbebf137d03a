/*
 * child_rows.c
 *		Finding the children of a row of id_sequences, by their column
 *		"template".
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/stratnum.h"
#include "catalog/pg_am.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/snapmgr.h"

#include "catalog/child_rows.h"
#include "catalog/row.h"

/*
 * An index that finds children by their parent. Invalid if the owner of the
 * table has dropped it: then all rows are looked at.
 */
static Oid
find_index(Relation rel)
{
	List *indexes = RelationGetIndexList(rel);
	Oid found = InvalidOid;
	ListCell *cell;

	foreach(cell, indexes)
	{
		Relation index = index_open(lfirst_oid(cell), AccessShareLock);

		if (index->rd_rel->relam == BTREE_AM_OID && index->rd_index->indisvalid &&
		    index->rd_index->indkey.values[0] == IDGEN_ATT_TEMPLATE)
			found = RelationGetRelid(index);
		index_close(index, AccessShareLock);
	}
	list_free(indexes);
	return found;
}

/*
 * Count the children of a row, up to "max". Where another transaction in
 * progress has updated one, as each refill does, there are two versions of it:
 * the older one counts.
 */
int64
idgen_child_rows_count(Relation rel, Datum parent, int64 max)
{
	Oid index = find_index(rel);
	SnapshotData snapshot;
	ScanKeyData key;
	SysScanDesc scan;
	HeapTuple tuple;
	int64 count = 0;

	InitDirtySnapshot(snapshot);
	ScanKeyInit(&key, IDGEN_ATT_TEMPLATE, BTEqualStrategyNumber, F_TEXTEQ, parent);
	scan = systable_beginscan(rel, index, OidIsValid(index), &snapshot, 1, &key);
	while (count < max && HeapTupleIsValid(tuple = systable_getnext(scan)))
	{
		CHECK_FOR_INTERRUPTS();
		if (!TransactionIdIsValid(snapshot.xmin) || !(tuple->t_data->t_infomask & HEAP_UPDATED))
			count++;
	}
	systable_endscan(scan);
	return count;
}
