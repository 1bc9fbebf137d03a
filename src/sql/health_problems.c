/*
 * health_problems.c
 *		What is wrong with an id sequence, and what to do about it.
 *
 * Each problem is a sentence, or two. The worst one comes first: what keeps ids
 * from being drawn, then what will do so.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "storage/proc.h"
#include "utils/builtins.h"
#include "utils/timestamp.h"

#include "catalog/table.h"
#include "common/guc.h"
#include "node/lease.h"
#include "remote/foreign_server.h"
#include "shmem/other_servers.h"
#include "sources/sources.h"
#include "sources/went_back.h"
#include "sql/health.h"

#define SECONDS_PER_MINUTE 60
#define SECONDS_PER_HOUR   3600
#define SECONDS_PER_DAY    86400

/* What has been found so far. */
typedef struct Problems
{
	IdgenProblem worst;
	StringInfoData text;
} Problems;

static void add_problem(Problems *problems, IdgenProblem problem, const char *format, ...) pg_attribute_printf(3, 4);

/* Add a sentence. The worst problem is added first. */
static void
add_problem(Problems *problems, IdgenProblem problem, const char *format, ...)
{
	va_list args;
	int needed;

	if (problems->worst == IDGEN_PROBLEM_NONE)
		problems->worst = problem;
	else
		appendStringInfoChar(&problems->text, ' ');
	do
	{
		va_start(args, format);
		needed = appendStringInfoVA(&problems->text, format, args);
		va_end(args);
		if (needed > 0)
			enlargeStringInfo(&problems->text, needed);
	} while (needed > 0);
}

/* What column problem_kind calls a problem; NULL if there is none. */
const char *
idgen_problem_name(IdgenProblem problem)
{
	switch (problem)
	{
		case IDGEN_PROBLEM_NONE:
			return NULL;
		case IDGEN_PROBLEM_SOURCE_MISSING:
			return "source_missing";
		case IDGEN_PROBLEM_EXHAUSTED:
			return "exhausted";
		case IDGEN_PROBLEM_DOES_NOT_FIT:
			return "does_not_fit";
		case IDGEN_PROBLEM_WENT_BACK:
			return "went_back";
		case IDGEN_PROBLEM_NO_NODE_NUMBER:
			return "no_node_number";
		case IDGEN_PROBLEM_NODE_DOES_NOT_FIT:
			return "node_does_not_fit";
		case IDGEN_PROBLEM_UNREACHABLE:
			return "unreachable";
		case IDGEN_PROBLEM_BLOCKED:
			return "blocked";
		case IDGEN_PROBLEM_REFILL_FAILS:
			return "refill_fails";
		case IDGEN_PROBLEM_NO_WORKER:
			return "no_worker";
		case IDGEN_PROBLEM_DEFAULT_CHANGED:
			return "default_changed";
		case IDGEN_PROBLEM_BEHIND_COLUMN:
			return "behind_column";
		case IDGEN_PROBLEM_USED_UP_SOON:
			return "used_up_soon";
		case IDGEN_PROBLEM_LITTLE_LEFT:
			return "little_left";
		case IDGEN_PROBLEM_CACHE_THRASHES:
			return "cache_thrashes";
		case IDGEN_PROBLEM_BROKEN:
			return "broken";
		case IDGEN_PROBLEM_NOT_PRELOADED:
			return "not_preloaded";
	}
	pg_unreachable();
}

/*
 * No id is left, or none that can be stored
 */

/* What has to be done so that more ids can be issued. */
static const char *
how_to_get_more(const IdgenHealthView *view, const IdgenHealth *health)
{
	const IdgenExtent *extent = &health->extent;

	switch (extent->limit_kind)
	{
		case IDGEN_LIMIT_NONE:
			break;
		case IDGEN_LIMIT_COLUMN:
			return "Give the column a wider type.";
		case IDGEN_LIMIT_SEQUENCE:
			return extent->step > 0 ? "Raise its MAXVALUE." : "Lower its MINVALUE.";
		case IDGEN_LIMIT_LAYOUT:
			return psprintf("Draw by %s(), or from another id sequence.",
			                idgen_function_name(RelationGetRelid(view->rel), "idgen_next_big"));
		case IDGEN_LIMIT_MAX_VALUE:
			if (health->def.layout->scrambled || extent->limit == PG_INT64_MAX)
				break;
			return health->def.exhausted ? "Raise max_value and set exhausted to 0." : "Raise max_value.";
	}
	return "Use another id sequence.";
}

/* Are ids cached within the limit? */
static bool
has_cached_ids(const IdgenHealth *health)
{
	const IdgenHealthEntry *entry = health->item->entry;

	for (int i = 0; entry != NULL && i < entry->cached.nblocks; i++)
	{
		if (idgen_extent_reaches(&health->extent, entry->cached.blocks[i].next))
			return true;
	}
	return false;
}

static void
add_exhausted(Problems *problems, const IdgenHealthView *view, const IdgenHealth *health)
{
	const IdgenExtent *extent = &health->extent;

	if (health->def.exhausted && !idgen_is_at_end(health->def.next_block_start, extent->limit))
		add_problem(problems, IDGEN_PROBLEM_EXHAUSTED, "Its column exhausted is 1, though ids are left. Set that to 0.");
	else if (has_cached_ids(health))
		add_problem(problems, IDGEN_PROBLEM_EXHAUSTED, "No block is left within the limit of %s, only what is cached. %s",
		            extent->limited_by, how_to_get_more(view, health));
	else
		add_problem(problems, IDGEN_PROBLEM_EXHAUSTED, "No id is left within the limit of %s. %s", extent->limited_by,
		            how_to_get_more(view, health));
}

/* Columns that cannot hold its ids, however far it has got. */
static void
add_misfits(Problems *problems, const IdgenHealth *health)
{
	ListCell *cell;

	foreach(cell, health->misfits)
		add_problem(problems, IDGEN_PROBLEM_DOES_NOT_FIT, "Its %s ids do not fit %s. Give the column a wider type.",
		            health->def.layout->scrambled ? "scrambled" : "composed", idgen_column_title(lfirst(cell)));
}

/*
 * What the source lacks
 */

static void
add_source_missing(Problems *problems, const IdgenHealth *health)
{
	bool searched = health->def.source == &idgen_source_sequence && strchr(health->object_name, '.') == NULL;

	add_problem(problems, IDGEN_PROBLEM_SOURCE_MISSING, "There is no %s %s%s. Create it, or name another one in source_name.",
	            health->def.source->name, health->object_name, searched ? " in this session's search_path" : "");
}

/* Another server has forgotten what it has given. */
static void
add_went_back(Problems *problems, const IdgenHealthView *view, const IdgenHealth *health)
{
	IdgenBackNote note;
	IdgenMark mark;
	IdgenServer server;
	const char *name;

	if (health->def.source != &idgen_source_server || !OidIsValid(health->object))
		return;
	server = idgen_server_get(health->object);
	name = idgen_server_remote_name(&server, health->item->name);
	note = idgen_mark_find_back(health->object, name);
	if (note.how == IDGEN_NOT_BACK)
		return;
	mark = idgen_mark_read(health->object, name);
	add_problem(problems, IDGEN_PROBLEM_WENT_BACK, "Server %s has gone back, as was seen on %s. %s %s", health->object_name,
	            timestamptz_to_str(note.since), idgen_went_back_describe(&note, &mark), idgen_went_back_hint(RelationGetRelid(view->rel), note.how, server.name, health->item->name));
}

/*
 * Another server does not answer. Of why, the first line will do: libpq says
 * more in further ones, for people at its terminal.
 */
static void
add_unreachable(Problems *problems, const IdgenHealth *health)
{
	IdgenUnreachable unreachable;

	if (health->def.source->timeout == NULL ||
	    !idgen_unreachable_find(health->object, &unreachable))
		return;
	add_problem(problems, IDGEN_PROBLEM_UNREACHABLE, "Server %s has not answered since %s. Start it, or see what is in the way: %.*s.",
	            health->object_name, timestamptz_to_str(unreachable.since),
	            (int) strcspn(unreachable.reason, "\n"), unreachable.reason);
}

/* The lease of this server's node number is not renewed. */
static void
add_failing_lease(Problems *problems, const IdgenLeaseReport *report)
{
	if (report->failing_since == 0)
		return;
	if (idgen_lease_is_good(&report->lease))
		add_problem(problems, IDGEN_PROBLEM_NO_NODE_NUMBER, "The lease of node number %d, which ends at %s, cannot be renewed: %s",
		            report->lease.number, timestamptz_to_str(report->lease.until), report->reason);
	else
		add_problem(problems, IDGEN_PROBLEM_NO_NODE_NUMBER, "This server has no node number: %s", report->reason);
}

/* Its ids begin with the node number, which must be there and fit. */
static void
add_node_number(Problems *problems, const IdgenHealth *health)
{
	bool leased = idgen_node_id == IDGEN_NODE_LEASED;
	int node = idgen_node_id;
	IdgenLeaseReport report;

	if (!idgen_layout_is_composed(health->def.layout) || (leased && !idgen_lease_is_shared()))
		return;
	if (leased)
	{
		idgen_lease_report(&report);
		add_failing_lease(problems, &report);
		if (!idgen_lease_is_good(&report.lease))
			return;
		node = report.lease.number;
	}
	if (node < IDGEN_LEAST_DIGIT || node > IDGEN_GREATEST_DIGIT)
		add_problem(problems, IDGEN_PROBLEM_NODE_DOES_NOT_FIT, "The node number of this server, %d, does not fit layout %s, which takes %d to %d. %s",
		            node, health->def.layout->name, IDGEN_LEAST_DIGIT, IDGEN_GREATEST_DIGIT,
		            leased ? "Have the centre release one of these." : "Set idgen.node_id.");
}

/*
 * Refills that do not get on
 */

/*
 * Another transaction keeps a refill waiting, for longer than the server lets
 * anybody wait before it looks for a deadlock. How long the transaction has
 * been open is shown to those to whom pg_stat_activity shows it.
 */
static void
add_blocked(Problems *problems, const IdgenHealthView *view, const IdgenHealth *health)
{
	const IdgenLockHolder *holder = &health->item->holder;
	TimestampTz began;
	const char *open = "";

	if (!health->item->waits)
		return;
	if (holder->pid == 0)
	{
		add_problem(problems, IDGEN_PROBLEM_BLOCKED, "A refill waits for prepared transaction %u. Commit it or roll it back: pg_prepared_xacts has its name.",
		            holder->xid);
		return;
	}
	began = idgen_lock_holder_began(holder);
	if (began != 0 && !TimestampDifferenceExceeds(began, view->now, DeadlockTimeout))
		return;
	if (began != 0 && view->reader == IDGEN_READER_MONITORS)
		open = psprintf(", which has been open for %lld s", (long long) (view->now - began) / USECS_PER_SEC);
	add_problem(problems, IDGEN_PROBLEM_BLOCKED, "A refill waits for the transaction of process %d%s. End it, if need be by pg_terminate_backend(%d).",
	            holder->pid, open, holder->pid);
}

static void
add_worker(Problems *problems, const IdgenHealth *health)
{
	if (health->worker == IDGEN_HEALTH_WORKER_BACKING_OFF)
		add_problem(problems, IDGEN_PROBLEM_REFILL_FAILS, "The worker could not refill: %s.", health->failure);
	else if (health->worker == IDGEN_HEALTH_WORKER_NO_SLOT)
		add_problem(problems, IDGEN_PROBLEM_NO_WORKER, "The server has no place for a worker. Raise max_worker_processes%s.",
		            health->def.refill == IDGEN_REFILL_AUTO ? "; until then, sessions refill themselves" : "");
}

/*
 * What is to come
 */

/* Columns have ids that will be issued once more. */
static void
add_columns_ahead(Problems *problems, IdgenHealthView *view, const IdgenHealth *health)
{
	ListCell *cell;

	foreach(cell, health->columns)
	{
		const IdgenDrawingColumn *column = lfirst(cell);

		if (column->undrawn && idgen_health_changed_default(column) != NULL)
			continue;
		if (idgen_health_is_ahead(view, health, column))
			add_problem(problems, IDGEN_PROBLEM_BEHIND_COLUMN, "There are ids in %s that it has yet to issue. Run %s(%s, %s).",
			            idgen_column_title(column), idgen_function_name(RelationGetRelid(view->rel), "idgen_sync"), quote_literal_cstr(idgen_table_name(column->relid)), quote_literal_cstr(column->name));
	}
}

/*
 * The column that it belongs to has lost the default that draws from it, by a
 * migration mostly.
 */
static void
add_changed_default(Problems *problems, IdgenHealthView *view, const IdgenHealth *health)
{
	Oid relid = RelationGetRelid(view->rel);
	ListCell *cell;

	foreach(cell, health->columns)
	{
		const IdgenDrawingColumn *column = lfirst(cell);
		const char *instead = column->undrawn ? idgen_health_changed_default(column) : NULL;

		if (instead != NULL)
			add_problem(problems, IDGEN_PROBLEM_DEFAULT_CHANGED, "It belongs to %s, which %s. To have that draw from it again, run %s(%s, %s); else set owned_by to null.",
			            idgen_column_title(column), instead, idgen_function_name(relid, "idgen_adopt"),
			            quote_literal_cstr(idgen_table_name(column->relid)), quote_literal_cstr(column->name));
	}
}

/* A number of seconds, for people. */
static char *
describe_seconds(double seconds)
{
	if (seconds < 2 * SECONDS_PER_HOUR)
		return psprintf("%.0f minutes", seconds / SECONDS_PER_MINUTE);
	if (seconds < 2 * SECONDS_PER_DAY)
		return psprintf("%.0f hours", seconds / SECONDS_PER_HOUR);
	return psprintf("%.0f days", seconds / SECONDS_PER_DAY);
}

/* It will be used up soon, or little is left. */
static void
add_running_out(Problems *problems, const IdgenHealthView *view, const IdgenHealth *health)
{
	double seconds = idgen_seconds_left(&health->usage, health->ids_left);
	double percent = idgen_extent_percent_left(&health->extent);

	if (seconds >= 0 && seconds < (double) idgen_warn_days * SECONDS_PER_DAY)
		add_problem(problems, IDGEN_PROBLEM_USED_UP_SOON, "In %s, no id will be left within the limit of %s. %s",
		            describe_seconds(seconds), health->extent.limited_by, how_to_get_more(view, health));
	else if (percent >= 0 && percent < idgen_warn_remaining)
		add_problem(problems, IDGEN_PROBLEM_LITTLE_LEFT, "Only %.2f percent of its ids are left within the limit of %s. %s", percent,
		            health->extent.limited_by, how_to_get_more(view, health));
}

/*
 * What is wrong with an id sequence, the worst first, palloc'd; NULL if nothing
 * is known to be. Says which one is the worst, too.
 */
const char *
idgen_health_problems(IdgenHealthView *view, const IdgenHealth *health, IdgenProblem *worst)
{
	Problems problems = {.worst = IDGEN_PROBLEM_NONE};

	initStringInfo(&problems.text);
	if (health->object_name != NULL && !OidIsValid(health->object))
		add_source_missing(&problems, health);
	if (health->ids_left == 0)
		add_exhausted(&problems, view, health);
	add_misfits(&problems, health);
	add_went_back(&problems, view, health);
	add_node_number(&problems, health);
	add_unreachable(&problems, health);
	add_blocked(&problems, view, health);
	add_worker(&problems, health);
	add_changed_default(&problems, view, health);
	add_columns_ahead(&problems, view, health);
	if (health->ids_left > 0)
		add_running_out(&problems, view, health);
	if (view->cache_thrashes && health->item->entry != NULL)
		add_problem(&problems, IDGEN_PROBLEM_CACHE_THRASHES,
		            "The cache has too few slots, which id sequences take from each other. Raise idgen.max_sequences.");
	*worst = problems.worst;
	return problems.worst != IDGEN_PROBLEM_NONE ? problems.text.data : NULL;
}
