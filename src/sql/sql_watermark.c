/*
 * sql_watermark.c
 *		The SQL functions about watermarks.
 */
#include "postgres.h"

#include "access/xact.h"
#include "access/xlog.h"
#include "fmgr.h"
#include "miscadmin.h"

#include "draw/watermark.h"
#include "sql/sql_support.h"

PG_FUNCTION_INFO_V1(idgen_watermark);

/*
 * Raises 25001 if the answer would be newer than what the query can see, and
 * 0A000 on a standby, whose transactions end in another order.
 */
static void
check_snapshot(void)
{
	if (RecoveryInProgress())
		ereport(ERROR,
		        (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
		         errmsg("a watermark cannot be told on a standby"),
		         errhint("Ask the primary, and read there.")));
	if (IsolationUsesXactSnapshot())
		ereport(ERROR,
		        (errcode(ERRCODE_ACTIVE_SQL_TRANSACTION),
		         errmsg("a watermark cannot be told in a transaction of isolation level %s", XactIsoLevel == XACT_SERIALIZABLE ? "SERIALIZABLE" : "REPEATABLE READ"),
		         errdetail("What it vouches for may be missing from the snapshot of the transaction."),
		         errhint("Ask in a READ COMMITTED transaction, in a statement before the one that reads.")));
}

/*
 * idgen_watermark(name text) returns bigint: each id up to it that was drawn
 * was drawn by a transaction that has ended, and none will be drawn any more
 */
Datum
idgen_watermark(PG_FUNCTION_ARGS)
{
	IdgenCall call = {.function = "idgen_watermark()"};

	check_snapshot();
	PG_RETURN_INT64(idgen_watermark_find(idgen_call_site(fcinfo, 1)->handle, &call));
}
