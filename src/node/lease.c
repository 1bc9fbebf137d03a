/*
 * lease.c
 *		The lease of this server's node number, as all processes know it.
 *
 * The process that renews the lease (lease_worker.c) writes here what it gets.
 * Sessions take a copy of it, and take a new one when the version has changed.
 * So they look at the lease without a lock.
 *
 * A lease is void when either of two clocks says so. The boot clock goes on
 * evenly, and while the machine sleeps; nobody can set it. The server's clock
 * is also corrected after a virtual machine was stopped for a while, which that
 * machine's boot clock may not have noticed.
 *
 * Locking rules: the lock protects everything, but version is written under it
 * and read without it.
 */
#include "postgres.h"

#include <time.h>

#include "mb/pg_wchar.h"
#include "port/atomics.h"
#include "storage/condition_variable.h"
#include "storage/lwlock.h"
#include "storage/shmem.h"
#include "utils/timestamp.h"

#include "common/compat.h"
#include "node/lease.h"

/* Not every system has a clock that counts the time of a machine's sleep. */
#ifdef CLOCK_BOOTTIME
#define IDGEN_BOOT_CLOCK CLOCK_BOOTTIME
#else
#define IDGEN_BOOT_CLOCK CLOCK_MONOTONIC
#endif

typedef struct SharedLease
{
	LWLock lock;
	ConditionVariable changed; /* a try is over */
	pg_atomic_uint64 version;  /* changes with report.lease; never 0 */
	IdgenLeaseReport report;
	uint64 tries;  /* begun so far */
	uint64 failed; /* which was the last one that failed; they count from 1 */
	IdgenLeaseNames names;
} SharedLease;

static SharedLease *shared = NULL;

/* Ask for shared memory; from shmem_request_hook. */
void
idgen_lease_request_shmem(void)
{
	RequestAddinShmemSpace(sizeof(SharedLease));
	RequestNamedLWLockTranche("IdgenLease", 1);
}

static void
make_uuid(pg_uuid_t *uuid)
{
	if (!pg_strong_random(uuid->data, UUID_LEN))
		ereport(ERROR,
		        (errcode(ERRCODE_INTERNAL_ERROR),
		         errmsg("could not generate random values")));
}

/*
 * Create the shared memory, or attach to it; from shmem_startup_hook. A server
 * that starts, after a crash of one of its processes too, is another holder
 * than before.
 */
void
idgen_lease_startup_shmem(void)
{
	bool found;

	LWLockAcquire(AddinShmemInitLock, LW_EXCLUSIVE);
	shared = ShmemInitStruct("idgen lease", sizeof(SharedLease), &found);
	if (!found)
	{
		memset(shared, 0, sizeof(SharedLease));
		LWLockInitialize(&shared->lock, GetNamedLWLockTranche("IdgenLease")->lock.tranche);
		ConditionVariableInit(&shared->changed);
		pg_atomic_init_u64(&shared->version, 1);
		make_uuid(&shared->names.holder);
		make_uuid(&shared->names.next_token);
	}
	LWLockRelease(AddinShmemInitLock);
}

/* Is there shared memory, so that there can be a lease? */
bool
idgen_lease_is_shared(void)
{
	return shared != NULL;
}

/*
 * Microseconds since the machine was started, those of its sleep included where
 * the system counts them.
 */
int64
idgen_boot_clock(void)
{
	struct timespec now;

	if (clock_gettime(IDGEN_BOOT_CLOCK, &now) != 0)
		elog(ERROR, "could not read the clock: %m");
	return now.tv_sec * USECS_PER_SEC + now.tv_nsec / 1000;
}

/*
 * For sessions
 */

/* Bring a copy of the lease up to date; *version is that of the copy, or 0. */
void
idgen_lease_update(IdgenLease *lease, uint64 *version)
{
	if (pg_atomic_read_u64(&shared->version) == *version)
		return;
	LWLockAcquire(&shared->lock, LW_SHARED);
	*version = pg_atomic_read_u64(&shared->version);
	*lease = shared->report.lease;
	LWLockRelease(&shared->lock);
}

/* Has this server the number now? */
bool
idgen_lease_is_good(const IdgenLease *lease)
{
	return lease->number != 0 && idgen_boot_clock() < lease->boot_until &&
		GetCurrentTimestamp() < lease->until;
}

/* All that is known. */
void
idgen_lease_report(IdgenLeaseReport *report)
{
	LWLockAcquire(&shared->lock, LW_SHARED);
	*report = shared->report;
	LWLockRelease(&shared->lock);
}

/* How many tries to get or renew the lease have begun? */
uint64
idgen_lease_tries(void)
{
	uint64 tries;

	LWLockAcquire(&shared->lock, LW_SHARED);
	tries = shared->tries;
	LWLockRelease(&shared->lock);
	return tries;
}

/* Has one failed that has begun after that many others? */
bool
idgen_lease_has_failed_since(uint64 tries)
{
	bool failed;

	LWLockAcquire(&shared->lock, LW_SHARED);
	failed = shared->failed > tries;
	LWLockRelease(&shared->lock);
	return failed;
}

/*
 * Wait until a try is over, for this many milliseconds at most. The first call
 * returns at once, so that the caller looks again before it sleeps. The caller
 * calls idgen_lease_wait_end() in the end.
 */
void
idgen_lease_wait(long timeout, uint32 wait_event)
{
	(void) ConditionVariableTimedSleep(&shared->changed, timeout, wait_event);
}

void
idgen_lease_wait_end(void)
{
	ConditionVariableCancelSleep();
}

/*
 * For the process that renews it
 */

/* What to call this server and the next renewal. */
void
idgen_lease_names(IdgenLeaseNames *names)
{
	LWLockAcquire(&shared->lock, LW_SHARED);
	*names = shared->names;
	LWLockRelease(&shared->lock);
}

/* The renewal that has that token is on disk: the next one needs another. */
void
idgen_lease_new_token(void)
{
	pg_uuid_t token;

	make_uuid(&token);
	LWLockAcquire(&shared->lock, LW_EXCLUSIVE);
	shared->names.next_token = token;
	LWLockRelease(&shared->lock);
}

/* A try begins. What sessions ask for before is answered by it. */
void
idgen_lease_begin_try(void)
{
	LWLockAcquire(&shared->lock, LW_EXCLUSIVE);
	shared->tries++;
	LWLockRelease(&shared->lock);
}

/*
 * The server has this lease from now on; renewed_at is when it was asked for, 0
 * for one that is left from before the server's start.
 */
void
idgen_lease_install(const IdgenLease *lease, TimestampTz renewed_at)
{
	LWLockAcquire(&shared->lock, LW_EXCLUSIVE);
	shared->report = (IdgenLeaseReport){
		.lease = *lease,
		.renewed_at = renewed_at,
		.tried_at = GetCurrentTimestamp(),
	};
	(void) pg_atomic_add_fetch_u64(&shared->version, 1);
	LWLockRelease(&shared->lock);
	ConditionVariableBroadcast(&shared->changed);
}

/* A try has failed. The lease stays as it is. */
void
idgen_lease_note_failure(const char *reason)
{
	IdgenLeaseReport *report = &shared->report;
	TimestampTz now = GetCurrentTimestamp();
	int length = pg_mbcliplen(reason, strlen(reason), IDGEN_LEASE_REASON_SIZE - 1);

	LWLockAcquire(&shared->lock, LW_EXCLUSIVE);
	if (report->failing_since == 0)
		report->failing_since = now;
	report->tried_at = now;
	memcpy(report->reason, reason, length);
	report->reason[length] = '\0';
	shared->failed = shared->tries;
	LWLockRelease(&shared->lock);
	ConditionVariableBroadcast(&shared->changed);
}
