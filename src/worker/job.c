/*
 * job.c
 *		A job of the worker: one id sequence that sessions want refilled.
 *
 * The worker tries a job until it is over. Most jobs are over after one try,
 * which is made together with those of other id sequences, in one transaction:
 * each in a subtransaction, so that an error of one does not undo what was
 * allocated for the others. What keeps a job from being over is a lock, or
 * another server that has to be asked. Neither may keep the other jobs waiting.
 *
 *		                 new
 *		                  |
 *		                  v
 *		  IN_LINE <---> TO_TRY <---> REMOTE
 *
 *		  REMOTE ---> IN_LINE
 *		  TO_TRY, IN_LINE ---> ALLOCATED, OVER
 *
 *		  ALLOCATED ---> IN_LINE
 *
 * TO_TRY
 *		The worker tries it when it is due, together with all that are, and does
 *		not wait for the row. If another transaction holds the row than at the
 *		last try, or if it is not known which one does, the job becomes IN_LINE.
 *		If the same one still holds it, or if something else is locked, also at
 *		another server, it is left alone for a while, longer each time.
 * IN_LINE
 *		The worker tries it in a transaction for this job alone, which waits for
 *		the row. Where short transactions take turns on a row, only a process
 *		that stands in line ever gets it. How long that takes is found out by
 *		doubling the time. When the time is over, it is TO_TRY: at once if it
 *		was known who has the row, to see who has it by now. So is a job tried
 *		that was allocated for, if the commit has failed: it may be the reason.
 * REMOTE
 *		The worker asks another server, without a transaction, in one statement
 *		for all such jobs, unless the last refill has failed: then the job is
 *		IN_LINE at once, as it may make all fail. Then the job is TO_TRY, and
 *		that takes what has come of it. If nothing has, since the row is locked
 *		there, or since one of these jobs has failed, it is IN_LINE, where the
 *		server is asked for this job alone.
 * ALLOCATED
 *		There are blocks to publish.
 * OVER
 *		There is nothing to allocate from any more, or not for this worker; then
 *		the sessions that wait look at the row again. Or it has failed, which
 *		they are told. Or it would have to wait for a lock again, but
 *		idgen.worker_timeout has passed since the first try.
 */
#include "postgres.h"

#include "mb/pg_wchar.h"
#include "storage/lmgr.h"

#include "common/as_owner.h"
#include "common/clock.h"
#include "common/guc.h"
#include "common/lock_holder.h"
#include "common/subxact.h"
#include "draw/refill.h"
#include "remote/reach.h"
#include "session/validate.h"
#include "worker/job.h"

/* How long a job waits in line for the row: at first, and at most. */
#define IDGEN_LINE_MS     10
#define IDGEN_LINE_MAX_MS 500

/* By how much each pause is longer than the one before, and the longest one. */
#define IDGEN_PAUSE_MS     10
#define IDGEN_PAUSE_MAX_MS 100

/* What keeps a try from allocating now. */
typedef enum Hindrance
{
	NO_HINDRANCE,
	ROW_HELD,  /* another transaction holds the row */
	LOCKED,    /* something else is locked, or time in line is over */
	CANCELLED, /* the wait for a lock was cancelled */
} Hindrance;

/* One try of a job, and how it ends unless an error is raised. */
typedef struct JobTry
{
	IdgenJob *job;
	IdgenJobState state; /* that it leads to, if nothing hinders it */
	Hindrance hindrance;
	TransactionId holder; /* of the row, or invalid if not known */
} JobTry;

MemoryContext idgen_job_memory;

/*
 * What sessions are told. Texts travel through shared memory, where there is
 * little room: what does not fit is cut, at the end of a character.
 */

/* Copy the first bytes of a text, as far as there is room. */
static void
clip(char *to, Size size, const char *from, int length)
{
	length = pg_mbcliplen(from, length, size - 1);
	memcpy(to, from, length);
	to[length] = '\0';
}

/* Copy a text; NULL becomes an empty one. */
static void
clip_text(char *to, Size size, const char *from)
{
	clip(to, size, from != NULL ? from : "", from != NULL ? strlen(from) : 0);
}

/*
 * Make a failure of an error of a refill. It is meant for sessions that want at
 * least "count" consecutive ids.
 *
 * Of the error's context only the innermost line is kept. The outermost one
 * says what is being refilled; the sessions add that themselves.
 */
void
idgen_failure_set(IdgenFailure *failure, const ErrorData *error, int64 count)
{
	const char *rest = error->context != NULL ? strchr(error->context, '\n') : NULL;

	failure->sqlerrcode = error->sqlerrcode;
	failure->of = IDGEN_FAILURE_OF_REFILL;
	failure->count = count;
	clip_text(failure->message, sizeof(failure->message), error->message);
	clip_text(failure->detail, sizeof(failure->detail), error->detail);
	clip_text(failure->hint, sizeof(failure->hint), error->hint);
	if (rest != NULL)
		clip(failure->context, sizeof(failure->context), error->context, rest - error->context);
	else
		failure->context[0] = '\0';
}

/*
 * What has been tried
 */

/* Make a job of a task, which the job then owns. */
IdgenJob *
idgen_job_make(IdgenTask *task)
{
	IdgenJob *job = palloc0(sizeof(IdgenJob));

	job->state = IDGEN_JOB_TO_TRY;
	job->task = task;
	job->begun_ms = job->due_ms = idgen_clock_ms();
	return job;
}

void
idgen_job_free(IdgenJob *job)
{
	if (job->query != NULL)
		idgen_remote_abandon(job->query);
	pfree(job->task);
	pfree(job);
}

/* Note for sessions that wait whether they wait for somebody's lock. */
static void
note_row(IdgenJob *job, bool locked)
{
	if (locked != job->row_locked)
		idgen_desk_note_row(job->task, locked);
	job->row_locked = locked;
}

/* The worker gives up, with a line in the log. Caller is in a transaction. */
static void
log_expired(const IdgenJob *job)
{
	const IdgenCacheKey *key = &job->task->key;
	IdgenLockHolder holder;
	bool known = idgen_lock_holder_find(job->row_holder, OidIsValid(key->object) ? key->object : key->relid, &holder);

	ereport(LOG,
	        (errcode(ERRCODE_LOCK_NOT_AVAILABLE),
	         errmsg("could not lock the row of id sequence \"%s\", or what it draws from, within %d ms",
	                job->task->name, idgen_worker_timeout),
	         known && holder.pid != 0 ? errdetail_log("Process holding the lock: %d.", holder.pid) : 0));
}

/*
 * Something is locked that a job needs: try again, unless it is too late to
 * wait for it once more.
 */
static void
put_off(IdgenJob *job, Hindrance hindrance, TransactionId holder)
{
	uint32 now = idgen_clock_ms();
	bool was_behind_holder = job->state == IDGEN_JOB_IN_LINE && TransactionIdIsValid(job->row_holder);
	bool same_holder = TransactionIdIsValid(holder) && holder == job->row_holder;

	if (hindrance != CANCELLED)
		note_row(job, true);
	if (hindrance == ROW_HELD)
		job->row_holder = holder;
	if (now - job->begun_ms > (uint32) idgen_worker_timeout)
	{
		job->state = IDGEN_JOB_OVER;
		log_expired(job);
		return;
	}
	job->state = hindrance == ROW_HELD && !same_holder ? IDGEN_JOB_IN_LINE : IDGEN_JOB_TO_TRY;
	job->due_ms = now;
	if (hindrance == ROW_HELD ? same_holder : !was_behind_holder)
		job->due_ms += Min(++job->pauses * IDGEN_PAUSE_MS, IDGEN_PAUSE_MAX_MS);
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

/*
 * Trying
 */

/*
 * May another server fail for all that it is asked for together with this, as
 * the last refill has failed there?
 */
static bool
spoils_others(const IdgenTask *task)
{
	return task->failed_with != 0 && ERRCODE_TO_CATEGORY(task->failed_with) != ERRCODE_CONNECTION_EXCEPTION;
}

/*
 * Allocate from what a handle has found, which had looked at the row when the
 * events had come to that number. What belongs to the transaction is pending
 * then, and the commit publishes it. All else is published before that, and
 * under the lock of refills.
 */
static void
allocate_from(JobTry *try, IdgenHandle *handle, uint64 as_of)
{
	IdgenJob *job = try->job;
	const IdgenRequest request = {
		.blocks = job->task->nblocks,
		.bulk_ids = job->task->bulk_ids,
		.count = Max(1, job->task->range),
		.asker = job->state == IDGEN_JOB_IN_LINE ? IDGEN_ASKER_WORKER_IN_LINE : IDGEN_ASKER_WORKER,
		.under_way = &job->query,
		.since = job->task->begun_at,
	};
	IdgenSourceResult result;

	/* The row may lead elsewhere by now, even to what is another worker's. */
	if (idgen_worker_for(handle) != idgen_desk_own_server())
		return;
	if (job->query == NULL)
		job->good_as_of = as_of;
	job->source = handle->found.row.source;

	if (job->source->transactional)
		result = idgen_refill_pending(handle, &request, &job->refill);
	else
	{
		if (!idgen_refill_try_lock(handle))
		{
			try->hindrance = LOCKED;
			return;
		}
		result = idgen_refill_allocate(handle, &request, &job->refill);
		if (result != IDGEN_SOURCE_OK)
			idgen_refill_unlock(handle);
	}
	if (result == IDGEN_SOURCE_OK)
	{
		handle->xact.told.ahead_below = idgen_job_ahead_below(job);
		try->state = IDGEN_JOB_ALLOCATED;
	}
	else if (result == IDGEN_SOURCE_BUSY)
	{
		try->hindrance = ROW_HELD;
		try->holder = job->refill.holder;
	}
	else if (result == IDGEN_SOURCE_UNDER_WAY)
	{
		idgen_remote_keep(job->query, idgen_job_memory);
		try->state = spoils_others(job->task) ? IDGEN_JOB_IN_LINE : IDGEN_JOB_REMOTE;
	}
}

/*
 * Allocate what a job asks for: the action of a subtransaction.
 *
 * The worker does so as the owner of id_sequences, with the restrictions of a
 * security-restricted operation. The worker does not check the privilege to
 * draw: a session without it could not have asked.
 */
static void
allocate(void *arg)
{
	JobTry *try = (JobTry *) arg;
	const IdgenCacheKey *key = &try->job->task->key;
	Oid owner = idgen_owner_of(key->relid);
	IdgenHandle *handle;
	uint64 version;
	uint64 as_of;
	IdgenIdentity worker;

	try->state = IDGEN_JOB_OVER;
	try->hindrance = NO_HINDRANCE;
	if (!OidIsValid(owner))
		return;
	if (OidIsValid(key->object) && !ConditionalLockRelationOid(key->object, RowExclusiveLock))
	{
		try->hindrance = LOCKED;
		return;
	}

	idgen_act_as(owner, &worker);
	/*
	 * Only what finds a slot is published, and one that is made counts as
	 * emptied. So it is made before anything is allocated.
	 */
	(void) idgen_cache_attach(key, &version);
	as_of = idgen_cache_number();
	handle = idgen_handle_for_worker(key, try->job->task->name, try->job->task->awaited);
	if (handle != NULL)
		allocate_from(try, handle, as_of);
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
	task->range = task->bulk_ids = 0;
	task->nblocks = 1;
	if (task->is_empty)
		return idgen_try(allocate, try, IDGEN_TRY_ANY);
	try->state = IDGEN_JOB_OVER;
	return NULL;
}

/*
 * Does an error of a try only put it off? If it comes from another server, a
 * cancelled statement there is a failure here.
 */
static Hindrance
hindrance_of(const IdgenJob *job, const ErrorData *error)
{
	bool is_remote = job->source != NULL && job->source->is_remote;

	if (error->sqlerrcode == ERRCODE_LOCK_NOT_AVAILABLE)
		return LOCKED;
	if (!is_remote && error->sqlerrcode == ERRCODE_QUERY_CANCELED)
		return CANCELLED;
	return NO_HINDRANCE;
}

/* Does an error say that another server cannot be reached at all? */
static bool
is_of_server(const IdgenJob *job, const ErrorData *error)
{
	return job->source != NULL && job->source->is_remote &&
		error->sqlerrcode == ERRCODE_SQLCLIENT_UNABLE_TO_ESTABLISH_SQLCONNECTION;
}

/*
 * Is there something to tell the server log? Each state is told once, and not
 * each try: that a server cannot be reached, whatever needs it; and for each id
 * sequence, that refills fail for another reason than the last time. That an id
 * sequence is exhausted, or that its table is gone, is for the sessions to
 * raise.
 */
static bool
is_worth_logging(const IdgenJob *job, const ErrorData *error)
{
	if (error->sqlerrcode == ERRCODE_SEQUENCE_GENERATOR_LIMIT_EXCEEDED ||
	    error->sqlerrcode == ERRCODE_UNDEFINED_TABLE)
		return false;
	if (is_of_server(job, error))
		return idgen_reach_is_news(idgen_desk_own_server());
	return error->sqlerrcode != job->task->failed_with;
}

/* Note an error for the sessions that wait, and log it. */
static void
note_failure(IdgenJob *job, const ErrorData *error)
{
	idgen_failure_set(&job->failure, error, 1);
	if (is_of_server(job, error))
		job->failure.of = IDGEN_FAILURE_OF_SERVER;
	if (!is_worth_logging(job, error))
		return;
	ereport(LOG,
	        (errcode(error->sqlerrcode),
	         errmsg("could not refill id sequence \"%s\": %s",
	                job->task->name, error->message),
	         error->detail != NULL ? errdetail_internal("%s", error->detail) : 0,
	         error->hint != NULL ? errhint("%s", error->hint) : 0));
}

/*
 * Try a job that is TO_TRY or IN_LINE. Caller has begun a transaction, which is
 * for this job alone if that is IN_LINE. Raises no error of the id sequence's
 * own.
 */
void
idgen_job_try(IdgenJob *job)
{
	JobTry try = {.job = job};
	ErrorData *error;

	Assert(job->state == IDGEN_JOB_TO_TRY || job->state == IDGEN_JOB_IN_LINE);

	/* The sessions that wanted a range may have given up. */
	if (job->task->range > 0 && job->query == NULL && !idgen_desk_has_waiters(job->task))
		job->task->range = 0;

	job->source = NULL;
	error = idgen_try(allocate, &try, IDGEN_TRY_ANY);
	if (error != NULL && job->task->range > 0 &&
	    error->sqlerrcode == ERRCODE_SEQUENCE_GENERATOR_LIMIT_EXCEEDED)
		error = try_without_range(&try, error);
	if (error != NULL)
	{
		try.state = IDGEN_JOB_OVER;
		try.hindrance = hindrance_of(job, error);
		try.holder = InvalidTransactionId;
		if (try.hindrance == NO_HINDRANCE)
			note_failure(job, error);
		FreeErrorData(error);
	}
	if (try.hindrance != NO_HINDRANCE)
		put_off(job, try.hindrance, try.holder);
	else
		job->state = try.state;
	if (try.hindrance == NO_HINDRANCE && job->query == NULL)
		note_row(job, false);
}
