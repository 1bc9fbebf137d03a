/*
 * lease_process.c
 *		Finding the process that leases the node number, and starting it.
 *
 * The server starts it along with itself if idgen.node_id is "auto" then; else
 * the first session does that needs it. There is one at most: another one that
 * is started finds that, and ends. A server in recovery starts none.
 *
 * Locking rules: the lock protects everything.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "postmaster/bgworker.h"
#include "storage/latch.h"
#include "storage/lwlock.h"
#include "storage/shmem.h"
#include "utils/timestamp.h"

#include "common/compat.h"
#include "node/lease_process.h"

/* A process that has not enrolled after this time is not expected any more. */
#define IDGEN_LEASE_START_TIMEOUT_MS 5000

/*
 * One that has failed to connect to its database, or was killed, is started
 * again after this many seconds.
 */
#define IDGEN_LEASE_RESTART_S 60

typedef struct LeaseProcess
{
	LWLock lock;
	pid_t pid;               /* 0 = there is none */
	Latch *latch;            /* of that */
	bool asked;              /* has a session asked for a try? */
	TimestampTz launched_at; /* when a session had one started last */
} LeaseProcess;

static LeaseProcess *process = NULL;

/* Ask for shared memory; from shmem_request_hook. */
void
idgen_lease_process_request_shmem(void)
{
	RequestAddinShmemSpace(sizeof(LeaseProcess));
	RequestNamedLWLockTranche("IdgenLeaseProcess", 1);
}

/* Create the shared memory, or attach to it; from shmem_startup_hook. */
void
idgen_lease_process_startup_shmem(void)
{
	bool found;

	LWLockAcquire(AddinShmemInitLock, LW_EXCLUSIVE);
	process = ShmemInitStruct("idgen lease process", sizeof(LeaseProcess), &found);
	if (!found)
	{
		memset(process, 0, sizeof(LeaseProcess));
		LWLockInitialize(&process->lock, GetNamedLWLockTranche("IdgenLeaseProcess")->lock.tranche);
	}
	LWLockRelease(AddinShmemInitLock);
}

/* What the server needs to know to start it. */
static BackgroundWorker
description(int restart_time)
{
	BackgroundWorker worker = {
		.bgw_flags = BGWORKER_SHMEM_ACCESS | BGWORKER_BACKEND_DATABASE_CONNECTION,
		.bgw_start_time = BgWorkerStart_RecoveryFinished,
		.bgw_restart_time = restart_time,
	};

	strlcpy(worker.bgw_name, "idgen node number", BGW_MAXLEN);
	strlcpy(worker.bgw_type, "idgen node number", BGW_MAXLEN);
	strlcpy(worker.bgw_library_name, "idgen", sizeof(worker.bgw_library_name));
	strlcpy(worker.bgw_function_name, "idgen_lease_main", BGW_MAXLEN);
	return worker;
}

/*
 * Have the server start it along with itself; while libraries are preloaded.
 * Not for pg_upgrade: it replaces the database that the process connects to.
 */
void
idgen_lease_process_register(void)
{
	BackgroundWorker worker = description(IDGEN_LEASE_RESTART_S);

	if (!IsBinaryUpgrade)
		RegisterBackgroundWorker(&worker);
}

/* Ask the process for a try, or have it started: then it tries at once. */
IdgenLeaseWake
idgen_lease_process_wake(void)
{
	BackgroundWorker worker = description(BGW_NEVER_RESTART);
	TimestampTz now = GetCurrentTimestamp();
	bool launch;

	LWLockAcquire(&process->lock, LW_EXCLUSIVE);
	process->asked = true;
	if (process->pid != 0)
		SetLatch(process->latch);
	launch = process->pid == 0 &&
		TimestampDifferenceExceeds(process->launched_at, now, IDGEN_LEASE_START_TIMEOUT_MS);
	if (launch)
		process->launched_at = now;
	LWLockRelease(&process->lock);

	if (!launch || RegisterDynamicBackgroundWorker(&worker, NULL))
		return IDGEN_LEASE_WOKEN;
	LWLockAcquire(&process->lock, LW_EXCLUSIVE);
	process->launched_at = 0;
	LWLockRelease(&process->lock);
	return IDGEN_LEASE_NO_PLACE;
}

/*
 * The current process is the one from now on. Returns false if there is one
 * already.
 */
bool
idgen_lease_process_enrol(void)
{
	bool enrolled;

	LWLockAcquire(&process->lock, LW_EXCLUSIVE);
	enrolled = process->pid == 0;
	if (enrolled)
	{
		process->pid = MyProcPid;
		process->latch = MyLatch;
	}
	LWLockRelease(&process->lock);
	return enrolled;
}

/* If the current process is the one, it is not any more. */
void
idgen_lease_process_leave(void)
{
	LWLockAcquire(&process->lock, LW_EXCLUSIVE);
	if (process->pid == MyProcPid)
	{
		process->pid = 0;
		process->latch = NULL;
		process->launched_at = 0;
	}
	LWLockRelease(&process->lock);
}

/* Has a session asked for a try since this was called last? */
bool
idgen_lease_process_is_asked(void)
{
	bool asked;

	LWLockAcquire(&process->lock, LW_EXCLUSIVE);
	asked = process->asked;
	process->asked = false;
	LWLockRelease(&process->lock);
	return asked;
}
