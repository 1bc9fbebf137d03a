/*
 * row_constraints.h
 *		CHECK constraints of id_sequences, ready to be evaluated.
 */
#ifndef IDGEN_ROW_CONSTRAINTS_H
#define IDGEN_ROW_CONSTRAINTS_H

#include "nodes/execnodes.h"

extern void idgen_row_lend_constraints(ResultRelInfo *rri);
extern void idgen_row_constraints_forget(Oid relid);

#endif /* IDGEN_ROW_CONSTRAINTS_H */
