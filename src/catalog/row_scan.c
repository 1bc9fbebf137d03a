/*
 * row_scan.c
 *		All rows of id_sequences, in their newest versions.
 *
 * What is committed when the scan begins counts, and what the current
 * transaction has written, whatever its snapshot says; as in row.c. The scan
 * looks at all versions and asks a snapshot itself which of them counts. So
 * each row is met once, also if it is updated meanwhile, and a serializable
 * transaction does not remember that it was read (rule T4).
 */
#include "postgres.h"

#include "utils/snapmgr.h"

#include "catalog/row_scan.h"
#include "common/compat.h"

/* Begin a scan of the table, which the caller has opened. */
IdgenRowScan
idgen_row_scan_begin(Relation rel)
{
	IdgenRowScan scan = {
		.rel = rel,
		.snapshot = RegisterSnapshot(GetLatestSnapshot()),
		.row = table_slot_create(rel, NULL),
	};

	scan.snapshot->curcid = InvalidCommandId; /* this command's changes count */
	scan.scan = table_beginscan(rel, SnapshotAny, 0, NULL, SO_NONE);
	return scan;
}

/* Go to the next row. Returns false if there is none. */
bool
idgen_row_scan_next(IdgenRowScan *scan)
{
	while (table_scan_getnextslot(scan->scan, ForwardScanDirection, scan->row))
		if (table_tuple_satisfies_snapshot(scan->rel, scan->row, scan->snapshot))
			return true;
	return false;
}

void
idgen_row_scan_end(IdgenRowScan *scan)
{
	table_endscan(scan->scan);
	UnregisterSnapshot(scan->snapshot);
	ExecDropSingleTupleTableSlot(scan->row);
}
