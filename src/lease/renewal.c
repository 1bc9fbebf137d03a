/*
 * renewal.c
 *		Leasing the node number, and renewing the lease.
 *
 * The worker for the server that leads to the centre does so as long as
 * idgen.node_id is "auto", and stays for that. A third of the lease's time
 * after each renewal it tries the next one. If that fails, it tries again and
 * again, after ever longer pauses, and at once when a session asks for it. The
 * server is looked up by its name each time: it may be another one by now.
 *
 * A try is a transaction. It reads which leases the server remembers, asks the
 * centre, and writes down the answer. When that is on disk, sessions get to see
 * the lease. The centre has the extension: its function idgen_lease_node(), in
 * the install script, decides. The answer may be lost, and the same request is
 * sent again: that does no harm, since it has the same token.
 *
 * The server must take its lease for ended before the centre does. Its clocks
 * are read before the centre is asked, and a tenth of the time is left out, in
 * case they are too slow. The centre decides by its own clock, so the
 * two need not agree.
 *
 * Time-ordered ids do not depend on any clock being right. The centre is told
 * which is the last time that such an id may have. Whoever gets the number
 * next, unless it is this server again, begins behind that.
 *
 * What the server remembers is in table idgen_leases of idgen.node_database, in
 * the same WAL as id_sequences: a standby that is promoted knows what its
 * primary has leased, and a copy of the server knows what was leased when it
 * was made. So whoever shows the centre the last token also has the last state
 * of the id sequences. (A file in the data directory was turned down: pg_rewind
 * replaces it, and a promoted standby would have an old one.)
 *
 * A lease that was taken in this directory since the machine was started is one
 * whose holder is dead: no other server runs in the same directory. Of others
 * nobody knows, and a copy of a server may run beside it.
 *
 * The table is read and written as its owner, by statements that find nothing
 * but what is in pg_catalog. Rows of another system identifier do not count:
 * logical replication may have brought them.
 */
#include "postgres.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "access/xact.h"
#include "access/xlog.h"
#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "storage/fd.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"
#include "utils/snapmgr.h"
#include "utils/timestamp.h"
#include "utils/uuid.h"

#include "catalog/table.h"
#include "common/as_owner.h"
#include "common/clock.h"
#include "common/guc.h"
#include "lease/renewal.h"
#include "node/lease.h"
#include "remote/connection.h"
#include "remote/server.h"
#include "unique_id/unique_id.h"

/* A tenth of the time of a lease is left out. */
#define IDGEN_LEASE_MARGIN 10

/* The first pause after a try that has failed, and the longest one. */
#define FIRST_PAUSE_MS   1000
#define LONGEST_PAUSE_MS 30000

/* Where Linux names the current start of the machine. */
#define BOOT_ID_FILE "/proc/sys/kernel/random/boot_id"

/* A UUID has 36 characters there. */
#define BOOT_ID_LENGTH 36

/* What this server asks for. */
typedef struct Request
{
	const char *holder;   /* a UUID: this start of the server */
	const char *token;    /* a UUID: what names this renewal */
	TimestampTz asked_at; /* before the centre could see it */
	IdgenLease lease;     /* when it would be void here; the number is the answer's */
} Request;

/*
 * What the server shows the centre of the leases that it remembers: arrays, as
 * texts. The last lease comes first.
 */
enum
{
	KNOWN_NUMBERS,
	KNOWN_HOLDERS, /* null for one that may still be running somewhere */
	KNOWN_TOKENS,
	KNOWN_RENEWALS,
	KNOWN_ARRAYS,
};

/* What the centre has answered. */
typedef struct Answer
{
	int number;
	int64 renewals;
	bool own;               /* was it the number of one of the known holders? */
	TimestampTz used_until; /* no id of the number is later; DT_NOBEGIN = there is none */
	int copy_has;           /* what a server with the same system identifier has; 0 = none */
} Answer;

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
 * Table id_sequences, whose schema has the other tables, and whose owner's user
 * mapping leads to the centre. Raises 42704 if there is no extension.
 */
static Oid
find_table(void)
{
	Oid table = idgen_table_of_extension();

	if (!OidIsValid(table))
		ereport(ERROR,
		        (errcode(ERRCODE_UNDEFINED_OBJECT),
		         errmsg("extension \"idgen\" does not exist in database \"%s\"", idgen_node_database),
		         errhint("Create it there, or set idgen.node_database.")));
	return table;
}

/* The current start of the machine; empty if the system does not name it. */
static const char *
boot_id(void)
{
	char *id = palloc0(BOOT_ID_LENGTH + 1);
	int fd = OpenTransientFile(BOOT_ID_FILE, O_RDONLY | PG_BINARY);

	if (fd < 0)
		return id;
	if (read(fd, id, BOOT_ID_LENGTH) != BOOT_ID_LENGTH)
		id[0] = '\0';
	CloseTransientFile(fd);
	return id;
}

/*
 * Names this directory as long as the machine runs; NULL if that cannot be
 * done. A copy of the directory has another inode.
 */
static const char *
current_place(void)
{
	const char *boot = boot_id();
	struct stat directory;

	if (boot[0] == '\0' || stat(DataDir, &directory) != 0)
		return NULL;
	return psprintf("%s %llu %llu", boot, (unsigned long long) directory.st_dev,
	                (unsigned long long) directory.st_ino);
}

/*
 * Run a statement on idgen_leases, which "%s" in it stands for, with two
 * parameters: the system identifier, and the place. The SPI is connected.
 */
static void
run(Oid schema, const char *format, int expected)
{
	const char *place = current_place();
	char *table = quote_qualified_identifier(get_namespace_name(schema), "idgen_leases");
	Oid types[] = {INT8OID, TEXTOID};
	Datum values[] = {
		Int64GetDatum((int64) GetSystemIdentifier()),
		place != NULL ? CStringGetTextDatum(place) : (Datum) 0,
	};
	const char *nulls = place != NULL ? "  " : " n";
	Oid owner = idgen_owner_of(get_relname_relid("idgen_leases", schema));
	IdgenIdentity before;

	if (!OidIsValid(owner))
		ereport(ERROR,
		        (errcode(ERRCODE_UNDEFINED_TABLE),
		         errmsg("table \"idgen_leases\" of extension \"idgen\" does not exist")));
	idgen_act_as(owner, &before);
	if (SPI_execute_with_args(psprintf(format, table), lengthof(types), types, values, nulls,
	                          expected == SPI_OK_SELECT, 0) != expected)
		elog(ERROR, "unexpected result on table %s", table);
	idgen_act_as_before(&before);
}

/* A column of the first row as text; NULL if it is null. */
static const char *
text_column(int column)
{
	return SPI_getvalue(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, column);
}

/* Read all leases that are remembered, into the current memory context. */
static void
read_known(Oid schema, const char **known)
{
	MemoryContext context = CurrentMemoryContext;

	SPI_connect();
	run(schema, "SELECT coalesce(array_agg(number ORDER BY renewed_at DESC), '{}')::text,"
	            " coalesce(array_agg(CASE WHEN place = $2 THEN holder END ORDER BY renewed_at DESC), '{}')::text,"
	            " coalesce(array_agg(token ORDER BY renewed_at DESC), '{}')::text,"
	            " coalesce(array_agg(renewals ORDER BY renewed_at DESC), '{}')::text"
	            " FROM %s WHERE system_identifier = $1",
	    SPI_OK_SELECT);
	for (int i = 0; i < KNOWN_ARRAYS; i++)
		known[i] = MemoryContextStrdup(context, text_column(i + 1));
	SPI_finish();
}

/*
 * The lease that a server which has run in this directory just now has left,
 * if it is good still. Nobody else can have the number before it ends.
 */
static bool
read_left(Oid schema, IdgenLease *lease)
{
	bool found;

	SPI_connect();
	run(schema, "SELECT number::bigint, until_ms, boot_until FROM %s"
	            " WHERE system_identifier = $1 AND place = $2 ORDER BY renewed_at DESC LIMIT 1",
	    SPI_OK_SELECT);
	found = SPI_processed > 0;
	if (found)
		*lease = (IdgenLease){
			.number = strtol(text_column(1), NULL, 10),
			.until = idgen_from_unix_ms(strtoll(text_column(2), NULL, 10)),
			.boot_until = strtoll(text_column(3), NULL, 10),
		};
	SPI_finish();
	return found && idgen_lease_is_good(lease);
}

/* Remember a lease. It is on disk when the transaction has committed. */
static void
remember(Oid schema, const Request *request, const Answer *answer)
{
	SPI_connect();
	run(schema, psprintf("INSERT INTO %%s AS l (number, system_identifier, place, holder, token, renewals, renewed_at, until_ms, boot_until)"
	                     " VALUES (%d, $1, $2, '%s', '%s', " INT64_FORMAT ", clock_timestamp(), " INT64_FORMAT ", " INT64_FORMAT ")"
	                     " ON CONFLICT (number) DO UPDATE SET system_identifier = excluded.system_identifier,"
	                     " place = excluded.place, holder = excluded.holder, token = excluded.token, renewals = excluded.renewals,"
	                     " renewed_at = excluded.renewed_at, until_ms = excluded.until_ms, boot_until = excluded.boot_until",
	                     answer->number, request->holder, request->token, answer->renewals, idgen_unix_ms(request->lease.until), request->lease.boot_until),
	    SPI_OK_INSERT);
	SPI_finish();
}

/*
 * What this server asks for. The time of the last id, which may be a little
 * ahead of the clock, is within the lease.
 */
static Request
make_request(void)
{
	int64 length = idgen_node_lease * USECS_PER_SEC;
	int64 usable = length - length / IDGEN_LEASE_MARGIN;
	TimestampTz now = GetCurrentTimestamp();
	IdgenLeaseReport report;

	idgen_lease_report(&report);
	return (Request){
		.holder = uuid_text(&report.holder),
		.token = uuid_text(&report.next_token),
		.asked_at = now,
		.lease = {
			.until = Max(now, idgen_unique_id_last_time(now)) + usable,
			.boot_until = idgen_boot_clock() + usable,
		},
	};
}

/*
 * Ask the centre, by the user mapping of the owner. Raises what asking raises,
 * HV000 for a number that cannot be, and 55000 if the centre has none.
 */
static Answer
ask(const Request *request, const char *const *known, Oid owner)
{
	Oid serverid = idgen_server_find(NULL, idgen_node_server);
	const char *schema = idgen_server_get(serverid).schema_name;
	const char *params[] = {
		request->holder,
		psprintf(INT64_FORMAT, (int64) GetSystemIdentifier()),
		DataDir,
		psprintf(INT64_FORMAT, idgen_unix_ms(request->asked_at)),
		psprintf("%d", idgen_min_node_id),
		psprintf("%d", idgen_node_lease),
		psprintf(INT64_FORMAT, idgen_unix_ms(request->lease.until)),
		request->token,
		known[KNOWN_NUMBERS],
		known[KNOWN_HOLDERS],
		known[KNOWN_TOKENS],
		known[KNOWN_RENEWALS],
	};
	const char *sql = psprintf(lease_sql, schema != NULL ? psprintf("%s.", quote_identifier(schema)) : "");
	IdgenRemoteStatement statement = {
		.sql = sql,
		.nparams = lengthof(params),
		.params = params,
		.columns = COLUMNS,
	};
	IdgenRemoteQuery *query;
	IdgenRemoteRow row;
	Answer answer = {.used_until = DT_NOBEGIN};

	idgen_server_check_usage(serverid, owner);
	query = idgen_remote_begin(serverid, owner, &statement, GetCurrentTimestamp());
	idgen_remote_await(list_make1(query), idgen_remote_deadline());
	row = idgen_remote_finish(query);
	if (row == NULL || row[COLUMN_NUMBER] == NULL || row[COLUMN_RENEWALS] == NULL)
		ereport(ERROR,
		        (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
		         errmsg("no node number is free"),
		         errdetail("All from idgen.min_node_id, %d, on are taken or reserved.", idgen_min_node_id),
		         errhint("Free one with idgen_reserve_node(number, NULL) at the centre, where view \"idgen_nodes\" shows them.")));
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

/* Log that the server has another number than before (0 = none). */
static void
log_number(int before, const Answer *answer)
{
	ereport(LOG,
	        (errmsg("this server has node number %d", answer->number),
	         before != 0 ? errdetail("It had %d before, which it could not keep: another server has taken it over, or the centre has forgotten it.", before) : 0,
	         answer->copy_has != 0 ? errhint("Another server with the same system identifier has node number %d: one is a copy of the other.", answer->copy_has) : 0));
}

/*
 * Let sessions have what is on disk. If the number was this server's own up to
 * now, the server knows best which ids it has issued with it.
 */
static void
put_to_use(const Request *request, const Answer *answer)
{
	IdgenLease lease = request->lease;
	IdgenLeaseReport before;

	lease.number = answer->number;
	idgen_lease_report(&before);
	if (answer->used_until != DT_NOBEGIN && !answer->own)
		idgen_unique_id_begin_after(answer->used_until);
	idgen_lease_install(&lease, request->asked_at);
	if (lease.number != before.lease.number)
		log_number(before.lease.number, answer);
	else if (before.failing_since != 0)
		ereport(LOG,
		        (errmsg("the lease of node number %d is renewed again", lease.number)));
}

/*
 * Use what is left of the lease that the server had when it was last running in
 * this directory: then it has its number even if the centre is away.
 */
static void
use_left(void)
{
	IdgenLease lease;
	IdgenLeaseReport report;

	idgen_lease_report(&report);
	if (report.lease.number != 0)
		return;
	begin_transaction();
	if (read_left(get_rel_namespace(find_table()), &lease))
	{
		idgen_lease_install(&lease, 0);
		ereport(LOG,
		        (errmsg("this server goes on with node number %d", lease.number)));
	}
	commit_transaction();
}

/*
 * Lease the number, or renew the lease. The transaction does not hold a
 * snapshot while it waits for the centre. A synchronous standby that is away
 * must not keep the server from its number: what the standby has to show is
 * then out of date, and it gets another number. Raises whatever goes wrong.
 */
static void
renew(void)
{
	MemoryContext context = CurrentMemoryContext;
	Oid table;
	Oid schema;
	const char *known[KNOWN_ARRAYS];
	Request request;
	Answer answer;

	begin_transaction();
	MemoryContextSwitchTo(context);
	(void) set_config_option("synchronous_commit", "local", PGC_SUSET, PGC_S_SESSION, GUC_ACTION_LOCAL, true, 0, false);
	table = find_table();
	schema = get_rel_namespace(table);
	request = make_request();
	read_known(schema, known);
	PopActiveSnapshot();
	answer = ask(&request, known, idgen_owner_of(table));

	PushActiveSnapshot(GetTransactionSnapshot());
	remember(schema, &request, &answer);
	commit_transaction();
	MemoryContextSwitchTo(context);
	put_to_use(&request, &answer);
}

/*
 * The server that leads to the centre. Raises what is missing: the extension,
 * or the server.
 */
Oid
idgen_renewal_server(void)
{
	Oid serverid;

	begin_transaction();
	(void) find_table();
	serverid = idgen_server_find(NULL, idgen_node_server);
	commit_transaction();
	return serverid;
}

/* When to try next, after a number of failures in a row. */
static TimestampTz
next_try(TimestampTz now, int failures)
{
	int64 pause = idgen_node_lease * INT64CONST(1000) / 3;

	if (failures > 0)
		pause = Min(pause, Min(FIRST_PAUSE_MS * (INT64CONST(1) << Min(failures - 1, 10)), LONGEST_PAUSE_MS));
	return TimestampTzPlusMilliseconds(now, pause);
}

/*
 * If it is time, or "now" says so, or a session has asked for it, try. Returns
 * in how many milliseconds it is time again. Raises whatever goes wrong.
 */
long
idgen_renewal_turn(bool now)
{
	static bool begun = false;
	static TimestampTz due = 0;
	static int failures = 0;

	if (!begun)
	{
		begun = true;
		use_left();
	}
	if (idgen_lease_begin_try(now || GetCurrentTimestamp() >= due))
	{
		due = next_try(GetCurrentTimestamp(), ++failures);
		renew();
		failures = 0;
		due = next_try(GetCurrentTimestamp(), 0);
	}
	return TimestampDifferenceMilliseconds(GetCurrentTimestamp(), due);
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
 * A try has failed: tell the sessions that wait, and the server log if the
 * reason is another one than before.
 */
void
idgen_renewal_failed(const ErrorData *error)
{
	static char logged[IDGEN_LEASE_REASON_SIZE] = "";
	IdgenLeaseReport before;
	char *reason = describe(error);

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
