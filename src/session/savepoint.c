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
 * from when the subtransaction replaces it or gives it up.
 *
 * A gapless block is different. Had its ids not been reserved ahead for speed,
 * the subtransaction would have allocated each of them itself, and a rollback
 * would undo that. So the rest is restored as it was before the first draw.
 */
#include "postgres.h"

#include "access/xact.h"
#include "utils/memutils.h"

#include "session/collision.h"
#include "session/savepoint.h"

typedef struct IdgenSave
{
	dlist_node node;         /* on the stack of all saves */
	int level;               /* nesting level whose rollback restores it */
	struct IdgenSave *outer; /* the same handle's next one, or NULL */
	IdgenHandle *handle;

	IdgenPending pending; /* as it was */
	bool restores_rest;   /* does a rollback restore the rest as well? */
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
	save->restores_rest = (handle->pending.fate == IDGEN_REST_GIVEN_BACK);
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
 * The pending state is about to change, and the rest to be replaced or given
 * up: save both, in a subtransaction that has not done so.
 */
void
idgen_savepoint_save_rest(IdgenHandle *handle)
{
	int level = GetCurrentTransactionNestLevel();
	IdgenSave *save;

	if (level <= 1)
		return;
	save = get_save(handle, level);
	if (save->restores_rest)
		return;
	save->pending.rest = handle->pending.rest;
	save->restores_rest = true;
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
	if (outer != NULL && outer->level == level &&
	    save->restores_rest && !outer->restores_rest)
	{
		outer->pending.rest = save->pending.rest;
		outer->restores_rest = true;
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
		idgen_collision_note(handle);
		if (!save->restores_rest)
			save->pending.rest = handle->pending.rest;
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
