/*
 * worker.c
 *		The refill worker: refills id sequences that say refill = 'worker'.
 *
 * A worker serves one database. It is started by a session that has something for it
 * to do (worker_registry.c), does what sessions ask for (jobs.c), and goes when nobody has
 * for a while.
 *
 * It connects as the bootstrap superuser, since a role need not be able to log in, but
 * does nothing in that role.
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
#include "remote/connection.h"
#include "shmem/cache.h"
#include "shmem/worker_registry.h"
#include "worker/jobs.h"
#include "worker/worker.h"

/* Time for an error to pass that is not the matter of one id sequence. */
#define IDGEN_RECOVERY_PAUSE_MS 100

/* Has this worker connected to its database? Or was it told to go? */
static bool connected = false;
static volatile sig_atomic_t told_to_go = false;

static void
terminate(SIGNAL_ARGS)
{
	told_to_go = true;
	die(postgres_signal_arg);
}

/*
 * The worker ends, for whatever reason. If it could not even connect, another one
 * could not either.
 */
static void
sign_off(int code, Datum arg)
{
	Oid dbid = DatumGetObjectId(arg);
	const IdgenFailure failure = {
		.sqlerrcode = ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE,
		.message = "the worker of idgen could not connect to the database",
		.hint = "The server log says why.",
	};

	/* There may be another one by now. */
	if (!idgen_registry_enrolled(dbid))
		return;
	idgen_cache_abandon_attempts(dbid, connected || told_to_go ? NULL : &failure);
	idgen_registry_leave(dbid);
}

/* Settings of the database or the role must not get into the worker's way. */
static void
settle(void)
{
	static const char *const settings[][2] = {
		{"search_path", "pg_catalog, pg_temp"},
		{"default_transaction_read_only", "off"},
		{"default_transaction_isolation", "read committed"},
		{"transaction_timeout", "0"}, /* 17 has it */
	};

	for (int i = 0; i < (int) lengthof(settings); i++)
		if (GetConfigOption(settings[i][0], true, false) != NULL)
			SetConfigOption(settings[i][0], settings[i][1], PGC_SUSET, PGC_S_OVERRIDE);
}

/* Something has gone wrong: clean up, and tell those who wait. */
static void
recover(void)
{
	ErrorData *error;

	MemoryContextSwitchTo(TopMemoryContext);
	HOLD_INTERRUPTS();
	disable_all_timeouts(false);
	QueryCancelPending = false;
	EmitErrorReport();
	error = CopyErrorData();
	FlushErrorState();
	AbortOutOfAnyTransaction();
	LWLockReleaseAll();
	RESUME_INTERRUPTS();
	idgen_jobs_abandon(error);
	FreeErrorData(error);
}

/*
 * Nobody has asked for anything for a while: go, unless somebody has just now, who
 * may have thought that we are still there, and there is no other one yet.
 */
static bool
may_go(void)
{
	idgen_registry_leave(MyDatabaseId);
	return !idgen_cache_has_requests(MyDatabaseId) || !idgen_registry_enrol(MyDatabaseId);
}

/* The life of a worker. */
void
idgen_worker_main(Datum arg)
{
	Oid dbid = DatumGetObjectId(arg);
	uint32 wait_event;
	MemoryContext context;
	TimestampTz busy_at;

	pqsignal(SIGHUP, SignalHandlerForConfigReload);
	pqsignal(SIGTERM, terminate);
	pqsignal(SIGINT, SIG_IGN); /* there is nothing to cancel yet */
	BackgroundWorkerUnblockSignals();

	if (!idgen_registry_enrol(dbid))
		proc_exit(0);
	before_shmem_exit(sign_off, arg);
	BackgroundWorkerInitializeConnectionByOid(dbid, InvalidOid, BGWORKER_BYPASS_ALLOWCONN);
	connected = true;
	pqsignal(SIGINT, StatementCancelHandler);
	settle();
	wait_event = WaitEventExtensionNew("IdgenWorkerMain");
	context = AllocSetContextCreate(TopMemoryContext, "idgen worker", ALLOCSET_DEFAULT_SIZES);
	idgen_jobs_init();
	busy_at = GetCurrentTimestamp();

	for (;;)
	{
		TimestampTz due;
		bool idle;
		long timeout;

		if (ConfigReloadPending)
		{
			ConfigReloadPending = false;
			ProcessConfigFile(PGC_SIGHUP);
		}

		/* Told to go while idle: nothing to complain about. */
		if (ProcDiePending)
			proc_exit(0);
		QueryCancelPending = false;
		CHECK_FOR_INTERRUPTS();

		MemoryContextSwitchTo(context);
		PG_TRY();
		{
			if (idgen_jobs_do())
				busy_at = GetCurrentTimestamp();
		}
		PG_CATCH();
		{
			recover();
			pg_usleep(IDGEN_RECOVERY_PAUSE_MS * 1000L);
		}
		PG_END_TRY();
		MemoryContextReset(context);

		due = idgen_jobs_due();
		idle = due == DT_NOEND;
		if (idle)
			due = TimestampTzPlusMilliseconds(busy_at, idgen_worker_idle_timeout);
		timeout = TimestampDifferenceMilliseconds(GetCurrentTimestamp(), due);
		if (timeout == 0 && idle && may_go())
			proc_exit(0);
		if (timeout > 0)
			idgen_connections_wait(timeout, wait_event);
		ResetLatch(MyLatch);
	}
}
