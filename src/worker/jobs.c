/*
 * jobs.c
 *		What sessions have asked the worker for.
 *
 * Whatever sessions have asked for by the time that the worker looks is allocated
 * in one transaction, or a few, each id sequence in a subtransaction, and published; so
 * nobody waits for the transaction of a user (rule W1), and many id sequences cost one commit.
 *
 * A row that somebody else has locked must not keep the others waiting. So it is
 * tried without waiting, and tried again later, as long as the same transaction holds
 * it. But where short transactions take turns on the row, one has to stand in line for
 * it; so if another one holds it by then, the worker does, in a transaction for that row
 * alone. How long it takes until it is one's turn is found out by doubling.
 *
 * What another server has to allocate is begun in one transaction, and finished in
 * another one when the answer is there. In between the worker does other things.
 *
 * The worker allocates as the owner of id_sequences, with the restrictions of a
 * security-restricted operation. The code that the owner has attached to that table
 * runs so as well; triggers run as the role that has asked for the refill (see
 * row_write.c). The worker does not check who may draw: only sessions that may
 * have asked.
 */
#include "postgres.h"

#include "access/xact.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "pgstat.h"
#include "storage/latch.h"
#include "storage/lmgr.h"
#include "storage/proc.h"
#include "utils/guc.h"
#include "utils/memutils.h"
#include "utils/snapmgr.h"
#include "utils/timestamp.h"

#include "common/as_owner.h"
#include "common/compat.h"
#include "common/guc.h"
#include "common/subxact.h"
#include "draw/refill.h"
#include "remote/remote_query.h"
#include "session/handle.h"
#include "shmem/cache.h"
#include "worker/jobs.h"

/* How long to wait for a lock at first, and at most. */
#define IDGEN_LOCK_MS     10
#define IDGEN_LOCK_MAX_MS 500
/* How long to leave a locked row alone: longer each time by so much, up to a maximum. */
#define IDGEN_PAUSE_MS     10
#define IDGEN_PAUSE_MAX_MS 100

/*
 * When so many subtransactions have written, a transaction takes no more jobs. The server
 * keeps in memory which ones a transaction has, up to a maximum; beyond that, whoever
 * looks at rows has to look into pg_subtrans, too, until the transaction ends. A job is
 * one, or a few with the triggers that others put on id_sequences.
 */
#define IDGEN_MAX_SUBXACTS (PGPROC_MAX_CACHED_SUBXIDS - 4)

/* What a worker has been asked for, and has not finished. */
typedef struct Job
{
	IdgenTask *task;
	int pauses;                  /* so far */
	TimestampTz next_try;        /* not before that */
	TransactionId holder;        /* of the row, or invalid if not known */
	bool line_up;                /* is it worthwhile to wait for the row? */
	int line_ms;                 /* that long; 0 = it has not yet */
	IdgenRemoteQuery *under_way; /* that another server is working on, or NULL */
	uint32 origin;               /* of what it is that is refilled */

	/* of the current try: */
	bool wait;             /* for a locked row? */
	bool done;             /* nothing more is to be tried */
	bool transactional;    /* publish it only when the transaction has committed */
	bool allocated;        /* is there something to publish? */
	TransactionId held_by; /* if not: who holds the row now, or invalid */
	bool object_locked;    /* or somebody has locked what it draws from */
	bool far_away;         /* it is another server that allocates */
	IdgenRefill refill;    /* that, ... */
	uint64 good_as_of;     /* ... as rest_good_as_of in IdgenOutcome */
	IdgenFailure failure;  /* of this or, for a range, of an earlier try */
} Job;

/*
 * What jobs are made of, and this list: those whose rows are locked, or that another
 * server is working on.
 */
static MemoryContext job_memory;
static List *unfinished_jobs = NIL;

/* Copy so many bytes of a text, as far as there is room. */
static void
clip(char *to, Size size, const char *from, int length)
{
	length = pg_mbcliplen(from, length, size - 1);
	memcpy(to, from, length);
	to[length] = '\0';
}

/* Copy a text, NULL as an empty one. */
static void
clip_text(char *to, Size size, const char *from)
{
	clip(to, size, from != NULL ? from : "", from != NULL ? strlen(from) : 0);
}

/*
 * A failure for those who want at least count ids in a row. Of the context they get the
 * innermost line; that something is being refilled, which is the outermost one, they know.
 */
static void
set_failure(IdgenFailure *failure, const ErrorData *error, int64 count)
{
	const char *rest = error->context != NULL ? strchr(error->context, '\n') : NULL;

	failure->sqlerrcode = error->sqlerrcode;
	failure->count = count;
	clip_text(failure->message, sizeof(failure->message), error->message);
	clip_text(failure->detail, sizeof(failure->detail), error->detail);
	clip_text(failure->hint, sizeof(failure->hint), error->hint);
	if (rest != NULL)
		clip(failure->context, sizeof(failure->context), error->context, rest - error->context);
	else
		failure->context[0] = '\0';
}

/* What another server is still working on is not wanted any more. */
static void
give_up_query(Job *job)
{
	if (job->under_way != NULL)
		idgen_remote_abandon(job->under_way);
	job->under_way = NULL;
}

/*
 * Allocate from what a handle has found. "dropped_at" is that of the cache before the handle
 * looked at the row: of a row that it keeps from being changed, the cache is asked again.
 */
static void
allocate_from(Job *job, IdgenHandle *handle, uint64 dropped_at)
{
	const IdgenRequest request = {
		.blocks = job->task->nblocks,
		.count = Max(1, job->task->range),
		.joins = job->task->joins,
		.asker = job->wait ? IDGEN_ASKER_WORKER_IN_LINE : IDGEN_ASKER_WORKER,
		.under_way = &job->under_way,
	};
	IdgenSourceResult result;

	/* The row may lead elsewhere by now. */
	if (job->origin != handle->found.origin)
		give_up_query(job);
	if (job->under_way == NULL)
		job->good_as_of = dropped_at;
	job->origin = handle->found.origin;
	job->far_away = handle->found.source->timeout != NULL;
	job->transactional = handle->found.source->transactional;

	result = idgen_refill_allocate(handle, &request, &job->refill);
	job->allocated = result == IDGEN_SOURCE_OK;
	job->held_by = job->refill.holder;
	if (handle->found.source->locks_row)
		job->good_as_of = idgen_cache_dropped_at(&job->task->key);
	job->done = job->allocated || result == IDGEN_SOURCE_STALE;
}

/*
 * Allocate what a task asks for, in a subtransaction. If there is nothing to allocate
 * from any more, or not by a worker, whoever waits has to look again.
 */
static void
allocate(void *arg)
{
	Job *job = (Job *) arg;
	const IdgenCacheKey *key = &job->task->key;
	Oid owner = idgen_owner_of(key->relid);
	IdgenHandle *handle;
	uint64 dropped_at;
	IdgenIdentity worker;

	if (!OidIsValid(owner))
	{
		job->done = true;
		return;
	}
	if (OidIsValid(key->object) && !ConditionalLockRelationOid(key->object, RowExclusiveLock))
	{
		job->object_locked = true;
		return;
	}

	idgen_act_as(owner, &worker);
	dropped_at = idgen_cache_dropped_at(key);
	handle = idgen_handle_for_worker(key, job->task->requested_by);
	if (handle != NULL)
		allocate_from(job, handle, dropped_at);
	else
		job->done = true;
	idgen_act_as_before(&worker);
}

/* Try again, at once or after a pause, unless it has lasted too long. */
static void
try_again(Job *job, bool pause)
{
	TimestampTz now = GetCurrentTimestamp();

	job->next_try = now;
	if (pause)
	{
		job->pauses++;
		job->next_try = TimestampTzPlusMilliseconds(now, Min(job->pauses * IDGEN_PAUSE_MS, IDGEN_PAUSE_MAX_MS));
	}

	job->done = TimestampDifferenceExceeds(job->task->begun_at, now, idgen_worker_timeout);
	if (job->done)
		ereport(LOG,
		        (errcode(ERRCODE_LOCK_NOT_AVAILABLE),
		         errmsg("could not lock what id sequence \"%s\" is refilled from for %d ms",
		                job->task->key.name, idgen_worker_timeout)));
}

/*
 * "held_by" has the row, if that is known. Line up for it if it is in other hands than
 * before, or it is not known what is the matter.
 */
static void
row_is_held(Job *job)
{
	job->line_up = !TransactionIdIsValid(job->held_by) || job->held_by != job->holder;
	job->holder = job->held_by;
	try_again(job, !job->line_up);
}

/*
 * There are not so many ids in a row, says the error, which is freed. But others may wait
 * for fewer: if none are cached, try with one block. Returns the error of that.
 */
static ErrorData *
do_without_range(Job *job, ErrorData *error)
{
	set_failure(&job->failure, error, job->task->range);
	FreeErrorData(error);
	job->task->range = 0;
	job->task->nblocks = 1;
	job->done = job->task->joins.left > 0;
	return job->done ? NULL : idgen_try(allocate, job, IDGEN_TRY_ANY);
}

/* Was it a lock that this error is about, or a cancelled wait for one? At another server, that is its matter. */
static bool
is_about_lock(const Job *job, const ErrorData *error)
{
	return !job->far_away &&
		(error->sqlerrcode == ERRCODE_LOCK_NOT_AVAILABLE || error->sqlerrcode == ERRCODE_QUERY_CANCELED);
}

/* Do a job, as far as that can be done now, and remember what went wrong. */
static void
try_job(Job *job, bool wait)
{
	ErrorData *error;
	bool is_lock;

	job->wait = wait;
	job->line_up = false;
	job->held_by = InvalidTransactionId;
	job->object_locked = false;
	job->far_away = false;
	if (job->task->range > 0 && job->under_way == NULL && !idgen_cache_has_waiters(&job->task->key))
		job->task->range = 0; /* who wanted it has given up */
	error = idgen_try(allocate, job, IDGEN_TRY_ANY);
	if (error != NULL && job->task->range > 0 && error->sqlerrcode == ERRCODE_SEQUENCE_GENERATOR_LIMIT_EXCEEDED)
		error = do_without_range(job, error);
	if (error == NULL && (job->done || job->under_way != NULL))
		return;

	job->allocated = false;
	is_lock = error != NULL && is_about_lock(job, error);
	if (TransactionIdIsValid(job->held_by) || job->object_locked ||
	    (is_lock && error->sqlerrcode == ERRCODE_LOCK_NOT_AVAILABLE))
		idgen_cache_row_locked(&job->task->key);
	if (error == NULL && !job->object_locked)
		row_is_held(job);
	else if (error == NULL || is_lock)
	{
		/* After lining up, see at once who has the row now. */
		try_again(job, !wait || !TransactionIdIsValid(job->holder));
	}
	else
	{
		job->done = true;
		set_failure(&job->failure, error, 1);
		if (error->sqlerrcode != ERRCODE_SEQUENCE_GENERATOR_LIMIT_EXCEEDED &&
		    error->sqlerrcode != ERRCODE_UNDEFINED_TABLE)
			ereport(LOG,
			        (errcode(error->sqlerrcode),
			         errmsg("could not refill id sequence \"%s\": %s",
			                job->task->key.name, error->message),
			         error->detail != NULL ? errdetail_internal("%s", error->detail) : 0,
			         error->hint != NULL ? errhint("%s", error->hint) : 0));
	}
	if (error != NULL)
		FreeErrorData(error);
}

/*
 * Publish what a job has brought, and wake those who wait for it. If it is not safe,
 * because the wait for a standby was given up, it is lost.
 */
static void
publish(const Job *job, bool safe)
{
	const IdgenFailure *failure = job->failure.sqlerrcode != 0 ? &job->failure : NULL;
	IdgenOutcome outcome = {0};

	if (!job->allocated)
	{
		idgen_cache_end_attempt(job->task, NULL, failure);
		return;
	}
	outcome.publish = true;
	outcome.unsafe = !safe;
	outcome.rest = job->refill.rest;
	outcome.rest_good_as_of = job->good_as_of;
	outcome.ahead_below = Max(idgen_rest_ids(&outcome.rest) - job->task->range, 0) / 100.0 * idgen_prefetch_threshold;
	idgen_count_refill(&outcome.counters, &job->refill);
	idgen_cache_end_attempt(job->task, &outcome, failure);
}

static void
free_job(Job *job)
{
	give_up_query(job);
	pfree(job->task);
	pfree(job);
}

/*
 * From now on, wait that long for a lock. Besides the rows, which a job waits for or
 * not, there are those on tables and sequences.
 */
static void
set_lock_timeout(int ms)
{
	if (LockTimeout != ms)
		SetConfigOption("lock_timeout", psprintf("%d", ms), PGC_SUSET, PGC_S_OVERRIDE);
}

/*
 * One transaction for all these jobs, in which they wait that long for rows, or not at
 * all. What a native sequence has given is published while it is locked, so that nobody
 * gives it a new file in between; what the table has given, when the commit is on disk.
 * Jobs that are done are freed, the others wait for their next try. Frees the list;
 * returns those for which there was no room in the transaction.
 */
static List *
do_jobs(List *jobs, int wait_ms)
{
	List *left = NIL;
	MemoryContext context = CurrentMemoryContext;
	XLogRecPtr lsn = InvalidXLogRecPtr;
	bool replicated;
	ListCell *cell;
	char activity[64];

	snprintf(activity, sizeof(activity), "refilling %d id sequences", list_length(jobs));
	pgstat_report_activity(STATE_RUNNING, activity);
	set_lock_timeout(wait_ms > 0 ? wait_ms : IDGEN_LOCK_MS);

	SetCurrentStatementStartTimestamp();
	StartTransactionCommand();
	PushActiveSnapshot(GetTransactionSnapshot());
	MemoryContextSwitchTo(context);
	foreach(cell, jobs)
	{
		Job *job = lfirst(cell);

		if (MyProc->subxidStatus.count >= IDGEN_MAX_SUBXACTS)
		{
			left = list_copy_tail(jobs, foreach_current_index(cell));
			jobs = list_truncate(jobs, foreach_current_index(cell));
			break;
		}
		try_job(job, wait_ms > 0);
		if (!job->allocated)
			continue;
		lsn = Max(lsn, job->refill.lsn);
		if (job->transactional)
			ForceSyncCommit();
	}
	replicated = idgen_refill_flush(lsn);
	foreach(cell, jobs)
	{
		Job *job = lfirst(cell);

		if (job->done && !job->transactional)
			publish(job, replicated || job->refill.lsn == InvalidXLogRecPtr);
	}
	PopActiveSnapshot();
	CommitTransactionCommand();
	replicated = idgen_refill_is_replicated(XactLastCommitEnd);

	/* Nothing may fail before all of it is published. */
	foreach(cell, jobs)
	{
		Job *job = lfirst(cell);

		if (job->done && job->transactional)
			publish(job, replicated);
	}

	MemoryContextSwitchTo(job_memory);
	foreach(cell, jobs)
	{
		Job *job = lfirst(cell);

		if (job->done)
			free_job(job);
		else
			unfinished_jobs = lappend(unfinished_jobs, job);
	}
	list_free(jobs);
	MemoryContextSwitchTo(context);
	pgstat_report_activity(STATE_IDLE, NULL);
	pgstat_report_stat(false);
	SetLatch(MyLatch); /* more may have been asked of these meanwhile */
	return left;
}

/* What sessions have asked for since the last time. */
static List *
take_jobs(void)
{
	MemoryContext context = MemoryContextSwitchTo(job_memory);
	List *jobs = idgen_cache_take_requests(MyDatabaseId);
	ListCell *cell;

	foreach(cell, jobs)
	{
		Job *job = palloc0(sizeof(Job));

		job->task = lfirst(cell);
		lfirst(cell) = job;
	}
	MemoryContextSwitchTo(context);
	return jobs;
}

/* Is it time to go on with a job? */
static bool
is_due(const Job *job)
{
	return job->next_try <= GetCurrentTimestamp() &&
		(job->under_way == NULL || idgen_remote_advance(job->under_way));
}

/*
 * Take one job, or all jobs, off those that are unfinished: either one that is to line up,
 * or those whose time has come.
 */
static List *
take_unfinished_jobs(bool line_up)
{
	List *jobs = NIL;
	ListCell *cell;

	foreach(cell, unfinished_jobs)
	{
		Job *job = lfirst(cell);

		if (job->line_up != line_up || !is_due(job))
			continue;
		unfinished_jobs = foreach_delete_current(unfinished_jobs, cell);
		jobs = lappend(jobs, job);
		if (line_up)
			break;
	}
	return jobs;
}

/* Do what there is to do now. Returns false if that is nothing. */
bool
idgen_jobs_do(void)
{
	List *jobs = list_concat(take_jobs(), take_unfinished_jobs(false));
	List *in_line;
	bool any = jobs != NIL;

	while (jobs != NIL)
		jobs = do_jobs(jobs, 0);

	in_line = take_unfinished_jobs(true);
	if (in_line != NIL)
	{
		Job *job = linitial(in_line);

		job->line_ms = Min(Max(job->line_ms * 2, IDGEN_LOCK_MS), IDGEN_LOCK_MAX_MS);
		if (!TransactionIdIsValid(job->holder))
			job->line_ms = IDGEN_LOCK_MS;
		(void) do_jobs(in_line, job->line_ms);
		any = true;
	}
	return any;
}

/* When to go on with an unfinished job at the latest; DT_NOEND if there is none. */
TimestampTz
idgen_jobs_due(void)
{
	TimestampTz due = DT_NOEND;
	ListCell *cell;

	foreach(cell, unfinished_jobs)
	{
		const Job *job = lfirst(cell);
		TimestampTz job_due = job->next_try;

		if (job->under_way != NULL)
			job_due = Max(job_due, idgen_remote_due(job->under_way));
		due = Min(due, job_due);
	}
	return due;
}

/*
 * Something has gone wrong that is not the matter of one id sequence. Those who wait
 * are told; what was being done is forgotten.
 */
void
idgen_jobs_abandon(const ErrorData *error)
{
	IdgenFailure failure;

	set_failure(&failure, error, 1);
	idgen_cache_abandon_attempts(MyDatabaseId, &failure);
	idgen_remote_abandon_all();
	unfinished_jobs = NIL;
	MemoryContextReset(job_memory);
}

/* Called once by the worker. */
void
idgen_jobs_init(void)
{
	job_memory = AllocSetContextCreate(TopMemoryContext, "idgen worker jobs", ALLOCSET_DEFAULT_SIZES);
}
