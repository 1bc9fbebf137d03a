/*
 * xact.c
 *		What the current transaction changes besides drawing ids, and its end.
 *
 * A change of a row, of what its source names, or of whole tables and databases
 * makes cached ids void (rule C1). That is noted when it happens and told to
 * the cache when the transaction commits. Until then the cache is as good as
 * before for all other sessions, but this one must not use what it has itself
 * made void.
 *
 * What has been changed is not taken back by a rollback to a savepoint: then
 * too much is dropped from the cache, which is a gap that is counted, but
 * nothing worse. For this transaction's own draws, a change of a row counts
 * only as long as it sees a row that it has written itself.
 *
 * One statement can change a million rows, of names that the session never
 * draws from. So a change makes no handle, but an entry of a hash table.
 *
 * Before a commit, the rest of gapless blocks returns to the source. After it,
 * what else is left is published, and the cache is told what the transaction
 * has changed. After a rollback, pending ids are forgotten, and only counters
 * and the claim are told. All this concerns the handles on
 * idgen_listed_handles.
 *
 * The commit callback publishes a transaction's blocks. By then the commit
 * record is flushed (common/early_release.c), and a synchronous standby has it,
 * if there is one to wait for. The transaction's locks are still held, so that
 * sessions that wait for them find the ids in the cache. But other sessions see
 * already what was committed: so for a moment one may draw ids that a change of
 * the row has just made void, as it could have just before.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "access/xact.h"
#include "catalog/pg_class.h"
#include "catalog/storage.h"
#include "commands/trigger.h"
#include "miscadmin.h"
#include "utils/hsearch.h"
#include "utils/inval.h"
#include "utils/memutils.h"
#include "utils/portal.h"
#include "utils/snapmgr.h"
#include "utils/syscache.h"

#include "catalog/row.h"
#include "catalog/table.h"
#include "common/durable.h"
#include "common/early_release.h"
#include "remote/reach.h"
#include "remote/connection.h"
#include "session/handle.h"
#include "session/xact.h"

/*
 * A row that is made only has sessions look again that have used its name
 * without one. Where more than this many are made, all look again, instead of
 * an entry for each.
 */
#define IDGEN_MAX_MADE 10000

/* A row that was changed. */
typedef struct ChangedName
{
	struct
	{
		Oid relid;
		uint8 digest[IDGEN_DIGEST_BYTES];
	} key;                  /* must be first; no padding */
	IdgenSlotChange change; /* the greatest one */
	bool is_watched;        /* is a watermark kept from now on? */
} ChangedName;

/* All of it. What it points to ends with the transaction. */
static struct
{
	HTAB *names;          /* of ChangedName; NULL if there is none */
	bool many_made;       /* were more rows made than there are entries for? */
	bool any_watched;     /* is_watched of any */
	bool any_switched;    /* of a row that others have seen without */
	Oid rows_of;          /* the id_sequences of which rows have been changed, or invalid */
	bool all_rows;        /* id_sequences truncated, or the extension dropped */
	bool tables;          /* id_sequences altered, or its triggers */
	bool servers;         /* foreign servers or user mappings changed */
	Oid dropped_database; /* or invalid: the server lets a transaction drop only one */

	RelFileLocator *files; /* that go away when the transaction commits */
	int nfiles;
} changes;

/*
 * Noting changes
 */

static ChangedName *
find_name(Oid relid, const uint8 *digest, HASHACTION action, bool *found)
{
	ChangedName name = {.key.relid = relid};

	memcpy(name.key.digest, digest, IDGEN_DIGEST_BYTES);
	return hash_search(changes.names, &name.key, action, found);
}

static void
note_name(Oid relid, const uint8 *digest, IdgenSlotChange change)
{
	ChangedName *name;
	bool found;

	if (changes.names == NULL)
	{
		HASHCTL info = {
			.keysize = sizeof(name->key),
			.entrysize = sizeof(ChangedName),
			.hcxt = TopTransactionContext,
		};

		changes.names = hash_create("idgen changed names", 16, &info, HASH_ELEM | HASH_BLOBS | HASH_CONTEXT);
	}
	if (change == IDGEN_SLOT_REVALIDATE && hash_get_num_entries(changes.names) >= IDGEN_MAX_MADE)
	{
		changes.many_made = true;
		return;
	}
	name = find_name(relid, digest, HASH_ENTER, &found);
	name->change = found ? Max(name->change, change) : change;
	name->is_watched = found && name->is_watched;
}

/*
 * The current transaction has changed, inserted or removed the row of that
 * name, and every session has to learn of it at commit. The slot tells them.
 * Those with caches of their own learn of it through the server's invalidation
 * only, which has them look again at all rows; and so do all sessions if this
 * transaction is prepared: the commit of a prepared transaction runs no
 * callbacks. Another native sequence may be meant by the name from now on.
 */
void
idgen_changes_note_row(Oid relid, const char *name, IdgenSlotChange change)
{
	IdgenHandle *handle = idgen_handle_find(relid, name, strlen(name));
	uint8 digest[IDGEN_DIGEST_BYTES];

	idgen_cache_digest(name, strlen(name), digest);
	note_name(relid, digest, change);
	if (handle != NULL && handle->xact.listed)
		idgen_pending_change(handle, change);
	if (handle != NULL)
		idgen_handle_invalidate(handle);
	changes.rows_of = relid;
	if (!idgen_cache_is_shared())
		CacheInvalidateRelcacheByRelid(relid);
}

/*
 * The row of that name, of which a change was noted, says from now on that a
 * watermark is kept. Has it said before that there is none?
 */
void
idgen_changes_note_watermark(Oid relid, const char *name, bool switched)
{
	uint8 digest[IDGEN_DIGEST_BYTES];
	ChangedName *changed;
	bool found;

	idgen_cache_digest(name, strlen(name), digest);
	changed = find_name(relid, digest, HASH_ENTER, &found);
	if (!found)
		changed->change = IDGEN_SLOT_REVALIDATE; /* one of many that are made */
	changed->is_watched = true;
	changes.any_watched = true;
	changes.any_switched |= switched;
}

/*
 * The current transaction is about to move what the id sequence of that name
 * draws from: what is cached is void then, whatever the row says. Raises 42704
 * if the name is too long for one.
 */
void
idgen_changes_note_cached(Oid relid, const char *name)
{
	idgen_handle_list(idgen_handle_get(relid, name, strlen(name)));
	idgen_changes_note_row(relid, name, IDGEN_SLOT_DROP);
}

/* The current transaction has removed all rows, or the table. */
void
idgen_changes_note_all_rows(void)
{
	dlist_iter iter;

	changes.all_rows = true;
	dlist_foreach(iter, &idgen_listed_handles)
		idgen_pending_change(dlist_container(IdgenHandle, xact.node, iter.cur), IDGEN_SLOT_DROP);
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

/* The current transaction changes any foreign server or user mapping. */
void
idgen_changes_note_servers(void)
{
	changes.servers = true;
}

/*
 * What they mean for the transaction itself
 */

/* What is noted of the row of a handle, NULL if nothing is. */
static const ChangedName *
changed(const IdgenHandle *handle)
{
	return changes.names != NULL ? find_name(handle->relid, handle->digest, HASH_FIND, NULL) : NULL;
}

/*
 * What the current transaction has done to the row of a handle, which has just
 * looked at it. If there is one that is not its own, then a change was rolled
 * back.
 */
IdgenSlotChange
idgen_changes_find(const IdgenHandle *handle)
{
	const IdgenFound *found = &handle->found;
	const ChangedName *name = changed(handle);

	if (name != NULL && (found->own_row || found->unmade || !found->has_row))
		return name->change;
	return found->own_row ? IDGEN_SLOT_REVALIDATE : IDGEN_SLOT_UNCHANGED;
}

/*
 * Has the current transaction changed the row of a handle, perhaps in a
 * savepoint that was rolled back? Then another one may be waiting for it.
 */
bool
idgen_changes_include(const IdgenHandle *handle)
{
	return changed(handle) != NULL;
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
	const IdgenSource *source = handle->found.row.source;
	IdgenSlotChange limit = source->transactional || source->has_object ? IDGEN_SLOT_DROP : IDGEN_SLOT_REVALIDATE;

	return pending->change < limit && !pending->uncommitted && !changes.all_rows;
}

/*
 * Before the end
 */

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
 * Find out which files go away, and with them native sequences as they were, be
 * it by DROP, by ALTER SEQUENCE or by TRUNCATE. That may have happened since
 * this transaction drew from one: then its pending ids are void.
 */
static void
collect_files(void)
{
	MemoryContext context;
	dlist_iter iter;

	dlist_foreach(iter, &idgen_listed_handles)
	{
		IdgenHandle *handle = dlist_container(IdgenHandle, xact.node, iter.cur);
		RelFileNumber storage = handle->pending.storage;

		if (storage != InvalidRelFileNumber && idgen_pending_block(handle) != NULL &&
		    !is_stored_in(handle->found.object, storage))
			idgen_pending_give_up(handle);
	}
	context = MemoryContextSwitchTo(TopTransactionContext);
	changes.nfiles = smgrGetPendingDeletes(true, &changes.files);
	MemoryContextSwitchTo(context);
}

/*
 * Give the unused rest of every gapless block back to its source. If that is
 * not possible any more, it is lost. No query is running, so there is no
 * snapshot unless we make one. Triggers that this fires may leave something to
 * be checked at the end of the transaction, or cursors to be closed or held,
 * after the server has looked for those; and they may draw.
 */
static void
give_back_gapless(bool prepare)
{
	bool given_back;

	do
	{
		dlist_iter iter;

		given_back = false;
		dlist_foreach(iter, &idgen_listed_handles)
		{
			IdgenHandle *handle = dlist_container(IdgenHandle, xact.node, iter.cur);

			if (handle->pending.fate != IDGEN_REST_GIVEN_BACK || idgen_pending_block(handle) == NULL)
				continue;
			PushActiveSnapshot(GetTransactionSnapshot());
			given_back |= idgen_pending_give_back(handle);
			PopActiveSnapshot();
		}
		if (given_back)
			do
				AfterTriggerFireDeferred();
			while (PreCommit_Portals(prepare));
	} while (given_back);
}

/*
 * Watermarks that this transaction switches on are not known at first. Raises
 * 53400 if there is no room for them; and 0A000 at PREPARE, unless the rows are
 * made: others may draw ids without notes until COMMIT PREPARED, which runs no
 * code of ours.
 */
static void
begin_watermarks(bool prepare)
{
	HASH_SEQ_STATUS status;
	const ChangedName *name;
	IdgenCacheKey key;

	if (!changes.any_watched)
		return;
	if (prepare && changes.any_switched)
		ereport(ERROR,
		        (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
		         errmsg("cannot PREPARE a transaction that has switched on a watermark")));
	hash_seq_init(&status, changes.names);
	while ((name = hash_seq_search(&status)) != NULL)
	{
		if (!name->is_watched)
			continue;
		idgen_cache_key(&key, name->key.relid, name->key.digest);
		idgen_notes_begin(&key);
	}
}

/*
 * Before commit, or PREPARE TRANSACTION: then the commit will run no callback,
 * so that only the server's invalidation can tell others to look again. Now
 * that gapless ids have been given back, say where few are left; unless this
 * transaction has itself changed the row: then the next one will say so.
 */
static void
before_commit(bool prepare)
{
	dlist_iter iter;

	if (prepare && OidIsValid(changes.rows_of) && SearchSysCacheExists1(RELOID, ObjectIdGetDatum(changes.rows_of)))
		CacheInvalidateRelcacheByRelid(changes.rows_of);
	dlist_foreach(iter, &idgen_listed_handles)
	{
		IdgenHandle *handle = dlist_container(IdgenHandle, xact.node, iter.cur);

		if (handle->pending.fate == IDGEN_REST_GIVEN_BACK && handle->pending.change < IDGEN_SLOT_DROP)
			idgen_warn_low(handle, &handle->pending.left);
	}
	collect_files();
	begin_watermarks(prepare);
}

/*
 * The end. Nothing here raises errors.
 */

/*
 * The transaction has committed: tell the cache what it has changed. What it
 * has published itself since the event with that number is good.
 */
static void
tell(uint64 since)
{
	HASH_SEQ_STATUS status;
	const ChangedName *name;

	if (changes.all_rows)
		idgen_cache_drop_database(MyDatabaseId, since);
	if (OidIsValid(changes.dropped_database))
		idgen_cache_drop_database(changes.dropped_database, since);
	for (int i = 0; i < changes.nfiles; i++)
		idgen_cache_drop_file(&changes.files[i]);
	if (changes.tables || changes.many_made)
		idgen_cache_look_again(MyDatabaseId);
	if (changes.names == NULL)
		return;
	hash_seq_init(&status, changes.names);
	while ((name = hash_seq_search(&status)) != NULL)
		idgen_cache_change_name(name->key.relid, name->key.digest, name->change, since);
}

/*
 * The transaction is over: so is its note about an id sequence, after what it
 * has left is in the cache.
 */
static void
end_note(IdgenHandle *handle, XactEvent event)
{
	IdgenNote *note = handle->xact.note;

	if (note == NULL)
		return;
	idgen_handle_close_hot_path(handle);
	if (event == XACT_EVENT_PREPARE)
		idgen_note_keep_prepared(note, GetTopTransactionIdIfAny());
	else
		idgen_note_let_go(note);
}

/*
 * The transaction is over: tell the cache and forget everything. "fate" is that
 * of what it has allocated, and is still pending. The handles come before the
 * changes of rows: what a transaction has allocated after it changed a row is
 * good, but nothing else is.
 */
static void
finish(XactEvent event, IdgenRestFate fate)
{
	uint64 since = idgen_cache_number();
	dlist_iter iter;

	idgen_pending_forget_savepoints();
	dlist_foreach(iter, &idgen_listed_handles)
	{
		IdgenHandle *handle = dlist_container(IdgenHandle, xact.node, iter.cur);

		idgen_pending_finish(handle, fate, changes.all_rows);
		end_note(handle, event);
		if (handle->pending.change != IDGEN_SLOT_UNCHANGED || handle->pending.uncommitted)
			idgen_handle_invalidate(handle);
	}
	if (fate != IDGEN_REST_FORGOTTEN)
		tell(since);
	if (changes.servers)
		idgen_reach_forget_all();
	memset(&changes, 0, sizeof(changes));
	idgen_handles_end_transaction();
	idgen_connection_close_stale();
}

/*
 * What the server calls
 */

static void
end_of_transaction(XactEvent event, void *arg)
{
	switch (event)
	{
		case XACT_EVENT_PRE_PREPARE:
		case XACT_EVENT_PRE_COMMIT:
			give_back_gapless(event == XACT_EVENT_PRE_PREPARE);
			before_commit(event == XACT_EVENT_PRE_PREPARE);
			if (event == XACT_EVENT_PRE_COMMIT)
				idgen_early_release_begin();
			break;
		case XACT_EVENT_COMMIT:
			finish(event, idgen_is_replicated(XactLastCommitEnd) ? IDGEN_REST_PUBLISHED : IDGEN_REST_LOST);
			break;
		case XACT_EVENT_PREPARE:
			/* Nobody knows yet, nor tells us later, whether it commits. */
			finish(event, IDGEN_REST_LOST);
			idgen_early_release_forget();
			break;
		case XACT_EVENT_ABORT:
			idgen_early_release_forget();
			idgen_wait_end();
			finish(event, IDGEN_REST_FORGOTTEN);
			break;
		case XACT_EVENT_PARALLEL_PRE_COMMIT:
		case XACT_EVENT_PARALLEL_COMMIT:
		case XACT_EVENT_PARALLEL_ABORT:
			/* Parallel workers draw no ids. */
			break;
	}
}

static void
end_of_savepoint(SubXactEvent event, SubTransactionId subid,
                 SubTransactionId parent_subid, void *arg)
{
	switch (event)
	{
		case SUBXACT_EVENT_COMMIT_SUB:
			idgen_pending_release_savepoint();
			break;
		case SUBXACT_EVENT_ABORT_SUB:
			idgen_wait_end();
			idgen_pending_roll_back_savepoint();
			break;
		case SUBXACT_EVENT_START_SUB:
		case SUBXACT_EVENT_PRE_COMMIT_SUB:
			break;
	}
}

/* Register the callbacks. Called once per process. */
void
idgen_xact_init(void)
{
	RegisterXactCallback(end_of_transaction, NULL);
	RegisterSubXactCallback(end_of_savepoint, NULL);
	idgen_early_release_init();
}
