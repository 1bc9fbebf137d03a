/*
 * refill_loop.c
 *		The worker's refill loop: does what sessions have asked for.
 *
 * A transaction refills up to 60 id sequences, each in a subtransaction. So no
 * session waits for the transaction of another user (rule W1), and many id
 * sequences cost one commit. A job that is IN_LINE has a transaction for
 * itself. job.c tells what these states are.
 *
 * The worker takes a request only when it tries it. Each time it looks first
 * for those that sessions wait for (shmem/desk.c). A transaction that has
 * served such a session takes no refill ahead of need any more: the session
 * goes on when it commits. So a session waits for the try that is just being
 * made, and for those that others have waited for longer. A request that others
 * overtake is one that nobody waits for. When somebody does, others do not
 * overtake it any more.
 *
 * Jobs that have been tried before are older than what is requested now. But
 * there may be many of them, of which most are still locked: so they get the
 * first half of a transaction at most. And a job that waits in line keeps all
 * others from being served: so the next one stands in line only when that much
 * time has passed as the last one has taken, or when there is nothing else to
 * do.
 *
 * The end of the transaction publishes its blocks, as that of any session; then
 * the sessions that wait wake up. If it is the commit that fails, each job is
 * tried once more, alone: so only the culprit fails.
 */
#include "postgres.h"

#include "access/xact.h"
#include "miscadmin.h"
#include "pgstat.h"
#include "storage/latch.h"
#include "storage/proc.h"
#include "utils/guc.h"
#include "utils/snapmgr.h"
#include "utils/timestamp.h"

#include "common/durable.h"
#include "common/guc.h"
#include "draw/refill.h"
#include "remote/connection.h"
#include "session/handle.h"
#include "common/clock.h"
#include "shmem/cache.h"
#include "shmem/desk.h"
#include "worker/failure.h"
#include "worker/job_lists.h"
#include "worker/refill_loop.h"

/* How long jobs that do not wait for rows wait for locks of other kinds. */
#define IDGEN_LOCK_MS 10

/*
 * A transaction has this many jobs at most, and tries no more of them when it
 * has this many subtransactions that have written: with the triggers that users
 * put on id_sequences, a job takes more than one. The server keeps the
 * subtransactions of a transaction in memory, up to a maximum. Beyond that, all
 * sessions have to look into pg_subtrans as well, until the transaction ends.
 */
#define IDGEN_MAX_SUBXACTS (PGPROC_MAX_CACHED_SUBXIDS - 4)

/*
 * A worker that has to ask a server takes this many at a time: they are asked
 * for one after the other.
 */
#define IDGEN_MAX_ASKED 16

/* For so long it asks before it publishes what it has got. */
#define IDGEN_ASK_MS 10

/* At most this many of them have been tried before. */
#define IDGEN_MAX_RESUMED (IDGEN_MAX_SUBXACTS / 2)

/* The jobs of a transaction. */
typedef struct Batch
{
	List *jobs;
	int resumed;  /* how many of them have been tried before */
	bool awaited; /* do sessions wait for a new one? */
} Batch;

/*
 * When the last job has left the line, and how long it has stood there: for as
 * long none stands in line again, if there are others to be tried. As
 * idgen_clock_ms() says.
 */
static uint32 line_left_ms = 0;
static uint32 line_took_ms = 0;

/*
 * The jobs of the transaction that is being committed; and those of one whose
 * commit has failed, each of which is tried in a transaction of its own. They
 * are in idgen_job_memory.
 */
static List *committing = NIL;
static List *suspects = NIL;

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

/* Begin a transaction that waits that long for a lock. */
static void
begin_transaction(int lock_ms)
{
	MemoryContext context = CurrentMemoryContext;

	pgstat_report_activity(STATE_RUNNING, "refilling id sequences");
	set_lock_timeout(lock_ms);

	SetCurrentStatementStartTimestamp();
	StartTransactionCommand();
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

	CommitTransactionCommand();
	MemoryContextSwitchTo(context);
}

/* Are the blocks of a job those of the transaction, until it commits? */
static bool
is_transactional(const IdgenJob *job)
{
	return job->source != NULL && job->source->transactional;
}

/* A job has come to its end: tell the sessions that wait. */
static void
end_task(const IdgenTask *task, const IdgenFailure *failure)
{
	IdgenFailureNote note;
	IdgenSlot *slot;

	idgen_desk_end(task, failure, &note);
	slot = idgen_cache_lock(&task->key);
	if (slot == NULL)
		return;
	slot->failure = note;
	if (failure != NULL)
		idgen_slot_note_failure(slot, failure->of == IDGEN_FAILURE_OF_SERVER);
	LWLockRelease(&slot->lock);
}

/*
 * Begin with a task: note what is to be done for it. Returns false if there are
 * enough ids by now: another refill has served whoever asked.
 */
static bool
begin_task(IdgenTask *task)
{
	uint64 version;
	IdgenSlot *slot = idgen_cache_attach(&task->key, &version);
	bool needed = true;

	task->begun_at = GetCurrentTimestamp();
	LWLockAcquire(&slot->lock, LW_EXCLUSIVE);
	if (task->awaited)
		needed = task->range > 0 || slot->ids_left == 0;
	else
		needed = slot->ids_left <= slot->ahead_below || (int32) (slot->filled_ms - task->asked_ms) <= 0;
	needed = needed || slot->version != version;
	if (needed)
	{
		idgen_slot_begin_refill(slot, &task->nblocks, &task->bulk_ids);
		task->is_empty = slot->ids_left == 0;
		task->failed_with = slot->failure.sqlerrcode;
	}
	LWLockRelease(&slot->lock);
	return needed;
}

/*
 * Take the next request: of those that sessions wait for, or else of those
 * ahead of need.
 */
static IdgenTask *
take_request(Batch *batch)
{
	IdgenTask *task = palloc(sizeof(IdgenTask));

	for (;;)
	{
		if (idgen_desk_take(true, task))
			batch->awaited = true;
		else if (batch->awaited || !idgen_desk_take(false, task))
			break;
		if (begin_task(task))
			return task;
		end_task(task, NULL);
	}
	pfree(task);
	return NULL;
}

/* The next job for a transaction; NULL if there is none, or no room for it. */
static IdgenJob *
next_job(Batch *batch)
{
	IdgenJob *job = NULL;
	MemoryContext context;
	IdgenTask *task;

	if (Max(list_length(batch->jobs), MyProc->subxidStatus.count) >= IDGEN_MAX_SUBXACTS)
		return NULL;
	if (batch->resumed < IDGEN_MAX_RESUMED)
		job = idgen_jobs_take_ready();
	if (job != NULL)
	{
		batch->resumed++;
		return job;
	}
	if (OidIsValid(idgen_desk_own_server()) &&
	    (idgen_jobs_wait() == 0 || list_length(batch->jobs) >= IDGEN_MAX_ASKED))
		return NULL;

	context = MemoryContextSwitchTo(idgen_job_memory);
	task = take_request(batch);
	if (task != NULL)
		job = idgen_job_make(task);
	MemoryContextSwitchTo(context);
	return job;
}

/*
 * Try a job. It has been requested after the transaction began, perhaps: code
 * of users that runs for it sees what has been committed until now.
 */
static void
try_job(Batch *batch, IdgenJob *job)
{
	batch->jobs = lappend(batch->jobs, job);
	PushActiveSnapshot(GetTransactionSnapshot());
	idgen_job_try(job);
	PopActiveSnapshot();
}

/*
 * A job is over: publish what it has brought, unless the commit has, and wake
 * the sessions that wait for it. If not all standbys have it that should, the
 * blocks are lost.
 */
static void
finish_job(const IdgenJob *job, bool replicated)
{
	if (job->state == IDGEN_JOB_ALLOCATED && !is_transactional(job))
	{
		IdgenOutcome outcome = {
			.fate = replicated ? IDGEN_OUTCOME_PUBLISHED : IDGEN_OUTCOME_LOST,
			.rest = job->refill.rest,
			.good_as_of = job->good_as_of,
			.by_worker = true,
			.ahead_below = idgen_job_ahead_below(job),
			.left_at_server = job->source->is_remote ? job->refill.left.ids : 0,
		};

		idgen_count_refill(&outcome.counters, &job->refill);
		idgen_cache_finish(&job->task->key, &outcome);
	}
	end_task(job->task, job->failure.sqlerrcode != 0 ? &job->failure : NULL);
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
			finish_job(job, replicated || job->refill.lsn == InvalidXLogRecPtr);
	}
}

/* The commit has published what the transaction has allocated. */
static void
finish_after_commit(const List *jobs)
{
	ListCell *cell;

	foreach(cell, jobs)
	{
		const IdgenJob *job = lfirst(cell);

		if (idgen_job_is_over(job) && is_transactional(job))
			finish_job(job, true);
	}
}

/*
 * Free the jobs that are over, and put the others on the lists of their
 * states.
 */
static void
sort_out(const List *jobs)
{
	ListCell *cell;

	foreach(cell, jobs)
	{
		IdgenJob *job = lfirst(cell);

		if (idgen_job_is_over(job))
			idgen_job_free(job);
		else
			idgen_jobs_add(job);
	}
}

/* The jobs that have not been finished before the commit. */
static List *
not_finished(const List *jobs)
{
	MemoryContext before = MemoryContextSwitchTo(idgen_job_memory);
	List *rest = NIL;
	ListCell *cell;

	foreach(cell, jobs)
	{
		IdgenJob *job = lfirst(cell);

		if (!idgen_job_is_over(job) || is_transactional(job))
			rest = lappend(rest, job);
		else
			idgen_job_free(job);
	}
	MemoryContextSwitchTo(before);
	return rest;
}

/* Publish what has been allocated in a transaction, and end that. */
static void
end_transaction(const List *jobs)
{
	publish_before_commit(jobs);
	committing = not_finished(jobs);
	commit_transaction();
	jobs = committing;
	committing = NIL;
	finish_after_commit(jobs);

	sort_out(jobs);
	list_free(unconstify(List *, jobs));
	pgstat_report_activity(STATE_IDLE, NULL);
	pgstat_report_stat(false);
	SetLatch(MyLatch); /* more may have been asked of these meanwhile */
}

/*
 * Refill what is requested, as much as one transaction takes. Returns false if
 * there is nothing to do.
 */
static bool
refill(void)
{
	Batch batch = {0};
	IdgenJob *job = next_job(&batch);

	if (job == NULL)
		return false;
	begin_transaction(IDGEN_LOCK_MS);
	do
		try_job(&batch, job);
	while ((job = next_job(&batch)) != NULL);
	end_transaction(batch.jobs);
	return true;
}

/* Have the next job stand in line. Returns false if there is none. */
static bool
refill_in_line(void)
{
	uint32 begun_ms = idgen_clock_ms();
	Batch batch = {0};
	IdgenJob *job = idgen_jobs_take_in_line();

	if (job == NULL)
		return false;
	begin_transaction(idgen_job_time_in_line(job));
	try_job(&batch, job);
	end_transaction(batch.jobs);
	line_left_ms = idgen_clock_ms();
	line_took_ms = line_left_ms - begun_ms;
	return true;
}

/*
 * Ask the server for what has to be asked for. No transaction is open
 * meanwhile. Returns false if there is nothing.
 */
static bool
ask_server(void)
{
	uint32 begun_ms = idgen_clock_ms();
	IdgenJob *job;
	bool any = false;

	while (idgen_clock_ms() - begun_ms < IDGEN_ASK_MS && (job = idgen_jobs_take_remote()) != NULL)
	{
		idgen_remote_await(job->query, idgen_remote_deadline());
		idgen_job_take_event(job, IDGEN_EVENT_RESUMED);
		idgen_jobs_add(job);
		any = true;
	}
	return any;
}

/* Try a job alone whose transaction could not commit. Returns false if none. */
static bool
refill_suspect(void)
{
	Batch batch = {0};
	IdgenJob *job;

	if (suspects == NIL)
		return false;
	job = linitial(suspects);
	suspects = list_delete_first(suspects);
	begin_transaction(IDGEN_LOCK_MS);
	try_job(&batch, job);
	end_transaction(batch.jobs);
	return true;
}

/* Go around once. Returns false if there was nothing to do. */
bool
idgen_refill_loop_turn(void)
{
	bool any;

	idgen_jobs_resume();
	any = refill_suspect() || refill();
	any = ask_server() || any;
	if (any && idgen_clock_ms() - line_left_ms < line_took_ms)
		return true;
	return refill_in_line() || any;
}

/*
 * A commit has failed. Of several jobs, any may be the reason: each is tried
 * alone. One that was alone has failed.
 */
static void
commit_failed(const ErrorData *error)
{
	List *jobs = committing;
	ListCell *cell;

	committing = NIL;
	foreach(cell, jobs)
	{
		IdgenJob *job = lfirst(cell);

		if (idgen_job_is_over(job) && list_length(jobs) == 1)
		{
			idgen_failure_set(&job->failure, error, 1);
			job->state = IDGEN_JOB_FAILED;
			finish_job(job, false);
			idgen_job_free(job);
		}
		else if (idgen_job_is_over(job))
		{
			MemoryContext before = MemoryContextSwitchTo(idgen_job_memory);

			job->state = IDGEN_JOB_READY;
			job->failure.sqlerrcode = 0;
			suspects = lappend(suspects, job);
			MemoryContextSwitchTo(before);
		}
		else
			idgen_jobs_add(job);
	}
	list_free(jobs);
	SetLatch(MyLatch);
}

/*
 * There is an error that is not about one id sequence. Tell the sessions that
 * wait, and forget the jobs; unless it is a commit that has failed.
 */
void
idgen_refill_loop_abandon(const ErrorData *error)
{
	IdgenFailure failure;

	if (committing != NIL)
	{
		commit_failed(error);
		return;
	}
	idgen_failure_set(&failure, error, 1);
	failure.of = IDGEN_FAILURE_OF_WORKER;
	idgen_desk_abandon(&failure);
	suspects = NIL;
	idgen_jobs_forget();
}
