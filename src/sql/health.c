/*
 * health.c
 *		Function idgen_conditions(), which view idgen_health is made of.
 *
 * The rows of id_sequences are read one after the other, and what the cache
 * knows is added. Nothing here waits for a lock that is not free soon, and no
 * other server is asked.
 *
 * Rows are shown in batches, each in a subtransaction. So a row that its
 * constraints and triggers have not checked, because the owner has switched
 * them off, does not keep the others from being shown: its error is the problem
 * that is shown with it.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "access/table.h"
#include "catalog/pg_class.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/inval.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/timestamp.h"

#include "catalog/epoch.h"
#include "catalog/native_look.h"
#include "catalog/privileges.h"
#include "catalog/row.h"
#include "catalog/row_scan.h"
#include "catalog/table.h"
#include "catalog/template.h"
#include "common/subxact.h"
#include "shmem/worker_registry.h"
#include "sources/sources.h"
#include "sql/drawing_defaults.h"
#include "sql/health.h"
#include "sql/refill_holder.h"

PG_FUNCTION_INFO_V1(idgen_conditions);

/* How many id sequences share a subtransaction. */
#define BATCH 100

/* A reading of the view, while it goes on. */
typedef struct Reading
{
	IdgenHealthView view;
	TupleTableSlot *row;    /* of what is being shown */
	TupleTableSlot *no_row; /* always empty */
	MemoryContext batch;    /* for the items, and what is found out of them */
	IdgenHealthItem items[BATCH];
	int nitems;
	int shown; /* of these */
} Reading;

static IdgenHealthWorker
look_at_worker(void)
{
	if (!idgen_cache_is_shared())
		return IDGEN_HEALTH_NO_WORKER;
	switch (idgen_registry_look(MyDatabaseId))
	{
		case IDGEN_WORKER_RUNNING:
			return IDGEN_HEALTH_WORKER_RUNNING;
		case IDGEN_WORKER_STARTING:
			return IDGEN_HEALTH_WORKER_STARTING;
		case IDGEN_WORKER_NONE:
			break;
	}
	return idgen_registry_refused() ? IDGEN_HEALTH_WORKER_NO_SLOT : IDGEN_HEALTH_WORKER_NOT_RUNNING;
}

static IdgenHealthView
begin_view(ReturnSetInfo *result, Oid relid)
{
	IdgenCacheTotals totals;

	idgen_cache_totals(&totals);
	return (IdgenHealthView){
		.result = result,
		.context = CurrentMemoryContext,
		.reader = idgen_may_monitor() ? IDGEN_READER_MONITORS : IDGEN_READER_DRAWS,
		.now = GetCurrentTimestamp(),
		.cache = idgen_health_cache_read(relid),
		.worker = look_at_worker(),
		.cache_thrashes = totals.thrashes,
	};
}

/*
 * Showing
 */

/* Show the items of the batch that have not been shown. */
static void
show_items(void *arg)
{
	Reading *reading = (Reading *) arg;

	for (; reading->shown < reading->nitems; reading->shown++)
	{
		const IdgenHealthItem *item = &reading->items[reading->shown];

		ExecClearTuple(reading->row);
		if (item->row != NULL)
			ExecForceStoreHeapTuple(item->row, reading->row, false);
		idgen_health_show(&reading->view, item, reading->row);
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
			idgen_health_show_broken(&reading->view, &reading->items[reading->shown++], error);
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

/* May the current user draw from a native sequence? */
static bool
may_use_sequence(const Reading *reading, Oid sequence)
{
	bool is_missing = false;

	return reading->view.reader == IDGEN_READER_MONITORS || !OidIsValid(sequence) ||
		(pg_class_aclcheck_ext(sequence, GetUserId(), ACL_USAGE | ACL_UPDATE, &is_missing) == ACLCHECK_OK &&
	     !is_missing);
}

/*
 * Add an item to the batch. The slot has its row, where that is in the table,
 * or is empty: whether the row is locked can be seen only there.
 */
static void
add_item(Reading *reading, IdgenHealthItem item, const IdgenSource *source, TupleTableSlot *row)
{
	MemoryContext before;

	if (source->has_object && !may_use_sequence(reading, item.sequence))
		return;
	if (reading->nitems == BATCH)
		show_batch(reading);
	before = MemoryContextSwitchTo(reading->batch);
	item.name = pstrdup(item.name);
	item.waits = idgen_refill_find_holder(reading->view.rel, row, source, item.sequence,
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
is_of_row(const IdgenHealthEntry *entry, const IdgenSource *source, const char *source_name)
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
add_row(Reading *reading, TupleTableSlot *row)
{
	IdgenHealthItem item = {.name = idgen_row_string(row, IDGEN_ATT_NAME)};
	const IdgenSource *source = source_of(row);
	const char *source_name = idgen_row_string(row, IDGEN_ATT_SOURCE_NAME);
	bool visible;
	bool cacheable;

	if (idgen_is_template_name(item.name, strlen(item.name)))
		return;
	visible = reading->view.reader == IDGEN_READER_MONITORS || idgen_row_visible(reading->view.rel, row, &cacheable);
	for (IdgenHealthEntry *entry = idgen_health_cache_find(&reading->view.cache, item.name); entry != NULL;
	     entry = entry->next)
	{
		entry->has_row = true;
		if (!visible || !is_of_row(entry, source, source_name))
			continue;
		item.entry = entry;
		item.sequence = entry->key.object;
		add_item(reading, item, source, row);
	}
	if (visible && item.entry == NULL)
	{
		if (source->has_object)
			item.sequence = source->look_up(item.name, source_name);
		add_item(reading, item, source, row);
	}
}

static void
add_rows(Reading *reading)
{
	IdgenRowScan scan = idgen_row_scan_begin(reading->view.rel);
	MemoryContext for_each = AllocSetContextCreate(CurrentMemoryContext, "idgen row", ALLOCSET_DEFAULT_SIZES);

	while (idgen_row_scan_next(&scan))
	{
		MemoryContext before = MemoryContextSwitchTo(for_each);

		add_row(reading, scan.row);
		MemoryContextSwitchTo(before);
		MemoryContextReset(for_each);
	}
	MemoryContextDelete(for_each);
	idgen_row_scan_end(&scan);
}

/* Add the native sequences that the cache knows, and that have no row. */
static void
add_natives(Reading *reading)
{
	TupleTableSlot *no_row = reading->no_row;
	IdgenNameEntry *name;
	name_table_iterator iter;

	name_table_start_iterate(reading->view.cache.by_name, &iter);
	while ((name = name_table_iterate(reading->view.cache.by_name, &iter)) != NULL)
	{
		for (IdgenHealthEntry *entry = (IdgenHealthEntry *) name->key; entry != NULL; entry = entry->next)
		{
			IdgenHealthItem item = {.name = entry->text, .entry = entry, .sequence = entry->key.object};

			if (OidIsValid(item.sequence) && !entry->has_row && idgen_native_is_named(item.sequence, item.name, NULL))
				add_item(reading, item, &idgen_source_sequence, no_row);
		}
	}
}

/*
 * idgen_conditions() returns setof record: what view idgen_health shows. Raises
 * 42501 unless the caller may read id_sequences, or is a member of pg_monitor.
 */
Datum
idgen_conditions(PG_FUNCTION_ARGS)
{
	Reading *reading = palloc0(sizeof(Reading));
	Oid relid;

	AcceptInvalidationMessages();
	relid = idgen_table_oid(fcinfo->flinfo->fn_oid);
	InitMaterializedSRF(fcinfo, 0);
	reading->view = begin_view((ReturnSetInfo *) fcinfo->resultinfo, relid);
	if (reading->view.reader != IDGEN_READER_MONITORS)
		idgen_check_select(relid);
	reading->view.rel = idgen_table_open(relid, AccessShareLock);
	idgen_defaults_look(RelationGetNamespace(reading->view.rel));
	reading->row = MakeSingleTupleTableSlot(RelationGetDescr(reading->view.rel), &TTSOpsHeapTuple);
	reading->no_row = MakeSingleTupleTableSlot(RelationGetDescr(reading->view.rel), &TTSOpsHeapTuple);
	reading->batch = AllocSetContextCreate(CurrentMemoryContext, "idgen health", ALLOCSET_DEFAULT_SIZES);
	add_rows(reading);
	add_natives(reading);
	show_batch(reading);
	if (!idgen_cache_is_shared())
		idgen_health_show_not_preloaded(&reading->view);
	ExecDropSingleTupleTableSlot(reading->row);
	ExecDropSingleTupleTableSlot(reading->no_row);
	table_close(reading->view.rel, AccessShareLock);
	return (Datum) 0;
}
