/*
 * job.h
 *		A job of the worker: one id sequence that sessions want refilled.
 */
#ifndef IDGEN_JOB_H
#define IDGEN_JOB_H

#include "lib/ilist.h"
#include "lib/pairingheap.h"

#include "catalog/source.h"
#include "remote/connection.h"
#include "cache/desk.h"

/* See the head of job.c for what leads from one state to another. */
typedef enum IdgenJobState
{
	IDGEN_JOB_TO_TRY,    /* when it is due, together with others */
	IDGEN_JOB_IN_LINE,   /* to be tried alone, or asked for alone: to wait for the row,
	                      * or since it may make others fail */
	IDGEN_JOB_REMOTE,    /* another server is to be asked */
	IDGEN_JOB_ALLOCATED, /* over: there is something to publish */
	IDGEN_JOB_OVER,      /* over: there is nothing, be it that it has failed */
} IdgenJobState;

typedef struct IdgenJob
{
	IdgenJobState state;
	pairingheap_node due_node; /* if TO_TRY */
	dlist_node node;           /* if IN_LINE or REMOTE */
	IdgenTask *task;           /* what sessions have asked for */

	/* How it gets at what is locked; all times as idgen_clock_ms() says: */
	uint32 due_ms;            /* leave it alone until then */
	uint32 begun_ms;          /* the first try */
	bool row_locked;          /* had another transaction the row at the last try? */
	TransactionId row_holder; /* holds the row, as was last seen, or invalid */
	int pauses;               /* how many it has made */
	int line_ms;              /* how long it was last in line, 0 = never */

	/* What another server is or was asked for, or NULL. A pause keeps it. */
	IdgenRemoteQuery *query;

	/* What the last try has found and, in state ALLOCATED, allocated: */
	const IdgenSource *source; /* NULL if it did not get that far */
	uint64 good_as_of;         /* as in IdgenOutcome, if it is not transactional */
	IdgenRefill refill;

	/*
	 * What sessions are told, whatever the state: a job that has found too few
	 * ids for a range may still allocate for those that want single ids.
	 */
	IdgenFailure failure;
} IdgenJob;

/* Is a job in one of the states in which nothing more is tried? */
static inline bool
idgen_job_is_over(const IdgenJob *job)
{
	return job->state >= IDGEN_JOB_ALLOCATED;
}

/* The memory of jobs, of their tasks, and of what servers are asked for. */
extern MemoryContext idgen_job_memory;

extern IdgenJob *idgen_job_make(IdgenTask *task);
extern void idgen_job_free(IdgenJob *job);
extern void idgen_job_try(IdgenJob *job);
extern int idgen_job_time_in_line(IdgenJob *job);
extern int64 idgen_job_ahead_below(const IdgenJob *job);
extern void idgen_failure_set(IdgenFailure *failure, const ErrorData *error, int64 count);

#endif /* IDGEN_JOB_H */
