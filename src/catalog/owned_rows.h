/*
 * owned_rows.h
 *		Finding the rows of id_sequences that belong to columns.
 */
#ifndef IDGEN_OWNED_ROWS_H
#define IDGEN_OWNED_ROWS_H

#include "executor/tuptable.h"
#include "nodes/pg_list.h"
#include "utils/rel.h"

#include "catalog/owning_column.h"

/* A search that is going on; see idgen_owned_begin(). */
typedef struct IdgenOwnedSearch
{
	Relation rel;
	Relation index;
	TupleTableSlot *row;
} IdgenOwnedSearch;

extern bool idgen_owned_begin(IdgenOwnedSearch *search, Oid relid);
extern List *idgen_owned_names(IdgenOwnedSearch *search, Oid relid, AttrNumber attnum);
extern void idgen_owned_end(IdgenOwnedSearch *search);

#endif /* IDGEN_OWNED_ROWS_H */
