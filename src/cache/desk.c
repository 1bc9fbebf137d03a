/*
 * desk.c
 *		Where sessions ask workers to refill.
 *
 * A session that finds few ids in the cache, or none, leaves a request here,
 * and wakes the worker of its database, or that for the server which the ids
 * come from: a server that is silent keeps nothing waiting but what comes from
 * there. A request has a serial, which is never used again. A session that
 * waits sleeps until the request with that serial has gone, and then looks into
 * the cache: so nobody is told a result, and a request that is gone is over,
 * whatever has become of it. There is one request for each id sequence, for all
 * that want it refilled.
 *
 * The request stays while the worker is at it. A session that joins it then
 * does not get the error of that refill, which may have failed for a reason
 * that is gone by now: then the worker tries once more, by another request, of
 * which the session gets the error. An error of another server that cannot be
 * reached is for all.
 *
 * Why a refill has failed is kept in the place of the request until another
 * request gets that. The texts, which are long, are in a ring, where failures
 * that are alike share a place, as when a worker cannot connect and all its id
 * sequences fail. A session that wakes up too late still has the SQLSTATE, and
 * gets a message that says that the reason was not kept.
 *
 * A request that nobody serves does no harm. The worker looks whether the slot
 * has enough ids before it refills; a session that needs the place takes it,
 * and those that wait for the old request look again, and ask anew.
 *
 * There is at most one worker for each database, and for each server there. Its
 * entry goes through these states:
 *
 *		NONE ---> STARTING ---> RUNNING ---> NONE
 *
 * NONE
 *		A session that finds no worker has the server start one: STARTING.
 * STARTING
 *		The worker is RUNNING when it has enrolled. If the server has no place
 *		for a worker, the session says so: NONE. The server does not tell when
 *		it could not start one for another reason: so after some time, the
 *		entry counts as one without a worker.
 * RUNNING
 *		Sessions can wake the worker. When it ends, for whatever reason, it
 *		leaves: NONE. The requests that it was at are as if it had not begun
 *		with them, and the sessions that wait have another one started.
 *
 * A worker that has nothing to do leaves under the same lock under which
 * requests are left. So no request is overlooked.
 *
 * Locking rules: desk->lock protects everything. No other lock is taken under
 * it, and nothing raises an error there.
 */
#include "postgres.h"

#include <signal.h>

#include "common/hashfn.h"
#include "lib/ilist.h"
#include "miscadmin.h"
#include "postmaster/bgworker.h"
#include "storage/ipc.h"
#include "storage/latch.h"
#include "storage/procarray.h"
#include "storage/proclist.h"
#include "storage/shmem.h"
#include "storage/spin.h"

#include "common/clock.h"
#include "common/compat.h"
#include "cache/desk.h"

/*
 * Besides one for each session that can wait, there are places for requests
 * ahead of need, of which one session can leave many.
 */
#define IDGEN_REQUESTS_AHEAD 256

/*
 * More failures than this at a time are rare: each one has a session that
 * waits.
 */
#define IDGEN_FAILURES 64

/* A worker that has not enrolled after this time is not expected any more. */
#define IDGEN_START_TIMEOUT_MS 5000
/* How long to wait for a worker to end. */
#define IDGEN_STOP_TIMEOUT_MS 5000

typedef struct Request
{
	uint64 serial;         /* 0 = the place is free */
	dlist_node node;       /* on a list of its worker, or of free places */
	struct Request *alike; /* the next one with a key alike */
	struct Worker *worker;
	IdgenCacheKey key;
	bool awaited;
	bool begun;      /* is the worker at it? */
	bool again;      /* and has a session asked once more since? */
	bool tried;      /* has it tried to lock the row? */
	bool row_locked; /* and if so, had another transaction locked it? */
	int64 range;     /* as in IdgenAsk: the most that was asked for */
	int64 bulk_ids;
	uint32 asked_ms;        /* as idgen_clock_ms() says */
	ConditionVariable done; /* the request has gone, or its worker */

	/* The last request that was here, and that is over. */
	uint64 ended;
	IdgenFailureNote failure;
	int64 failure_count; /* as in IdgenFailure, with the next one */
	IdgenFailureOf failure_of;
	IdgenTicket next; /* who had joined it waits for this one; serial 0 = for none */

	char name[IDGEN_NAME_BYTES];
} Request;

typedef struct Worker
{
	Oid dbid; /* invalid if the entry is free */
	Oid serverid;
	IdgenWorkerState state;
	uint32 launched_ms; /* if STARTING: when a session had it started */
	pid_t pid;          /* if RUNNING, with the next one */
	Latch *latch;
	dlist_head awaited; /* requests, the oldest one first */
	dlist_head ahead;
	dlist_head begun;
} Worker;

typedef struct IdgenDesk
{
	LWLock lock;
	uint64 serials;  /* that were used */
	uint32 failures; /* that were kept */
	int nahead;      /* requests ahead of need */
	int nrequests;
	int nworkers; /* as many as the server can have workers */
	bool refused; /* had the server no place for the last worker that was wanted? */
	dlist_head free;
	IdgenFailure texts[IDGEN_FAILURES]; /* by their numbers */
} IdgenDesk;

static IdgenDesk *desk = NULL;
static Worker *workers;
static Request *requests;
static Request **chains; /* of requests with keys alike, as many as there are requests */

/* The entry of which this process is the worker, or NULL. */
static Worker *own = NULL;

/*
 * Shared memory
 */

static int
count_requests(void)
{
	return MaxBackends + IDGEN_REQUESTS_AHEAD;
}

static Size
desk_size(void)
{
	Size size = MAXALIGN(sizeof(IdgenDesk));

	size = add_size(size, mul_size(max_worker_processes, sizeof(Worker)));
	return add_size(size, mul_size(count_requests(), sizeof(Request) + sizeof(Request *)));
}

/* Ask for it; from shmem_request_hook. */
void
idgen_desk_request_shmem(void)
{
	RequestAddinShmemSpace(desk_size());
	RequestNamedLWLockTranche("IdgenDesk", 1);
}

static void
init_worker(Worker *worker)
{
	memset(worker, 0, sizeof(Worker));
	dlist_init(&worker->awaited);
	dlist_init(&worker->ahead);
	dlist_init(&worker->begun);
}

/* Create or attach to it; from shmem_startup_hook. */
void
idgen_desk_startup_shmem(void)
{
	bool found;

	LWLockAcquire(AddinShmemInitLock, LW_EXCLUSIVE);
	desk = ShmemInitStruct("idgen desk", desk_size(), &found);
	workers = (Worker *) ((char *) desk + MAXALIGN(sizeof(IdgenDesk)));
	requests = (Request *) (workers + max_worker_processes);
	chains = (Request **) (requests + count_requests());
	if (!found)
	{
		memset(desk, 0, desk_size());
		LWLockInitialize(&desk->lock, GetNamedLWLockTranche("IdgenDesk")->lock.tranche);
		desk->nrequests = count_requests();
		desk->nworkers = max_worker_processes;
		dlist_init(&desk->free);
		for (int i = 0; i < desk->nworkers; i++)
			init_worker(&workers[i]);
		for (int i = 0; i < desk->nrequests; i++)
		{
			ConditionVariableInit(&requests[i].done);
			dlist_push_tail(&desk->free, &requests[i].node);
		}
	}
	LWLockRelease(AddinShmemInitLock);
}

/*
 * Failures
 */

static bool
are_alike(const IdgenFailure *a, const IdgenFailure *b)
{
	return a->sqlerrcode == b->sqlerrcode && a->of == b->of && strcmp(a->message, b->message) == 0 &&
		strcmp(a->detail, b->detail) == 0 && strcmp(a->hint, b->hint) == 0 &&
		strcmp(a->context, b->context) == 0;
}

/* Keep the texts of a failure. The caller holds the lock, exclusively. */
static IdgenFailureNote
keep_failure(const IdgenFailure *failure)
{
	IdgenFailure *last = &desk->texts[desk->failures % IDGEN_FAILURES];

	if (desk->failures == 0 || !are_alike(last, failure))
		desk->texts[++desk->failures % IDGEN_FAILURES] = *failure;
	return (IdgenFailureNote){failure->sqlerrcode, desk->failures};
}

/* Read a failure. The caller holds the lock. */
static void
read_failure(const IdgenFailureNote *note, IdgenFailure *failure)
{
	if (note->number != 0 && desk->failures - note->number < IDGEN_FAILURES)
		*failure = desk->texts[note->number % IDGEN_FAILURES];
	else
		*failure = (IdgenFailure){
			.message = "the worker could not refill the id sequence",
			.detail = "Too many refills failed at a time for the reason to be kept.",
			.hint = "Try again, or see the server log.",
		};
	failure->sqlerrcode = note->sqlerrcode;
}

/*
 * Read the failure that a note speaks of. Numbers are used again after 2^32
 * failures: a note that is that old has the texts of another one.
 */
void
idgen_desk_read_failure(const IdgenFailureNote *note, IdgenFailure *failure)
{
	LWLockAcquire(&desk->lock, LW_SHARED);
	read_failure(note, failure);
	LWLockRelease(&desk->lock);
}

/*
 * Requests: the caller of these functions holds the lock.
 */

static Request **
chain_of(const IdgenCacheKey *key)
{
	return &chains[hash_bytes((const unsigned char *) key, sizeof(IdgenCacheKey)) % desk->nrequests];
}

static Request *
find_request(const IdgenCacheKey *key)
{
	Request *request = *chain_of(key);

	while (request != NULL && memcmp(&request->key, key, sizeof(IdgenCacheKey)) != 0)
		request = request->alike;
	return request;
}

/* Have it done by its worker, behind those of its kind. */
static void
enqueue(Request *request)
{
	Worker *worker = request->worker;

	dlist_push_tail(request->begun ? &worker->begun : request->awaited ? &worker->awaited
	                                                                   : &worker->ahead,
	                &request->node);
	if (!request->awaited)
		desk->nahead++;
}

static void
dequeue(Request *request)
{
	dlist_delete(&request->node);
	if (!request->awaited)
		desk->nahead--;
}

/* A request is over, and those who wait for it look again. */
static void
end_request(Request *request, const IdgenFailure *failure)
{
	Request **at = chain_of(&request->key);

	while (*at != request)
		at = &(*at)->alike;
	*at = request->alike;
	dequeue(request);
	request->ended = request->serial;
	request->serial = 0;
	request->failure = (IdgenFailureNote){0};
	request->next.serial = 0;
	if (failure != NULL)
	{
		request->failure = keep_failure(failure);
		request->failure_count = failure->count;
		request->failure_of = failure->of;
	}
	dlist_push_tail(&desk->free, &request->node);
	ConditionVariableBroadcast(&request->done);
}

/* End all requests on a list. */
static void
end_all(dlist_head *list, const IdgenFailure *failure)
{
	dlist_mutable_iter iter;

	dlist_foreach_modify(iter, list)
		end_request(dlist_container(Request, node, iter.cur), failure);
}

/*
 * Have a free place, if need be by giving up a request that no worker has
 * begun with: one ahead of need, or else one that a session waits for.
 */
static bool
have_free_place(void)
{
	for (int kind = 0; dlist_is_empty(&desk->free) && kind < 2; kind++)
	{
		for (int i = 0; dlist_is_empty(&desk->free) && i < desk->nworkers; i++)
		{
			dlist_head *list = kind == 0 ? &workers[i].ahead : &workers[i].awaited;

			if (!dlist_is_empty(list))
				end_request(dlist_head_element(Request, node, list), NULL);
		}
	}
	return !dlist_is_empty(&desk->free);
}

/*
 * Workers: likewise.
 */

static Worker *
find_worker(Oid dbid, Oid serverid)
{
	for (int i = 0; i < desk->nworkers; i++)
		if (workers[i].dbid == dbid && workers[i].serverid == serverid)
			return &workers[i];
	return NULL;
}

/*
 * The state of a worker, of which there may be no entry: NONE also if none is
 * to be expected any more.
 */
static IdgenWorkerState
state_of(const Worker *worker)
{
	if (worker == NULL ||
	    (worker->state == IDGEN_WORKER_STARTING && idgen_clock_ms() - worker->launched_ms > IDGEN_START_TIMEOUT_MS))
		return IDGEN_WORKER_NONE;
	return worker->state;
}

/*
 * The entry of a worker, made if there is none: a free one, or one without a
 * worker, whose requests nobody serves. NULL if all have one.
 */
static Worker *
get_worker(Oid dbid, Oid serverid)
{
	Worker *worker = find_worker(dbid, serverid);

	if (worker != NULL)
		return worker;
	worker = find_worker(InvalidOid, InvalidOid);
	for (int i = 0; worker == NULL && i < desk->nworkers; i++)
		if (state_of(&workers[i]) == IDGEN_WORKER_NONE)
			worker = &workers[i];
	if (worker == NULL)
		return NULL;
	end_all(&worker->awaited, NULL);
	end_all(&worker->ahead, NULL);
	end_all(&worker->begun, NULL);
	init_worker(worker);
	worker->dbid = dbid;
	worker->serverid = serverid;
	return worker;
}

/* There is no worker; the requests are for the next one. */
static void
leave(Worker *worker)
{
	dlist_mutable_iter iter;

	dlist_foreach_modify(iter, &worker->begun)
	{
		Request *request = dlist_container(Request, node, iter.cur);

		dequeue(request);
		request->begun = false;
		enqueue(request);
	}
	dlist_foreach_modify(iter, &worker->awaited)
		ConditionVariableBroadcast(&dlist_container(Request, node, iter.cur)->done);
	worker->state = IDGEN_WORKER_NONE;
	if (dlist_is_empty(&worker->awaited) && dlist_is_empty(&worker->ahead))
		worker->dbid = worker->serverid = InvalidOid;
}

/*
 * What sessions do
 */

/* A new request, for the worker to do; NULL if there is no place. */
static Request *
make_request(const IdgenCacheKey *key, Oid serverid, const char *name, const IdgenAsk *ask)
{
	Worker *worker = get_worker(key->dbid, serverid);
	Request **chain = chain_of(key);
	Request *request;

	if (worker == NULL || (!ask->awaited && desk->nahead >= IDGEN_REQUESTS_AHEAD) || !have_free_place())
		return NULL;
	request = dlist_container(Request, node, dlist_pop_head_node(&desk->free));
	request->serial = ++desk->serials;
	request->key = *key;
	strlcpy(request->name, name, sizeof(request->name));
	request->worker = worker;
	request->awaited = ask->awaited;
	request->begun = request->again = request->tried = request->row_locked = false;
	request->range = request->bulk_ids = 0;
	request->asked_ms = idgen_clock_ms();
	request->alike = *chain;
	*chain = request;
	enqueue(request);
	return request;
}

/*
 * The row of an id sequence leads elsewhere than when it was requested: that is
 * for another worker. If one has begun with it, it ends it.
 */
static void
hand_over(Request *request, Oid serverid)
{
	Worker *worker;

	if (request->begun || request->worker->serverid == serverid)
		return;
	dequeue(request); /* the new worker may get the entry that it is in */
	worker = get_worker(request->key.dbid, serverid);
	if (worker != NULL)
		request->worker = worker;
	enqueue(request);
}

/*
 * Ask a worker to refill. The caller wakes it then. Returns false if there is
 * no place for the request: if there can be no worker, or if other sessions
 * have asked for too much.
 */
bool
idgen_desk_ask(const IdgenCacheKey *key, Oid serverid, const char *name, const IdgenAsk *ask, IdgenTicket *ticket)
{
	Request *request;

	ticket->serial = 0;
	LWLockAcquire(&desk->lock, LW_EXCLUSIVE);
	request = find_request(key);
	if (request == NULL)
		request = make_request(key, serverid, name, ask);
	if (request != NULL)
	{
		hand_over(request, serverid);
		if (ask->awaited && !request->awaited)
		{
			dequeue(request);
			request->awaited = true;
			enqueue(request);
		}
		request->again = request->begun;
		request->range = Max(request->range, ask->range);
		request->bulk_ids = Max(request->bulk_ids, ask->bulk_ids);
		*ticket = (IdgenTicket){request - requests, request->serial, request->begun};
	}
	LWLockRelease(&desk->lock);
	return request != NULL;
}

/*
 * What has become of what a session has asked for, to draw that many ids? The
 * ticket may be for another request then, which has taken its place. Sets
 * *failure if it has failed, and *row_locked if the worker has tried to lock
 * the row.
 */
IdgenTicketState
idgen_desk_look(IdgenTicket *ticket, int64 count, IdgenFailure *failure, bool *row_locked)
{
	const Request *request = &requests[ticket->place];
	IdgenTicketState state = IDGEN_TICKET_OVER;

	LWLockAcquire(&desk->lock, LW_SHARED);
	if (request->ended == ticket->serial && ticket->joined && request->next.serial != 0)
	{
		*ticket = request->next;
		request = &requests[ticket->place];
	}
	if (request->serial == ticket->serial)
	{
		if (request->tried)
			*row_locked = request->row_locked;
		state = IDGEN_TICKET_AWAITED;
	}
	else if (request->ended == ticket->serial && request->failure.sqlerrcode != 0 && count >= request->failure_count &&
	         (!ticket->joined || request->failure_of == IDGEN_FAILURE_OF_SERVER))
	{
		read_failure(&request->failure, failure);
		failure->of = request->failure_of;
		state = IDGEN_TICKET_FAILED;
	}
	LWLockRelease(&desk->lock);
	return state;
}

/* What to sleep on for that. */
ConditionVariable *
idgen_desk_done(const IdgenTicket *ticket)
{
	return &requests[ticket->place].done;
}

/* Is there a request for an id sequence? */
bool
idgen_desk_is_asked(const IdgenCacheKey *key)
{
	bool asked;

	if (desk == NULL)
		return false;
	LWLockAcquire(&desk->lock, LW_SHARED);
	asked = find_request(key) != NULL;
	LWLockRelease(&desk->lock);
	return asked;
}

/* What is known of a worker of this database, without starting one. */
IdgenWorkerState
idgen_desk_worker(Oid serverid)
{
	IdgenWorkerState state;

	LWLockAcquire(&desk->lock, LW_SHARED);
	state = state_of(find_worker(MyDatabaseId, serverid));
	LWLockRelease(&desk->lock);
	return state;
}

/* Have the server start a worker. Returns false if it has no place for one. */
static bool
start_worker(Oid serverid)
{
	BackgroundWorker worker = {
		.bgw_flags = BGWORKER_SHMEM_ACCESS | BGWORKER_BACKEND_DATABASE_CONNECTION,
		.bgw_start_time = BgWorkerStart_RecoveryFinished,
		.bgw_restart_time = BGW_NEVER_RESTART,
		.bgw_main_arg = ObjectIdGetDatum(MyDatabaseId),
	};

	memcpy(worker.bgw_extra, &serverid, sizeof(Oid));
	if (OidIsValid(serverid))
		snprintf(worker.bgw_name, BGW_MAXLEN, "idgen worker for server %u of database %u", serverid, MyDatabaseId);
	else
		snprintf(worker.bgw_name, BGW_MAXLEN, "idgen worker for database %u", MyDatabaseId);
	strlcpy(worker.bgw_type, "idgen worker", BGW_MAXLEN);
	strlcpy(worker.bgw_library_name, "idgen", sizeof(worker.bgw_library_name));
	strlcpy(worker.bgw_function_name, "idgen_worker_main", BGW_MAXLEN);
	return RegisterDynamicBackgroundWorker(&worker, NULL);
}

/* The server has no place for a worker. */
static void
note_refusal(Oid serverid)
{
	Worker *worker;

	LWLockAcquire(&desk->lock, LW_EXCLUSIVE);
	desk->refused = true;
	worker = find_worker(MyDatabaseId, serverid);
	if (worker != NULL && worker->state == IDGEN_WORKER_STARTING)
		leave(worker);
	LWLockRelease(&desk->lock);
}

/*
 * Wake a worker of this database, or have it started. Returns its state; NONE
 * if the server has no place for one.
 */
IdgenWorkerState
idgen_desk_wake(Oid serverid)
{
	Worker *worker;
	IdgenWorkerState state;

	LWLockAcquire(&desk->lock, LW_EXCLUSIVE);
	worker = get_worker(MyDatabaseId, serverid);
	state = state_of(worker);
	if (state == IDGEN_WORKER_RUNNING)
		SetLatch(worker->latch);
	else if (state == IDGEN_WORKER_NONE && worker != NULL)
	{
		worker->state = IDGEN_WORKER_STARTING;
		worker->launched_ms = idgen_clock_ms();
	}
	LWLockRelease(&desk->lock);
	if (state != IDGEN_WORKER_NONE)
		return state;

	if (worker != NULL && start_worker(serverid))
		return IDGEN_WORKER_STARTING;
	note_refusal(serverid);
	return IDGEN_WORKER_NONE;
}

/* Had the server no place for the last worker that was wanted? */
bool
idgen_desk_refused(void)
{
	bool refused;

	LWLockAcquire(&desk->lock, LW_SHARED);
	refused = desk->refused;
	LWLockRelease(&desk->lock);
	return refused;
}

/* Tell the workers of a database to go. Returns one of them, or 0. */
static pid_t
tell_to_go(Oid dbid)
{
	pid_t pid = 0;

	LWLockAcquire(&desk->lock, LW_SHARED);
	for (int i = 0; i < desk->nworkers; i++)
	{
		if (workers[i].dbid != dbid || workers[i].state != IDGEN_WORKER_RUNNING)
			continue;
		pid = workers[i].pid;
		kill(pid, SIGTERM);
	}
	LWLockRelease(&desk->lock);
	return pid;
}

/*
 * End the workers of a database, and wait until they have gone, though not for
 * ever. The caller has locked the database, which keeps new workers away.
 */
void
idgen_desk_stop_workers(Oid dbid)
{
	pid_t pid = desk != NULL ? tell_to_go(dbid) : 0;

	for (int ms = 0; pid != 0 && ms < IDGEN_STOP_TIMEOUT_MS; ms += 10)
	{
		if (BackendPidGetProc(pid) == NULL)
			pid = tell_to_go(dbid);
		CHECK_FOR_INTERRUPTS();
		pg_usleep(10000L);
	}
}

/*
 * What a worker does
 */

/*
 * The current process is a worker of that database from now on. Returns false
 * if there is such a one already, or no place.
 */
bool
idgen_desk_enrol(Oid dbid, Oid serverid)
{
	Worker *worker;
	bool enrolled;

	LWLockAcquire(&desk->lock, LW_EXCLUSIVE);
	worker = get_worker(dbid, serverid);
	enrolled = worker != NULL && worker->state != IDGEN_WORKER_RUNNING;
	if (enrolled)
	{
		own = worker;
		worker->state = IDGEN_WORKER_RUNNING;
		worker->pid = MyProcPid;
		worker->latch = MyLatch;
		desk->refused = false;
	}
	LWLockRelease(&desk->lock);
	return enrolled;
}

/* Is the current process a worker? */
bool
idgen_desk_is_worker(void)
{
	return own != NULL;
}

/* For which server? Not for one, if it is invalid. */
Oid
idgen_desk_own_server(void)
{
	return own->serverid;
}

/*
 * Begin with the oldest request that sessions wait for, or of those ahead of
 * need. Returns false if there is none.
 */
bool
idgen_desk_take(bool awaited, IdgenTask *task)
{
	dlist_head *list = awaited ? &own->awaited : &own->ahead;
	bool any;

	LWLockAcquire(&desk->lock, LW_EXCLUSIVE);
	any = !dlist_is_empty(list);
	if (any)
	{
		Request *request = dlist_head_element(Request, node, list);

		dequeue(request);
		request->begun = true;
		enqueue(request);
		task->place = request - requests;
		task->serial = request->serial;
		task->key = request->key;
		strlcpy(task->name, request->name, sizeof(task->name));
		task->awaited = request->awaited;
		task->range = request->range;
		task->bulk_ids = request->bulk_ids;
		task->asked_ms = request->asked_ms;
	}
	LWLockRelease(&desk->lock);
	return any;
}

/*
 * Does any session sleep until a task is over? The condition variable knows:
 * a session that gives up leaves it, whatever ends its wait.
 */
bool
idgen_desk_has_waiters(const IdgenTask *task)
{
	ConditionVariable *done = &requests[task->place].done;
	bool any;

	SpinLockAcquire(&done->mutex);
	any = !proclist_is_empty(&done->wakeup);
	SpinLockRelease(&done->mutex);
	return any;
}

/* The worker has tried to get the row: did another transaction hold it? */
void
idgen_desk_note_row(const IdgenTask *task, bool locked)
{
	Request *request = &requests[task->place];

	LWLockAcquire(&desk->lock, LW_EXCLUSIVE);
	if (request->serial == task->serial)
	{
		request->tried = true;
		request->row_locked = locked;
	}
	LWLockRelease(&desk->lock);
}

/*
 * A refill has failed, and sessions have asked for it while the worker was at
 * it: the reason may be gone by now.
 */
static void
ask_again(const IdgenTask *task)
{
	const IdgenAsk ask = {.awaited = requests[task->place].awaited};
	const Request *again = make_request(&task->key, own->serverid, task->name, &ask);

	if (again != NULL)
		requests[task->place].next = (IdgenTicket){again - requests, again->serial, false};
}

/*
 * A task is over: what it has brought is published, or it has failed, perhaps
 * only for some calls. *note says how to find the failure again.
 */
void
idgen_desk_end(const IdgenTask *task, const IdgenFailure *failure, IdgenFailureNote *note)
{
	Request *request = &requests[task->place];

	*note = (IdgenFailureNote){0};
	LWLockAcquire(&desk->lock, LW_EXCLUSIVE);
	if (request->serial == task->serial)
	{
		bool again = request->again && failure != NULL && failure->of == IDGEN_FAILURE_OF_REFILL;

		end_request(request, failure);
		*note = request->failure;
		if (again)
			ask_again(task);
	}
	LWLockRelease(&desk->lock);
}

/*
 * There is an error that is not about one id sequence: the sessions that have
 * asked for anything get it.
 */
void
idgen_desk_abandon(const IdgenFailure *failure)
{
	LWLockAcquire(&desk->lock, LW_EXCLUSIVE);
	end_all(&own->begun, failure);
	end_all(&own->awaited, failure);
	end_all(&own->ahead, failure);
	LWLockRelease(&desk->lock);
}

/* Leave, if nothing is requested. Returns false if there is. */
bool
idgen_desk_leave_if_idle(void)
{
	bool idle;

	LWLockAcquire(&desk->lock, LW_EXCLUSIVE);
	idle = dlist_is_empty(&own->awaited) && dlist_is_empty(&own->ahead);
	if (idle)
	{
		leave(own);
		own = NULL;
	}
	LWLockRelease(&desk->lock);
	return idle;
}

/* If the current process is a worker, it is not any more. */
void
idgen_desk_leave(void)
{
	if (own == NULL)
		return;
	LWLockAcquire(&desk->lock, LW_EXCLUSIVE);
	leave(own);
	own = NULL;
	LWLockRelease(&desk->lock);
}
