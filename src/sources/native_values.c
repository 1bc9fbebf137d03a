/*
 * native_values.c
 *		Drawing values of a native sequence.
 *
 * nextval() gives one value at a time, and other sessions call it in between.
 * What values stand for is put together to as few blocks as possible.
 */
#include "postgres.h"

#include "commands/sequence.h"

#include "common/subxact.h"
#include "sources/native_values.h"

/* A part of ereport(): the sequence has no value left. */
int
idgen_values_exhausted(const IdgenHandle *handle)
{
	const IdgenNativeSequence *sequence = (const IdgenNativeSequence *) handle->found.details;

	errmsg("id sequence \"%s\" is exhausted", handle->name);
	errdetail("Its last id is %lld.", (long long) sequence->last);
	if (sequence->last == PG_INT64_MAX || sequence->last == PG_INT64_MIN)
		errhint("Use another sequence, or start this one again with idgen_restart().");
	else
		errhint("Change %s of sequence \"%s\" with ALTER SEQUENCE.",
		        sequence->increment > 0 ? "MAXVALUE" : "MINVALUE",
		        NameStr(sequence->name));
	return 0;
}

/* What nextval() says about its end, in idgen's words. */
static void
exhausted_callback(void *arg)
{
	if (geterrcode() == ERRCODE_SEQUENCE_GENERATOR_LIMIT_EXCEEDED)
		idgen_values_exhausted((const IdgenHandle *) arg);
}

/* Draw one value. */
static void
draw_value(IdgenValues *values)
{
	int64 v = nextval_internal(values->relid, false);
	IdgenBlock block = idgen_native_block(values->sequence, v);

	if (values->nblocks > 0 && idgen_block_adjacent(&values->blocks[values->nblocks - 1], &block))
		values->blocks[values->nblocks - 1].left += block.left;
	else
		values->blocks[values->nblocks++] = block;
	values->ids += block.left;
	values->nvalues++;
	values->last = v;
}

/* Draw one value, or raise 2200H in idgen's words. */
static void
draw_first_value(const IdgenHandle *handle, IdgenValues *values)
{
	ErrorContextCallback context;

	context.callback = exhausted_callback;
	context.arg = (void *) handle;
	context.previous = error_context_stack;
	error_context_stack = &context;
	draw_value(values);
	error_context_stack = context.previous;
}

/*
 * Are there enough consecutive ids? If not, the last block is the one to go on
 * with.
 */
static bool
has_enough(const IdgenValues *values)
{
	for (int i = 0; i < values->nblocks; i++)
		if (values->blocks[i].left >= values->count)
			return true;
	return false;
}

/*
 * Draw more values, but none after the sequence's last one, where a cycle may
 * begin.
 */
static void
draw_more_values(void *arg)
{
	IdgenValues *values = (IdgenValues *) arg;

	while ((values->nvalues < values->wanted || !has_enough(values)) &&
	       values->nblocks < IDGEN_SLOT_BLOCKS && values->ids < IDGEN_BLOCK_MAX &&
	       !idgen_native_is_last(values->sequence, values->last))
		draw_value(values);
}

/*
 * Draw at least one value, and more as they are wanted: fewer if the sequence
 * ends, or if the blocks become too many. Raises 2200H if there is none.
 */
void
idgen_values_draw(const IdgenHandle *handle, IdgenValues *values)
{
	draw_first_value(handle, values);

	/*
	 * If other sessions take the last value meanwhile, the first one is enough.
	 */
	if (values->wanted > 1 || values->count > 1)
		idgen_try(draw_more_values, values, ERRCODE_SEQUENCE_GENERATOR_LIMIT_EXCEEDED);
}
