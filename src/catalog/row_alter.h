/*
 * row_alter.h
 *		Writing a row of id_sequences on behalf of a command that drops a column
 *		or truncates a table.
 */
#ifndef IDGEN_ROW_ALTER_H
#define IDGEN_ROW_ALTER_H

#include "executor/tuptable.h"
#include "utils/rel.h"

/* New values of some columns of a row. */
typedef struct IdgenRowChanges
{
	int n;
	int columns[3];
	Datum values[3];
	bool nulls[3];
} IdgenRowChanges;

extern bool idgen_row_lock(Relation rel, const char *name, TupleTableSlot *row);
extern void idgen_row_set(IdgenRowChanges *changes, int column, Datum value, bool isnull);
extern void idgen_row_alter(Relation rel, TupleTableSlot *row, IdgenRowChanges *changes);
extern void idgen_row_delete(Relation rel, TupleTableSlot *row);

#endif /* IDGEN_ROW_ALTER_H */
