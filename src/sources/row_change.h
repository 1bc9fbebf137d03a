/*
 * row_change.h
 *		Changing the row of an id sequence: lock, compute, update.
 */
#ifndef IDGEN_ROW_CHANGE_H
#define IDGEN_ROW_CHANGE_H

#include "nodes/lockoptions.h"

#include "catalog/row_write.h"
#include "session/handle.h"

/*
 * Compute what the newest version of a row is to be updated to. Any answer but
 * IDGEN_SOURCE_OK leaves the row as it is. May be called several times for one
 * change, each time with a newer version.
 */
typedef IdgenSourceResult (*IdgenComputeRow)(IdgenHandle *handle, TupleTableSlot *row,
                                             IdgenRowValues *new_row, void *arg);

extern IdgenSourceResult idgen_row_change(IdgenHandle *handle, LockWaitPolicy policy,
                                          IdgenComputeRow compute, void *arg, TransactionId *holder);

#endif /* IDGEN_ROW_CHANGE_H */
