/*
 * stats.c
 *		Functions behind the views idgen_stats, idgen_cache and
 *		idgen_cache_totals.
 *
 * The views run with the rights of whoever reads them, and the functions show
 * only what that role may draw from.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "access/table.h"
#include "access/tableam.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/inval.h"
#include "utils/memutils.h"
#include "utils/timestamp.h"

#include "catalog/definition.h"
#include "catalog/native_sequence.h"
#include "catalog/row.h"
#include "session/handle.h"
#include "shmem/cache.h"
#include "sources/sources.h"

PG_FUNCTION_INFO_V1(idgen_entries);
PG_FUNCTION_INFO_V1(idgen_blocks);
PG_FUNCTION_INFO_V1(idgen_totals);
PG_FUNCTION_INFO_V1(idgen_stats_reset);

/* Which cache is an entry in? Without a key: which one do totals speak of? */
static const char *
cache_kind(const IdgenCacheKey *key)
{
	return idgen_cache_is_shared() && (key == NULL || !key->temporary) ? "server" : "session";
}

/* An entry of the cache that the current user may know of. */
typedef struct Entry
{
	const IdgenCacheKey *key;
	const IdgenSource *source;
	TupleTableSlot *row; /* empty if there is none */
} Entry;

/*
 * Drop what is void because another session has changed the row, or restarted the
 * native sequence: a session's own cache is not told, so it looks before it draws.
 */
static void
look_as_draw_does(const IdgenCacheKey *key)
{
	RelFileNumber file;

	if (idgen_cache_is_shared() && !key->temporary)
		return;
	if (!OidIsValid(key->object))
		idgen_cache_check_table(key, idgen_table_epoch);
	else if ((file = idgen_native_file(key->object)) != InvalidRelFileNumber)
		idgen_cache_check_storage(key, file);
}

/*
 * Find the row of an entry of the cache, in the slot given, and its source. Without
 * a row, an id sequence is a native one, and belongs to whoever may use that. Returns
 * false if the current user may not know of it, or it is out of use.
 *
 * The row is the newest one, and serializable transactions do not remember
 * that it was read: looking at the views makes no refill fail (rule T4).
 */
static bool
look_up_entry(Entry *entry, Relation rel)
{
	const IdgenCacheKey *key = entry->key;
	bool cacheable;
	bool is_missing = false;

	ExecClearTuple(entry->row);
	entry->source = NULL;
	if (idgen_row_find(rel, key->name, strlen(key->name), true, entry->row))
	{
		if (idgen_row_visible(rel, entry->row, &cacheable))
			entry->source = idgen_source_find(TextDatumGetCString(idgen_row_attribute(entry->row, IDGEN_ATT_SOURCE)));
		if (entry->source != NULL && OidIsValid(key->object) != entry->source->has_object)
			entry->source = NULL;
	}
	else if (OidIsValid(key->object))
		entry->source = &idgen_source_sequence;

	return entry->source != NULL &&
		(!OidIsValid(key->object) ||
	     (pg_class_aclcheck_ext(key->object, GetUserId(), ACL_USAGE | ACL_UPDATE, &is_missing) == ACLCHECK_OK &&
	      !is_missing));
}

/* Add what the cache knows of an id sequence, and what its row says. */
static void
put_entry(ReturnSetInfo *rsinfo, const Entry *entry)
{
	static const AttrNumber row_columns[] = {
		IDGEN_ATT_SOURCE_NAME,
		IDGEN_ATT_REFILL,
		IDGEN_ATT_NEXT_BLOCK_START,
		IDGEN_ATT_EXHAUSTED,
		IDGEN_ATT_MAX_VALUE,
		IDGEN_ATT_START_VALUE,
	};
	const IdgenCacheKey *key = entry->key;
	IdgenSlot copy;
	const IdgenCounters *counters = &copy.counters;
	const IdgenLost *lost = &counters->ids_lost;
	double percent_left = -1;
	Datum values[16 + lengthof(row_columns)];
	bool nulls[lengthof(values)] = {0};
	int i = 0;

	if (!idgen_cache_read(key, &copy))
		return;
	values[i++] = CStringGetTextDatum(key->name);
	values[i++] = CStringGetTextDatum(entry->source->name);
	nulls[i] = !OidIsValid(key->object);
	values[i++] = ObjectIdGetDatum(key->object);
	values[i++] = CStringGetTextDatum(cache_kind(key));
	values[i++] = Int64GetDatum(counters->ids_issued);
	values[i++] = Int64GetDatum(copy.ids_left);
	values[i++] = Int64GetDatum(idgen_lost_total(lost));
	values[i++] = Int64GetDatum(lost->changed);
	values[i++] = Int64GetDatum(lost->prepared);
	values[i++] = Int64GetDatum(lost->crowded);
	values[i++] = Int64GetDatum(counters->blocks_taken);
	values[i++] = Int64GetDatum(counters->refills);
	values[i++] = Int64GetDatum(counters->waits);
	nulls[i] = (counters->last_refill == 0);
	values[i++] = TimestampTzGetDatum(counters->last_refill);
	values[i++] = Int32GetDatum(copy.prefetch_blocks);
	if (OidIsValid(key->object) && entry->source->percent_left)
		percent_left = entry->source->percent_left(key->object);
	nulls[i] = (percent_left < 0);
	values[i++] = Float8GetDatum(percent_left);
	for (size_t c = 0; c < lengthof(row_columns); c++, i++)
	{
		if (TTS_EMPTY(entry->row))
			nulls[i] = true;
		else
			values[i] = slot_getattr(entry->row, row_columns[c], &nulls[i]);
	}
	Assert(i == lengthof(values) && i == rsinfo->setDesc->natts);
	tuplestore_putvalues(rsinfo->setResult, rsinfo->setDesc, values, nulls);
}

static void
put_block(ReturnSetInfo *rsinfo, const IdgenCacheKey *key, const IdgenBlock *block,
          const char *state)
{
	Datum values[5] = {
		CStringGetTextDatum(key->name),
		ObjectIdGetDatum(key->object),
		Int64GetDatum(block->next),
		Int64GetDatum(idgen_block_last(block)),
		CStringGetTextDatum(state),
	};
	bool nulls[5] = {false, !OidIsValid(key->object)};

	tuplestore_putvalues(rsinfo->setResult, rsinfo->setDesc, values, nulls);
}

/*
 * Add the blocks of an id sequence: those that any session may draw from
 * ("published"), and those that this transaction may ("pending").
 */
static void
put_blocks(ReturnSetInfo *rsinfo, const Entry *entry)
{
	const IdgenCacheKey *key = entry->key;
	IdgenSlot copy;
	IdgenHandle *handle;
	const IdgenRest *rest;

	if (!idgen_cache_read(key, &copy))
		return;
	for (int i = 0; i < copy.nblocks; i++)
		put_block(rsinfo, key, &copy.blocks[i], "published");

	handle = idgen_handle_find(key->relid, key->name, strlen(key->name));
	if (handle == NULL || handle->found.object != key->object)
		return;
	rest = &handle->pending.rest;
	if (rest->block.left > 0)
		put_block(rsinfo, key, &rest->block, "pending");
	for (int i = 0; i < rest->nmore; i++)
		put_block(rsinfo, key, &rest->more[i], "pending");
}

/* Call put() for all entries of the cache that the current user may know of. */
static Datum
put_entries(FunctionCallInfo fcinfo, void (*put)(ReturnSetInfo *rsinfo, const Entry *entry))
{
	Oid relid;
	MemoryContext for_each;
	MemoryContext before;
	Relation rel;
	Entry entry;
	ListCell *cell;

	AcceptInvalidationMessages();
	relid = idgen_table_oid(fcinfo->flinfo->fn_oid);
	InitMaterializedSRF(fcinfo, 0);
	idgen_check_select(relid);
	rel = idgen_table_open(relid, AccessShareLock);
	entry.row = table_slot_create(rel, NULL);
	for_each = AllocSetContextCreate(CurrentMemoryContext, "idgen entry", ALLOCSET_DEFAULT_SIZES);
	foreach(cell, idgen_cache_entries(relid))
	{
		entry.key = lfirst(cell);
		before = MemoryContextSwitchTo(for_each);
		look_as_draw_does(entry.key);
		if (look_up_entry(&entry, rel))
			put((ReturnSetInfo *) fcinfo->resultinfo, &entry);
		MemoryContextSwitchTo(before);
		MemoryContextReset(for_each);
		CHECK_FOR_INTERRUPTS();
	}
	MemoryContextDelete(for_each);
	ExecDropSingleTupleTableSlot(entry.row);
	table_close(rel, AccessShareLock);
	return (Datum) 0;
}

/* idgen_entries(): what view idgen_stats is made of */
Datum
idgen_entries(PG_FUNCTION_ARGS)
{
	return put_entries(fcinfo, put_entry);
}

/* idgen_blocks(): what view idgen_cache is made of */
Datum
idgen_blocks(PG_FUNCTION_ARGS)
{
	return put_entries(fcinfo, put_blocks);
}

/* idgen_totals(): one row about the whole cache */
Datum
idgen_totals(PG_FUNCTION_ARGS)
{
	IdgenCacheTotals totals;
	TupleDesc desc;
	Datum values[7];
	bool nulls[7] = {0};
	int i = 0;

	if (get_call_result_type(fcinfo, NULL, &desc) != TYPEFUNC_COMPOSITE)
		elog(ERROR, "return type must be a row type");

	idgen_cache_totals(&totals);
	values[i++] = CStringGetTextDatum(cache_kind(NULL));
	values[i++] = Int32GetDatum(totals.max_sequences);
	values[i++] = Int32GetDatum(totals.sequences);
	values[i++] = Int64GetDatum(totals.evictions);
	values[i++] = Int64GetDatum(totals.ids_evicted);
	values[i++] = Int64GetDatum(totals.ids_lost);
	values[i++] = Int64GetDatum(totals.ids_uncached);
	Assert(i == lengthof(values) && i == desc->natts);

	PG_RETURN_DATUM(HeapTupleGetDatum(heap_form_tuple(BlessTupleDesc(desc), values, nulls)));
}

/* idgen_stats_reset(): counters of this database's id sequences to zero */
Datum
idgen_stats_reset(PG_FUNCTION_ARGS)
{
	idgen_cache_reset_counters(MyDatabaseId);
	PG_RETURN_VOID();
}
