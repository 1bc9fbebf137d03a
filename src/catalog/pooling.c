/*
 * pooling.c
 *		Which ids one value of a native sequence stands for.
 *
 * All programs that draw values of the same sequence have to agree on this. So
 * idgen knows the rules that frameworks have (IdgenPooling), and the row says
 * which one holds.
 *
 * Ids beyond the sequence's bounds are not issued: a value may stand for fewer
 * ids than others. With hilo the bounds are those of the values. What bounds
 * the ids is max_value of the row.
 *
 * Everything here is arithmetic: nothing is looked up, and nothing fails.
 */
#include "postgres.h"

#include "common/hashfn.h"
#include "common/int.h"

#include "catalog/pooling.h"

/* Ids from "low" to "high"; none if low is the greater one. */
typedef struct IdRange
{
	int64 low;
	int64 high;
} IdRange;

static const IdRange no_ids = {1, 0};

const IdgenPool idgen_no_pool = {IDGEN_POOLING_POOLED_LO, 1, PG_INT64_MAX};

static const char *const words[] = {
	[IDGEN_POOLING_POOLED_LO] = "pooled_lo",
	[IDGEN_POOLING_POOLED] = "pooled",
	[IDGEN_POOLING_HILO] = "hilo",
};

/* The pooling of that name. Returns false if there is none. */
bool
idgen_pooling_find(const char *name, IdgenPooling *pooling)
{
	for (int i = 0; i < (int) lengthof(words); i++)
	{
		if (strcmp(name, words[i]) != 0)
			continue;
		*pooling = (IdgenPooling) i;
		return true;
	}
	return false;
}

const char *
idgen_pooling_word(IdgenPooling pooling)
{
	return words[pooling];
}

/* Does a value stand for other ids by one than by the other? */
bool
idgen_pools_differ(const IdgenPool *a, const IdgenPool *b)
{
	if (a->pooling != b->pooling)
		return true;
	return a->pooling == IDGEN_POOLING_HILO &&
		(a->block_size != b->block_size || a->max_value != b->max_value);
}

/*
 * Do the values that follow stand for ids that those before may have stood for,
 * if "pool" takes the place of "old"? Nothing is known of the native sequence:
 * with INCREMENT BY 1 the answer may be yes though no id is issued twice.
 */
bool
idgen_pool_goes_back(const IdgenPool *old, const IdgenPool *pool)
{
	switch (old->pooling)
	{
		case IDGEN_POOLING_POOLED_LO:
			return pool->pooling == IDGEN_POOLING_POOLED;
		case IDGEN_POOLING_POOLED:
			return false;
		case IDGEN_POOLING_HILO:
			return pool->pooling != IDGEN_POOLING_HILO || pool->block_size < old->block_size;
	}
	return false;
}

/*
 * A number for the cache, which keeps ids of different pools apart ("origin" of
 * IdgenRest). Zero for pooled_lo.
 */
uint32
idgen_pool_origin(const IdgenPool *pool)
{
	uint32 hash;

	if (pool->pooling != IDGEN_POOLING_HILO)
		return (uint32) pool->pooling;
	hash = hash_combine(hash_bytes_uint32((uint32) pool->block_size),
	                    hash_bytes((const unsigned char *) &pool->max_value, sizeof(int64)));
	return hash_combine(hash, (uint32) pool->pooling);
}

/* The range of n = extra + 1 ids from v up, as far as bigint goes. */
static IdRange
range_up(int64 v, int64 extra)
{
	IdRange range = {.low = v};

	if (pg_add_s64_overflow(v, extra, &range.high))
		range.high = PG_INT64_MAX;
	return range;
}

/* The same down to v. */
static IdRange
range_down(int64 v, int64 extra)
{
	IdRange range = {.high = v};

	if (pg_sub_s64_overflow(v, extra, &range.low))
		range.low = PG_INT64_MIN;
	return range;
}

/* The range of n ids that is number v, where number 1 begins with 1. */
static IdRange
range_numbered(int64 v, int64 n)
{
	IdRange range;

	if (!pg_mul_s64_overflow(v, n, &range.high))
		return range_down(range.high, n - 1);

	/* Its last id is beyond bigint. Its first one may not be. */
	if (v < 0 || pg_mul_s64_overflow(v - 1, n, &range.low) || range.low == PG_INT64_MAX)
		return no_ids;
	range.low++;
	range.high = PG_INT64_MAX;
	return range;
}

/* All ids that v stands for, be they within bounds or not. */
static IdRange
ids_of(const IdgenValueIds *ids, int64 v)
{
	int64 extra = (int64) (ids->per_value - 1);

	switch (ids->pooling)
	{
		case IDGEN_POOLING_POOLED_LO:
			return ids->step > 0 ? range_up(v, extra) : range_down(v, extra);
		case IDGEN_POOLING_POOLED:
			return range_down(v, extra);
		case IDGEN_POOLING_HILO:
			return range_numbered(v, (int64) Min(ids->per_value, PG_INT64_MAX));
	}
	return no_ids;
}

/*
 * The ids that v stands for, in the order of use. The block is empty if none of
 * them may be issued.
 */
IdgenBlock
idgen_value_block(const IdgenValueIds *ids, int64 v)
{
	IdRange range = ids_of(ids, v);
	IdgenBlock block = {.step = ids->step};

	range.low = Max(range.low, ids->min_id);
	range.high = Min(range.high, ids->max_id);
	if (range.low > range.high)
		return block;
	block.next = ids->step > 0 ? range.low : range.high;
	block.left = (int64) Min((uint64) range.high - (uint64) range.low, IDGEN_BLOCK_MAX - 1) + 1;
	return block;
}

/*
 * The same of the first value that a sequence gives after it was created, or
 * restarted. With pooled, this is one id alone. Nobody knows whether those
 * before it are free: with START WITH 1000 or RESTART WITH 1000, they are most
 * likely in use. Hibernate leaves them out as well.
 */
IdgenBlock
idgen_first_value_block(const IdgenValueIds *ids, int64 v)
{
	if (ids->pooling == IDGEN_POOLING_POOLED)
		return (IdgenBlock){.next = v, .left = 1, .step = ids->step};
	return idgen_value_block(ids, v);
}

/* The quotient, rounded up. */
static int64
divide_up(int64 a, int64 n)
{
	return a > 0 ? (a - 1) / n + 1 : a / n;
}

/* Of numbers of blocks, the last value that stands for any id. */
int64
idgen_hilo_last_value(const IdgenValueIds *ids)
{
	return divide_up(ids->max_id, (int64) ids->per_value);
}
