/*
 * refill_loop.c
 *		The worker's refill loop: does what sessions have asked for.
 *
 * A transaction refills up to 60 id sequences, each in a subtransaction. So no
 * session waits for the transaction of another user (rule W1), and many id
 * sequences cost one commit. A job that is IN_LINE has a transaction for
 * itself, or the server is asked for it alone. job.c tells what these states
 * are.
 *
 * The worker takes a request only when it tries it. Each time it looks first
 * for those that sessions wait for (cache/desk.c). A transaction that has
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

#include <limits.h>

#include "access/xact.h"
#include "miscadmin.h"
#include "pgstat.h"
#include "storage/latch.h"
#include "storage/proc.h"
#include "utils/guc.h"
#include "utils/memutils.h"
#include "utils/snapmgr.h"
#include "utils/timestamp.h"

#include "common/clock.h"
#include "common/durable.h"
#include "common/guc.h"
#include "draw/refill.h"
#include "remote/connection.h"
#include "session/handle.h"
#include "cache/cache.h"
#include "cache/desk.h"
#include "worker/job.h"
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
 * At most this many of them have been tried before; and in a worker that asks a
 * server, as many are new, so that it can take all answers at once.
 */
#define IDGEN_MAX_RESUMED (IDGEN_MAX_SUBXACTS / 2)

/* The jobs of a transaction. */
typedef struct Batch
{
	List *jobs;
	int resumed;  /* how many of them have been tried before */
	bool awaited; /* do sessions wait for a new one? */
} Batch;

/*
 * The jobs that have been tried, and are not over: those TO_TRY, with the one
 * on top that is due first; those IN_LINE; and those for which a server is to
 * be asked. Who comes first is served first. The worker looks only at those for
 * which it is time: one transaction may have locked all rows.
 */
static int compare_due(const pairingheap_node *a, const pairingheap_node *b, void *arg);
static pairingheap jobs_to_try = {.ph_compare = compare_due};
static dlist_head jobs_in_line = DLIST_STATIC_INIT(jobs_in_line);
static dlist_head remote_jobs = DLIST_STATIC_INIT(remote_jobs);

/*
 * When the last job has left the line, and how long it has stood there: for as
 * long none stands in line again, if there are others to be tried. As
 * idgen_clock_ms() says.
 */
static uint32 line_left_ms = 0;
static uint32 line_took_ms = 0;

/* The jobs of the transaction that is being committed. */
static List *committing = NIL;

/* Greater is the one that is due earlier. */
static int
compare_due(const pairingheap_node *a, const pairingheap_node *b, void *arg)
{
	int32 later = pairingheap_const_container(IdgenJob, due_node, a)->due_ms -
		pairingheap_const_container(IdgenJob, due_node, b)->due_ms;

	if (later < 0)
		return 1;
	return later > 0 ? -1 : 0;
}

/* Keep a job that is not over until it is time for it. */
static void
put_away(IdgenJob *job)
{
	Assert(!idgen_job_is_over(job));
	if (job->state == IDGEN_JOB_TO_TRY)
		pairingheap_add(&jobs_to_try, &job->due_node);
	else
		dlist_push_tail(job->state == IDGEN_JOB_IN_LINE ? &jobs_in_line : &remote_jobs, &job->node);
}

/* In how many milliseconds is a job due? LONG_MAX if there is none. */
static long
next_due(void)
{
	const IdgenJob *first;

	if (pairingheap_is_empty(&jobs_to_try))
		return LONG_MAX;
	first = pairingheap_container(IdgenJob, due_node, pairingheap_first(&jobs_to_try));
	return Max((int32) (first->due_ms - idgen_clock_ms()), 0);
}

/* The next job that is due, or NULL. */
static IdgenJob *
take_due(void)
{
	if (next_due() != 0)
		return NULL;
	return pairingheap_container(IdgenJob, due_node, pairingheap_remove_first(&jobs_to_try));
}

/* The first job on a list, or NULL. */
static IdgenJob *
take_first(dlist_head *list)
{
	return dlist_is_empty(list) ? NULL : dlist_container(IdgenJob, node, dlist_pop_head_node(list));
}

/* In how many milliseconds is there something to do? LONG_MAX if not at all. */
long
idgen_refill_loop_wait(void)
{
	return dlist_is_empty(&jobs_in_line) && dlist_is_empty(&remote_jobs) ? next_due() : 0;
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
		job = take_due();
	if (job != NULL)
	{
		batch->resumed++;
		return job;
	}
	if (OidIsValid(idgen_desk_own_server()) &&
	    list_length(batch->jobs) - batch->resumed >= IDGEN_MAX_RESUMED)
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
			.fate = replicated ? IDGEN_REST_PUBLISHED : IDGEN_REST_LOST,
			.rest = job->refill.rest,
			.good_as_of = job->good_as_of,
			.refills.ahead_below = idgen_job_ahead_below(job),
			.by_worker = true,
			.left_at_server = job->source->is_remote ? job->refill.left.ids : 0,
		};

		idgen_count_refill(&outcome.refills, &job->refill, true);
		idgen_cache_finish(&job->task->key, &outcome);
	}
	end_task(job->task, job->failure.sqlerrcode != 0 ? &job->failure : NULL);
}

/* A try of a job has come to its end: the job, too, or it is put away. */
static void
settle_job(IdgenJob *job, bool replicated)
{
	if (!idgen_job_is_over(job))
	{
		put_away(job);
		return;
	}
	finish_job(job, replicated);
	idgen_job_free(job);
}

/*
 * Publish what does not depend on the commit: blocks of native sequences and of
 * other servers. That is done before the commit, as long as the transaction
 * keeps native sequences locked, so that ALTER SEQUENCE cannot give one a new
 * file before its blocks are published. Returns the other jobs.
 */
static List *
publish_before_commit(List *jobs)
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
		IdgenJob *job = lfirst(cell);

		if (!idgen_job_is_over(job) || is_transactional(job))
			continue;
		settle_job(job, replicated || job->refill.lsn == InvalidXLogRecPtr);
		jobs = foreach_delete_current(jobs, cell);
	}
	return jobs;
}

/* Publish what has been allocated in a transaction, and end that. */
static void
end_transaction(List *jobs)
{
	ListCell *cell;

	committing = publish_before_commit(jobs);
	commit_transaction();
	jobs = committing;
	committing = NIL;
	foreach(cell, jobs)
		settle_job(lfirst(cell), true);
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

/*
 * Ask the server for what has to be asked for. No transaction is open
 * meanwhile. A job without an answer stands in line, to be asked for alone.
 */
static void
ask_server(void)
{
	List *jobs = NIL;
	List *queries = NIL;
	IdgenJob *job;
	ListCell *cell;

	while ((job = take_first(&remote_jobs)) != NULL)
	{
		jobs = lappend(jobs, job);
		queries = lappend(queries, job->query);
	}
	if (jobs != NIL)
		queries = idgen_remote_await(queries, idgen_remote_deadline());
	foreach(cell, jobs)
	{
		job = lfirst(cell);
		job->state = list_member_ptr(queries, job->query) ? IDGEN_JOB_IN_LINE : IDGEN_JOB_TO_TRY;
		job->due_ms = idgen_clock_ms();
		put_away(job);
	}
}

/* Try a job in a transaction for that alone, which waits for locks. */
static void
try_alone(IdgenJob *job)
{
	Batch batch = {0};

	begin_transaction(idgen_job_time_in_line(job));
	try_job(&batch, job);
	end_transaction(batch.jobs);
}

/* Have the next job stand in line. Returns false if there is none. */
static bool
refill_in_line(void)
{
	uint32 begun_ms = idgen_clock_ms();
	IdgenJob *job = take_first(&jobs_in_line);

	if (job == NULL)
		return false;
	if (job->query == NULL)
		try_alone(job);
	else
	{
		dlist_push_tail(&remote_jobs, &job->node);
		ask_server();
	}
	line_left_ms = idgen_clock_ms();
	line_took_ms = line_left_ms - begun_ms;
	return true;
}

/* Go around once. Returns false if there was nothing to do. */
bool
idgen_refill_loop_turn(void)
{
	bool any = refill();

	ask_server();
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
			job->state = IDGEN_JOB_OVER;
			settle_job(job, false);
		}
		else
		{
			if (idgen_job_is_over(job))
			{
				job->state = IDGEN_JOB_IN_LINE;
				job->row_holder = InvalidTransactionId;
				job->failure.sqlerrcode = 0;
			}
			put_away(job);
		}
	}
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
	pairingheap_reset(&jobs_to_try);
	dlist_init(&jobs_in_line);
	dlist_init(&remote_jobs);
	MemoryContextReset(idgen_job_memory);
}
