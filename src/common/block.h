/*
 * block.h
 *		A block: a contiguous run of ids that can still be handed out.
 *
 * A block is kept as its next id and the number of ids left, not as first and
 * last id. With those, a block whose last id was PG_INT64_MAX could not be
 * empty: next = last + 1 would overflow. The ids of a descending sequence are
 * handed out downwards.
 */
#ifndef IDGEN_BLOCK_H
#define IDGEN_BLOCK_H

#include "common/int.h"

#include "common/compat.h"

typedef struct IdgenBlock
{
	int64 next; /* the id to hand out next, if left > 0 */
	int64 left; /* ids left, >= 0 */
	int64 step; /* from one id to the next: 1 or -1 */
} IdgenBlock;

/*
 * The most ids that are taken at a time. Sums of a few such numbers do not
 * overflow.
 */
#define IDGEN_BLOCK_MAX (INT64CONST(1) << 59)

/* The last id of a block that is not empty. */
static inline int64
idgen_block_last(const IdgenBlock *block)
{
	Assert(block->left > 0);
	return block->next + (block->left - 1) * block->step;
}

/* Take the next id. Caller must have checked that one is left. */
static inline int64
idgen_block_take(IdgenBlock *block)
{
	int64 id = block->next;

	Assert(block->left > 0);
	if (--block->left > 0)
		block->next += block->step;
	return id;
}

/* Take the next count ids. Caller must have checked that they are left. */
static inline IdgenBlock
idgen_block_cut(IdgenBlock *block, int64 count)
{
	IdgenBlock taken = {block->next, count, block->step};

	Assert(count > 0 && count <= block->left);
	block->left -= count;
	if (block->left > 0)
		block->next += count * block->step;
	return taken;
}

/* Are a's ids to be handed out before b's? */
static inline bool
idgen_block_before(const IdgenBlock *a, const IdgenBlock *b)
{
	return a->step > 0 ? a->next < b->next : a->next > b->next;
}

/* Does b go on where a ends? Neither may be empty. */
static inline bool
idgen_block_adjacent(const IdgenBlock *a, const IdgenBlock *b)
{
	int64 last = idgen_block_last(a);

	return a->step == b->step &&
		last != (a->step > 0 ? PG_INT64_MAX : PG_INT64_MIN) &&
		last + a->step == b->next;
}

/*
 * Make one block of neighbours that go on from each other. There is at least
 * one block. Returns the number of blocks that are left.
 */
static inline int
idgen_blocks_merge(IdgenBlock *blocks, int nblocks)
{
	int merged = 0;

	for (int i = 1; i < nblocks; i++)
	{
		if (idgen_block_adjacent(&blocks[merged], &blocks[i]))
			blocks[merged].left += blocks[i].left;
		else
			blocks[++merged] = blocks[i];
	}
	return merged + 1;
}

/* Is there an id that both hold? Neither may be empty. */
static inline bool
idgen_block_overlaps(const IdgenBlock *a, const IdgenBlock *b)
{
	return Min(a->next, idgen_block_last(a)) <= Max(b->next, idgen_block_last(b)) &&
		Min(b->next, idgen_block_last(b)) <= Max(a->next, idgen_block_last(a));
}

/* Do the ids of a block lie behind "last", in the direction of "step"? */
static inline bool
idgen_block_lies_behind(const IdgenBlock *block, int64 last, int64 step)
{
	return block->left == 0 || (step > 0 ? block->next > last : block->next < last);
}

/*
 * Leads to a pending block. Cells never change, but blocks do, as ids are drawn
 * from them; see session/pending.c.
 */
typedef struct IdgenPendingCell
{
	IdgenBlock *block;
	const struct IdgenPendingCell *next;
} IdgenPendingCell;

/* What refills have brought, or what is left of it. Blocks may be empty. */
typedef struct IdgenRest
{
	IdgenBlock block; /* the first one */
	IdgenBlock *more; /* further blocks of the same refill */
	int nmore;
	const IdgenPendingCell *cells; /* blocks of other refills */
	RelFileNumber storage;         /* of the native sequence they come from, or invalid */
	uint32 origin;                 /* of the function, server or pool they come from, or 0 */
	bool lost_at_shutdown;         /* must a clean shutdown lose them, too? */
} IdgenRest;

/* a + b, or the greatest number if that overflows; for statistics. */
static inline int64
idgen_add_saturating(int64 a, int64 b)
{
	int64 sum;

	return pg_add_s64_overflow(a, b, &sum) ? PG_INT64_MAX : sum;
}

/* The number of ids in the rest of a refill. */
static inline int64
idgen_rest_ids(const IdgenRest *rest)
{
	int64 ids = rest->block.left;

	for (int i = 0; i < rest->nmore; i++)
		ids += rest->more[i].left;
	for (const IdgenPendingCell *cell = rest->cells; cell != NULL; cell = cell->next)
		ids = idgen_add_saturating(ids, cell->block->left);
	return ids;
}

/*
 * Does a block with ids left end where a row with these values says that the
 * next one begins? After 2^63 - 1, a row cannot name the next id: then the
 * answer is whether the row is exhausted.
 */
static inline bool
idgen_block_ends_at(const IdgenBlock *block, int64 next_block_start, bool exhausted)
{
	int64 last;

	if (block->left == 0)
		return false;
	last = idgen_block_last(block);
	return last < PG_INT64_MAX ? next_block_start == last + 1 : exhausted;
}

#endif /* IDGEN_BLOCK_H */
