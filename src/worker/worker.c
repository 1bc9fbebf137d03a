/*
 * worker.c
 *		The worker: refills id sequences with refill worker or auto, and leases
 *		the node number.
 *
 * A worker serves one database, or one of the servers that ids come from there.
 * A session that needs one has it started (cache/desk.c). The worker does what
 * sessions ask for (refill_loop.c), and goes when none has asked for a while.
 * If its server is the one that leads to the centre of node numbers, it also
 * renews this server's lease (lease/renewal.c), and stays for that.
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
#include "lease/renewal.h"
#include "node/lease.h"
#include "remote/connection.h"
#include "cache/desk.h"
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

/* Has it read the configuration file again since it has tried to lease? */
static bool reloaded = false;

static void
terminate(SIGNAL_ARGS)
{
	told_to_go = true;
	die(postgres_signal_arg, pg_siginfo);
}

/* The process could not even connect: tell the sessions that wait for it. */
static void
tell_unconnected(void)
{
	const IdgenFailure failure = {
		.sqlerrcode = ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE,
		.of = IDGEN_FAILURE_OF_WORKER,
		.message = "the worker of idgen could not connect to the database",
		.hint = "The server log says why.",
	};

	if (idgen_desk_is_worker())
		idgen_desk_abandon(&failure);
	else
	{
		(void) idgen_lease_begin_try(true);
		idgen_lease_note_failure("The process that leases it could not connect to idgen.node_database; the server log says why.");
	}
}

/*
 * The worker ends, for whatever reason. If it could not even connect, another
 * one could not either. Else the sessions that wait have another one started.
 */
static void
sign_off(int code, Datum arg)
{
	if (!connected && !told_to_go)
		tell_unconnected();
	idgen_desk_leave();
	idgen_lease_leave();
}

/*
 * An error has come up to the main loop: clean up. Returns the error. It may
 * hide what else the worker was told: see idgen_try(). Caller is in the
 * PG_CATCH() of it.
 */
static ErrorData *
recover_from_error(bool report, MemoryContext context)
{
	ErrorData *error;

	MemoryContextSwitchTo(context);
	HOLD_INTERRUPTS();
	disable_all_timeouts(false);
	QueryCancelPending = false;
	InterruptPending = true;
	if (report)
		EmitErrorReport();
	error = CopyErrorData();
	FlushErrorState();
	AbortOutOfAnyTransaction();
	idgen_connection_close_stale();
	LWLockReleaseAll();
	RESUME_INTERRUPTS();
	MemoryContextSwitchTo(context);
	return error;
}

/*
 * Find which worker is to lease the node number: that for the server that leads
 * to the centre. Become that; or if there is one, tell it, and end.
 */
static void
become_lessee(MemoryContext context)
{
	volatile Oid serverid = InvalidOid;

	if (idgen_node_id != IDGEN_NODE_LEASED)
		proc_exit(0);
	(void) idgen_lease_begin_try(true);
	PG_TRY();
	{
		serverid = idgen_renewal_server();
	}
	PG_CATCH();
	{
		idgen_renewal_failed(recover_from_error(false, context));
		proc_exit(1); /* the server starts the one again that it has started itself */
	}
	PG_END_TRY();
	idgen_lease_assign(MyDatabaseId, serverid);
	if (!idgen_desk_enrol(MyDatabaseId, serverid))
	{
		(void) idgen_desk_wake(serverid);
		proc_exit(0);
	}
}

/*
 * Become a worker of a database, and connect; or end if it has that one. If no
 * database is named, become the worker that leases.
 */
static void
start(Oid dbid, MemoryContext context)
{
	Oid serverid;

	pqsignal(SIGHUP, SignalHandlerForConfigReload);
	pqsignal(SIGTERM, terminate);
	pqsignal(SIGINT, PG_SIG_IGN); /* there is nothing to cancel yet */
	BackgroundWorkerUnblockSignals();

	memcpy(&serverid, MyBgworkerEntry->bgw_extra, sizeof(Oid));
	if (OidIsValid(dbid) && !idgen_desk_enrol(dbid, serverid))
		proc_exit(0);
	before_shmem_exit(sign_off, (Datum) 0);
	if (OidIsValid(dbid))
		BackgroundWorkerInitializeConnectionByOid(dbid, InvalidOid, BGWORKER_BYPASS_ALLOWCONN);
	else
		BackgroundWorkerInitializeConnection(idgen_node_database, NULL, BGWORKER_BYPASS_ALLOWCONN);
	connected = true;
	pqsignal(SIGINT, StatementCancelHandler);
	idgen_override_settings();
	SetConfigOption("application_name", MyBgworkerEntry->bgw_name, PGC_USERSET, PGC_S_SESSION);
	if (!OidIsValid(dbid))
		become_lessee(context);
}

/* Take notice of signals. Ends the worker if it was told to go. */
static void
handle_signals(void)
{
	if (ConfigReloadPending)
	{
		ConfigReloadPending = false;
		ProcessConfigFile(PGC_SIGHUP);
		reloaded = true;
	}

	/* While idle, that is nothing to complain about. */
	if (ProcDiePending)
		proc_exit(0);
	QueryCancelPending = false;
	CHECK_FOR_INTERRUPTS();
}

/* Go around the refill loop once. Returns false if there was nothing to do. */
static bool
take_turn(MemoryContext context)
{
	volatile bool worked = false;

	PG_TRY();
	{
		worked = idgen_refill_loop_turn();
	}
	PG_CATCH();
	{
		idgen_refill_loop_abandon(recover_from_error(true, context));
		pg_usleep(IDGEN_RECOVERY_PAUSE_MS * 1000L);
	}
	PG_END_TRY();
	return worked;
}

/*
 * Renew the lease of the node number, if that is for this worker to do, and it
 * is time. Returns in how many milliseconds it is time again; LONG_MAX if it is
 * not for this worker.
 */
static long
renew_lease(MemoryContext context)
{
	volatile long left = 0;
	bool now = reloaded;

	reloaded = false;
	if (!OidIsValid(idgen_desk_own_server()) ||
	    !idgen_lease_is_assigned(MyDatabaseId, idgen_desk_own_server()))
		return LONG_MAX;
	PG_TRY();
	{
		left = idgen_renewal_turn(now);
	}
	PG_CATCH();
	{
		idgen_renewal_failed(recover_from_error(false, context));
	}
	PG_END_TRY();
	return left;
}

/*
 * Wait until there may be something to do, for as long as the lease allows.
 * Ends the worker if there was nothing since "busy_ms", for long enough.
 */
static void
wait_for_work(uint32 busy_ms, long lease_left, uint32 wait_event)
{
	long timeout = Min(idgen_refill_loop_wait(), lease_left);
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
	MemoryContext context = AllocSetContextCreate(TopMemoryContext, "idgen worker", ALLOCSET_DEFAULT_SIZES);
	uint32 busy_ms;

	start(DatumGetObjectId(arg), context);
	wait_event = WaitEventExtensionNew("IdgenWorkerMain");
	idgen_job_memory = AllocSetContextCreate(TopMemoryContext, "idgen worker jobs", ALLOCSET_DEFAULT_SIZES);
	busy_ms = idgen_clock_ms();

	for (;;)
	{
		long lease_left;

		handle_signals();
		MemoryContextSwitchTo(context);
		if (take_turn(context))
			busy_ms = idgen_clock_ms();
		lease_left = renew_lease(context);
		MemoryContextReset(context);
		wait_for_work(busy_ms, lease_left, wait_event);
	}
}
