/*
 * row_write.h
 *		Writing rows of id_sequences, with all that goes with it.
 */
#ifndef IDGEN_ROW_WRITE_H
#define IDGEN_ROW_WRITE_H

#include "access/tableam.h"
#include "executor/tuptable.h"
#include "utils/rel.h"

/* What a refill sets. */
typedef struct IdgenRowValues
{
	int64 next_block_start;
	bool exhausted;
} IdgenRowValues;

extern TM_Result idgen_row_update(Relation rel, TupleTableSlot *old, const IdgenRowValues *values,
                                  Oid writer, TM_FailureData *tmfd, ItemPointer tid);
extern void idgen_row_insert(Relation rel, const char *name, int32 block_size,
                             const char *refill, ItemPointer tid);
extern void idgen_row_insert_child(Relation rel, TupleTableSlot *child, Oid writer, ItemPointer tid);

#endif /* IDGEN_ROW_WRITE_H */
