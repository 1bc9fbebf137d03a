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
#include "utils/lsyscache.h"
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
#include "session/handle_table.h"
#include "shmem/desk.h"
#include "sql/facts.h"

PG_FUNCTION_INFO_V1(idgen_facts);
PG_FUNCTION_INFO_V1(idgen_refused_code);

/* All entries of a name. */
typedef struct KnownName
{
	uint8 digest[IDGEN_DIGEST_BYTES]; /* must be first */
	IdgenKnownEntry *first;
} KnownName;

/* A reading, while it goes on. */
typedef struct Reading
{
	IdgenFactsCall call;
	bool by_cache;          /* is what the cache knows shown, whatever its names mean now? */
	bool all;               /* all of that? */
	HTAB *by_name;          /* what it knows: of KnownName */
	TupleTableSlot *found;  /* the row that has been found */
	MemoryContext for_each; /* for what is found out of it, or of a name */
} Reading;

/*
 * What the cache knows
 */

/* The entries of a name: the first one, or NULL if there is none. */
static IdgenKnownEntry *
known_by_name(const Reading *reading, const char *name)
{
	uint8 digest[IDGEN_DIGEST_BYTES];
	const KnownName *found;

	idgen_cache_digest(name, strlen(name), digest);
	found = hash_search(reading->by_name, digest, HASH_FIND, NULL);
	return found != NULL ? found->first : NULL;
}

/*
 * Note what a slot holds. One that is met twice has got another key meanwhile:
 * the second time counts.
 */
static void
note_slot(Reading *reading, const IdgenSlot *slot, bool shared)
{
	bool found;
	KnownName *name = hash_search(reading->by_name, slot->key.name, HASH_ENTER, &found);
	IdgenKnownEntry *entry;

	if (!found)
		name->first = NULL;
	for (entry = name->first; entry != NULL; entry = entry->next)
		if (memcmp(&entry->slot.key, &slot->key, sizeof(IdgenCacheKey)) == 0)
			break;
	if (entry == NULL)
	{
		entry = palloc0(sizeof(IdgenKnownEntry));
		entry->next = name->first;
		name->first = entry;
	}
	entry->slot = *slot;
	entry->shared = shared;
}

/* Note what a handle's own slot holds, if it has one. */
static void
note_own_slot(IdgenHandle *handle, void *arg)
{
	Reading *reading = (Reading *) arg;
	IdgenSlot slot;

	if (handle->relid == RelationGetRelid(reading->call.rel) && idgen_handle_read_own(handle, &slot))
		note_slot(reading, &slot, false);
}

/* Read all of it, into the current memory context. */
static void
read_cache(Reading *reading)
{
	HASHCTL info = {
		.keysize = IDGEN_DIGEST_BYTES,
		.entrysize = sizeof(KnownName),
		.hcxt = CurrentMemoryContext,
	};
	int next = 0;
	IdgenSlot slot;

	reading->by_name = hash_create("idgen names", 1024, &info, HASH_ELEM | HASH_BLOBS | HASH_CONTEXT);
	while (idgen_cache_copy_next(&next, MyDatabaseId, &slot))
	{
		if (slot.key.relid == RelationGetRelid(reading->call.rel))
			note_slot(reading, &slot, true);
		CHECK_FOR_INTERRUPTS();
	}
	idgen_handles_visit(note_own_slot, reading);
}

/* The state of the worker of this database; NULL if there can be none. */
static const char *
look_at_worker(void)
{
	if (!idgen_cache_is_shared())
		return NULL;
	switch (idgen_desk_worker(MyDatabaseId))
	{
		case IDGEN_WORKER_RUNNING:
			return "running";
		case IDGEN_WORKER_STARTING:
			return "starting";
		case IDGEN_WORKER_NONE:
			break;
	}
	return idgen_desk_refused() ? "no slot" : "not running";
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
 * Is an entry of the cache of the native sequence, or none, that a row says?
 * The sequence may have been renamed or moved, and is the session's that drew
 * from it still.
 */
static bool
is_of_row(const Reading *reading, const IdgenKnownEntry *entry, const char *name, const IdgenSource *source,
          const char *source_name)
{
	Oid object = entry->slot.key.object;

	if (!source->has_object || !OidIsValid(object))
		return source->has_object == OidIsValid(object);
	if (reading->by_cache)
		return SearchSysCacheExists1(RELOID, ObjectIdGetDatum(object));
	return idgen_native_is_named(object, name, source_name);
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
		if (!visible || !is_of_row(reading, entry, item.name, item.source, source_name))
			continue;
		item.entry = entry;
		item.sequence = entry->slot.key.object;
		show(&item);
	}
	if (visible && item.entry == NULL && !(reading->by_cache && reading->all))
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

/*
 * The name by which an id sequence without a row was drawn from, which is that
 * of its native sequence without "_seq", in one of the ways to write that. NULL
 * if the sequence is gone, or has got another name.
 */
static const char *
name_of_native(const IdgenKnownEntry *entry)
{
	Oid object = entry->slot.key.object;
	char *base = get_rel_name(object);
	char *schema = get_namespace_name(get_rel_namespace(object));
	const char *names[4];

	if (base == NULL || schema == NULL || strlen(base) < strlen("_seq"))
		return NULL;
	base[strlen(base) - strlen("_seq")] = '\0';
	names[0] = base;
	names[1] = quote_identifier(base);
	names[2] = psprintf("%s.%s", schema, base);
	names[3] = quote_qualified_identifier(schema, base);
	for (int i = 0; i < (int) lengthof(names); i++)
	{
		uint8 digest[IDGEN_DIGEST_BYTES];

		idgen_cache_digest(names[i], strlen(names[i]), digest);
		if (memcmp(digest, entry->slot.key.name, IDGEN_DIGEST_BYTES) == 0 &&
		    idgen_native_is_named(object, names[i], NULL))
			return names[i];
	}
	return NULL;
}

/*
 * Add the native sequences of a name that the cache knows, and that have no
 * row. The name is NULL if it is to be found out.
 */
static void
add_natives(Reading *reading, IdgenKnownEntry *entry, const char *name)
{
	MemoryContext before = MemoryContextSwitchTo(reading->for_each);

	for (; entry != NULL; entry = entry->next)
	{
		IdgenShown item = {
			.call = &reading->call,
			.row = reading->found,
			.entry = entry,
			.source = &idgen_source_sequence,
			.sequence = entry->slot.key.object,
		};

		if (!OidIsValid(item.sequence) || entry->has_row)
			continue;
		item.name = name != NULL && idgen_native_is_named(item.sequence, name, NULL) ? name : name_of_native(entry);
		if (item.name != NULL)
			show(&item);
	}
	MemoryContextSwitchTo(before);
	MemoryContextReset(reading->for_each);
}

/*
 * Add what the cache knows and has no row. (If only what the cache knows is
 * shown, a row that it does not know has been passed over.)
 */
static void
add_cached(Reading *reading)
{
	HASH_SEQ_STATUS status;
	KnownName *name;

	hash_seq_init(&status, reading->by_name);
	while ((name = hash_seq_search(&status)) != NULL)
		add_natives(reading, name->first, NULL);
}

/* Add the row of that name, if there is one. */
static void
add_named_row(Reading *reading, const char *name)
{
	if (idgen_row_find(reading->call.rel, name, strlen(name), reading->found))
		read_row(reading, reading->found);
	ExecClearTuple(reading->found);
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
		add_natives(reading, known_by_name(reading, name), name);
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
	reading->all = PG_ARGISNULL(0);
	if (reading->call.monitor || reading->call.selects)
	{
		if (!PG_ARGISNULL(0))
			add_names(reading, PG_GETARG_ARRAYTYPE_P(0));
		else
		{
			if (!reading->by_cache || hash_get_num_entries(reading->by_name) > 0)
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
