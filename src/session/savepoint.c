/*
 * savepoint.c
 *		What a rollback to a savepoint restores of pending state.
 *
 * Before a subtransaction changes a handle's pending state (IdgenPending) for
 * the first time, the state is saved in an IdgenSave record: once for each
 * handle and nesting level. A rollback to the savepoint restores it. The
 * release of a savepoint hands the record to the level above, unless that has
 * one of its own; nobody needs it at the top level. The records of all handles
 * form one stack, so the end of a subtransaction costs as much as what it did
 * itself, not more.
 *
 * Ids that a subtransaction draws from a block that an outer level has
 * allocated stay drawn when it is rolled back (rule U1). So the rest of such a
 * block is not part of what is restored as long as it only shrinks, but only
 * from when the subtransaction replaces it or gives it up. If it is kept beside
 * what a refill for a range has brought, it goes on shrinking, and what is left
 * of it is restored.
 *
 * A gapless block is different. Had its ids not been reserved ahead for speed,
 * the subtransaction would have allocated each of them itself, and a rollback
 * would undo that. So the rest is restored as it was before the first draw.
 */
#include "postgres.h"

#include "access/xact.h"
#include "utils/memutils.h"

#include "session/pending.h"
#include "session/savepoint.h"

/* What a rollback restores of the rest. */
typedef enum IdgenRestored
{
	IDGEN_RESTORED_NONE, /* nothing: it stays as it is */
	IDGEN_RESTORED_LEFT, /* what is left of the one saved */
	IDGEN_RESTORED_ALL,  /* the one saved */
} IdgenRestored;

typedef struct IdgenSave
{
	dlist_node node;         /* on the stack of all saves */
	int level;               /* nesting level whose rollback restores it */
	struct IdgenSave *outer; /* the same handle's next one, or NULL */
	IdgenHandle *handle;

	IdgenPending pending;   /* as it was; with IDGEN_RESTORED_LEFT, rest.more is its own */
	IdgenRestored restored; /* of pending.rest */
} IdgenSave;

/*
 * All saves, in TopTransactionContext; levels never decrease from head to tail.
 */
static dlist_head saves = DLIST_STATIC_INIT(saves);

/* The current subtransaction's save of a handle, made if there is none yet. */
static IdgenSave *
get_save(IdgenHandle *handle, int level)
{
	IdgenSave *save = handle->xact.saves;

	if (save != NULL && save->level == level)
		return save;
	save = MemoryContextAlloc(TopTransactionContext, sizeof(IdgenSave));
	save->level = level;
	save->outer = handle->xact.saves;
	save->handle = handle;
	save->pending = handle->pending;
	save->restored = handle->pending.fate == IDGEN_REST_GIVEN_BACK ? IDGEN_RESTORED_ALL : IDGEN_RESTORED_NONE;
	handle->xact.saves = save;
	dlist_push_tail(&saves, &save->node);
	return save;
}

/*
 * The pending state is about to change: save it, in a subtransaction that has
 * not done so. Not needed for a draw from a block that is not gapless.
 */
void
idgen_savepoint_save(IdgenHandle *handle)
{
	int level = GetCurrentTransactionNestLevel();

	if (level > 1)
		(void) get_save(handle, level);
}

/*
 * Leave what is left of a block in one of a rest: ids are used from its front
 * on, and it is not divided. Returns false if there are none.
 */
static bool
leave_left(IdgenBlock *block, const IdgenRest *rest)
{
	for (int i = -1; i < rest->nmore; i++)
	{
		const IdgenBlock *left = i < 0 ? &rest->block : &rest->more[i];

		if (block->left == 0 || left->left == 0 || left->step != block->step ||
		    !idgen_block_overlaps(block, left))
			continue;
		if (idgen_block_before(block, left))
			(void) idgen_block_cut(block, (left->next - block->next) * block->step);
		return true;
	}
	block->left = 0;
	return false;
}

/* Leave of a saved rest what is left in a later one. */
static void
keep_left(IdgenRest *saved, const IdgenRest *rest)
{
	int nmore = 0;

	(void) leave_left(&saved->block, rest);
	for (int i = 0; i < saved->nmore; i++)
		if (leave_left(&saved->more[i], rest))
			saved->more[nmore++] = saved->more[i];
	saved->nmore = nmore;
}

/*
 * The rest is replaced, or given up, or was: a rollback is to restore what it
 * was before, "rest".
 */
static void
set_restored_all(IdgenSave *save, const IdgenRest *rest)
{
	if (save->restored == IDGEN_RESTORED_NONE)
		save->pending.rest = *rest;
	else if (save->restored == IDGEN_RESTORED_LEFT)
		keep_left(&save->pending.rest, rest);
	save->restored = IDGEN_RESTORED_ALL;
}

/*
 * The pending state is about to change, and the rest to be replaced or given
 * up: save both, in a subtransaction that has not done so.
 */
void
idgen_savepoint_save_rest(IdgenHandle *handle)
{
	int level = GetCurrentTransactionNestLevel();

	if (level > 1)
		set_restored_all(get_save(handle, level), &handle->pending.rest);
}

/*
 * The pending state is about to change, and the rest to become a part of
 * another one: save both, in a subtransaction that has not done so.
 */
void
idgen_savepoint_save_left(IdgenHandle *handle)
{
	int level = GetCurrentTransactionNestLevel();
	Size size = handle->pending.rest.nmore * sizeof(IdgenBlock);
	IdgenSave *save;

	if (level <= 1)
		return;
	save = get_save(handle, level);
	if (save->restored != IDGEN_RESTORED_NONE)
		return;
	save->pending.rest = handle->pending.rest;
	if (size > 0)
		save->pending.rest.more = memcpy(MemoryContextAlloc(TopTransactionContext, size),
		                                 handle->pending.rest.more, size);
	save->restored = IDGEN_RESTORED_LEFT;
}

/* Free a save, which is the innermost of its handle. */
static void
pop_save(IdgenSave *save)
{
	Assert(save->handle->xact.saves == save);
	save->handle->xact.saves = save->outer;
	dlist_delete(&save->node);
	pfree(save);
}

/* Hand a save to the level above, or what that level's own save lacks. */
static void
hand_up(IdgenSave *save)
{
	IdgenSave *outer = save->outer;
	int level = save->level - 1;

	if (level > 1 && (outer == NULL || outer->level < level))
	{
		save->level = level;
		return;
	}
	if (outer != NULL && outer->level == level)
	{
		if (save->restored == IDGEN_RESTORED_ALL)
			set_restored_all(outer, &save->pending.rest);
		else if (save->restored == IDGEN_RESTORED_LEFT && outer->restored == IDGEN_RESTORED_NONE)
		{
			outer->pending.rest = save->pending.rest;
			outer->restored = IDGEN_RESTORED_LEFT;
		}
	}
	pop_save(save);
}

/*
 * The current subtransaction commits: what it has saved belongs to its parent.
 */
void
idgen_savepoint_release(void)
{
	int level = GetCurrentTransactionNestLevel();
	dlist_node *node = dlist_is_empty(&saves) ? NULL : dlist_tail_node(&saves);

	while (node != NULL)
	{
		dlist_node *previous = dlist_has_prev(&saves, node) ? dlist_prev_node(&saves, node) : NULL;
		IdgenSave *save = dlist_container(IdgenSave, node, node);

		if (save->level < level)
			break;
		hand_up(save);
		node = previous;
	}
}

/* Count what a rollback does not restore, and nobody gets. */
static void
count_lost(IdgenHandle *handle, const IdgenRest *restored)
{
	int64 lost = idgen_rest_ids(&handle->pending.rest) - idgen_rest_ids(restored);

	if (lost > 0 && idgen_pending_is_lost_by_rollback(&handle->pending))
		handle->xact.counters.lost_changed += lost;
}

/* The current subtransaction is rolled back: restore what it has saved. */
void
idgen_savepoint_rollback(void)
{
	int level = GetCurrentTransactionNestLevel();

	while (!dlist_is_empty(&saves))
	{
		IdgenSave *save = dlist_tail_element(IdgenSave, node, &saves);
		IdgenHandle *handle = save->handle;

		if (save->level < level)
			break;
		if (save->restored == IDGEN_RESTORED_NONE)
			save->pending.rest = handle->pending.rest;
		else if (save->restored == IDGEN_RESTORED_LEFT)
			keep_left(&save->pending.rest, &handle->pending.rest);
		count_lost(handle, &save->pending.rest);
		handle->pending = save->pending;
		idgen_handle_invalidate(handle);
		pop_save(save);
	}
}

/* The transaction is over; the memory of the saves goes with it. */
void
idgen_savepoint_forget_all(void)
{
	dlist_init(&saves);
}
