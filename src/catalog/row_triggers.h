/*
 * row_triggers.h
 *		Triggers on id_sequences that a refill, or a new row, fires.
 */
#ifndef IDGEN_ROW_TRIGGERS_H
#define IDGEN_ROW_TRIGGERS_H

#include "executor/tuptable.h"

#include "catalog/row_write_state.h"
#include "common/compat.h"

extern bool idgen_trigger_is_own(const Trigger *trigger);
extern void idgen_triggers_forget(void);
extern void idgen_triggers_prepare(ResultRelInfo *rri);
extern void idgen_triggers_trust_values(ResultRelInfo *rri);
extern bool idgen_triggers_fire_before(IdgenRowWrite *write, TupleTableSlot *old, TupleTableSlot *row);
extern void idgen_triggers_fire_after(IdgenRowWrite *write, TupleTableSlot *old, TupleTableSlot *row,
                                      List *recheck);

pg_noreturn extern void idgen_triggers_suppressed_refill(void);
extern void idgen_triggers_check_untouched(Relation rel, HeapTuple wanted, TupleTableSlot *row);
extern void idgen_triggers_check_outlasted(Relation rel, TupleTableSlot *row);

#endif /* IDGEN_ROW_TRIGGERS_H */
