/*
 * pending.c
 *		Pending blocks: what only the current transaction may draw from.
 *
 * A pending block is one that a transaction still in progress has allocated.
 * When the transaction commits, what is left goes where its fate says
 * (IdgenRestFate). When it aborts, the block is forgotten: the row goes back
 * too, and another refill allocates the same ids. Savepoints: see savepoint.c.
 *
 * A transaction refills only when it has no ids left, so a handle has what is
 * left of one refill at most; but a range may need more consecutive ids.
 */
#include "postgres.h"

#include "utils/memutils.h"

#include "common/guc.h"
#include "session/changed_names.h"
#include "session/handle_table.h"
#include "session/pending.h"
#include "session/savepoint.h"
#include "session/xact_changes.h"

/* Are there pending ids? If so, the first one is that of rest.block. */
static bool
has_ids(IdgenPending *p)
{
	if (p->rest.block.left == 0 && p->rest.nmore > 0)
	{
		p->rest.block = *p->rest.more++;
		p->rest.nmore--;
	}
	return p->rest.block.left > 0;
}

static void
forget_ids(IdgenPending *p)
{
	p->rest.block.left = 0;
	p->rest.nmore = 0;
}

/*
 * From now on there are no pending ids, unless a rollback to a savepoint
 * restores them.
 */
void
idgen_pending_give_up(IdgenHandle *handle)
{
	idgen_savepoint_save_rest(handle);
	forget_ids(&handle->pending);
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
	IdgenBlock rest = p->rest.block;
	bool done;

	forget_ids(p);
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
		p->rest.block = rest;
	return done;
}

/* The block that the next pending id comes from, NULL if there is none. */
const IdgenBlock *
idgen_pending_block(IdgenHandle *handle)
{
	return has_ids(&handle->pending) ? &handle->pending.rest.block : NULL;
}

/*
 * Do all ids that are pending here, or may be drawn from the cache when this
 * transaction has committed, lie behind "last", in the direction of "step"?
 */
bool
idgen_all_lie_behind(const IdgenHandle *handle, int64 last, int64 step)
{
	const IdgenRest *rest = &handle->pending.rest;
	IdgenSlot *slot;
	bool behind = true;

	if (!idgen_block_lies_behind(&rest->block, last, step))
		return false;
	for (int i = 0; i < rest->nmore; i++)
		if (!idgen_block_lies_behind(&rest->more[i], last, step))
			return false;
	if (!idgen_may_use_published(handle))
		return true;
	if (!idgen_cache_is_shared())
		return false; /* other sessions have slots of their own */
	slot = idgen_handle_lock_slot(handle);
	if (slot == NULL)
		return true;
	for (int i = 0; i < slot->nruns; i++)
		behind = behind && (step > 0 ? slot->runs[i].next > last : slot->runs[i].next < last);
	LWLockRelease(&slot->lock);
	return behind;
}

/*
 * Make the first block that has "count" ids the next to use; false if none has.
 */
static bool
bring_forward(IdgenRest *rest, int64 count)
{
	for (int i = 0; i < rest->nmore; i++)
	{
		IdgenBlock block = rest->more[i];

		if (block.left < count)
			continue;
		rest->more[i] = rest->block;
		rest->block = block;
		return true;
	}
	return false;
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

	if (!has_ids(p) || (p->rest.block.left < wanted->count && !bring_forward(&p->rest, wanted->count)))
		return IDGEN_DRAW_REFILL;
	*ids = (IdgenBlock){p->rest.block.next, wanted->count, p->rest.block.step};
	if (!idgen_are_wanted(ids, wanted))
		return IDGEN_DRAW_UNFIT;
	if (p->fate == IDGEN_REST_GIVEN_BACK)
		idgen_savepoint_save(handle);
	(void) idgen_block_cut(&p->rest.block, wanted->count);
	handle->xact.counters.ids_issued = idgen_add_saturating(handle->xact.counters.ids_issued, wanted->count);
	return IDGEN_DRAW_TAKEN;
}

/*
 * Add an old block to the rest of a new refill. If the two are adjacent, they
 * become one. If not, the old one is one of at most "limit" that are used
 * later.
 */
static void
keep_block(IdgenHandle *handle, IdgenRest *rest, const IdgenBlock *old, int limit)
{
	if (idgen_block_adjacent(old, &rest->block))
	{
		rest->block.next = old->next;
		rest->block.left += old->left;
	}
	else if (rest->nmore < limit)
		rest->more[rest->nmore++] = *old;
	else
		handle->xact.counters.lost_crowded += old->left;
}

/*
 * A refill for a range has brought blocks, because those that were pending
 * before did not suffice: use the new ones first, and keep the old ones. If the
 * subtransaction is rolled back, what is left of the old ones is pending still.
 * More blocks than a slot has room for are not kept: they would be lost in the
 * end. Of gapless ids there is never more than one block, since only one can be
 * given back, or restored. "fate" is that of the new ones.
 */
static void
keep_for_later(IdgenHandle *handle, IdgenRest *rest, IdgenRestFate fate)
{
	IdgenPending *p = &handle->pending;
	IdgenRest old = p->rest;
	IdgenBlock *more = palloc((rest->nmore + 1 + old.nmore) * sizeof(IdgenBlock));
	bool gapless = fate == IDGEN_REST_GIVEN_BACK || p->fate == IDGEN_REST_GIVEN_BACK;
	int limit = gapless ? 0 : rest->nmore + IDGEN_SLOT_RUNS;

	idgen_savepoint_save_left(handle);
	forget_ids(p);
	if (rest->nmore > 0)
		memcpy(more, rest->more, rest->nmore * sizeof(IdgenBlock));
	rest->more = more;
	keep_block(handle, rest, &old.block, limit);
	for (int i = 0; i < old.nmore; i++)
		keep_block(handle, rest, &old.more[i], limit);
}

/* Count a refill as one of the transaction's. */
static void
note_refill(IdgenHandleXact *xact, const IdgenRefill *refill)
{
	xact->refills++;
	xact->ids_allocated = idgen_add_saturating(xact->ids_allocated, idgen_rest_ids(&refill->rest));
	xact->ahead_blocks = refill->ahead_blocks;
	xact->ahead_ids = refill->ahead_ids;
	idgen_count_refill(&xact->counters, refill);
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
	IdgenRest rest = refill->rest;

	if (refill->fate != IDGEN_REST_PUBLISHED)
		as_of = IDGEN_NOT_PUBLISHABLE;
	idgen_handle_list(handle);
	if (has_ids(p))
	{
		as_of = Min(p->good_as_of, as_of);
		keep_for_later(handle, &rest, refill->fate);
	}
	else
		idgen_savepoint_save_rest(handle);
	if (rest.nmore > 0)
	{
		Size size = rest.nmore * sizeof(IdgenBlock);

		rest.more = memcpy(MemoryContextAlloc(TopTransactionContext, size), rest.more, size);
	}
	p->rest = rest;
	p->fate = refill->fate;
	p->ahead = true;
	p->source = handle->found.source;
	p->good_as_of = as_of;
	if (refill->fate == IDGEN_REST_GIVEN_BACK && refill->left.percent < idgen_warn_remaining)
		p->low = true;
	if (!idgen_pending_fast_ok(p))
		idgen_handle_close_hot_path(handle);
	note_refill(&handle->xact, refill);
	if (!handle->of_worker)
		handle->xact.counters.session_refills++;
}

/*
 * Is there a gapless block with ids left that ends where a row with these
 * values says that the next block begins, so that it can be undone?
 */
bool
idgen_pending_ends_at(const IdgenHandle *handle, int64 next_block_start, bool exhausted)
{
	return handle->pending.fate == IDGEN_REST_GIVEN_BACK &&
		idgen_block_ends_at(&handle->pending.rest.block, next_block_start, exhausted);
}

/*
 * Give up the pending block, of which there must be one, because the caller
 * gives its rest back to the row. Returns the row's next_block_start.
 */
int64
idgen_pending_surrender(IdgenHandle *handle)
{
	Assert(handle->pending.rest.block.left > 0);
	idgen_pending_give_up(handle);
	return handle->pending.rest.block.next;
}

/*
 * The handle was validated, so pending state has to follow what was found. A
 * row that is not committed, or a native sequence that the transaction has
 * itself created or restarted, is of this transaction only: what it draws from
 * that must wait for the commit, and what is cached from before is void then.
 * Pending ids that come from elsewhere than where the name leads now are given
 * up.
 */
void
idgen_pending_follow(IdgenHandle *handle)
{
	IdgenPending *p = &handle->pending;
	const IdgenFound *found = &handle->found;
	bool elsewhere = idgen_pending_is_elsewhere(handle);
	IdgenSlotChange change = idgen_changed_names_find(handle->relid, handle->name, handle->namelen);

	if (found->own_row)
		change = Max(change, IDGEN_SLOT_REVALIDATE);
	if (change > p->change)
		idgen_changes_mark(handle, change);
	if (elsewhere && has_ids(p))
	{
		idgen_savepoint_save_rest(handle);
		if (p->fate == IDGEN_REST_GIVEN_BACK)
			(void) idgen_pending_give_back(handle);
		forget_ids(p);
	}
	if (found->uncommitted != p->uncommitted || (found->uncommitted && elsewhere))
	{
		idgen_handle_list(handle);
		if (elsewhere)
			idgen_savepoint_save_rest(handle);
		else
			idgen_savepoint_save(handle); /* what is pending stays so, and is drawn from */
		p->uncommitted = found->uncommitted;
		p->rest.storage = found->storage;
		p->rest.origin = found->origin;
	}
}
