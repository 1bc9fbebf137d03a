/*
 * facts.c
 *		What the server knows of id sequences, for views to judge.
 *
 * First comes what the cache knows: one pass over the slots takes the lock of
 * each once, for as long as it takes to copy a few numbers. Then the rows of
 * id_sequences are read one after the other, in their newest versions. Nothing
 * here waits for a lock that is not free soon, no other
 * server is asked, and a serializable transaction gets no conflict.
 *
 * Each line is made in a subtransaction. So a row that its constraints and
 * triggers have not checked, because the owner has switched them off, does not
 * keep the others from being shown: its error is shown with it.
 */
#include "postgres.h"

#include "access/table.h"
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
#include "catalog/native_sequence.h"
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

/* A reading, while it goes on. */
typedef struct Reading
{
	IdgenFactsCall call;
	bool by_cache;            /* is what the cache knows shown, whatever its names mean now? */
	name_table_hash *by_name; /* what it knows: of IdgenKnownEntry */
	TupleTableSlot *found;    /* the row that has been found */
	MemoryContext for_each;   /* for what is found out of it, or of a name */
} Reading;

/*
 * What the cache knows
 */

/* The entries of a name: the first one, or NULL if there is none. */
static IdgenKnownEntry *
known_by_name(const Reading *reading, const char *name)
{
	const IdgenNameKey key = {RelationGetRelid(reading->call.rel), strlen(name), name};
	IdgenNameEntry *found = name_table_lookup(reading->by_name, &key);

	return found != NULL ? (IdgenKnownEntry *) found->key : NULL;
}

/* The entry of a key, made if there is none yet. */
static IdgenKnownEntry *
get_entry(Reading *reading, const IdgenCacheKey *key)
{
	IdgenKnownEntry *first = known_by_name(reading, key->name);
	IdgenKnownEntry *entry = first;
	bool found;

	while (entry != NULL && entry->key.object != key->object)
		entry = entry->next;
	if (entry != NULL)
		return entry;

	entry = palloc0(offsetof(IdgenKnownEntry, text) + key->namelen + 1);
	memcpy(entry->text, key->name, key->namelen);
	entry->key = *key;
	entry->key.name = entry->text;
	entry->name = (IdgenNameKey){key->relid, key->namelen, entry->text};
	entry->next = first;
	name_table_insert(reading->by_name, &entry->name, &found)->key = &entry->name;
	return entry;
}

/*
 * Drop the ids of an entry that have become void: another session has changed
 * the row, or restarted the native sequence. Nobody tells a session's own
 * cache, so drawing looks for such changes first, and so does this. Returns
 * false if the entry is not there any more.
 */
static bool
drop_void_ids(const IdgenCacheKey *key, IdgenCached *cached)
{
	RelFileNumber file;

	if (idgen_known_is_shared(key))
		return true;
	if (!OidIsValid(key->object))
		idgen_cache_check_table(key, idgen_table_epoch);
	else if ((file = idgen_native_file(key->object)) != InvalidRelFileNumber)
		idgen_cache_check_storage(key, file);
	return idgen_cache_read(key, cached);
}

/*
 * Read all of it, into the current memory context. An id sequence that moves to
 * another slot meanwhile may be met twice: then the second time counts.
 */
static void
read_cache(Reading *reading)
{
	IdgenCacheScan *scan = palloc0(sizeof(IdgenCacheScan));

	reading->by_name = name_table_create(CurrentMemoryContext, 1024, NULL);
	scan->relid = RelationGetRelid(reading->call.rel);
	while (idgen_cache_scan_next(scan))
	{
		if (drop_void_ids(&scan->key, &scan->cached))
			get_entry(reading, &scan->key)->cached = scan->cached;
		CHECK_FOR_INTERRUPTS();
	}
	pfree(scan);
}

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

/*
 * Which id sequences are shown
 */

static void
make_line(void *arg)
{
	idgen_fact_line((const IdgenShown *) arg);
}

/*
 * Show an id sequence. Raises only what is not about its row. If there is an
 * error, somebody may have dropped a table or a function in between two looks
 * at it. So it is tried a second time.
 */
static void
show(IdgenShown *shown)
{
	ErrorData *error = NULL;

	CHECK_FOR_INTERRUPTS();
	for (int tries = 0; tries < 2; tries++)
	{
		error = idgen_try(make_line, shown, IDGEN_TRY_ANY);
		if (error == NULL)
			return;
		if (error->sqlerrcode == ERRCODE_QUERY_CANCELED || error->sqlerrcode == ERRCODE_OUT_OF_MEMORY)
			idgen_rethrow(error);
		AcceptInvalidationMessages();
	}
	idgen_fact_line_broken(shown, error->message);
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
	MemoryContext before = MemoryContextSwitchTo(reading->for_each);
	const char *source_name = idgen_row_string(row, IDGEN_ATT_SOURCE_NAME);
	IdgenShown item = {
		.call = &reading->call,
		.name = idgen_row_string(row, IDGEN_ATT_NAME),
		.row = row,
		.source = source_of(row),
	};
	bool visible = !idgen_is_template_name(item.name, strlen(item.name)) &&
		(reading->call.monitor || idgen_row_visible(reading->call.rel, row));

	for (IdgenKnownEntry *entry = known_by_name(reading, item.name); entry != NULL; entry = entry->next)
	{
		entry->has_row = true;
		if (!visible || !is_of_row(reading, entry, item.source, source_name))
			continue;
		item.entry = entry;
		item.sequence = entry->key.object;
		show(&item);
	}
	if (visible && item.entry == NULL)
	{
		if (item.source->has_object)
			item.sequence = idgen_native_look_up(item.name, source_name);
		show(&item);
	}
	MemoryContextSwitchTo(before);
	MemoryContextReset(reading->for_each);
}

static void
add_all_rows(Reading *reading)
{
	IdgenRowScan scan = idgen_row_scan_begin(reading->call.rel, NULL, NULL, 0, reading->found);

	while (idgen_row_scan_next(&scan))
		read_row(reading, scan.row);
	idgen_row_scan_end(&scan);
}

/* Add the row of that name, if there is one. */
static void
add_named_row(Reading *reading, const char *name)
{
	if (idgen_row_find(reading->call.rel, name, strlen(name), reading->found))
		read_row(reading, reading->found);
	ExecClearTuple(reading->found);
}

/*
 * Add the native sequences of a name that the cache knows, and that have no
 * row.
 */
static void
add_natives(Reading *reading, IdgenKnownEntry *entry)
{
	MemoryContext before = MemoryContextSwitchTo(reading->for_each);

	for (; entry != NULL; entry = entry->next)
	{
		IdgenShown item = {
			.call = &reading->call,
			.name = entry->text,
			.row = reading->found,
			.entry = entry,
			.source = &idgen_source_sequence,
			.sequence = entry->key.object,
		};

		if (OidIsValid(item.sequence) && !entry->has_row && is_named(reading, entry, NULL))
			show(&item);
	}
	MemoryContextSwitchTo(before);
	MemoryContextReset(reading->for_each);
}

/* Add what the cache knows: with their rows, or only what has none. */
static void
add_cached(Reading *reading)
{
	IdgenNameEntry *name;
	name_table_iterator iter;

	name_table_start_iterate(reading->by_name, &iter);
	while ((name = name_table_iterate(reading->by_name, &iter)) != NULL)
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
		add_natives(reading, known_by_name(reading, name));
	}
}

/* Begin to read; the caller closes the table. */
static Reading *
begin(FunctionCallInfo fcinfo, Oid relid)
{
	Reading *reading = palloc0(sizeof(Reading));
	IdgenFactsCall *call = &reading->call;

	call->result = (ReturnSetInfo *) fcinfo->resultinfo;
	call->monitor = idgen_may_monitor();
	call->selects = pg_class_aclcheck(relid, GetUserId(), ACL_SELECT) == ACLCHECK_OK;
	call->worker = look_at_worker();
	call->rel = idgen_table_open(relid, AccessShareLock);
	read_cache(reading);
	reading->found = table_slot_create(call->rel, NULL);
	reading->for_each = AllocSetContextCreate(CurrentMemoryContext, "idgen row", ALLOCSET_DEFAULT_SIZES);
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
	}
	ExecDropSingleTupleTableSlot(reading->found);
	table_close(reading->call.rel, AccessShareLock);
	return (Datum) 0;
}

/*
 * What stands on a table that idgen writes for others, and must not run:
 * text[], or null.
 */
Datum
idgen_refused_code(PG_FUNCTION_ARGS)
{
	Oid id_sequences = idgen_table_oid(fcinfo->flinfo->fn_oid);
	Oid tables[] = {
		id_sequences,
		idgen_secrets_table(id_sequences),
		idgen_table_beside(id_sequences, "idgen_marks"),
	};
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
