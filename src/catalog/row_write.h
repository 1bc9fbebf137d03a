/*
 * row_write.h
 *		Writing rows of idgen's tables on somebody's behalf, and whose code runs
 *		then.
 */
#ifndef IDGEN_ROW_WRITE_H
#define IDGEN_ROW_WRITE_H

#include "access/tableam.h"
#include "executor/tuptable.h"
#include "nodes/nodes.h"
#include "nodes/pg_list.h"
#include "utils/rel.h"
#include "utils/reltrigger.h"

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
extern void idgen_row_alter(Relation rel, TupleTableSlot *row, IdgenRowChanges *changes);
extern void idgen_row_delete(Relation rel, TupleTableSlot *row);

/* What of users stands on the table: row_code.c */
extern void idgen_row_code_init(void);
extern bool idgen_trigger_is_own(Relation rel, const Trigger *trigger);
extern bool idgen_trigger_is_for_rows(const Trigger *trigger);
extern Oid idgen_trigger_runs_as(Relation rel, const Trigger *trigger);
extern bool idgen_check_code(Relation rel, CmdType command, int elevel, bool *plain);
extern List *idgen_code_refused(Relation rel);

#endif /* IDGEN_ROW_WRITE_H */
