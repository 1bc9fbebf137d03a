/*
 * native_values.c
 *		Drawing values of a native sequence.
 *
 * nextval() gives one value at a time, and other sessions call it in between.
 * What values stand for is put together to as few blocks as possible.
 *
 * With CACHE n, nextval() takes n values from the sequence and sets all but the
 * first aside for the next calls in this session. They would be lost when the
 * session ends, so a refill draws whole sets of n; and before them what the
 * user's own nextval() may have left.
 */
#include "postgres.h"

#include "access/relation.h"
#include "commands/sequence.h"
#include "miscadmin.h"
#include "utils/hsearch.h"
#include "utils/rel.h"

#include "catalog/table.h"
#include "common/subxact.h"
#include "sources/native_values.h"

/*
 * The files of native sequences that this session has drawn from, and that
 * nextval() has written WAL for since then. NULL if there are none.
 */
static HTAB *logged_files;

typedef struct LoggedFile
{
	Oid relid; /* the key */
	RelFileNumber file;
} LoggedFile;

/*
 * See to it that a crash does not undo what is drawn: the first nextval() of a
 * session writes WAL, unless the sequence needs none, as a temporary one. That
 * holds for the values that come after, too: see idgen_native_log_next().
 */
static void
log_first_value(Oid relid)
{
	Relation rel = relation_open(relid, NoLock);
	LoggedFile *logged;
	bool found;

	if (logged_files == NULL)
	{
		HASHCTL control = {.keysize = sizeof(Oid), .entrysize = sizeof(LoggedFile)};

		logged_files = hash_create("idgen sequences", 16, &control, HASH_ELEM | HASH_BLOBS);
	}
	logged = hash_search(logged_files, &relid, HASH_ENTER, &found);
	if (!found || logged->file != rel->rd_locator.relNumber)
	{
		logged->file = InvalidRelFileNumber;
		if (RelationNeedsWAL(rel))
		{
			idgen_native_log_next(rel);
			logged->file = rel->rd_locator.relNumber;
		}
	}
	relation_close(rel, NoLock);
}

/* A part of ereport(): the sequence has no value left. */
int
idgen_values_exhausted(const IdgenHandle *handle)
{
	const IdgenNativeSequence *sequence = handle->found.native;
	int64 last_id = idgen_native_last_id(sequence, sequence->last);
	const char *widening = idgen_owning_column_widening(handle->found.stored_in, last_id);

	errmsg("id sequence \"%s\" is exhausted", handle->name);
	if (sequence->ids.pooling == IDGEN_POOLING_POOLED)
		errdetail("The values of sequence \"%s\" end at %lld.", NameStr(sequence->name), (long long) sequence->last);
	else
		errdetail("Its last id is %lld.", (long long) last_id);
	if (last_id == PG_INT64_MAX || last_id == PG_INT64_MIN)
		errhint("Use another sequence, or start this one again with %s.",
		        handle->found.has_row ? psprintf("%s()", idgen_function_name(handle->relid, "idgen_restart")) : "ALTER SEQUENCE");
	else if (sequence->ids.pooling == IDGEN_POOLING_HILO && last_id == sequence->ids.max_id)
		errhint("Raise max_value.");
	else if (sequence->increment > 0 && widening != NULL)
		errhint("Widen its column with %s, then raise MAXVALUE of sequence \"%s\" with ALTER SEQUENCE.",
		        widening, NameStr(sequence->name));
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

/* Add the ids of a value, which are not none. */
static void
add_block(IdgenValues *values, const IdgenBlock *block)
{
	if (values->nblocks > 0 && idgen_block_adjacent(&values->blocks[values->nblocks - 1], block))
		values->blocks[values->nblocks - 1].left += block->left;
	else
		values->blocks[values->nblocks++] = *block;
	values->ids += block->left;
}

/*
 * Draw one value, which may stand for no ids. If it does not follow the one
 * before, other sessions have drawn those between: it begins a set. What the
 * user's nextval() has left ends so, or with the last value that any session
 * had taken before, which the sequence's page tells.
 */
static void
draw_value(IdgenValues *values)
{
	int64 v = nextval_internal(values->relid, false);
	IdgenBlock block = idgen_native_next_block(values->sequence, &values->before, v);

	if (block.left > 0)
		add_block(values, &block);
	if (values->nvalues > 0 && v != values->last + values->sequence->increment)
		values->before_set = values->nvalues;
	values->nvalues++;
	if (values->before.is_called && v == values->before.last_value)
		values->before_set = values->nvalues;
	values->last = v;
}

/*
 * Draw one value, or two if the first one stands for no ids, or raise 2200H in
 * idgen's words.
 */
static void
draw_first_value(const IdgenHandle *handle, IdgenValues *values)
{
	ErrorContextCallback context;

	context.callback = exhausted_callback;
	context.arg = (void *) handle;
	context.previous = error_context_stack;
	error_context_stack = &context;
	draw_value(values);
	if (values->nblocks == 0 && !idgen_native_is_last(values->sequence, values->last))
		draw_value(values);
	error_context_stack = context.previous;
	if (values->nblocks == 0)
		ereport(ERROR,
		        (errcode(ERRCODE_SEQUENCE_GENERATOR_LIMIT_EXCEEDED),
		         idgen_values_exhausted(handle)));
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

/* Has nextval() set values aside, which would be lost with the session? */
static bool
is_within_set(const IdgenValues *values)
{
	return (values->nvalues - values->before_set) % values->sequence->cache != 0;
}

/*
 * Does the refill need more values? None after the sequence's last one, where a
 * cycle may begin. If millions are set aside, and the session is to stop what
 * it does, they stay where they are.
 */
static bool
needs_more(const IdgenValues *values)
{
	if (values->ids >= IDGEN_BLOCK_MAX || idgen_native_is_last(values->sequence, values->last))
		return false;
	if (is_within_set(values))
		return values->nblocks <= IDGEN_SLOT_BLOCKS && !QueryCancelPending && !ProcDiePending;
	return values->nblocks < IDGEN_SLOT_BLOCKS && (values->nvalues < values->wanted || !has_enough(values));
}

/* Draw all values that are needed. */
static void
draw_more_values(void *arg)
{
	IdgenValues *values = (IdgenValues *) arg;

	while (needs_more(values))
		draw_value(values);
}

/*
 * Draw at least one value, and more as they are wanted: fewer if the sequence
 * ends, or if the blocks become too many. With CACHE above 1 there may be more
 * than that: none is left set aside. Raises 2200H if there is none at all.
 */
void
idgen_values_draw(const IdgenHandle *handle, IdgenValues *values)
{
	log_first_value(values->relid);
	draw_first_value(handle, values);

	/*
	 * If other sessions take the last value meanwhile, the first one is enough.
	 */
	if (values->wanted > 1 || values->count > 1 || is_within_set(values))
		idgen_try(draw_more_values, values, ERRCODE_SEQUENCE_GENERATOR_LIMIT_EXCEEDED);
}
