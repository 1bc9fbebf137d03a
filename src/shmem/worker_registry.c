/*
 * worker_registry.c
 *		Which databases have a refill worker.
 *
 * A worker is started by a session that has something for it to do, and goes when
 * nobody has had for a while. There is at most one for each database; this is where
 * they are found. What they are to do is not in here, but in the cache: a session
 * first leaves its request there, then wakes the worker, who looks there after it
 * was woken, and once more after it has signed off.
 *
 * Locking rules: registry->lock protects everything.
 */
#include "postgres.h"

#include <signal.h>

#include "miscadmin.h"
#include "postmaster/bgworker.h"
#include "storage/ipc.h"
#include "storage/latch.h"
#include "storage/lwlock.h"
#include "storage/procarray.h"
#include "storage/shmem.h"
#include "utils/timestamp.h"

#include "shmem/worker_registry.h"

/*
 * A worker that has not come up after this time is not expected any more. The
 * server does not tell when it could not start one.
 */
#define IDGEN_START_TIMEOUT_MS 5000
/* How long to wait for a worker to go. */
#define IDGEN_STOP_TIMEOUT_MS 5000

typedef struct IdgenWorkerEntry
{
	Oid dbid;                /* invalid if unused */
	pid_t pid;               /* 0 while it is being started, ... */
	Latch *latch;            /* ... likewise NULL */
	TimestampTz launched_at; /* when a session had it started */
} IdgenWorkerEntry;

typedef struct IdgenWorkerRegistry
{
	LWLock lock;
	int nentries; /* as many as the server can have workers */
	IdgenWorkerEntry entries[FLEXIBLE_ARRAY_MEMBER];
} IdgenWorkerRegistry;

static IdgenWorkerRegistry *registry = NULL;

static Size
idgen_registry_memsize(void)
{
	return add_size(offsetof(IdgenWorkerRegistry, entries),
	                mul_size(max_worker_processes, sizeof(IdgenWorkerEntry)));
}

/* Ask for shared memory; from shmem_request_hook. */
void
idgen_registry_request_shmem(void)
{
	RequestAddinShmemSpace(idgen_registry_memsize());
	RequestNamedLWLockTranche("IdgenWorkerRegistry", 1);
}

/* Create or attach to it; from shmem_startup_hook. */
void
idgen_registry_startup_shmem(void)
{
	bool found;

	LWLockAcquire(AddinShmemInitLock, LW_EXCLUSIVE);
	registry = ShmemInitStruct("idgen worker registry", idgen_registry_memsize(), &found);
	if (!found)
	{
		memset(registry, 0, idgen_registry_memsize());
		LWLockInitialize(&registry->lock, GetNamedLWLockTranche("IdgenWorkerRegistry")->lock.tranche);
		registry->nentries = max_worker_processes;
	}
	LWLockRelease(AddinShmemInitLock);
}

/* The entry of a database; NULL if there is none. Caller holds the lock. */
static IdgenWorkerEntry *
find_entry(Oid dbid)
{
	for (int i = 0; i < registry->nentries; i++)
		if (registry->entries[i].dbid == dbid)
			return &registry->entries[i];
	return NULL;
}

/* Is there no worker, and is none to be expected? Caller holds the lock. */
static bool
is_unused(const IdgenWorkerEntry *entry)
{
	return entry->latch == NULL &&
		TimestampDifferenceExceeds(entry->launched_at, GetCurrentTimestamp(),
	                               IDGEN_START_TIMEOUT_MS);
}

/* An entry that can be used for a database; NULL if there is none. Likewise. */
static IdgenWorkerEntry *
get_entry(Oid dbid)
{
	IdgenWorkerEntry *entry = find_entry(dbid);

	for (int i = 0; i < registry->nentries && entry == NULL; i++)
		if (is_unused(&registry->entries[i]))
			entry = &registry->entries[i];
	return entry;
}

/*
 * Wake the worker of an entry, which may be NULL. Returns whether there is one, or is
 * going to be. Caller holds the lock.
 */
static bool
wake_entry(IdgenWorkerEntry *entry)
{
	if (entry == NULL || is_unused(entry))
		return false;
	if (entry->latch != NULL)
		SetLatch(entry->latch);
	return true;
}

/* Remove the entry of a database, if it is that of this process, or 0. */
static void
remove_entry(Oid dbid, pid_t pid)
{
	IdgenWorkerEntry *entry;

	LWLockAcquire(&registry->lock, LW_EXCLUSIVE);
	entry = find_entry(dbid);
	if (entry != NULL && entry->pid == pid)
		memset(entry, 0, sizeof(IdgenWorkerEntry));
	LWLockRelease(&registry->lock);
}

/* Have the server start a worker. Returns false if it has no place for one. */
static bool
start_worker(Oid dbid)
{
	BackgroundWorker worker = {
		.bgw_flags = BGWORKER_SHMEM_ACCESS | BGWORKER_BACKEND_DATABASE_CONNECTION,
		.bgw_start_time = BgWorkerStart_RecoveryFinished,
		.bgw_restart_time = BGW_NEVER_RESTART,
		.bgw_main_arg = ObjectIdGetDatum(dbid),
	};

	snprintf(worker.bgw_name, BGW_MAXLEN, "idgen worker for database %u", dbid);
	strlcpy(worker.bgw_type, "idgen worker", BGW_MAXLEN);
	strlcpy(worker.bgw_library_name, "idgen", sizeof(worker.bgw_library_name));
	strlcpy(worker.bgw_function_name, "idgen_worker_main", BGW_MAXLEN);
	return RegisterDynamicBackgroundWorker(&worker, NULL);
}

/*
 * Wake the worker of a database, or start one. Returns false if the server has no
 * place for one.
 */
bool
idgen_registry_wake(Oid dbid)
{
	IdgenWorkerEntry *entry;
	bool done;

	LWLockAcquire(&registry->lock, LW_SHARED);
	done = wake_entry(find_entry(dbid));
	LWLockRelease(&registry->lock);
	if (done)
		return true;

	LWLockAcquire(&registry->lock, LW_EXCLUSIVE);
	entry = get_entry(dbid);
	done = entry != NULL && entry->dbid == dbid && wake_entry(entry);
	if (!done && entry != NULL)
	{
		entry->dbid = dbid;
		entry->launched_at = GetCurrentTimestamp();
	}
	LWLockRelease(&registry->lock);
	if (done || entry == NULL)
		return done;

	if (start_worker(dbid))
		return true;
	remove_entry(dbid, 0);
	return false;
}

/*
 * Have the worker of a database that the caller has locked, if there is one, go, and
 * wait for that, though not forever. The lock keeps new ones away.
 */
void
idgen_registry_stop(Oid dbid)
{
	IdgenWorkerEntry *entry;
	pid_t pid = 0;

	if (registry == NULL)
		return;
	LWLockAcquire(&registry->lock, LW_SHARED);
	entry = find_entry(dbid);
	if (entry != NULL)
		pid = entry->pid;
	if (pid != 0)
		kill(pid, SIGTERM);
	LWLockRelease(&registry->lock);

	for (int ms = 0; pid != 0 && ms < IDGEN_STOP_TIMEOUT_MS; ms += 10)
	{
		if (BackendPidGetProc(pid) == NULL)
			break;
		CHECK_FOR_INTERRUPTS();
		pg_usleep(10000L);
	}
}

/*
 * The current process is the worker of a database from now on. Returns false if
 * there is one already, or no place.
 */
bool
idgen_registry_enrol(Oid dbid)
{
	IdgenWorkerEntry *entry;
	bool enrolled;

	LWLockAcquire(&registry->lock, LW_EXCLUSIVE);
	entry = get_entry(dbid);
	enrolled = entry != NULL && entry->latch == NULL;
	if (enrolled)
	{
		entry->dbid = dbid;
		entry->pid = MyProcPid;
		entry->latch = MyLatch;
	}
	LWLockRelease(&registry->lock);
	return enrolled;
}

/* Is the current process the worker of that database? */
bool
idgen_registry_enrolled(Oid dbid)
{
	IdgenWorkerEntry *entry;
	bool enrolled;

	LWLockAcquire(&registry->lock, LW_SHARED);
	entry = find_entry(dbid);
	enrolled = entry != NULL && entry->pid == MyProcPid;
	LWLockRelease(&registry->lock);
	return enrolled;
}

/* The current process, which is the worker of that database, is it not any more. */
void
idgen_registry_leave(Oid dbid)
{
	remove_entry(dbid, MyProcPid);
}
