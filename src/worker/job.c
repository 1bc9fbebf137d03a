/*
 * job.c
 *		A job of the worker: one id sequence that sessions want refilled.
 *
 * The worker tries a job until it is over. Most jobs are over after one try,
 * which is made together with those of other id sequences, in one transaction.
 * What keeps a job from being over is a lock, or another server that takes its
 * time. Neither may keep the other jobs waiting. So a job is in one of these
 * states, and next_state() alone says which one an event leads to:
 *
 *		                  new
 *		                   |
 *		                   v
 *		    PAUSED <---> READY <---> REMOTE
 *		       ^           ^
 *		       |           |
 *		       |           v
 *		       +------- IN_LINE
 *
 *		    READY, IN_LINE ---> ALLOCATED, NOTHING, FAILED, EXPIRED: it is over
 *
 * READY
 *		The worker tries it, together with all that are ready, and does not wait
 *		for the row. The job becomes IN_LINE if another transaction holds the
 *		row than the one that held it at the last try, or if it is not known
 *		which one does. It becomes PAUSED if the same transaction still holds
 *		the row, or if something else is locked; and REMOTE if another server
 *		has been asked to allocate.
 * IN_LINE
 *		The worker tries it in a transaction for this job alone, which waits for
 *		the row. Where short transactions take turns on a row, only a process
 *		that stands in line ever gets it. How long that takes is found out by
 *		doubling the time. When the time is over, the job becomes READY, to see
 *		at once which transaction has the row now; or PAUSED if it was not known
 *		which one had it. (If the row leads to another source by now, what is
 *		said of READY holds.)
 * PAUSED
 *		The worker leaves it alone for a while, longer each time. Then the job
 *		becomes READY.
 * REMOTE
 *		Another server is working on it, while the worker has no transaction
 *		open for it. With the answer, or once there will be none, the job
 *		becomes READY: the next try takes the answer.
 *
 * ALLOCATED
 *		There are blocks to publish.
 * NOTHING
 *		There is nothing to allocate from any more, or not for a worker. The
 *		sessions that wait look at the row again.
 * FAILED
 *		There is an error, which the sessions that wait are told.
 * EXPIRED
 *		It would have to wait for a lock again, but idgen.worker_timeout has
 *		passed since a session asked.
 */
#include "postgres.h"

#include "storage/lmgr.h"
#include "utils/timestamp.h"

#include "common/as_owner.h"
#include "common/guc.h"
#include "common/subxact.h"
#include "draw/refill.h"
#include "session/validate.h"
#include "worker/failure.h"
#include "worker/job.h"

/* How long a job waits in line for the row: at first, and at most. */
#define IDGEN_LINE_MS     10
#define IDGEN_LINE_MAX_MS 500

/* By how much each pause is longer than the one before, and the longest one. */
#define IDGEN_PAUSE_MS     10
#define IDGEN_PAUSE_MAX_MS 100

/* What can happen to a job. All but the first are ways in which a try ends. */
typedef enum JobEvent
{
	EVENT_RESUMED,        /* the pause is over, or the other server's work */
	EVENT_ALLOCATED,      /* there are new blocks */
	EVENT_NO_SOURCE,      /* there is nothing to allocate from */
	EVENT_ASKED,          /* another server has been asked, and is not done */
	EVENT_ROW_TAKEN,      /* another transaction holds the row than before */
	EVENT_ROW_STILL_HELD, /* the same one holds it as before */
	EVENT_HELD_BY_ANY,    /* it is not known which one holds row or table */
	EVENT_LOCKED,         /* something else is locked, or time in line is over */
	EVENT_CANCELLED,      /* the wait for a lock was cancelled */
	EVENT_EXPIRED,        /* a lock, but it is too late to wait for it */
	EVENT_FAILED,         /* there is an error */
} JobEvent;

/* One try of a job, and how it ends unless an error is raised. */
typedef struct JobTry
{
	IdgenJob *job;
	JobEvent event;
} JobTry;

/* Make a job of a task, which the job then owns. */
IdgenJob *
idgen_job_make(IdgenTask *task)
{
	IdgenJob *job = palloc0(sizeof(IdgenJob));

	job->state = IDGEN_JOB_READY;
	job->task = task;
	return job;
}

/* Do without what another server may be working on. */
static void
abandon_query(IdgenJob *job)
{
	if (job->query != NULL)
		idgen_remote_abandon(job->query);
	job->query = NULL;
}

void
idgen_job_free(IdgenJob *job)
{
	abandon_query(job);
	pfree(job->task);
	pfree(job);
}

/* The state that a job comes to by an event. */
static IdgenJobState
next_state(const IdgenJob *job, JobEvent event)
{
	/* Was it in line behind a transaction that is known? */
	bool was_behind_holder = job->state == IDGEN_JOB_IN_LINE &&
		TransactionIdIsValid(job->row_holder);

	switch (event)
	{
		case EVENT_RESUMED:
			return IDGEN_JOB_READY;
		case EVENT_ALLOCATED:
			return IDGEN_JOB_ALLOCATED;
		case EVENT_NO_SOURCE:
			return IDGEN_JOB_NOTHING;
		case EVENT_FAILED:
			return IDGEN_JOB_FAILED;
		case EVENT_EXPIRED:
			return IDGEN_JOB_EXPIRED;
		case EVENT_ASKED:
			return IDGEN_JOB_REMOTE;
		case EVENT_ROW_TAKEN:
		case EVENT_HELD_BY_ANY:
			return IDGEN_JOB_IN_LINE;
		case EVENT_ROW_STILL_HELD:
			return IDGEN_JOB_PAUSED;
		case EVENT_LOCKED:
		case EVENT_CANCELLED:
			return was_behind_holder ? IDGEN_JOB_READY : IDGEN_JOB_PAUSED;
	}
	pg_unreachable();
}

/*
 * What it means that another transaction holds the row. "holder" is invalid if
 * that is not known.
 */
static JobEvent
event_of_holder(IdgenJob *job, TransactionId holder)
{
	TransactionId holder_before = job->row_holder;

	job->row_holder = holder;
	if (!TransactionIdIsValid(holder))
		return EVENT_HELD_BY_ANY;
	return holder == holder_before ? EVENT_ROW_STILL_HELD : EVENT_ROW_TAKEN;
}

/*
 * Allocate from what a handle has found. "dropped_at" is that of the cache
 * before the handle looked at the row. Of a row that the source keeps from
 * being changed, the cache is asked again.
 */
static JobEvent
allocate_from(IdgenJob *job, IdgenHandle *handle, uint64 dropped_at)
{
	const IdgenRequest request = {
		.blocks = job->task->nblocks,
		.count = Max(1, job->task->range),
		.joins = job->task->joins,
		.asker = job->state == IDGEN_JOB_IN_LINE ? IDGEN_ASKER_WORKER_IN_LINE : IDGEN_ASKER_WORKER,
		.under_way = &job->query,
	};
	IdgenSourceResult result;

	/* The row may lead elsewhere by now. */
	if (job->origin != handle->found.origin)
		abandon_query(job);
	if (job->query == NULL)
		job->good_as_of = dropped_at;
	job->origin = handle->found.origin;
	job->source = handle->found.source;

	result = idgen_refill_allocate(handle, &request, &job->refill);
	if (handle->found.source->locks_row)
		job->good_as_of = idgen_cache_dropped_at(&job->task->key);
	if (result == IDGEN_SOURCE_BUSY)
		return event_of_holder(job, job->refill.holder);
	if (result == IDGEN_SOURCE_UNDER_WAY)
		return EVENT_ASKED;
	return result == IDGEN_SOURCE_OK ? EVENT_ALLOCATED : EVENT_NO_SOURCE;
}

/*
 * Allocate what a job asks for: the action of a subtransaction.
 *
 * The worker does so as the owner of id_sequences, with the restrictions of a
 * security-restricted operation. The code that the owner has attached to that
 * table runs so as well. Triggers run as the role that has asked for the
 * refill (see row_triggers.c). The worker does not check who may draw: only
 * sessions that may have asked.
 */
static void
allocate(void *arg)
{
	JobTry *try = (JobTry *) arg;
	const IdgenCacheKey *key = &try->job->task->key;
	Oid owner = idgen_owner_of(key->relid);
	IdgenHandle *handle;
	uint64 dropped_at;
	IdgenIdentity worker;

	if (!OidIsValid(owner))
	{
		try->event = EVENT_NO_SOURCE;
		return;
	}
	if (OidIsValid(key->object) && !ConditionalLockRelationOid(key->object, RowExclusiveLock))
	{
		try->event = EVENT_LOCKED;
		return;
	}

	idgen_act_as(owner, &worker);
	dropped_at = idgen_cache_dropped_at(key);
	handle = idgen_handle_for_worker(key, try->job->task->requested_by);
	try->event = handle != NULL ? allocate_from(try->job, handle, dropped_at) : EVENT_NO_SOURCE;
	idgen_act_as_before(&worker);
}

/*
 * The error, which is freed, says that there are not enough consecutive ids.
 * But other sessions may wait for fewer: if none are cached, try with one
 * block. Returns the error of that try.
 */
static ErrorData *
try_without_range(JobTry *try, ErrorData *error)
{
	IdgenTask *task = try->job->task;

	idgen_failure_set(&try->job->failure, error, task->range);
	FreeErrorData(error);
	task->range = 0;
	task->nblocks = 1;
	if (task->joins.left == 0)
		return idgen_try(allocate, try, IDGEN_TRY_ANY);
	try->event = EVENT_FAILED;
	return NULL;
}

/*
 * What an error of a try means. Locks and cancelled statements of another
 * server are that server's business: here, they are failures.
 */
static JobEvent
event_of_error(const IdgenJob *job, const ErrorData *error)
{
	bool is_remote = job->source != NULL && job->source->timeout != NULL;

	if (!is_remote && error->sqlerrcode == ERRCODE_LOCK_NOT_AVAILABLE)
		return EVENT_LOCKED;
	if (!is_remote && error->sqlerrcode == ERRCODE_QUERY_CANCELED)
		return EVENT_CANCELLED;
	return EVENT_FAILED;
}

/*
 * Note an error for the sessions that wait, and log it. That an id sequence is
 * exhausted, or that its table is gone, is nothing to log: it is for the
 * sessions to raise.
 */
static void
note_failure(IdgenJob *job, const ErrorData *error)
{
	idgen_failure_set(&job->failure, error, 1);
	if (error->sqlerrcode == ERRCODE_SEQUENCE_GENERATOR_LIMIT_EXCEEDED ||
	    error->sqlerrcode == ERRCODE_UNDEFINED_TABLE)
		return;
	ereport(LOG,
	        (errcode(error->sqlerrcode),
	         errmsg("could not refill id sequence \"%s\": %s",
	                job->task->key.name, error->message),
	         error->detail != NULL ? errdetail_internal("%s", error->detail) : 0,
	         error->hint != NULL ? errhint("%s", error->hint) : 0));
}

/* Has a lock kept the worker from refilling? */
static bool
is_about_lock(JobEvent event)
{
	return event == EVENT_ROW_TAKEN || event == EVENT_ROW_STILL_HELD ||
		event == EVENT_HELD_BY_ANY || event == EVENT_LOCKED;
}

/* Is it too late to wait for a lock once more? */
static bool
has_expired(const IdgenJob *job)
{
	return TimestampDifferenceExceeds(job->task->begun_at, GetCurrentTimestamp(),
	                                  idgen_worker_timeout);
}

/* A pause begins, longer than the last one. */
static void
begin_pause(IdgenJob *job)
{
	int ms;

	job->pauses++;
	ms = Min(job->pauses * IDGEN_PAUSE_MS, IDGEN_PAUSE_MAX_MS);
	job->paused_until = TimestampTzPlusMilliseconds(GetCurrentTimestamp(), ms);
}

/* A try is over; "error" is that of EVENT_FAILED, or NULL. */
static void
take_event(IdgenJob *job, JobEvent event, const ErrorData *error)
{
	if (is_about_lock(event))
		idgen_cache_row_locked(&job->task->key); /* for sessions that give up */
	if ((is_about_lock(event) || event == EVENT_CANCELLED) && has_expired(job))
		event = EVENT_EXPIRED;
	job->state = next_state(job, event);
	if (job->state == IDGEN_JOB_PAUSED)
		begin_pause(job);
	else if (job->state == IDGEN_JOB_FAILED && error != NULL)
		note_failure(job, error);
	else if (job->state == IDGEN_JOB_EXPIRED)
		ereport(LOG,
		        (errcode(ERRCODE_LOCK_NOT_AVAILABLE),
		         errmsg("could not lock the row of id sequence \"%s\", or what it draws from, within %d ms",
		                job->task->key.name, idgen_worker_timeout)));
}

/*
 * Try a job that is READY or IN_LINE. Caller has begun a transaction, which is
 * for this job alone if that is IN_LINE. Raises no error of the id sequence's
 * own.
 */
void
idgen_job_try(IdgenJob *job)
{
	JobTry try = {.job = job};
	ErrorData *error;

	Assert(job->state == IDGEN_JOB_READY || job->state == IDGEN_JOB_IN_LINE);

	/* Those that wanted a range may have given up. */
	if (job->task->range > 0 && job->query == NULL && !idgen_cache_has_waiters(&job->task->key))
		job->task->range = 0;

	job->source = NULL;
	error = idgen_try(allocate, &try, IDGEN_TRY_ANY);
	if (error != NULL && job->task->range > 0 &&
	    error->sqlerrcode == ERRCODE_SEQUENCE_GENERATOR_LIMIT_EXCEEDED)
		error = try_without_range(&try, error);
	if (error != NULL)
		try.event = event_of_error(job, error);
	take_event(job, try.event, error);
	if (error != NULL)
		FreeErrorData(error);
}

/* Make a job READY if what it waits for has come. Returns whether it has. */
bool
idgen_job_resume(IdgenJob *job)
{
	bool come;

	Assert(job->state == IDGEN_JOB_PAUSED || job->state == IDGEN_JOB_REMOTE);
	if (job->state == IDGEN_JOB_PAUSED)
		come = job->paused_until <= GetCurrentTimestamp();
	else
		come = idgen_remote_advance(job->query);
	if (come)
		job->state = next_state(job, EVENT_RESUMED);
	return come;
}

/* When to resume a job that waits, even if no socket is ready. */
TimestampTz
idgen_job_due(const IdgenJob *job)
{
	return job->state == IDGEN_JOB_PAUSED ? job->paused_until : idgen_remote_due(job->query);
}

/*
 * For how many milliseconds a job waits in line this time: twice as long as the
 * last time. But always for a short time if it is not known which transaction
 * holds the row: it may not be the row that is locked.
 */
int
idgen_job_time_in_line(IdgenJob *job)
{
	if (TransactionIdIsValid(job->row_holder))
		job->line_ms = Min(Max(job->line_ms * 2, IDGEN_LINE_MS), IDGEN_LINE_MAX_MS);
	else
		job->line_ms = IDGEN_LINE_MS;
	return job->line_ms;
}
