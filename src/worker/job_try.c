/*
 * job_try.c
 *		One try of a job: the worker allocates, or finds out why it cannot.
 *
 * A try is made in a subtransaction, so that an error of one id sequence does
 * not undo what the transaction has allocated for others. It ends with an
 * event, which brings the job to its next state (job.c).
 */
#include "postgres.h"

#include "storage/lmgr.h"

#include "common/as_owner.h"
#include "common/subxact.h"
#include "draw/refill.h"
#include "draw/refiller.h"
#include "remote/reach.h"
#include "session/validate.h"
#include "worker/failure.h"
#include "worker/job_lists.h"

/* One try of a job, and how it ends unless an error is raised. */
typedef struct JobTry
{
	IdgenJob *job;
	IdgenJobEvent event;
} JobTry;

/*
 * What it means that another transaction holds the row. "holder" is invalid if
 * that is not known.
 */
static IdgenJobEvent
event_of_holder(IdgenJob *job, TransactionId holder)
{
	TransactionId holder_before = job->row_holder;

	job->row_holder = holder;
	if (!TransactionIdIsValid(holder))
		return IDGEN_EVENT_HELD_BY_ANY;
	return holder == holder_before ? IDGEN_EVENT_ROW_STILL_HELD : IDGEN_EVENT_ROW_TAKEN;
}

/*
 * Allocate from what a handle has found, which had looked at the row when the
 * events had come to that number. What belongs to the transaction is pending
 * then, and the commit publishes it. All else is published before that, and
 * under the lock of refills.
 */
static IdgenJobEvent
allocate_from(IdgenJob *job, IdgenHandle *handle, uint64 as_of)
{
	const IdgenRequest request = {
		.blocks = job->task->nblocks,
		.bulk_ids = job->task->bulk_ids,
		.count = Max(1, job->task->range),
		.asker = job->state == IDGEN_JOB_IN_LINE ? IDGEN_ASKER_WORKER_IN_LINE : IDGEN_ASKER_WORKER,
		.under_way = &job->query,
		.begun_at = job->task->begun_at,
	};
	IdgenSourceResult result;

	/* The row may lead elsewhere by now, even to what is another worker's. */
	if (idgen_worker_for(handle) != idgen_desk_own_server())
		return IDGEN_EVENT_NO_SOURCE;
	if (job->origin != handle->found.origin)
		idgen_job_abandon_query(job);
	if (job->query == NULL)
		job->good_as_of = as_of;
	job->origin = handle->found.origin;
	job->source = handle->found.source;

	if (job->source->transactional)
		result = idgen_refill_pending(handle, &request, &job->refill);
	else
	{
		if (!idgen_refill_try_lock(handle))
			return IDGEN_EVENT_LOCKED;
		result = idgen_refill_allocate(handle, &request, &job->refill);
		if (result != IDGEN_SOURCE_OK)
			idgen_refill_unlock(handle);
	}
	if (result == IDGEN_SOURCE_OK)
		handle->xact.ahead_below = idgen_job_ahead_below(job);
	if (result == IDGEN_SOURCE_BUSY)
		return event_of_holder(job, job->refill.holder);
	if (result == IDGEN_SOURCE_UNDER_WAY)
	{
		idgen_remote_keep(job->query, idgen_job_memory);
		return IDGEN_EVENT_ASKED;
	}
	return result == IDGEN_SOURCE_OK ? IDGEN_EVENT_ALLOCATED : IDGEN_EVENT_NO_SOURCE;
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

	if (!OidIsValid(owner))
	{
		try->event = IDGEN_EVENT_NO_SOURCE;
		return;
	}
	if (OidIsValid(key->object) && !ConditionalLockRelationOid(key->object, RowExclusiveLock))
	{
		try->event = IDGEN_EVENT_LOCKED;
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
	try->event = handle != NULL ? allocate_from(try->job, handle, as_of) : IDGEN_EVENT_NO_SOURCE;
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
	try->event = IDGEN_EVENT_FAILED;
	return NULL;
}

/*
 * What an error of a try means. If it comes from another server, a cancelled
 * statement there is a failure here.
 */
static IdgenJobEvent
event_of_error(const IdgenJob *job, const ErrorData *error)
{
	bool is_remote = job->source != NULL && job->source->is_remote;

	if (error->sqlerrcode == ERRCODE_LOCK_NOT_AVAILABLE)
		return IDGEN_EVENT_LOCKED;
	if (!is_remote && error->sqlerrcode == ERRCODE_QUERY_CANCELED)
		return IDGEN_EVENT_CANCELLED;
	return IDGEN_EVENT_FAILED;
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
		return idgen_reach_is_news(job->origin);
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
		try.event = event_of_error(job, error);
		if (try.event == IDGEN_EVENT_FAILED)
			note_failure(job, error);
		FreeErrorData(error);
	}
	idgen_job_take_event(job, try.event);
}
