/*
 * missing_row.h
 *		Making the row that a name lacks.
 */
#ifndef IDGEN_MISSING_ROW_H
#define IDGEN_MISSING_ROW_H

#include "executor/tuptable.h"
#include "utils/rel.h"

extern bool idgen_make_default_row(Relation rel, const char *name, TupleTableSlot *row);
extern bool idgen_make_child(Relation rel, TupleTableSlot *parent, const char *name, TupleTableSlot *row);

#endif /* IDGEN_MISSING_ROW_H */
