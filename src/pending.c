/*
 * pending.c
 *		What the current transaction has allocated or changed.
 *
 * A pending block is one that a transaction still in progress has allocated;
 * only that transaction draws from it. When the transaction commits, the rest
 * is published; when it aborts, the block is forgotten, since the row goes
 * back too and its ids come again. A handle never has more than one pending
 * block with ids left, because a refill comes only when there are none.
 *
 * Savepoints: before a subtransaction replaces a handle's block or change mark,
 * the old state is saved in an IdgenSave record, once per handle and nesting
 * level. Rolling back to the savepoint restores it. A savepoint's release hands
 * the record to the level above, unless that has one of its own; at the top
 * level nobody needs it. The records of all handles form one stack, so the end
 * of a subtransaction costs as much as it did itself, not more.
 *
 * Ids drawn in a subtransaction from a block that an outer level allocated stay
 * drawn when the subtransaction is rolled back (rule U1). A gapless block is
 * different: had the ids not been reserved ahead for speed, each would have
 * been allocated by the subtransaction itself, so they do come again. Its state
 * is saved before each first draw as well.
 */
#include "postgres.h"

#include "access/xact.h"
#include "miscadmin.h"
#include "utils/memutils.h"
#include "utils/timestamp.h"

#include "pending.h"

typedef struct IdgenSave
{
	dlist_node node;         /* on the stack of all saves */
	int level;               /* nesting level whose rollback restores it */
	struct IdgenSave *outer; /* the same handle's next one, or NULL */
	IdgenHandle *handle;

	IdgenBlock block;
	bool gapless;
	bool replaced; /* block is to be restored, not just kept */
	uint64 dropped_at;
	IdgenChange change;
} IdgenSave;

/* Handles with anything to do at the end of the transaction. */
static dlist_head listed = DLIST_STATIC_INIT(listed);

/* All saves; levels never decrease from head to tail. */
static dlist_head saves = DLIST_STATIC_INIT(saves);

/*
 * The transaction has truncated id_sequences or dropped the extension. Not
 * undone by a rollback to a savepoint: too much is lost then, but nothing
 * doubled.
 */
static bool all_dropped = false;

/* The database that the transaction drops, or invalid. */
static Oid dropped_database = InvalidOid;

/* Have the end of the transaction look at this handle. */
void
idgen_pending_list(IdgenHandle *handle)
{
	if (handle->pending.listed)
		return;
	handle->pending.listed = true;
	dlist_push_tail(&listed, &handle->pending.node);
}

/*
 * Save the handle's state for a rollback of the current subtransaction, if
 * there is one and it was not done yet. "replaced" says that the block is
 * about to be replaced.
 */
static void
save_state(IdgenHandle *handle, bool replaced)
{
	IdgenPending *p = &handle->pending;
	int level = GetCurrentTransactionNestLevel();
	IdgenSave *save = p->saves;

	if (level <= 1)
		return;

	if (save == NULL || save->level < level)
	{
		save = MemoryContextAlloc(TopTransactionContext, sizeof(IdgenSave));
		save->level = level;
		save->outer = p->saves;
		save->handle = handle;
		save->block = p->block;
		save->gapless = p->gapless;
		save->replaced = false;
		save->dropped_at = p->dropped_at;
		save->change = p->change;
		p->saves = save;
		dlist_push_tail(&saves, &save->node);
	}

	/* Until it is replaced, an ordinary block goes on being used up. */
	if (replaced && !save->replaced)
	{
		if (!save->gapless)
			save->block = p->block;
		save->replaced = true;
	}
}

/* Draw from the pending block; false if there is none. */
bool
idgen_pending_take(IdgenHandle *handle, int64 *id)
{
	IdgenPending *p = &handle->pending;

	if (p->block.left == 0)
		return false;
	if (p->gapless)
		save_state(handle, false);
	*id = idgen_block_take(&p->block);
	p->counters.ids_issued++;
	return true;
}

/* A refill has brought a block. Caller has used up the previous one. */
void
idgen_pending_add(IdgenHandle *handle, const IdgenRefill *refill)
{
	IdgenPending *p = &handle->pending;
	IdgenCacheKey key;

	Assert(p->block.left == 0);
	idgen_pending_list(handle);
	save_state(handle, true);
	idgen_handle_key(handle, &key);
	p->block = refill->block;
	p->gapless = refill->gapless;
	p->ahead = refill->ahead;
	p->dropped_at = idgen_cache_dropped_at(&key);

	p->refills++;
	p->ids_allocated += refill->block.left;
	p->ahead_blocks = refill->ahead_blocks;
	p->ahead_ids = refill->ahead_ids;
	p->counters.refills++;
	p->counters.blocks_taken += refill->blocks;
	p->counters.last_refill = GetCurrentTimestamp();
}

/*
 * Is there a gapless block with ids left that ends where a row with these
 * values says that the next block begins, so that it can be undone?
 */
bool
idgen_pending_ends_at(const IdgenHandle *handle, int64 next_block_start, bool exhausted)
{
	const IdgenBlock *rest = &handle->pending.block;
	int64 last;

	if (!handle->pending.gapless || rest->left == 0)
		return false;
	last = idgen_block_last(rest);
	return last < PG_INT64_MAX ? next_block_start == last + 1 : exhausted;
}

/*
 * Give up the pending block, of which there must be one, because the caller
 * puts its rest back into the row. Returns the row's next_block_start.
 */
int64
idgen_pending_surrender(IdgenHandle *handle)
{
	Assert(handle->pending.block.left > 0);
	save_state(handle, true);
	handle->pending.block.left = 0;
	return handle->pending.block.next;
}

/*
 * The current transaction has changed the row. Its own draws follow at once,
 * if the caller has the handle forgotten; other sessions' when it commits.
 */
void
idgen_pending_change(IdgenHandle *handle, IdgenChange change)
{
	IdgenPending *p = &handle->pending;

	idgen_pending_list(handle);
	save_state(handle, change == IDGEN_CHANGE_DROP);
	if (change == IDGEN_CHANGE_DROP)
		p->block.left = 0;
	p->change = Max(p->change, change);
}

/* The current transaction has removed all rows, or the table. */
void
idgen_pending_change_all(void)
{
	dlist_iter iter;

	all_dropped = true;
	dlist_foreach(iter, &listed)
	{
		IdgenHandle *handle = dlist_container(IdgenHandle, pending.node, iter.cur);

		idgen_pending_change(handle, IDGEN_CHANGE_DROP);
	}
	idgen_epoch++; /* forgets all handles */
}

/* The current transaction drops a database (only one, the server sees to it). */
void
idgen_pending_drop_database(Oid dbid)
{
	dropped_database = dbid;
}

/* May this transaction use what the cache holds, or has it made that void? */
bool
idgen_pending_published_ok(const IdgenHandle *handle)
{
	return handle->pending.change != IDGEN_CHANGE_DROP && !all_dropped;
}

/* Give up a save, which is the innermost of its handle. */
static void
pop_save(IdgenSave *save)
{
	Assert(save->handle->pending.saves == save);
	save->handle->pending.saves = save->outer;
	dlist_delete(&save->node);
	pfree(save);
}

/* The current subtransaction commits: what it saved belongs to its parent. */
void
idgen_pending_commit_savepoint(void)
{
	int level = GetCurrentTransactionNestLevel();
	dlist_node *node;
	dlist_node *previous;

	for (node = dlist_is_empty(&saves) ? NULL : dlist_tail_node(&saves);
	     node != NULL;
	     node = previous)
	{
		IdgenSave *save = dlist_container(IdgenSave, node, node);
		IdgenSave *outer = save->outer;

		if (save->level < level)
			break;
		previous = dlist_has_prev(&saves, node) ? dlist_prev_node(&saves, node) : NULL;

		save->level = level - 1;
		if (level - 1 > 1 && (outer == NULL || outer->level < level - 1))
			continue;
		if (outer != NULL && outer->level == level - 1 &&
		    save->replaced && !outer->replaced)
		{
			/* The parent's view, up to the moment of replacement. */
			if (!outer->gapless)
				outer->block = save->block;
			outer->replaced = true;
		}
		pop_save(save);
	}
}

/* The current subtransaction is rolled back: restore what it saved. */
void
idgen_pending_abort_savepoint(void)
{
	int level = GetCurrentTransactionNestLevel();

	while (!dlist_is_empty(&saves))
	{
		IdgenSave *save = dlist_tail_element(IdgenSave, node, &saves);
		IdgenPending *p = &save->handle->pending;

		if (save->level < level)
			break;
		if (save->gapless || save->replaced)
		{
			p->block = save->block;
			p->gapless = save->gapless;
			p->dropped_at = save->dropped_at;
		}
		p->change = save->change;
		idgen_handle_forget(save->handle);
		pop_save(save);
	}
}

/*
 * Before commit: have give_back() put the unused rest of every gapless block
 * back into its row. It returns false if that is not possible any more; the
 * rest is then lost.
 */
void
idgen_pending_return(bool (*give_back)(IdgenHandle *handle))
{
	dlist_iter iter;

	dlist_foreach(iter, &listed)
	{
		IdgenHandle *handle = dlist_container(IdgenHandle, pending.node, iter.cur);

		if (handle->pending.gapless && handle->pending.block.left > 0 &&
		    give_back(handle))
			handle->pending.block.left = 0;
	}
}

/*
 * The transaction is over: tell the cache and forget everything. After a
 * commit it must have been flushed. Does not raise errors.
 */
void
idgen_pending_finish(bool committed, bool prepared)
{
	bool dropped = all_dropped;

	if (committed && dropped)
		idgen_cache_drop_database(MyDatabaseId);
	all_dropped = false;
	if (committed && OidIsValid(dropped_database))
		idgen_cache_drop_database(dropped_database);
	dropped_database = InvalidOid;

	/* The memory of the saves goes with the transaction. */
	dlist_init(&saves);

	while (!dlist_is_empty(&listed))
	{
		IdgenHandle *handle = dlist_container(IdgenHandle, pending.node,
		                                      dlist_pop_head_node(&listed));
		IdgenPending *p = &handle->pending;
		IdgenOutcome outcome = {0};
		IdgenCacheKey key;

		outcome.publish = committed;
		outcome.prepared = prepared;
		outcome.drop = committed && (p->change == IDGEN_CHANGE_DROP || dropped);
		outcome.revalidate = committed && p->change == IDGEN_CHANGE_REVALIDATE;
		outcome.rest = p->block;
		outcome.rest_dropped_at = p->gapless ? IDGEN_NOT_PUBLISHABLE : p->dropped_at;
		outcome.ahead_blocks = p->ahead_blocks;
		outcome.ahead_ids = p->ahead_ids;
		outcome.claim = p->claim;
		outcome.counters = p->counters;

		idgen_handle_key(handle, &key);
		idgen_cache_finish(&key, &outcome);

		if (p->change != IDGEN_CHANGE_NONE)
			idgen_handle_forget(handle);
		memset(p, 0, sizeof(IdgenPending));
	}
}
