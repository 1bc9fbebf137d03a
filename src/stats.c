/*
 * stats.c
 *		Functions behind the views idgen_stats, idgen_cache and
 *		idgen_cache_totals.
 *
 * The views join id_sequences with what is known of each name, and run with
 * the rights of whoever reads them, so privileges and row security hold
 * without further ado. The functions can also be called directly, and
 * therefore ask again.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/timestamp.h"

#include "cache.h"
#include "definition.h"
#include "handle.h"
#include "row.h"

PG_FUNCTION_INFO_V1(idgen_stats_of);
PG_FUNCTION_INFO_V1(idgen_blocks_of);
PG_FUNCTION_INFO_V1(idgen_totals);
PG_FUNCTION_INFO_V1(idgen_stats_reset);

static const char *
cache_kind(void)
{
	return idgen_cache_is_shared() ? "server" : "session";
}

/* Is there a row of that name that the current user may see? */
static bool
row_is_visible(Oid relid, text *name)
{
	IdgenRow row;
	bool cacheable;
	bool visible;

	visible = idgen_row_open(&row, relid, VARDATA_ANY(name), VARSIZE_ANY_EXHDR(name), true) &&
		idgen_row_visible(row.rel, row.slot, &cacheable);
	idgen_row_close(&row);
	return visible;
}

/*
 * Copy what the cache knows of a name; false if it knows nothing or the
 * current user may not see the row. Raises 42501 without SELECT on the table.
 */
static bool
read_cache(Oid relid, text *name, IdgenSlot *copy)
{
	int len = VARSIZE_ANY_EXHDR(name);
	IdgenCacheKey key;

	idgen_check_select(relid);
	if (len >= IDGEN_NAME_BYTES)
		return false;
	idgen_cache_key(&key, relid, VARDATA_ANY(name), len);
	return idgen_cache_read(&key, copy) && row_is_visible(relid, name);
}

/* idgen_stats_of(name text): one row; NULL if the cache does not know it */
Datum
idgen_stats_of(PG_FUNCTION_ARGS)
{
	text *name = PG_GETARG_TEXT_PP(0);
	IdgenSlot copy;
	const IdgenCounters *counters = &copy.counters;
	const IdgenLost *lost = &counters->ids_lost;
	TupleDesc desc;
	Datum values[11];
	bool nulls[11] = {0};
	int i = 0;

	if (!read_cache(idgen_table_oid(fcinfo->flinfo->fn_oid), name, &copy))
		PG_RETURN_NULL();
	if (get_call_result_type(fcinfo, NULL, &desc) != TYPEFUNC_COMPOSITE)
		elog(ERROR, "return type must be a row type");

	values[i++] = CStringGetTextDatum(cache_kind());
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
	Assert(i == lengthof(values) && i == desc->natts);

	PG_RETURN_DATUM(HeapTupleGetDatum(heap_form_tuple(BlessTupleDesc(desc), values, nulls)));
}

static void
put_block(ReturnSetInfo *rsinfo, const IdgenBlock *block, const char *state)
{
	Datum values[3] = {
		Int64GetDatum(block->next),
		Int64GetDatum(idgen_block_last(block)),
		CStringGetTextDatum(state),
	};
	bool nulls[3] = {0};

	tuplestore_putvalues(rsinfo->setResult, rsinfo->setDesc, values, nulls);
}

/*
 * idgen_blocks_of(name text): the blocks that any session may draw from
 * ("published") and the one that this transaction may ("pending")
 */
Datum
idgen_blocks_of(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *rsinfo = (ReturnSetInfo *) fcinfo->resultinfo;
	text *name = PG_GETARG_TEXT_PP(0);
	Oid relid = idgen_table_oid(fcinfo->flinfo->fn_oid);
	const IdgenHandle *handle;
	IdgenSlot copy;

	InitMaterializedSRF(fcinfo, 0);
	if (!read_cache(relid, name, &copy))
		return (Datum) 0;

	for (int i = 0; i < copy.nblocks; i++)
		put_block(rsinfo, &copy.blocks[i], "published");

	handle = idgen_handle_find(relid, VARDATA_ANY(name), VARSIZE_ANY_EXHDR(name));
	if (handle != NULL && handle->pending.block.left > 0)
		put_block(rsinfo, &handle->pending.block, "pending");
	return (Datum) 0;
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
	values[i++] = CStringGetTextDatum(cache_kind());
	nulls[i] = (totals.max_sequences == 0);
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
