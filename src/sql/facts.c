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

#include "access/htup_details.h"
#include "access/table.h"
#include "catalog/pg_class.h"
#include "catalog/pg_foreign_server.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
#include "fmgr.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "utils/acl.h"
#include "utils/array.h"
#include "utils/inval.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/timestamp.h"

#include "catalog/definition.h"
#include "catalog/epoch.h"
#include "catalog/extent.h"
#include "catalog/native_look.h"
#include "catalog/owning_column.h"
#include "catalog/privileges.h"
#include "catalog/row.h"
#include "catalog/row_scan.h"
#include "catalog/table.h"
#include "catalog/template.h"
#include "common/guc.h"
#include "common/lock_holder.h"
#include "common/subxact.h"
#include "common/time_zone.h"
#include "node/lease.h"
#include "remote/foreign_server.h"
#include "shmem/kept_counters.h"
#include "shmem/other_servers.h"
#include "shmem/worker_registry.h"
#include "sources/sources.h"
#include "sources/went_back.h"
#include "sql/known_cache.h"
#include "sql/refill_holder.h"
#include "sql/view_line.h"

PG_FUNCTION_INFO_V1(idgen_facts);
PG_FUNCTION_INFO_V1(idgen_native_facts);

/* How many id sequences share a subtransaction. */
#define BATCH 100

/* An id sequence that is to be shown. */
typedef struct Shown
{
	const char *name;
	HeapTuple row;                /* NULL if there is none */
	const IdgenKnownEntry *entry; /* what the cache knows of it, or NULL */
	const IdgenSource *source;

	/*
	 * The native sequence that blocks come from; invalid if it is missing, or
	 * with another source.
	 */
	Oid sequence;

	/* The transaction that a refill waits for, if there is one. */
	bool waits;
	IdgenLockHolder holder;
} Shown;

/* A reading, while it goes on. */
typedef struct Reading
{
	ReturnSetInfo *result;
	Relation rel; /* id_sequences */
	Datum *names; /* of those that are shown, as texts; NULL for all */
	int nnames;
	bool monitor;        /* does the caller see all? */
	bool cache_thrashes; /* of the server */
	const char *worker;  /* of this database */
	IdgenKnownCache cache;
	TupleTableSlot *row;    /* of what is being shown */
	TupleTableSlot *no_row; /* always empty */
	MemoryContext batch;    /* for the items, and what is found out of them */
	Shown items[BATCH];
	int nitems;
	int shown; /* of these */
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

/*
 * Lines
 */

/* How far it has got, and how far it can get. */
static void
add_extent(IdgenViewLine *line, const IdgenExtent *extent)
{
	bool known = extent->is_known;

	idgen_view_add(line, Int32GetDatum(extent->step));
	idgen_view_add(line, Int64GetDatum(extent->first));
	idgen_view_add_unless(!known || !extent->any, line, Int64GetDatum(extent->last));
	idgen_view_add_unless(!known || extent->exhausted, line, Int64GetDatum(extent->next));
	idgen_view_add_unless(!known, line, BoolGetDatum(extent->exhausted));
	idgen_view_add_unless(extent->limited_by == NULL, line, Int64GetDatum(extent->limit));
	idgen_view_add_text(line, extent->limited_by);
	idgen_view_add_unless(!extent->cycles, line, Int64GetDatum(extent->cycle_end));
}

/*
 * Is the native sequence the one that its name leads to by this search_path?
 * The cache may know others of that name.
 */
static bool
is_found_now(const Shown *item, const char *source_name)
{
	return !OidIsValid(item->sequence) || item->entry == NULL ||
		item->source->look_up(item->name, source_name) == item->sequence;
}

/* What the row says, as far as the source does not judge it. */
static void
add_row(IdgenViewLine *line, TupleTableSlot *row, const IdgenDefinition *def)
{
	static const AttrNumber texts[] = {IDGEN_ATT_REFILL, IDGEN_ATT_FORMAT, IDGEN_ATT_TEMPLATE};
	bool isnull = true;
	Datum big_base = TTS_EMPTY(row) ? (Datum) 0 : slot_getattr(row, IDGEN_ATT_BIG_BASE, &isnull);

	for (size_t i = 0; i < lengthof(texts); i++)
		idgen_view_add_text(line, TTS_EMPTY(row) ? NULL : idgen_row_string(row, texts[i]));
	idgen_view_add_unless(isnull, line, big_base);
	idgen_view_add(line, BoolGetDatum(def->exhausted));
	idgen_view_add_unless(TTS_EMPTY(row), line, Int64GetDatum(def->next_block_start));
}

/* What the ids are composed of, and the greatest value that leaves room for. */
static void
add_layout(IdgenViewLine *line, const IdgenLayout *layout)
{
	bool composed = idgen_layout_is_composed(layout);

	idgen_view_add_text(line, layout->name);
	idgen_view_add_unless(!composed, line, Int64GetDatum(layout->values - 1));
}

/* The column that it belongs to. */
static void
add_owner(IdgenViewLine *line, TupleTableSlot *row)
{
	bool isnull = true;
	Datum owner = TTS_EMPTY(row) ? (Datum) 0 : slot_getattr(row, IDGEN_ATT_OWNED_BY, &isnull);

	idgen_view_add_unless(isnull, line, ObjectIdGetDatum(isnull ? InvalidOid : idgen_owning_table(DatumGetInt64(owner))));
	idgen_view_add_unless(isnull, line, Int16GetDatum(isnull ? 0 : idgen_owning_attnum(DatumGetInt64(owner))));
}

/* The child that a row with periods draws from now. */
static void
add_child(IdgenViewLine *line, const Shown *item, const IdgenDefinition *def)
{
	TimestampTz until;
	IdgenDay today;

	if (def->period == IDGEN_PERIOD_NONE)
	{
		idgen_view_add_text(line, NULL);
		return;
	}
	today = idgen_day_at(GetCurrentTransactionStartTimestamp(), IDGEN_PERIOD_NONE,
	                     def->zone != NULL ? def->zone : idgen_period_zone, &until);
	idgen_view_add_text(line, idgen_period_child(item->name, def->period, &today));
}

/*
 * How many ids the cache has, and the next one, in the order in which they are
 * issued.
 */
static void
add_cached(IdgenViewLine *line, const Shown *item, int step)
{
	const IdgenCached *cached = item->entry != NULL ? &item->entry->cached : NULL;
	bool any = false;
	int64 next = 0;

	for (int i = 0; cached != NULL && i < cached->nblocks; i++)
	{
		const IdgenBlock *block = &cached->blocks[i];

		if (block->left > 0 && (!any || (step > 0 ? block->next < next : block->next > next)))
			next = block->next;
		any = any || block->left > 0;
	}
	idgen_view_add(line, Int64GetDatum(cached != NULL ? cached->ids_left : 0));
	idgen_view_add_unless(!any, line, Int64GetDatum(next));
}

/*
 * What is counted: by the slot, or kept by the server for an id sequence that
 * has none.
 */
static void
add_counters(IdgenViewLine *line, const Reading *reading, const Shown *item)
{
	bool known = item->entry != NULL && item->entry->cached.place == IDGEN_IN_SLOT;
	IdgenCacheKey key;
	IdgenCounted counted = {0};

	if (known)
		counted = item->entry->cached.counted;
	else
	{
		idgen_cache_key(&key, RelationGetRelid(reading->rel), item->sequence, false, item->name, strlen(item->name));
		known = idgen_kept_read(&key, &counted);
	}
	idgen_view_add_unless(!known, line, Int64GetDatum(counted.counters.ids_issued));
	idgen_view_add_time(line, known ? counted.times.counted_since : 0);
}

/*
 * Why the worker's last attempt has failed, unless that concerns only calls
 * that want more consecutive ids than one. Of an id sequence that is exhausted,
 * more is known than that.
 */
static const char *
worker_failure(const Shown *item)
{
	const IdgenFailureNote *note = item->entry != NULL ? &item->entry->cached.failure : NULL;
	IdgenFailure failure;

	if (note == NULL || note->sqlerrcode == 0 || note->count > 1 ||
	    note->sqlerrcode == ERRCODE_SEQUENCE_GENERATOR_LIMIT_EXCEEDED)
		return NULL;
	if (note->in_pool == 0)
		return psprintf("SQLSTATE %s, see the server log", unpack_sql_state(note->sqlerrcode));
	idgen_failure_read(note, &failure);
	return pstrdup(failure.message);
}

static void
add_worker(IdgenViewLine *line, const Reading *reading, const Shown *item, IdgenRefillMode refill)
{
	const char *worker = refill == IDGEN_REFILL_TRANSACTION ? NULL : reading->worker;

	idgen_view_add_text(line, worker);
	idgen_view_add_text(line, worker != NULL ? worker_failure(item) : NULL);
}

/* How another server has gone back, and what to do then. */
static const char *
went_back(const Reading *reading, const Shown *item, Oid object)
{
	IdgenServer server = idgen_server_get(object);
	const char *name = idgen_server_remote_name(&server, item->name);
	IdgenBackNote note = idgen_mark_find_back(object, name);
	IdgenMark mark;

	if (note.how == IDGEN_NOT_BACK)
		return NULL;
	mark = idgen_mark_read(object, name);
	return psprintf("was seen on %s. %s %s", timestamptz_to_str(note.since), idgen_went_back_describe(&note, &mark),
	                idgen_went_back_hint(RelationGetRelid(reading->rel), note.how, server.name, item->name));
}

/*
 * Since when another server has not answered, and why. Of that, the first line
 * will do: libpq says more in further ones, for people at its terminal.
 */
static const char *
no_answer(Oid object)
{
	IdgenUnreachable found;

	if (!idgen_unreachable_find(object, &found))
		return NULL;
	return psprintf("since %s. Start it, or see what is in the way: %.*s", timestamptz_to_str(found.since),
	                (int) strcspn(found.reason, "\n"), found.reason);
}

static void
add_server(IdgenViewLine *line, const Reading *reading, const Shown *item, Oid object)
{
	bool server = item->source == &idgen_source_server && OidIsValid(object);

	idgen_view_add_text(line, server ? went_back(reading, item, object) : NULL);
	idgen_view_add_text(line, server ? no_answer(object) : NULL);
}

/* Why there is no node number, or soon will be none. */
static const char *
lease_problem(const IdgenLeaseReport *report)
{
	if (report->failing_since == 0)
		return NULL;
	if (!idgen_lease_is_good(&report->lease))
		return psprintf("This server has no node number: %s", report->reason);
	return psprintf("The lease of node number %d, which ends at %s, cannot be renewed: %s", report->lease.number,
	                timestamptz_to_str(report->lease.until), report->reason);
}

/* Why its ids cannot begin with the node number: there is none, or another. */
static void
add_node(IdgenViewLine *line, const IdgenLayout *layout)
{
	bool leased = idgen_node_id == IDGEN_NODE_LEASED;
	bool known = idgen_layout_is_composed(layout) && (!leased || idgen_lease_is_shared());
	int node = idgen_node_id;
	const char *problem = NULL;
	const char *misfit = NULL;
	IdgenLeaseReport report;

	if (known && leased)
	{
		idgen_lease_report(&report);
		problem = lease_problem(&report);
		known = idgen_lease_is_good(&report.lease);
		node = report.lease.number;
	}
	if (known && (node < IDGEN_LEAST_DIGIT || node > IDGEN_GREATEST_DIGIT))
		misfit = psprintf("The node number of this server, %d, does not fit layout %s, which takes %d to %d. %s",
		                  node, layout->name, IDGEN_LEAST_DIGIT, IDGEN_GREATEST_DIGIT,
		                  leased ? "Have the centre release one of these." : "Set idgen.node_id.");
	idgen_view_add_text(line, problem);
	idgen_view_add_text(line, misfit);
}

/* Which transaction a refill waits for, and for how long that has been open. */
static void
add_holder(IdgenViewLine *line, const Shown *item)
{
	TimestampTz began = item->waits ? idgen_lock_holder_began(&item->holder) : 0;

	idgen_view_add_unless(!item->waits, line, Int32GetDatum(item->holder.pid));
	idgen_view_add_unless(!item->waits, line, TransactionIdGetDatum(item->holder.xid));
	idgen_view_add_time(line, began);
}

/*
 * May the current user draw by what blocks come from, as far as that is there?
 * What a server says may name roles over there.
 */
static bool
may_use(const Reading *reading, const IdgenSource *source, Oid object)
{
	Oid user = GetUserId();
	bool is_missing = false;

	if (reading->monitor || !OidIsValid(object))
		return true;
	if (source == &idgen_source_server)
		return object_aclcheck(ForeignServerRelationId, object, user, ACL_USAGE) == ACLCHECK_OK;
	if (source == &idgen_source_function)
		return object_aclcheck(ProcedureRelationId, object, user, ACL_EXECUTE) == ACLCHECK_OK;
	return pg_class_aclcheck_ext(object, user, ACL_USAGE | ACL_UPDATE, &is_missing) == ACLCHECK_OK && !is_missing;
}

/* Show an id sequence; the row of the reading is its, or is empty. */
static void
show(Reading *reading, const Shown *item)
{
	TupleTableSlot *row = reading->row;
	const IdgenSource *source = item->source;
	IdgenDefinition def = {.refill = IDGEN_REFILL_TRANSACTION, .layout = &idgen_layout_plain};
	IdgenExtent extent = {.step = 1};
	IdgenViewLine line = {.n = 0};
	Oid object = item->sequence;

	if (TTS_EMPTY(row))
		idgen_extent_add_native(&extent, item->sequence, &idgen_no_pool);
	else
	{
		idgen_definition_from_row(row, item->name, &def);
		if (source->look_up != NULL && !source->has_object)
			object = source->look_up(item->name, def.source_name);
		idgen_extent_of_row(row, item->sequence, &extent);
	}

	idgen_view_add_text(&line, item->name);
	idgen_view_add_text(&line, NULL);
	idgen_view_add_text(&line, source->name);
	idgen_view_add_unless(!OidIsValid(item->sequence), &line, ObjectIdGetDatum(item->sequence));
	idgen_view_add(&line, BoolGetDatum(is_found_now(item, def.source_name)));
	idgen_view_add_text(&line, source->look_up != NULL ? source->title(object, item->name, def.source_name) : NULL);
	idgen_view_add(&line, BoolGetDatum(source->look_up != NULL && !OidIsValid(object)));
	idgen_view_add(&line, BoolGetDatum(may_use(reading, source, object)));
	add_row(&line, row, &def);
	add_layout(&line, def.layout);
	add_owner(&line, row);
	add_child(&line, item, &def);
	add_extent(&line, &extent);
	add_cached(&line, item, extent.step);
	add_counters(&line, reading, item);
	add_worker(&line, reading, item, def.refill);
	add_server(&line, reading, item, object);
	add_node(&line, def.layout);
	add_holder(&line, item);
	idgen_view_add(&line, BoolGetDatum(reading->cache_thrashes && item->entry != NULL));
	idgen_view_put(reading->result, &line);
}

/* Show one whose row cannot be read: the error says why. */
static void
show_broken(Reading *reading, const Shown *item, const ErrorData *error)
{
	IdgenViewLine line = {.n = 0};

	idgen_view_add_text(&line, item->name);
	idgen_view_add_text(&line, error->message);
	while (line.n < reading->result->setDesc->natts)
		idgen_view_add_unless(true, &line, (Datum) 0);
	idgen_view_put(reading->result, &line);
}

/* Show the items of the batch that have not been shown. */
static void
show_items(void *arg)
{
	Reading *reading = (Reading *) arg;

	for (; reading->shown < reading->nitems; reading->shown++)
	{
		const Shown *item = &reading->items[reading->shown];

		ExecClearTuple(reading->row);
		if (item->row != NULL)
			ExecForceStoreHeapTuple(item->row, reading->row, false);
		show(reading, item);
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

	while (reading->shown < reading->nitems)
	{
		ErrorData *error = idgen_try(show_items, reading, IDGEN_TRY_ANY);

		if (error == NULL)
			break;
		if (error->sqlerrcode == ERRCODE_QUERY_CANCELED || error->sqlerrcode == ERRCODE_OUT_OF_MEMORY)
			idgen_rethrow(error);
		if (failed == reading->shown)
			show_broken(reading, &reading->items[reading->shown++], error);
		else
			failed = reading->shown;
		AcceptInvalidationMessages();
	}
	ExecClearTuple(reading->row);
	reading->nitems = reading->shown = 0;
	MemoryContextSwitchTo(before);
	MemoryContextReset(reading->batch);
	CHECK_FOR_INTERRUPTS();
}

/*
 * Which id sequences are shown
 */

/*
 * Add an item to the batch. The slot has its row, where that is in the table,
 * or is empty: whether the row is locked can be seen only there.
 */
static void
add_item(Reading *reading, Shown item, TupleTableSlot *row)
{
	MemoryContext before;

	if (reading->nitems == BATCH)
		show_batch(reading);
	before = MemoryContextSwitchTo(reading->batch);
	item.name = pstrdup(item.name);
	item.waits = idgen_refill_find_holder(reading->rel, row, item.source, item.sequence,
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

/* Is an entry of the cache of the native sequence, or none, that a row says? */
static bool
is_of_row(const IdgenKnownEntry *entry, const IdgenSource *source, const char *source_name)
{
	Oid sequence = entry->key.object;

	if (!source->has_object || !OidIsValid(sequence))
		return source->has_object == OidIsValid(sequence);
	return idgen_native_is_named(sequence, entry->text, source_name);
}

/*
 * Add the id sequence of a row: more than once, if its name has led to
 * different native sequences by different search_paths. Templates issue no ids.
 */
static void
read_row(Reading *reading, TupleTableSlot *row)
{
	const char *source_name = idgen_row_string(row, IDGEN_ATT_SOURCE_NAME);
	Shown item = {.name = idgen_row_string(row, IDGEN_ATT_NAME), .source = source_of(row)};
	bool visible;
	bool cacheable;

	if (idgen_is_template_name(item.name, strlen(item.name)))
		return;
	visible = reading->monitor || idgen_row_visible(reading->rel, row, &cacheable);
	for (IdgenKnownEntry *entry = idgen_known_find(&reading->cache, item.name); entry != NULL; entry = entry->next)
	{
		entry->has_row = true;
		if (!visible || !is_of_row(entry, item.source, source_name))
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
add_rows(Reading *reading)
{
	IdgenRowScan scan = idgen_row_scan_begin(reading->rel);
	MemoryContext for_each = AllocSetContextCreate(CurrentMemoryContext, "idgen row", ALLOCSET_DEFAULT_SIZES);

	while (idgen_row_scan_next(&scan))
	{
		MemoryContext before = MemoryContextSwitchTo(for_each);

		read_row(reading, scan.row);
		MemoryContextSwitchTo(before);
		MemoryContextReset(for_each);
	}
	MemoryContextDelete(for_each);
	idgen_row_scan_end(&scan);
}

/* Add the rows of those names. */
static void
add_named_rows(Reading *reading)
{
	TupleTableSlot *row = table_slot_create(reading->rel, NULL);

	for (int i = 0; i < reading->nnames; i++)
	{
		const char *name = TextDatumGetCString(reading->names[i]);

		if (idgen_row_find(reading->rel, name, strlen(name), IDGEN_SEARCH_SURE, row))
			read_row(reading, row);
	}
	ExecDropSingleTupleTableSlot(row);
}

/* Is the name one of those that are shown? */
static bool
is_shown(const Reading *reading, const char *name)
{
	for (int i = 0; i < reading->nnames; i++)
		if (strcmp(TextDatumGetCString(reading->names[i]), name) == 0)
			return true;
	return reading->names == NULL;
}

/* Add the native sequences that the cache knows, and that have no row. */
static void
add_natives(Reading *reading)
{
	IdgenNameEntry *name;
	name_table_iterator iter;

	name_table_start_iterate(reading->cache.by_name, &iter);
	while ((name = name_table_iterate(reading->cache.by_name, &iter)) != NULL)
	{
		for (IdgenKnownEntry *entry = (IdgenKnownEntry *) name->key; entry != NULL; entry = entry->next)
		{
			Shown item = {
				.name = entry->text,
				.entry = entry,
				.source = &idgen_source_sequence,
				.sequence = entry->key.object,
			};

			if (OidIsValid(item.sequence) && !entry->has_row && is_shown(reading, item.name) &&
			    idgen_native_is_named(item.sequence, item.name, NULL))
				add_item(reading, item, reading->no_row);
		}
	}
}

/*
 * idgen_facts(names text[], required boolean) returns setof record: what is
 * known of the id sequences of those names, or of all, that the caller may draw
 * from; of all of them to members of pg_monitor. Without any right to look, it
 * returns none or, if they are required, raises 42501.
 */
Datum
idgen_facts(PG_FUNCTION_ARGS)
{
	Reading *reading = palloc0(sizeof(Reading));
	IdgenCacheTotals totals;
	Oid relid;

	AcceptInvalidationMessages();
	relid = idgen_table_oid(fcinfo->flinfo->fn_oid);
	InitMaterializedSRF(fcinfo, MAT_SRF_USE_EXPECTED_DESC);
	reading->monitor = idgen_may_monitor();
	if (!reading->monitor && !PG_ARGISNULL(1) && PG_GETARG_BOOL(1))
		idgen_check_select(relid);
	if (!reading->monitor && pg_class_aclcheck(relid, GetUserId(), ACL_SELECT) != ACLCHECK_OK)
		return (Datum) 0;
	idgen_cache_totals(&totals);
	reading->result = (ReturnSetInfo *) fcinfo->resultinfo;
	if (!PG_ARGISNULL(0))
		deconstruct_array(PG_GETARG_ARRAYTYPE_P(0), TEXTOID, -1, false, TYPALIGN_INT, &reading->names, NULL, &reading->nnames);
	reading->cache_thrashes = totals.thrashes;
	reading->worker = look_at_worker();
	reading->cache = idgen_known_read(relid);
	reading->rel = idgen_table_open(relid, AccessShareLock);
	reading->row = MakeSingleTupleTableSlot(RelationGetDescr(reading->rel), &TTSOpsHeapTuple);
	reading->no_row = MakeSingleTupleTableSlot(RelationGetDescr(reading->rel), &TTSOpsHeapTuple);
	reading->batch = AllocSetContextCreate(CurrentMemoryContext, "idgen facts", ALLOCSET_DEFAULT_SIZES);
	if (reading->names != NULL)
		add_named_rows(reading);
	else
		add_rows(reading);
	add_natives(reading);
	show_batch(reading);
	ExecDropSingleTupleTableSlot(reading->row);
	ExecDropSingleTupleTableSlot(reading->no_row);
	table_close(reading->rel, AccessShareLock);
	return (Datum) 0;
}

/*
 * idgen_native_facts(sequence oid) returns record: the same of a native
 * sequence from which nextval() draws, to those who may know
 */
Datum
idgen_native_facts(PG_FUNCTION_ARGS)
{
	IdgenExtent extent;
	IdgenViewLine line = {.n = 0};

	InitMaterializedSRF(fcinfo, MAT_SRF_USE_EXPECTED_DESC);
	idgen_extent_of_native(PG_GETARG_OID(0), &extent);
	add_extent(&line, &extent);
	idgen_view_put((ReturnSetInfo *) fcinfo->resultinfo, &line);
	return (Datum) 0;
}
