/*
 * source_function.c
 *		Blocks from a function of the user's.
 *
 * The function f(name text, blocks integer) returns rows (first_id bigint,
 * last_id bigint). It runs with the caller's rights in the caller's
 * transaction, so what it does is undone together with the transaction, and its
 * blocks are pending until then. allocator.c finds and calls it.
 */
#include "postgres.h"

#include "common/hashfn.h"
#include "executor/executor.h"
#include "miscadmin.h"
#include "utils/builtins.h"

#include "common/compat.h"
#include "session/handle.h"
#include "session/pending.h"
#include "session/xact_changes.h"
#include "sources/allocator.h"
#include "sources/sources.h"

/* Raises 22004, 22023 or 42602 for what is not a qualified name. */
static void
check_syntax(const char *source_name)
{
	if (source_name == NULL)
		ereport(ERROR,
		        (errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
		         errmsg("source \"function\" needs a source_name"),
		         errhint("Name a function f(text, integer) that returns rows of two bigints.")));
	if (list_length(stringToQualifiedNameList(source_name, NULL)) < 2)
		ereport(ERROR,
		        (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
		         errmsg("function name \"%s\" must be schema-qualified", source_name),
		         errhint("idgen_create() finds the function's schema by itself.")));
}

/* The function is stored with its schema. */
static const char *
function_check_name(const char *name, const char *source_name)
{
	if (name != NULL && source_name != NULL)
		return idgen_allocator_full_name(source_name);
	check_syntax(source_name);
	return source_name;
}

static Oid
function_look_up(const char *name, const char *source_name)
{
	check_syntax(source_name);
	return idgen_allocator_look_up(source_name);
}

static const char *
function_title(Oid function, const char *name, const char *source_name)
{
	return source_name;
}

/* Raises 22023: the function has returned nonsense. */
static void
bad_block(const IdgenHandle *handle, int64 first, int64 last, const char *detail)
{
	ereport(ERROR,
	        (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
	         errmsg("function %s returned a bad block, %lld to %lld",
	                handle->found.source_name, (long long) first, (long long) last),
	         errdetail("%s", detail)));
}

/* One row of the function's result, checked by itself. */
static IdgenBlock
block_from_row(const IdgenHandle *handle, const IdgenAllocator *allocator, TupleTableSlot *row)
{
	bool first_null;
	bool last_null;
	int64 first = DatumGetInt64(slot_getattr(row, allocator->first_id, &first_null));
	int64 last = DatumGetInt64(slot_getattr(row, allocator->last_id, &last_null));
	IdgenBlock block;

	if (first_null || last_null)
		ereport(ERROR,
		        (errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
		         errmsg("function %s returned a null", handle->found.source_name)));
	if (first > last)
		bad_block(handle, first, last, "Its first id is greater than its last one.");
	if ((uint64) last - (uint64) first >= IDGEN_BLOCK_MAX)
		bad_block(handle, first, last, "It is too large.");
	block.next = first;
	block.left = last - first + 1;
	block.step = 1;
	return block;
}

static int
compare_blocks(const void *a, const void *b)
{
	int64 first_a = ((const IdgenBlock *) a)->next;
	int64 first_b = ((const IdgenBlock *) b)->next;

	return (first_a > first_b) - (first_a < first_b);
}

static bool
overlaps_any(const IdgenBlock *block, const IdgenBlock *others, int nothers)
{
	for (int i = 0; i < nothers; i++)
		if (idgen_block_overlaps(&others[i], block))
			return true;
	return false;
}

/*
 * Sort the blocks. Raises 22023 if ids are among them that were allocated
 * before, as far as this session can tell, or if there are too many.
 */
static void
check_blocks(IdgenHandle *handle, IdgenBlock *blocks, int64 nblocks)
{
	const IdgenBlock *pending = idgen_pending_block(handle);
	const IdgenRest *rest = &handle->pending.rest;
	IdgenCacheKey key;
	IdgenCached cached;
	int64 ids = 0;

	idgen_handle_key(handle, &key);
	if (!idgen_may_use_published(handle) || !idgen_cache_read(&key, &cached))
		cached.nblocks = 0;

	qsort(blocks, nblocks, sizeof(IdgenBlock), compare_blocks);
	for (int64 i = 0; i < nblocks; i++)
	{
		int64 last = idgen_block_last(&blocks[i]);

		if (i > 0 && idgen_block_overlaps(&blocks[i - 1], &blocks[i]))
			bad_block(handle, blocks[i].next, last, "It overlaps with another one of the same call.");
		if (overlaps_any(&blocks[i], cached.blocks, cached.nblocks))
			bad_block(handle, blocks[i].next, last, "It overlaps with ids that are cached.");
		if (pending != NULL && (overlaps_any(&blocks[i], pending, 1) || overlaps_any(&blocks[i], rest->more, rest->nmore)))
			bad_block(handle, blocks[i].next, last, "It overlaps with ids that are pending.");
		ids += blocks[i].left;
		if (ids > IDGEN_BLOCK_MAX)
			bad_block(handle, blocks[i].next, last, "It makes too many ids at once.");
	}
}

/*
 * Call the function for nblocks blocks. The blocks that it returns are checked,
 * sorted and palloc'd; *returned is their number. Raises 2200H if there is
 * none.
 */
static IdgenBlock *
call_function(IdgenHandle *handle, int32 nblocks, int *returned)
{
	EState *estate = CreateExecutorState();
	IdgenAllocator allocator;
	Tuplestorestate *rows;
	TupleTableSlot *row;
	IdgenBlock *blocks;
	int size = 8;

	idgen_allocator_find(handle->found.source_name, &allocator);
	rows = idgen_allocator_call(&allocator, handle->found.source_name,
	                            handle->name, nblocks, estate);

	*returned = 0;
	blocks = palloc(size * sizeof(IdgenBlock));
	row = MakeSingleTupleTableSlot(allocator.desc, &TTSOpsMinimalTuple);
	while (tuplestore_gettupleslot(rows, true, false, row))
	{
		if (*returned == size)
			blocks = repalloc(blocks, (size *= 2) * sizeof(IdgenBlock));
		blocks[(*returned)++] = block_from_row(handle, &allocator, row);
	}
	ExecDropSingleTupleTableSlot(row);
	tuplestore_end(rows);
	FreeExecutorState(estate);

	if (*returned == 0)
		ereport(ERROR,
		        (errcode(ERRCODE_SEQUENCE_GENERATOR_LIMIT_EXCEEDED),
		         errmsg("id sequence \"%s\" is exhausted", handle->name),
		         errdetail("Function %s returned no block.", handle->found.source_name)));
	check_blocks(handle, blocks, *returned);
	*returned = idgen_blocks_merge(blocks, *returned);
	return blocks;
}

/* The function itself is looked up at each refill. */
static void
function_resolve(const IdgenHandle *handle, IdgenFound *found, Oid object)
{
	found->origin = hash_bytes((const unsigned char *) found->source_name, strlen(found->source_name));
}

/*
 * How many blocks to ask the function for? Only the function knows how large
 * they are: we go by those of this transaction.
 */
static int32
blocks_to_ask_for(const IdgenHandle *handle, const IdgenRequest *request)
{
	const IdgenHandleXact *xact = &handle->xact;
	int64 ids_per_block = handle->found.block_size;
	int64 wanted;

	if (xact->refills > 0)
		ids_per_block = Max(1, xact->ids_allocated / xact->counters.blocks_taken);
	wanted = request->blocks + (request->count - 1) / ids_per_block;
	return Min(Max(wanted, request->bulk_ids / ids_per_block), PG_INT32_MAX);
}

/*
 * Allocate blocks. The function can wait for whatever it likes, so it is not
 * called ahead.
 */
static IdgenSourceResult
function_allocate(IdgenHandle *handle, const IdgenRequest *request, IdgenRefill *refill)
{
	int32 nblocks = blocks_to_ask_for(handle, request);
	const char *source_name = pstrdup(handle->found.source_name);
	IdgenBlock *blocks;
	int returned;

	if (request->asker == IDGEN_ASKER_SESSION_AHEAD)
		return IDGEN_SOURCE_NOT_AHEAD;
	blocks = call_function(handle, nblocks, &returned);
	if (handle->found.source != &idgen_source_function)
		ereport(ERROR,
		        (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
		         errmsg("function %s has changed what id sequence \"%s\" stands for",
		                source_name, handle->name)));

	refill->rest.block = blocks[0];
	refill->rest.more = &blocks[1];
	refill->rest.nmore = returned - 1;
	refill->blocks = nblocks;
	refill->fate = handle->found.block_size > 1 ? IDGEN_REST_PUBLISHED : IDGEN_REST_LOST;
	refill->left.percent = 100;
	return IDGEN_SOURCE_OK;
}

/* Raises 55000: a function cannot be asked without allocating. */
static IdgenSourceResult
function_peek(IdgenHandle *handle, int64 *id)
{
	ereport(ERROR,
	        (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
	         errmsg("the next id of id sequence \"%s\" is not known yet", handle->name),
	         errdetail("None is cached, and function %s has to be called for more.",
	                   handle->found.source_name)));
}

const IdgenSource idgen_source_function = {
	.name = "function",
	.transactional = true,
	.runs_code = true,
	.max_count = IDGEN_BLOCK_MAX, /* as much as call_function() lets pass */
	.check_name = function_check_name,
	.look_up = function_look_up,
	.title = function_title,
	.resolve = function_resolve,
	.allocate = function_allocate,
	.peek = function_peek,
};
