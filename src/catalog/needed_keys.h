/*
 * needed_keys.h
 *		Which rows of id_sequences need a key, and giving them one.
 */
#ifndef IDGEN_NEEDED_KEYS_H
#define IDGEN_NEEDED_KEYS_H

#include "access/htup.h"
#include "executor/tuptable.h"
#include "utils/rel.h"

extern bool idgen_tuple_needs_key(HeapTuple tuple, TupleDesc desc);
extern bool idgen_row_needs_key(TupleTableSlot *row);
extern void idgen_give_key(Relation rel, HeapTuple tuple);
extern void idgen_give_key_to_row(Relation rel, TupleTableSlot *row);

#endif /* IDGEN_NEEDED_KEYS_H */
