/*
 * source_sequence.c
 *		Blocks from native sequences.
 *
 * INCREMENT BY is the block size: one nextval() that gives v stands for the ids
 * from v up to the next value, or down to it, unless the row has another
 * pooling (see catalog/pooling.c). With INCREMENT BY 1 (or -1), n values make a
 * block of n, or several smaller ones if other sessions call nextval() in
 * between; with hilo, one value makes it. With CACHE n, a call takes n values
 * from the sequence, and a refill all of these (see native_values.c).
 *
 * nextval() is not undone when its transaction aborts. So a block is good for
 * all sessions as soon as no crash can bring it back: when the WAL that
 * describes the sequence's only page is on disk. (nextval() itself does not
 * wait for that. It logs one record for 32 values, and leaves the flush to the
 * commit, which with synchronous_commit = off does not wait for it either.)
 *
 * ALTER SEQUENCE and TRUNCATE ... RESTART IDENTITY give a sequence a new file.
 * That tells that cached ids are of the old one (see session/xact_changes.c).
 * Both conflict with the lock that nextval() takes, and that stays until its
 * transaction ends: no block can be published from a file after it was
 * replaced.
 */
#include "postgres.h"

#include "access/relation.h"
#include "utils/rel.h"

#include "catalog/definition.h"
#include "catalog/extent.h"
#include "catalog/native_look.h"
#include "catalog/row.h"
#include "common/compat.h"
#include "session/handle.h"
#include "session/pending.h"
#include "sources/native_values.h"
#include "sources/sources.h"

/*
 * Most values that one refill draws from a sequence with INCREMENT BY 1. The
 * sessions that wait for the refill wait for all of them.
 */
#define MAX_VALUES 100000

/*
 * This close to the end of a sequence no session refills ahead; in what other
 * sessions may call nextval() for in between, that is, in values or, with
 * CACHE, in sets of them.
 */
#define SAFE_DISTANCE 1000

/* Raises 42P01, in the server's words. */
static void
no_such_relation(const RangeVar *sequence)
{
	ereport(ERROR,
	        (errcode(ERRCODE_UNDEFINED_TABLE),
	         errmsg("relation \"%s\" does not exist",
	                idgen_native_display(sequence)),
	         errhint("Create the sequence, or name another one in column \"source_name\" of \"id_sequences\".")));
}

/* The sequence must be there; source_name is stored as it was given. */
static const char *
sequence_check_name(const char *name, const char *source_name)
{
	RangeVar *sequence = name != NULL || source_name != NULL ? idgen_native_name(name, source_name) : NULL;
	Relation rel;

	if (name == NULL)
		return source_name;
	rel = idgen_native_open(sequence, AccessShareLock);
	if (rel == NULL)
		no_such_relation(sequence);
	relation_close(rel, AccessShareLock);
	return source_name;
}

/*
 * Find the sequence that the name stands for now. Without a row, the id
 * sequence is the native one: then there is none without that. Raises 42P01,
 * 42704, and 42501 unless the user may draw from it.
 */
static Relation
find_sequence(const IdgenHandle *handle, IdgenFound *found, LOCKMODE lockmode)
{
	RangeVar *name;
	Relation rel;

	name = idgen_native_name(handle->name, found->source_name);
	if (name->schemaname == NULL)
		found->search_path = pstrdup(namespace_search_path);

	rel = idgen_native_open(name, lockmode);
	if (rel == NULL)
	{
		if (found->has_row)
			no_such_relation(name);
		ereport(ERROR,
		        (errcode(ERRCODE_UNDEFINED_OBJECT),
		         errmsg("id sequence \"%s\" does not exist", handle->name),
		         errdetail("It has no row in \"id_sequences\", and there is no sequence \"%s\".",
		                   idgen_native_display(name)),
		         errhint("Create the sequence.")));
	}
	idgen_watch_sequence(RelationGetRelid(rel));
	idgen_native_check(RelationGetRelid(rel), ACL_USAGE | ACL_UPDATE);
	return rel;
}

/*
 * Raises 0A000 for a pooling of ascending sequences with one that descends: no
 * other program draws so.
 */
static void
check_pooling(const IdgenNativeSequence *sequence)
{
	if (sequence->increment < 0 && sequence->ids.pooling != IDGEN_POOLING_POOLED_LO)
		ereport(ERROR,
		        (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
		         errmsg("pooling \"%s\" is not supported with descending sequence \"%s\"",
		                idgen_pooling_word(sequence->ids.pooling), NameStr(sequence->name)),
		         errhint("Use pooling \"pooled_lo\".")));
}

/*
 * Are the ids of a value consecutive with those of the next one? Not if values
 * are numbers of blocks, and the sequence leaves numbers out.
 */
static bool
ids_follow_each_other(const IdgenNativeSequence *sequence)
{
	return sequence->ids.pooling != IDGEN_POOLING_HILO || idgen_native_width(sequence) == 1;
}

/* The most consecutive ids, with as many values as may be drawn. */
static int64
max_count(const IdgenNativeSequence *sequence)
{
	uint64 per_value = sequence->ids.per_value;
	uint64 nvalues = ids_follow_each_other(sequence) ? MAX_VALUES : 1;

	if (per_value > IDGEN_BLOCK_MAX / nvalues)
		return IDGEN_BLOCK_MAX;
	return per_value * nvalues;
}

/*
 * The lock is that of nextval(). But if the worker will call that, or may, the
 * weakest one suffices: so no session waits for one that alters the sequence. A
 * session that calls it after all takes the lock before.
 */
static void
sequence_resolve(const IdgenHandle *handle, IdgenFound *found, Oid object)
{
	bool given = OidIsValid(object);
	bool weak = found->refill != IDGEN_REFILL_TRANSACTION && !given;
	LOCKMODE lockmode = weak ? AccessShareLock : RowExclusiveLock;
	Relation rel = given ? try_relation_open(object, lockmode) : find_sequence(handle, found, lockmode);
	IdgenNativeSequence *sequence;

	if (rel == NULL)
		return;
	found->object = RelationGetRelid(rel);
	found->storage = rel->rd_locator.relNumber;
	found->uncommitted = idgen_native_is_uncommitted(rel);
	found->temporary = rel->rd_rel->relpersistence == RELPERSISTENCE_TEMP;
	found->origin = idgen_pool_origin(&found->pool);
	sequence = idgen_native_describe(rel, &found->pool);
	check_pooling(sequence);
	sequence->max_count = max_count(sequence);
	found->native = sequence;
	relation_close(rel, given ? NoLock : lockmode);
}

/* The sequence, with its schema if it is there. */
static const char *
sequence_title(Oid sequence, const char *name, const char *source_name)
{
	const char *title = OidIsValid(sequence) ? idgen_native_full_name(sequence) : NULL;

	return title != NULL ? title : idgen_native_display(idgen_native_name(name, source_name));
}

/*
 * Is the end so near that nextval() might reach it, since other sessions call
 * it as well? A session that still has ids should not get that error.
 */
static bool
is_near_end(Oid relid, const IdgenNativeSequence *sequence, int64 nvalues)
{
	int64 after = idgen_native_values_after(sequence, idgen_native_locked_state(relid).last_value);

	return !sequence->cycle && after / sequence->cache < nvalues + SAFE_DISTANCE;
}

/*
 * How many ids are there behind the first one of a block, which the value
 * "next" stands for? If the sequence begins anew, as many as it has at all.
 */
static uint64
ids_behind(const IdgenNativeSequence *sequence, int64 next, const IdgenBlock *block)
{
	int64 last = idgen_native_last_id(sequence, next);
	int64 first = block->next;

	if (sequence->cycle)
		first = idgen_native_first_id(sequence);
	return sequence->ids.step > 0 ? (uint64) last - (uint64) first : (uint64) first - (uint64) last;
}

/*
 * How many consecutive ids must be drawn for a request? Raises 2200H if the
 * sequence does not have them, unless that cannot be known.
 */
static int64
ids_to_draw(const IdgenHandle *handle, const IdgenRequest *request)
{
	const IdgenNativeSequence *sequence = handle->found.native;
	IdgenNativeState state;
	IdgenBlock block;
	int64 next;
	int64 ids = 0;

	if (request->count == 1 || sequence->cache > 1)
		return request->count;

	state = idgen_native_locked_state(handle->found.object);
	if (idgen_native_next_ids(sequence, &state, &next, &block))
		ids = idgen_request_ids(request, block.next, block.step, ids_behind(sequence, next, &block));
	if (ids == 0)
		idgen_too_few(handle->name, request->count, idgen_native_last_id(sequence, state.last_value));
	return ids;
}

/* The values that make a block. */
static int64
values_per_block(const IdgenHandle *handle)
{
	const IdgenNativeSequence *sequence = handle->found.native;

	if (idgen_native_width(sequence) > 1 || sequence->ids.pooling == IDGEN_POOLING_HILO)
		return 1;
	return Min(handle->found.block_size, MAX_VALUES);
}

/*
 * What is left of the range once these values are drawn. A sequence that begins
 * anew has no end.
 */
static IdgenRangeLeft
range_left(const IdgenHandle *handle, const IdgenValues *drawn)
{
	const IdgenNativeSequence *sequence = drawn->sequence;
	const IdgenNativeState state = {.last_value = drawn->last, .is_called = true};
	IdgenRangeLeft left = {.percent = 100};

	if (sequence->cycle)
		return left;
	left.percent = (int) idgen_native_percent_left(sequence, &state);
	left.ids = idgen_native_ids_left(sequence, drawn->last);
	if (handle->found.stored_in != IDGEN_NO_COLUMN)
		idgen_range_left_in_column(&left, handle->found.stored_in, idgen_native_first_id(sequence),
		                           idgen_block_last(&drawn->blocks[drawn->nblocks - 1]), (int) sequence->ids.step);
	return left;
}

/*
 * Allocate blocks. A bulk load of a session takes no more at once than a single
 * draw: asking once more costs one nextval(), and every 32nd time a flush. But
 * if the worker is asked once more, the session may have to wait for it.
 */
static IdgenSourceResult
sequence_allocate(IdgenHandle *handle, const IdgenRequest *request, IdgenRefill *refill)
{
	const IdgenNativeSequence *sequence = handle->found.native;
	int64 block_size = values_per_block(handle);
	int64 count = ids_to_draw(handle, request);
	int64 more = count > 1 ? (count - 1) / sequence->ids.per_value / block_size : 0;
	int64 bulk = idgen_request_by_worker(request) ? request->bulk_ids / sequence->ids.per_value / block_size : 0;
	int64 nblocks = Max(request->blocks + more, bulk);
	int64 nvalues = Min(nblocks, MAX_VALUES / block_size) * block_size;
	IdgenValues drawn = {
		.relid = handle->found.object,
		.sequence = sequence,
		.wanted = nvalues,
		.count = count,
	};

	if (sequence->cache > 1 || sequence->ids.pooling == IDGEN_POOLING_POOLED)
		drawn.before = idgen_native_locked_state(handle->found.object);
	if (request->asker == IDGEN_ASKER_SESSION_AHEAD &&
	    is_near_end(handle->found.object, sequence, nvalues))
		return IDGEN_SOURCE_NOT_AHEAD;

	idgen_values_draw(handle, &drawn);
	refill->rest.block = drawn.blocks[0];
	refill->rest.nmore = drawn.nblocks - 1;
	if (refill->rest.nmore > 0)
		refill->rest.more = memcpy(palloc(refill->rest.nmore * sizeof(IdgenBlock)),
		                           &drawn.blocks[1], refill->rest.nmore * sizeof(IdgenBlock));
	refill->blocks = (drawn.nvalues - 1) / block_size + 1;
	refill->ahead_blocks = refill->blocks;
	refill->ahead_ids = drawn.ids;
	refill->fate = IDGEN_REST_PUBLISHED;
	if (sequence->logged)
		refill->lsn = idgen_native_locked_state(handle->found.object).lsn;
	refill->left = range_left(handle, &drawn);
	return IDGEN_SOURCE_OK;
}

/* The first id of what nextval() would give. Raises 2200H, 55000. */
static IdgenSourceResult
sequence_peek(IdgenHandle *handle, int64 *id)
{
	const IdgenNativeSequence *sequence = handle->found.native;
	Relation rel;
	IdgenNativeState state;
	int64 value;
	IdgenBlock block;

	/* The lock that keeps ALTER SEQUENCE from replacing the file under us. */
	rel = try_relation_open(handle->found.object, RowExclusiveLock);
	if (rel == NULL)
		return IDGEN_SOURCE_STALE;
	if (!idgen_native_is_readable(rel))
		ereport(ERROR,
		        (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
		         errmsg("the next id of id sequence \"%s\" is not known yet", handle->name),
		         errdetail(handle->found.temporary ? "Sequence \"%s\" is a temporary sequence of another session." : "Sequence \"%s\" is unlogged, and this is a standby.",
		                   NameStr(sequence->name))));
	if (sequence->cache > 1)
		ereport(ERROR,
		        (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
		         errmsg("the next id of id sequence \"%s\" is not known yet", handle->name),
		         errdetail("None is cached, and sequence \"%s\" does not tell which is next.",
		                   NameStr(sequence->name)),
		         errhint("With CACHE above 1, each session may hold values.")));
	state = idgen_native_state(rel);
	relation_close(rel, RowExclusiveLock);

	if (!idgen_native_next_ids(sequence, &state, &value, &block))
		ereport(ERROR,
		        (errcode(ERRCODE_SEQUENCE_GENERATOR_LIMIT_EXCEEDED),
		         idgen_values_exhausted(handle)));
	*id = block.next;
	return IDGEN_SOURCE_OK;
}

/* The native sequence says it. */
static void
sequence_extent(TupleTableSlot *row, Oid object, IdgenExtent *extent)
{
	IdgenPool pool = idgen_pool_of_row(row);

	if (!OidIsValid(object))
		object = idgen_native_look_up(idgen_row_string(row, IDGEN_ATT_NAME),
		                              idgen_row_string(row, IDGEN_ATT_SOURCE_NAME));
	idgen_extent_add_native(extent, object, &pool);
}

const IdgenSource idgen_source_sequence = {
	.name = "sequence",
	.transactional = false,
	.has_object = true,
	.check_name = sequence_check_name,
	.resolve = sequence_resolve,
	.look_up = idgen_native_look_up,
	.title = sequence_title,
	.allocate = sequence_allocate,
	.peek = sequence_peek,
	.extent = sequence_extent,
};
