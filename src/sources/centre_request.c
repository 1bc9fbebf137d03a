/*
 * centre_request.c
 *		The row of an id sequence at the centre: what the centre is asked.
 *
 * The centre allocates in a transaction of its own, by plain SQL on the four
 * columns that any program may share, so it needs no extension. If the table
 * there is one of idgen, its further columns count as well: max_value, and
 * source, which must be "table".
 *
 * The request says how far the id sequence has got by what this server knows,
 * and which database cluster the centre was. If the centre is behind that, it
 * does not allocate, or steps over some ids (went_back.c).
 *
 * The statement that allocates also sees to it that its commit is on disk when
 * the centre says so (rule U3). It does not rely on what the session was told
 * before: a pooler between us and the centre may have another session execute
 * it.
 */
#include "postgres.h"

#include "utils/builtins.h"

#include "common/as_owner.h"
#include "common/guc.h"
#include "remote/foreign_server.h"
#include "sources/centre_request.h"

/*
 * In the statements that follow, every operator gets exactly the argument types
 * that it is defined for. So no operator that somebody has put into the
 * search_path there can take its place.
 *
 * What there is to know of the row $1 of the table %s at the centre, with
 * values for the columns that it may lack. In the inner SELECT, a name stands
 * for a column of the row if it has one of that name, and else for one of
 * "absent".
 */
#define CENTRAL_ROW                                                                            \
	"SELECT CAST(s.next_block_start AS bigint) AS next_block_start,"                           \
	" CAST(s.block_size AS bigint) AS block_size, CAST(s.exhausted AS integer) AS exhausted,"  \
	" CAST(floor(least(9223372036854775807,"                                                   \
	" CAST((SELECT max_value FROM (SELECT s.*) AS own) AS numeric))) AS bigint) AS max_value," \
	" CAST((SELECT source FROM (SELECT s.*) AS own) AS text) AS source"                        \
	" FROM %s AS s, (SELECT 9223372036854775807 AS max_value, 'table' AS source) AS absent"    \
	" WHERE CAST(s.name AS text) = CAST($1 AS text)"

/* The parameters of the statement that allocates, see there */
enum
{
	PARAM_NAME,
	PARAM_BLOCKS,
	PARAM_IDS,
	PARAM_BULK_IDS,
	PARAM_JOINS_AT,
	PARAM_JOINING_IDS,
	PARAM_RECEIVED,
	PARAM_RESERVED,
	PARAM_SYSTEM,
	PARAM_TIMELINE,
	PARAM_IN_DOUBT, /* null or true */
	PARAM_STEP,
	PARAMS
};

/*
 * A condition that the commit will be synchronous. It is made so unless it is,
 * or stricter than that. There is no block to write to the row unless the
 * condition was met: so it is, whatever plan the centre makes, and before any
 * trigger there looks.
 */
#define COMMITS_SYNCHRONOUSLY                                                         \
	"pg_catalog.set_config('synchronous_commit',"                                     \
	" CASE pg_catalog.current_setting('synchronous_commit') WHEN CAST('off' AS text)" \
	" THEN 'on' ELSE pg_catalog.current_setting('synchronous_commit') END, true)"     \
	" <> CAST('off' AS text)"

/*
 * Which database cluster the centre is, and on which timeline it writes: that
 * in pg_control is not up to date yet when a standby has just been promoted.
 */
#define IDENTITY                                                                \
	"SELECT CAST(c.system_identifier AS bigint) AS system_identifier,"          \
	" CAST(CAST(CAST('x' AS text) || pg_catalog.substr("                        \
	"pg_catalog.pg_walfile_name(pg_catalog.pg_current_wal_insert_lsn()), 1, 8)" \
	" AS bit(32)) AS bigint) AS timeline FROM pg_catalog.pg_control_system() AS c"

#define NO_IDENTITY "SELECT CAST(NULL AS bigint) AS system_identifier, CAST(NULL AS bigint) AS timeline"

/*
 * Allocate $2 blocks; more if these have less than $3 ids, or if $4 /
 * block_size is more. If less than $3 ids are left, nothing is allocated; but
 * if the first one is $5, then $6 ids suffice.
 *
 * The block begins behind $8. If the row has not got beyond $7, or the centre
 * has another system identifier than $9, or a lower timeline than $10, or $11
 * says that it had gone back before, it has gone back: then the block begins
 * $12 further on, and if that is null, nothing is allocated. Any of these may
 * be null if it is not known.
 *
 * The %s are the table, the identity, a condition, and the table. The table
 * comes early, so that pg_stat_activity shows it, which cuts long statements.
 *
 * The centre parses and plans this for each refill, which takes longer than to
 * execute it. So each part reads from the one before, and hands on what the
 * rest needs: joins are what takes most time to plan.
 */
static const char *const allocate_sql =
	"WITH central AS (" CENTRAL_ROW " FOR UPDATE OF s),"
	" state AS (SELECT *, count(*) OVER () AS row_count,"
	" CASE WHEN system_identifier <> known_system THEN CAST('system' AS text)"
	" WHEN timeline < known_timeline THEN CAST('timeline' AS text)"
	" WHEN next_block_start <= received AND exhausted = 0 THEN CAST('block' AS text)"
	" WHEN in_doubt THEN CAST('earlier' AS text) END AS went_back"
	" FROM central, (%s) AS centre,"
	" (SELECT CAST($2 AS bigint) AS blocks, CAST($3 AS bigint) AS ids,"
	" CAST($4 AS bigint) AS bulk_ids, CAST($5 AS bigint) AS joins_at, CAST($6 AS bigint) AS joining_ids,"
	" CAST($7 AS bigint) AS received, CAST($8 AS bigint) AS reserved,"
	" CAST($9 AS bigint) AS known_system, CAST($10 AS bigint) AS known_timeline,"
	" CAST($11 AS boolean) AS in_doubt, CAST($12 AS bigint) AS step) AS asked),"
	" start AS (SELECT *, greatest(CAST(next_block_start AS numeric), CAST(reserved AS numeric) + CAST(1 AS numeric)) +"
	" CAST(CASE WHEN went_back IS NULL THEN 0 ELSE step END AS numeric) AS begins_at FROM state),"
	" block AS (SELECT max_value, CAST(begins_at AS bigint) AS first_id,"
	" CAST(least(CAST(max_value AS numeric), begins_at - CAST(1 AS numeric) +"
	" least(576460752303423488, CAST(block_size AS numeric) *"
	" CAST(greatest(blocks + (ids - 1) / nullif(block_size, 0), bulk_ids / nullif(block_size, 0)) AS numeric)))"
	" AS bigint) AS last_id"
	" FROM start"
	" WHERE row_count = 1 AND %s"
	" AND next_block_start IS NOT NULL AND exhausted = 0 AND block_size > 0 AND source = CAST('table' AS text) AND begins_at <= CAST(max_value AS numeric)"
	" AND CAST(max_value AS numeric) - begins_at >="
	" CAST(CASE WHEN begins_at = CAST(joins_at AS numeric) THEN joining_ids ELSE ids END - 1 AS numeric)),"
	" taken AS (UPDATE %s AS s"
	" SET next_block_start = CASE WHEN block.last_id < 9223372036854775807 THEN block.last_id + 1 ELSE block.last_id END,"
	" exhausted = CASE WHEN block.last_id < block.max_value THEN 0 ELSE 1 END"
	" FROM block WHERE CAST(s.name AS text) = CAST($1 AS text) RETURNING CAST(s.next_block_start AS bigint) AS next_block_start)"
	" SELECT start.next_block_start, block_size, exhausted, start.max_value, source, block.last_id,"
	" taken.next_block_start, row_count, block.first_id, went_back, system_identifier, timeline"
	" FROM start LEFT JOIN block ON true LEFT JOIN taken ON true";

StaticAssertDecl(IDGEN_BLOCK_MAX == INT64CONST(576460752303423488), "allocate_sql has another limit");

/*
 * Where the row of an id sequence is. Raises 42704 if the server has just been
 * dropped.
 */
IdgenCentre
idgen_centre_of(const IdgenHandle *handle)
{
	IdgenServer server = idgen_server_get(handle->found.origin);

	return (IdgenCentre){
		.server = server.name,
		.name = idgen_server_remote_name(&server, handle->name),
		.table = server.schema_name != NULL ? quote_qualified_identifier(server.schema_name, "id_sequences") : "id_sequences",
	};
}

/*
 * Begin a statement at the centre by the user mapping of the owner of
 * id_sequences, who needs USAGE on the server as well. Raises 42501, 42704,
 * 2F003, and 42P01 if the table has just been dropped.
 */
static IdgenRemoteQuery *
begin_query(const IdgenHandle *handle, const IdgenRemoteStatement *statement, TimestampTz deadline)
{
	Oid owner = idgen_owner_of(handle->relid);

	if (!OidIsValid(owner))
		ereport(ERROR,
		        (errcode(ERRCODE_UNDEFINED_TABLE),
		         errmsg("relation with OID %u does not exist", handle->relid)));
	idgen_server_check_usage(handle->found.origin, owner);
	return idgen_remote_begin(handle->found.origin, owner, statement, deadline);
}

/*
 * How far the centre had got, by what this server knows. A transaction that has
 * changed how the server is reached, and has not committed, may be led to
 * another centre, of which nothing is known; nor is what it gets remembered,
 * since the change may be rolled back.
 */
IdgenMark
idgen_centre_read_mark(const IdgenHandle *handle, const IdgenCentre *centre)
{
	if (handle->found.uncommitted)
		return (IdgenMark){.known = false};
	return idgen_mark_read(handle->found.origin, centre->name);
}

/* A number as a parameter, or null. */
static const char *
number_if(bool known, int64 number)
{
	return known ? psprintf(INT64_FORMAT, number) : NULL;
}

/*
 * Send a request to the centre, which must not be behind the mark. Raises what
 * begin_query() does.
 */
IdgenRemoteQuery *
idgen_centre_begin_allocation(const IdgenHandle *handle, const IdgenCentre *centre, const IdgenRequest *request)
{
	const IdgenBlock *joins = &request->joins;
	bool may_join = joins->left > 0 && idgen_block_last(joins) < PG_INT64_MAX;
	IdgenMark mark = idgen_centre_read_mark(handle, centre);
	const char *params[PARAMS] = {
		[PARAM_NAME] = centre->name,
		[PARAM_BLOCKS] = psprintf(INT64_FORMAT, Min(request->blocks, IDGEN_BLOCK_MAX)),
		[PARAM_IDS] = psprintf(INT64_FORMAT, request->count),
		[PARAM_BULK_IDS] = psprintf(INT64_FORMAT, request->bulk_ids),
		[PARAM_JOINS_AT] = number_if(may_join, may_join ? idgen_block_last(joins) + 1 : 0),
		[PARAM_JOINING_IDS] = number_if(may_join, Max(1, request->count - joins->left)),
		[PARAM_RECEIVED] = number_if(mark.known, mark.received),
		[PARAM_RESERVED] = number_if(mark.known, mark.reserved),
		[PARAM_SYSTEM] = number_if(mark.centre.system != 0, (int64) mark.centre.system),
		[PARAM_TIMELINE] = number_if(mark.centre.system != 0, mark.centre.timeline),
		[PARAM_IN_DOUBT] = mark.in_doubt ? "true" : NULL,
		[PARAM_STEP] = number_if(idgen_step_over > 0, idgen_step_over),
	};
	IdgenRemoteStatement statement = {
		.sql = psprintf(allocate_sql, centre->table, IDENTITY, COMMITS_SYNCHRONOUSLY, centre->table),
		.lesser_sql = psprintf(allocate_sql, centre->table, NO_IDENTITY, COMMITS_SYNCHRONOUSLY, centre->table),
		.plain_sql = psprintf(allocate_sql, centre->table, NO_IDENTITY, "true", centre->table),
		.nparams = PARAMS,
		.params = params,
		.columns = COLUMNS,
	};

	return begin_query(handle, &statement, request->deadline);
}

/* Ask what the row at the centre says. Raises what begin_query() does. */
IdgenRemoteQuery *
idgen_centre_begin_look(const IdgenHandle *handle, const IdgenCentre *centre)
{
	const char *sql = psprintf(CENTRAL_ROW, centre->table);
	IdgenRemoteStatement statement = {
		.sql = sql,
		.plain_sql = sql,
		.nparams = 1,
		.params = &centre->name,
		.columns = COLUMN_SOURCE + 1,
	};

	return begin_query(handle, &statement, idgen_remote_deadline());
}

/* A parameter that is not null. */
static int64
read_int64(const char *text)
{
	return DatumGetInt64(DirectFunctionCall1(int8in, CStringGetDatum(text)));
}

/*
 * Is a block behind what the centre was sent, though the centre has not said
 * so? Then it has not done what it was asked.
 */
bool
idgen_centre_is_behind(const IdgenGiven *given, const IdgenRemoteQuery *query)
{
	const char *const *params = idgen_remote_params(query);

	if (params[PARAM_RESERVED] != NULL && given->first <= read_int64(params[PARAM_RESERVED]))
		return true;
	if (given->stepped_over != IDGEN_NOT_BACK)
		return false;
	if (params[PARAM_IN_DOUBT] != NULL)
		return true;
	return params[PARAM_SYSTEM] != NULL && given->centre.system != 0 &&
		(given->centre.system != (uint64) read_int64(params[PARAM_SYSTEM]) ||
	     given->centre.timeline < read_int64(params[PARAM_TIMELINE]));
}
