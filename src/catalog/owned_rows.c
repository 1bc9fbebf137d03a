/*
 * owned_rows.c
 *		Finding the rows of id_sequences that belong to columns.
 *
 * Every command that drops something comes here, so what it costs must not
 * depend on how many rows there are: the index on owned_by is asked.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/stratnum.h"
#include "access/table.h"
#include "access/tableam.h"
#include "catalog/pg_class.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"

#include "catalog/owned_rows.h"
#include "catalog/row.h"
#include "catalog/table.h"
#include "catalog/version.h"
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
	search->row = table_slot_create(search->rel, NULL);
	return true;
}

void
idgen_owned_end(IdgenOwnedSearch *search)
{
	ExecDropSingleTupleTableSlot(search->row);
	index_close(search->index, AccessShareLock);
	table_close(search->rel, AccessShareLock);
}

/* Begin to scan the rows that belong to the columns from one to another. */
static IdgenRowScan
begin_scan(IdgenOwnedSearch *search, IdgenOwningColumn first, IdgenOwningColumn last)
{
	ScanKeyData keys[2];

	ScanKeyEntryInitialize(&keys[0], 0, 1, BTGreaterEqualStrategyNumber, InvalidOid,
	                       InvalidOid, F_INT8GE, Int64GetDatum(first));
	ScanKeyEntryInitialize(&keys[1], 0, 1, BTLessEqualStrategyNumber, InvalidOid,
	                       InvalidOid, F_INT8LE, Int64GetDatum(last));
	return idgen_row_scan_begin(search->rel, search->index, keys, lengthof(keys), search->row);
}

static List *
find_names(IdgenOwnedSearch *search, IdgenOwningColumn first, IdgenOwningColumn last)
{
	IdgenRowScan scan = begin_scan(search, first, last);
	List *names = NIL;

	while (idgen_row_scan_next(&scan))
		names = lappend(names, TextDatumGetCString(idgen_row_attribute(search->row, IDGEN_ATT_NAME)));
	idgen_row_scan_end(&scan);
	ExecClearTuple(search->row);
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
	IdgenRowScan scan = begin_scan(search, idgen_owning_column(1, 0), PG_INT64_MAX);
	bool found = index_getnext_slot(scan.by_index, ForwardScanDirection, search->row);

	idgen_row_scan_end(&scan);
	ExecClearTuple(search->row);
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
