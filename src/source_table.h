/*
 * source_table.h
 *		Blocks from id_sequences itself.
 */
#ifndef IDGEN_SOURCE_TABLE_H
#define IDGEN_SOURCE_TABLE_H

#include "handle.h"
#include "pending.h"

extern bool idgen_table_allocate(IdgenHandle *handle, int64 nblocks,
                                 int64 min_ids, bool wait, IdgenRefill *refill);
extern bool idgen_table_give_back(IdgenHandle *handle);

#endif /* IDGEN_SOURCE_TABLE_H */
