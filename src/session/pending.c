/*
 * pending.c
 *		What the current transaction has allocated or changed.
 *
 * A pending block is one that a transaction still in progress has allocated;
 * only that transaction draws from it. When the transaction commits, the rest
 * is published; when it aborts, the block is forgotten, since the row goes
 * back too and its ids come again. A refill comes only when there are no ids
 * left, so a handle never has those of more than one.
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

#include "access/htup_details.h"
#include "access/xact.h"
#include "catalog/pg_class.h"
#include "catalog/storage.h"
#include "miscadmin.h"
#include "utils/inval.h"
#include "utils/memutils.h"
#include "utils/snapmgr.h"
#include "utils/syscache.h"

#include "catalog/epoch.h"
#include "catalog/row.h"
#include "common/guc.h"
#include "session/messages.h"
#include "session/pending.h"

typedef struct IdgenSave
{
	dlist_node node;         /* on the stack of all saves */
	int level;               /* nesting level whose rollback restores it */
	struct IdgenSave *outer; /* the same handle's next one, or NULL */
	IdgenHandle *handle;

	IdgenPending pending; /* as it was */
	bool replaced;        /* its rest is to be restored, too, not just kept */
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

/* Has the transaction changed foreign servers or user mappings? */
static bool servers_changed = false;

/*
 * The id_sequences of which the transaction has changed rows, and the names in
 * them (as idgen_cache_hash_name() gives them, palloc'd in TopTransactionContext).
 * That may matter to those who draw from native sequences. Not undone by a
 * rollback to a savepoint either.
 */
static Oid objects_changed_by = InvalidOid;
static List *names_changed = NIL;

/* The files that go away when the transaction commits. */
static RelFileLocator *storage_files = NULL;
static int nstorage_files = 0;

/* Have the end of the transaction look at this handle. */
void
idgen_pending_list(IdgenHandle *handle)
{
	if (handle->xact.listed)
		return;
	handle->xact.listed = true;
	dlist_push_tail(&listed, &handle->xact.node);
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
	IdgenSave *save = handle->xact.saves;

	if (level <= 1)
		return;

	if (save == NULL || save->level < level)
	{
		save = MemoryContextAlloc(TopTransactionContext, sizeof(IdgenSave));
		save->level = level;
		save->outer = handle->xact.saves;
		save->handle = handle;
		save->pending = *p;
		save->replaced = false;
		handle->xact.saves = save;
		dlist_push_tail(&saves, &save->node);
	}

	/* Until it is replaced, an ordinary block goes on being used up. */
	if (replaced && !save->replaced)
	{
		if (save->pending.fate != IDGEN_REST_RETURNED)
			save->pending.rest = p->rest;
		save->replaced = true;
	}
}

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

/* Are pending ids from elsewhere than where the name now leads? */
static bool
is_elsewhere(const IdgenHandle *handle)
{
	const IdgenRest *rest = &handle->pending.rest;

	return rest->storage != handle->found.storage || rest->origin != handle->found.origin;
}

/* There are no more pending ids. Caller has saved the state. */
static void
forget_ids(IdgenPending *p)
{
	p->rest.block.left = 0;
	p->rest.nmore = 0;
}

/*
 * Put what is left of the pending gapless block back into its source. Returns false if
 * that is not possible any more. A trigger that this fires must not draw what is on its
 * way back.
 */
static bool
give_back(IdgenHandle *handle)
{
	IdgenPending *p = &handle->pending;
	IdgenBlock rest = p->rest.block;
	bool done;

	forget_ids(p);
	handle->allocating = true;
	PG_TRY();
	{
		done = p->source->give_back(handle, &rest) == IDGEN_SOURCE_OK;
	}
	PG_FINALLY();
	{
		handle->allocating = false;
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

/* The pending block of the last ids; an empty one if there is none. */
IdgenBlock
idgen_pending_last_block(IdgenHandle *handle)
{
	const IdgenRest *rest = &handle->pending.rest;
	IdgenBlock block = {0};

	if (!has_ids(&handle->pending))
		return block;
	block = rest->block;
	for (int i = 0; i < rest->nmore; i++)
		if (idgen_block_before(&block, &rest->more[i]))
			block = rest->more[i];
	return block;
}

/* Make a block with so many ids the first one; false if there is none. */
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

/* Draw ids from a pending block; false if there is none with so many. */
bool
idgen_pending_take(IdgenHandle *handle, int64 count, IdgenBlock *ids)
{
	IdgenPending *p = &handle->pending;

	if (!has_ids(p) || (p->rest.block.left < count && !bring_forward(&p->rest, count)))
		return false;
	if (p->fate == IDGEN_REST_RETURNED)
		save_state(handle, false);
	*ids = idgen_block_cut(&p->rest.block, count);
	handle->xact.counters.ids_issued = idgen_add_saturating(handle->xact.counters.ids_issued, count);
	return true;
}

/* Ids that were taken just now are not used after all. */
void
idgen_pending_put_back(IdgenHandle *handle, const IdgenBlock *ids)
{
	IdgenPending *p = &handle->pending;
	int64 left = p->rest.block.left;

	p->rest.block = *ids;
	p->rest.block.left += left;
	handle->xact.counters.ids_issued -= ids->left;
}

/*
 * Add an old block to the rest of a new refill: in a row with that if possible, else as
 * one of at most "limit" that are used later.
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
		handle->xact.counters.ids_lost.crowded += old->left;
}

/*
 * A refill for a range has brought blocks, but those that were pending before did not
 * suffice: use the new ones first, and keep the old ones. From now on they count as part
 * of what this (sub)transaction has allocated. More than a slot has room for would be
 * lost in the end. And of gapless ids there is never more than one block, which alone
 * can be given back, or restored.
 */
static void
keep_for_later(IdgenHandle *handle, IdgenRest *rest, bool gapless)
{
	IdgenPending *p = &handle->pending;
	IdgenRest old = p->rest;
	IdgenBlock *more = palloc((rest->nmore + 1 + old.nmore) * sizeof(IdgenBlock));
	int limit = gapless || p->fate == IDGEN_REST_RETURNED ? 0 : rest->nmore + IDGEN_SLOT_BLOCKS;

	if (p->fate == IDGEN_REST_RETURNED)
		save_state(handle, false);
	forget_ids(p);
	if (rest->nmore > 0)
		memcpy(more, rest->more, rest->nmore * sizeof(IdgenBlock));
	rest->more = more;
	keep_block(handle, rest, &old.block, limit);
	for (int i = 0; i < old.nmore; i++)
		keep_block(handle, rest, &old.more[i], limit);
}

/* The rest of two allocations is as good as the worse of them. */
static uint64
both_good_as_of(uint64 a, uint64 b)
{
	if (a == IDGEN_NOT_PUBLISHABLE || b == IDGEN_NOT_PUBLISHABLE)
		return IDGEN_NOT_PUBLISHABLE;
	return Min(a, b);
}

/*
 * A refill has brought blocks. Caller has used up the previous ones, unless it is for a
 * range. "version" is that of the slot when the handle was validated for it, 0 if there
 * was none; "ahead" says that there are still ids in the cache.
 */
void
idgen_pending_add(IdgenHandle *handle, const IdgenRefill *refill,
                  uint64 version, bool ahead)
{
	IdgenPending *p = &handle->pending;
	IdgenRest rest = refill->rest;
	bool kept = has_ids(p);
	uint64 good_as_of = IDGEN_NOT_PUBLISHABLE;
	IdgenCacheKey key;

	idgen_pending_list(handle);
	if (kept)
		keep_for_later(handle, &rest, refill->fate == IDGEN_REST_RETURNED);
	save_state(handle, true);
	idgen_handle_key(handle, &key);
	if (rest.nmore > 0)
	{
		Size size = rest.nmore * sizeof(IdgenBlock);

		rest.more = memcpy(MemoryContextAlloc(TopTransactionContext, size), rest.more, size);
	}
	p->rest = rest;
	p->source = handle->found.source;
	p->fate = refill->fate;
	p->ahead = ahead;
	if (!idgen_pending_fast_ok(p))
		handle->found.fast_epoch = 0;
	p->userid = handle->found.userid;
	if (refill->fate == IDGEN_REST_PUBLISHED)
		good_as_of = handle->found.source->locks_row ? idgen_cache_dropped_at(&key) : version;
	p->good_as_of = kept ? both_good_as_of(p->good_as_of, good_as_of) : good_as_of;

	handle->xact.refills++;
	if (refill->fate == IDGEN_REST_RETURNED && refill->percent_left < idgen_warn_remaining)
		p->low = true;
	handle->xact.ids_allocated = idgen_add_saturating(handle->xact.ids_allocated, idgen_rest_ids(&refill->rest));
	handle->xact.ahead_blocks = refill->ahead_blocks;
	handle->xact.ahead_ids = refill->ahead_ids;
	idgen_count_refill(&handle->xact.counters, refill);
}

/*
 * Is there a gapless block with ids left that ends where a row with these
 * values says that the next block begins, so that it can be undone?
 */
bool
idgen_pending_ends_at(const IdgenHandle *handle, int64 next_block_start, bool exhausted)
{
	return handle->pending.fate == IDGEN_REST_RETURNED &&
		idgen_block_ends_at(&handle->pending.rest.block, next_block_start, exhausted);
}

/*
 * Give up the pending block, of which there must be one, because the caller
 * puts its rest back into the row. Returns the row's next_block_start.
 */
int64
idgen_pending_surrender(IdgenHandle *handle)
{
	Assert(handle->pending.rest.block.left > 0);
	save_state(handle, true);
	forget_ids(&handle->pending);
	return handle->pending.rest.block.next;
}

/*
 * The current transaction has changed the row. Its own draws follow at once,
 * if the caller has the handle forgotten; other sessions' when it commits.
 */
static void
change_pending(IdgenHandle *handle, IdgenChange change)
{
	IdgenPending *p = &handle->pending;

	idgen_pending_list(handle);
	save_state(handle, change == IDGEN_CHANGE_DROP);
	if (change == IDGEN_CHANGE_DROP)
		forget_ids(p);
	p->change = Max(p->change, change);
}

/*
 * The same, and everybody else has to learn of it when the transaction commits.
 * Session caches do so through the server's invalidation only, and so do all
 * sessions if this transaction is prepared: the commit of a prepared
 * transaction runs no callbacks.
 */
void
idgen_pending_note_change(IdgenHandle *handle, IdgenChange change)
{
	change_pending(handle, change);
	idgen_handle_invalidate(handle);
	CacheInvalidateRelcacheByRelid(handle->relid);
}

/*
 * A handle was validated. What it found out about an uncommitted row, or a native
 * sequence that the transaction itself has created or restarted, holds for this
 * transaction only: what it draws from such a sequence must wait for the
 * commit, and what others have cached from it is void then. Pending ids that
 * come from elsewhere than where the name now leads are given up.
 */
void
idgen_pending_adapt(IdgenHandle *handle)
{
	IdgenPending *p = &handle->pending;
	bool elsewhere = is_elsewhere(handle);

	if (handle->found.own_row)
		change_pending(handle, IDGEN_CHANGE_REVALIDATE);
	if (elsewhere && has_ids(p))
	{
		save_state(handle, true);
		if (p->fate == IDGEN_REST_RETURNED)
			(void) give_back(handle);
		forget_ids(p);
	}
	if (handle->found.uncommitted != p->uncommitted || (handle->found.uncommitted && elsewhere))
	{
		idgen_pending_list(handle);
		save_state(handle, true);
		p->uncommitted = handle->found.uncommitted;
		p->rest.storage = handle->found.storage;
		p->rest.origin = handle->found.origin;
	}
}

/*
 * The current transaction has changed or inserted a row of that table. So another
 * native sequence may be meant by its name.
 */
void
idgen_pending_objects_changed(Oid relid, const char *name)
{
	int hash = (int) idgen_cache_hash_name(relid, name);

	if (names_changed == NIL || llast_int(names_changed) != hash)
	{
		MemoryContext context = MemoryContextSwitchTo(TopTransactionContext);

		names_changed = lappend_int(names_changed, hash);
		MemoryContextSwitchTo(context);
	}
	objects_changed_by = relid;
	idgen_relations_changed();
}

/* The current transaction has removed all rows, or the table. */
void
idgen_pending_change_all(void)
{
	dlist_iter iter;

	all_dropped = true;
	dlist_foreach(iter, &listed)
	{
		IdgenHandle *handle = dlist_container(IdgenHandle, xact.node, iter.cur);

		change_pending(handle, IDGEN_CHANGE_DROP);
	}
	idgen_epoch++; /* forgets all handles */
}

/* The current transaction drops a database (only one, the server sees to it). */
void
idgen_pending_drop_database(Oid dbid)
{
	dropped_database = dbid;
}

/* The current transaction changes foreign servers or user mappings, whichever. */
void
idgen_pending_change_servers(void)
{
	servers_changed = true;
}

/* Has it, perhaps in a savepoint that was rolled back? */
bool
idgen_pending_servers_changed(void)
{
	return servers_changed;
}

/*
 * May this transaction use what the cache holds, and publish there at once if its source
 * does that? Or has it made that void, or is it by its own change that
 * the name leads to that source?
 */
bool
idgen_pending_published_ok(const IdgenHandle *handle)
{
	IdgenChange limit = IDGEN_CHANGE_REVALIDATE;

	if (handle->found.source->has_object)
		limit = IDGEN_CHANGE_DROP;
	else if (handle->found.source->transactional)
		limit = IDGEN_CHANGE_DROP_ROW;

	return handle->pending.change < limit &&
		!handle->pending.uncommitted && !all_dropped;
}

/* Give up a save, which is the innermost of its handle. */
static void
pop_save(IdgenSave *save)
{
	Assert(save->handle->xact.saves == save);
	save->handle->xact.saves = save->outer;
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
			if (outer->pending.fate != IDGEN_REST_RETURNED)
				outer->pending.rest = save->pending.rest;
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
		if (save->pending.fate != IDGEN_REST_RETURNED && !save->replaced)
			save->pending.rest = p->rest; /* goes on being used up */
		*p = save->pending;
		idgen_handle_invalidate(save->handle);
		pop_save(save);
	}
}

/*
 * Before commit: give the unused rest of every gapless block back to its
 * source. If that is not possible any more, it is lost. No query is running, so
 * there is no snapshot unless we make one. Returns whether there was something to
 * give back.
 */
bool
idgen_pending_return(void)
{
	bool returned = false;
	dlist_iter iter;

	dlist_foreach(iter, &listed)
	{
		IdgenHandle *handle = dlist_container(IdgenHandle, xact.node, iter.cur);

		if (handle->pending.fate != IDGEN_REST_RETURNED || handle->pending.rest.block.left == 0)
			continue;
		PushActiveSnapshot(GetTransactionSnapshot());
		if (give_back(handle))
			returned = true;
		PopActiveSnapshot();
	}
	return returned;
}

/*
 * Before commit, when that is done: say of which gapless id sequences few ids are left. A
 * refill could not, since it does not know what comes back. The row does, unless this
 * transaction has itself changed it: then the next one will say so.
 */
void
idgen_pending_warn_low(void)
{
	dlist_iter iter;

	dlist_foreach(iter, &listed)
	{
		IdgenHandle *handle = dlist_container(IdgenHandle, xact.node, iter.cur);
		IdgenRow row;
		IdgenDefinition def;

		if (!handle->pending.low || handle->pending.change >= IDGEN_CHANGE_DROP_ROW)
			continue;
		PushActiveSnapshot(GetTransactionSnapshot());
		if (idgen_row_open(&row, handle->relid, handle->name, handle->namelen, IDGEN_SEARCH_QUICK))
		{
			idgen_definition_from_row(row.slot, handle->name, &def);
			idgen_warn_low(handle, idgen_definition_percent_left(&def));
		}
		idgen_row_close(&row);
		PopActiveSnapshot();
	}
}

/* Is a native sequence still stored in that file? */
static bool
is_stored_in(Oid object, RelFileNumber storage)
{
	HeapTuple tuple = SearchSysCache1(RELOID, ObjectIdGetDatum(object));
	bool result;

	if (!HeapTupleIsValid(tuple))
		return false;
	result = ((Form_pg_class) GETSTRUCT(tuple))->relfilenode == storage;
	ReleaseSysCache(tuple);
	return result;
}

/*
 * Before commit: find out which files go away, and with them native sequences
 * as they were, be it by DROP, by ALTER SEQUENCE or by TRUNCATE. That may
 * have happened since this transaction drew from one, too.
 */
void
idgen_pending_collect_storage(void)
{
	MemoryContext context;
	dlist_iter iter;

	if (!idgen_cache_has_objects())
		return;
	dlist_foreach(iter, &listed)
	{
		IdgenHandle *handle = dlist_container(IdgenHandle, xact.node, iter.cur);
		IdgenPending *p = &handle->pending;

		if (p->rest.storage != InvalidRelFileNumber && has_ids(p) &&
		    !is_stored_in(handle->found.object, p->rest.storage))
			forget_ids(p);
	}
	context = MemoryContextSwitchTo(TopTransactionContext);
	nstorage_files = smgrGetPendingDeletes(true, &storage_files);
	MemoryContextSwitchTo(context);
}

/*
 * Before PREPARE TRANSACTION: the commit will run no callback, so that only the
 * server's invalidation can tell others to look again then.
 */
void
idgen_pending_prepare(void)
{
	if (OidIsValid(objects_changed_by) &&
	    SearchSysCacheExists1(RELOID, ObjectIdGetDatum(objects_changed_by)))
		CacheInvalidateRelcacheByRelid(objects_changed_by);
}

/* What the end of the transaction means for those who draw from native sequences. */
static void
finish_objects(bool committed)
{
	ListCell *cell;

	if (committed)
	{
		for (int i = 0; i < nstorage_files; i++)
			idgen_cache_drop_storage(&storage_files[i]);
		if (idgen_cache_has_objects())
			foreach(cell, names_changed)
				idgen_cache_revalidate_objects((uint32) lfirst_int(cell));
	}

	/* The memory goes with the transaction. */
	nstorage_files = 0;
	objects_changed_by = InvalidOid;
	names_changed = NIL;
}

/* What the end of the transaction means for the id sequence of a handle. */
static void
finish_handle(IdgenHandle *handle, bool committed, bool safe, bool dropped)
{
	IdgenPending *p = &handle->pending;
	IdgenOutcome outcome = {0};
	IdgenCacheKey key;

	outcome.drop = committed && (p->change >= IDGEN_CHANGE_DROP_ROW || dropped);
	outcome.revalidate = committed && p->change != IDGEN_CHANGE_NONE;
	outcome.claim = handle->xact.claim;

	/* A change of the row is also one of what has no object. */
	idgen_handle_key(handle, &key);
	if (OidIsValid(key.object))
	{
		IdgenCacheKey row_key;

		idgen_handle_row_key(handle, &row_key);
		idgen_cache_finish(&row_key, &outcome);
		outcome.drop = committed &&
			(p->change == IDGEN_CHANGE_DROP || p->uncommitted || dropped);
	}

	outcome.publish = committed;
	outcome.unsafe = !safe;
	outcome.rest = p->rest;
	outcome.rest_good_as_of = is_elsewhere(handle) ? IDGEN_NOT_PUBLISHABLE : p->good_as_of;
	outcome.ahead_blocks = handle->xact.ahead_blocks;
	outcome.ahead_ids = handle->xact.ahead_ids;
	outcome.counters = handle->xact.counters;
	idgen_cache_finish(&key, &outcome);
}

/*
 * The transaction is over: tell the cache and forget everything. After a
 * commit it must have been flushed; "safe" says that it will not be undone, as one that
 * is only prepared may be, or one that a standby may not have. Does not raise errors.
 */
void
idgen_pending_finish(bool committed, bool safe)
{
	bool dropped = all_dropped;

	if (committed && dropped)
		idgen_cache_drop_database(MyDatabaseId);
	all_dropped = false;
	if (committed && OidIsValid(dropped_database))
		idgen_cache_drop_database(dropped_database);
	dropped_database = InvalidOid;
	servers_changed = false;

	finish_objects(committed);

	/* The memory of the saves goes with the transaction. */
	dlist_init(&saves);

	while (!dlist_is_empty(&listed))
	{
		IdgenHandle *handle = dlist_container(IdgenHandle, xact.node,
		                                      dlist_pop_head_node(&listed));

		finish_handle(handle, committed, safe, dropped);
		if (handle->pending.change != IDGEN_CHANGE_NONE || handle->pending.uncommitted)
			idgen_handle_invalidate(handle);
		memset(&handle->pending, 0, sizeof(IdgenPending));
		memset(&handle->xact, 0, sizeof(IdgenHandleXact));
	}
}
