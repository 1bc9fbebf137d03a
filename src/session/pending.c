/*
 * pending.c
 *		Pending blocks: what only the current transaction may draw from.
 *
 * A pending block is one that a transaction still in progress has allocated.
 * When the transaction commits, what is left goes where its fate says
 * (IdgenRestFate). When it aborts, the block is forgotten: the row goes back
 * too, and another refill allocates the same ids.
 *
 * Savepoints: the pending state of a handle is a value. Before a subtransaction
 * changes it for the first time, it is put on a stack; a rollback to the
 * savepoint assigns it again. The release of a savepoint hands it to the level
 * above, unless that has put its own there; nobody needs it at the top level.
 *
 * The value points to blocks, and all levels share these. So ids that a
 * subtransaction draws from a block which an outer level has allocated stay
 * drawn when it is rolled back (rule U1), and a block of its own is out of
 * reach then. For that, cells that lead to blocks never change: a refill makes
 * new ones, for what is left of the old blocks and for its own.
 *
 * A gapless block is different. Had its ids not been reserved ahead for speed,
 * the subtransaction would have allocated each of them itself, and a rollback
 * would undo that. So what is left of the block is restored, too.
 */
#include "postgres.h"

#include "access/xact.h"
#include "utils/memutils.h"

#include "common/guc.h"
#include "session/handle.h"
#include "session/xact.h"

/* What a rollback to a savepoint restores of a handle. */
struct IdgenUndo
{
	struct IdgenUndo *below; /* on the stack; levels never increase downwards */
	struct IdgenUndo *outer; /* the same handle's next one, or NULL */
	int level;               /* nesting level whose rollback restores it */
	IdgenHandle *handle;
	IdgenPending before;
	IdgenBlock *gapless; /* what the blocks were, if they are gapless; or NULL */
};

/* In TopTransactionContext. */
static struct IdgenUndo *undos = NULL;

/*
 * Blocks
 */

/* From now on, these are the pending blocks, in the order of use. */
static void
set_cells(IdgenPending *p, const IdgenPendingCell *cells)
{
	p->cells = cells;
	p->block = cells != NULL ? cells->block : NULL;
}

/* Are there pending ids? If so, the next ones are those of p->block. */
static bool
has_ids(IdgenPending *p)
{
	while (p->cells != NULL && p->block->left == 0)
		set_cells(p, p->cells->next);
	return p->block != NULL;
}

static int64
count_ids(const IdgenPending *p)
{
	return idgen_rest_ids(&(IdgenRest){.cells = p->cells});
}

/* The block that the next pending id comes from, NULL if there is none. */
const IdgenBlock *
idgen_pending_block(IdgenHandle *handle)
{
	return has_ids(&handle->pending) ? handle->pending.block : NULL;
}

/*
 * Do all ids that are pending here, or may be drawn from the cache when this
 * transaction has committed, lie behind "last", in the direction of "step"?
 */
bool
idgen_all_lie_behind(const IdgenHandle *handle, int64 last, int64 step)
{
	IdgenSlot *slot;
	bool behind = true;

	for (const IdgenPendingCell *cell = handle->pending.cells; cell != NULL; cell = cell->next)
		if (!idgen_block_lies_behind(cell->block, last, step))
			return false;
	if (!idgen_may_use_published(handle))
		return true;
	if (!idgen_cache_is_shared())
		return false; /* other sessions have caches of their own */
	slot = idgen_handle_lock_slot(handle);
	if (slot == NULL)
		return true;
	for (int i = 0; i < slot->nruns; i++)
		behind = behind && (step > 0 ? slot->runs[i].next > last : slot->runs[i].next < last);
	LWLockRelease(&slot->lock);
	return behind;
}

/*
 * The ids from a cell on that go on from each other, as one block: blocks that
 * belong to different refills, and levels, may make a range together. Stops as
 * soon as there are "count".
 */
static IdgenBlock
joined(const IdgenPendingCell *cell, int64 count)
{
	IdgenBlock all = *cell->block;

	while (all.left < count && cell->next != NULL && (all.left == 0 || cell->next->block->left == 0 || idgen_block_adjacent(&all, cell->next->block)))
	{
		cell = cell->next;
		if (all.left == 0)
			all = *cell->block;
		else
			all.left = idgen_add_saturating(all.left, cell->block->left);
	}
	return all;
}

/* All that is pending of gapless ids: they go on from each other. */
static IdgenBlock
gapless_block(const IdgenPending *p)
{
	return joined(p->cells, PG_INT64_MAX);
}

/*
 * Is there a gapless block with ids left that ends where a row with these
 * values says that the next block begins, so that it can be undone?
 */
bool
idgen_pending_ends_at(const IdgenHandle *handle, int64 next_block_start, bool exhausted)
{
	const IdgenPending *p = &handle->pending;
	IdgenBlock block;

	if (p->fate != IDGEN_REST_GIVEN_BACK || p->cells == NULL)
		return false;
	block = gapless_block(p);
	return idgen_block_ends_at(&block, next_block_start, exhausted);
}

/*
 * Savepoints
 */

/*
 * The pending state is about to change: save it, in a subtransaction that has
 * not done so. Not needed for a draw from a block that is not gapless.
 */
static void
save(IdgenHandle *handle)
{
	int level = GetCurrentTransactionNestLevel();
	struct IdgenUndo *undo = handle->xact.undo;

	if (level <= 1 || (undo != NULL && undo->level == level))
		return;
	undo = MemoryContextAlloc(TopTransactionContext, sizeof(struct IdgenUndo));
	undo->below = undos;
	undo->outer = handle->xact.undo;
	undo->level = level;
	undo->handle = handle;
	undo->before = handle->pending;
	undo->gapless = NULL;
	if (handle->pending.fate == IDGEN_REST_GIVEN_BACK)
	{
		const IdgenPendingCell *cell;
		int n = 0;

		for (cell = handle->pending.cells; cell != NULL; cell = cell->next)
			n++;
		undo->gapless = MemoryContextAlloc(TopTransactionContext, Max(n, 1) * sizeof(IdgenBlock));
		n = 0;
		for (cell = handle->pending.cells; cell != NULL; cell = cell->next)
			undo->gapless[n++] = *cell->block;
	}
	undos = handle->xact.undo = undo;
}

/*
 * The current subtransaction commits: what it has saved belongs to its parent.
 */
void
idgen_pending_release_savepoint(void)
{
	int level = GetCurrentTransactionNestLevel();
	struct IdgenUndo **at = &undos;

	while (*at != NULL && (*at)->level >= level)
	{
		struct IdgenUndo *undo = *at;

		if (level > 2 && (undo->outer == NULL || undo->outer->level < level - 1))
		{
			undo->level = level - 1;
			at = &undo->below;
			continue;
		}
		*at = undo->below;
		undo->handle->xact.undo = undo->outer;
		pfree(undo);
	}
}

/*
 * Are pending ids a gap if they are forgotten in a rollback? They are those
 * that a source has allocated which is not transactional: the transaction has
 * changed the row. A native sequence that it has itself made goes with it.
 */
static bool
is_lost_by_rollback(const IdgenPending *p)
{
	return p->source != NULL && !p->source->transactional && !p->uncommitted;
}

/* Restore what gapless blocks were. */
static void
restore_gapless(const struct IdgenUndo *undo)
{
	const IdgenBlock *was = undo->gapless;

	if (was == NULL)
		return;
	for (const IdgenPendingCell *cell = undo->before.cells; cell != NULL; cell = cell->next)
		*cell->block = *was++;
}

/* The current subtransaction is rolled back: restore what it has saved. */
void
idgen_pending_roll_back_savepoint(void)
{
	int level = GetCurrentTransactionNestLevel();

	while (undos != NULL && undos->level >= level)
	{
		struct IdgenUndo *undo = undos;
		IdgenHandle *handle = undo->handle;
		int64 lost = is_lost_by_rollback(&handle->pending) ? count_ids(&handle->pending) : 0;

		restore_gapless(undo);
		lost -= count_ids(&undo->before); /* these are not */
		if (lost > 0)
			handle->xact.told.counters.lost_changed += lost;
		handle->pending = undo->before;
		idgen_handle_invalidate(handle);
		handle->xact.undo = undo->outer;
		undos = undo->below;
		pfree(undo);
	}
}

/* The transaction is over; the memory of the stack goes with it. */
void
idgen_pending_forget_savepoints(void)
{
	undos = NULL;
}

/*
 * Changes
 */

/* Are pending ids from elsewhere than where the name leads now? */
static bool
is_elsewhere(const IdgenHandle *handle)
{
	return handle->pending.storage != handle->found.storage || handle->pending.origin != handle->found.origin;
}

/* From now on there are no pending ids. */
void
idgen_pending_give_up(IdgenHandle *handle)
{
	save(handle);
	set_cells(&handle->pending, NULL);
}

/*
 * The current transaction has changed the row, and with it perhaps what ids
 * come from.
 */
void
idgen_pending_change(IdgenHandle *handle, IdgenSlotChange change)
{
	save(handle);
	if (change >= IDGEN_SLOT_DROP)
		set_cells(&handle->pending, NULL);
	handle->pending.change = Max(handle->pending.change, change);
}

/*
 * Give what is left of the pending gapless block back to its source. Returns
 * false, and leaves it pending, if that is not possible any more. A trigger
 * that this fires must not draw what is on its way back.
 */
bool
idgen_pending_give_back(IdgenHandle *handle)
{
	IdgenPending *p = &handle->pending;
	const IdgenPendingCell *volatile cells = p->cells;
	const IdgenBlock rest = gapless_block(p);
	bool done;

	set_cells(p, NULL);
	handle->giving_back = true;
	PG_TRY();
	{
		done = p->source->give_back(handle, &rest);
	}
	PG_FINALLY();
	{
		handle->giving_back = false;
	}
	PG_END_TRY();
	if (!done)
		set_cells(p, cells);
	return done;
}

/*
 * Give up the pending block, of which there must be one, because the caller
 * gives its rest back to the row. Returns the row's next_block_start.
 */
int64
idgen_pending_surrender(IdgenHandle *handle)
{
	const IdgenBlock block = gapless_block(&handle->pending);

	Assert(block.left > 0);
	idgen_pending_give_up(handle);
	return block.next;
}

/* Take that many ids from a cell on, which go on from each other. */
static void
take(const IdgenPendingCell *cell, int64 count)
{
	for (; count > 0; cell = cell->next)
	{
		int64 taken = Min(count, cell->block->left);

		if (taken > 0)
			(void) idgen_block_cut(cell->block, taken);
		count -= taken;
	}
}

/*
 * Draw the ids that are wanted from a pending block: IDGEN_DRAW_TAKEN, or
 * IDGEN_DRAW_UNFIT if others come next, or IDGEN_DRAW_REFILL if no block has
 * that many.
 */
IdgenDrawAnswer
idgen_pending_draw(IdgenHandle *handle, const IdgenWanted *wanted, IdgenBlock *ids)
{
	IdgenPending *p = &handle->pending;
	const IdgenPendingCell *cell = has_ids(p) ? p->cells : NULL;

	for (; cell != NULL; cell = cell->next)
	{
		*ids = joined(cell, wanted->count);
		if (ids->left >= wanted->count)
			break;
	}
	if (cell == NULL)
		return IDGEN_DRAW_REFILL;
	ids->left = wanted->count;
	if (!idgen_are_wanted(ids, wanted))
		return IDGEN_DRAW_UNFIT;
	if (p->fate == IDGEN_REST_GIVEN_BACK)
		save(handle);
	take(cell, wanted->count);
	handle->xact.told.counters.ids_issued = idgen_add_saturating(handle->xact.told.counters.ids_issued, wanted->count);
	return IDGEN_DRAW_TAKEN;
}

/*
 * Which of the old blocks are kept beside those of a new refill? A refill for a
 * range is made though there are ids. Blocks for which a slot has no room would
 * be lost in the end: they go at once. Gapless ids must go on from each other,
 * since only one block can be given back.
 */
static int
count_kept(IdgenHandle *handle, const IdgenRefill *refill)
{
	const IdgenPending *p = &handle->pending;
	bool gapless = refill->fate == IDGEN_REST_GIVEN_BACK || p->fate == IDGEN_REST_GIVEN_BACK;
	int limit = IDGEN_SLOT_RUNS;
	IdgenBlock last = {.left = 0}; /* of those that are kept */
	int runs = 0;
	int kept = 0;

	if (gapless && p->cells != NULL)
	{
		IdgenBlock block = gapless_block(p);

		limit = block.left > 0 && idgen_block_adjacent(&block, &refill->rest.block) ? 1 : 0;
	}
	for (const IdgenPendingCell *cell = p->cells; cell != NULL; cell = cell->next)
	{
		if (cell->block->left == 0)
			continue;
		if (last.left == 0 || !idgen_block_adjacent(&last, cell->block))
			runs++;
		if (runs <= limit)
		{
			last = *cell->block;
			kept++;
		}
		else
			handle->xact.told.counters.lost_crowded += cell->block->left;
	}
	return kept;
}

/*
 * Make the cells of what is pending then: the old blocks that are kept, and
 * then the new ones. So single ids ascend.
 */
static const IdgenPendingCell *
make_cells(IdgenHandle *handle, int kept, const IdgenRest *rest)
{
	int total = kept + 1 + rest->nmore;
	IdgenPendingCell *cells = MemoryContextAlloc(TopTransactionContext, total * sizeof(IdgenPendingCell));
	IdgenBlock *blocks = MemoryContextAlloc(TopTransactionContext, (1 + rest->nmore) * sizeof(IdgenBlock));
	int n = 0;

	for (const IdgenPendingCell *cell = handle->pending.cells; n < kept; cell = cell->next)
		if (cell->block->left > 0)
			cells[n++].block = cell->block;
	blocks[0] = rest->block;
	for (int i = 0; i < rest->nmore; i++)
		blocks[1 + i] = rest->more[i];
	for (int i = 0; n < total; i++)
		cells[n++].block = &blocks[i];
	for (int i = 0; i < total; i++)
		cells[i].next = i + 1 < total ? &cells[i + 1] : NULL;
	return cells;
}

/*
 * A refill has brought blocks. The caller has used up the previous ones, unless
 * the refill is for a range. "as_of" is the number of events that there had
 * been when it allocated.
 *
 * It may have been made ahead, or have waited for another transaction at the
 * row, which has published ids by now: the cache may have ids to draw before
 * these.
 */
void
idgen_pending_add(IdgenHandle *handle, const IdgenRefill *refill, uint64 as_of)
{
	IdgenPending *p = &handle->pending;
	const IdgenPendingCell *cells;
	int kept;

	idgen_handle_list(handle);
	save(handle);
	if (handle->xact.note != NULL)
		idgen_note_lower(handle->xact.note, refill->rest.block.next);
	kept = count_kept(handle, refill);
	cells = make_cells(handle, kept, &refill->rest);
	if (refill->fate != IDGEN_REST_PUBLISHED)
		as_of = IDGEN_NOT_PUBLISHABLE;
	p->good_as_of = kept > 0 ? Min(p->good_as_of, as_of) : as_of;
	set_cells(p, cells);
	p->storage = refill->rest.storage;
	p->origin = refill->rest.origin;
	p->lost_at_shutdown = refill->rest.lost_at_shutdown;
	p->fate = refill->fate;
	p->ahead = true;
	p->source = handle->found.row.source;
	p->left = refill->left;
	if (!idgen_pending_fast_ok(p))
		idgen_handle_close_hot_path(handle);
	handle->xact.refills++;
	handle->xact.ids_allocated = idgen_add_saturating(handle->xact.ids_allocated, idgen_rest_ids(&refill->rest));
	idgen_count_refill(&handle->xact.told, refill, handle->of_worker);
}

/*
 * The handle was validated, so pending state has to follow what was found. A
 * row that is not committed, or a native sequence that the transaction has
 * itself created or restarted, is of this transaction only: what it draws from
 * that must wait for the commit, and what is cached from before is void then.
 * Pending ids that come from elsewhere than where the name leads now are given
 * up. "change" is what the transaction has done to the row.
 */
void
idgen_pending_follow(IdgenHandle *handle, IdgenSlotChange change)
{
	IdgenPending *p = &handle->pending;
	const IdgenFound *found = &handle->found;
	bool elsewhere = is_elsewhere(handle);

	if (change > p->change)
	{
		idgen_handle_list(handle);
		idgen_pending_change(handle, change);
	}
	if (elsewhere && has_ids(p))
	{
		save(handle);
		if (p->fate == IDGEN_REST_GIVEN_BACK)
			(void) idgen_pending_give_back(handle);
		set_cells(p, NULL);
	}
	if (found->uncommitted != p->uncommitted || (found->uncommitted && elsewhere))
	{
		idgen_handle_list(handle);
		save(handle);
		p->uncommitted = found->uncommitted;
		p->storage = found->storage;
		p->origin = found->origin;
	}
}

/*
 * The transaction is over: tell the cache what that means for the id sequence
 * of a handle, and for what is pending. Raises no errors.
 */
void
idgen_pending_finish(IdgenHandle *handle, IdgenRestFate fate, bool all_rows_gone)
{
	const IdgenPending *p = &handle->pending;
	bool committed = fate != IDGEN_REST_FORGOTTEN;
	IdgenCacheKey key;
	IdgenOutcome outcome = {
		.fate = committed || !is_lost_by_rollback(p) ? fate : IDGEN_REST_PUBLISHED,
		.rest = {
			.cells = p->cells,
			.storage = p->storage,
			.origin = p->origin,
			.lost_at_shutdown = p->lost_at_shutdown,
		},
		.good_as_of = committed && !is_elsewhere(handle) ? p->good_as_of : IDGEN_NOT_PUBLISHABLE,
		.refills = handle->xact.told,
		.by_worker = handle->of_worker,
	};

	if (committed)
		outcome.change = all_rows_gone || p->uncommitted ? IDGEN_SLOT_DROP : p->change;
	idgen_handle_key(handle, &key);
	idgen_cache_finish(&key, &outcome);
}
