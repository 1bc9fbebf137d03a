/*
 * server_view.c
 *		The server as a whole: view idgen_server shows its cache and its node
 *		number; and its counters are set to zero.
 */
#include "postgres.h"

#include "fmgr.h"

#include "catalog/privileges.h"
#include "common/compat.h"
#include "common/guc.h"
#include "node/lease.h"
#include "shmem/cache.h"
#include "sql/sql_support.h"
#include "sql/view_line.h"

PG_FUNCTION_INFO_V1(idgen_server_state);
PG_FUNCTION_INFO_V1(idgen_stats_reset);

/* Add what there is to say of the cache. */
static void
add_cache(IdgenViewLine *line)
{
	IdgenCacheTotals totals;

	idgen_cache_totals(&totals);
	idgen_view_add_text(line, idgen_cache_is_shared() ? "server" : "session");
	idgen_view_add(line, Int32GetDatum(totals.max_sequences));
	idgen_view_add(line, Int32GetDatum(totals.sequences));
	idgen_view_add(line, Int64GetDatum(totals.evictions));
	idgen_view_add(line, Int64GetDatum(totals.ids_evicted));
	idgen_view_add(line, Int64GetDatum(totals.ids_lost));
	idgen_view_add(line, Int64GetDatum(totals.ids_uncached));
	idgen_view_add(line, Int32GetDatum(totals.max_idle_sequences));
	idgen_view_add(line, Int32GetDatum(totals.idle_sequences));
	idgen_view_add(line, Int64GetDatum(totals.idle_ids));
}

/* Add what there is to say of a number that is leased. */
static void
add_lease(IdgenViewLine *line)
{
	IdgenLeaseReport report = {.renewed_at = 0};

	if (idgen_lease_is_shared())
		idgen_lease_report(&report);
	idgen_view_add_unless(!idgen_lease_is_good(&report.lease), line, Int32GetDatum(report.lease.number));
	idgen_view_add_unless(report.lease.number == 0, line, TimestampTzGetDatum(report.lease.until));
	idgen_view_add_time(line, report.renewed_at);
	idgen_view_add_time(line, report.failing_since);
	idgen_view_add_text(line, report.failing_since != 0 && idgen_may_monitor() ? report.reason : NULL);
}

/* Add a number that is set, which has no lease. */
static void
add_number(IdgenViewLine *line)
{
	idgen_view_add(line, Int32GetDatum(idgen_node_id));
	idgen_view_add_time(line, 0);
	idgen_view_add_time(line, 0);
	idgen_view_add_time(line, 0);
	idgen_view_add_text(line, NULL);
}

/* idgen_server_state() returns record: what view idgen_server shows */
Datum
idgen_server_state(PG_FUNCTION_ARGS)
{
	IdgenViewLine line = {.n = 0};

	add_cache(&line);
	idgen_view_add_text(&line, idgen_node_id_setting);
	if (idgen_node_id == IDGEN_NODE_LEASED)
		add_lease(&line);
	else
		add_number(&line);
	return idgen_result_row(fcinfo, (TupleDesc *) &fcinfo->flinfo->fn_extra, line.values, line.nulls);
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
