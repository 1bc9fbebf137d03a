/*
 * child_limit.c
 *		How many children a template may have: its max_children.
 *
 * What counts is column "template" of the rows there are, be they committed or
 * just being made by another transaction. shmem/child_counts.c keeps a session
 * from counting each time. Between being added there and being in the table, a
 * child is missing from the count. So sessions that make children at the very
 * same moment can exceed the limit, by as many as they are; but no transaction
 * can, however long it takes.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/stratnum.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/snapmgr.h"

#include "catalog/row.h"
#include "catalog/table.h"
#include "common/ordered_index.h"
#include "session/child_limit.h"
#include "shmem/cache.h"
#include "shmem/child_counts.h"

/*
 * Count the rows that have that value in a column, up to "max", be they
 * committed or just being inserted. Where another transaction in progress has
 * updated one, as each refill does, there are two versions of it: the older one
 * counts. Without an index, all rows are looked at.
 */
static int64
count_rows(Relation rel, AttrNumber attnum, Datum value, int64 max)
{
	Relation index = idgen_index_open(rel, attnum);
	SnapshotData snapshot;
	ScanKeyData key;
	SysScanDesc scan;
	HeapTuple tuple;
	int64 count = 0;

	InitDirtySnapshot(snapshot);
	ScanKeyInit(&key, attnum, BTEqualStrategyNumber, F_TEXTEQ, value);
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

/*
 * A child of a template is about to be made, of a name that was not found.
 * Raises 2200H if there are as many as there may be; but if another transaction
 * is making that very one, who waits for it may get it.
 */
void
idgen_check_child_limit(Relation rel, TupleTableSlot *template, const char *child)
{
	Datum name = idgen_row_attribute(template, IDGEN_ATT_NAME);
	text *name_text = DatumGetTextPP(name);
	uint64 key = idgen_child_counts_key(RelationGetRelid(rel), VARDATA_ANY(name_text), VARSIZE_ANY_EXHDR(name_text));
	bool isnull;
	int32 max = DatumGetInt32(slot_getattr(template, IDGEN_ATT_MAX_CHILDREN, &isnull));

	/* There may be a limit later. */
	while (!idgen_child_counts_add(key, isnull ? PG_INT64_MAX : max) && !isnull)
	{
		IdgenChildCount before = idgen_child_counts_look(key);
		int64 children = count_rows(rel, IDGEN_ATT_TEMPLATE, name, max);

		if (children >= max && count_rows(rel, IDGEN_ATT_NAME, CStringGetTextDatum(child), 1) > 0)
			return;
		if (children >= max)
			ereport(ERROR,
			        (errcode(ERRCODE_SEQUENCE_GENERATOR_LIMIT_EXCEEDED),
			         errmsg("template \"%s\" cannot have another child", TextDatumGetCString(name)),
			         errdetail("Its max_children is %d.", max),
			         errhint("Raise max_children, or delete children that are out of use from %s.",
			                 idgen_table_name(RelationGetRelid(rel)))));
		if (!idgen_cache_is_shared())
			break;
		idgen_child_counts_set(key, children, &before);
	}
}
