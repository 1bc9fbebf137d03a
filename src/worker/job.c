/*
 * job.c
 *		A job of the worker: one id sequence that sessions want refilled. Its
 *		states.
 *
 * The worker tries a job until it is over. Most jobs are over after one try,
 * which is made together with those of other id sequences, in one transaction.
 * What keeps a job from being over is a lock, or another server that takes its
 * time. Neither may keep the other jobs waiting. So a job is in one of these
 * states, and next_state() alone says which one an event leads to. (job_try.c
 * is what happens in a try.)
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
 *		has to be asked to allocate.
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
 *		The worker asks another server, without a transaction. With the answer,
 *		or when it has failed to get one, the job becomes READY: the next try
 *		takes what has come of it.
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

#include "common/clock.h"
#include "common/guc.h"
#include "common/lock_holder.h"
#include "worker/job.h"

/* How long a job waits in line for the row: at first, and at most. */
#define IDGEN_LINE_MS     10
#define IDGEN_LINE_MAX_MS 500

/* By how much each pause is longer than the one before, and the longest one. */
#define IDGEN_PAUSE_MS     10
#define IDGEN_PAUSE_MAX_MS 100

/* Make a job of a task, which the job then owns. */
IdgenJob *
idgen_job_make(IdgenTask *task)
{
	IdgenJob *job = palloc0(sizeof(IdgenJob));

	job->state = IDGEN_JOB_READY;
	job->task = task;
	job->begun_ms = idgen_clock_ms();
	return job;
}

/* Do without what another server may be working on. */
void
idgen_job_abandon_query(IdgenJob *job)
{
	if (job->query != NULL)
		idgen_remote_abandon(job->query);
	job->query = NULL;
}

void
idgen_job_free(IdgenJob *job)
{
	idgen_job_abandon_query(job);
	pfree(job->task);
	pfree(job);
}

/* The state that a job comes to by an event. */
static IdgenJobState
next_state(const IdgenJob *job, IdgenJobEvent event)
{
	/* Was it in line behind a transaction that is known? */
	bool was_behind_holder = job->state == IDGEN_JOB_IN_LINE &&
		TransactionIdIsValid(job->row_holder);

	switch (event)
	{
		case IDGEN_EVENT_RESUMED:
			return IDGEN_JOB_READY;
		case IDGEN_EVENT_ALLOCATED:
			return IDGEN_JOB_ALLOCATED;
		case IDGEN_EVENT_NO_SOURCE:
			return IDGEN_JOB_NOTHING;
		case IDGEN_EVENT_FAILED:
			return IDGEN_JOB_FAILED;
		case IDGEN_EVENT_EXPIRED:
			return IDGEN_JOB_EXPIRED;
		case IDGEN_EVENT_ASKED:
			return IDGEN_JOB_REMOTE;
		case IDGEN_EVENT_ROW_TAKEN:
		case IDGEN_EVENT_HELD_BY_ANY:
			return IDGEN_JOB_IN_LINE;
		case IDGEN_EVENT_ROW_STILL_HELD:
			return IDGEN_JOB_PAUSED;
		case IDGEN_EVENT_LOCKED:
		case IDGEN_EVENT_CANCELLED:
			return was_behind_holder ? IDGEN_JOB_READY : IDGEN_JOB_PAUSED;
	}
	pg_unreachable();
}

/* Has a lock kept the worker from refilling? */
static bool
is_about_lock(IdgenJobEvent event)
{
	return event == IDGEN_EVENT_ROW_TAKEN || event == IDGEN_EVENT_ROW_STILL_HELD ||
		event == IDGEN_EVENT_HELD_BY_ANY || event == IDGEN_EVENT_LOCKED;
}

/* Note for sessions that wait whether they wait for somebody's lock. */
static void
note_row(IdgenJob *job, bool locked)
{
	if (locked != job->row_locked)
		idgen_desk_note_row(job->task, locked);
	job->row_locked = locked;
}

/* Is it too late to wait for a lock once more? */
static bool
has_expired(const IdgenJob *job)
{
	return idgen_clock_ms() - job->begun_ms > (uint32) idgen_worker_timeout;
}

/* A pause begins, longer than the last one. */
static void
begin_pause(IdgenJob *job)
{
	job->pauses++;
	job->paused_ms = idgen_clock_ms() + Min(job->pauses * IDGEN_PAUSE_MS, IDGEN_PAUSE_MAX_MS);
}

/* The worker gives up, with a line in the log. Caller is in a transaction. */
static void
log_expired(const IdgenJob *job)
{
	const IdgenCacheKey *key = &job->task->key;
	IdgenLock lock;
	IdgenLockHolder holder;
	bool known;

	if (!idgen_lock_of_running(job->row_holder, &lock))
		lock = idgen_lock_of_relation(OidIsValid(key->object) ? key->object : key->relid);
	known = idgen_lock_find_holder(&lock, &holder);
	ereport(LOG,
	        (errcode(ERRCODE_LOCK_NOT_AVAILABLE),
	         errmsg("could not lock the row of id sequence \"%s\", or what it draws from, within %d ms",
	                job->task->name, idgen_worker_timeout),
	         known && holder.pid != 0 ? errdetail_log("Process holding the lock: %d.", holder.pid) : 0));
}

/*
 * An event brings a job to its next state. Logs that it has EXPIRED. Why it has
 * FAILED, the caller has noted.
 */
void
idgen_job_take_event(IdgenJob *job, IdgenJobEvent event)
{
	if (event != IDGEN_EVENT_RESUMED && event != IDGEN_EVENT_CANCELLED && event != IDGEN_EVENT_ASKED)
		note_row(job, is_about_lock(event));
	if ((is_about_lock(event) || event == IDGEN_EVENT_CANCELLED) && has_expired(job))
		event = IDGEN_EVENT_EXPIRED;
	job->state = next_state(job, event);
	if (job->state == IDGEN_JOB_PAUSED)
		begin_pause(job);
	else if (job->state == IDGEN_JOB_EXPIRED)
		log_expired(job);
}

/* Make a PAUSED job READY if the pause is over. Returns whether it is. */
bool
idgen_job_resume(IdgenJob *job)
{
	bool over = idgen_job_wait(job) == 0;

	if (over)
		idgen_job_take_event(job, IDGEN_EVENT_RESUMED);
	return over;
}

/* For how many milliseconds is a job still PAUSED? */
long
idgen_job_wait(const IdgenJob *job)
{
	return Max((int32) (job->paused_ms - idgen_clock_ms()), 0);
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

/*
 * How many of the ids that a job has allocated are left when the worker is to
 * refill again? Those that sessions get who wait for a range do not count.
 */
int64
idgen_job_ahead_below(const IdgenJob *job)
{
	int64 for_others = Max(idgen_rest_ids(&job->refill.rest) - job->task->range, 0);

	return for_others / 100.0 * idgen_prefetch_threshold;
}
