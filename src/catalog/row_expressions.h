/*
 * row_expressions.h
 *		The table owner's expressions: defaults, constraints, indexes.
 */
#ifndef IDGEN_ROW_EXPRESSIONS_H
#define IDGEN_ROW_EXPRESSIONS_H

#include "access/tableam.h"
#include "executor/tuptable.h"

#include "catalog/row_write_state.h"
#include "common/compat.h"

extern void idgen_row_check_constraints(IdgenRowWrite *write, TupleTableSlot *row);
extern List *idgen_row_insert_index_entries(IdgenRowWrite *write, TupleTableSlot *row,
                                            TU_UpdateIndexes which);
extern void idgen_row_fill(IdgenRowWrite *write, const char *name, int32 block_size, const char *refill,
                           TupleTableSlot *row);
extern void idgen_row_fill_child(IdgenRowWrite *write, TupleTableSlot *child, TupleTableSlot *row);

#endif /* IDGEN_ROW_EXPRESSIONS_H */
