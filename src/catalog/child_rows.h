/*
 * child_rows.h
 *		Finding the children of a row of id_sequences.
 */
#ifndef IDGEN_CHILD_ROWS_H
#define IDGEN_CHILD_ROWS_H

#include "nodes/pg_list.h"
#include "utils/rel.h"

extern int64 idgen_child_rows_count(Relation rel, Datum parent, int64 max);

#endif /* IDGEN_CHILD_ROWS_H */
