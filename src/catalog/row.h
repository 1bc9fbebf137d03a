/*
 * row.h
 *		Finding the newest version of a row of id_sequences, or what one would
 *		be made as.
 */
#ifndef IDGEN_ROW_H
#define IDGEN_ROW_H

#include "access/relscan.h"
#include "access/skey.h"
#include "access/tableam.h"
#include "executor/tuptable.h"
#include "nodes/pg_list.h"
#include "utils/rel.h"

#include "catalog/owning_column.h"
#include "common/compat.h"

/*
 * The columns of id_sequences, as the install script numbers them. New ones
 * are only ever added at the end.
 */
#define IDGEN_ATT_NAME             1
#define IDGEN_ATT_NEXT_BLOCK_START 2
#define IDGEN_ATT_BLOCK_SIZE       3
#define IDGEN_ATT_EXHAUSTED        4
#define IDGEN_ATT_MAX_VALUE        5
#define IDGEN_ATT_SOURCE           6
#define IDGEN_ATT_SOURCE_NAME      7
#define IDGEN_ATT_REFILL           8
#define IDGEN_ATT_LAYOUT           9
#define IDGEN_ATT_BIG_BASE         10
#define IDGEN_ATT_START_VALUE      11
#define IDGEN_ATT_POOLING          12
#define IDGEN_ATT_OWNED_BY         13
#define IDGEN_ATT_MAX_CHILDREN     14
#define IDGEN_ATT_PERIOD           15
#define IDGEN_ATT_TIME_ZONE        16
#define IDGEN_ATT_FORMAT           17
#define IDGEN_ATT_TEMPLATE         18
#define IDGEN_ATT_REFILLED_AT      19
#define IDGEN_ATT_SALT             20
#define IDGEN_ATT_EARLY_RELEASE    21
#define IDGEN_ATT_WATERMARK        22
#define IDGEN_ATT_LAST             IDGEN_ATT_WATERMARK

/* A scan that is going on; see idgen_row_scan_begin(). */
typedef struct IdgenRowScan
{
	Relation rel;
	Snapshot snapshot;      /* says which versions count */
	IndexScanDesc by_index; /* NULL if the whole table is scanned: */
	TableScanDesc whole;
	TupleTableSlot *row; /* the row that the scan has come to */
} IdgenRowScan;

/*
 * A row being looked at, as it is or, if "from" says what it has to be made
 * from, as it will be made (child.c). What that is may have to be made first.
 */
typedef struct IdgenRow
{
	Relation rel;
	const char *name;
	TupleTableSlot *slot;  /* what it says */
	struct IdgenRow *from; /* a template, or a row with periods; or NULL */
} IdgenRow;

extern List *idgen_owned_names(Oid id_sequences, const IdgenOwningColumn *columns, int ncolumns);

extern IdgenRowScan idgen_row_scan_begin(Relation rel, Relation index, ScanKey keys, int nkeys,
                                         TupleTableSlot *row);
extern bool idgen_row_scan_next(IdgenRowScan *scan);
extern void idgen_row_scan_end(IdgenRowScan *scan);
extern Relation idgen_primary_key_open(Relation rel, AttrNumber attnum, int nkeys);
extern bool idgen_row_find(Relation rel, const char *name, TupleTableSlot *row);
extern void idgen_row_begin(IdgenRow *row, Oid relid, const char *name);
extern bool idgen_row_open(IdgenRow *row, Oid relid, const char *name);
extern void idgen_row_release(IdgenRow *row);
extern void idgen_row_close(IdgenRow *row);
extern TM_Result idgen_row_lock(Relation rel, const char *name, LockTupleMode mode, LockWaitPolicy policy,
                                TupleTableSlot *row);
extern TransactionId idgen_row_writer(TupleTableSlot *slot);
extern bool idgen_row_is_own(TupleTableSlot *slot);
extern TransactionId idgen_row_holder(TupleTableSlot *slot);
extern bool idgen_row_is_awaited(Relation rel, TupleTableSlot *slot);
extern bool idgen_row_is_held(Relation rel, TupleTableSlot *slot);
extern bool idgen_row_is_named(TupleTableSlot *slot, const char *name);
extern char *idgen_row_string(TupleTableSlot *slot, AttrNumber attnum);
extern Datum idgen_row_attribute(TupleTableSlot *slot, AttrNumber attnum);
extern int64 idgen_row_int64(TupleTableSlot *slot, AttrNumber attnum);
extern bool idgen_row_is_exhausted(TupleTableSlot *slot);
extern bool idgen_row_differs(TupleTableSlot *a, TupleTableSlot *b, AttrNumber attnum);
extern void idgen_row_put(TupleTableSlot *slot, AttrNumber attnum, Datum value);

/* Rows that are made from other rows, or of their own accord: child.c */
extern bool idgen_is_template_name(const char *name);
extern void idgen_refuse_template(const char *name);
extern bool idgen_row_describe(IdgenRow *row, const char *parent);
extern void idgen_row_describe_by_default(IdgenRow *row);
extern const IdgenRow *idgen_row_origin(const IdgenRow *row);
extern bool idgen_row_make(IdgenRow *row);

#endif /* IDGEN_ROW_H */
