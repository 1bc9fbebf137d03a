/*
 * xact_changes.c
 *		What the current transaction changes besides drawing ids.
 *
 * A change of a row, of what its source names, or of whole tables and databases
 * makes cached ids void (rule C1). That is noted when it happens and told to
 * the cache when the transaction commits. Until then the cache is as good as
 * before for all other sessions, but this one must not use what it has itself
 * made void.
 *
 * What concerns one id sequence is a record in the log of changed_names.c; and
 * a mark of its pending state, if the transaction has more to do with it. A
 * rollback to a savepoint takes both back. What concerns many is noted here,
 * and is not taken back: then too much is dropped from the cache, which is a
 * gap but nothing worse.
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
#include "remote/reach.h"
#include "session/changed_names.h"
#include "session/handle_table.h"
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

	Oid rows_of; /* the id_sequences of which rows have been changed, or invalid */

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
idgen_changes_mark(IdgenHandle *handle, IdgenSlotChange change)
{
	idgen_handle_list(handle);
	if (change >= IDGEN_SLOT_DROP)
		idgen_pending_give_up(handle);
	else
		idgen_savepoint_save(handle);
	handle->pending.change = Max(handle->pending.change, change);
}

/*
 * The current transaction has changed, inserted or removed the row of that
 * name, and every session has to learn of it at commit. The slot tells them.
 * Those with a cache of their own learn of it through the server's invalidation
 * only, which has them look again at all rows; and so do all sessions if this
 * transaction is prepared: the commit of a prepared transaction runs no
 * callbacks. Another native sequence may be meant by the name from now on.
 */
void
idgen_changes_note_row(Oid relid, const char *name, IdgenSlotChange change)
{
	IdgenHandle *handle = idgen_handle_find(relid, name, strlen(name));

	idgen_changed_names_add(relid, name, change);
	if (handle != NULL && handle->xact.listed)
		idgen_changes_mark(handle, change);
	if (handle != NULL)
		idgen_handle_invalidate(handle);
	changes.rows_of = relid;
	idgen_relations_changed();
	if (!idgen_cache_is_shared())
		CacheInvalidateRelcacheByRelid(relid);
}

/* The current transaction has removed all rows, or the table. */
void
idgen_changes_note_all_rows(void)
{
	dlist_iter iter;

	changes.all_rows = true;
	dlist_foreach(iter, &idgen_listed_handles)
		idgen_changes_mark(dlist_container(IdgenHandle, xact.node, iter.cur), IDGEN_SLOT_DROP);
	idgen_epoch++; /* all handles have to be validated again */
}

/*
 * The current transaction alters a table id_sequences, or its triggers. The
 * server tells the sessions that there are, but not those to come.
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
 * to all others? Not if it has changed any row or the table, perhaps in a
 * savepoint that was rolled back, nor if it has refilled.
 */
bool
idgen_changes_leave_row(const IdgenHandle *handle)
{
	return !handle->xact.listed && !OidIsValid(changes.rows_of) && !changes.all_rows && !changes.tables;
}

/*
 * May this transaction use what the cache holds, and publish there at once if
 * the source does that? Not if it has made that void, nor if it is by a row of
 * its own that the name leads to another server.
 */
bool
idgen_may_use_published(const IdgenHandle *handle)
{
	const IdgenPending *pending = &handle->pending;
	const IdgenSource *source = handle->found.source;
	IdgenSlotChange limit = source->transactional || source->has_object ? IDGEN_SLOT_DROP : IDGEN_SLOT_REVALIDATE;

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
	if (OidIsValid(changes.rows_of) &&
	    SearchSysCacheExists1(RELOID, ObjectIdGetDatum(changes.rows_of)))
		CacheInvalidateRelcacheByRelid(changes.rows_of);
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
		idgen_changed_names_tell();
	}
	if (changes.servers)
		idgen_reach_forget_all();
	idgen_changed_names_forget();
	changes = (Changes){0};
}
