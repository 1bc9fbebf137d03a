/*
 * centre.c
 *		The row of an id sequence at the centre: what the centre is asked, and
 *		what it may answer.
 *
 * The centre allocates in a transaction of its own, by plain SQL on the four
 * columns that any program may share, so it needs no extension. If the table
 * there is one of idgen, its further columns count as well: max_value, and
 * source, which must be "table".
 *
 * The statement that allocates also sees to it that its commit is on disk when
 * the centre says so (rule U3). It does not rely on what the session was told
 * before: a pooler between us and the centre may have another session execute
 * it.
 */
#include "postgres.h"

#include "utils/builtins.h"

#include "common/as_owner.h"
#include "remote/foreign_server.h"
#include "sources/centre.h"

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

/* The columns of the answers */
enum
{
	COLUMN_NEXT_BLOCK_START,
	COLUMN_BLOCK_SIZE,
	COLUMN_EXHAUSTED,
	COLUMN_MAX_VALUE,
	COLUMN_SOURCE,
	COLUMN_LAST_ID, /* of the block; null if there are not enough ids */
	COLUMN_UPDATED, /* next_block_start of the new row; null if there is none */
	COLUMN_ROWS,    /* the number of rows with that name */
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
 * Allocate $2 blocks; more if these have less than $3 ids, or if $4 /
 * block_size is more. If less than $3 ids are left, nothing is allocated; but
 * if the first one is $5, then $6 ids suffice. The second %s is a condition.
 */
static const char *const allocate_sql =
	"WITH asked AS (SELECT CAST($2 AS bigint) AS blocks, CAST($3 AS bigint) AS ids,"
	" CAST($4 AS bigint) AS bulk_ids, CAST($5 AS bigint) AS joins_at, CAST($6 AS bigint) AS joining_ids),"
	" central AS (" CENTRAL_ROW " FOR UPDATE OF s),"
	" block AS (SELECT max_value,"
	" CAST(least(CAST(max_value AS numeric), CAST(next_block_start AS numeric) - CAST(1 AS numeric) +"
	" least(576460752303423488, CAST(block_size AS numeric) *"
	" CAST(greatest(blocks + (ids - 1) / nullif(block_size, 0), bulk_ids / nullif(block_size, 0)) AS numeric)))"
	" AS bigint) AS last_id"
	" FROM asked, central"
	" WHERE (SELECT count(*) FROM central) = 1 AND %s"
	" AND exhausted = 0 AND block_size > 0 AND source = CAST('table' AS text) AND next_block_start <= max_value"
	" AND CAST(max_value AS numeric) - CAST(next_block_start AS numeric) >="
	" CAST(CASE WHEN next_block_start = joins_at THEN joining_ids ELSE ids END - 1 AS numeric)),"
	" taken AS (UPDATE %s AS s"
	" SET next_block_start = CASE WHEN block.last_id < 9223372036854775807 THEN block.last_id + 1 ELSE block.last_id END,"
	" exhausted = CASE WHEN block.last_id < block.max_value THEN 0 ELSE 1 END"
	" FROM block WHERE CAST(s.name AS text) = CAST($1 AS text) RETURNING CAST(s.next_block_start AS bigint) AS next_block_start)"
	" SELECT central.*, block.last_id, taken.next_block_start, (SELECT count(*) FROM central) FROM central"
	" LEFT JOIN block ON true LEFT JOIN taken ON true";

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
		.name = server.remote_name != NULL ? server.remote_name : handle->name,
		.table = server.schema_name != NULL ? quote_qualified_identifier(server.schema_name, "id_sequences") : "id_sequences",
	};
}

/*
 * Begin a statement at the centre by the user mapping of the owner of
 * id_sequences, who needs USAGE on the server as well. Raises 42501, 42704,
 * 2F003, and 42P01 if the table has just been dropped.
 */
static IdgenRemoteQuery *
begin_query(const IdgenHandle *handle, const IdgenRemoteStatement *statement)
{
	Oid owner = idgen_owner_of(handle->relid);

	if (!OidIsValid(owner))
		ereport(ERROR,
		        (errcode(ERRCODE_UNDEFINED_TABLE),
		         errmsg("relation with OID %u does not exist", handle->relid)));
	idgen_server_check_usage(handle->found.origin, owner);
	return idgen_remote_begin(handle->found.origin, owner, statement);
}

/* A column that is not null. */
static int64
get_int64(IdgenRemoteRow row, int column)
{
	return DatumGetInt64(DirectFunctionCall1(int8in, CStringGetDatum(row[column])));
}

/*
 * Raises what is wrong with the row at the centre: 42704 if it is not there,
 * 22004 for a null, 22023 for other nonsense.
 */
static void
check_row(const IdgenCentre *centre, IdgenRemoteRow row)
{
	static const char *const columns[] = {"next_block_start", "block_size", "exhausted", "max_value", "source"};

	if (row == NULL)
		ereport(ERROR,
		        (errcode(ERRCODE_UNDEFINED_OBJECT),
		         errmsg("id sequence \"%s\" does not exist on server \"%s\"", centre->name, centre->server),
		         errhint("Insert a row with that name into \"id_sequences\" there.")));
	for (int i = 0; i < (int) lengthof(columns); i++)
		if (row[i] == NULL)
			ereport(ERROR,
			        (errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
			         errmsg("%s of id sequence \"%s\" on server \"%s\" is null",
			                columns[i], centre->name, centre->server)));
	if (strcmp(row[COLUMN_SOURCE], "table") != 0)
		ereport(ERROR,
		        (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
		         errmsg("id sequence \"%s\" on server \"%s\" has source \"%s\", not \"table\"",
		                centre->name, centre->server, row[COLUMN_SOURCE]),
		         errhint("Only a row with source \"table\" gives blocks to other servers.")));
	if (get_int64(row, COLUMN_BLOCK_SIZE) <= 0)
		ereport(ERROR,
		        (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
		         errmsg("block_size of id sequence \"%s\" on server \"%s\" must be greater than zero",
		                centre->name, centre->server)));
}

/* Raises 2200H if no id is left. */
static void
check_exhausted(const IdgenHandle *handle, const IdgenCentre *centre, IdgenRemoteRow row)
{
	bool exhausted = get_int64(row, COLUMN_EXHAUSTED) != 0;
	int64 next_block_start = get_int64(row, COLUMN_NEXT_BLOCK_START);
	int64 max_value = get_int64(row, COLUMN_MAX_VALUE);

	if (exhausted && !idgen_is_at_end(next_block_start, max_value))
		ereport(ERROR,
		        (errcode(ERRCODE_SEQUENCE_GENERATOR_LIMIT_EXCEEDED),
		         errmsg("id sequence \"%s\" is exhausted", handle->name),
		         errdetail("On server \"%s\", its column \"exhausted\" is 1.", centre->server),
		         errhint("Set exhausted to 0 there.")));
	if (exhausted || next_block_start > max_value)
		ereport(ERROR,
		        (errcode(ERRCODE_SEQUENCE_GENERATOR_LIMIT_EXCEEDED),
		         errmsg("id sequence \"%s\" is exhausted", handle->name),
		         errdetail("Its last id on server \"%s\" is %lld.", centre->server, (long long) max_value),
		         errhint("%s", max_value < PG_INT64_MAX ? "Raise max_value there, and set exhausted to 0." : "Use another id sequence, or start it again at a lower id there.")));
}

/* Send a request to the centre. Raises what begin_query() does. */
IdgenRemoteQuery *
idgen_centre_begin_allocation(const IdgenHandle *handle, const IdgenCentre *centre, const IdgenRequest *request)
{
	const IdgenBlock *joins = &request->joins;
	bool may_join = joins->left > 0 && idgen_block_last(joins) < PG_INT64_MAX;
	const char *params[] = {
		centre->name,
		psprintf(INT64_FORMAT, Min(request->blocks, IDGEN_BLOCK_MAX)),
		psprintf(INT64_FORMAT, request->count),
		psprintf(INT64_FORMAT, request->bulk_ids),
		may_join ? psprintf(INT64_FORMAT, idgen_block_last(joins) + 1) : NULL,
		may_join ? psprintf(INT64_FORMAT, Max(1, request->count - joins->left)) : NULL,
	};
	IdgenRemoteStatement statement = {
		.sql = psprintf(allocate_sql, centre->table, COMMITS_SYNCHRONOUSLY, centre->table),
		.plain_sql = psprintf(allocate_sql, centre->table, "true", centre->table),
		.nparams = lengthof(params),
		.params = params,
		.columns = COLUMN_ROWS + 1,
	};

	return begin_query(handle, &statement);
}

/*
 * Raises why the centre has not allocated: 2200H if there are not enough ids,
 * 21000 if there are several rows, 55000 if the row was not updated, HV000 if
 * the answer is not that of a database.
 */
static void
check_allocated(const IdgenHandle *handle, const IdgenCentre *centre, const IdgenRequest *request, IdgenRemoteRow row)
{
	if (row[COLUMN_ROWS] == NULL)
		ereport(ERROR,
		        (errcode(ERRCODE_FDW_ERROR),
		         errmsg("server \"%s\" did not say how many rows for id sequence \"%s\" it has",
		                centre->server, centre->name)));
	if (strcmp(row[COLUMN_ROWS], "1") != 0)
		ereport(ERROR,
		        (errcode(ERRCODE_CARDINALITY_VIOLATION),
		         errmsg("server \"%s\" has %s rows for id sequence \"%s\"",
		                centre->server, row[COLUMN_ROWS], centre->name),
		         errhint("Make column \"name\" the primary key of \"id_sequences\" there.")));
	if (request->count == 1)
		check_exhausted(handle, centre, row);
	if (row[COLUMN_LAST_ID] == NULL)
		idgen_too_few(handle->name, request->count, get_int64(row, COLUMN_MAX_VALUE));
	if (row[COLUMN_UPDATED] == NULL ||
	    get_int64(row, COLUMN_UPDATED) != idgen_add_saturating(get_int64(row, COLUMN_LAST_ID), 1))
		ereport(ERROR,
		        (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
		         errmsg("id sequence \"%s\" on server \"%s\" was not updated as expected",
		                centre->name, centre->server),
		         errhint("A trigger or a rule there may be in the way.")));
}

/*
 * Get what the centre has allocated. It is not known where the range begins: at
 * 1, we assume, or at the block if that is less. Raises what check_row() and
 * check_allocated() do, and HV000 for a block that cannot be.
 */
void
idgen_centre_finish_allocation(const IdgenHandle *handle, const IdgenCentre *centre,
                               const IdgenRequest *request,
                               IdgenRemoteQuery *query, IdgenRefill *refill)
{
	IdgenRemoteRow row = idgen_remote_finish(query);
	int64 first;
	int64 last;

	check_row(centre, row);
	check_allocated(handle, centre, request, row);
	first = get_int64(row, COLUMN_NEXT_BLOCK_START);
	last = get_int64(row, COLUMN_LAST_ID);
	if (last < first || (uint64) last - (uint64) first >= IDGEN_BLOCK_MAX)
		ereport(ERROR,
		        (errcode(ERRCODE_FDW_ERROR),
		         errmsg("server \"%s\" returned a bad block, %lld to %lld",
		                centre->server, (long long) first, (long long) last)));

	refill->rest.lost_at_shutdown = true;
	refill->rest.block = (IdgenBlock){.next = first, .left = last - first + 1, .step = 1};
	refill->blocks = (refill->rest.block.left - 1) / get_int64(row, COLUMN_BLOCK_SIZE) + 1;
	refill->fate = IDGEN_REST_PUBLISHED;
	refill->left.percent = idgen_percent_of_range(Min(first, 1), (double) last + 1, get_int64(row, COLUMN_MAX_VALUE));
	refill->left.ids = (double) get_int64(row, COLUMN_MAX_VALUE) - last;
	idgen_range_left_in_column(&refill->left, handle->found.stored_in, Min(first, 1), last, 1);
}

/*
 * The id that the centre would give next. Raises 2200H, and what begin_query()
 * and check_row() do.
 */
int64
idgen_centre_next_id(const IdgenHandle *handle, const IdgenCentre *centre)
{
	const char *sql = psprintf(CENTRAL_ROW, centre->table);
	IdgenRemoteStatement statement = {
		.sql = sql,
		.plain_sql = sql,
		.nparams = 1,
		.params = &centre->name,
		.columns = COLUMN_SOURCE + 1,
	};
	IdgenRemoteQuery *query = begin_query(handle, &statement);
	IdgenRemoteRow row;

	idgen_remote_await(query);
	row = idgen_remote_finish(query);
	check_row(centre, row);
	check_exhausted(handle, centre, row);
	return get_int64(row, COLUMN_NEXT_BLOCK_START);
}
