/*
 * known_rows.h
 *		What rows were found to say, for sessions that have not looked yet.
 */
#ifndef IDGEN_KNOWN_ROWS_H
#define IDGEN_KNOWN_ROWS_H

#include "common/guc.h"
#include "shmem/cache_key.h"

/* What a row says besides of what known_rows.c takes for granted. */
typedef struct IdgenKnownRow
{
	uint64 as_of; /* number of the last event before somebody looked at the row;
	               * 0 = nothing is known */
	int32 block_size;
	IdgenRefillMode refill; /* as in IdgenDefinition */
} IdgenKnownRow;

extern uint64 idgen_known_rows_now(void);
extern IdgenSlot *idgen_known_row_find(const IdgenCacheKey *key, uint64 *version, IdgenKnownRow *row);
extern void idgen_known_row_share(const IdgenCacheKey *key, const IdgenKnownRow *row);
extern void idgen_known_rows_forget(void);

#endif /* IDGEN_KNOWN_ROWS_H */
