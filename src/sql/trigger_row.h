/*
 * trigger_row.h
 *		A row of id_sequences as its triggers see it.
 */
#ifndef IDGEN_TRIGGER_ROW_H
#define IDGEN_TRIGGER_ROW_H

#include "commands/trigger.h"
#include "executor/tuptable.h"
#include "fmgr.h"

#include "catalog/row.h"
#include "common/compat.h"

/* The versions of a row, before and after the command. */
typedef struct IdgenTriggerRow
{
	Relation rel;
	TupleTableSlot *old; /* NULL in an INSERT */
	TupleTableSlot *new; /* NULL in a DELETE */
} IdgenTriggerRow;

pg_noreturn extern void idgen_trigger_misplaced(const char *function, const char *kind);
extern void idgen_trigger_check_table(FunctionCallInfo fcinfo);
extern IdgenTriggerRow idgen_trigger_row(const TriggerData *trigger);

/* Does the UPDATE change that column? */
static inline bool
idgen_trigger_row_changes(const IdgenTriggerRow *row, AttrNumber attnum)
{
	return idgen_row_differs(row->old, row->new, attnum);
}

#endif /* IDGEN_TRIGGER_ROW_H */
