/*
 * trigger_row.h
 *		A row as the triggers of idgen see it.
 */
#ifndef IDGEN_TRIGGER_ROW_H
#define IDGEN_TRIGGER_ROW_H

#include "access/htup.h"
#include "commands/trigger.h"
#include "fmgr.h"

#include "common/compat.h"

/* The versions of a row, before and after the command. */
typedef struct IdgenTriggerRow
{
	Relation rel;
	TupleDesc desc;
	HeapTuple old; /* NULL in an INSERT */
	HeapTuple new; /* NULL in a DELETE */
} IdgenTriggerRow;

pg_noreturn extern void idgen_trigger_misplaced(const char *function, const char *kind);
extern void idgen_trigger_check_table(FunctionCallInfo fcinfo);
extern IdgenTriggerRow idgen_trigger_row(const TriggerData *trigger);

extern Datum idgen_tuple_attribute(HeapTuple tuple, TupleDesc desc, AttrNumber attnum);
extern int64 idgen_tuple_int64(HeapTuple tuple, TupleDesc desc, AttrNumber attnum);
extern char *idgen_tuple_string(HeapTuple tuple, TupleDesc desc, AttrNumber attnum);
extern bool idgen_tuple_is_exhausted(HeapTuple tuple, TupleDesc desc);
extern bool idgen_trigger_row_changes(const IdgenTriggerRow *row, AttrNumber attnum);

#endif /* IDGEN_TRIGGER_ROW_H */
