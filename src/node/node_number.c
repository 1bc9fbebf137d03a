/*
 * node_number.c
 *		The leased node number, for processes that give it to ids.
 *
 * There are two kinds of ids with a node number, and two ways to be sure of it.
 * A composed id says nothing about when it was drawn, so the lease must be good
 * at that moment. A time-ordered id has a time: if the lease covers that, the
 * id is unique, whenever the process gets to issue it.
 *
 * A session that has no good lease asks the process that leases it for a try
 * (lease_process.c), and waits until a try that has begun since then is over.
 * If the last one failed only a moment ago, it does not wait for another.
 */
#include "postgres.h"

#include "access/xlog.h"
#include "miscadmin.h"
#include "utils/timestamp.h"

#include "common/compat.h"
#include "common/guc.h"
#include "common/id_time.h"
#include "node/lease.h"
#include "node/lease_process.h"
#include "node/node_number.h"

/* For how long sessions share the failure of a try. */
#define IDGEN_SHARED_FAILURE_MS 1000

/* In place of the time in an id: it has none. */
#define NO_TIME (-1)

/* This process's copy of the lease. */
static IdgenLease own;
static uint64 own_version = 0;

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
	if (own.number != 0)
		ereport(ERROR,
		        (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
		         errmsg("the lease of node number %d has ended", own.number),
		         errdetail("It could not be renewed: %s", reason),
		         errhint("View \"idgen_server\" and the server log say more.")));
	ereport(ERROR,
	        (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
	         errmsg("this server has no node number"),
	         errdetail("None could be leased: %s", reason),
	         errhint("View \"idgen_server\" and the server log say more.")));
}

/* Raises no_lease() if the last try failed a moment ago. */
static void
check_last_try(void)
{
	IdgenLeaseReport report;

	idgen_lease_report(&report);
	if (report.failing_since != 0 &&
	    !TimestampDifferenceExceeds(report.tried_at, GetCurrentTimestamp(), IDGEN_SHARED_FAILURE_MS))
		no_lease(report.reason);
}

/* Raises no_lease() with the reason of the last try. */
static void
last_try_failed(void)
{
	IdgenLeaseReport report;

	idgen_lease_report(&report);
	no_lease(report.reason);
}

/* The last time that this process's copy covers. */
static int64
last_time(void)
{
	return Min(idgen_unique_time(own.until), IDGEN_MAX_ID_TIME);
}

/* Does the lease do for an id that is drawn now and has that time? */
static bool
will_do(int64 time)
{
	idgen_lease_update(&own, &own_version);
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
	uint64 tries = idgen_lease_tries();
	long left;

	if (wait_event == 0)
		wait_event = WaitEventExtensionNew("IdgenNodeNumber");
	check_last_try();
	if (idgen_lease_process_wake() == IDGEN_LEASE_NO_PLACE)
		no_lease("The server has no place for another process; raise max_worker_processes.");

	while (!will_do(time))
	{
		if (idgen_lease_has_failed_since(tries))
			last_try_failed();
		left = TimestampDifferenceMilliseconds(GetCurrentTimestamp(), deadline);
		if (left <= 0)
			no_lease("The process that leases it has not answered in time.");
		idgen_lease_wait(left, wait_event);
	}
	idgen_lease_wait_end();
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
