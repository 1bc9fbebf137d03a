/*
 * auto_create.h
 *		Making the row that an unknown name lacks.
 */
#ifndef IDGEN_AUTO_CREATE_H
#define IDGEN_AUTO_CREATE_H

#include "executor/tuptable.h"
#include "utils/rel.h"

extern bool idgen_auto_create_row(Relation rel, const char *name,
                                  TupleTableSlot *row);

#endif /* IDGEN_AUTO_CREATE_H */
