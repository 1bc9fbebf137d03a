/*
 * lease_worker.c
 *		The process that leases the node number, and renews the lease.
 *
 * It has connected to idgen.node_database, and stays as long as idgen.node_id
 * is "auto". A third of the lease's time after each renewal it tries the next
 * one (renewal.c). If that fails, it tries again and again, after ever longer
 * pauses, and at once when a session asks for it. The server log gets a line
 * when the reason is another one than before.
 *
 * It connects as the bootstrap superuser, since other roles need not be able to
 * log in. It does nothing in that role but look up the extension.
 */
#include "postgres.h"

#include <signal.h>

#include "access/xact.h"
#include "lib/stringinfo.h"
#include "libpq/pqsignal.h"
#include "miscadmin.h"
#include "pgstat.h"
#include "postmaster/bgworker.h"
#include "postmaster/interrupt.h"
#include "storage/ipc.h"
#include "storage/latch.h"
#include "storage/lwlock.h"
#include "tcop/tcopprot.h"
#include "utils/guc.h"
#include "utils/memutils.h"
#include "utils/timeout.h"
#include "utils/timestamp.h"

#include "common/compat.h"
#include "common/guc.h"
#include "lease/lease_worker.h"
#include "lease/renewal.h"
#include "node/lease.h"

/* The first pause after a try that has failed, and the longest one. */
#define IDGEN_FIRST_PAUSE_MS   1000
#define IDGEN_LONGEST_PAUSE_MS 30000

static bool connected = false;

/* The process ends, for whatever reason: tell the sessions that wait. */
static void
sign_off(int code, Datum arg)
{
	if (!connected)
	{
		(void) idgen_lease_begin_try(true);
		idgen_lease_note_failure("The process that leases it could not connect to idgen.node_database; the server log says why.");
	}
	idgen_lease_leave();
}

/* Become the process that leases, and connect; or end if there is one. */
static void
start(void)
{
	pqsignal(SIGHUP, SignalHandlerForConfigReload);
	pqsignal(SIGTERM, die);
	pqsignal(SIGINT, PG_SIG_IGN);
	BackgroundWorkerUnblockSignals();

	if (!idgen_lease_enrol())
		proc_exit(0);
	before_shmem_exit(sign_off, (Datum) 0);
	BackgroundWorkerInitializeConnection(idgen_node_database, NULL, BGWORKER_BYPASS_ALLOWCONN);
	connected = true;
	idgen_override_settings();

	/*
	 * A synchronous standby that is away must not keep the server from its
	 * number: what the standby has to show is then out of date, and it gets
	 * another number.
	 */
	SetConfigOption("synchronous_commit", "local", PGC_SUSET, PGC_S_OVERRIDE);
}

/* What sessions and views are told of an error, as a sentence. */
static char *
describe(const ErrorData *error)
{
	StringInfoData text;

	initStringInfo(&text);
	appendStringInfoString(&text, error->message);
	if (error->detail != NULL)
		appendStringInfo(&text, ": %.*s", (int) strcspn(error->detail, "\n"), error->detail);
	if (text.data[text.len - 1] != '.')
		appendStringInfoChar(&text, '.');
	return text.data;
}

/*
 * A try has failed: clean up, and tell the sessions that wait. The error may
 * hide what else the process was told: see idgen_try(). Caller is in the
 * PG_CATCH() of it.
 */
static void
take_failure(MemoryContext context)
{
	static char logged[IDGEN_LEASE_REASON_SIZE] = "";
	IdgenLeaseReport before;
	ErrorData *error;
	char *reason;

	MemoryContextSwitchTo(context);
	HOLD_INTERRUPTS();
	disable_all_timeouts(false);
	QueryCancelPending = false;
	InterruptPending = true;
	error = CopyErrorData();
	FlushErrorState();
	AbortOutOfAnyTransaction();
	LWLockReleaseAll();
	RESUME_INTERRUPTS();

	MemoryContextSwitchTo(context);
	reason = describe(error);
	idgen_lease_report(&before);
	idgen_lease_note_failure(reason);
	if (before.failing_since != 0 && strncmp(reason, logged, sizeof(logged) - 1) == 0)
		return;
	strlcpy(logged, reason, sizeof(logged));
	ereport(LOG,
	        (errcode(error->sqlerrcode),
	         errmsg("could not %s: %s", before.lease.number != 0 ? "renew the lease of the node number" : "lease a node number",
	                error->message),
	         error->detail != NULL ? errdetail_internal("%s", error->detail) : 0,
	         error->hint != NULL ? errhint("%s", error->hint) : 0));
}

/* Run an action that may fail. Returns whether it has succeeded. */
static bool
succeeds(void (*action)(void), MemoryContext context)
{
	volatile bool result = false;

	PG_TRY();
	{
		MemoryContextSwitchTo(context);
		action();
		result = true;
	}
	PG_CATCH();
	{
		take_failure(context);
	}
	PG_END_TRY();
	MemoryContextReset(context);
	return result;
}

/*
 * Take notice of signals. Ends the process if it is not needed any more.
 * Returns whether the configuration file was read again: then settings may ask
 * for another number, or another centre.
 */
static bool
handle_signals(void)
{
	bool reloaded = ConfigReloadPending;

	if (reloaded)
	{
		ConfigReloadPending = false;
		ProcessConfigFile(PGC_SIGHUP);
	}
	if (ProcDiePending || idgen_node_id != IDGEN_NODE_LEASED)
		proc_exit(0);
	CHECK_FOR_INTERRUPTS();
	return reloaded;
}

/* When to try next, after a number of failures in a row. */
static TimestampTz
next_try(TimestampTz now, int failures)
{
	int64 third = idgen_node_lease * INT64CONST(1000) / 3;

	if (failures == 0)
		return TimestampTzPlusMilliseconds(now, third);
	return TimestampTzPlusMilliseconds(now, Min(third, Min(IDGEN_FIRST_PAUSE_MS * (INT64CONST(1) << Min(failures - 1, 10)), IDGEN_LONGEST_PAUSE_MS)));
}

/* The life of the process. */
void
idgen_lease_main(Datum arg)
{
	MemoryContext context;
	TimestampTz due;
	uint32 wait_event;
	int failures = 0;

	start();
	wait_event = WaitEventExtensionNew("IdgenLeaseMain");
	context = AllocSetContextCreate(TopMemoryContext, "idgen node number", ALLOCSET_DEFAULT_SIZES);
	due = GetCurrentTimestamp();
	(void) succeeds(idgen_renewal_use_left, context);

	for (;;)
	{
		bool reloaded = handle_signals();
		TimestampTz now = GetCurrentTimestamp();

		if (idgen_lease_begin_try(reloaded || now >= due))
		{
			failures = succeeds(idgen_renewal_try, context) ? 0 : failures + 1;
			pgstat_report_stat(true);
			due = next_try(now, failures);

			/* The latch may have been set and reset meanwhile. */
			continue;
		}
		(void) WaitLatch(MyLatch, WL_LATCH_SET | WL_TIMEOUT | WL_EXIT_ON_PM_DEATH,
		                 TimestampDifferenceMilliseconds(now, due), wait_event);
		ResetLatch(MyLatch);
	}
}
