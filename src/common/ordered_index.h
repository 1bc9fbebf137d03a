/*
 * ordered_index.h
 *		Indexes that have all rows of a table, in the order of a column.
 */
#ifndef IDGEN_ORDERED_INDEX_H
#define IDGEN_ORDERED_INDEX_H

#include "nodes/lockoptions.h"
#include "utils/rel.h"

extern Relation idgen_index_open(Relation table, AttrNumber first, AttrNumber attnum, LockWaitPolicy policy);

#endif /* IDGEN_ORDERED_INDEX_H */
