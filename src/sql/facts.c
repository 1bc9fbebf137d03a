/*
 * facts.c
 *		What the server knows of id sequences, for views to judge.
 *
 * First comes what the cache knows: one pass over the slots takes the lock of
 * each once, for as long as it takes to copy a few numbers. Then the rows of
 * id_sequences are read one after the other, in their newest versions. Nothing
 * here waits for a lock that is not free soon, no other server is asked, and a
 * serializable transaction gets no conflict.
 *
 * Each id sequence makes a line of facts that SQL cannot see, in the order of
 * the function's columns. What they mean is for the views to say. A line is
 * made in a subtransaction. So a row that its constraints and triggers have not
 * checked, because the owner has switched them off, does not keep the others
 * from being shown: its error is shown with it.
 */
#include "postgres.h"

#include "access/table.h"
#include "catalog/namespace.h"
#include "catalog/pg_class.h"
#include "catalog/pg_foreign_server.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
#include "foreign/foreign.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "utils/acl.h"
#include "utils/array.h"
#include "utils/inval.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/rls.h"
#include "utils/syscache.h"

#include "catalog/definition.h"
#include "catalog/native_sequence.h"
#include "catalog/owning_column.h"
#include "catalog/privileges.h"
#include "catalog/row.h"
#include "catalog/row_write.h"
#include "catalog/table.h"
#include "common/clock.h"
#include "common/full_xid.h"
#include "common/guc.h"
#include "common/lock_holder.h"
#include "common/period.h"
#include "common/subxact.h"
#include "node/lease.h"
#include "remote/reach.h"
#include "remote/server.h"
#include "session/xact.h"
#include "cache/cache.h"
#include "cache/desk.h"
#include "cache/notes.h"
#include "sources/centre.h"
#include "sql/sql_support.h"

PG_FUNCTION_INFO_V1(idgen_facts);
PG_FUNCTION_INFO_V1(idgen_refused_code);
PG_FUNCTION_INFO_V1(idgen_sequence_state);

/*
 * A slot, as it was when all were read. Those of one name differ in what their
 * ids come from.
 */
typedef struct Known
{
	struct Known *next; /* of the same name, or NULL */
	bool has_row;       /* has a row of that name been seen? */
	bool shared;        /* is it for all sessions? */
	IdgenSlot slot;
} Known;

/* All of a name. */
typedef struct KnownName
{
	uint8 digest[IDGEN_DIGEST_BYTES]; /* must be first */
	Known *first;
} KnownName;

/* A reading, while it goes on. */
typedef struct Reading
{
	ReturnSetInfo *result;
	Relation rel;           /* id_sequences */
	bool monitor;           /* does the caller see all? */
	bool selects;           /* may they read the table? */
	bool by_cache;          /* is what the cache knows shown, whatever its names mean now? */
	HTAB *by_name;          /* what it knows: of KnownName */
	TupleTableSlot *found;  /* the row that has been found */
	MemoryContext for_each; /* for what is found out of it, or of a name */
} Reading;

/* An id sequence that is to be shown. */
typedef struct Shown
{
	const Reading *reading;
	const char *name;
	TupleTableSlot *row; /* its newest version in the table; NULL if it has none */
	const Known *entry;  /* what the cache knows of it, or NULL */
	const IdgenSource *source;
	Oid sequence; /* the native sequence that blocks come from; invalid if it is
	               * missing, or with another source */
	IdgenViewLine line;
} Shown;

/*
 * What the cache knows
 */

/* The entries of a name: the first one, or NULL if there is none. */
static Known *
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
	Known *entry;

	if (!found)
		name->first = NULL;
	for (entry = name->first; entry != NULL; entry = entry->next)
		if (memcmp(&entry->slot.key, &slot->key, sizeof(IdgenCacheKey)) == 0)
			break;
	if (entry == NULL)
	{
		entry = palloc0(sizeof(Known));
		entry->next = name->first;
		name->first = entry;
	}
	entry->slot = *slot;
	entry->shared = shared;
}

/*
 * Is what a slot holds for this session alone? Of a temporary sequence it is:
 * of those of other sessions, and of one that has got another file, nothing is
 * shown. Nobody tells of a new file of such a one.
 */
static bool
is_shown(const IdgenSlot *slot, bool *shared)
{
	Oid object = slot->key.object;
	Oid schema = OidIsValid(object) ? get_rel_namespace(object) : InvalidOid;

	*shared = idgen_cache_is_shared() && !isAnyTempNamespace(schema);
	return *shared || !OidIsValid(object) ||
		(!isOtherTempNamespace(schema) && idgen_native_file(object) == slot->file);
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
	bool shared;

	reading->by_name = hash_create("idgen names", 1024, &info, HASH_ELEM | HASH_BLOBS | HASH_CONTEXT);
	while (idgen_cache_copy_next(&next, MyDatabaseId, &slot))
	{
		if (slot.key.relid == RelationGetRelid(reading->rel) && is_shown(&slot, &shared))
			note_slot(reading, &slot, shared);
		CHECK_FOR_INTERRUPTS();
	}
}

/*
 * A line
 */

/*
 * What blocks come from besides the row; invalid if that is not there, or if
 * there is no such thing. The row has been checked.
 */
static Oid
find_object(const Shown *shown, const char *source_name)
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
object_name(const Shown *shown, Oid object, const char *source_name)
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
is_found_now(const Shown *shown, const char *source_name)
{
	return !OidIsValid(shown->sequence) || shown->entry == NULL ||
		idgen_native_look_up(shown->name, source_name) == shown->sequence;
}

/*
 * What the row says of its ids, as it stands; the greatest value that its
 * layout leaves room for; the column that it belongs to; and the child that a
 * row with periods draws from now.
 */
static void
add_row(Shown *shown, const IdgenDefinition *def)
{
	static const AttrNumber columns[] = {
		IDGEN_ATT_REFILL, IDGEN_ATT_FORMAT, IDGEN_ATT_TEMPLATE, IDGEN_ATT_BIG_BASE, IDGEN_ATT_POOLING,
		IDGEN_ATT_BLOCK_SIZE, IDGEN_ATT_NEXT_BLOCK_START, IDGEN_ATT_START_VALUE, IDGEN_ATT_MAX_VALUE};
	IdgenViewLine *line = &shown->line;
	TupleTableSlot *row = shown->row;
	bool isnull = true;
	Datum owner = row == NULL ? (Datum) 0 : slot_getattr(row, IDGEN_ATT_OWNED_BY, &isnull);
	bool unowned = isnull;
	const char *child = NULL;

	for (size_t i = 0; i < lengthof(columns); i++)
	{
		Datum value = row == NULL ? (Datum) 0 : slot_getattr(row, columns[i], &isnull);

		idgen_view_add_unless(isnull, line, value);
	}
	idgen_view_add(line, BoolGetDatum(def->exhausted));
	idgen_view_add_text(line, def->layout->name);
	idgen_view_add_unless(!idgen_layout_is_composed(def->layout), line, Int64GetDatum(def->layout->values - 1));
	idgen_view_add_unless(unowned, line, unowned ? owner : ObjectIdGetDatum(idgen_owning_table(DatumGetInt64(owner))));
	idgen_view_add_unless(unowned, line, unowned ? owner : Int16GetDatum(idgen_owning_attnum(DatumGetInt64(owner))));
	if (def->period != IDGEN_PERIOD_NONE)
	{
		TimestampTz until;
		IdgenDay today = idgen_day_at(GetCurrentTransactionStartTimestamp(),
		                              def->zone != NULL ? def->zone : idgen_period_zone, &until);

		child = idgen_period_child(shown->name, def->period, &today);
	}
	idgen_view_add_text(line, child);
}

/*
 * How many ids the cache has, and the next one, in the order in which they are
 * issued; and what its slot counts and measures, if it has one.
 */
static void
add_slot(IdgenViewLine *line, const Known *entry)
{
	static const IdgenSlot no_slot;
	bool none = entry == NULL;
	const IdgenSlot *slot = none ? &no_slot : &entry->slot;
	const IdgenCounters *counters = &slot->counters;

	idgen_view_add(line, Int64GetDatum(slot->ids_left));
	idgen_view_add_unless(slot->nruns == 0, line, Int64GetDatum(slot->runs[0].next));
	idgen_view_add_text(line, none ? NULL : entry->shared ? "server"
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
	idgen_view_add_unless(none, line, Float8GetDatum(counters->refills_us / 1000.0));
	idgen_view_add_unless(none, line, Float8GetDatum(counters->waited_us / 1000.0));
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
add_blocks(Shown *shown, bool may_draw)
{
	const IdgenSlot *slot = may_draw ? &shown->entry->slot : NULL;
	IdgenHandle *handle = may_draw ? idgen_handle_find(RelationGetRelid(shown->reading->rel), shown->name, strlen(shown->name)) : NULL;
	ArrayBuildState *arrays[3] = {NULL};

	for (int i = 0; may_draw && i < slot->nruns; i++)
	{
		const IdgenBlock block = {slot->runs[i].next, slot->runs[i].left, slot->step};

		add_block(arrays, &block, "published");
	}
	if (handle != NULL && handle->found.object == slot->key.object)
		for (const IdgenPendingCell *cell = handle->pending.cells; cell != NULL; cell = cell->next)
			if (cell->block->left > 0)
				add_block(arrays, cell->block, "pending");
	for (int i = 0; i < (int) lengthof(arrays); i++)
		idgen_view_add_unless(arrays[i] == NULL, &shown->line,
		                      arrays[i] != NULL ? makeArrayResult(arrays[i], CurrentMemoryContext) : (Datum) 0);
}

/*
 * The state of the worker for a server, or of the database if that is invalid;
 * NULL if there can be none.
 */
static const char *
look_at_worker(Oid serverid)
{
	IdgenWorkerState state = idgen_cache_is_shared() ? idgen_desk_worker(serverid) : IDGEN_WORKER_NONE;

	if (!idgen_cache_is_shared())
		return NULL;
	if (state != IDGEN_WORKER_NONE)
		return state == IDGEN_WORKER_RUNNING ? "running" : "starting";
	return idgen_desk_refused() ? "no slot" : "not running";
}

/*
 * The worker that refills, NULL if none does, and why its last attempt has
 * failed, unless that concerns only calls that want more consecutive ids than
 * one. Of an id sequence that is exhausted, more is known than that.
 */
static void
add_worker(IdgenViewLine *line, const Known *entry, const char *worker)
{
	const IdgenFailureNote *note = worker != NULL && entry != NULL ? &entry->slot.failure : NULL;
	const char *problem = NULL;
	IdgenFailure failure;

	if (note != NULL && note->sqlerrcode != 0 && note->sqlerrcode != ERRCODE_SEQUENCE_GENERATOR_LIMIT_EXCEEDED)
	{
		idgen_desk_read_failure(note, &failure);
		problem = failure.count > 1 ? NULL : failure.message;
	}
	idgen_view_add_text(line, worker);
	idgen_view_add_text(line, problem);
}

/*
 * What is remembered of another server, to those who may use it; and for all:
 * how it has gone back, and what to do then; since when it has not answered,
 * and why. Of that, the first line will do: libpq says more in further ones,
 * for people at its terminal.
 */
static void
add_centre(Shown *shown, Oid serverid, bool may_know)
{
	IdgenViewLine *line = &shown->line;
	IdgenMark mark = {.known = false};
	IdgenUnreachable silent = {.since = 0};
	const char *hint = NULL;

	if (may_know && shown->source == &idgen_source_server && OidIsValid(serverid))
	{
		IdgenMarkKey key = idgen_centre_mark_key(RelationGetRelid(shown->reading->rel), serverid, shown->name);

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
 * Which transaction a refill of the id sequence waits for, if any is known to:
 * one that has locked the row, be it that of a session which has refilled or
 * that of another program; one that has claimed the refill; or one that has
 * locked the native sequence, for which a refill will wait. Nobody who draws or
 * refills notes that for this. It is found out from the row itself, from what
 * the cache holds, and from the lock manager. The row comes first: a session
 * that has claimed the refill may itself wait for another program, which has
 * locked the row. Caller has a snapshot.
 */
static void
add_holder(Shown *shown, const Known *entry)
{
	bool awaited = entry != NULL && (entry->slot.waiters > 0 || idgen_desk_is_asked(&entry->slot.key));
	TransactionId xid = InvalidTransactionId;
	IdgenLockHolder holder = {.pid = 0};
	bool waits;

	if (shown->source->locks_row && shown->row != NULL &&
	    (awaited || idgen_row_is_awaited(shown->reading->rel, shown->row)))
		xid = idgen_row_holder(shown->row);
	if (!TransactionIdIsValid(xid) && awaited)
		xid = idgen_short_xid(entry->slot.claim);
	waits = idgen_lock_holder_find(xid, shown->sequence, &holder);
	idgen_view_add_unless(!waits, &shown->line, Int32GetDatum(holder.pid));
	idgen_view_add_unless(!waits, &shown->line, TransactionIdGetDatum(holder.xid));
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
 * May the current user draw from rows that they are shown? Whoever does not
 * monitor sees only rows that say so. No policy is asked on behalf of those
 * that do: where row security applies to them, the answer is no.
 */
static bool
may_draw(const Reading *reading)
{
	return reading->selects &&
		(!reading->monitor || check_enable_rls(RelationGetRelid(reading->rel), InvalidOid, true) != RLS_ENABLED);
}

/*
 * The watermark's part of the line: whether one is kept; and to those that may
 * know, whether it is known, and what has been noted.
 */
static void
add_watermark(IdgenViewLine *line, const char *name, Oid relid, const IdgenDefinition *def, bool shown)
{
	int64 last = PG_INT64_MAX;
	IdgenHolder holder = {0};
	bool known = false;

	if (def->watermark && shown)
	{
		uint8 digest[IDGEN_DIGEST_BYTES];
		IdgenCacheKey key;

		idgen_cache_digest(name, strlen(name), digest);
		idgen_cache_key(&key, relid, digest);
		known = idgen_notes_look(&key, &last, &holder);
	}
	idgen_view_add(line, BoolGetDatum(def->watermark));
	idgen_view_add_unless(!def->watermark || !shown, line, BoolGetDatum(known));
	idgen_view_add_unless(holder.since == 0, line, Int64GetDatum(holder.least));
	idgen_view_add_unless(holder.since == 0, line, Int32GetDatum(holder.pid));
	idgen_view_add_unless(holder.since == 0, line, TransactionIdGetDatum(holder.xid));
	idgen_view_add_time(line, holder.since);
}

/*
 * Make the line. Of an id sequence that the caller may neither use nor monitor,
 * it leaves out what the cache knows.
 */
static void
make_line(void *arg)
{
	Shown *shown = arg;
	const Reading *reading = shown->reading;
	const Known *entry = shown->entry;
	IdgenViewLine *line = &shown->line;
	IdgenDefinition def = {.refill = IDGEN_REFILL_TRANSACTION, .layout = &idgen_layout_plain};
	Oid object;
	bool usable;

	if (shown->row != NULL)
		idgen_definition_from_row(shown->row, shown->name, &def);
	object = find_object(shown, def.source_name);
	usable = may_use(shown->source, object);
	if (!usable && !reading->monitor)
		entry = NULL;

	line->n = 0;
	idgen_view_add_text(line, shown->name);
	idgen_view_add_text(line, NULL);
	idgen_view_add_text(line, shown->source->name);
	idgen_view_add_unless(!OidIsValid(shown->sequence), line, ObjectIdGetDatum(shown->sequence));
	idgen_view_add(line, BoolGetDatum(is_found_now(shown, def.source_name)));
	idgen_view_add_text(line, object_name(shown, object, def.source_name));
	idgen_view_add(line, BoolGetDatum(shown->source != &idgen_source_table && !OidIsValid(object)));
	idgen_view_add(line, BoolGetDatum(reading->monitor || usable));
	add_row(shown, &def);
	add_slot(line, entry);
	add_worker(line, entry, def.refill == IDGEN_REFILL_TRANSACTION ? NULL : look_at_worker(shown->source->is_remote ? object : InvalidOid));
	add_centre(shown, object, reading->monitor || usable);
	idgen_view_add_text(line, lease_problem(def.layout));
	add_holder(shown, entry);
	add_watermark(line, shown->name, RelationGetRelid(reading->rel), &def, reading->monitor || usable);
	add_blocks(shown, entry != NULL && usable && may_draw(reading));
	idgen_view_put(reading->result, line);
}

/*
 * Which id sequences are shown
 */

/*
 * Show an id sequence. Raises only what is not about its row. If there is an
 * error, somebody may have dropped a table or a function in between two looks
 * at it. So it is tried a second time.
 */
static void
show(Shown *shown)
{
	IdgenViewLine *line = &shown->line;
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
	line->n = 0;
	idgen_view_add_text(line, shown->name);
	idgen_view_add_text(line, error->message);
	while (line->n < shown->reading->result->setDesc->natts)
		idgen_view_add_unless(true, line, (Datum) 0);
	idgen_view_put(shown->reading->result, line);
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
is_of_row(const Reading *reading, const Known *entry, const char *name, const IdgenSource *source,
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
	Shown item = {
		.reading = reading,
		.name = idgen_row_string(row, IDGEN_ATT_NAME),
		.row = row,
		.source = source_of(row),
	};
	bool visible = !idgen_is_template_name(item.name) &&
		(reading->monitor || idgen_row_visible(reading->rel, row));

	for (Known *entry = known_by_name(reading, item.name); entry != NULL; entry = entry->next)
	{
		entry->has_row = true;
		if (!visible || !is_of_row(reading, entry, item.name, item.source, source_name))
			continue;
		item.entry = entry;
		item.sequence = entry->slot.key.object;
		show(&item);
	}
	if (visible && item.entry == NULL && !reading->by_cache)
	{
		if (item.source->has_object)
			item.sequence = idgen_native_look_up(item.name, source_name);
		show(&item);
	}
	MemoryContextSwitchTo(before);
	MemoryContextReset(reading->for_each);
}

/*
 * The name by which an id sequence without a row was drawn from, which is that
 * of its native sequence without "_seq", in one of the ways to write that. NULL
 * if the sequence is gone, or has got another name.
 */
static const char *
name_of_native(const Known *entry)
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

/* Add a native sequence that the cache knows, if it has no row. */
static void
add_native(Reading *reading, const Known *entry)
{
	MemoryContext before = MemoryContextSwitchTo(reading->for_each);
	Shown item = {
		.reading = reading,
		.entry = entry,
		.source = &idgen_source_sequence,
		.sequence = entry->slot.key.object,
	};

	if (OidIsValid(item.sequence) && !entry->has_row)
		item.name = name_of_native(entry);
	if (item.name != NULL)
		show(&item);
	MemoryContextSwitchTo(before);
	MemoryContextReset(reading->for_each);
}

/*
 * Add the rows, then what the cache knows and has no row. (If only what the
 * cache knows is shown, a row that it does not know has been passed over.)
 */
static void
add_all(Reading *reading)
{
	HASH_SEQ_STATUS status;
	KnownName *name;

	if (!reading->by_cache || hash_get_num_entries(reading->by_name) > 0)
	{
		IdgenRowScan scan = idgen_row_scan_begin(reading->rel, NULL, NULL, 0, reading->found);

		while (idgen_row_scan_next(&scan))
			read_row(reading, scan.row);
		idgen_row_scan_end(&scan);
	}
	hash_seq_init(&status, reading->by_name);
	while ((name = hash_seq_search(&status)) != NULL)
		for (const Known *entry = name->first; entry != NULL; entry = entry->next)
			add_native(reading, entry);
}

/*
 * idgen_facts(cached boolean, required boolean) returns setof record: what is
 * known of the id sequences that the cache knows, or of all; of those that the
 * caller may draw from, and of all of them to members of pg_monitor. Without
 * any right to look, it returns none or, if they are required, raises 42501.
 */
Datum
idgen_facts(PG_FUNCTION_ARGS)
{
	Reading reading = {
		.result = (ReturnSetInfo *) fcinfo->resultinfo,
		.monitor = idgen_may_monitor(),
		.by_cache = PG_GETARG_BOOL(0),
	};
	Oid relid;

	AcceptInvalidationMessages();
	relid = idgen_table_oid(fcinfo->flinfo->fn_oid);
	InitMaterializedSRF(fcinfo, MAT_SRF_USE_EXPECTED_DESC);
	reading.selects = pg_class_aclcheck(relid, GetUserId(), ACL_SELECT) == ACLCHECK_OK;
	if (!reading.monitor && PG_GETARG_BOOL(1))
		idgen_check_select(relid);
	reading.rel = idgen_table_open(relid, AccessShareLock);
	if (reading.monitor || reading.selects)
	{
		read_cache(&reading);
		reading.found = table_slot_create(reading.rel, NULL);
		reading.for_each = AllocSetContextCreate(CurrentMemoryContext, "idgen row", ALLOCSET_DEFAULT_SIZES);
		add_all(&reading);
		ExecDropSingleTupleTableSlot(reading.found);
	}
	table_close(reading.rel, AccessShareLock);
	return (Datum) 0;
}

/*
 * idgen_refused_code(relation oid) returns text[]: what stands on a table that
 * idgen writes for others, and must not run; null if it is gone
 */
Datum
idgen_refused_code(PG_FUNCTION_ARGS)
{
	Relation rel = try_table_open(PG_GETARG_OID(0), AccessShareLock);
	ArrayBuildState *array;
	ListCell *cell;

	if (rel == NULL)
		PG_RETURN_NULL();
	array = initArrayResult(TEXTOID, CurrentMemoryContext, false);
	foreach(cell, idgen_code_refused(rel))
		array = accumArrayResult(array, CStringGetTextDatum(lfirst(cell)), false, TEXTOID, CurrentMemoryContext);
	table_close(rel, AccessShareLock);
	return makeArrayResult(array, CurrentMemoryContext);
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
	return idgen_view_row(fcinfo, &line);
}
