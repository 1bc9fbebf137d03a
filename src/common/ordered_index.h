/*
 * ordered_index.h
 *		Indexes that have all rows of a table, in the order of a column.
 */
#ifndef IDGEN_ORDERED_INDEX_H
#define IDGEN_ORDERED_INDEX_H

#include "utils/rel.h"

extern bool idgen_index_is_ordered(Relation index, AttrNumber first, AttrNumber attnum, Oid type);
extern Relation idgen_index_open(Relation table, AttrNumber first, AttrNumber attnum);

#endif /* IDGEN_ORDERED_INDEX_H */
