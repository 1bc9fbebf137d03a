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
#include "funcapi.h"
#include "miscadmin.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/timestamp.h"

#include "cache.h"
#include "definition.h"
#include "handle.h"
#include "row.h"
#include "sources.h"

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

/*
 * The source that an entry of the cache is for; NULL if the current user may not
 * know it, or it is out of use. Without a row, an id sequence is a native one, and
 * belongs to whoever may use that.
 */
static const IdgenSource *
source_of(const IdgenCacheKey *key)
{
	const IdgenSource *source = NULL;
	IdgenRow row;
	bool cacheable;
	bool is_missing = false;

	if (idgen_row_open(&row, key->relid, key->name, strlen(key->name), true))
	{
		if (idgen_row_visible(row.rel, row.slot, &cacheable))
			source = idgen_source_find(TextDatumGetCString(idgen_row_attribute(row.slot, IDGEN_ATT_SOURCE)));
		if (source != NULL && OidIsValid(key->object) != source->has_object)
			source = NULL;
	}
	else if (OidIsValid(key->object))
		source = &idgen_source_sequence;
	idgen_row_close(&row);

	if (source != NULL && OidIsValid(key->object) &&
	    (pg_class_aclcheck_ext(key->object, GetUserId(),
	                           ACL_USAGE | ACL_UPDATE, &is_missing) != ACLCHECK_OK ||
	     is_missing))
		source = NULL;
	return source;
}

/* Add what the cache knows of an id sequence. */
static void
put_entry(ReturnSetInfo *rsinfo, const IdgenCacheKey *key, const IdgenSource *source)
{
	IdgenSlot copy;
	const IdgenCounters *counters = &copy.counters;
	const IdgenLost *lost = &counters->ids_lost;
	double percent_left = -1;
	Datum values[16];
	bool nulls[16] = {0};
	int i = 0;

	if (!idgen_cache_read(key, &copy))
		return;
	values[i++] = CStringGetTextDatum(key->name);
	values[i++] = CStringGetTextDatum(source->name);
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
	if (OidIsValid(key->object) && source->percent_left)
		percent_left = source->percent_left(key->object);
	nulls[i] = (percent_left < 0);
	values[i++] = Float8GetDatum(percent_left);
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
put_blocks(ReturnSetInfo *rsinfo, const IdgenCacheKey *key, const IdgenSource *source)
{
	IdgenSlot copy;
	IdgenHandle *handle;
	const IdgenRest *rest;

	if (!idgen_cache_read(key, &copy))
		return;
	for (int i = 0; i < copy.nblocks; i++)
		put_block(rsinfo, key, &copy.blocks[i], "published");

	handle = idgen_handle_find(key->relid, key->name, strlen(key->name));
	if (handle == NULL || handle->object != key->object)
		return;
	rest = &handle->pending.rest;
	if (rest->block.left > 0)
		put_block(rsinfo, key, &rest->block, "pending");
	for (int i = 0; i < rest->nmore; i++)
		put_block(rsinfo, key, &rest->more[i], "pending");
}

/* Call put() for all entries of the cache that the current user may know of. */
static Datum
put_entries(FunctionCallInfo fcinfo,
            void (*put)(ReturnSetInfo *rsinfo, const IdgenCacheKey *key, const IdgenSource *source))
{
	Oid relid = idgen_table_oid(fcinfo->flinfo->fn_oid);
	ListCell *cell;

	InitMaterializedSRF(fcinfo, 0);
	idgen_check_select(relid);
	foreach(cell, idgen_cache_entries(relid))
	{
		const IdgenCacheKey *key = lfirst(cell);
		const IdgenSource *source = source_of(key);

		if (source != NULL)
			put((ReturnSetInfo *) fcinfo->resultinfo, key, source);
		CHECK_FOR_INTERRUPTS();
	}
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
