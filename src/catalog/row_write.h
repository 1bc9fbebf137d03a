/*
 * row_write.h
 *		Writing rows of idgen's tables on somebody's behalf.
 */
#ifndef IDGEN_ROW_WRITE_H
#define IDGEN_ROW_WRITE_H

#include "access/tableam.h"
#include "executor/tuptable.h"
#include "utils/rel.h"

#include "common/compat.h"

/* New values of some columns of a row. */
typedef struct IdgenRowChanges
{
	int n;
	int columns[3];
	Datum values[3];
	bool nulls[3];
} IdgenRowChanges;

extern void idgen_row_refill(Relation rel, TupleTableSlot *old, int64 next_block_start, bool exhausted, ItemPointer tid);
extern void idgen_row_insert(Relation rel, TupleTableSlot *row, bool by_default);
extern void idgen_row_insert_other(Relation rel, TupleTableSlot *row);
extern bool idgen_row_take(Relation rel, const char *name, TupleTableSlot *row);
extern void idgen_row_set(IdgenRowChanges *changes, int column, Datum value, bool isnull);
extern void idgen_row_alter(Relation rel, TupleTableSlot *row, IdgenRowChanges *changes);
extern void idgen_row_delete(Relation rel, TupleTableSlot *row);

#endif /* IDGEN_ROW_WRITE_H */
