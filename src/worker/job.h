/*
 * job.h
 *		A job of the worker: one id sequence that sessions want refilled.
 */
#ifndef IDGEN_JOB_H
#define IDGEN_JOB_H

#include "datatype/timestamp.h"
#include "lib/ilist.h"
#include "lib/pairingheap.h"

#include "catalog/source.h"
#include "remote/connection.h"
#include "shmem/desk.h"

/* See the head of job.c for what leads from one state to another. */
typedef enum IdgenJobState
{
	IDGEN_JOB_READY,     /* to be tried, together with others */
	IDGEN_JOB_IN_LINE,   /* to be tried alone, to wait for the row */
	IDGEN_JOB_PAUSED,    /* waits until a lock may have gone */
	IDGEN_JOB_REMOTE,    /* another server is to be asked */
	IDGEN_JOB_ALLOCATED, /* over: there is something to publish */
	IDGEN_JOB_NOTHING,   /* over: a worker has nothing to allocate from */
	IDGEN_JOB_FAILED,    /* over: sessions get an error */
	IDGEN_JOB_EXPIRED,   /* over: what it needs was locked for too long */
} IdgenJobState;

/* What can happen to a job. All but the first are ways in which a try ends. */
typedef enum IdgenJobEvent
{
	IDGEN_EVENT_RESUMED,        /* the pause is over, or the other server was asked */
	IDGEN_EVENT_ALLOCATED,      /* there are new blocks */
	IDGEN_EVENT_NO_SOURCE,      /* there is nothing to allocate from */
	IDGEN_EVENT_ASKED,          /* it is known what to ask another server for */
	IDGEN_EVENT_ROW_TAKEN,      /* another transaction holds the row than before */
	IDGEN_EVENT_ROW_STILL_HELD, /* the same one holds it as before */
	IDGEN_EVENT_HELD_BY_ANY,    /* it is not known which one holds row or table */
	IDGEN_EVENT_LOCKED,         /* something else is locked, or time in line is over */
	IDGEN_EVENT_CANCELLED,      /* the wait for a lock was cancelled */
	IDGEN_EVENT_EXPIRED,        /* a lock, but it is too late to wait for it */
	IDGEN_EVENT_FAILED,         /* there is an error */
} IdgenJobEvent;

typedef struct IdgenJob
{
	IdgenJobState state;
	dlist_node node;             /* see job_lists.c, also for the next one */
	pairingheap_node pause_node; /* if PAUSED */
	IdgenTask *task;             /* what sessions have asked for */

	/* How it gets at what is locked: */
	bool row_locked;          /* had another transaction the row at the last try? */
	TransactionId row_holder; /* holds the row, as was last seen, or invalid */
	int pauses;               /* how many it has made */
	uint32 paused_ms;         /* the end of the last one; all times as idgen_clock_ms() says */
	uint32 begun_ms;          /* the first try */
	int line_ms;              /* how long it was last in line, 0 = never */

	/* What another server is or was asked for, or NULL. A pause keeps it. */
	IdgenRemoteQuery *query;

	/* What the last try has found and, in state ALLOCATED, allocated: */
	const IdgenSource *source; /* NULL if it did not get that far */
	uint32 origin;             /* as in IdgenRest */
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

extern IdgenJob *idgen_job_make(IdgenTask *task);
extern void idgen_job_free(IdgenJob *job);
extern void idgen_job_abandon_query(IdgenJob *job);
extern void idgen_job_take_event(IdgenJob *job, IdgenJobEvent event);
extern bool idgen_job_resume(IdgenJob *job);
extern long idgen_job_wait(const IdgenJob *job);
extern int idgen_job_time_in_line(IdgenJob *job);

extern int64 idgen_job_ahead_below(const IdgenJob *job);

extern void idgen_job_try(IdgenJob *job); /* in job_try.c */

#endif /* IDGEN_JOB_H */
