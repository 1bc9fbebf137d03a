/*
 * renewal.c
 *		One try to lease the node number, or to renew the lease.
 *
 * A try is a transaction. It reads which leases the server remembers, asks the
 * centre, and writes down the answer. When that is on disk, sessions get to see
 * the lease.
 *
 * The server must take its lease for ended before the centre does. Its clocks
 * are read before the centre is asked, and a tenth of the time is left out, in
 * case they are too slow. The centre decides by its own clock, so the
 * two need not agree.
 *
 * Time-ordered ids do not depend on any clock being right. The centre is told
 * which is the last time that such an id may have. Whoever gets the number
 * next, unless it is this server again, begins behind that.
 */
#include "postgres.h"

#include "access/xact.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/snapmgr.h"
#include "utils/timestamp.h"
#include "utils/uuid.h"

#include "common/guc.h"
#include "lease/lease_query.h"
#include "lease/renewal.h"
#include "remote/server.h"
#include "unique_id/unique_id.h"

/* A tenth of the time of a lease is left out. */
#define IDGEN_LEASE_MARGIN 10

static const char *
uuid_text(const pg_uuid_t *uuid)
{
	return DatumGetCString(DirectFunctionCall1(uuid_out, UUIDPGetDatum(uuid)));
}

static void
begin_transaction(void)
{
	SetCurrentStatementStartTimestamp();
	StartTransactionCommand();
	PushActiveSnapshot(GetTransactionSnapshot());
}

static void
commit_transaction(void)
{
	PopActiveSnapshot();
	CommitTransactionCommand();
}

/*
 * What this server asks for. The time of the last id, which may be a little
 * ahead of the clock, is within the lease.
 */
static IdgenLeaseRequest
make_request(Oid schema)
{
	int64 length = idgen_node_lease * USECS_PER_SEC;
	int64 usable = length - length / IDGEN_LEASE_MARGIN;
	TimestampTz now = GetCurrentTimestamp();
	IdgenLeaseNames names;

	idgen_lease_names(&names);
	return (IdgenLeaseRequest){
		.holder = uuid_text(&names.holder),
		.token = uuid_text(&names.next_token),
		.asked_at = now,
		.until = Max(now, idgen_unique_id_last_time(now)) + usable,
		.boot_until = idgen_boot_clock() + usable,
		.known = idgen_leases_read(schema),
	};
}

/* Ask the centre. Raises 55000 if it has no number, and what asking raises. */
static IdgenLeaseAnswer
ask(const IdgenLeaseRequest *request, Oid owner)
{
	Oid serverid = idgen_server_find(NULL, idgen_node_server);
	IdgenRemoteQuery *query = idgen_lease_query_begin(serverid, owner, request);
	IdgenLeaseAnswer answer;

	idgen_remote_await(query);
	answer = idgen_lease_query_finish(query);
	if (answer.number == 0)
		ereport(ERROR,
		        (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
		         errmsg("no node number is free"),
		         errdetail("All from idgen.min_node_id, %d, on are taken or reserved.", idgen_min_node_id),
		         errhint("Free one with idgen_reserve_node(number, NULL) at the centre, where view \"idgen_nodes\" shows them.")));
	return answer;
}

/* Log that the server has another number than before (0 = none). */
static void
log_number(int number, int before, const IdgenLeaseAnswer *answer)
{
	ereport(LOG,
	        (errmsg("this server has node number %d", number),
	         before != 0 ? errdetail("It had %d before, which it could not keep: another server has taken it over, or the centre has forgotten it.", before) : 0,
	         answer->copy_has != 0 ? errhint("Another server with the same system identifier has node number %d: one is a copy of the other.", answer->copy_has) : 0));
}

/*
 * Let sessions have what is on disk. If the number was this server's own up to
 * now, the server knows best which ids it has issued with it.
 */
static void
put_to_use(const IdgenLeaseRequest *request, const IdgenLeaseAnswer *answer)
{
	IdgenLease lease = {
		.number = answer->number,
		.until = request->until,
		.boot_until = request->boot_until,
	};
	IdgenLeaseReport before;

	idgen_lease_report(&before);
	idgen_lease_new_token();
	if (answer->used_until != DT_NOBEGIN && !answer->own)
		idgen_unique_id_begin_after(answer->used_until);
	idgen_lease_install(&lease, request->asked_at);
	if (lease.number != before.lease.number)
		log_number(lease.number, before.lease.number, answer);
	else if (before.failing_since != 0)
		ereport(LOG,
		        (errmsg("the lease of node number %d is renewed again", lease.number)));
}

/*
 * Use what is left of the lease that the server had when it was last running in
 * this directory: then it has its number even if the centre is away.
 */
void
idgen_renewal_use_left(void)
{
	IdgenLease lease;
	IdgenLeaseReport report;

	idgen_lease_report(&report);
	if (report.lease.number != 0)
		return;
	begin_transaction();
	if (idgen_leases_read_left(idgen_leases_find_schema(), &lease))
	{
		idgen_lease_install(&lease, 0);
		ereport(LOG,
		        (errmsg("this server goes on with node number %d", lease.number)));
	}
	commit_transaction();
}

/*
 * Lease the number, or renew the lease. The transaction does not hold a
 * snapshot while it waits for the centre. Raises whatever goes wrong.
 */
void
idgen_renewal_try(void)
{
	IdgenLeaseRequest request;
	IdgenLeaseAnswer answer;
	MemoryContext context = CurrentMemoryContext;
	Oid schema;
	Oid owner;

	begin_transaction();
	MemoryContextSwitchTo(context);
	schema = idgen_leases_find_schema();
	owner = idgen_leases_owner(schema);
	request = make_request(schema);
	PopActiveSnapshot();
	answer = ask(&request, owner);

	PushActiveSnapshot(GetTransactionSnapshot());
	idgen_leases_write(schema, &(IdgenGrant){
								   .lease = {
									   .number = answer.number,
									   .until = request.until,
									   .boot_until = request.boot_until,
								   },
								   .holder = request.holder,
								   .token = request.token,
								   .renewals = answer.renewals,
							   });
	commit_transaction();
	MemoryContextSwitchTo(context);
	put_to_use(&request, &answer);
}
