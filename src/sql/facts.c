/*
 * facts.c
 *		What the server knows of id sequences, for views to judge.
 *
 * The rows of id_sequences are read one after the other, in their newest
 * versions, and what the cache knows is added. Nothing here waits for a lock
 * that is not free soon, no other server is asked, and a serializable
 * transaction gets no conflict.
 *
 * Rows are looked at in batches, each in a subtransaction. So a row that its
 * constraints and triggers have not checked, because the owner has switched
 * them off, does not keep the others from being shown: its error is shown with
 * it.
 */
#include "postgres.h"

#include "access/table.h"
#include "access/transam.h"
#include "catalog/pg_type.h"
#include "fmgr.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "utils/acl.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/inval.h"
#include "utils/memutils.h"
#include "utils/syscache.h"

#include "catalog/child.h"
#include "catalog/epoch.h"
#include "catalog/native_look.h"
#include "catalog/privileges.h"
#include "catalog/row.h"
#include "catalog/row_code.h"
#include "catalog/secret.h"
#include "catalog/table.h"
#include "common/subxact.h"
#include "shmem/worker_registry.h"
#include "sql/facts.h"

PG_FUNCTION_INFO_V1(idgen_facts);
PG_FUNCTION_INFO_V1(idgen_refused_code);

/* How many id sequences share a subtransaction. */
#define BATCH 100

/* A reading, while it goes on. */
typedef struct Reading
{
	IdgenFactsCall call;
	bool by_cache; /* is what the cache knows shown, whatever its names mean now? */
	IdgenKnownCache cache;
	TupleTableSlot *found;     /* the row that has been found */
	MemoryContext for_each;    /* for what is found out of it */
	TupleTableSlot *shown_row; /* of what is being shown, or empty */
	MemoryContext batch;       /* for the items, and what is found out of them */
	IdgenShown items[BATCH];
	int nitems;
	int nshown; /* of these */
} Reading;

/* The state of the worker of this database; NULL if there can be none. */
static const char *
look_at_worker(void)
{
	if (!idgen_cache_is_shared())
		return NULL;
	switch (idgen_registry_look(MyDatabaseId))
	{
		case IDGEN_WORKER_RUNNING:
			return "running";
		case IDGEN_WORKER_STARTING:
			return "starting";
		case IDGEN_WORKER_NONE:
			break;
	}
	return idgen_registry_refused() ? "no slot" : "not running";
}

/* Show the items of the batch that have not been shown. */
static void
show_items(void *arg)
{
	Reading *reading = (Reading *) arg;

	for (; reading->nshown < reading->nitems; reading->nshown++)
	{
		const IdgenShown *item = &reading->items[reading->nshown];

		ExecClearTuple(reading->shown_row);
		if (item->row != NULL)
			ExecForceStoreHeapTuple(item->row, reading->shown_row, false);
		idgen_fact_line(&reading->call, item, reading->shown_row);
	}
}

/*
 * Show the batch, and begin a new one. Raises only what is not about a row. If
 * there is an error, somebody may have dropped a table or a function in between
 * two looks at it. So what has failed is tried a second time.
 */
static void
show_batch(Reading *reading)
{
	MemoryContext before = MemoryContextSwitchTo(reading->batch);
	int failed = -1; /* the item that has failed once */

	while (reading->nshown < reading->nitems)
	{
		ErrorData *error = idgen_try(show_items, reading, IDGEN_TRY_ANY);

		if (error == NULL)
			break;
		if (error->sqlerrcode == ERRCODE_QUERY_CANCELED || error->sqlerrcode == ERRCODE_OUT_OF_MEMORY)
			idgen_rethrow(error);
		if (failed == reading->nshown)
			idgen_fact_line_broken(&reading->call, &reading->items[reading->nshown++], error->message);
		else
			failed = reading->nshown;
		AcceptInvalidationMessages();
	}
	ExecClearTuple(reading->shown_row);
	reading->nitems = reading->nshown = 0;
	MemoryContextSwitchTo(before);
	MemoryContextReset(reading->batch);
	CHECK_FOR_INTERRUPTS();
}

/*
 * Which id sequences are shown
 */

/*
 * Find the transaction that a refill of an id sequence waits for: one that has
 * locked the row, be it that of a session which has refilled or that of another
 * program; one that has claimed the refill; or one that has locked the native
 * sequence. Nobody who draws or refills notes that for this. It is found out
 * from the row itself, from what the cache holds, and from the lock manager.
 * The row comes first: a session that has claimed the refill may itself wait
 * for another program, which has locked the row.
 *
 * "row" is the newest
 * version in "rel", or empty; "object" what its source draws from, or
 * invalid; "cached" what the cache holds of it, or NULL. Returns false if no
 * refill is known to wait. (That a transaction holds a native sequence is
 * enough: a refill will wait for it.) Caller has a snapshot.
 */
static bool
find_holder(Relation rel, TupleTableSlot *row, const IdgenSource *source,
            Oid object, const IdgenCached *cached, IdgenLockHolder *holder)
{
	bool awaited = cached != NULL && cached->awaited;
	TransactionId xid = InvalidTransactionId;
	IdgenLock lock;

	if (source->locks_row && !TTS_EMPTY(row) && (awaited || idgen_row_is_awaited(rel, row)))
		xid = idgen_row_holder(row);
	if (!TransactionIdIsValid(xid) && awaited)
		xid = cached->claim;
	if (!idgen_lock_of_running(xid, &lock))
	{
		if (!OidIsValid(object))
			return false;
		lock = idgen_lock_of_relation(object);
	}
	return idgen_lock_find_holder(&lock, holder);
}

/*
 * Add an item to the batch. The slot has its row, where that is in the table,
 * or is empty: whether the row is locked can be seen only there.
 */
static void
add_item(Reading *reading, IdgenShown item, TupleTableSlot *row)
{
	MemoryContext before;

	if (reading->nitems == BATCH)
		show_batch(reading);
	before = MemoryContextSwitchTo(reading->batch);
	item.name = pstrdup(item.name);
	item.waits = find_holder(reading->call.rel, row, item.source, item.sequence,
	                         item.entry != NULL ? &item.entry->cached : NULL, &item.holder);
	if (!TTS_EMPTY(row))
		item.row = ExecCopySlotHeapTuple(row);
	reading->items[reading->nitems++] = item;
	MemoryContextSwitchTo(before);
}

/*
 * The source of a row. One that says nonsense is shown like any other, so that
 * its error is seen.
 */
static const IdgenSource *
source_of(TupleTableSlot *row)
{
	const char *name = idgen_row_string(row, IDGEN_ATT_SOURCE);
	const IdgenSource *source = name != NULL ? idgen_source_find(name) : NULL;

	return source != NULL ? source : &idgen_source_table;
}

/*
 * Is the native sequence of an entry still there, with the name that the row
 * says, or that of the id sequence? It may have been renamed or moved, and is
 * the session's that drew from it still.
 */
static bool
is_named(const Reading *reading, const IdgenKnownEntry *entry, const char *source_name)
{
	if (reading->by_cache)
		return SearchSysCacheExists1(RELOID, ObjectIdGetDatum(entry->key.object));
	return idgen_native_is_named(entry->key.object, entry->text, source_name);
}

/* Is an entry of the cache of the native sequence, or none, that a row says? */
static bool
is_of_row(const Reading *reading, const IdgenKnownEntry *entry, const IdgenSource *source, const char *source_name)
{
	if (!source->has_object || !OidIsValid(entry->key.object))
		return source->has_object == OidIsValid(entry->key.object);
	return is_named(reading, entry, source_name);
}

/*
 * Add the id sequence of a row: more than once, if its name has led to
 * different native sequences by different search_paths. Templates issue no ids.
 */
static void
read_row(Reading *reading, TupleTableSlot *row)
{
	const char *source_name = idgen_row_string(row, IDGEN_ATT_SOURCE_NAME);
	IdgenShown item = {.name = idgen_row_string(row, IDGEN_ATT_NAME), .source = source_of(row)};
	bool visible;

	if (idgen_is_template_name(item.name, strlen(item.name)))
		return;
	visible = reading->call.monitor || idgen_row_visible(reading->call.rel, row);
	for (IdgenKnownEntry *entry = idgen_known_find(&reading->cache, item.name); entry != NULL; entry = entry->next)
	{
		entry->has_row = true;
		if (!visible || !is_of_row(reading, entry, item.source, source_name))
			continue;
		item.entry = entry;
		item.sequence = entry->key.object;
		add_item(reading, item, row);
	}
	if (visible && item.entry == NULL)
	{
		if (item.source->has_object)
			item.sequence = item.source->look_up(item.name, source_name);
		add_item(reading, item, row);
	}
}

static void
add_all_rows(Reading *reading)
{
	IdgenRowScan scan = idgen_row_scan_begin(reading->call.rel, NULL, NULL, 0, reading->found);

	while (idgen_row_scan_next(&scan))
	{
		MemoryContext before = MemoryContextSwitchTo(reading->for_each);

		read_row(reading, scan.row);
		MemoryContextSwitchTo(before);
		MemoryContextReset(reading->for_each);
	}
	idgen_row_scan_end(&scan);
}

/* Add the row of that name, if there is one. */
static void
add_named_row(Reading *reading, const char *name)
{
	MemoryContext before = MemoryContextSwitchTo(reading->for_each);

	if (idgen_row_find(reading->call.rel, name, strlen(name), reading->found))
		read_row(reading, reading->found);
	ExecClearTuple(reading->found);
	MemoryContextSwitchTo(before);
	MemoryContextReset(reading->for_each);
}

/*
 * Add the native sequences of a name that the cache knows, and that have no
 * row.
 */
static void
add_natives(Reading *reading, IdgenKnownEntry *entry)
{
	for (; entry != NULL; entry = entry->next)
	{
		IdgenShown item = {
			.name = entry->text,
			.entry = entry,
			.source = &idgen_source_sequence,
			.sequence = entry->key.object,
		};

		if (OidIsValid(item.sequence) && !entry->has_row && is_named(reading, entry, NULL))
			add_item(reading, item, reading->found);
	}
}

/* Add what the cache knows: with their rows, or only what has none. */
static void
add_cached(Reading *reading)
{
	IdgenNameEntry *name;
	name_table_iterator iter;

	name_table_start_iterate(reading->cache.by_name, &iter);
	while ((name = name_table_iterate(reading->cache.by_name, &iter)) != NULL)
	{
		IdgenKnownEntry *first = (IdgenKnownEntry *) name->key;

		if (reading->by_cache)
			add_named_row(reading, first->text);
		add_natives(reading, first);
	}
}

static void
add_names(Reading *reading, ArrayType *array)
{
	Datum *names;
	int n;

	deconstruct_array(array, TEXTOID, -1, false, TYPALIGN_INT, &names, NULL, &n);
	for (int i = 0; i < n; i++)
	{
		const char *name = TextDatumGetCString(names[i]);

		add_named_row(reading, name);
		add_natives(reading, idgen_known_find(&reading->cache, name));
	}
}

/* Begin to read; the caller closes the table. */
static Reading *
begin(FunctionCallInfo fcinfo, Oid relid)
{
	Reading *reading = palloc0(sizeof(Reading));
	IdgenFactsCall *call = &reading->call;
	IdgenCacheTotals totals;

	idgen_cache_totals(&totals);
	call->result = (ReturnSetInfo *) fcinfo->resultinfo;
	call->monitor = idgen_may_monitor();
	call->selects = pg_class_aclcheck(relid, GetUserId(), ACL_SELECT) == ACLCHECK_OK;
	call->cache_thrashes = totals.thrashes;
	call->worker = look_at_worker();
	call->rel = idgen_table_open(relid, AccessShareLock);
	reading->cache = idgen_known_read(relid);
	reading->found = table_slot_create(call->rel, NULL);
	reading->for_each = AllocSetContextCreate(CurrentMemoryContext, "idgen row", ALLOCSET_DEFAULT_SIZES);
	reading->shown_row = MakeSingleTupleTableSlot(RelationGetDescr(call->rel), &TTSOpsHeapTuple);
	reading->batch = AllocSetContextCreate(CurrentMemoryContext, "idgen facts", ALLOCSET_DEFAULT_SIZES);
	return reading;
}

/*
 * idgen_facts(names text[], cached boolean, required boolean) returns setof
 * record: what is known of the id sequences of those names, or of those that
 * the cache knows, or of all; of those that the caller may draw from, and of
 * all of them to members of pg_monitor. Without any right to look, it returns
 * none or, if they are required, raises 42501.
 */
Datum
idgen_facts(PG_FUNCTION_ARGS)
{
	Reading *reading;
	Oid relid;

	AcceptInvalidationMessages();
	relid = idgen_table_oid(fcinfo->flinfo->fn_oid);
	InitMaterializedSRF(fcinfo, MAT_SRF_USE_EXPECTED_DESC);
	if (!idgen_may_monitor() && PG_GETARG_BOOL(2))
		idgen_check_select(relid);
	reading = begin(fcinfo, relid);
	reading->by_cache = PG_GETARG_BOOL(1);
	if (reading->call.monitor || reading->call.selects)
	{
		if (!PG_ARGISNULL(0))
			add_names(reading, PG_GETARG_ARRAYTYPE_P(0));
		else
		{
			if (!reading->by_cache)
				add_all_rows(reading);
			add_cached(reading);
		}
		show_batch(reading);
	}
	ExecDropSingleTupleTableSlot(reading->found);
	ExecDropSingleTupleTableSlot(reading->shown_row);
	table_close(reading->call.rel, AccessShareLock);
	return (Datum) 0;
}

/*
 * What stands on id_sequences or idgen_secrets and must not run: text[], or
 * null.
 */
Datum
idgen_refused_code(PG_FUNCTION_ARGS)
{
	Oid id_sequences = idgen_table_oid(fcinfo->flinfo->fn_oid);
	Oid tables[] = {id_sequences, idgen_secrets_table(id_sequences)};
	ArrayBuildState *array = NULL;

	for (int i = 0; i < (int) lengthof(tables); i++)
	{
		Relation rel = table_open(tables[i], AccessShareLock);
		ListCell *cell;

		foreach(cell, idgen_code_refused(rel))
			array = accumArrayResult(array, CStringGetTextDatum(lfirst(cell)), false, TEXTOID, CurrentMemoryContext);
		table_close(rel, AccessShareLock);
	}
	if (array == NULL)
		PG_RETURN_NULL();
	return makeArrayResult(array, CurrentMemoryContext);
}
