/*
 * job_log.c
 *		What the server log is told of a job that waits for a lock.
 *
 * With log_lock_waits on, it is told once that a job waits for the same
 * transaction longer than deadlock_timeout, and that it goes on then. The lock
 * manager cannot do so: the worker tries again and again, and waits there for a
 * short time only. What it would log of these is turned off in job_try.c.
 */
#include "postgres.h"

#include "storage/proc.h"
#include "utils/timestamp.h"

#include "common/guc.h"
#include "common/lock_log.h"
#include "session/messages.h"
#include "worker/job_log.h"

/*
 * Find the lock that a job waits for, and who holds it. Returns false if that
 * is not known.
 */
static bool
find_lock(const IdgenJob *job, IdgenLock *lock, IdgenLockHolder *holder)
{
	const IdgenCacheKey *key = &job->task->key;

	if (!idgen_lock_of_running(job->row_holder, lock))
		*lock = idgen_lock_of_relation(OidIsValid(key->object) ? key->object : key->relid);
	return idgen_lock_find_holder(lock, holder);
}

/*
 * A lock has kept the worker from refilling, as far as is known the same one as
 * before, unless it has changed hands. Caller is in a transaction.
 */
void
idgen_job_log_locked(IdgenJob *job, bool changed_hands)
{
	IdgenJobLock *wait = &job->wait;
	IdgenLockHolder holder;
	ErrorContextCallback context;

	if (changed_hands || wait->since == 0)
		*wait = (IdgenJobLock){.since = GetCurrentTimestamp()};
	if (!log_lock_waits || wait->logged ||
	    !TimestampDifferenceExceeds(wait->since, GetCurrentTimestamp(), DeadlockTimeout) ||
	    !find_lock(job, &wait->lock, &holder))
		return;
	wait->logged = true;
	idgen_refill_context_push(job->task->key.name, &context);
	idgen_log_lock_awaited(&wait->lock, &holder, wait->since);
	error_context_stack = context.previous;
}

/* No lock keeps the worker from refilling any more. */
void
idgen_job_log_unlocked(IdgenJob *job)
{
	ErrorContextCallback context;

	if (job->wait.logged)
	{
		idgen_refill_context_push(job->task->key.name, &context);
		idgen_log_lock_acquired(&job->wait.lock, job->wait.since);
		error_context_stack = context.previous;
	}
	job->wait = (IdgenJobLock){0};
}

/* The worker gives up, in any case with a line. */
void
idgen_job_log_expired(const IdgenJob *job)
{
	IdgenLock lock;
	IdgenLockHolder holder;
	bool known = find_lock(job, &lock, &holder);

	ereport(LOG,
	        (errcode(ERRCODE_LOCK_NOT_AVAILABLE),
	         errmsg("could not lock the row of id sequence \"%s\", or what it draws from, within %d ms",
	                job->task->key.name, idgen_worker_timeout),
	         known && holder.pid != 0 ? errdetail_log("Process holding the lock: %d.", holder.pid) : 0));
}
