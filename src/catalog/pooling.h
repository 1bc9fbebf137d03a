/*
 * pooling.h
 *		Which ids one value of a native sequence stands for.
 */
#ifndef IDGEN_POOLING_H
#define IDGEN_POOLING_H

#include "common/block.h"

/*
 * The values of column "pooling". With n ids for each value, v stands for
 *
 *	pooled_lo	v ... v + n - 1
 *	pooled		v - n + 1 ... v
 *	hilo		(v - 1) * n + 1 ... v * n
 *
 * The values of a descending sequence stand for v ... v - n + 1, by pooled_lo:
 * the other two are for ascending ones.
 */
typedef enum IdgenPooling
{
	IDGEN_POOLING_POOLED_LO,
	IDGEN_POOLING_POOLED,
	IDGEN_POOLING_HILO,
} IdgenPooling;

/*
 * What a row says of the ids that values of its native sequence stand for.
 * block_size and max_value count for numbers of blocks only. Without a row:
 * idgen_no_pool.
 */
typedef struct IdgenPool
{
	IdgenPooling pooling;
	int32 block_size;
	int64 max_value;
} IdgenPool;

/* How values become ids: a pool, and what the native sequence says. */
typedef struct IdgenValueIds
{
	IdgenPooling pooling;
	uint64 per_value; /* ids that a value stands for, unless they are cut */
	int64 step;       /* 1 or -1: do values, and so ids, ascend or descend? */
	int64 min_id;     /* ids below this, or above the next, are never issued */
	int64 max_id;
} IdgenValueIds;

extern const IdgenPool idgen_no_pool;

extern bool idgen_pooling_find(const char *name, IdgenPooling *pooling);
extern const char *idgen_pooling_word(IdgenPooling pooling);
extern bool idgen_pools_differ(const IdgenPool *a, const IdgenPool *b);
extern bool idgen_pool_goes_back(const IdgenPool *old, const IdgenPool *pool);
extern uint32 idgen_pool_origin(const IdgenPool *pool);
extern IdgenBlock idgen_value_block(const IdgenValueIds *ids, int64 v);
extern IdgenBlock idgen_first_value_block(const IdgenValueIds *ids, int64 v);
extern int64 idgen_hilo_last_value(const IdgenValueIds *ids);

#endif /* IDGEN_POOLING_H */
