/*
 * index_end.h
 *		The greatest or least number in a column, as an index has it.
 */
#ifndef IDGEN_INDEX_END_H
#define IDGEN_INDEX_END_H

#include "access/attnum.h"
#include "utils/hsearch.h"

/* An end of a column's numbers. */
typedef enum IdgenIndexEnd
{
	IDGEN_END_LEAST,
	IDGEN_END_GREATEST,
} IdgenIndexEnd;

extern HTAB *idgen_indexes_read(void);
extern Oid idgen_index_of(HTAB *indexes, Oid relid, AttrNumber attnum);
extern bool idgen_index_peek(HTAB *indexes, Oid relid, AttrNumber attnum, IdgenIndexEnd end,
                             int64 *number);
extern bool idgen_index_find(Oid relid, Oid index, IdgenIndexEnd end, int64 *number);

#endif /* IDGEN_INDEX_END_H */
