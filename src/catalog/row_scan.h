/*
 * row_scan.h
 *		All rows of id_sequences, in their newest versions.
 */
#ifndef IDGEN_ROW_SCAN_H
#define IDGEN_ROW_SCAN_H

#include "access/tableam.h"

/* A scan that is going on; see idgen_row_scan_begin(). */
typedef struct IdgenRowScan
{
	Relation rel;
	Snapshot snapshot; /* says which versions count */
	TableScanDesc scan;
	TupleTableSlot *row; /* the row that the scan has come to */
} IdgenRowScan;

extern IdgenRowScan idgen_row_scan_begin(Relation rel);
extern bool idgen_row_scan_next(IdgenRowScan *scan);
extern void idgen_row_scan_end(IdgenRowScan *scan);

#endif /* IDGEN_ROW_SCAN_H */
