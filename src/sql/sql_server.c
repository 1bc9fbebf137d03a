/*
 * sql_server.c
 *		SQL functions about this server, and about others: its library, cache
 *		and node number; what it remembers of centres; the foreign-data wrapper.
 */
#include "postgres.h"

#include "access/reloptions.h"
#include "catalog/pg_foreign_server.h"
#include "miscadmin.h"
#include "utils/acl.h"
#include "utils/inval.h"

#include "catalog/privileges.h"
#include "common/compat.h"
#include "common/guc.h"
#include "node/lease.h"
#include "remote/server.h"
#include "cache/cache.h"
#include "sources/centre.h"
#include "sql/sql_support.h"

PG_FUNCTION_INFO_V1(idgen_version_1_0);
PG_FUNCTION_INFO_V1(idgen_server_state);
PG_FUNCTION_INFO_V1(idgen_stats_reset);
PG_FUNCTION_INFO_V1(idgen_accept_centre);
PG_FUNCTION_INFO_V1(idgen_fdw_validator);

/*
 * idgen_version() returns text: the version of the library
 *
 * Each version with another second number has another name for this function in
 * C, and its scripts declare it first. So the server says which library it
 * lacks when an older one is loaded. The old names stay, as does each C
 * function that a published script names: without it, what pg_dump makes for
 * pg_upgrade could not be loaded. A C function that gets other arguments, or
 * returns other columns, gets another name as well: the version that has
 * changed it is added.
 */
Datum
idgen_version_1_0(PG_FUNCTION_ARGS)
{
	PG_RETURN_TEXT_P(cstring_to_text(IDGEN_VERSION));
}

/*
 * idgen_server_state() returns record: what view idgen_server shows, which is
 * the cache, the node number, and what there is to say of that if it is leased
 */
Datum
idgen_server_state(PG_FUNCTION_ARGS)
{
	bool shared = idgen_cache_is_shared();
	bool leased = idgen_node_id == IDGEN_NODE_LEASED;
	IdgenCacheTotals totals;
	IdgenLeaseReport report = {.renewed_at = 0};
	IdgenViewLine line = {.n = 0};

	idgen_cache_totals(&totals);
	if (leased && idgen_lease_is_shared())
		idgen_lease_report(&report);
	idgen_view_add_text(&line, shared ? "server" : "session");
	idgen_view_add_unless(totals.max_sequences == 0, &line, Int32GetDatum(totals.max_sequences));
	idgen_view_add(&line, Int32GetDatum(totals.sequences));
	idgen_view_add(&line, Int64GetDatum(totals.evictions));
	idgen_view_add(&line, Int64GetDatum(totals.ids_evicted));
	idgen_view_add(&line, Int64GetDatum(totals.ids_lost));
	idgen_view_add_text(&line, GetConfigOption("idgen.node_id", false, false));
	idgen_view_add_unless(leased && !idgen_lease_is_good(&report.lease), &line,
	                      Int32GetDatum(leased ? report.lease.number : idgen_node_id));
	idgen_view_add_time(&line, report.lease.number != 0 ? report.lease.until : 0);
	idgen_view_add_time(&line, report.renewed_at);
	idgen_view_add_time(&line, report.failing_since);
	idgen_view_add_text(&line, report.failing_since != 0 && idgen_may_monitor() ? report.reason : NULL);
	return idgen_view_row(fcinfo, &line);
}

/*
 * idgen_stats_reset() returns void: set the counters of all id sequences of
 * this database to zero.
 */
Datum
idgen_stats_reset(PG_FUNCTION_ARGS)
{
	idgen_cache_reset_counters();
	PG_RETURN_VOID();
}

/*
 * idgen_accept_centre(server name, name text) returns bigint
 *
 * Forget how far a centre had got: with one id sequence; if name is null, with
 * all, and which database cluster it was. Returns the number of id sequences.
 * As with setval(), a rollback does not undo it. Raises 22004, 22023, 22001,
 * 25006, 42501 unless the caller owns the server, 42704, 42809, and what
 * idgen_marks_forget() does.
 */
Datum
idgen_accept_centre(PG_FUNCTION_ARGS)
{
	const char *name = "";
	const char *server;
	Oid serverid;
	IdgenMarkKey key;

	if (PG_ARGISNULL(0))
		ereport(ERROR,
		        (errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
		         errmsg("server must not be null")));
	PreventCommandIfReadOnly("idgen_accept_centre()");
	if (!PG_ARGISNULL(1))
	{
		idgen_check_name(PG_GETARG_TEXT_PP(1));
		name = text_to_cstring(PG_GETARG_TEXT_PP(1));
	}
	server = NameStr(*PG_GETARG_NAME(0));
	AcceptInvalidationMessages();
	serverid = idgen_server_find(name, server);
	if (!object_ownercheck(ForeignServerRelationId, serverid, GetUserId()))
		aclcheck_error(ACLCHECK_NOT_OWNER, OBJECT_FOREIGN_SERVER, server);
	key = idgen_centre_mark_key(idgen_table_oid(fcinfo->flinfo->fn_oid), serverid, name);
	PG_RETURN_INT64(idgen_marks_forget(&key));
}

/*
 * idgen_fdw_validator(options text[], catalog oid) returns void
 *
 * Raises what idgen_server_check_options() does.
 */
Datum
idgen_fdw_validator(PG_FUNCTION_ARGS)
{
	idgen_server_check_options(untransformRelOptions(PG_GETARG_DATUM(0)), PG_GETARG_OID(1));
	PG_RETURN_VOID();
}
