/*
 * owned_rows.c
 *		Finding the rows of id_sequences that belong to columns.
 *
 * Every command that drops a table or a column comes here, so what it costs
 * must not depend on how many rows there are: the index on owned_by is asked.
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

/* The names of the rows that belong to a column, or for 0 to any of a table. */
List *
idgen_owned_names(IdgenOwnedSearch *search, Oid relid, AttrNumber attnum)
{
	IdgenOwningColumn first = idgen_owning_column(relid, attnum);
	IdgenOwningColumn last = attnum != 0 ? first : idgen_owning_column(relid, -1);
	ScanKeyData keys[2];
	IdgenRowScan scan;
	List *names = NIL;

	ScanKeyEntryInitialize(&keys[0], 0, 1, BTGreaterEqualStrategyNumber, InvalidOid,
	                       InvalidOid, F_INT8GE, Int64GetDatum(first));
	ScanKeyEntryInitialize(&keys[1], 0, 1, BTLessEqualStrategyNumber, InvalidOid,
	                       InvalidOid, F_INT8LE, Int64GetDatum(last));
	scan = idgen_row_scan_begin(search->rel, search->index, keys, lengthof(keys), search->row);
	while (idgen_row_scan_next(&scan))
		names = lappend(names, TextDatumGetCString(idgen_row_attribute(search->row, IDGEN_ATT_NAME)));
	idgen_row_scan_end(&scan);
	ExecClearTuple(search->row);
	return names;
}
