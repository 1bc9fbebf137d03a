/*
 * worker.c
 *		The refill worker: refills id sequences with refill worker or auto.
 *
 * A worker serves one database, or one of the servers that ids come from there.
 * A session that needs one has it started
 * (shmem/desk.c). The worker does what sessions ask for (refill_loop.c),
 * and goes when none has asked for a while.
 *
 * It connects as the bootstrap superuser, since other roles need not be able to
 * log in. But it does nothing in that role (see job.c).
 */
#include "postgres.h"

#include <limits.h>
#include <signal.h>

#include "access/xact.h"
#include "libpq/pqsignal.h"
#include "miscadmin.h"
#include "postmaster/bgworker.h"
#include "postmaster/interrupt.h"
#include "storage/ipc.h"
#include "storage/latch.h"
#include "tcop/tcopprot.h"
#include "utils/guc.h"
#include "utils/memutils.h"
#include "utils/timeout.h"

#include "common/clock.h"
#include "common/compat.h"
#include "common/guc.h"
#include "remote/connection.h"
#include "shmem/desk.h"
#include "worker/job.h"
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
	const IdgenFailure failure = {
		.sqlerrcode = ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE,
		.of = IDGEN_FAILURE_OF_WORKER,
		.message = "the worker of idgen could not connect to the database",
		.hint = "The server log says why.",
	};

	if (!connected && !told_to_go)
		idgen_desk_abandon(&failure);
	idgen_desk_leave();
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
	idgen_connection_close_stale();
	LWLockReleaseAll();
	RESUME_INTERRUPTS();
	idgen_refill_loop_abandon(error);
	FreeErrorData(error);
}

/* Become a worker of a database, and connect; or end if it has that one. */
static void
start(Oid dbid)
{
	Oid serverid;

	pqsignal(SIGHUP, SignalHandlerForConfigReload);
	pqsignal(SIGTERM, terminate);
	pqsignal(SIGINT, PG_SIG_IGN); /* there is nothing to cancel yet */
	BackgroundWorkerUnblockSignals();

	memcpy(&serverid, MyBgworkerEntry->bgw_extra, sizeof(Oid));
	if (!idgen_desk_enrol(dbid, serverid))
		proc_exit(0);
	before_shmem_exit(sign_off, (Datum) 0);
	BackgroundWorkerInitializeConnectionByOid(dbid, InvalidOid, BGWORKER_BYPASS_ALLOWCONN);
	connected = true;
	pqsignal(SIGINT, StatementCancelHandler);
	idgen_override_settings();
	SetConfigOption("application_name", MyBgworkerEntry->bgw_name, PGC_USERSET, PGC_S_SESSION);
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
 * nothing since "busy_ms", for long enough.
 */
static void
wait_for_work(uint32 busy_ms, uint32 wait_event)
{
	long timeout = idgen_refill_loop_wait();
	bool idle = timeout == LONG_MAX;

	if (idle)
		timeout = Max((int64) idgen_worker_idle_timeout - (idgen_clock_ms() - busy_ms), 0);
	if (timeout == 0 && idle && idgen_desk_leave_if_idle())
		proc_exit(0);
	if (timeout > 0)
		(void) WaitLatch(MyLatch, WL_LATCH_SET | WL_TIMEOUT | WL_EXIT_ON_PM_DEATH, timeout, wait_event);
	ResetLatch(MyLatch);
}

/* The life of a worker. */
void
idgen_worker_main(Datum arg)
{
	uint32 wait_event;
	MemoryContext context;
	uint32 busy_ms;

	start(DatumGetObjectId(arg));
	wait_event = WaitEventExtensionNew("IdgenWorkerMain");
	context = AllocSetContextCreate(TopMemoryContext, "idgen worker", ALLOCSET_DEFAULT_SIZES);
	idgen_job_memory = AllocSetContextCreate(TopMemoryContext, "idgen worker jobs", ALLOCSET_DEFAULT_SIZES);
	busy_ms = idgen_clock_ms();

	for (;;)
	{
		handle_signals();
		MemoryContextSwitchTo(context);
		if (take_turn())
			busy_ms = idgen_clock_ms();
		MemoryContextReset(context);
		wait_for_work(busy_ms, wait_event);
	}
}
