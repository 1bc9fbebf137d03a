/*
 * lease_query.c
 *		What the centre is asked for a node number.
 *
 * The centre has the extension: its function idgen_lease_node(), in the install
 * script, decides. The answer may be lost, and the same request is sent again:
 * that does no harm, since it has the same token.
 */
#include "postgres.h"

#include "access/xlog.h"
#include "miscadmin.h"
#include "utils/builtins.h"

#include "common/guc.h"
#include "common/id_time.h"
#include "lease/lease_query.h"
#include "remote/server.h"

/* The columns of the answer */
enum
{
	COLUMN_NUMBER,
	COLUMN_RENEWALS,
	COLUMN_OWN,
	COLUMN_USED_UNTIL,
	COLUMN_COPY_HAS,
	COLUMNS,
};

static const char *const lease_sql =
	"SELECT number, renewals, own, used_until_ms, copy_has FROM %sidgen_lease_node("
	"CAST($1 AS uuid), CAST($2 AS bigint), CAST($3 AS text), CAST($4 AS bigint), CAST($5 AS integer),"
	" CAST($6 AS integer), CAST($7 AS bigint), CAST($8 AS uuid), CAST($9 AS integer[]), CAST($10 AS uuid[]),"
	" CAST($11 AS uuid[]), CAST($12 AS bigint[]))";

/*
 * Ask the centre that a server leads to, by the user mapping of the owner.
 * Raises 42501, 42704 and 2F003.
 */
IdgenRemoteQuery *
idgen_lease_query_begin(Oid serverid, Oid owner, const IdgenLeaseRequest *request)
{
	const char *schema = idgen_server_get(serverid).schema_name;
	const char *params[] = {
		request->holder,
		psprintf(INT64_FORMAT, (int64) GetSystemIdentifier()),
		DataDir,
		psprintf(INT64_FORMAT, idgen_unix_ms(request->asked_at)),
		psprintf("%d", idgen_min_node_id),
		psprintf("%d", idgen_node_lease),
		psprintf(INT64_FORMAT, idgen_unix_ms(request->until)),
		request->token,
		request->known.numbers,
		request->known.holders,
		request->known.tokens,
		request->known.renewals,
	};
	const char *sql = psprintf(lease_sql, schema != NULL ? psprintf("%s.", quote_identifier(schema)) : "");
	IdgenRemoteStatement statement = {
		.sql = sql,
		.plain_sql = sql,
		.nparams = lengthof(params),
		.params = params,
		.columns = COLUMNS,
	};

	idgen_server_check_usage(serverid, owner);
	return idgen_remote_begin(serverid, owner, &statement, idgen_remote_deadline());
}

/*
 * The answer to a query that is over. Raises what idgen_remote_finish() does,
 * and HV000 for a number that cannot be.
 */
IdgenLeaseAnswer
idgen_lease_query_finish(IdgenRemoteQuery *query)
{
	IdgenRemoteRow row = idgen_remote_finish(query);
	IdgenLeaseAnswer answer = {.number = 0, .used_until = DT_NOBEGIN};

	if (row == NULL || row[COLUMN_NUMBER] == NULL || row[COLUMN_RENEWALS] == NULL)
		return answer;
	answer.number = pg_strtoint32(row[COLUMN_NUMBER]);
	if (answer.number <= 0 || answer.number > IDGEN_MAX_NODE)
		ereport(ERROR,
		        (errcode(ERRCODE_FDW_ERROR),
		         errmsg("the centre has leased node number %d", answer.number),
		         errdetail("It must be between 1 and %d.", IDGEN_MAX_NODE)));
	answer.renewals = strtoll(row[COLUMN_RENEWALS], NULL, 10);
	answer.own = row[COLUMN_OWN] != NULL && row[COLUMN_OWN][0] == 't';
	if (row[COLUMN_USED_UNTIL] != NULL)
		answer.used_until = idgen_from_unix_ms(strtoll(row[COLUMN_USED_UNTIL], NULL, 10));
	if (row[COLUMN_COPY_HAS] != NULL)
		answer.copy_has = pg_strtoint32(row[COLUMN_COPY_HAS]);
	return answer;
}
