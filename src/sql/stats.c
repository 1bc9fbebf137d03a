/*
 * stats.c
 *		Functions behind the views idgen_stats and idgen_cache.
 *
 * The views run with the rights of the role that reads them. The functions show
 * only id sequences that this role may draw from; but idgen_stats, which shows
 * no cached ids, shows all of them to those that may monitor.
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
#include "utils/syscache.h"
#include "utils/timestamp.h"

#include "catalog/definition.h"
#include "catalog/epoch.h"
#include "catalog/native_sequence.h"
#include "catalog/privileges.h"
#include "catalog/row.h"
#include "catalog/table.h"
#include "session/handle_table.h"
#include "shmem/cache.h"
#include "sources/sources.h"
#include "sql/view_line.h"

PG_FUNCTION_INFO_V1(idgen_entries);
PG_FUNCTION_INFO_V1(idgen_blocks);
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
	IdgenCached *cached;
	const IdgenSource *source;
	TupleTableSlot *row; /* empty if there is none */
} Entry;

/* What a function shows. */
typedef struct Shown
{
	IdgenPlace last_place; /* are id sequences shown that have no slot? */
	bool to_monitor;       /* do those that may monitor see all? */
	void (*put)(ReturnSetInfo *rsinfo, const Entry *entry);
} Shown;

/* Does the current user see id sequences that others draw from, too? */
static bool
sees_all(const Shown *shown)
{
	return shown->to_monitor && idgen_may_monitor();
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

	if (is_shared(key))
		return true;
	if (!OidIsValid(key->object))
		idgen_cache_check_table(key, idgen_table_epoch);
	else if ((file = idgen_native_file(key->object)) != InvalidRelFileNumber)
		idgen_cache_check_storage(key, file);
	return idgen_cache_read(key, cached);
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
 * The source of an entry according to its row. NULL if the row names a source
 * of another kind now: the cache then has an entry that nobody draws from any
 * more.
 */
static const IdgenSource *
source_of_row(const Entry *entry)
{
	const IdgenSource *source;

	source = idgen_source_of_row(entry->row);
	if (source == NULL || source->has_object != OidIsValid(entry->key->object))
		return NULL;
	return source;
}

/* May the current user draw from an entry, whose row has been found? */
static bool
may_draw(const Entry *entry, Relation rel)
{
	Oid object = entry->key->object;
	bool cacheable;

	return (TTS_EMPTY(entry->row) || idgen_row_visible(rel, entry->row, &cacheable)) &&
		(!OidIsValid(object) || may_use_object(object));
}

/*
 * Find the row of an entry, in the slot given, and its source. An id sequence
 * without a row is a native sequence. Returns false for an entry that is out of
 * use.
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
		entry->source = source_of_row(entry);
	else
		entry->source = OidIsValid(key->object) ? &idgen_source_sequence : NULL;
	return entry->source != NULL &&
		(!OidIsValid(key->object) || SearchSysCacheExists1(RELOID, ObjectIdGetDatum(key->object)));
}

/* Add since when is counted, and what is measured. */
static void
add_times(IdgenViewLine *line, const IdgenTimes *times)
{
	idgen_view_add_unless(times->counted_since == 0, line, TimestampTzGetDatum(times->counted_since));
	idgen_view_add_number(line, idgen_refill_ms(times, 50));
	idgen_view_add_number(line, idgen_refill_ms(times, 99));
	idgen_view_add_number(line, idgen_wait_ms(times, 50));
	idgen_view_add_number(line, idgen_wait_ms(times, 99));
	idgen_view_add_number(line, times->waited_us / 1000.0);
}

/* Add what the cache counts. */
static void
add_counters(IdgenViewLine *line, const IdgenCached *cached)
{
	const IdgenCounters *counters = &cached->counted.counters;
	const IdgenLost *lost = &counters->ids_lost;

	idgen_view_add(line, Int64GetDatum(counters->ids_issued));
	idgen_view_add(line, Int64GetDatum(cached->ids_left));
	idgen_view_add(line, Int64GetDatum(idgen_lost_total(lost)));
	idgen_view_add(line, Int64GetDatum(lost->changed));
	idgen_view_add(line, Int64GetDatum(lost->prepared));
	idgen_view_add(line, Int64GetDatum(lost->crowded));
	idgen_view_add(line, Int64GetDatum(counters->blocks_taken));
	idgen_view_add(line, Int64GetDatum(counters->refills));
	idgen_view_add(line, Int64GetDatum(counters->waits));
	idgen_view_add_unless(counters->last_refill == 0, line, TimestampTzGetDatum(counters->last_refill));
	idgen_view_add(line, Int32GetDatum(cached->worker_blocks));
}

/* Add what the row says; nulls without a row. */
static void
add_row(IdgenViewLine *line, TupleTableSlot *row)
{
	static const AttrNumber columns[] = {
		IDGEN_ATT_SOURCE_NAME,
		IDGEN_ATT_REFILL,
		IDGEN_ATT_NEXT_BLOCK_START,
		IDGEN_ATT_EXHAUSTED,
		IDGEN_ATT_MAX_VALUE,
		IDGEN_ATT_START_VALUE,
	};

	for (size_t i = 0; i < lengthof(columns); i++)
	{
		bool isnull = true;
		Datum value = TTS_EMPTY(row) ? (Datum) 0 : slot_getattr(row, columns[i], &isnull);

		idgen_view_add_unless(isnull, line, value);
	}
}

/*
 * The percentage of ids that is left in the object of an entry; negative if not
 * known.
 */
static double
percent_left(const Entry *entry)
{
	Oid object = entry->key->object;
	IdgenPool pool = TTS_EMPTY(entry->row) ? idgen_no_pool : idgen_pool_of_row(entry->row);

	return OidIsValid(object) && entry->source->percent_left ? entry->source->percent_left(object, &pool) : -1;
}

/* Put the line of an entry into the result of idgen_entries(). */
static void
put_stats(ReturnSetInfo *rsinfo, const Entry *entry)
{
	const IdgenCacheKey *key = entry->key;
	double percent = percent_left(entry);
	IdgenViewLine line = {.n = 0};

	idgen_view_add(&line, CStringGetTextDatum(key->name));
	idgen_view_add(&line, CStringGetTextDatum(entry->source->name));
	idgen_view_add_unless(!OidIsValid(key->object), &line, ObjectIdGetDatum(key->object));
	idgen_view_add(&line, CStringGetTextDatum(cache_kind(is_shared(key))));
	add_counters(&line, entry->cached);
	idgen_view_add_unless(percent < 0, &line, Float8GetDatum(percent));
	add_row(&line, entry->row);
	idgen_view_add(&line, Int64GetDatum(entry->cached->counted.counters.session_refills));
	add_times(&line, &entry->cached->counted.times);
	Assert(line.n == rsinfo->setDesc->natts);
	idgen_view_put(rsinfo, &line);
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
 * Put the blocks of an entry into the result of idgen_blocks(): those that any
 * session may draw from ("published", or "idle" in the second level), and those
 * that only this transaction may draw from ("pending").
 */
static void
put_blocks(ReturnSetInfo *rsinfo, const Entry *entry)
{
	const IdgenCacheKey *key = entry->key;
	IdgenHandle *handle;
	const IdgenRest *rest;

	for (int i = 0; i < entry->cached->nblocks; i++)
		put_block(rsinfo, key, &entry->cached->blocks[i],
		          entry->cached->place == IDGEN_IN_SLOT ? "published" : "idle");

	handle = idgen_handle_find(key->relid, key->name, strlen(key->name));
	if (handle == NULL || handle->found.object != key->object)
		return;
	rest = &handle->pending.rest;
	if (rest->block.left > 0)
		put_block(rsinfo, key, &rest->block, "pending");
	for (int i = 0; i < rest->nmore; i++)
		put_block(rsinfo, key, &rest->more[i], "pending");
}

/* Show the entries of the cache that the current user may see. */
static Datum
put_entries(FunctionCallInfo fcinfo, const Shown *shown)
{
	bool all = sees_all(shown);
	Oid relid;
	MemoryContext for_each;
	MemoryContext before;
	Relation rel;
	IdgenCacheScan *scan = palloc0(sizeof(IdgenCacheScan));
	Entry entry = {.key = &scan->key, .cached = &scan->cached};

	AcceptInvalidationMessages();
	relid = idgen_table_oid(fcinfo->flinfo->fn_oid);
	InitMaterializedSRF(fcinfo, 0);
	if (!all)
		idgen_check_select(relid);
	rel = idgen_table_open(relid, AccessShareLock);
	entry.row = table_slot_create(rel, NULL);
	for_each = AllocSetContextCreate(CurrentMemoryContext, "idgen entry", ALLOCSET_DEFAULT_SIZES);
	scan->relid = relid;
	scan->shows_idle = shown->last_place == IDGEN_IN_SECOND_LEVEL;
	while (idgen_cache_scan_next(scan))
	{
		before = MemoryContextSwitchTo(for_each);
		if (drop_void_ids(entry.key, entry.cached) && look_up_entry(&entry, rel) &&
		    (all || may_draw(&entry, rel)))
			shown->put((ReturnSetInfo *) fcinfo->resultinfo, &entry);
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
	static const Shown stats = {.last_place = IDGEN_IN_SLOT, .to_monitor = true, .put = put_stats};

	return put_entries(fcinfo, &stats);
}

/* idgen_blocks() returns setof record: what view idgen_cache is made of */
Datum
idgen_blocks(PG_FUNCTION_ARGS)
{
	static const Shown blocks = {.last_place = IDGEN_IN_SECOND_LEVEL, .put = put_blocks};

	return put_entries(fcinfo, &blocks);
}

/*
 * idgen_stats_reset() returns void: set the counters of all id sequences of
 * this database to zero.
 */
Datum
idgen_stats_reset(PG_FUNCTION_ARGS)
{
	idgen_cache_reset_counters();
	PG_RETURN_VOID();
}
