/*
 * job.h
 *		A job of the worker: one id sequence that sessions want refilled.
 */
#ifndef IDGEN_JOB_H
#define IDGEN_JOB_H

#include "datatype/timestamp.h"

#include "catalog/source.h"
#include "remote/remote_query.h"
#include "shmem/worker_requests.h"

/* See the head of job.c for what leads from one state to another. */
typedef enum IdgenJobState
{
	IDGEN_JOB_READY,     /* to be tried, together with others */
	IDGEN_JOB_IN_LINE,   /* to be tried alone, to wait for the row */
	IDGEN_JOB_PAUSED,    /* waits until a lock may have gone */
	IDGEN_JOB_REMOTE,    /* waits for another server */
	IDGEN_JOB_ALLOCATED, /* over: there is something to publish */
	IDGEN_JOB_NOTHING,   /* over: a worker has nothing to allocate from */
	IDGEN_JOB_FAILED,    /* over: sessions get an error */
	IDGEN_JOB_EXPIRED,   /* over: what it needs was locked for too long */
} IdgenJobState;

typedef struct IdgenJob
{
	IdgenJobState state;
	IdgenTask *task; /* what sessions have asked for */

	/* How it gets at what is locked: */
	TransactionId row_holder; /* holds the row, as was last seen, or invalid */
	int pauses;               /* how many it has made */
	TimestampTz paused_until; /* the end of the last one */
	int line_ms;              /* how long it was last in line, 0 = never */

	/* What another server is working on, or NULL. A pause does not end it. */
	IdgenRemoteQuery *query;

	/* What the last try has found and, in state ALLOCATED, allocated: */
	const IdgenSource *source; /* NULL if it did not get that far */
	uint32 origin;             /* as in IdgenRest */
	uint64 good_as_of;         /* as rest_good_as_of in IdgenOutcome */
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
extern void idgen_job_try(IdgenJob *job);
extern bool idgen_job_resume(IdgenJob *job);
extern TimestampTz idgen_job_due(const IdgenJob *job);
extern int idgen_job_time_in_line(IdgenJob *job);

#endif /* IDGEN_JOB_H */
