/*
 * pooling.c
 *		Which ids the values of a native sequence stand for.
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

#include "catalog/definition.h"
#include "catalog/native_sequence.h"

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

/*
 * A number for the cache, which keeps apart ids that values have stood for by
 * different poolings ("origin" of IdgenRest). Zero for pooled_lo.
 */
uint32
idgen_pool_origin(const IdgenDefinition *row)
{
	uint32 hash;

	if (row->pooling != IDGEN_POOLING_HILO)
		return (uint32) row->pooling;
	hash = hash_combine(hash_bytes_uint32((uint32) row->block_size),
	                    hash_bytes((const unsigned char *) &row->max_value, sizeof(int64)));
	return hash_combine(hash, (uint32) row->pooling);
}

/* The distance from one value to the next. */
static uint64
width_of(const IdgenNativeSequence *sequence)
{
	return sequence->increment > 0 ? (uint64) sequence->increment : -(uint64) sequence->increment;
}

/* Of numbers of blocks, the last value that stands for any id. */
static int64
last_number(const IdgenNativeSequence *sequence)
{
	int64 n = (int64) sequence->per_value;

	return sequence->max_id > 0 ? (sequence->max_id - 1) / n + 1 : sequence->max_id / n;
}

/*
 * The values are numbers of blocks. With INCREMENT BY 1, how many ids these are
 * is up to the program that draws them, and the row has to say it.
 */
static void
set_numbers(IdgenNativeSequence *sequence, const IdgenDefinition *row)
{
	int64 last;

	if (sequence->per_value == 1)
		sequence->per_value = row->block_size;
	sequence->per_block = 1;
	sequence->min_id = PG_INT64_MIN;
	sequence->max_id = row->max_value;
	last = last_number(sequence);
	if (last >= sequence->last)
		return;

	/* A cycle would begin only after the values in between, drawn in vain. */
	sequence->last = last;
	sequence->cycle = false;
}

/*
 * The most consecutive ids, with as many values as may be drawn. The ids of one
 * value are not consecutive with those of the next one if values are numbers of
 * blocks, and the sequence leaves numbers out.
 */
static int64
max_count(const IdgenNativeSequence *sequence)
{
	bool alone = sequence->pooling == IDGEN_POOLING_HILO && width_of(sequence) > 1;
	uint64 nvalues = alone ? 1 : IDGEN_NATIVE_VALUES;

	if (sequence->per_value > IDGEN_BLOCK_MAX / nvalues)
		return IDGEN_BLOCK_MAX;
	return sequence->per_value * nvalues;
}

/*
 * Have the values of a sequence stand for ids as that row says: its pooling
 * and, where values are numbers of blocks, block_size and max_value.
 */
void
idgen_native_set_pool(IdgenNativeSequence *sequence, const IdgenDefinition *row)
{
	sequence->pooling = row->pooling;
	sequence->per_value = width_of(sequence);
	sequence->per_block = sequence->per_value > 1 ? 1 : Min(row->block_size, IDGEN_NATIVE_VALUES);
	sequence->step = sequence->increment > 0 ? 1 : -1;
	sequence->min_id = Min(sequence->first, sequence->last);
	sequence->max_id = Max(sequence->first, sequence->last);
	if (row->pooling == IDGEN_POOLING_HILO)
		set_numbers(sequence, row);
	sequence->max_count = max_count(sequence);
}

/*
 * Values
 */

/* How far is it from v to the last value? */
static uint64
distance_after(const IdgenNativeSequence *sequence, int64 v)
{
	if (sequence->step > 0)
		return v < sequence->last ? (uint64) sequence->last - (uint64) v : 0;
	return v > sequence->last ? (uint64) v - (uint64) sequence->last : 0;
}

/* Is v + increment beyond the end? */
bool
idgen_native_is_last(const IdgenNativeSequence *sequence, int64 v)
{
	return distance_after(sequence, v) < width_of(sequence);
}

/*
 * The value that nextval() would give, if no session has values set aside by
 * CACHE. Returns false if there is none.
 */
static bool
next_value(const IdgenNativeSequence *sequence, const IdgenNativeState *state, int64 *next)
{
	if (!state->is_called)
		*next = state->last_value;
	else if (!idgen_native_is_last(sequence, state->last_value))
		*next = state->last_value + sequence->increment;
	else if (sequence->cycle)
		*next = sequence->first;
	else
		return false;
	return true;
}

/*
 * Ids
 */

/*
 * The ids that v stands for, in the order of use. The block is empty if none of
 * them may be issued.
 */
static IdgenBlock
ids_of(const IdgenNativeSequence *sequence, int64 v)
{
	int64 others = (int64) (sequence->per_value - 1);
	IdgenBlock block = {.step = sequence->step};
	int64 low = v;
	int64 high = v;

	if (sequence->pooling == IDGEN_POOLING_HILO)
	{
		/* What begins beyond bigint is none. */
		if (pg_sub_s64_overflow(v, 1, &low) || pg_mul_s64_overflow(low, (int64) sequence->per_value, &low) ||
		    low == PG_INT64_MAX)
			return block;
		low++;
		high = idgen_add_saturating(low, others);
	}
	else if (sequence->pooling == IDGEN_POOLING_POOLED_LO && sequence->step > 0)
		high = idgen_add_saturating(v, others);
	else if (pg_sub_s64_overflow(v, others, &low))
		low = PG_INT64_MIN;

	low = Max(low, sequence->min_id);
	high = Min(high, sequence->max_id);
	if (low > high)
		return block;
	block.next = sequence->step > 0 ? low : high;
	block.left = (int64) Min((uint64) high - (uint64) low, IDGEN_BLOCK_MAX - 1) + 1;
	return block;
}

/*
 * The ids that v stands for, which nextval() has given, or will give, when the
 * sequence's page is in that state. The block is empty if none of them may be
 * issued.
 *
 * With pooled, the first value that a sequence gives after it was created, or
 * restarted, is one id alone. Nobody knows whether those before it are free:
 * with START WITH 1000 or RESTART WITH 1000, they are most likely in use.
 * Hibernate leaves them out as well.
 */
IdgenBlock
idgen_native_ids_of(const IdgenNativeSequence *sequence, const IdgenNativeState *state, int64 v)
{
	if (sequence->pooling == IDGEN_POOLING_POOLED && !state->is_called && v == state->last_value)
		return (IdgenBlock){.next = v, .left = 1, .step = sequence->step};
	return ids_of(sequence, v);
}

/*
 * The ids that come next, if no session has values set aside by CACHE. A value
 * that stands for none is left out. The block is empty if no ids are left.
 */
IdgenBlock
idgen_native_next_ids(const IdgenNativeSequence *sequence, const IdgenNativeState *state)
{
	int64 next;
	IdgenBlock block;

	if (!next_value(sequence, state, &next))
		return (IdgenBlock){.step = sequence->step};
	block = idgen_native_ids_of(sequence, state, next);
	if (block.left == 0 && !idgen_native_is_last(sequence, next))
		block = ids_of(sequence, next + sequence->increment);
	return block;
}

/* The first id of the sequence, whatever value it starts with. */
int64
idgen_native_first_id(const IdgenNativeSequence *sequence)
{
	return sequence->pooling == IDGEN_POOLING_HILO ? ids_of(sequence, sequence->first).next : sequence->first;
}

/*
 * The last id of the sequence, if its values go on from v, which must not be
 * beyond the last one.
 */
int64
idgen_native_last_id(const IdgenNativeSequence *sequence, int64 v)
{
	uint64 rest = distance_after(sequence, v) % width_of(sequence);
	int64 last = (int64) ((uint64) sequence->last - (uint64) sequence->step * rest);
	IdgenBlock block = ids_of(sequence, last);

	return block.left > 0 ? idgen_block_last(&block) : last;
}
