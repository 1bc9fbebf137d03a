/*
 * source_sequence.c
 *		Blocks from native sequences.
 *
 * INCREMENT BY is the block size: one nextval() that gives v stands for the ids
 * from v up to the next value, or down to it, unless the row has another
 * pooling (see catalog/pooling.c). With INCREMENT BY 1 (or -1), n values make a
 * block of n, or several smaller ones if other sessions call nextval() in
 * between; with hilo, one value makes it. What values stand for is put together
 * to as few blocks as possible.
 *
 * With CACHE n, nextval() takes n values from the sequence and sets all but the
 * first aside for the next calls in this session. They would be lost when the
 * session ends, so a refill draws whole sets of n; and before them what the
 * user's own nextval() may have left.
 *
 * nextval() is not undone when its transaction aborts. So a block is good for
 * all sessions as soon as no crash can bring it back: when the WAL that
 * describes the sequence's only page is on disk. (nextval() itself does not
 * wait for that. It logs one record for 32 values, and leaves the flush to the
 * commit, which with synchronous_commit = off does not wait for it either.)
 *
 * ALTER SEQUENCE and TRUNCATE ... RESTART IDENTITY give a sequence a new file.
 * That tells that cached ids are of the old one (see session/xact.c).
 * Both conflict with the lock that nextval() takes, and that stays until its
 * transaction ends: no block can be published from a file after it was
 * replaced.
 */
#include "postgres.h"

#include "access/relation.h"
#include "commands/sequence.h"
#include "miscadmin.h"
#include "utils/rel.h"

#include "catalog/definition.h"
#include "catalog/table.h"
#include "common/compat.h"
#include "common/subxact.h"
#include "session/handle.h"

/* What a refill draws. */
typedef struct Draw
{
	const IdgenHandle *handle;
	const IdgenNativeSequence *sequence;
	int64 wanted;            /* values, at least 1 */
	int64 count;             /* consecutive ids wanted, at least 1 */
	IdgenNativeState before; /* what the sequence's page says; not used with CACHE 1
	                          * unless the pooling is pooled */

	/* What has been drawn */
	int64 nvalues;
	int64 before_set; /* as many of them came before the set that nextval() is at */
	int64 last;       /* the last of these values */
	int64 ids;        /* in the blocks */
	int nblocks;
	IdgenBlock *blocks; /* no more than the cache can hold, and one for the rest of
	                     * a set of CACHE */
} Draw;

/*
 * Finding it
 */

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
	RangeVar *sequence;
	Relation rel;

	if (name == NULL && source_name == NULL)
		return NULL;
	sequence = idgen_native_name(name, source_name);
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

	name = idgen_native_name(handle->name, found->row.source_name);
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
	idgen_watch_relation(RelationGetRelid(rel));
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
	if (sequence->increment < 0 && sequence->pooling != IDGEN_POOLING_POOLED_LO)
		ereport(ERROR,
		        (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
		         errmsg("pooling \"%s\" is not supported with descending sequence \"%s\"",
		                idgen_pooling_word(sequence->pooling), NameStr(sequence->name)),
		         errhint("Use pooling \"pooled_lo\".")));
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
	bool weak = found->row.refill != IDGEN_REFILL_TRANSACTION && !given;
	LOCKMODE lockmode = weak ? AccessShareLock : RowExclusiveLock;
	Relation rel = given ? try_relation_open(object, lockmode) : find_sequence(handle, found, lockmode);

	if (rel == NULL)
		return;
	found->object = RelationGetRelid(rel);
	found->storage = rel->rd_locator.relNumber;
	found->uncommitted = idgen_native_is_uncommitted(rel);
	found->temporary = rel->rd_rel->relpersistence == RELPERSISTENCE_TEMP;
	found->origin = idgen_pool_origin(&found->row);
	found->native = idgen_native_describe(rel, &found->row);
	check_pooling(found->native);
	relation_close(rel, given ? NoLock : lockmode);
}

/*
 * How much to draw
 */

/*
 * How many ids are there behind the first one of the block that comes next? If
 * the sequence begins anew, as many as it has at all.
 */
static uint64
ids_behind(const IdgenNativeSequence *sequence, const IdgenNativeState *state, const IdgenBlock *next)
{
	int64 last = idgen_native_last_id(sequence, state->last_value);
	int64 first = sequence->cycle ? idgen_native_first_id(sequence) : next->next;

	return sequence->step > 0 ? (uint64) last - (uint64) first : (uint64) first - (uint64) last;
}

/*
 * Raises 2200H if the sequence does not have the consecutive ids of a request,
 * unless that cannot be known.
 */
static void
check_count(const IdgenHandle *handle, const IdgenRequest *request)
{
	const IdgenNativeSequence *sequence = handle->found.native;
	IdgenNativeState state;
	IdgenBlock next;

	if (request->count == 1 || sequence->cache > 1)
		return;
	state = idgen_native_state(handle->found.object);
	next = idgen_native_next_ids(sequence, &state);
	if (next.left == 0 || ids_behind(sequence, &state, &next) < (uint64) request->count - 1)
		idgen_too_few(handle->name, request->count, idgen_native_last_id(sequence, state.last_value));
}

/*
 * Drawing
 */

/* Raises 2200H: the sequence has no value left. */
pg_noreturn static void
raise_exhausted(const IdgenHandle *handle)
{
	const IdgenNativeSequence *sequence = handle->found.native;
	int64 last_id = idgen_native_last_id(sequence, sequence->last);
	const char *widening = idgen_owning_column_widening(handle->found.row.stored_in, last_id);
	const char *hint;

	if (last_id == PG_INT64_MAX || last_id == PG_INT64_MIN)
		hint = psprintf("Use another sequence, or start this one again with %s.",
		                handle->found.has_row ? psprintf("%s()", idgen_function_name(handle->relid, "idgen_restart")) : "ALTER SEQUENCE");
	else if (sequence->pooling == IDGEN_POOLING_HILO && last_id == sequence->max_id)
		hint = "Raise max_value.";
	else if (sequence->increment > 0 && widening != NULL)
		hint = psprintf("Widen its column with %s, then raise MAXVALUE of sequence \"%s\" with ALTER SEQUENCE.",
		                widening, NameStr(sequence->name));
	else
		hint = psprintf("Change %s of sequence \"%s\" with ALTER SEQUENCE.",
		                sequence->increment > 0 ? "MAXVALUE" : "MINVALUE", NameStr(sequence->name));
	ereport(ERROR,
	        (errcode(ERRCODE_SEQUENCE_GENERATOR_LIMIT_EXCEEDED),
	         errmsg("id sequence \"%s\" is exhausted", handle->name),
	         sequence->pooling == IDGEN_POOLING_POOLED
	             ? errdetail("The values of sequence \"%s\" end at %lld.", NameStr(sequence->name), (long long) sequence->last)
	             : errdetail("Its last id is %lld.", (long long) last_id),
	         errhint("%s", hint)));
}

/*
 * Draw one value, which may stand for no ids. If it does not follow the one
 * before, other sessions have drawn those between: it begins a set. What the
 * user's nextval() has left ends so, or with the last value that any session
 * had taken before, which the sequence's page tells.
 */
static void
draw_value(Draw *draw)
{
	int64 v = nextval_internal(draw->handle->found.object, false);
	IdgenBlock block = idgen_native_ids_of(draw->sequence, &draw->before, v);

	if (draw->nblocks > 0 && idgen_block_adjacent(&draw->blocks[draw->nblocks - 1], &block))
		draw->blocks[draw->nblocks - 1].left += block.left;
	else if (block.left > 0)
		draw->blocks[draw->nblocks++] = block;
	draw->ids += block.left;
	if (draw->nvalues > 0 && v != draw->last + draw->sequence->increment)
		draw->before_set = draw->nvalues;
	draw->nvalues++;
	if (draw->before.is_called && v == draw->before.last_value)
		draw->before_set = draw->nvalues;
	draw->last = v;
}

/* Has nextval() set values aside, which would be lost with the session? */
static bool
is_within_set(const Draw *draw)
{
	return (draw->nvalues - draw->before_set) % draw->sequence->cache != 0;
}

/*
 * Are there enough consecutive ids? If not, the last block is the one to go on
 * with.
 */
static bool
has_enough(const Draw *draw)
{
	for (int i = 0; i < draw->nblocks; i++)
		if (draw->blocks[i].left >= draw->count)
			return true;
	return false;
}

/*
 * Does the refill need more values? None after the sequence's last one, where a
 * cycle may begin. If millions are set aside, and the session is to stop what
 * it does, they stay where they are.
 */
static bool
needs_more(const Draw *draw)
{
	if (draw->ids >= IDGEN_BLOCK_MAX || idgen_native_is_last(draw->sequence, draw->last))
		return false;
	if (is_within_set(draw))
		return draw->nblocks <= IDGEN_SLOT_RUNS && !QueryCancelPending && !ProcDiePending;
	return draw->nblocks < IDGEN_SLOT_RUNS && (draw->nvalues < draw->wanted || !has_enough(draw));
}

/*
 * Draw at least one value, or two if the first one stands for no ids, and more
 * as they are wanted: fewer if the sequence ends, or if the blocks become too
 * many. With CACHE above 1 there may be more than that: none is left set aside.
 */
static void
draw_values(void *arg)
{
	Draw *draw = (Draw *) arg;

	draw_value(draw);
	if (draw->nblocks == 0 && !idgen_native_is_last(draw->sequence, draw->last))
		draw_value(draw);
	while (draw->nblocks > 0 && needs_more(draw))
		draw_value(draw);
}

/*
 * What is left of the range once these values are drawn. A sequence that begins
 * anew has no end.
 */
static IdgenRangeLeft
range_left(const Draw *draw)
{
	const IdgenNativeSequence *sequence = draw->sequence;
	double last_drawn = idgen_block_last(&draw->blocks[draw->nblocks - 1]);

	if (sequence->cycle)
		return (IdgenRangeLeft){.percent = 100};
	return idgen_range_left(idgen_native_first_id(sequence), last_drawn + sequence->step,
	                        idgen_native_last_id(sequence, draw->last), draw->handle->found.row.stored_in);
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
	int64 per_block = sequence->per_block;
	int64 more = (request->count - 1) / sequence->per_value / per_block;
	int64 bulk = idgen_request_by_worker(request) ? request->bulk_ids / sequence->per_value / per_block : 0;
	int64 nblocks = Max(request->blocks + more, bulk);
	Draw draw = {
		.handle = handle,
		.sequence = sequence,
		.wanted = Min(nblocks, IDGEN_NATIVE_VALUES / per_block) * per_block,
		.count = request->count,
	};

	check_count(handle, request);
	if (sequence->cache > 1 || sequence->pooling == IDGEN_POOLING_POOLED)
		draw.before = idgen_native_state(handle->found.object);
	draw.blocks = palloc((IDGEN_SLOT_RUNS + 1) * sizeof(IdgenBlock));

	/*
	 * If other sessions take the last value meanwhile, what there is is enough.
	 */
	idgen_native_log_first(handle->found.object);
	(void) idgen_try(draw_values, &draw, ERRCODE_SEQUENCE_GENERATOR_LIMIT_EXCEEDED);
	if (draw.nblocks == 0 && request->asker == IDGEN_ASKER_SESSION_AHEAD)
		return IDGEN_SOURCE_BUSY;
	if (draw.nblocks == 0)
		raise_exhausted(handle);
	refill->rest.block = draw.blocks[0];
	refill->rest.nmore = draw.nblocks - 1;
	refill->rest.more = &draw.blocks[1];
	refill->blocks = (draw.nvalues - 1) / per_block + 1;
	refill->ahead_blocks = refill->blocks;
	refill->ahead_ids = draw.ids;
	refill->fate = IDGEN_REST_PUBLISHED;
	if (sequence->logged)
		refill->lsn = idgen_native_state(handle->found.object).lsn;
	refill->left = range_left(&draw);
	return IDGEN_SOURCE_OK;
}

/* The first id of what nextval() would give. Raises 2200H, 55000. */
static bool
sequence_peek(IdgenHandle *handle, int64 *id)
{
	const IdgenNativeSequence *sequence = handle->found.native;
	Relation rel;
	IdgenNativeState state;
	IdgenBlock next;

	/* The lock that keeps ALTER SEQUENCE from replacing the file under us. */
	rel = try_relation_open(handle->found.object, RowExclusiveLock);
	if (rel == NULL)
		return false;
	if (!idgen_native_is_readable(rel->rd_rel))
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
	state = idgen_native_state(RelationGetRelid(rel));
	relation_close(rel, RowExclusiveLock);

	next = idgen_native_next_ids(sequence, &state);
	if (next.left == 0)
		raise_exhausted(handle);
	*id = next.next;
	return true;
}

const IdgenSource idgen_source_sequence = {
	.name = "sequence",
	.transactional = false,
	.has_object = true,
	.check_name = sequence_check_name,
	.resolve = sequence_resolve,
	.allocate = sequence_allocate,
	.peek = sequence_peek,
};
