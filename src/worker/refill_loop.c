/*
 * refill_loop.c
 *		The worker's refill loop: does what sessions have asked for.
 *
 * At each turn, the worker makes jobs of what sessions have asked for. It tries
 * all jobs that are READY in one transaction, each in a subtransaction. So no
 * session waits for the transaction of another user (rule W1), and many id
 * sequences cost one commit. Then one job that is IN_LINE has a transaction for
 * itself. job.c tells what these states are.
 *
 * What becomes of a job is published, be it blocks or an error. The sessions
 * that wait for it then wake up.
 */
#include "postgres.h"

#include "access/xact.h"
#include "miscadmin.h"
#include "pgstat.h"
#include "storage/latch.h"
#include "storage/proc.h"
#include "utils/guc.h"
#include "utils/memutils.h"
#include "utils/snapmgr.h"
#include "utils/timestamp.h"

#include "common/durable.h"
#include "common/guc.h"
#include "draw/refill.h"
#include "remote/remote_query.h"
#include "session/handle.h"
#include "shmem/worker_requests.h"
#include "worker/failure.h"
#include "worker/job.h"
#include "worker/refill_loop.h"

/* How long jobs that do not wait for rows wait for locks of other kinds. */
#define IDGEN_LOCK_MS 10

/*
 * When a transaction has this many subtransactions that have written, it tries
 * no more jobs. The server keeps the subtransactions of a transaction in
 * memory, up to a maximum. Beyond that, all sessions have to look into
 * pg_subtrans as well, until the transaction ends. A job takes one
 * subtransaction, and a few more with the triggers that users put on
 * id_sequences.
 */
#define IDGEN_MAX_SUBXACTS (PGPROC_MAX_CACHED_SUBXIDS - 4)

/*
 * The jobs that are not over, by what is to be done with them; and the memory
 * of them, of their tasks and of these lists.
 */
static MemoryContext job_memory;
static List *ready_jobs = NIL;
static List *jobs_in_line = NIL;
static List *waiting_jobs = NIL; /* PAUSED or REMOTE */

/* Put a job that is not over on the list of its state. */
static void
list_job(IdgenJob *job)
{
	MemoryContext context = MemoryContextSwitchTo(job_memory);

	switch (job->state)
	{
		case IDGEN_JOB_READY:
			ready_jobs = lappend(ready_jobs, job);
			break;
		case IDGEN_JOB_IN_LINE:
			jobs_in_line = lappend(jobs_in_line, job);
			break;
		default:
			waiting_jobs = lappend(waiting_jobs, job);
			break;
	}
	MemoryContextSwitchTo(context);
}

/* Make jobs of what sessions have asked for since the last time. */
static void
accept_requests(void)
{
	MemoryContext context = MemoryContextSwitchTo(job_memory);
	List *tasks = idgen_cache_take_requests(MyDatabaseId);
	ListCell *cell;

	foreach(cell, tasks)
		list_job(idgen_job_make(lfirst(cell)));
	list_free(tasks);
	MemoryContextSwitchTo(context);
}

/* Go on with the jobs for which it is time. */
static void
resume_jobs(void)
{
	List *jobs = waiting_jobs;
	ListCell *cell;

	waiting_jobs = NIL;
	foreach(cell, jobs)
	{
		IdgenJob *job = lfirst(cell);

		(void) idgen_job_resume(job);
		list_job(job);
	}
	list_free(jobs);
}

/*
 * From now on, wait that long for a lock: for that of a row, if a job waits
 * for one, as for those of tables and sequences.
 */
static void
set_lock_timeout(int ms)
{
	if (LockTimeout != ms)
		SetConfigOption("lock_timeout", psprintf("%d", ms), PGC_SUSET, PGC_S_OVERRIDE);
}

/* Begin a transaction for a number of jobs. */
static void
begin_transaction(int njobs, int lock_ms)
{
	MemoryContext context = CurrentMemoryContext;
	char activity[64];

	snprintf(activity, sizeof(activity), "refilling %d id sequences", njobs);
	pgstat_report_activity(STATE_RUNNING, activity);
	set_lock_timeout(lock_ms);

	SetCurrentStatementStartTimestamp();
	StartTransactionCommand();
	PushActiveSnapshot(GetTransactionSnapshot());
	MemoryContextSwitchTo(context);
}

/*
 * Commit it. Nothing may fail between the commit and what is published after
 * it.
 */
static void
commit_transaction(void)
{
	MemoryContext context = CurrentMemoryContext;

	PopActiveSnapshot();
	CommitTransactionCommand();
	MemoryContextSwitchTo(context);
}

/* Are the blocks of a job those of the transaction, until it commits? */
static bool
is_transactional(const IdgenJob *job)
{
	return job->source != NULL && job->source->transactional;
}

/*
 * Try these jobs, as many of them as there is room for in the transaction.
 * Takes the others off the list, and returns them.
 */
static List *
try_jobs(List **jobs)
{
	ListCell *cell;

	foreach(cell, *jobs)
	{
		IdgenJob *job = lfirst(cell);

		if (MyProc->subxidStatus.count >= IDGEN_MAX_SUBXACTS)
		{
			List *left = list_copy_tail(*jobs, foreach_current_index(cell));

			*jobs = list_truncate(*jobs, foreach_current_index(cell));
			return left;
		}
		idgen_job_try(job);
		if (job->state == IDGEN_JOB_ALLOCATED && is_transactional(job))
			ForceSyncCommit();
	}
	return NIL;
}

/*
 * Publish what a job that is over has brought, and wake the sessions that wait
 * for it. If not all standbys have it that should, the blocks are lost.
 */
static void
publish(const IdgenJob *job, bool replicated)
{
	const IdgenFailure *failure = job->failure.sqlerrcode != 0 ? &job->failure : NULL;
	IdgenOutcome outcome = {0};
	int64 for_others; /* how many ids sessions get that have not waited */

	if (job->state != IDGEN_JOB_ALLOCATED)
	{
		idgen_cache_end_attempt(job->task, NULL, failure);
		return;
	}
	outcome.rest_fate = replicated ? IDGEN_OUTCOME_PUBLISHED : IDGEN_OUTCOME_LOST;
	outcome.rest = job->refill.rest;
	outcome.rest_good_as_of = job->good_as_of;
	for_others = Max(idgen_rest_ids(&outcome.rest) - job->task->range, 0);
	outcome.ahead_below = for_others / 100.0 * idgen_prefetch_threshold;
	idgen_count_refill(&outcome.counters, &job->refill);
	idgen_cache_end_attempt(job->task, &outcome, failure);
}

/*
 * Publish what does not depend on the commit: blocks of native sequences and of
 * other servers. That is done before the commit, as long as the transaction
 * keeps native sequences locked, so that ALTER SEQUENCE cannot give one a new
 * file before its blocks are published.
 */
static void
publish_before_commit(const List *jobs)
{
	XLogRecPtr lsn = InvalidXLogRecPtr;
	bool replicated;
	ListCell *cell;

	foreach(cell, jobs)
	{
		const IdgenJob *job = lfirst(cell);

		if (job->state == IDGEN_JOB_ALLOCATED)
			lsn = Max(lsn, job->refill.lsn);
	}
	replicated = idgen_make_durable(lsn);
	foreach(cell, jobs)
	{
		const IdgenJob *job = lfirst(cell);

		if (idgen_job_is_over(job) && !is_transactional(job))
			publish(job, replicated || job->refill.lsn == InvalidXLogRecPtr);
	}
}

/* Publish what the transaction has allocated, which is on disk now. */
static void
publish_after_commit(const List *jobs)
{
	bool replicated = idgen_is_replicated(XactLastCommitEnd);
	ListCell *cell;

	foreach(cell, jobs)
	{
		const IdgenJob *job = lfirst(cell);

		if (idgen_job_is_over(job) && is_transactional(job))
			publish(job, replicated);
	}
}

/*
 * Free the jobs that are over, and put the others on the lists of their
 * states.
 */
static void
sort_out(List *jobs)
{
	ListCell *cell;

	foreach(cell, jobs)
	{
		IdgenJob *job = lfirst(cell);

		if (idgen_job_is_over(job))
			idgen_job_free(job);
		else
			list_job(job);
	}
	list_free(jobs);
}

/*
 * One transaction for these jobs, or as many of them as there is room for.
 * Frees the list. Returns the jobs for which there was no room.
 */
static List *
refill(List *jobs, int lock_ms)
{
	List *left;

	begin_transaction(list_length(jobs), lock_ms);
	left = try_jobs(&jobs);
	publish_before_commit(jobs);
	commit_transaction();
	publish_after_commit(jobs);

	sort_out(jobs);
	pgstat_report_activity(STATE_IDLE, NULL);
	pgstat_report_stat(false);
	SetLatch(MyLatch); /* more may have been asked of these meanwhile */
	return left;
}

/* Go around once. Returns false if there was nothing to do. */
bool
idgen_refill_loop_turn(void)
{
	List *jobs;
	bool any;

	accept_requests();
	resume_jobs();

	jobs = ready_jobs;
	ready_jobs = NIL;
	any = jobs != NIL;
	while (jobs != NIL)
		jobs = refill(jobs, IDGEN_LOCK_MS);

	if (jobs_in_line != NIL)
	{
		IdgenJob *job = linitial(jobs_in_line);

		jobs_in_line = list_delete_first(jobs_in_line);
		(void) refill(list_make1(job), idgen_job_time_in_line(job));
		any = true;
	}
	return any;
}

/*
 * When to go around again, even if no session asks; DT_NOEND if there are no
 * jobs.
 */
TimestampTz
idgen_refill_loop_due(void)
{
	TimestampTz due = DT_NOEND;
	ListCell *cell;

	if (ready_jobs != NIL || jobs_in_line != NIL)
		return GetCurrentTimestamp();
	foreach(cell, waiting_jobs)
		due = Min(due, idgen_job_due(lfirst(cell)));
	return due;
}

/*
 * There is an error that is not about one id sequence. Tell the sessions that
 * wait, and forget the jobs.
 */
void
idgen_refill_loop_abandon(const ErrorData *error)
{
	IdgenFailure failure;

	idgen_failure_set(&failure, error, 1);
	failure.of = IDGEN_FAILURE_OF_WORKER;
	idgen_cache_abandon_attempts(MyDatabaseId, &failure);
	idgen_remote_abandon_all();
	ready_jobs = jobs_in_line = waiting_jobs = NIL;
	MemoryContextReset(job_memory);
}

/* Called once by the worker. */
void
idgen_refill_loop_init(void)
{
	job_memory = AllocSetContextCreate(TopMemoryContext, "idgen worker jobs",
	                                   ALLOCSET_DEFAULT_SIZES);
}
