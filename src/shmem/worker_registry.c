/*
 * worker_registry.c
 *		Which databases have a refill worker.
 *
 * There is at most one worker for each database, and this is where sessions
 * find it. What it has to do is not in here, but in the cache. A session first
 * leaves its request there, then wakes the worker. The worker looks at the
 * requests when it was woken, and once more after it has left the registry. So
 * no request is overlooked.
 *
 * An entry goes through these states:
 *
 *		NONE ---> STARTING ---> RUNNING ---> NONE
 *
 * NONE
 *		The entry is free. A session that finds no worker for its database takes
 *		one, and has the server start a worker: STARTING.
 * STARTING
 *		The worker is RUNNING when it has enrolled. If the server has no place
 *		for a worker, the session frees the entry: NONE. The server does not
 *		tell when it could not start one for another reason: so after some time,
 *		the entry counts as free.
 * RUNNING
 *		Sessions can wake the worker. When it ends, for whatever reason, it
 *		leaves: NONE.
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

/* A worker that has not enrolled after this time is not expected any more. */
#define IDGEN_START_TIMEOUT_MS 5000
/* How long to wait for a worker to end. */
#define IDGEN_STOP_TIMEOUT_MS 5000

typedef struct IdgenWorkerEntry
{
	IdgenWorkerState state;
	Oid dbid;                /* invalid if NONE */
	TimestampTz launched_at; /* if STARTING: when a session had it started */
	pid_t pid;               /* if RUNNING */
	Latch *latch;            /* if RUNNING */
} IdgenWorkerEntry;

typedef struct IdgenWorkerRegistry
{
	LWLock lock;
	bool refused; /* had the server no place for the last worker that was wanted? */
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
is_free(const IdgenWorkerEntry *entry)
{
	return entry->state == IDGEN_WORKER_NONE ||
		(entry->state == IDGEN_WORKER_STARTING &&
	     TimestampDifferenceExceeds(entry->launched_at, GetCurrentTimestamp(),
	                                IDGEN_START_TIMEOUT_MS));
}

/*
 * The entry of a database, or one that is free; NULL if there is none. Caller
 * holds the lock.
 */
static IdgenWorkerEntry *
get_entry(Oid dbid)
{
	IdgenWorkerEntry *entry = find_entry(dbid);

	for (int i = 0; i < registry->nentries && entry == NULL; i++)
		if (is_free(&registry->entries[i]))
			entry = &registry->entries[i];
	return entry;
}

/*
 * The state of an entry, which may be NULL: NONE also if no worker is to be
 * expected any more. Caller holds the lock.
 */
static IdgenWorkerState
state_of(const IdgenWorkerEntry *entry)
{
	return entry == NULL || is_free(entry) ? IDGEN_WORKER_NONE : entry->state;
}

/*
 * Wake the worker of an entry, which may be NULL, if there is one. Returns the
 * entry's state. Caller holds the lock.
 */
static IdgenWorkerState
wake_entry(IdgenWorkerEntry *entry)
{
	IdgenWorkerState state = state_of(entry);

	if (state == IDGEN_WORKER_RUNNING)
		SetLatch(entry->latch);
	return state;
}

/*
 * The server has no place for the worker of a database: note that, and free the
 * entry of the database, if it has one.
 */
static void
note_refusal(Oid dbid)
{
	IdgenWorkerEntry *entry;

	LWLockAcquire(&registry->lock, LW_EXCLUSIVE);
	registry->refused = true;
	entry = find_entry(dbid);
	if (entry != NULL && entry->state == IDGEN_WORKER_STARTING)
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

/* What is known of the worker of a database, without starting one. */
IdgenWorkerState
idgen_registry_look(Oid dbid)
{
	IdgenWorkerState state;

	LWLockAcquire(&registry->lock, LW_SHARED);
	state = state_of(find_entry(dbid));
	LWLockRelease(&registry->lock);
	return state;
}

/*
 * Wake the worker of a database, or have one started. Returns its state; NONE
 * if the server has no place for one.
 */
IdgenWorkerState
idgen_registry_wake(Oid dbid)
{
	IdgenWorkerEntry *entry;
	IdgenWorkerState state;

	LWLockAcquire(&registry->lock, LW_SHARED);
	state = wake_entry(find_entry(dbid));
	LWLockRelease(&registry->lock);
	if (state != IDGEN_WORKER_NONE)
		return state;

	LWLockAcquire(&registry->lock, LW_EXCLUSIVE);
	entry = get_entry(dbid);
	if (entry != NULL && entry->dbid == dbid)
		state = wake_entry(entry);
	if (state == IDGEN_WORKER_NONE && entry != NULL)
	{
		entry->state = IDGEN_WORKER_STARTING;
		entry->dbid = dbid;
		entry->launched_at = GetCurrentTimestamp();
	}
	LWLockRelease(&registry->lock);
	if (state != IDGEN_WORKER_NONE)
		return state;

	if (entry != NULL && start_worker(dbid))
		return IDGEN_WORKER_STARTING;
	note_refusal(dbid);
	return IDGEN_WORKER_NONE;
}

/* Had the server no place for the last worker that was wanted? */
bool
idgen_registry_refused(void)
{
	bool refused;

	LWLockAcquire(&registry->lock, LW_SHARED);
	refused = registry->refused;
	LWLockRelease(&registry->lock);
	return refused;
}

/*
 * End the worker of a database, if it has one, and wait until it has gone,
 * though not for ever. The caller has locked the database, which keeps new
 * workers away.
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
	if (entry != NULL && entry->state == IDGEN_WORKER_RUNNING)
	{
		pid = entry->pid;
		kill(pid, SIGTERM);
	}
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
	enrolled = entry != NULL && entry->state != IDGEN_WORKER_RUNNING;
	if (enrolled)
	{
		entry->state = IDGEN_WORKER_RUNNING;
		entry->dbid = dbid;
		entry->pid = MyProcPid;
		entry->latch = MyLatch;
		registry->refused = false;
	}
	LWLockRelease(&registry->lock);
	return enrolled;
}

/*
 * The entry of a database if this process is its worker, else NULL. Caller
 * holds the lock.
 */
static IdgenWorkerEntry *
find_own_entry(Oid dbid)
{
	IdgenWorkerEntry *entry = find_entry(dbid);
	bool is_own = entry != NULL && entry->state == IDGEN_WORKER_RUNNING && entry->pid == MyProcPid;

	return is_own ? entry : NULL;
}

/* Is the current process the worker of that database? */
bool
idgen_registry_enrolled(Oid dbid)
{
	bool enrolled;

	LWLockAcquire(&registry->lock, LW_SHARED);
	enrolled = find_own_entry(dbid) != NULL;
	LWLockRelease(&registry->lock);
	return enrolled;
}

/* If the current process is the worker of that database, it is not any more. */
void
idgen_registry_leave(Oid dbid)
{
	IdgenWorkerEntry *entry;

	LWLockAcquire(&registry->lock, LW_EXCLUSIVE);
	entry = find_own_entry(dbid);
	if (entry != NULL)
		memset(entry, 0, sizeof(IdgenWorkerEntry));
	LWLockRelease(&registry->lock);
}
