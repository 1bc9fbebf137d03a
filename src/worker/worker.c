/*
 * worker.c
 *		The refill worker: refills id sequences with refill worker or auto.
 *
 * A worker serves one database. A session that needs one has it started
 * (worker_registry.c). The worker does what sessions ask for (refill_loop.c),
 * and goes when none has asked for a while.
 *
 * It connects as the bootstrap superuser, since other roles need not be able to
 * log in. But it does nothing in that role (see job_try.c).
 */
#include "postgres.h"

#include <signal.h>

#include "access/xact.h"
#include "libpq/pqsignal.h"
#include "miscadmin.h"
#include "postmaster/bgworker.h"
#include "postmaster/interrupt.h"
#include "storage/ipc.h"
#include "tcop/tcopprot.h"
#include "utils/guc.h"
#include "utils/memutils.h"
#include "utils/timeout.h"
#include "utils/timestamp.h"

#include "common/compat.h"
#include "common/guc.h"
#include "remote/remote_query.h"
#include "shmem/worker_registry.h"
#include "shmem/worker_requests.h"
#include "worker/job_lists.h"
#include "worker/refill_loop.h"
#include "worker/worker.h"

/*
 * How long to rest after an error that is not about one id sequence: the reason
 * may pass meanwhile.
 */
#define IDGEN_RECOVERY_PAUSE_MS 100

/* Has this worker connected to its database? */
static bool connected = false;
/* Has this worker got SIGTERM? */
static volatile sig_atomic_t told_to_go = false;

static void
terminate(SIGNAL_ARGS)
{
	told_to_go = true;
	die(postgres_signal_arg, pg_siginfo);
}

/*
 * The worker ends, for whatever reason. If it could not even connect, another
 * one could not either: then the sessions that wait get an error. Else they
 * have another worker started.
 */
static void
sign_off(int code, Datum arg)
{
	Oid dbid = DatumGetObjectId(arg);
	const IdgenFailure failure = {
		.sqlerrcode = ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE,
		.of = IDGEN_FAILURE_OF_WORKER,
		.message = "the worker of idgen could not connect to the database",
		.hint = "The server log says why.",
	};

	/* Another worker may have the database by now. */
	if (!idgen_registry_enrolled(dbid))
		return;
	idgen_cache_abandon_attempts(dbid, connected || told_to_go ? NULL : &failure);
	idgen_registry_leave(dbid);
}

/*
 * An error has come up to the main loop: clean up, and tell the sessions that
 * wait. The error may hide what else the worker was told: see idgen_try().
 * Caller is in the PG_CATCH() of it.
 */
static void
recover_from_error(void)
{
	ErrorData *error;

	MemoryContextSwitchTo(TopMemoryContext);
	HOLD_INTERRUPTS();
	disable_all_timeouts(false);
	QueryCancelPending = false;
	InterruptPending = true;
	EmitErrorReport();
	error = CopyErrorData();
	FlushErrorState();
	AbortOutOfAnyTransaction();
	LWLockReleaseAll();
	RESUME_INTERRUPTS();
	idgen_refill_loop_abandon(error);
	FreeErrorData(error);
}

/*
 * Leave the registry, because no session has asked for anything for a while.
 * Returns false if the worker must stay: a session has asked just now, and has
 * not had another worker started, since it saw this one in the registry.
 */
static bool
leave_if_unneeded(void)
{
	idgen_registry_leave(MyDatabaseId);
	return !idgen_cache_has_requests(MyDatabaseId) || !idgen_registry_enrol(MyDatabaseId);
}

/* Become the worker of a database, and connect to it; or end if it has one. */
static void
start(Oid dbid)
{
	pqsignal(SIGHUP, SignalHandlerForConfigReload);
	pqsignal(SIGTERM, terminate);
	pqsignal(SIGINT, PG_SIG_IGN); /* there is nothing to cancel yet */
	BackgroundWorkerUnblockSignals();

	if (!idgen_registry_enrol(dbid))
		proc_exit(0);
	before_shmem_exit(sign_off, ObjectIdGetDatum(dbid));
	BackgroundWorkerInitializeConnectionByOid(dbid, InvalidOid, BGWORKER_BYPASS_ALLOWCONN);
	connected = true;
	pqsignal(SIGINT, StatementCancelHandler);
	idgen_override_settings();
}

/* Take notice of signals. Ends the worker if it was told to go. */
static void
handle_signals(void)
{
	if (ConfigReloadPending)
	{
		ConfigReloadPending = false;
		ProcessConfigFile(PGC_SIGHUP);
	}

	/* While idle, that is nothing to complain about. */
	if (ProcDiePending)
		proc_exit(0);
	QueryCancelPending = false;
	CHECK_FOR_INTERRUPTS();
}

/* Go around the refill loop once. Returns false if there was nothing to do. */
static bool
take_turn(void)
{
	volatile bool worked = false;

	PG_TRY();
	{
		worked = idgen_refill_loop_turn();
	}
	PG_CATCH();
	{
		recover_from_error();
		pg_usleep(IDGEN_RECOVERY_PAUSE_MS * 1000L);
	}
	PG_END_TRY();
	return worked;
}

/*
 * Wait until there may be something to do. Ends the worker if there was
 * nothing since "busy_at", for long enough.
 */
static void
wait_for_work(TimestampTz busy_at, uint32 wait_event)
{
	TimestampTz due = idgen_jobs_due();
	bool idle = due == DT_NOEND;
	long timeout;

	if (idle)
		due = TimestampTzPlusMilliseconds(busy_at, idgen_worker_idle_timeout);
	timeout = TimestampDifferenceMilliseconds(GetCurrentTimestamp(), due);
	if (timeout == 0 && idle && leave_if_unneeded())
		proc_exit(0);
	if (timeout > 0)
		idgen_connections_wait(timeout, wait_event);
	ResetLatch(MyLatch);
}

/* The life of a worker. */
void
idgen_worker_main(Datum arg)
{
	uint32 wait_event;
	MemoryContext context;
	TimestampTz busy_at;

	start(DatumGetObjectId(arg));
	wait_event = WaitEventExtensionNew("IdgenWorkerMain");
	context = AllocSetContextCreate(TopMemoryContext, "idgen worker", ALLOCSET_DEFAULT_SIZES);
	idgen_jobs_init();
	busy_at = GetCurrentTimestamp();

	for (;;)
	{
		handle_signals();
		MemoryContextSwitchTo(context);
		if (take_turn())
			busy_at = GetCurrentTimestamp();
		MemoryContextReset(context);
		wait_for_work(busy_at, wait_event);
	}
}
