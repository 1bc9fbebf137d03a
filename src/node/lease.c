/*
 * lease.c
 *		The leased node number: the lease, as all processes know it; which
 *		worker leases; and what those need that give the number to ids.
 *
 * The worker that renews the lease (lease/renewal.c) writes here what it gets.
 * Sessions take a copy of it, and take a new one when the version has changed.
 * So they look at the lease without a lock.
 *
 * A lease is void when either of two clocks says so. The boot clock goes on
 * evenly, and while the machine sleeps; nobody can set it. The server's clock
 * is also corrected after a virtual machine was stopped for a while, which that
 * machine's boot clock may not have noticed.
 *
 * There are two kinds of ids with a node number, and two ways to be sure of it.
 * A composed id says nothing about when it was drawn, so the lease must be good
 * at that moment. A time-ordered id has a time: if the lease covers that, the
 * id is unique, whenever the process gets to issue it.
 *
 * A session that has no good lease asks for a try, and waits until a try that
 * has begun since then is over. If the last one failed only a moment ago, it
 * does not wait for another.
 *
 * It is a duty of the worker for the foreign server that leads to the centre.
 * Which one that is, only who is connected to idgen.node_database can tell. So
 * a process is started that connects, and finds it. If there is no such worker,
 * it becomes that; else it tells that one, and ends. The server starts this
 * process along with itself if idgen.node_id is "auto" then; else the first
 * session does that needs it. A server in recovery starts none.
 *
 * Locking rules: the lock protects everything, but version is written under it
 * and read without it.
 */
#include "postgres.h"

#include <time.h>

#include "access/xlog.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "port/atomics.h"
#include "postmaster/bgworker.h"
#include "storage/condition_variable.h"
#include "storage/latch.h"
#include "storage/lwlock.h"
#include "storage/shmem.h"
#include "utils/timestamp.h"

#include "common/clock.h"
#include "common/compat.h"
#include "common/guc.h"
#include "node/lease.h"

/* Not every system has a clock that counts the time of a machine's sleep. */
#ifdef CLOCK_BOOTTIME
#define IDGEN_BOOT_CLOCK CLOCK_BOOTTIME
#else
#define IDGEN_BOOT_CLOCK CLOCK_MONOTONIC
#endif

/* For how long sessions share the failure of a try. */
#define IDGEN_SHARED_FAILURE_MS 1000

/* A process that has not enrolled after this time is not expected any more. */
#define IDGEN_LEASE_START_TIMEOUT_MS 5000

/*
 * One that has failed to connect to its database, or was killed, is started
 * again after this many seconds.
 */
#define IDGEN_LEASE_RESTART_S 60

/* In place of the time in an id: it has none. */
#define NO_TIME (-1)

typedef struct SharedLease
{
	LWLock lock;
	ConditionVariable changed; /* a try is over */
	pg_atomic_uint64 version;  /* changes with report.lease; never 0 */
	IdgenLeaseReport report;
	Oid dbid;                /* which worker is to lease: its database */
	Oid serverid;            /* and its server */
	pid_t pid;               /* of that worker; 0 = there is none */
	Latch *latch;            /* of that */
	bool asked;              /* has a session asked for a try? */
	TimestampTz launched_at; /* when a session had a process started last */
} SharedLease;

static SharedLease *shared = NULL;

/* This process's copy of the lease. */
static IdgenLease own;
static uint64 own_version = 0;

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
		make_uuid(&shared->report.holder);
		make_uuid(&shared->report.next_token);
	}
	LWLockRelease(AddinShmemInitLock);
}

/* Is there shared memory, so that there can be a lease? */
bool
idgen_lease_is_shared(void)
{
	return shared != NULL;
}

/* All that is known. */
void
idgen_lease_report(IdgenLeaseReport *report)
{
	LWLockAcquire(&shared->lock, LW_SHARED);
	*report = shared->report;
	LWLockRelease(&shared->lock);
}

/*
 * What the server needs to know to start a process that finds the worker that
 * is to lease.
 */
static BackgroundWorker
description(int restart_time)
{
	BackgroundWorker worker = {
		.bgw_flags = BGWORKER_SHMEM_ACCESS | BGWORKER_BACKEND_DATABASE_CONNECTION,
		.bgw_start_time = BgWorkerStart_RecoveryFinished,
		.bgw_restart_time = restart_time,
	};

	strlcpy(worker.bgw_name, "idgen worker for the node number", BGW_MAXLEN);
	strlcpy(worker.bgw_type, "idgen worker", BGW_MAXLEN);
	strlcpy(worker.bgw_library_name, "idgen", sizeof(worker.bgw_library_name));
	strlcpy(worker.bgw_function_name, "idgen_worker_main", BGW_MAXLEN);
	return worker;
}

/*
 * Have the server start it along with itself; while libraries are preloaded.
 * Not for pg_upgrade: it replaces the database that the process connects to.
 */
void
idgen_lease_register_process(void)
{
	BackgroundWorker worker = description(IDGEN_LEASE_RESTART_S);

	if (!IsBinaryUpgrade)
		RegisterBackgroundWorker(&worker);
}

/* The worker of that database for that server is to lease from now on. */
void
idgen_lease_assign(Oid dbid, Oid serverid)
{
	LWLockAcquire(&shared->lock, LW_EXCLUSIVE);
	shared->dbid = dbid;
	shared->serverid = serverid;
	shared->asked = true;
	shared->launched_at = 0;
	LWLockRelease(&shared->lock);
}

/* Is that the current process, a worker of that database for that server? */
bool
idgen_lease_is_assigned(Oid dbid, Oid serverid)
{
	bool assigned;

	if (idgen_node_id != IDGEN_NODE_LEASED)
		return false;
	LWLockAcquire(&shared->lock, LW_EXCLUSIVE);
	assigned = shared->dbid == dbid && shared->serverid == serverid;
	if (assigned)
	{
		shared->pid = MyProcPid;
		shared->latch = MyLatch;
	}
	LWLockRelease(&shared->lock);
	return assigned;
}

/* If the current process is the worker that leases, it is not any more. */
void
idgen_lease_leave(void)
{
	LWLockAcquire(&shared->lock, LW_EXCLUSIVE);
	if (shared->pid == MyProcPid)
	{
		shared->pid = 0;
		shared->dbid = shared->serverid = InvalidOid;
		shared->launched_at = 0;
	}
	LWLockRelease(&shared->lock);
}

/*
 * Begin a try if it is time, or if a session has asked for one. What sessions
 * ask for before is answered by it.
 */
bool
idgen_lease_begin_try(bool due)
{
	bool begins;

	LWLockAcquire(&shared->lock, LW_EXCLUSIVE);
	begins = due || shared->asked;
	shared->asked = false;
	if (begins)
		shared->report.tries++;
	LWLockRelease(&shared->lock);
	return begins;
}

/*
 * The server has this lease from now on; renewed_at is when it was asked for, 0
 * for one that is left from before the server's start. The renewal that has
 * that token is on disk: the next one needs another.
 */
void
idgen_lease_install(const IdgenLease *lease, TimestampTz renewed_at)
{
	IdgenLeaseReport *report = &shared->report;
	pg_uuid_t token;

	make_uuid(&token);
	LWLockAcquire(&shared->lock, LW_EXCLUSIVE);
	report->lease = *lease;
	report->renewed_at = renewed_at;
	report->failing_since = 0;
	report->tried_at = GetCurrentTimestamp();
	report->next_token = token;
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
	report->failed = report->tries;
	if (shared->pid == 0)
		shared->launched_at = 0;
	LWLockRelease(&shared->lock);
	ConditionVariableBroadcast(&shared->changed);
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

/* Has this server the number now? */
bool
idgen_lease_is_good(const IdgenLease *lease)
{
	return lease->number != 0 && idgen_boot_clock() < lease->boot_until &&
		GetCurrentTimestamp() < lease->until;
}

/* Raises 55000 if this server can have no lease. */
static void
check_can_lease(void)
{
	if (!idgen_lease_is_shared())
		ereport(ERROR,
		        (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
		         errmsg("a leased node number needs shared memory"),
		         errdetail("idgen.node_id is \"%s\".", IDGEN_NODE_ID_AUTO),
		         errhint("Add \"idgen\" to shared_preload_libraries, or set idgen.node_id to a number.")));
	if (RecoveryInProgress())
		ereport(ERROR,
		        (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
		         errmsg("a server in recovery leases no node number"),
		         errhint("Set idgen.node_id of this server to a number of its own.")));
}

/* Raises 55000: there is no lease that will do, for that reason. */
static void
no_lease(const char *reason)
{
	bool had_one = own.number != 0;

	ereport(ERROR,
	        (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
	         had_one ? errmsg("the lease of node number %d has ended", own.number)
	                 : errmsg("this server has no node number"),
	         had_one ? errdetail("It could not be renewed: %s", reason)
	                 : errdetail("None could be leased: %s", reason),
	         errhint("View \"idgen_server\" and the server log say more.")));
}

/* Ask for a try, and have a worker started that leases if there is none. */
static void
ask_for_try(void)
{
	BackgroundWorker worker = description(BGW_NEVER_RESTART);
	TimestampTz now = GetCurrentTimestamp();
	bool launch;

	LWLockAcquire(&shared->lock, LW_EXCLUSIVE);
	shared->asked = true;
	if (shared->pid != 0)
		SetLatch(shared->latch);
	launch = shared->pid == 0 &&
		TimestampDifferenceExceeds(shared->launched_at, now, IDGEN_LEASE_START_TIMEOUT_MS);
	if (launch)
		shared->launched_at = now;
	LWLockRelease(&shared->lock);

	if (!launch || RegisterDynamicBackgroundWorker(&worker, NULL))
		return;
	LWLockAcquire(&shared->lock, LW_EXCLUSIVE);
	shared->launched_at = 0;
	LWLockRelease(&shared->lock);
	no_lease("The server has no place for another process; raise max_worker_processes.");
}

/* The last time that this process's copy covers. */
static int64
last_time(void)
{
	return Min(idgen_unique_time(own.until), IDGEN_MAX_ID_TIME);
}

/*
 * Does the lease do for an id that is drawn now and has that time? Brings the
 * copy up to date.
 */
static bool
will_do(int64 time)
{
	if (pg_atomic_read_u64(&shared->version) != own_version)
	{
		LWLockAcquire(&shared->lock, LW_SHARED);
		own_version = pg_atomic_read_u64(&shared->version);
		own = shared->report.lease;
		LWLockRelease(&shared->lock);
	}
	if (time == NO_TIME)
		return idgen_lease_is_good(&own);
	return own.number != 0 && time <= last_time();
}

/*
 * Wait for a lease that will do. Raises 55000 if there is none, or not in time.
 */
static void
wait_for_lease(int64 time)
{
	static uint32 wait_event = 0;
	TimestampTz deadline = TimestampTzPlusMilliseconds(GetCurrentTimestamp(), idgen_worker_timeout);
	IdgenLeaseReport report;
	uint64 tries;

	if (wait_event == 0)
		wait_event = WaitEventExtensionNew("IdgenNodeNumber");
	idgen_lease_report(&report);
	tries = report.tries;
	if (report.failing_since != 0 &&
	    !TimestampDifferenceExceeds(report.tried_at, GetCurrentTimestamp(), IDGEN_SHARED_FAILURE_MS))
		no_lease(report.reason);
	ask_for_try();

	while (!will_do(time))
	{
		long left = TimestampDifferenceMilliseconds(GetCurrentTimestamp(), deadline);

		idgen_lease_report(&report);
		if (report.failed > tries)
			no_lease(report.reason);
		if (left <= 0)
			no_lease("The process that leases it has not answered in time.");

		/* The first call returns at once: this looks again before it sleeps. */
		(void) ConditionVariableTimedSleep(&shared->changed, left, wait_event);
	}
	ConditionVariableCancelSleep();
}

/* The number for a composed id that is drawn now. Raises 55000. */
int
idgen_node_leased(void)
{
	check_can_lease();
	if (!will_do(NO_TIME))
		wait_for_lease(NO_TIME);
	return own.number;
}

/*
 * Set idgen_node, such that a time-ordered id may have that time. Raises 55000.
 */
void
idgen_node_reach(int64 time)
{
	check_can_lease();
	if (!will_do(time))
		wait_for_lease(time);
	idgen_node = (IdgenNode){
		.number = own.number,
		.last_time = last_time(),
	};
}

/*
 * Has the server leased another number than idgen_node has, one for ids of that
 * time? Then idgen_node is set to it.
 */
bool
idgen_node_has_changed(int64 time)
{
	if (idgen_node_id != IDGEN_NODE_LEASED || !will_do(time) || own.number == idgen_node.number)
		return false;
	idgen_node_reach(time);
	return true;
}
