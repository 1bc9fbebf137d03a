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
#include "foreign/foreign.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "utils/acl.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/rls.h"
#include "utils/timestamp.h"

#include "catalog/definition.h"
#include "catalog/native_sequence.h"
#include "catalog/owning_column.h"
#include "catalog/privileges.h"
#include "catalog/row.h"
#include "catalog/table.h"
#include "common/clock.h"
#include "common/full_xid.h"
#include "common/guc.h"
#include "common/lock_holder.h"
#include "common/period.h"
#include "node/lease.h"
#include "remote/reach.h"
#include "remote/server.h"
#include "session/handle_table.h"
#include "session/pending.h"
#include "shmem/desk.h"
#include "sources/centre.h"
#include "sql/facts.h"

PG_FUNCTION_INFO_V1(idgen_sequence_state);

/*
 * What blocks come from besides the row; invalid if that is not there, or if
 * there is no such thing. The row has been checked.
 */
static Oid
find_object(const IdgenShown *shown, const char *source_name)
{
	if (shown->source->look_up != NULL)
		return shown->source->look_up(shown->name, source_name);
	return shown->sequence;
}

/*
 * What that is called, with its schema if it is a sequence, or what it would
 * have to be called to be found; NULL for source "table".
 */
static const char *
object_name(const IdgenShown *shown, Oid object, const char *source_name)
{
	if (shown->source == &idgen_source_function)
		return source_name;
	if (shown->source == &idgen_source_server)
	{
		ForeignServer *found = OidIsValid(object) ? GetForeignServerExtended(object, FSV_MISSING_OK) : NULL;

		if (found != NULL)
			return found->servername;
		return source_name != NULL ? source_name : IDGEN_DEFAULT_SERVER;
	}
	if (shown->source == &idgen_source_sequence)
	{
		const char *name = idgen_relation_name(object);

		return name != NULL ? name : idgen_native_display(idgen_native_name(shown->name, source_name));
	}
	return NULL;
}

/*
 * Is the native sequence the one that its name leads to by this search_path?
 * The cache may know others of that name.
 */
static bool
is_found_now(const IdgenShown *shown, const char *source_name)
{
	return !OidIsValid(shown->sequence) || shown->entry == NULL ||
		idgen_native_look_up(shown->name, source_name) == shown->sequence;
}

/* What the row says of its ids, as it stands. */
static void
add_row(IdgenViewLine *line, TupleTableSlot *row)
{
	static const AttrNumber columns[] = {
		IDGEN_ATT_REFILL, IDGEN_ATT_FORMAT, IDGEN_ATT_TEMPLATE, IDGEN_ATT_BIG_BASE, IDGEN_ATT_POOLING,
		IDGEN_ATT_BLOCK_SIZE, IDGEN_ATT_NEXT_BLOCK_START, IDGEN_ATT_START_VALUE, IDGEN_ATT_MAX_VALUE};

	for (size_t i = 0; i < lengthof(columns); i++)
	{
		bool isnull = true;
		Datum value = TTS_EMPTY(row) ? (Datum) 0 : slot_getattr(row, columns[i], &isnull);

		idgen_view_add_unless(isnull, line, value);
	}
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
	today = idgen_day_at(GetCurrentTransactionStartTimestamp(),
	                     def->zone != NULL ? def->zone : idgen_period_zone, &until);
	idgen_view_add_text(line, idgen_period_child(shown->name, def->period, &today));
}

/*
 * How many ids the cache has, and the next one, in the order in which they are
 * issued.
 */
static void
add_cached(IdgenViewLine *line, const IdgenShown *shown)
{
	const IdgenSlot *slot = shown->entry != NULL ? &shown->entry->slot : NULL;
	bool any = slot != NULL && slot->nruns > 0;

	idgen_view_add(line, Int64GetDatum(slot != NULL ? slot->ids_left : 0));
	idgen_view_add_unless(!any, line, Int64GetDatum(any ? slot->runs[0].next : 0));
}

/* What its slot counts and measures, if it has one. */
static void
add_counted(IdgenViewLine *line, const IdgenShown *shown)
{
	static const IdgenSlot no_slot;
	bool none = shown->entry == NULL;
	const IdgenSlot *slot = none ? &no_slot : &shown->entry->slot;
	const IdgenCounters *counters = &slot->counters;

	idgen_view_add_text(line, none ? NULL : shown->entry->shared ? "server"
	                                                             : "session");
	idgen_view_add_unless(none, line, Int32GetDatum(slot->worker_blocks));
	idgen_view_add_time(line, idgen_time_of_seconds(counters->since));
	idgen_view_add_unless(none, line, Int64GetDatum(counters->ids_issued));
	idgen_view_add_unless(none, line, Int64GetDatum(counters->lost_changed));
	idgen_view_add_unless(none, line, Int64GetDatum(counters->lost_prepared));
	idgen_view_add_unless(none, line, Int64GetDatum(counters->lost_crowded));
	idgen_view_add_unless(none, line, Int64GetDatum(counters->blocks_taken));
	idgen_view_add_unless(none, line, Int64GetDatum(counters->refills));
	idgen_view_add_unless(none, line, Int64GetDatum(counters->session_refills));
	idgen_view_add_unless(none, line, Int64GetDatum(counters->waits));
	idgen_view_add_time(line, idgen_time_of_seconds(counters->last_refill));
	idgen_view_add_number(line, none ? -1 : counters->refills_us / 1000.0);
	idgen_view_add_number(line, none ? -1 : counters->waited_us / 1000.0);
}

/* Add a block to arrays of first ids, last ids, and states. */
static void
add_block(ArrayBuildState **arrays, const IdgenBlock *block, const char *state)
{
	arrays[0] = accumArrayResult(arrays[0], Int64GetDatum(block->next), false, INT8OID, CurrentMemoryContext);
	arrays[1] = accumArrayResult(arrays[1], Int64GetDatum(idgen_block_last(block)), false, INT8OID, CurrentMemoryContext);
	arrays[2] = accumArrayResult(arrays[2], CStringGetTextDatum(state), false, TEXTOID, CurrentMemoryContext);
}

/*
 * The cached blocks: those that any session may draw from ("published"), and
 * those that only this transaction may draw from ("pending"). They are shown to
 * those that may draw them, and not to all that may monitor.
 */
static void
add_blocks(IdgenViewLine *line, const IdgenShown *shown, bool may_draw)
{
	const IdgenSlot *slot = may_draw && shown->entry != NULL ? &shown->entry->slot : NULL;
	IdgenHandle *handle = slot != NULL ? idgen_handle_find(RelationGetRelid(shown->call->rel), shown->name, strlen(shown->name)) : NULL;
	ArrayBuildState *arrays[3] = {NULL};

	for (int i = 0; slot != NULL && i < slot->nruns; i++)
	{
		const IdgenBlock block = {slot->runs[i].next, slot->runs[i].left, slot->step};

		add_block(arrays, &block, "published");
	}
	if (handle != NULL && handle->found.object == slot->key.object)
	{
		int n = idgen_pending_count(handle);
		IdgenBlock *pending = palloc(n * sizeof(IdgenBlock));

		idgen_pending_read(handle, pending);
		for (int i = 0; i < n; i++)
			if (pending[i].left > 0)
				add_block(arrays, &pending[i], "pending");
	}
	for (int i = 0; i < (int) lengthof(arrays); i++)
		idgen_view_add_unless(arrays[i] == NULL, line,
		                      arrays[i] != NULL ? makeArrayResult(arrays[i], CurrentMemoryContext) : (Datum) 0);
}

/*
 * Why the worker's last attempt has failed, unless that concerns only calls
 * that want more consecutive ids than one. Of an id sequence that is exhausted,
 * more is known than that.
 */
static const char *
worker_failure(const IdgenShown *shown)
{
	const IdgenFailureNote *note = shown->entry != NULL ? &shown->entry->slot.failure : NULL;
	IdgenFailure failure;

	if (note == NULL || note->sqlerrcode == 0 || note->sqlerrcode == ERRCODE_SEQUENCE_GENERATOR_LIMIT_EXCEEDED)
		return NULL;
	idgen_desk_read_failure(note, &failure);
	return failure.count > 1 ? NULL : pstrdup(failure.message);
}

static void
add_worker(IdgenViewLine *line, const IdgenShown *shown, IdgenRefillMode refill)
{
	const char *worker = refill == IDGEN_REFILL_TRANSACTION ? NULL : shown->call->worker;

	idgen_view_add_text(line, worker);
	idgen_view_add_text(line, worker != NULL ? worker_failure(shown) : NULL);
}

/*
 * What is remembered of another server, to those who may use it; and for all:
 * how it has gone back, and what to do then; since when it has not answered,
 * and why. Of that, the first line will do: libpq says more in further ones,
 * for people at its terminal.
 */
static void
add_centre(IdgenViewLine *line, const IdgenShown *shown, Oid serverid, bool may_know)
{
	IdgenMark mark = {.known = false};
	IdgenUnreachable silent = {.since = 0};
	const char *hint = NULL;

	if (may_know && shown->source == &idgen_source_server && OidIsValid(serverid))
	{
		IdgenMarkKey key = idgen_centre_mark_key(RelationGetRelid(shown->call->rel), serverid, shown->name);

		mark = idgen_mark_read(&key);
		if (mark.back.how != IDGEN_NOT_BACK)
			hint = idgen_went_back_hint(key.id_sequences, mark.back.how, key.server, shown->name);
		(void) idgen_reach_find(serverid, &silent);
		silent.reason[strcspn(silent.reason, "\n")] = '\0';
	}
	idgen_view_add_unless(!mark.known, line, Int64GetDatum(mark.received));
	idgen_view_add_unless(mark.centre.system == 0, line, Int64GetDatum((int64) mark.centre.system));
	idgen_view_add_unless(mark.centre.system == 0, line, Int64GetDatum(mark.centre.timeline));
	idgen_view_add_time(line, hint != NULL ? mark.back.since : 0);
	idgen_view_add_text(line, hint != NULL ? idgen_went_back_describe(&mark) : NULL);
	idgen_view_add_text(line, hint);
	idgen_view_add_time(line, silent.since);
	idgen_view_add_text(line, silent.since != 0 ? silent.reason : NULL);
}

/*
 * Why the lease of the node number cannot be renewed that ids begin with; NULL
 * if it can, or there is no such thing.
 */
static const char *
lease_problem(const IdgenLayout *layout)
{
	IdgenLeaseReport report;

	if (!idgen_layout_is_composed(layout) || idgen_node_id != IDGEN_NODE_LEASED || !idgen_lease_is_shared())
		return NULL;
	idgen_lease_report(&report);
	return report.failing_since != 0 ? pstrdup(report.reason) : NULL;
}

/*
 * Find the transaction that a refill of an id sequence waits for: one that has
 * locked the row, be it that of a session which has refilled or that of another
 * program; one that has claimed the refill; or one that has locked the native
 * sequence. Nobody who draws or refills notes that for this. It is found out
 * from the row itself, from what the cache holds, and from the lock manager.
 * The row comes first: a session that has claimed the refill may itself wait
 * for another program, which has locked the row.
 *
 * Returns false if no refill is known to wait. (That a transaction holds a
 * native sequence is enough: a refill will wait for it.) Caller has a snapshot.
 */
static bool
find_holder(const IdgenShown *shown, IdgenLockHolder *holder)
{
	bool awaited = shown->entry != NULL && (shown->entry->slot.waiters > 0 || idgen_desk_is_asked(&shown->entry->slot.key));
	TransactionId xid = InvalidTransactionId;
	IdgenLock lock;

	if (shown->source->locks_row && !TTS_EMPTY(shown->row) &&
	    (awaited || idgen_row_is_awaited(shown->call->rel, shown->row)))
		xid = idgen_row_holder(shown->row);
	if (!TransactionIdIsValid(xid) && awaited)
		xid = idgen_short_xid(shown->entry->slot.claim);
	if (!idgen_lock_of_running(xid, &lock))
	{
		if (!OidIsValid(shown->sequence))
			return false;
		lock = idgen_lock_of_relation(shown->sequence);
	}
	return idgen_lock_find_holder(&lock, holder);
}

/* Which transaction a refill waits for, and for how long that has been open. */
static void
add_holder(IdgenViewLine *line, const IdgenShown *shown)
{
	IdgenLockHolder holder = {.pid = 0};
	bool waits = find_holder(shown, &holder);

	idgen_view_add_unless(!waits, line, Int32GetDatum(holder.pid));
	idgen_view_add_unless(!waits, line, TransactionIdGetDatum(holder.xid));
	idgen_view_add_time(line, waits ? idgen_lock_holder_began(&holder) : 0);
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

/* The line of an id sequence. */
void
idgen_fact_line(const IdgenShown *shown)
{
	const IdgenFactsCall *call = shown->call;
	IdgenDefinition def = {.refill = IDGEN_REFILL_TRANSACTION, .layout = &idgen_layout_plain};
	IdgenViewLine line = {.n = 0};
	IdgenShown known = *shown; /* without what the caller may not know of it */
	Oid object;
	bool usable;

	if (!TTS_EMPTY(shown->row))
		idgen_definition_from_row(shown->row, shown->name, &def);
	object = find_object(shown, def.source_name);
	usable = may_use(shown->source, object);
	if (!usable && !call->monitor)
		known.entry = NULL;

	idgen_view_add_text(&line, shown->name);
	idgen_view_add_text(&line, NULL);
	idgen_view_add_text(&line, shown->source->name);
	idgen_view_add_unless(!OidIsValid(shown->sequence), &line, ObjectIdGetDatum(shown->sequence));
	idgen_view_add(&line, BoolGetDatum(is_found_now(shown, def.source_name)));
	idgen_view_add_text(&line, object_name(shown, object, def.source_name));
	idgen_view_add(&line, BoolGetDatum(shown->source != &idgen_source_table && !OidIsValid(object)));
	idgen_view_add(&line, BoolGetDatum(call->monitor || usable));
	add_row(&line, shown->row);
	idgen_view_add(&line, BoolGetDatum(def.exhausted));
	add_layout(&line, def.layout);
	add_owner(&line, shown->row);
	add_child(&line, shown, &def);
	add_cached(&line, &known);
	add_counted(&line, &known);
	add_worker(&line, &known, def.refill);
	add_centre(&line, shown, object, call->monitor || usable);
	idgen_view_add_text(&line, lease_problem(def.layout));
	add_holder(&line, &known);
	add_blocks(&line, &known, may_draw(call, usable));
	idgen_view_put(call->result, &line);
}

/* The line of one whose row cannot be read, and why. */
void
idgen_fact_line_broken(const IdgenShown *shown, const char *problem)
{
	IdgenViewLine line = {.n = 0};

	idgen_view_add_text(&line, shown->name);
	idgen_view_add_text(&line, problem);
	while (line.n < shown->call->result->setDesc->natts)
		idgen_view_add_unless(true, &line, (Datum) 0);
	idgen_view_put(shown->call->result, &line);
}

/*
 * idgen_sequence_state(sequence oid) returns record: how far a native sequence
 * has got, to those who may know; nulls if that is not known
 */
Datum
idgen_sequence_state(PG_FUNCTION_ARGS)
{
	IdgenNativeState state = {.last_value = 0};
	bool known = idgen_native_look_at_state(PG_GETARG_OID(0), &state);
	IdgenViewLine line = {.n = 0};

	idgen_view_add_unless(!known, &line, Int64GetDatum(state.last_value));
	idgen_view_add_unless(!known, &line, BoolGetDatum(state.is_called));
	return idgen_result_row(fcinfo, (TupleDesc *) &fcinfo->flinfo->fn_extra, line.values, line.nulls);
}
