/*
 * block.h
 *		A block: a contiguous run of ids that can still be handed out.
 *
 * A block is kept as its next id and the number of ids left, not as first and
 * last id: an empty block must be representable when its last id was
 * PG_INT64_MAX, and "next > last" would have to overflow to say so.
 */
#ifndef IDGEN_BLOCK_H
#define IDGEN_BLOCK_H

typedef struct IdgenBlock
{
	int64 next; /* the id to hand out next, if left > 0 */
	int64 left; /* ids left, >= 0 */
} IdgenBlock;

/* The last id of a block that is not empty. */
static inline int64
idgen_block_last(const IdgenBlock *block)
{
	Assert(block->left > 0);
	return block->next + (block->left - 1);
}

/* Take the next id. Caller must have checked that one is left. */
static inline int64
idgen_block_take(IdgenBlock *block)
{
	int64 id = block->next;

	Assert(block->left > 0);
	if (--block->left > 0)
		block->next++;
	return id;
}

/* Does b begin right after a ends? Neither may be empty. */
static inline bool
idgen_block_adjacent(const IdgenBlock *a, const IdgenBlock *b)
{
	int64 last = idgen_block_last(a);

	return last < PG_INT64_MAX && last + 1 == b->next;
}

#endif /* IDGEN_BLOCK_H */
