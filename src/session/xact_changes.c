/*
 * xact_changes.c
 *		What the current transaction changes besides drawing ids.
 *
 * A change of a row, of what its source names, or of whole tables and databases
 * makes cached ids void (rule C1), or other sessions have to look again. That
 * is noted when it happens and told to the cache when the transaction commits.
 * Until then the cache is as good as before for all other sessions, but this
 * one must not use what it has itself made void.
 *
 * What concerns one id sequence is a mark of its pending state (IdgenChange),
 * so that a rollback to a savepoint takes it back. What concerns many is noted
 * here, and is not taken back: then too much is dropped from the cache, which
 * is a gap but nothing worse.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "catalog/pg_class.h"
#include "catalog/storage.h"
#include "miscadmin.h"
#include "utils/inval.h"
#include "utils/memutils.h"
#include "utils/syscache.h"

#include "catalog/epoch.h"
#include "session/pending.h"
#include "session/savepoint.h"
#include "session/xact_changes.h"
#include "shmem/known_rows.h"

/*
 * Changes of more than one id sequence. What it points to ends with the
 * transaction.
 */
typedef struct Changes
{
	bool all_rows;        /* id_sequences truncated, or the extension dropped */
	bool tables;          /* id_sequences altered, or its triggers */
	bool servers;         /* foreign servers or user mappings changed */
	Oid dropped_database; /* or invalid: the server lets a transaction drop only one */

	/*
	 * The id_sequences of which rows have been changed, and their names as
	 * idgen_cache_hash_name() gives them. They matter to sessions that draw
	 * from native sequences, whose ids a change of the row does not drop unless
	 * it has their values stand for other ids.
	 */
	Oid names_in;
	List *names;
	List *names_dropped;

	RelFileLocator *files; /* that go away when the transaction commits */
	int nfiles;
} Changes;

static Changes changes;

/*
 * Mark a handle as one whose row the current transaction has changed: what
 * other sessions know and have cached becomes void at commit. For this
 * transaction's own draws, the caller has to see to it that the handle is
 * validated again.
 */
void
idgen_changes_mark(IdgenHandle *handle, IdgenChange change)
{
	idgen_handle_list(handle);
	if (change >= IDGEN_CHANGE_DROP)
		idgen_pending_give_up(handle);
	else
		idgen_savepoint_save(handle);
	handle->pending.change = Max(handle->pending.change, change);
}

/*
 * The current transaction has changed the row, and every session has to learn
 * of it at commit. Those with a cache of their own do so through the server's
 * invalidation only, and so do all sessions if this transaction is prepared:
 * the commit of a prepared transaction runs no callbacks.
 */
void
idgen_changes_note_row(IdgenHandle *handle, IdgenChange change)
{
	idgen_changes_mark(handle, change);
	idgen_handle_invalidate(handle);
	CacheInvalidateRelcacheByRelid(handle->relid);
}

/*
 * The current transaction has changed or inserted a row of that table. So
 * another native sequence may be meant by its name. With IDGEN_SLOT_DROP, the
 * values of native sequences stand for other ids as well.
 */
void
idgen_changes_note_name(Oid relid, const char *name, IdgenSlotChange change)
{
	int hash = (int) idgen_cache_hash_name(relid, name);
	List **names = change == IDGEN_SLOT_DROP ? &changes.names_dropped : &changes.names;

	if (*names == NIL || llast_int(*names) != hash)
	{
		MemoryContext context = MemoryContextSwitchTo(TopTransactionContext);

		*names = lappend_int(*names, hash);
		MemoryContextSwitchTo(context);
	}
	changes.names_in = relid;
	idgen_relations_changed();
}

/* The current transaction has removed all rows, or the table. */
void
idgen_changes_note_all_rows(void)
{
	dlist_iter iter;

	changes.all_rows = true;
	dlist_foreach(iter, &idgen_listed_handles)
		idgen_changes_mark(dlist_container(IdgenHandle, xact.node, iter.cur), IDGEN_CHANGE_DROP);
	idgen_epoch++; /* all handles have to be validated again */
}

/*
 * The current transaction alters a table id_sequences, or triggers of any
 * table. The server tells the sessions that there are, but not those to come.
 */
void
idgen_changes_note_tables(void)
{
	changes.tables = true;
}

/* The current transaction drops a database. */
void
idgen_changes_note_dropped_database(Oid dbid)
{
	changes.dropped_database = dbid;
}

/*
 * The current transaction changes any foreign server or user mapping.
 */
void
idgen_changes_note_servers(void)
{
	changes.servers = true;
}

/*
 * Has the current transaction changed foreign servers or user mappings, perhaps
 * in a savepoint that was rolled back?
 */
bool
idgen_changes_include_servers(void)
{
	return changes.servers;
}

/*
 * Has the current transaction removed all rows, perhaps in a savepoint that was
 * rolled back?
 */
bool
idgen_changes_include_all_rows(void)
{
	return changes.all_rows;
}

/*
 * Is the row of the handle, as far as is noted, to this transaction what it is
 * to all others? Not if it has changed the row or the table, perhaps in a
 * savepoint that was rolled back, nor if it has refilled.
 */
bool
idgen_changes_leave_row(const IdgenHandle *handle)
{
	return !handle->xact.listed && !changes.all_rows && !changes.tables;
}

/*
 * May this transaction use what the cache holds, and publish there at once if
 * the source does that? Not if it has made that void, nor if it is by its own
 * change that the name leads to that source.
 */
bool
idgen_may_use_published(const IdgenHandle *handle)
{
	const IdgenPending *pending = &handle->pending;
	IdgenChange limit = IDGEN_CHANGE_REVALIDATE;

	if (handle->found.source->has_object)
		limit = IDGEN_CHANGE_DROP;
	else if (handle->found.source->transactional)
		limit = IDGEN_CHANGE_DROP_ROW;
	return pending->change < limit && !pending->uncommitted && !changes.all_rows;
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
 * as they were, be it by DROP, by ALTER SEQUENCE or by TRUNCATE. That may have
 * happened since this transaction drew from one: then its pending ids are void.
 */
void
idgen_changes_collect_files(void)
{
	MemoryContext context;
	dlist_iter iter;

	if (!idgen_cache_has_objects())
		return;
	dlist_foreach(iter, &idgen_listed_handles)
	{
		IdgenHandle *handle = dlist_container(IdgenHandle, xact.node, iter.cur);
		RelFileNumber storage = handle->pending.rest.storage;

		if (storage != InvalidRelFileNumber && idgen_pending_block(handle) != NULL &&
		    !is_stored_in(handle->found.object, storage))
			idgen_pending_give_up(handle);
	}
	context = MemoryContextSwitchTo(TopTransactionContext);
	changes.nfiles = smgrGetPendingDeletes(true, &changes.files);
	MemoryContextSwitchTo(context);
}

/*
 * Before PREPARE TRANSACTION: the commit will run no callback, so that only the
 * server's invalidation can tell others to look again then.
 */
void
idgen_changes_before_prepare(void)
{
	if (OidIsValid(changes.names_in) &&
	    SearchSysCacheExists1(RELOID, ObjectIdGetDatum(changes.names_in)))
		CacheInvalidateRelcacheByRelid(changes.names_in);
}

/*
 * After the end of the transaction: tell the cache, and forget. Raises no
 * errors.
 */
void
idgen_changes_finish(bool committed)
{
	if (committed)
	{
		ListCell *cell;

		if (changes.all_rows)
			idgen_cache_drop_database(MyDatabaseId);
		if (OidIsValid(changes.dropped_database))
		{
			idgen_cache_drop_database(changes.dropped_database);
			idgen_cache_remove_empty(changes.dropped_database);
		}
		for (int i = 0; i < changes.nfiles; i++)
			idgen_cache_drop_storage(&changes.files[i]);
		if (changes.tables)
			idgen_known_rows_forget();
		if (idgen_cache_has_objects())
		{
			foreach(cell, changes.names)
				idgen_cache_change_objects((uint32) lfirst_int(cell), IDGEN_SLOT_REVALIDATE);
			foreach(cell, changes.names_dropped)
				idgen_cache_change_objects((uint32) lfirst_int(cell), IDGEN_SLOT_DROP);
		}
	}
	changes = (Changes){0};
}
