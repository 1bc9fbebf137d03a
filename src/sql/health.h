/*
 * health.h
 *		What view idgen_health finds out of id sequences.
 */
#ifndef IDGEN_HEALTH_H
#define IDGEN_HEALTH_H

#include "fmgr.h"
#include "nodes/execnodes.h"

#include "catalog/definition.h"
#include "catalog/extent.h"
#include "common/forecast.h"
#include "common/lock_holder.h"
#include "sql/health_cache.h"
#include "sql/limits.h"

/* How much the role is shown that reads the view. */
typedef enum IdgenHealthReader
{
	IDGEN_READER_DRAWS,    /* what it may draw from */
	IDGEN_READER_MONITORS, /* all: it is a member of pg_monitor */
} IdgenHealthReader;

/* What is to be known of the worker that refills an id sequence. */
typedef enum IdgenHealthWorker
{
	IDGEN_HEALTH_NO_WORKER, /* none does */
	IDGEN_HEALTH_WORKER_RUNNING,
	IDGEN_HEALTH_WORKER_STARTING,
	IDGEN_HEALTH_WORKER_NOT_RUNNING, /* one is started when it is needed */
	IDGEN_HEALTH_WORKER_NO_SLOT,     /* the server has had no place for it */
	IDGEN_HEALTH_WORKER_BACKING_OFF, /* its last attempt has failed; the next request
	                                  * leads to another one */
} IdgenHealthWorker;

/* What can be wrong with an id sequence. */
typedef enum IdgenProblem
{
	IDGEN_PROBLEM_NONE,
	IDGEN_PROBLEM_SOURCE_MISSING,
	IDGEN_PROBLEM_EXHAUSTED,
	IDGEN_PROBLEM_DOES_NOT_FIT,
	IDGEN_PROBLEM_WENT_BACK,
	IDGEN_PROBLEM_NO_NODE_NUMBER,
	IDGEN_PROBLEM_NODE_DOES_NOT_FIT,
	IDGEN_PROBLEM_UNREACHABLE,
	IDGEN_PROBLEM_BLOCKED,
	IDGEN_PROBLEM_REFILL_FAILS,
	IDGEN_PROBLEM_NO_WORKER,
	IDGEN_PROBLEM_DEFAULT_CHANGED,
	IDGEN_PROBLEM_BEHIND_COLUMN,
	IDGEN_PROBLEM_USED_UP_SOON,
	IDGEN_PROBLEM_LITTLE_LEFT,
	IDGEN_PROBLEM_CACHE_THRASHES,
	IDGEN_PROBLEM_BROKEN,
	IDGEN_PROBLEM_NOT_PRELOADED, /* of the server, not of an id sequence */
} IdgenProblem;

/* One reading of the view: what is the same for all that it shows. */
typedef struct IdgenHealthView
{
	ReturnSetInfo *result;
	Relation rel;          /* id_sequences */
	MemoryContext context; /* as long as the reading goes on */
	IdgenHealthReader reader;
	TimestampTz now;
	IdgenHealthCache cache;
	IdgenHealthWorker worker; /* of this database; never BACKING_OFF */
	bool cache_thrashes;      /* of the server */
} IdgenHealthView;

/* An id sequence that is to be shown. */
typedef struct IdgenHealthItem
{
	const char *name;
	HeapTuple row;                 /* NULL if there is none */
	const IdgenHealthEntry *entry; /* what the cache knows of it, or NULL */

	/*
	 * The native sequence that blocks come from; invalid if it is missing, or
	 * with another source.
	 */
	Oid sequence;

	/* The transaction that a refill waits for, if there is one. */
	bool waits;
	IdgenLockHolder holder;
} IdgenHealthItem;

/* What has been found out of it. */
typedef struct IdgenHealth
{
	const IdgenHealthItem *item;

	/* What the row says. Without one, only source, refill and layout. */
	IdgenDefinition def;

	const char *refill; /* as the row says */

	/*
	 * The native sequence, function or server that blocks come from, invalid if
	 * it is missing; and what it is called, or would have to be. NULL with
	 * source "table".
	 */
	Oid object;
	const char *object_name;

	List *columns;   /* that take its ids, and count: of IdgenDrawingColumn */
	List *strangers; /* that take its ids, and do not count */
	List *misfits;   /* of these, the ones that cannot hold them */
	IdgenExtent extent;
	double ids_left; /* within the limit, cached ones included; IDGEN_NOT_KNOWN also
	                  * if there are misfits */
	IdgenUsage usage;
	IdgenHealthWorker worker;
	char *failure; /* why the worker backs off */
} IdgenHealth;

/* health_line.c */
extern void idgen_health_show(IdgenHealthView *view, const IdgenHealthItem *item, TupleTableSlot *row);
extern void idgen_health_show_broken(const IdgenHealthView *view, const IdgenHealthItem *item,
                                     const ErrorData *error);
extern void idgen_health_show_not_preloaded(const IdgenHealthView *view);

/* health_problems.c */
extern const char *idgen_health_problems(IdgenHealthView *view, const IdgenHealth *health,
                                         IdgenProblem *worst);
extern const char *idgen_problem_name(IdgenProblem problem);

/* health_default.c */
extern const char *idgen_health_changed_default(const IdgenDrawingColumn *column);

/* health_ahead.c */
extern bool idgen_health_is_ahead(IdgenHealthView *view, const IdgenHealth *health,
                                  const IdgenDrawingColumn *column);

#endif /* IDGEN_HEALTH_H */
