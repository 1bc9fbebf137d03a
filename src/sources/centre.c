/*
 * centre.c
 *		The row of an id sequence at the centre: what the centre is asked, what
 *		it may answer, and whether it has gone back.
 *
 * The centre allocates in a transaction of its own, by plain SQL on the four
 * columns that any program may share, so it needs no extension. If the table
 * there is one of idgen, its further columns count as well: max_value, and
 * source, which must be "table". Nothing that the centre answers is believed to
 * make sense before it was checked.
 *
 * The statement that allocates also sees to it that its commit is on disk when
 * the centre says so (rule U3). It does not rely on what the session was told
 * before: a pooler between us and the centre may have another session execute
 * it.
 *
 * A centre has gone back if it has forgotten blocks that it has allocated: it
 * was restored from a backup, a standby was promoted that had not received all,
 * an old primary came back. To use what it gives then would issue ids twice
 * (rule C5). The request says how far the id sequence has got by what this
 * server knows, and which database cluster the centre was (marks.c); from that,
 * the centre itself finds out whether it has gone back. By default, nothing is
 * allocated from it then until an operator has looked at it; with
 * idgen.step_over, the next block begins that far behind all that this server
 * knows of.
 *
 * It was turned down to step over by default. How much other nodes have
 * received that this one knows nothing of, only an operator can tell.
 */
#include "postgres.h"

#include "utils/builtins.h"
#include "utils/timestamp.h"

#include "catalog/table.h"
#include "common/as_owner.h"
#include "common/guc.h"
#include "remote/server.h"
#include "sources/centre.h"

/* Where the row of an id sequence is. */
typedef struct Centre
{
	const IdgenHandle *handle; /* of the id sequence here */
	const char *server;
	const char *name;  /* of the id sequence there */
	const char *table; /* for use in a query */
	IdgenMarkKey mark;
} Centre;

/*
 * In the statements that follow, every operator gets exactly the argument types
 * that it is defined for. So no operator that somebody has put into the
 * search_path there can take its place.
 *
 * What there is to know of rows of the table %s at the centre, with values for
 * the columns that they may lack; which rows, follows. In the inner SELECT, a
 * name stands for a column of the row if it has one of that name, and else for
 * one of "absent".
 */
#define CENTRAL_ROW                                                                            \
	"SELECT CAST(s.next_block_start AS bigint) AS next_block_start,"                           \
	" CAST(s.block_size AS bigint) AS block_size, CAST(s.exhausted AS integer) AS exhausted,"  \
	" CAST(floor(least(9223372036854775807,"                                                   \
	" CAST((SELECT max_value FROM (SELECT s.*) AS own) AS numeric))) AS bigint) AS max_value," \
	" CAST((SELECT source FROM (SELECT s.*) AS own) AS text) AS source,"                       \
	" CAST(s.name AS text) AS name"                                                            \
	" FROM %s AS s, (SELECT 9223372036854775807 AS max_value, 'table' AS source) AS absent"    \
	" WHERE CAST(s.name AS text) = "

/* The parameters of the statement that allocates, see there */
enum
{
	PARAM_NAME,
	PARAM_BLOCKS,
	PARAM_IDS,
	PARAM_BULK_IDS,
	PARAM_RECEIVED,
	PARAM_SYSTEM,
	PARAM_TIMELINE,
	PARAM_IN_DOUBT, /* null or true */
	PARAM_STEP,
	PARAM_ACCEPTED, /* as in IdgenMark; for whoever gets the answer */
	PARAMS
};

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
	COLUMN_FIRST_ID,
	COLUMN_WENT_BACK, /* how the centre has gone back; null if it has not */
	COLUMN_SYSTEM,    /* its system identifier, null if it does not tell */
	COLUMN_TIMELINE,  /* likewise its timeline */
	COLUMN_NUMBER,    /* of the request that was sent with others */
	COLUMNS
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
 * A condition that the wait for the row will end soon: be it that the centre
 * has another one to refill meanwhile, or that nobody is there any more for
 * whom this one waits. It is met before the row is locked.
 */
#define WAITS_NOT_LONG "pg_catalog.set_config('lock_timeout', '500ms', true) <> CAST('' AS text)"

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
 * Each parameter is an array of what is asked for each of several rows. From
 * row $1, allocate $2 blocks; more if these have less than $3 ids, or if $4 /
 * block_size is more. If less than $3 ids are left, nothing is allocated.
 *
 * If the row has not got beyond $5, or the centre has another system identifier
 * than $6, or a lower timeline than $7, or $8 says that it had gone back
 * before, it has gone back: then the block begins $9 behind both the row and
 * $5, and if that is null, nothing is allocated. Any of these may be null if it
 * is not known. $10 has no meaning there.
 *
 * The %s are the table, a condition, what to do about a row that is locked, the
 * identity, another condition, and the table again. The table comes early, so
 * that pg_stat_activity shows it, which cuts long statements. Of several rows,
 * those that are locked are left out: they do not hold up the others, and two
 * nodes that ask for the same ones do not deadlock.
 *
 * The centre parses and plans this each time, which takes longer than to
 * execute it for a row. So each part reads from the one before, and hands on
 * what the rest needs: joins are what takes most time to plan.
 */
static const char *const allocate_sql =
	"WITH central AS (" CENTRAL_ROW "ANY (CAST($1 AS text[])) AND %s FOR UPDATE OF s%s),"
	" state AS (SELECT *, count(*) OVER (PARTITION BY name) AS row_count,"
	" CASE WHEN system_identifier <> known_system THEN CAST('system' AS text)"
	" WHEN timeline < known_timeline THEN CAST('timeline' AS text)"
	" WHEN next_block_start <= received AND exhausted = 0 THEN CAST('block' AS text)"
	" WHEN in_doubt THEN CAST('earlier' AS text) END AS went_back"
	" FROM central, (%s) AS centre,"
	" unnest(CAST($1 AS text[]), CAST($2 AS bigint[]), CAST($3 AS bigint[]), CAST($4 AS bigint[]), CAST($5 AS bigint[]),"
	" CAST($6 AS bigint[]), CAST($7 AS bigint[]), CAST($8 AS boolean[]), CAST($9 AS bigint[]), CAST($10 AS integer[]))"
	" WITH ORDINALITY AS asked (asked_name, blocks, ids, bulk_ids, received,"
	" known_system, known_timeline, in_doubt, step, accepted, number)"
	" WHERE asked_name = name),"
	" start AS (SELECT *, greatest(CAST(next_block_start AS numeric), CAST(received AS numeric) + CAST(1 AS numeric)) +"
	" CAST(CASE WHEN went_back IS NULL THEN 0 ELSE step END AS numeric) AS begins_at FROM state),"
	" block AS (SELECT name, max_value, CAST(begins_at AS bigint) AS first_id,"
	" CAST(least(CAST(max_value AS numeric), begins_at - CAST(1 AS numeric) +"
	" least(576460752303423488, CAST(block_size AS numeric) *"
	" CAST(greatest(blocks + (ids - 1) / nullif(block_size, 0), bulk_ids / nullif(block_size, 0)) AS numeric)))"
	" AS bigint) AS last_id"
	" FROM start"
	" WHERE row_count = 1 AND %s"
	" AND next_block_start IS NOT NULL AND exhausted = 0 AND block_size > 0 AND source = CAST('table' AS text) AND begins_at <= CAST(max_value AS numeric)"
	" AND CAST(max_value AS numeric) - begins_at >= CAST(ids - 1 AS numeric)),"
	" taken AS (UPDATE %s AS s"
	" SET next_block_start = CASE WHEN block.last_id < 9223372036854775807 THEN block.last_id + 1 ELSE block.last_id END,"
	" exhausted = CASE WHEN block.last_id < block.max_value THEN 0 ELSE 1 END"
	" FROM block WHERE CAST(s.name AS text) = block.name"
	" RETURNING CAST(s.name AS text) AS name, CAST(s.next_block_start AS bigint) AS next_block_start)"
	" SELECT start.next_block_start, block_size, exhausted, start.max_value, source, block.last_id,"
	" taken.next_block_start, row_count, block.first_id, went_back, system_identifier, timeline, number"
	" FROM start LEFT JOIN block ON block.name = start.name LEFT JOIN taken ON taken.name = start.name";

StaticAssertDecl(IDGEN_BLOCK_MAX == INT64CONST(576460752303423488), "allocate_sql has another limit");

/* A variant of that, as in IdgenRemoteStatement. */
static const char *
allocate_statement(const char *table, int version, bool many)
{
	bool sets = version < 2;

	if (version > 2)
		return NULL;
	return psprintf(allocate_sql, table, sets ? WAITS_NOT_LONG : "true", many ? " SKIP LOCKED" : "",
	                version == 0 ? IDENTITY : NO_IDENTITY, sets ? COMMITS_SYNCHRONOUSLY : "true", table);
}

/*
 * What the mark of an id sequence of that name belongs to; for an empty one,
 * that of the centre itself. Raises 42704 if the server has just been dropped.
 */
IdgenMarkKey
idgen_centre_mark_key(Oid id_sequences, Oid serverid, const char *name)
{
	IdgenServer server = idgen_server_get(serverid);

	return (IdgenMarkKey){
		.id_sequences = id_sequences,
		.serverid = serverid,
		.server = server.name,
		.name = name[0] != '\0' ? idgen_server_remote_name(&server, name) : name,
	};
}

/* Raises 42704 as above. */
static Centre
centre_of(const IdgenHandle *handle)
{
	const char *schema = idgen_server_get(handle->found.origin).schema_name;
	IdgenMarkKey mark = idgen_centre_mark_key(handle->relid, handle->found.origin, handle->name);

	return (Centre){
		.handle = handle,
		.server = mark.server,
		.name = mark.name,
		.table = schema != NULL ? quote_qualified_identifier(schema, "id_sequences") : "id_sequences",
		.mark = mark,
	};
}

/* A column of an answer, or a parameter, that is not null. */
static int64
get_int64(const char *text)
{
	return DatumGetInt64(DirectFunctionCall1(int8in, CStringGetDatum(text)));
}

/*
 * How far the centre had got, by what this server knows. A transaction that has
 * changed how the server is reached, and has not committed, may be led to
 * another centre, of which nothing is known; nor is what it gets remembered,
 * since the change may be rolled back.
 */
static IdgenMark
read_mark(const Centre *centre)
{
	if (centre->handle->found.uncommitted)
		return (IdgenMark){.known = false};
	return idgen_mark_read(&centre->mark);
}

/*
 * Asking
 */

/*
 * Begin a statement at the centre, which is needed since then, by the user
 * mapping of the owner of id_sequences, who needs USAGE on the server as well.
 * Raises 42501, 42704, 2F003, and 42P01 if the table has just been dropped.
 */
static IdgenRemoteQuery *
begin_query(const IdgenHandle *handle, const IdgenRemoteStatement *statement, TimestampTz since)
{
	Oid owner = idgen_owner_of(handle->relid);

	if (!OidIsValid(owner))
		ereport(ERROR,
		        (errcode(ERRCODE_UNDEFINED_TABLE),
		         errmsg("relation with OID %u does not exist", handle->relid)));
	idgen_server_check_usage(handle->found.origin, owner);
	return idgen_remote_begin(handle->found.origin, owner, statement, since);
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
idgen_centre_begin_allocation(const IdgenHandle *handle, const IdgenRequest *request)
{
	Centre centre = centre_of(handle);
	IdgenMark mark = read_mark(&centre);
	const char *params[PARAMS] = {
		[PARAM_NAME] = centre.name,
		[PARAM_BLOCKS] = psprintf(INT64_FORMAT, Min(request->blocks, IDGEN_BLOCK_MAX)),
		[PARAM_IDS] = psprintf(INT64_FORMAT, request->count),
		[PARAM_BULK_IDS] = psprintf(INT64_FORMAT, request->bulk_ids),
		[PARAM_RECEIVED] = number_if(mark.known, mark.received),
		[PARAM_SYSTEM] = number_if(mark.centre.system != 0, (int64) mark.centre.system),
		[PARAM_TIMELINE] = number_if(mark.centre.system != 0, mark.centre.timeline),
		[PARAM_IN_DOUBT] = mark.in_doubt ? "true" : NULL,
		[PARAM_STEP] = number_if(idgen_step_over > 0, idgen_step_over),
		[PARAM_ACCEPTED] = number_if(true, mark.accepted),
	};
	IdgenRemoteStatement statement = {
		.sql = centre.table,
		.variant = allocate_statement,
		.nparams = PARAMS,
		.params = params,
		.columns = COLUMNS,
		.waits_for_locks = request->under_way == NULL,
	};

	return begin_query(handle, &statement, request->since);
}

/*
 * Centres that have gone back
 */

/* How a centre has gone back, in the word of its answer. NULL: it has not. */
static IdgenWentBack
went_back_from(const char *word)
{
	static const char *const words[] = {
		[IDGEN_BACK_SYSTEM] = "system",
		[IDGEN_BACK_TIMELINE] = "timeline",
		[IDGEN_BACK_BLOCK] = "block",
	};

	if (word == NULL)
		return IDGEN_NOT_BACK;
	for (int i = IDGEN_BACK_SYSTEM; i < (int) lengthof(words); i++)
		if (strcmp(word, words[i]) == 0)
			return (IdgenWentBack) i;
	return IDGEN_BACK_EARLIER;
}

/* What shows that a centre has gone back, as a sentence. */
const char *
idgen_went_back_describe(const IdgenMark *mark)
{
	switch (mark->back.how)
	{
		case IDGEN_BACK_SYSTEM:
			return psprintf("Its system identifier is " UINT64_FORMAT ", and was " UINT64_FORMAT " before.",
			                (uint64) mark->back.shown_by, mark->centre.system);
		case IDGEN_BACK_TIMELINE:
			return psprintf("It is on timeline " INT64_FORMAT ", and was on timeline %u before.",
			                mark->back.shown_by, mark->centre.timeline);
		case IDGEN_BACK_BLOCK:
			return psprintf("It would go on at " INT64_FORMAT ", and has given " INT64_FORMAT " before.",
			                mark->back.shown_by, mark->received);
		case IDGEN_BACK_EARLIER:
		case IDGEN_NOT_BACK:
			break;
	}
	return "That was seen when another id sequence was refilled from there.";
}

/*
 * What to do about it, as a sentence: short, since there is not much room for
 * what the worker has sessions told. "name" is that of the id sequence here, in
 * that id_sequences.
 */
const char *
idgen_went_back_hint(Oid relid, IdgenWentBack how, const char *server, const char *name)
{
	const char *function = idgen_function_name(relid, "idgen_accept_centre");

	if (how == IDGEN_BACK_BLOCK)
		return psprintf("Raise next_block_start there beyond all that any node has received; if it begins anew on purpose, call %s(%s, %s).",
		                function, quote_literal_cstr(server), quote_literal_cstr(name));
	return psprintf("If it is the right server, raise next_block_start there beyond all that any node has received, then call %s(%s).",
	                function, quote_literal_cstr(server));
}

/* Note that the centre has gone back, and raise 55000. */
pg_noreturn static void
refuse(const Centre *centre, const IdgenBackNote *note)
{
	IdgenMark mark = idgen_mark_read(&centre->mark);

	idgen_mark_note_back(&centre->mark, note);
	mark.back = *note;
	ereport(ERROR,
	        (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
	         errmsg("server \"%s\" has gone back with id sequence \"%s\"", centre->server, centre->name),
	         errdetail_internal("%s", idgen_went_back_describe(&mark)),
	         errhint("%s", idgen_went_back_hint(centre->handle->relid, note->how, centre->server, centre->handle->name))));
}

/*
 * Checking what it answers
 */

/*
 * Raises what is wrong with the row at the centre: 42704 if it is not there,
 * 22004 for a null, 22023 for other nonsense.
 */
static void
check_row(const Centre *centre, IdgenRemoteRow row)
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
	if (get_int64(row[COLUMN_BLOCK_SIZE]) <= 0)
		ereport(ERROR,
		        (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
		         errmsg("block_size of id sequence \"%s\" on server \"%s\" must be greater than zero",
		                centre->name, centre->server)));
}

/* Raises 2200H if no id is left. */
static void
check_exhausted(const Centre *centre, IdgenRemoteRow row)
{
	bool exhausted = get_int64(row[COLUMN_EXHAUSTED]) != 0;
	int64 next_block_start = get_int64(row[COLUMN_NEXT_BLOCK_START]);
	int64 max_value = get_int64(row[COLUMN_MAX_VALUE]);

	if (exhausted && !idgen_is_at_end(next_block_start, max_value))
		ereport(ERROR,
		        (errcode(ERRCODE_SEQUENCE_GENERATOR_LIMIT_EXCEEDED),
		         errmsg("id sequence \"%s\" is exhausted", centre->handle->name),
		         errdetail("On server \"%s\", its column \"exhausted\" is 1.", centre->server),
		         errhint("Set exhausted to 0 there.")));
	if (exhausted || next_block_start > max_value)
		ereport(ERROR,
		        (errcode(ERRCODE_SEQUENCE_GENERATOR_LIMIT_EXCEEDED),
		         errmsg("id sequence \"%s\" is exhausted", centre->handle->name),
		         errdetail("Its last id on server \"%s\" is %lld.", centre->server, (long long) max_value),
		         errhint("%s", max_value < PG_INT64_MAX ? "Raise max_value there, and set exhausted to 0." : "Use another id sequence, or start it again at a lower id there.")));
}

/*
 * Raises why the centre has not allocated: 2200H if there are not enough ids,
 * 21000 if there are several rows, 55000 if the centre has gone back, or the
 * row was not updated, HV000 if the answer is not that of a database.
 */
static void
check_allocated(const Centre *centre, const IdgenRequest *request,
                const IdgenBackNote *note, IdgenRemoteRow row)
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
		check_exhausted(centre, row);
	if (row[COLUMN_LAST_ID] == NULL && note->how != IDGEN_NOT_BACK)
		refuse(centre, note);
	if (row[COLUMN_LAST_ID] == NULL)
		idgen_too_few(centre->handle->name, request->count, get_int64(row[COLUMN_MAX_VALUE]));
	if (row[COLUMN_UPDATED] == NULL || row[COLUMN_FIRST_ID] == NULL ||
	    get_int64(row[COLUMN_UPDATED]) != idgen_add_saturating(get_int64(row[COLUMN_LAST_ID]), 1))
		ereport(ERROR,
		        (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
		         errmsg("id sequence \"%s\" on server \"%s\" was not updated as expected",
		                centre->name, centre->server),
		         errhint("A trigger or a rule there may be in the way.")));
}

/* What does the centre say of itself? */
static IdgenCentreIdentity
get_identity(IdgenRemoteRow row)
{
	if (row[COLUMN_SYSTEM] == NULL || row[COLUMN_TIMELINE] == NULL)
		return (IdgenCentreIdentity){.system = 0};
	return (IdgenCentreIdentity){
		.system = (uint64) get_int64(row[COLUMN_SYSTEM]),
		.timeline = (uint32) get_int64(row[COLUMN_TIMELINE]),
	};
}

/* Has it gone back? And what shows that? */
static IdgenBackNote
get_note(IdgenRemoteRow row)
{
	IdgenCentreIdentity centre = get_identity(row);
	IdgenBackNote note = {.how = went_back_from(row[COLUMN_WENT_BACK]), .since = GetCurrentTimestamp()};

	note.shown_by = note.how == IDGEN_BACK_SYSTEM ? (int64) centre.system
		: note.how == IDGEN_BACK_TIMELINE         ? (int64) centre.timeline
												  : get_int64(row[COLUMN_NEXT_BLOCK_START]);
	return note;
}

/*
 * Is a block behind what the centre was sent, though the centre has not said
 * so? Then it has not done what it was asked.
 */
static bool
is_behind(const IdgenGiven *given, const IdgenRemoteQuery *query)
{
	const char *const *params = idgen_remote_params(query);

	if (params[PARAM_RECEIVED] != NULL && given->first <= get_int64(params[PARAM_RECEIVED]))
		return true;
	if (given->stepped_over != IDGEN_NOT_BACK)
		return false;
	if (params[PARAM_IN_DOUBT] != NULL)
		return true;
	return params[PARAM_SYSTEM] != NULL && given->centre.system != 0 &&
		(given->centre.system != (uint64) get_int64(params[PARAM_SYSTEM]) ||
	     given->centre.timeline < get_int64(params[PARAM_TIMELINE]));
}

/* Raises HV000 for a block that cannot be. */
static void
check_block(const Centre *centre, const IdgenGiven *given, const IdgenRemoteQuery *query)
{
	if (given->last < given->first || (uint64) given->last - (uint64) given->first >= IDGEN_BLOCK_MAX ||
	    is_behind(given, query))
		ereport(ERROR,
		        (errcode(ERRCODE_FDW_ERROR),
		         errmsg("server \"%s\" returned a bad block, %lld to %lld",
		                centre->server, (long long) given->first, (long long) given->last)));
}

/*
 * Get what the centre has allocated. It is not known where the range begins: at
 * 1, we assume, or at the block if that is less. Returns false if another
 * process has got something later meanwhile: then the block must not be used,
 * and the centre is to be asked again. Raises what check_row() and
 * check_allocated() do, HV000 for a block that cannot be, and what raising the
 * mark can.
 */
bool
idgen_centre_finish_allocation(const IdgenHandle *handle, const IdgenRequest *request,
                               IdgenRemoteQuery *query, IdgenRefill *refill)
{
	IdgenRemoteRow row = idgen_remote_finish(query);
	Centre centre = centre_of(handle);
	IdgenMark before = {.known = false};
	IdgenBackNote note;
	IdgenGiven given;

	check_row(&centre, row);
	note = get_note(row);
	check_allocated(&centre, request, &note, row);
	if (note.how != IDGEN_NOT_BACK)
	{
		before = read_mark(&centre);
		before.back = note;
	}
	given = (IdgenGiven){
		.first = get_int64(row[COLUMN_FIRST_ID]),
		.last = get_int64(row[COLUMN_LAST_ID]),
		.centre = get_identity(row),
		.stepped_over = note.how,
		.accepted = (int32) get_int64(idgen_remote_params(query)[PARAM_ACCEPTED]),
	};
	check_block(&centre, &given, query);
	if (!handle->found.uncommitted && !idgen_mark_raise(&centre.mark, &given, &refill->lsn))
		return false;
	if (note.how != IDGEN_NOT_BACK)
		ereport(LOG,
		        (errmsg("server \"%s\" has gone back with id sequence \"%s\", which goes on at %lld",
		                centre.server, centre.name, (long long) given.first),
		         errdetail_internal("%s", idgen_went_back_describe(&before))));

	refill->rest.lost_at_shutdown = true;
	refill->rest.block = (IdgenBlock){.next = given.first, .left = given.last - given.first + 1, .step = 1};
	refill->blocks = (refill->rest.block.left - 1) / get_int64(row[COLUMN_BLOCK_SIZE]) + 1;
	refill->fate = IDGEN_REST_PUBLISHED;
	refill->left = idgen_range_left(Min(given.first, 1), (double) given.last + 1, get_int64(row[COLUMN_MAX_VALUE]),
	                                handle->found.row.stored_in);
	return true;
}

/*
 * The id that the centre would give next: what its row says, or behind that
 * which this server had received before it asked. Raises 2200H, 55000 if the
 * centre has gone back, and what begin_query() and check_row() do.
 */
int64
idgen_centre_next_id(const IdgenHandle *handle)
{
	Centre centre = centre_of(handle);
	IdgenMark mark = read_mark(&centre);
	IdgenRemoteStatement statement = {
		.sql = psprintf(CENTRAL_ROW "CAST($1 AS text)", centre.table),
		.nparams = 1,
		.params = &centre.name,
		.columns = COLUMN_SOURCE + 2, /* and its name */
	};
	IdgenRemoteQuery *query = begin_query(handle, &statement, GetCurrentTimestamp());
	IdgenRemoteRow row;
	int64 next;
	bool behind;

	idgen_remote_await(list_make1(query), idgen_remote_deadline());
	row = idgen_remote_finish(query);
	check_row(&centre, row);
	check_exhausted(&centre, row);
	next = get_int64(row[COLUMN_NEXT_BLOCK_START]);
	behind = mark.known && next <= mark.received;
	if ((behind || mark.in_doubt) && idgen_step_over == 0)
	{
		IdgenBackNote note = {
			.how = behind ? IDGEN_BACK_BLOCK : IDGEN_BACK_EARLIER,
			.since = GetCurrentTimestamp(),
			.shown_by = next,
		};

		refuse(&centre, &note);
	}
	if (mark.known)
		next = Max(next, idgen_add_saturating(mark.received, 1));
	return behind || mark.in_doubt ? idgen_add_saturating(next, idgen_step_over) : next;
}
