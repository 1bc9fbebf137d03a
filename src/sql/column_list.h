/*
 * column_list.h
 *		The columns that one call moves.
 */
#ifndef IDGEN_COLUMN_LIST_H
#define IDGEN_COLUMN_LIST_H

#include "fmgr.h"
#include "nodes/parsenodes.h"

#include "sql/column.h"
#include "sql/column_sequences.h"

typedef struct IdgenColumnList
{
	int n;
	IdgenColumn *columns;            /* in the order in which they are named */
	IdgenColumnSequences *sequences; /* of each, once they are locked */
	bool named_by_arrays;            /* so errors have to say which one they are about */
} IdgenColumnList;

/* One column of several, while something is done to it. See the functions. */
typedef struct IdgenColumnTurn
{
	const IdgenColumnList *list;
	char *description;
	ErrorContextCallback context;
} IdgenColumnTurn;

extern IdgenColumnList *idgen_column_list_of_one(FunctionCallInfo fcinfo);
extern IdgenColumnList *idgen_column_list_of_arrays(FunctionCallInfo fcinfo);
extern IdgenColumn *idgen_column_turn_begin(IdgenColumnTurn *turn, const IdgenColumnList *list, int i);
extern void idgen_column_turn_end(IdgenColumnTurn *turn);
extern void idgen_column_list_lock(IdgenColumnList *list, Oid id_sequences, AclMode needed);
extern void idgen_column_list_lock_sequences(IdgenColumnList *list);

#endif /* IDGEN_COLUMN_LIST_H */
