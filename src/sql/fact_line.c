/*
 * fact_line.c
 *		What the server knows of one id sequence, as a line of idgen_facts().
 *
 * The line has facts that SQL cannot see, in the order of the function's
 * columns. What they mean is for the views to say.
 */
#include "postgres.h"

#include "catalog/pg_class.h"
#include "catalog/pg_foreign_server.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
#include "fmgr.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "utils/acl.h"
#include "utils/array.h"
#include "utils/lsyscache.h"
#include "utils/rls.h"
#include "utils/timestamp.h"

#include "catalog/definition.h"
#include "catalog/extent.h"
#include "catalog/owning_column.h"
#include "catalog/privileges.h"
#include "catalog/row.h"
#include "common/guc.h"
#include "common/time_zone.h"
#include "node/lease.h"
#include "remote/foreign_server.h"
#include "session/handle_table.h"
#include "shmem/other_servers.h"
#include "sources/centre.h"
#include "sql/facts.h"

PG_FUNCTION_INFO_V1(idgen_native_facts);

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
is_found_now(const IdgenShown *shown, const char *source_name)
{
	return !OidIsValid(shown->sequence) || shown->entry == NULL ||
		shown->source->look_up(shown->name, source_name) == shown->sequence;
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
add_child(IdgenViewLine *line, const IdgenShown *shown, const IdgenDefinition *def)
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
	idgen_view_add_text(line, idgen_period_child(shown->name, def->period, &today));
}

/*
 * How many ids the cache has, and the next one, in the order in which they are
 * issued.
 */
static void
add_cached(IdgenViewLine *line, const IdgenShown *shown, int step)
{
	const IdgenCached *cached = shown->entry != NULL ? &shown->entry->cached : NULL;
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

/* Does a slot hold it, rather than the second level? */
static bool
is_in_slot(const IdgenShown *shown)
{
	return shown->entry != NULL && shown->entry->cached.place == IDGEN_IN_SLOT;
}

/* What the slot counts, if there is one. */
static void
add_counters(IdgenViewLine *line, const IdgenShown *shown)
{
	const IdgenCounted *counted = is_in_slot(shown) ? &shown->entry->cached.counted : NULL;

	idgen_view_add_unless(counted == NULL, line, Int64GetDatum(counted != NULL ? counted->counters.ids_issued : 0));
	idgen_view_add_time(line, counted != NULL ? counted->times.counted_since : 0);
}

/* What else a slot counts and measures. */
static void
add_slot(IdgenViewLine *line, const IdgenShown *shown)
{
	static const IdgenCached no_slot;
	bool none = !is_in_slot(shown);
	const IdgenCached *cached = none ? &no_slot : &shown->entry->cached;
	const IdgenCounters *counters = &cached->counted.counters;
	const IdgenTimes *times = &cached->counted.times;
	bool shared = !none && idgen_known_is_shared(&shown->entry->key);

	idgen_view_add_text(line, none ? NULL : shared ? "server"
	                                               : "session");
	idgen_view_add_unless(none, line, Int64GetDatum(counters->ids_lost.changed));
	idgen_view_add_unless(none, line, Int64GetDatum(counters->ids_lost.prepared));
	idgen_view_add_unless(none, line, Int64GetDatum(counters->ids_lost.crowded));
	idgen_view_add_unless(none, line, Int64GetDatum(counters->blocks_taken));
	idgen_view_add_unless(none, line, Int64GetDatum(counters->refills));
	idgen_view_add_unless(none, line, Int64GetDatum(counters->session_refills));
	idgen_view_add_unless(none, line, Int64GetDatum(counters->waits));
	idgen_view_add_time(line, counters->last_refill);
	idgen_view_add_unless(none, line, Int32GetDatum(cached->worker_blocks));
	idgen_view_add_number(line, none ? -1 : idgen_refill_ms(times, 50));
	idgen_view_add_number(line, none ? -1 : idgen_refill_ms(times, 99));
	idgen_view_add_number(line, none ? -1 : idgen_wait_ms(times, 50));
	idgen_view_add_number(line, none ? -1 : idgen_wait_ms(times, 99));
	idgen_view_add_number(line, none ? -1 : times->waited_us / 1000.0);
}

/* Cached blocks, as arrays of one length. */
typedef struct Blocks
{
	ArrayBuildState *first;
	ArrayBuildState *last;
	ArrayBuildState *state;
} Blocks;

static void
add_block(Blocks *blocks, const IdgenBlock *block, const char *state)
{
	MemoryContext context = CurrentMemoryContext;

	blocks->first = accumArrayResult(blocks->first, Int64GetDatum(block->next), false, INT8OID, context);
	blocks->last = accumArrayResult(blocks->last, Int64GetDatum(idgen_block_last(block)), false, INT8OID, context);
	blocks->state = accumArrayResult(blocks->state, CStringGetTextDatum(state), false, TEXTOID, context);
}

static void
add_array(IdgenViewLine *line, ArrayBuildState *array)
{
	idgen_view_add_unless(array == NULL, line, array != NULL ? makeArrayResult(array, CurrentMemoryContext) : (Datum) 0);
}

/*
 * The cached blocks: those that any session may draw from ("published", or
 * "idle" in the second level), and those that only this transaction may draw
 * from ("pending"). They are shown to those that may draw them, and not to all
 * that may monitor.
 */
static void
add_blocks(IdgenViewLine *line, const IdgenFactsCall *call, const IdgenShown *shown, bool may_draw)
{
	const IdgenCached *cached = may_draw && shown->entry != NULL ? &shown->entry->cached : NULL;
	IdgenHandle *handle = cached != NULL ? idgen_handle_find(RelationGetRelid(call->rel), shown->name, strlen(shown->name)) : NULL;
	Blocks blocks = {.first = NULL};

	for (int i = 0; cached != NULL && i < cached->nblocks; i++)
		add_block(&blocks, &cached->blocks[i], is_in_slot(shown) ? "published" : "idle");
	if (handle != NULL && handle->found.object == shown->entry->key.object)
	{
		const IdgenRest *pending = &handle->pending.rest;

		if (pending->block.left > 0)
			add_block(&blocks, &pending->block, "pending");
		for (int i = 0; i < pending->nmore; i++)
			add_block(&blocks, &pending->more[i], "pending");
	}
	add_array(line, blocks.first);
	add_array(line, blocks.last);
	add_array(line, blocks.state);
}

/*
 * Why the worker's last attempt has failed, unless that concerns only calls
 * that want more consecutive ids than one. Of an id sequence that is exhausted,
 * more is known than that.
 */
static const char *
worker_failure(const IdgenShown *shown)
{
	const IdgenFailureNote *note = shown->entry != NULL ? &shown->entry->cached.failure : NULL;
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
add_worker(IdgenViewLine *line, const IdgenFactsCall *call, const IdgenShown *shown, IdgenRefillMode refill)
{
	const char *worker = refill == IDGEN_REFILL_TRANSACTION ? NULL : call->worker;

	idgen_view_add_text(line, worker);
	idgen_view_add_text(line, worker != NULL ? worker_failure(shown) : NULL);
}

/* How another server has gone back, and what to do then. */
static const char *
went_back(const IdgenFactsCall *call, const IdgenShown *shown, Oid object)
{
	IdgenServer server = idgen_server_get(object);
	const char *name = idgen_server_remote_name(&server, shown->name);
	IdgenBackNote note = idgen_mark_find_back(object, name);
	IdgenMark mark;

	if (note.how == IDGEN_NOT_BACK)
		return NULL;
	mark = idgen_mark_read(object, name);
	return psprintf("was seen on %s. %s %s", timestamptz_to_str(note.since), idgen_went_back_describe(&note, &mark),
	                idgen_went_back_hint(RelationGetRelid(call->rel), note.how, server.name, shown->name));
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
add_server(IdgenViewLine *line, const IdgenFactsCall *call, const IdgenShown *shown, Oid object)
{
	bool server = shown->source == &idgen_source_server && OidIsValid(object);

	idgen_view_add_text(line, server ? went_back(call, shown, object) : NULL);
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
add_holder(IdgenViewLine *line, const IdgenShown *shown)
{
	TimestampTz began = shown->waits ? idgen_lock_holder_began(&shown->holder) : 0;

	idgen_view_add_unless(!shown->waits, line, Int32GetDatum(shown->holder.pid));
	idgen_view_add_unless(!shown->waits, line, TransactionIdGetDatum(shown->holder.xid));
	idgen_view_add_time(line, began);
}

/*
 * May the current user draw by what blocks come from, as far as that is there?
 * What a server says may name roles over there.
 */
static bool
may_use(const IdgenSource *source, Oid object)
{
	Oid user = GetUserId();
	bool is_missing = false;

	if (!OidIsValid(object))
		return true;
	if (source == &idgen_source_server)
		return object_aclcheck(ForeignServerRelationId, object, user, ACL_USAGE) == ACLCHECK_OK;
	if (source == &idgen_source_function)
		return object_aclcheck(ProcedureRelationId, object, user, ACL_EXECUTE) == ACLCHECK_OK;
	return pg_class_aclcheck_ext(object, user, ACL_USAGE | ACL_UPDATE, &is_missing) == ACLCHECK_OK && !is_missing;
}

/*
 * May the current user draw from it? Whoever does not monitor sees only rows
 * that say so. No policy is asked on behalf of those that do: where row
 * security applies to them, the answer is no.
 */
static bool
may_draw(const IdgenFactsCall *call, bool usable)
{
	return call->selects && usable &&
		(!call->monitor || check_enable_rls(RelationGetRelid(call->rel), InvalidOid, true) != RLS_ENABLED);
}

/* The line of an id sequence; the slot has its row, or is empty. */
void
idgen_fact_line(const IdgenFactsCall *call, const IdgenShown *shown, TupleTableSlot *row)
{
	const IdgenSource *source = shown->source;
	IdgenDefinition def = {.refill = IDGEN_REFILL_TRANSACTION, .layout = &idgen_layout_plain};
	IdgenExtent extent = {.step = 1};
	IdgenViewLine line = {.n = 0};
	Oid object = shown->sequence;
	IdgenShown hidden; /* without what the cache knows */
	bool is_current;
	bool usable;

	if (TTS_EMPTY(row))
		idgen_extent_add_native(&extent, shown->sequence, &idgen_no_pool);
	else
	{
		idgen_definition_from_row(row, shown->name, &def);
		if (source->look_up != NULL && !source->has_object)
			object = source->look_up(shown->name, def.source_name);
		idgen_extent_of_row(row, shown->sequence, &extent);
	}

	is_current = is_found_now(shown, def.source_name);
	usable = may_use(source, object);
	if (!usable && !call->monitor)
	{
		hidden = *shown;
		hidden.entry = NULL;
		shown = &hidden;
	}

	idgen_view_add_text(&line, shown->name);
	idgen_view_add_text(&line, NULL);
	idgen_view_add_text(&line, source->name);
	idgen_view_add_unless(!OidIsValid(shown->sequence), &line, ObjectIdGetDatum(shown->sequence));
	idgen_view_add(&line, BoolGetDatum(is_current));
	idgen_view_add_text(&line, source->look_up != NULL ? source->title(object, shown->name, def.source_name) : NULL);
	idgen_view_add(&line, BoolGetDatum(source->look_up != NULL && !OidIsValid(object)));
	idgen_view_add(&line, BoolGetDatum(call->monitor || usable));
	add_row(&line, row, &def);
	add_layout(&line, def.layout);
	add_owner(&line, row);
	add_child(&line, shown, &def);
	add_extent(&line, &extent);
	add_cached(&line, shown, extent.step);
	add_counters(&line, shown);
	add_worker(&line, call, shown, def.refill);
	add_server(&line, call, shown, object);
	add_node(&line, def.layout);
	add_holder(&line, shown);
	idgen_view_add(&line, BoolGetDatum(call->cache_thrashes && shown->entry != NULL));
	add_slot(&line, shown);
	add_blocks(&line, call, shown, may_draw(call, usable));
	idgen_view_put(call->result, &line);
}

/* The line of one whose row cannot be read, and why. */
void
idgen_fact_line_broken(const IdgenFactsCall *call, const IdgenShown *shown, const char *problem)
{
	IdgenViewLine line = {.n = 0};

	idgen_view_add_text(&line, shown->name);
	idgen_view_add_text(&line, problem);
	while (line.n < call->result->setDesc->natts)
		idgen_view_add_unless(true, &line, (Datum) 0);
	idgen_view_put(call->result, &line);
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
