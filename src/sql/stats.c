/*
 * stats.c
 *		Functions behind the views idgen_stats, idgen_cache and
 *		idgen_cache_totals.
 *
 * The views run with the rights of the role that reads them. The functions show
 * only id sequences that this role may draw from.
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
#include "catalog/epoch.h"
#include "catalog/native_sequence.h"
#include "catalog/privileges.h"
#include "catalog/row.h"
#include "catalog/table.h"
#include "session/handle.h"
#include "shmem/cache.h"
#include "sources/sources.h"

PG_FUNCTION_INFO_V1(idgen_entries);
PG_FUNCTION_INFO_V1(idgen_blocks);
PG_FUNCTION_INFO_V1(idgen_totals);
PG_FUNCTION_INFO_V1(idgen_stats_reset);

/* Whose cache is that, as column "cache" of the views says it? */
static const char *
cache_kind(bool shared)
{
	return shared ? "server" : "session";
}

/* Is this entry in the cache of all sessions? */
static bool
is_shared(const IdgenCacheKey *key)
{
	return idgen_cache_is_shared() && !key->temporary;
}

/* An entry of the cache that the current user may see. */
typedef struct Entry
{
	const IdgenCacheKey *key;
	const IdgenSource *source;
	TupleTableSlot *row; /* empty if there is none */
} Entry;

/*
 * Drop the ids of an entry that have become void: another session has changed
 * the row, or restarted the native sequence. Nobody tells a session's own
 * cache, so drawing looks for such changes first, and so does this.
 */
static void
drop_void_ids(const IdgenCacheKey *key)
{
	RelFileNumber file;

	if (is_shared(key))
		return;
	if (!OidIsValid(key->object))
		idgen_cache_check_table(key, idgen_table_epoch);
	else if ((file = idgen_native_file(key->object)) != InvalidRelFileNumber)
		idgen_cache_check_storage(key, file);
}

/* May the current user draw from the object that blocks come from? */
static bool
may_use_object(Oid object)
{
	bool is_missing = false;

	return pg_class_aclcheck_ext(object, GetUserId(), ACL_USAGE | ACL_UPDATE, &is_missing) == ACLCHECK_OK &&
		!is_missing;
}

/*
 * The source of an entry according to its row. NULL if the current user does
 * not see the row, or if the row names a source of another kind now: the cache
 * then has an entry that nobody draws from any more.
 */
static const IdgenSource *
source_of_row(const Entry *entry, Relation rel)
{
	const IdgenSource *source;
	bool cacheable;

	if (!idgen_row_visible(rel, entry->row, &cacheable))
		return NULL;
	source = idgen_source_find(TextDatumGetCString(idgen_row_attribute(entry->row, IDGEN_ATT_SOURCE)));
	if (source == NULL || source->has_object != OidIsValid(entry->key->object))
		return NULL;
	return source;
}

/*
 * Find the row of an entry, in the slot given, and its source. An id sequence
 * without a row is a native sequence. Returns false for an entry that the
 * current user may not see, or that is out of use.
 *
 * This reads the newest row, and serializable transactions do not remember that
 * it was read. So nobody's refill fails because somebody looks at the views
 * (rule T4).
 */
static bool
look_up_entry(Entry *entry, Relation rel)
{
	const IdgenCacheKey *key = entry->key;

	ExecClearTuple(entry->row);
	if (idgen_row_find(rel, key->name, strlen(key->name), IDGEN_SEARCH_SURE, entry->row))
		entry->source = source_of_row(entry, rel);
	else
		entry->source = OidIsValid(key->object) ? &idgen_source_sequence : NULL;

	return entry->source != NULL &&
		(!OidIsValid(key->object) || may_use_object(key->object));
}

/* Add the line of an entry: what the cache knows, and what the row says. */
static void
put_stats(ReturnSetInfo *rsinfo, const Entry *entry)
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
	IdgenCached cached;
	const IdgenCounters *counters = &cached.counters;
	const IdgenLost *lost = &counters->ids_lost;
	double percent_left = -1;
	Datum values[16 + lengthof(row_columns)];
	bool nulls[lengthof(values)] = {0};
	int i = 0;

	if (!idgen_cache_read(key, &cached))
		return;
	values[i++] = CStringGetTextDatum(key->name);
	values[i++] = CStringGetTextDatum(entry->source->name);
	nulls[i] = !OidIsValid(key->object);
	values[i++] = ObjectIdGetDatum(key->object);
	values[i++] = CStringGetTextDatum(cache_kind(is_shared(key)));
	values[i++] = Int64GetDatum(counters->ids_issued);
	values[i++] = Int64GetDatum(cached.ids_left);
	values[i++] = Int64GetDatum(idgen_lost_total(lost));
	values[i++] = Int64GetDatum(lost->changed);
	values[i++] = Int64GetDatum(lost->prepared);
	values[i++] = Int64GetDatum(lost->crowded);
	values[i++] = Int64GetDatum(counters->blocks_taken);
	values[i++] = Int64GetDatum(counters->refills);
	values[i++] = Int64GetDatum(counters->waits);
	nulls[i] = (counters->last_refill == 0);
	values[i++] = TimestampTzGetDatum(counters->last_refill);
	values[i++] = Int32GetDatum(cached.worker_blocks);
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
 * Add the blocks of an entry: those that any session may draw from
 * ("published"), and those that only this transaction may draw from
 * ("pending").
 */
static void
put_blocks(ReturnSetInfo *rsinfo, const Entry *entry)
{
	const IdgenCacheKey *key = entry->key;
	IdgenCached cached;
	IdgenHandle *handle;
	const IdgenRest *rest;

	if (!idgen_cache_read(key, &cached))
		return;
	for (int i = 0; i < cached.nblocks; i++)
		put_block(rsinfo, key, &cached.blocks[i], "published");

	handle = idgen_handle_find(key->relid, key->name, strlen(key->name));
	if (handle == NULL || handle->found.object != key->object)
		return;
	rest = &handle->pending.rest;
	if (rest->block.left > 0)
		put_block(rsinfo, key, &rest->block, "pending");
	for (int i = 0; i < rest->nmore; i++)
		put_block(rsinfo, key, &rest->more[i], "pending");
}

/* Call put() for each entry of the cache that the current user may see. */
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
		drop_void_ids(entry.key);
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

/* idgen_entries() returns setof record: what view idgen_stats is made of */
Datum
idgen_entries(PG_FUNCTION_ARGS)
{
	return put_entries(fcinfo, put_stats);
}

/* idgen_blocks() returns setof record: what view idgen_cache is made of */
Datum
idgen_blocks(PG_FUNCTION_ARGS)
{
	return put_entries(fcinfo, put_blocks);
}

/* idgen_totals() returns record: what view idgen_cache_totals shows */
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
	values[i++] = CStringGetTextDatum(cache_kind(idgen_cache_is_shared()));
	values[i++] = Int32GetDatum(totals.max_sequences);
	values[i++] = Int32GetDatum(totals.sequences);
	values[i++] = Int64GetDatum(totals.evictions);
	values[i++] = Int64GetDatum(totals.ids_evicted);
	values[i++] = Int64GetDatum(totals.ids_lost);
	values[i++] = Int64GetDatum(totals.ids_uncached);
	Assert(i == lengthof(values) && i == desc->natts);

	PG_RETURN_DATUM(HeapTupleGetDatum(heap_form_tuple(BlessTupleDesc(desc), values, nulls)));
}

/*
 * idgen_stats_reset() returns void: set the counters of all id sequences of
 * this database to zero.
 */
Datum
idgen_stats_reset(PG_FUNCTION_ARGS)
{
	idgen_cache_reset_counters(MyDatabaseId);
	PG_RETURN_VOID();
}
