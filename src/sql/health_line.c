/*
 * health_line.c
 *		A line of view idgen_health: looking at an id sequence, and showing it.
 */
#include "postgres.h"

#include "catalog/pg_foreign_server.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "utils/acl.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/numeric.h"
#include "utils/timestamp.h"

#include "catalog/native_look.h"
#include "catalog/row.h"
#include "common/compat.h"
#include "shmem/kept_counters.h"
#include "sources/sources.h"
#include "common/as_owner.h"
#include "sql/health.h"
#include "sql/view_line.h"

/* The columns of the view. */
#define COLUMNS 14

/*
 * Looking
 */

/*
 * Note why the worker's last attempt has failed, unless that concerns only
 * calls that want more consecutive ids than one. Of an id sequence that is
 * exhausted, more is known than that.
 */
static void
look_at_failure(IdgenHealth *health)
{
	const IdgenFailureNote *note = &health->item->entry->cached.failure;
	IdgenFailure failure;

	if (note->sqlerrcode == 0 || note->count > 1 ||
	    note->sqlerrcode == ERRCODE_SEQUENCE_GENERATOR_LIMIT_EXCEEDED)
		return;
	health->worker = IDGEN_HEALTH_WORKER_BACKING_OFF;
	if (note->in_pool != 0)
	{
		idgen_failure_read(note, &failure);
		health->failure = pstrdup(failure.message);
	}
	else
		health->failure = psprintf("SQLSTATE %s, see the server log", unpack_sql_state(note->sqlerrcode));
}

/*
 * Look at what is counted: by the slot, or kept by the server for an id
 * sequence that has none.
 */
static void
look_at_counters(const IdgenHealthView *view, IdgenHealth *health)
{
	const IdgenHealthItem *item = health->item;
	IdgenCacheKey key;
	IdgenCounted counted;

	health->usage.until = view->now;
	if (item->entry != NULL && item->entry->cached.place == IDGEN_IN_SLOT)
		counted = item->entry->cached.counted;
	else
	{
		idgen_cache_key(&key, view->cache.relid, item->sequence, false, item->name, strlen(item->name));
		if (!idgen_kept_read(&key, &counted))
			return;
	}
	health->usage = (IdgenUsage){counted.counters.ids_issued, counted.times.counted_since, view->now};
}

/* Look at what the cache knows, after all else. */
static void
look_at_entry(const IdgenHealthView *view, IdgenHealth *health)
{
	const IdgenHealthEntry *entry = health->item->entry;

	if (health->def.refill != IDGEN_REFILL_TRANSACTION)
		health->worker = view->worker;
	health->ids_left = health->misfits == NIL ? idgen_extent_ids_left(&health->extent) : IDGEN_NOT_KNOWN;
	look_at_counters(view, health);
	if (entry == NULL)
		return;
	if (health->ids_left > 0)
		health->ids_left += entry->cached.ids_left;
	if (health->worker != IDGEN_HEALTH_NO_WORKER)
		look_at_failure(health);
}

/* Look at what blocks come from. */
static void
look_at_object(IdgenHealth *health)
{
	const char *name = health->item->name;
	const IdgenDefinition *def = &health->def;

	health->object = health->item->sequence;
	if (def->source->look_up == NULL)
		return;
	if (!def->source->has_object)
		health->object = def->source->look_up(name, def->source_name);
	health->object_name = def->source->title(health->object, name, def->source_name);
}

/* Look at the columns that take its ids, and how they limit it. */
static void
look_at_columns(const IdgenHealthView *view, IdgenHealth *health, const char *template, IdgenOwningColumn owner)
{
	Oid role = owner != IDGEN_NO_COLUMN ? idgen_owner_of(idgen_owning_table(owner)) : InvalidOid;
	ListCell *cell;
	int64 last;

	foreach(cell, idgen_columns_taking(health->item->name, template, owner))
	{
		IdgenDrawingColumn *column = lfirst(cell);

		if (idgen_role_counts(column->owner, RelationGetRelid(view->rel), role, health->object))
			health->columns = lappend(health->columns, column);
		else
			health->strangers = lappend(health->strangers, column);
	}
	foreach(cell, health->columns)
		if (idgen_column_fit(lfirst(cell), &health->extent, &last) == IDGEN_FIT_NEVER)
			health->misfits = lappend(health->misfits, lfirst(cell));
	idgen_extent_limit_by_columns(&health->extent, health->columns);
}

/* Look at an id sequence that has a row. */
static void
look_at_row(const IdgenHealthView *view, IdgenHealth *health, TupleTableSlot *row)
{
	bool isnull;
	Datum owner = slot_getattr(row, IDGEN_ATT_OWNED_BY, &isnull);

	idgen_definition_from_row(row, health->item->name, &health->def);
	health->refill = idgen_row_string(row, IDGEN_ATT_REFILL);
	look_at_object(health);
	idgen_extent_of_row(row, health->item->sequence, &health->extent);
	look_at_columns(view, health, idgen_row_string(row, IDGEN_ATT_TEMPLATE), isnull ? IDGEN_NO_COLUMN : DatumGetInt64(owner));
}

/*
 * Look at a native sequence that the cache knows without a row. Columns may
 * draw from it by idgen_next(name, 'sequence').
 */
static void
look_at_native(const IdgenHealthView *view, IdgenHealth *health)
{
	health->def.source = &idgen_source_sequence;
	health->def.refill = IDGEN_REFILL_TRANSACTION;
	health->refill = idgen_refill_mode_name(health->def.refill);
	health->def.layout = &idgen_layout_plain;
	look_at_object(health);
	health->extent = (IdgenExtent){.layout = &idgen_layout_plain, .step = 1};
	idgen_extent_add_native(&health->extent, health->object, &idgen_no_pool);
	look_at_columns(view, health, NULL, IDGEN_NO_COLUMN);
}

/*
 * Showing
 */

/* The name of a state of the worker; NULL if there is none. */
static const char *
worker_name(const IdgenHealth *health)
{
	switch (health->worker)
	{
		case IDGEN_HEALTH_NO_WORKER:
			return NULL;
		case IDGEN_HEALTH_WORKER_RUNNING:
			return "running";
		case IDGEN_HEALTH_WORKER_STARTING:
			return "starting";
		case IDGEN_HEALTH_WORKER_NOT_RUNNING:
			return "not running";
		case IDGEN_HEALTH_WORKER_NO_SLOT:
			return "no slot";
		case IDGEN_HEALTH_WORKER_BACKING_OFF:
			return psprintf("backing off: %s", health->failure);
	}
	pg_unreachable();
}

/* The name of a column as a text, with what is to be said of it. */
static Datum
column_name(const IdgenDrawingColumn *column, const char *remark)
{
	IdgenOwningColumn named = idgen_owning_column(column->relid, column->attnum);

	return CStringGetTextDatum(psprintf("%s%s", idgen_owning_column_name(named), remark));
}

/* Add the names of the columns, or null if there are none. */
static void
add_columns(IdgenViewLine *line, const IdgenHealth *health)
{
	Datum *names = palloc((list_length(health->columns) + list_length(health->strangers)) * sizeof(Datum));
	int n = 0;
	ListCell *cell;

	foreach(cell, health->columns)
		names[n++] = column_name(lfirst(cell), "");
	foreach(cell, health->strangers)
		names[n++] = column_name(lfirst(cell), " (does not count)");
	idgen_view_add_unless(n == 0, line, PointerGetDatum(construct_array(names, n, TEXTOID, -1, false, TYPALIGN_INT)));
}

/* Show an id sequence, with what has been found out of it. */
static void
put_health(IdgenHealthView *view, const IdgenHealth *health)
{
	const IdgenExtent *extent = &health->extent;
	IdgenProblem worst;
	const char *problem;
	IdgenViewLine line = {.n = 0};

	idgen_view_add_text(&line, health->item->name);
	idgen_view_add_text(&line, health->def.source->name);
	idgen_view_add_text(&line, health->object_name);
	idgen_view_add_text(&line, health->refill);
	add_columns(&line, health);
	idgen_view_add_unless(extent->limited_by == NULL, &line, NumericGetDatum(int64_to_numeric(extent->limit)));
	idgen_view_add_text(&line, extent->limited_by);
	idgen_view_add_number(&line, idgen_extent_percent_left(extent));
	idgen_view_add_number(&line, idgen_ids_per_second(&health->usage));
	idgen_view_add_time(&line, health->usage.since);
	idgen_view_add_time(&line, idgen_used_up_at(&health->usage, health->ids_left));
	idgen_view_add_text(&line, worker_name(health));
	problem = idgen_health_problems(view, health, &worst);
	idgen_view_add_text(&line, idgen_problem_name(worst));
	idgen_view_add_text(&line, problem);
	idgen_view_put(view->result, &line);
}

/*
 * May the current user draw from the server or by the function that blocks come
 * from, if they come from one that is there? What a server says may name roles
 * over there. (Native sequences are checked before, see health.c.)
 */
static bool
may_use_object(const IdgenHealth *health)
{
	Oid user = GetUserId();

	if (!OidIsValid(health->object))
		return true;
	if (health->def.source == &idgen_source_server)
		return object_aclcheck(ForeignServerRelationId, health->object, user, ACL_USAGE) == ACLCHECK_OK;
	if (health->def.source == &idgen_source_function)
		return object_aclcheck(ProcedureRelationId, health->object, user, ACL_EXECUTE) == ACLCHECK_OK;
	return true;
}

/*
 * Show an id sequence. The slot has its row, or is empty if there is none. A
 * row with periods is left out, since it has no ids of its own, and so is one
 * of a server or a function that the user may not use. Raises what reading the
 * row does.
 */
void
idgen_health_show(IdgenHealthView *view, const IdgenHealthItem *item, TupleTableSlot *row)
{
	IdgenHealth health = {.item = item};

	if (TTS_EMPTY(row))
		look_at_native(view, &health);
	else
		look_at_row(view, &health, row);
	if (health.def.period != IDGEN_PERIOD_NONE || (view->reader == IDGEN_READER_DRAWS && !may_use_object(&health)))
		return;
	look_at_entry(view, &health);
	put_health(view, &health);
}

/* Show nothing but a problem, of that id sequence or, with NULL, of none. */
static void
put_problem(const IdgenHealthView *view, const char *name, IdgenProblem problem, const char *text)
{
	IdgenViewLine line = {.n = 0};

	idgen_view_add_text(&line, name);
	while (line.n < COLUMNS - 2)
		idgen_view_add_unless(true, &line, (Datum) 0);
	idgen_view_add_text(&line, idgen_problem_name(problem));
	idgen_view_add_text(&line, text);
	idgen_view_put(view->result, &line);
}

/* Show one whose row cannot be read: the error says why. */
void
idgen_health_show_broken(const IdgenHealthView *view, const IdgenHealthItem *item, const ErrorData *error)
{
	put_problem(view, item->name, IDGEN_PROBLEM_BROKEN, psprintf("It cannot be looked at: %s.", error->message));
}

/* Show that the server has not preloaded the library: nothing else tells. */
void
idgen_health_show_not_preloaded(const IdgenHealthView *view)
{
	put_problem(view, NULL, IDGEN_PROBLEM_NOT_PRELOADED,
	            "The server has not preloaded idgen, so each session has a cache of its own, and no worker refills. Add idgen to shared_preload_libraries and restart the server.");
}
