/*
 * owned_rows.c
 *		Finding the rows of id_sequences that belong to columns.
 *
 * Every command that drops something comes here, so what it costs must not
 * depend on how many rows there are: the index on owned_by is asked. As in
 * row.c, the newest versions count, and conflict tracking sees nothing of it.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/stratnum.h"
#include "access/table.h"
#include "access/tableam.h"
#include "catalog/pg_class.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/snapmgr.h"

#include "catalog/owned_rows.h"
#include "catalog/row.h"
#include "catalog/table.h"
#include "catalog/version.h"
#include "common/compat.h"
#include "common/ordered_index.h"

/*
 * Open the table, to be closed by idgen_owned_end(). Returns false, and has
 * opened nothing, if it is not the table that idgen knows, has lost the index,
 * or is of another version: no command of somebody who drops a table must fail
 * for that.
 */
bool
idgen_owned_begin(IdgenOwnedSearch *search, Oid relid)
{
	search->rel = try_table_open(relid, AccessShareLock);
	if (search->rel == NULL)
		return false;
	search->index = NULL;
	if (search->rel->rd_rel->relkind == RELKIND_RELATION && idgen_version_fits() && idgen_table_is_good(search->rel))
		search->index = idgen_index_open(search->rel, IDGEN_ATT_OWNED_BY);
	if (search->index == NULL)
	{
		table_close(search->rel, AccessShareLock);
		return false;
	}
	search->slot = table_slot_create(search->rel, NULL);
	search->snapshot = RegisterSnapshot(GetLatestSnapshot());
	return true;
}

void
idgen_owned_end(IdgenOwnedSearch *search)
{
	UnregisterSnapshot(search->snapshot);
	ExecDropSingleTupleTableSlot(search->slot);
	index_close(search->index, AccessShareLock);
	table_close(search->rel, AccessShareLock);
}

/*
 * Begin to look at all versions of the rows that belong to the columns from one
 * to another.
 */
static IndexScanDesc
begin_scan(IdgenOwnedSearch *search, IdgenOwningColumn first, IdgenOwningColumn last)
{
	ScanKeyData keys[2];
	IndexScanDesc scan;

	ScanKeyEntryInitialize(&keys[0], 0, 1, BTGreaterEqualStrategyNumber, InvalidOid,
	                       InvalidOid, F_INT8GE, Int64GetDatum(first));
	ScanKeyEntryInitialize(&keys[1], 0, 1, BTLessEqualStrategyNumber, InvalidOid,
	                       InvalidOid, F_INT8LE, Int64GetDatum(last));

	/* The scan itself is never one that conflict tracking looks at. */
	scan = index_beginscan(search->rel, search->index, SnapshotAny, NULL, lengthof(keys), 0,
	                       SO_NONE);
	index_rescan(scan, keys, lengthof(keys), NULL, 0);
	return scan;
}

static void
end_scan(IdgenOwnedSearch *search, IndexScanDesc scan)
{
	index_endscan(scan);
	ExecClearTuple(search->slot);
}

/*
 * The rows that belong to the columns from one to another: a list of
 * IdgenOwnedRow.
 */
static List *
find_rows(IdgenOwnedSearch *search, IdgenOwningColumn first, IdgenOwningColumn last)
{
	IndexScanDesc scan = begin_scan(search, first, last);
	List *rows = NIL;

	while (index_getnext_slot(scan, ForwardScanDirection, search->slot))
	{
		IdgenOwnedRow *row;

		if (!table_tuple_satisfies_snapshot(search->rel, search->slot, search->snapshot))
			continue;
		row = palloc(sizeof(IdgenOwnedRow));
		row->column = idgen_row_int64(search->slot, IDGEN_ATT_OWNED_BY);
		row->name = TextDatumGetCString(idgen_row_attribute(search->slot, IDGEN_ATT_NAME));
		rows = lappend(rows, row);
	}
	end_scan(search, scan);
	return rows;
}

/* Only their names. */
static List *
find_names(IdgenOwnedSearch *search, IdgenOwningColumn first, IdgenOwningColumn last)
{
	List *names = NIL;
	ListCell *cell;

	foreach(cell, find_rows(search, first, last))
		names = lappend(names, ((IdgenOwnedRow *) lfirst(cell))->name);
	return names;
}

/*
 * May any row belong to a column? A deleted one counts as long as the index has
 * it: to pass over all that were deleted would take the longer, the more
 * columns have been dropped.
 */
bool
idgen_owned_any(IdgenOwnedSearch *search)
{
	IndexScanDesc scan = begin_scan(search, idgen_owning_column(1, 0), PG_INT64_MAX);
	bool found = index_getnext_slot(scan, ForwardScanDirection, search->slot);

	end_scan(search, scan);
	return found;
}

/* The names of the rows that belong to a column. */
List *
idgen_owned_by_column(IdgenOwnedSearch *search, IdgenOwningColumn column)
{
	return find_names(search, column, column);
}

/* The names of the rows that belong to any column of a table. */
List *
idgen_owned_by_table(IdgenOwnedSearch *search, Oid relid)
{
	return find_names(search, idgen_owning_column(relid, 0), idgen_owning_column(relid, -1));
}
