/*
 * child_limit.h
 *		How many children a template may have.
 */
#ifndef IDGEN_CHILD_LIMIT_H
#define IDGEN_CHILD_LIMIT_H

#include "executor/tuptable.h"
#include "utils/rel.h"

extern void idgen_check_child_limit(Relation rel, TupleTableSlot *template, const char *child);

#endif /* IDGEN_CHILD_LIMIT_H */
