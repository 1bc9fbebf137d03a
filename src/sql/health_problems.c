/*
 * health_problems.c
 *		What is wrong with an id sequence, and what to do about it.
 *
 * Each problem is a sentence, or two. The worst one comes first: what keeps ids
 * from being drawn, then what will do so.
 */
#include "postgres.h"

#include "utils/builtins.h"
#include "utils/timestamp.h"

#include "common/guc.h"
#include "shmem/unreachable.h"
#include "sources/sources.h"
#include "sql/health.h"

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
		case IDGEN_PROBLEM_UNREACHABLE:
			return "unreachable";
		case IDGEN_PROBLEM_REFILL_FAILS:
			return "refill_fails";
		case IDGEN_PROBLEM_NO_WORKER:
			return "no_worker";
		case IDGEN_PROBLEM_LITTLE_LEFT:
			return "little_left";
		case IDGEN_PROBLEM_BROKEN:
			return "broken";
	}
	pg_unreachable();
}

/*
 * No id is left, or none that can be stored
 */

/* What has to be done so that more ids can be issued. */
static const char *
how_to_get_more(const IdgenHealth *health)
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
			return "Draw by idgen_next_big(), or from another id sequence.";
		case IDGEN_LIMIT_MAX_VALUE:
			if (health->def.layout->scrambled || extent->limit == PG_INT64_MAX)
				break;
			return health->def.exhausted ? "Raise max_value and set exhausted to 0." : "Raise max_value.";
	}
	return "Use another id sequence.";
}

static void
add_exhausted(Problems *problems, const IdgenHealth *health)
{
	const IdgenExtent *extent = &health->extent;

	if (health->def.exhausted && !idgen_is_at_end(health->def.next_block_start, extent->limit))
		add_problem(problems, IDGEN_PROBLEM_EXHAUSTED, "Its column exhausted is 1, though ids are left. Set that to 0.");
	else
		add_problem(problems, IDGEN_PROBLEM_EXHAUSTED, "No id is left within the limit of %s. %s", extent->limited_by,
		            how_to_get_more(health));
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

/* Another server does not answer. */
static void
add_unreachable(Problems *problems, const IdgenHealth *health)
{
	IdgenUnreachable unreachable;

	if (health->def.source->timeout == NULL ||
	    !idgen_unreachable_find(health->object, &unreachable))
		return;
	add_problem(problems, IDGEN_PROBLEM_UNREACHABLE, "Server %s has not answered since %s. Start it, or see what is in the way: %s.",
	            health->object_name, timestamptz_to_str(unreachable.since), unreachable.reason);
}

/*
 * Refills that do not get on
 */

static void
add_worker(Problems *problems, const IdgenHealth *health)
{
	if (health->worker == IDGEN_HEALTH_WORKER_FAILING)
		add_problem(problems, IDGEN_PROBLEM_REFILL_FAILS, "The worker could not refill: %s.", health->failure);
	else if (health->worker == IDGEN_HEALTH_WORKER_NO_SLOT)
		add_problem(problems, IDGEN_PROBLEM_NO_WORKER, "The server has no place for a worker. Raise max_worker_processes%s.",
		            health->def.refill == IDGEN_REFILL_AUTO ? "; until then, sessions refill themselves" : "");
}

/*
 * What is to come
 */

/* It will be used up soon, or little is left. */
static void
add_running_out(Problems *problems, const IdgenHealth *health)
{
	double percent = idgen_extent_percent_left(&health->extent);

	if (percent >= 0 && percent < idgen_warn_remaining)
		add_problem(problems, IDGEN_PROBLEM_LITTLE_LEFT, "Only %.2f percent of its ids are left within the limit of %s. %s", percent,
		            health->extent.limited_by, how_to_get_more(health));
}

/*
 * What is wrong with an id sequence, the worst first, palloc'd; NULL if nothing
 * is known to be. Says which one is the worst, too.
 */
const char *
idgen_health_problems(const IdgenHealth *health, IdgenProblem *worst)
{
	Problems problems = {.worst = IDGEN_PROBLEM_NONE};

	initStringInfo(&problems.text);
	if (health->object_name != NULL && !OidIsValid(health->object))
		add_source_missing(&problems, health);
	if (health->ids_left == 0 && health->misfits == NIL)
		add_exhausted(&problems, health);
	add_misfits(&problems, health);
	add_unreachable(&problems, health);
	add_worker(&problems, health);
	if (health->ids_left > 0)
		add_running_out(&problems, health);
	*worst = problems.worst;
	return problems.worst != IDGEN_PROBLEM_NONE ? problems.text.data : NULL;
}
