/*
 * connection.c
 *		Statements on other servers, and the connection for them.
 *
 * A process has one connection, and does one thing after the other: it begins a
 * statement, which needs the catalogs; awaits the answer, which needs only the
 * network; and takes it. While it waits, it looks at interrupts, and it waits
 * until a deadline at most. What does block is what libpq does in one go:
 * looking up a host's name, or a service in LDAP, Kerberos, and the rounds of
 * hashing that the other server asks for with SCRAM.
 *
 * A statement runs in a transaction of its own there, and is over when that has
 * committed. That transaction is READ COMMITTED, whatever the default is there:
 * so it waits for others that have changed a row, and does not fail because of
 * them. Two messages say so in one round trip, and one transaction that is
 * begun and committed without a word: so poolers take it, in any mode.
 *
 * A statement may be sent more than once: because the other server only
 * reads, or asks to try again; then it was not executed. Or because the
 * connection was lost while it was at work; then it may have been, so that it
 * is sent again only once, and must be one for which that does no harm.
 *
 * The connection belongs to a server and a user, and is kept for the next
 * statement. It is closed if that is for others, or if the server or the user
 * mapping has been changed; if the statement was given up, by an error of this
 * process too; and after many statements, since libpq keeps some of what comes
 * besides answers.
 *
 * Hosts are tried in rounds. Each round begins with the host that was good
 * last, whichever process has found that out, and goes on in the order of the
 * options. If no host will do, there is a pause, then the next round, until the
 * time is over. So a server that is being started, or a standby that is being
 * promoted, is reached as soon as it is there.
 *
 * libpq would try the next host only when the one before has answered "no", and
 * not when it is silent. So each is tried by itself, with an equal share of the
 * time that is left. Several addresses of one name, though, are one host. In
 * the rounds that follow, a host that was silent gets a small share only: the
 * others may be about to come up. A host is useless if somebody has to change
 * something before it will do, such as a password. It is tried once.
 *
 * The pauses get longer as the outage lasts: each is a part of it. So short
 * outages are noticed fast to be over, and in long ones there are few attempts.
 * What others have noted of an outage counts as well, so a search may begin
 * with a pause.
 *
 * An answer of any length is read, as libpq does: a server is trusted with the
 * memory of this process.
 */
#include "postgres.h"

#include <sys/socket.h>

#include "access/xact.h"
#include "miscadmin.h"
#include "storage/fd.h"
#include "storage/latch.h"
#include "utils/memutils.h"
#include "utils/timestamp.h"

#include "common/compat.h"
#include "common/guc.h"
#include "remote/connection.h"
#include "remote/reach.h"
#include "remote/remote_messages.h"
#include "remote/server.h"

/* A pause is this part of the outage so far, within limits. */
#define PAUSE_DIVISOR 8
#define PAUSE_MIN_MS  20
#define PAUSE_MAX_MS  1000

/* The part of the whole time that a host gets again that was silent. */
#define SILENT_DIVISOR 10

/* How many statements a connection is kept for. */
#define MAX_USES 10000

/*
 * How often a statement is sent at most, if it gets in the way of others there;
 * and the pause before it is sent again, as if something is locked.
 */
#define MAX_CONFLICTS     10
#define CONFLICT_PAUSE_MS 20

/* How many portions of input are read before a connection is used again. */
#define MAX_IDLE_PORTIONS 32

struct IdgenRemoteQuery
{
	MemoryContext memory; /* of all that belongs to it */
	const char *server;
	Oid serverid;
	Oid userid;
	const IdgenConnectOptions *options;
	IdgenRemoteStatement statement;
	TimestampTz since; /* it is needed */

	/* Of the first one of those that are asked together: */
	List *together;
	const char *const *sent; /* parameters */
	TimestampTz asked_at;
	TimestampTz deadline;

	/* When it is over: */
	IdgenRemoteRow row;     /* the first row, or NULL */
	IdgenRemoteError error; /* if it has a message */
	bool refused;           /* is that what the other server has said? */
};

/* The connection of this process. */
static struct
{
	PGconn *conn; /* NULL if there is none */
	Oid serverid;
	Oid userid;
	char server[NAMEDATALEN]; /* its name: queries end before the connection does */
	uint64 version;           /* of the options that it was opened with */
	int sql;                  /* which version of statements the server understands */
	int uses;                 /* statements so far */
	bool busy;                /* is something under way, or was it given up? */
	PGresult *result;         /* of the statement: the first error, or the rows */
	int warnings;             /* of the server, since it was asked */
} connection;

/* Why a host will not do. */
typedef enum Verdict
{
	HOST_NOT_NOW, /* it may do later */
	HOST_SILENT,  /* it has not answered in time */
	HOST_USELESS, /* it will not do later either */
} Verdict;

/* The search for a host that will do. */
typedef struct Search
{
	IdgenRemoteQuery *query;
	bool begun;
	TimestampTz outage_since; /* no host would do, as far as anybody here knows */
	int first_host;           /* each round begins with this one, counted from 0 */
	int rounds;               /* that have begun, but for this one */
	int turn;                 /* how many hosts the current round has tried, or left out */
	uint32 silent;            /* a bit for each host that was silent */
	uint32 useless;
	const char *why[IDGEN_MAX_HOSTS]; /* it would not do; NULL if that is not known */
} Search;

/*
 * The connection
 */

/*
 * Take a file of those that this process may have open. Returns false unless
 * another one is left to wait with.
 */
static bool
acquire_file(void)
{
	bool any = AcquireExternalFD();
	bool another = any && AcquireExternalFD();

	if (any)
		ReleaseExternalFD();
	return another;
}

static void
clear_result(void)
{
	PQclear(connection.result);
	connection.result = NULL;
}

static void
close_connection(void)
{
	if (connection.conn == NULL)
		return;
	clear_result();
	PQfinish(connection.conn);
	connection.conn = NULL;
	ReleaseExternalFD();
}

/*
 * Close the connection if it is of no more use: something was given up, or the
 * server or the user mapping was changed.
 */
void
idgen_connection_close_stale(void)
{
	if (connection.busy || connection.version != idgen_servers_version || connection.uses >= MAX_USES)
		close_connection();
}

/* What this process is seen to wait for. */
static uint32
wait_event(void)
{
	static uint32 event = 0;

	if (event == 0)
		event = WaitEventExtensionNew("IdgenServer");
	return event;
}

/*
 * Wait until something has happened to the socket (WL_SOCKET_*; 0 = nothing
 * can). Returns false if it has not by then.
 */
static bool
wait_for(int events, TimestampTz until)
{
	for (;;)
	{
		long left = TimestampDifferenceMilliseconds(GetCurrentTimestamp(), until);
		int happened;

		if (left <= 0)
			return false;
		happened = WaitLatchOrSocket(MyLatch, events | WL_LATCH_SET | WL_TIMEOUT | WL_EXIT_ON_PM_DEATH,
		                             events != 0 ? PQsocket(connection.conn) : PGINVALID_SOCKET, left, wait_event());
		ResetLatch(MyLatch);

		/* A worker between its transactions has nothing to cancel. */
		if (!IsTransactionState())
			QueryCancelPending = false;
		CHECK_FOR_INTERRUPTS();
		if ((happened & events) != 0)
			return true;
	}
}

/* Is there input? 0 = the other end has closed; -1 = there is none. */
static int
peek_input(void)
{
	char byte;

	return recv(PQsocket(connection.conn), &byte, 1, MSG_PEEK);
}

/*
 * Is the connection there, as far as can be seen from here? What the other
 * server has said meanwhile is read, up to a limit: it may be that it has ended
 * the connection.
 */
static bool
is_alive(void)
{
	for (int portions = 0; portions < MAX_IDLE_PORTIONS && peek_input() >= 0; portions++)
	{
		if (!PQconsumeInput(connection.conn))
			return false;
		(void) PQisBusy(connection.conn);
	}
	return PQstatus(connection.conn) == CONNECTION_OK;
}

/* Can the connection be used for a query? If not, it is closed. */
static bool
has_connection(const IdgenRemoteQuery *query)
{
	idgen_connection_close_stale();
	if (connection.conn == NULL)
		return false;
	if (connection.serverid == query->serverid && connection.userid == query->userid && is_alive())
		return true;
	close_connection();
	return false;
}

/*
 * What libpq, or the network, says about the last failure, palloc'd: what the
 * other server says comes first.
 */
static const char *
why_lost(void)
{
	const char *message = idgen_result_message(connection.result);

	if (message != NULL && PQresultErrorField(connection.result, PG_DIAG_SQLSTATE) != NULL)
		return message;
	return message != NULL ? message : idgen_remote_text(PQerrorMessage(connection.conn));
}

/* Another server says something besides results: its warnings are logged. */
static void
receive_notice(void *arg, const PGresult *result)
{
	const char *severity = PQresultErrorField(result, PG_DIAG_SEVERITY_NONLOCALIZED);
	const char *message = PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY);

	if (severity == NULL || strcmp(severity, "WARNING") != 0 || message == NULL ||
	    ++connection.warnings > IDGEN_MAX_WARNINGS + 1)
		return;
	if (connection.warnings <= IDGEN_MAX_WARNINGS)
		ereport(LOG_SERVER_ONLY,
		        (errmsg("server \"%s\" warns: %s", connection.server, idgen_remote_text(message)),
		         errhidestmt(true)));
	else
		ereport(LOG_SERVER_ONLY,
		        (errmsg("further warnings of server \"%s\" are not logged", connection.server),
		         errhidestmt(true)));
}

/*
 * Hosts
 */

/* The current host, from 0. */
static int
current_host(const Search *search)
{
	if (search->turn == 0)
		return search->first_host;
	return search->turn <= search->first_host ? search->turn - 1 : search->turn;
}

/* The bit that stands for the current host. */
static uint32
host_bit(const Search *search)
{
	return UINT32_C(1) << current_host(search);
}

/* Are all hosts useless? */
static bool
are_all_useless(const Search *search)
{
	return search->useless == (UINT32_C(1) << search->query->options->nhosts) - 1;
}

/* The connection cannot be opened. */
static bool
fail(Search *search, const char *reason, const char *hint)
{
	search->query->error = (IdgenRemoteError){
		.sqlerrcode = ERRCODE_SQLCLIENT_UNABLE_TO_ESTABLISH_SQLCONNECTION,
		.message = psprintf("could not connect to server \"%s\"", search->query->server),
		.detail = reason,
		.hint = hint,
		.lasts = are_all_useless(search),
	};
	return false;
}

/* Why none of the hosts would do, palloc'd: lasting reasons first. */
static const char *
all_reasons(const Search *search)
{
	Search at = *search;
	StringInfoData reasons;

	initStringInfo(&reasons);
	for (int lasting = 1; lasting >= 0; lasting--)
	{
		for (at.turn = 0; at.turn < search->query->options->nhosts; at.turn++)
		{
			const char *why = search->why[current_host(&at)];

			if (why != NULL && ((search->useless & host_bit(&at)) != 0) == lasting)
				appendStringInfo(&reasons, "%s%s", reasons.len > 0 ? "\n" : "", why);
		}
	}
	return reasons.data;
}

/* There is a connection, but not by that user's own password. */
static void
fail_without_password(const Search *search)
{
	search->query->error = (IdgenRemoteError){
		.sqlerrcode = ERRCODE_S_R_E_PROHIBITED_SQL_STATEMENT_ATTEMPTED,
		.message = "password is required",
		.detail = psprintf("Server \"%s\" has not asked for it.", search->query->server),
		.hint = "Change the authentication method there, or have a superuser set password_required to false in the user mapping.",
	};
}

/*
 * Note why the current host will not do. That it was silent says less than what
 * it has said before, when it had more time. Returns false.
 */
static bool
reject(Search *search, Verdict verdict, const char *why)
{
	const char **noted = &search->why[current_host(search)];

	if (verdict == HOST_USELESS)
		search->useless |= host_bit(search);
	else if (verdict == HOST_SILENT)
		search->silent |= host_bit(search);
	if (verdict != HOST_SILENT || *noted == NULL)
		*noted = why;
	close_connection();
	return false;
}

/*
 * When to give up the current host: after connect_timeout, and such that the
 * hosts that follow have time as well.
 */
static TimestampTz
host_deadline(const Search *search)
{
	const IdgenRemoteQuery *query = search->query;
	const IdgenConnectOptions *options = query->options;
	TimestampTz now = GetCurrentTimestamp();
	TimestampTz due = now + (query->deadline - now) / (options->nhosts - search->turn);

	if (search->rounds > 0 && (search->silent & host_bit(search)) != 0)
		due = Min(due, now + (query->deadline - query->asked_at) / SILENT_DIVISOR);
	if (options->connect_timeout > 0)
		due = Min(due, now + options->connect_timeout * USECS_PER_SEC);
	return due;
}

/*
 * There is no connection to the current host. Has that not said why, "objects"
 * tells that libpq objects to what it has said, which will not change. (Whether
 * it objects to the options, nobody tells: they are tried again.) In whatever
 * language, libpq names a requirement that was not met.
 */
static bool
take_refusal(Search *search, bool objects)
{
	char *message = idgen_remote_text(PQerrorMessage(connection.conn));
	int sqlerrcode = idgen_take_sqlstate(message);
	bool passes = idgen_sqlstate_passes(sqlerrcode) && (sqlerrcode != 0 || !objects);

	if (search->query->options->password_required &&
	    strstr(PQerrorMessage(connection.conn), IDGEN_PASSWORD_METHODS) != NULL)
		fail_without_password(search);
	return reject(search, passes ? HOST_NOT_NOW : HOST_USELESS, message);
}

/* Begin to connect to the current host. */
static void
start_connection(const Search *search)
{
	const IdgenRemoteQuery *query = search->query;
	PGconn *conn = PQconnectStartParams(query->options->keywords, query->options->hosts[current_host(search)].values, false);

	if (conn == NULL)
	{
		ReleaseExternalFD();
		ereport(ERROR,
		        (errcode(ERRCODE_FDW_OUT_OF_MEMORY),
		         errmsg("out of memory")));
	}
	connection.conn = conn;
	connection.serverid = query->serverid;
	connection.userid = query->userid;
	strlcpy(connection.server, query->server, sizeof(connection.server));
	connection.version = query->options->version;
	connection.sql = connection.uses = connection.warnings = 0;
	connection.busy = true;
	(void) PQsetnonblocking(conn, 1);
	(void) PQsetErrorVerbosity(conn, PQERRORS_VERBOSE); /* see idgen_take_sqlstate() */
	PQsetNoticeReceiver(conn, receive_notice, NULL);
}

/* Connect to the current host. Returns whether that will do. */
static bool
connect_to_host(Search *search)
{
	TimestampTz until = host_deadline(search);
	PostgresPollingStatusType next = PGRES_POLLING_WRITING;
	bool objects = false;
	PGconn *conn;

	start_connection(search);
	conn = connection.conn;
	if (PQstatus(conn) == CONNECTION_BAD)
		next = PGRES_POLLING_FAILED;
	while (next != PGRES_POLLING_OK && next != PGRES_POLLING_FAILED)
	{
		if (!wait_for(next == PGRES_POLLING_READING ? WL_SOCKET_READABLE : WL_SOCKET_WRITEABLE, until))
			return reject(search, HOST_SILENT,
			              psprintf("There was no answer from host \"%s\", port %s, in time.", PQhost(conn), PQport(conn)));

		/* Once libpq was let in, it only objects that the server reads. */
		objects = next == PGRES_POLLING_READING && peek_input() > 0;
		next = PQconnectPoll(conn);
		objects = objects && PQparameterStatus(conn, "server_version") == NULL;
	}
	if (next == PGRES_POLLING_FAILED)
		return take_refusal(search, objects);
	if (search->query->options->password_required && !PQconnectionUsedPassword(conn))
	{
		fail_without_password(search);
		return reject(search, HOST_USELESS, NULL);
	}
	(void) PQsetErrorVerbosity(conn, PQERRORS_DEFAULT);
	connection.busy = false;
	if (search->query->options->nhosts > 1)
		idgen_good_host_note(search->query->serverid, search->query->options->hosts[current_host(search)].hash);
	return true;
}

static TimestampTz
pause_until(const Search *search, TimestampTz from)
{
	int64 ms = (from - search->outage_since) / 1000 / PAUSE_DIVISOR;

	return TimestampTzPlusMilliseconds(from, Min(Max(ms, PAUSE_MIN_MS), PAUSE_MAX_MS));
}

/* The host that was good last; the first one if that is not known. */
static int
find_good_host(const IdgenRemoteQuery *query)
{
	uint32 good = query->options->nhosts > 1 ? idgen_good_host_find(query->serverid) : 0;

	for (int i = 0; good != 0 && i < query->options->nhosts; i++)
		if (query->options->hosts[i].hash == good)
			return i;
	return 0;
}

/*
 * Begin a search. If somebody has just tried in vain, there is a pause first,
 * which leaves most of the time.
 */
static void
begin_search(Search *search)
{
	IdgenRemoteQuery *query = search->query;
	TimestampTz now = GetCurrentTimestamp();
	IdgenUnreachable unreachable;

	search->begun = true;
	search->outage_since = now;
	search->first_host = find_good_host(query);
	if (!idgen_reach_find(query->serverid, &unreachable))
		return;
	search->outage_since = Min(unreachable.since, now);
	(void) wait_for(0, Min(pause_until(search, Min(unreachable.latest, now)), now + (query->deadline - now) / PAUSE_DIVISOR));
}

/* All hosts have had their turn: pause. Returns false if there is no use. */
static bool
begin_next_round(Search *search)
{
	IdgenRemoteQuery *query = search->query;
	TimestampTz due = pause_until(search, GetCurrentTimestamp());
	IdgenRemoteError so_far = {.message = all_reasons(search)};

	if (are_all_useless(search) || due >= query->deadline)
		return false;
	idgen_reach_note_failure(query->serverid, query->asked_at, IDGEN_UNREACHABLE_SO_FAR, &so_far);
	(void) wait_for(0, due);
	search->rounds++;
	search->turn = 0;
	return true;
}

/*
 * Open the connection: to the next host that will do. Returns false, with an
 * error, if there is none.
 */
static bool
open_connection(Search *search)
{
	IdgenRemoteQuery *query = search->query;

	close_connection();
	if (!search->begun)
		begin_search(search);
	for (;;)
	{
		for (; search->turn < query->options->nhosts; search->turn++)
		{
			if ((search->useless & host_bit(search)) != 0)
				continue;
			if (GetCurrentTimestamp() >= query->deadline)
				break;
			if (!acquire_file())
				return fail(search, "There are too many open files on the local server.",
				            "Raise the server's max_files_per_process and/or \"ulimit -n\" limits.");
			if (connect_to_host(search))
				return true;
			if (query->error.message != NULL)
				return false;
		}
		if (!begin_next_round(search))
			return fail(search, all_reasons(search), NULL);
	}
}

/* The connection is of no use, but another host may be. */
static bool
leave_host(Search *search, const char *why)
{
	idgen_good_host_note(search->query->serverid, 0);
	if (search->begun)
	{
		(void) reject(search, HOST_NOT_NOW, why != NULL ? why : "");
		search->turn++;
	}
	return open_connection(search);
}

/*
 * Statements
 */

/*
 * Of several results, keep the first one that is more than that a command was
 * executed, but an error in any case.
 */
static void
keep_result(PGresult *result)
{
	ExecStatusType status = PQresultStatus(result);
	bool has_error = connection.result != NULL && PQresultStatus(connection.result) != PGRES_TUPLES_OK;

	if (status == PGRES_COMMAND_OK || (connection.result != NULL && (has_error || status == PGRES_TUPLES_OK)))
	{
		PQclear(result);
		return;
	}
	clear_result();
	connection.result = result;
}

/* Does it want to copy data? None of our statements does. */
static bool
is_copy(const PGresult *result)
{
	ExecStatusType status = PQresultStatus(result);

	return status == PGRES_COPY_IN || status == PGRES_COPY_OUT || status == PGRES_COPY_BOTH;
}

/* The text of a statement in that version; NULL if there is none. */
static const char *
text_of(const IdgenRemoteQuery *query, int version)
{
	const IdgenRemoteStatement *statement = &query->statement;

	if (statement->variant != NULL)
		return statement->variant(statement->sql, version, list_length(query->together) > 1);
	return version == 0 ? statement->sql : NULL;
}

/* What has become of a statement that was sent. */
typedef enum Exchange
{
	IS_ANSWERED,
	IS_LOST,
	IS_LATE,
} Exchange;

/* Send a statement, to be executed in a transaction of its own. */
static bool
send_statement(const IdgenRemoteQuery *query)
{
	static const char *const begin_sql = "SET transaction_isolation = 'read committed'";
	PGconn *conn = connection.conn;

	return PQenterPipelineMode(conn) && PQsendQueryParams(conn, begin_sql, 0, NULL, NULL, NULL, NULL, 0) &&
		PQsendQueryParams(conn, text_of(query, connection.sql), query->statement.nparams, NULL, query->sent, NULL, NULL, 0) &&
		PQpipelineSync(conn);
}

/*
 * Send the statement and receive the answer. It is in connection.result then,
 * and the statement has committed unless that is an error.
 */
static Exchange
exchange(const IdgenRemoteQuery *query)
{
	PGconn *conn = connection.conn;
	int ends = 0; /* of results, without one in between */

	clear_result();
	connection.busy = true;
	connection.uses++;
	connection.warnings = 0;
	if (!send_statement(query))
		return IS_LOST;
	for (;;)
	{
		int unsent = PQflush(conn);
		bool failed = unsent < 0 || !PQconsumeInput(conn);
		PGnotify *notification;

		while ((notification = PQnotifies(conn)) != NULL)
			PQfreemem(notification);
		while (!PQisBusy(conn))
		{
			PGresult *result = PQgetResult(conn);

			if (PQresultStatus(result) == PGRES_PIPELINE_SYNC)
			{
				PQclear(result);
				connection.busy = !PQexitPipelineMode(conn) || PQtransactionStatus(conn) != PQTRANS_IDLE;
				return connection.busy ? IS_LOST : IS_ANSWERED;
			}
			ends = result == NULL ? ends + 1 : 0;
			failed = failed || ends > 1 || is_copy(result);
			if (result != NULL)
				keep_result(result);
			if (failed)
				break;
		}
		if (failed)
			return IS_LOST;
		if (!wait_for(WL_SOCKET_READABLE | (unsent > 0 ? WL_SOCKET_WRITEABLE : 0), query->deadline))
			return IS_LATE;
	}
}

/* Keep the first row of the result for each query. */
static void
keep_rows(const IdgenRemoteQuery *first)
{
	const PGresult *result = connection.result;
	int columns = first->statement.columns;
	int queries = list_length(first->together);

	for (int i = 0; i < PQntuples(result); i++)
	{
		int number = queries == 1 ? 1 : atoi(PQgetvalue(result, i, columns - 1));
		IdgenRemoteQuery *query = number >= 1 && number <= queries ? list_nth(first->together, number - 1) : NULL;

		if (query == NULL || query->row != NULL)
			continue;
		query->row = MemoryContextAlloc(query->memory, columns * sizeof(char *));
		for (int j = 0; j < columns; j++)
			query->row[j] = PQgetisnull(result, i, j)
				? NULL
				: MemoryContextStrdup(query->memory, idgen_remote_text(PQgetvalue(result, i, j)));
	}
}

/* A field of the error, palloc'd; NULL if the error does not have it. */
static const char *
error_field(int field)
{
	const char *value = PQresultErrorField(connection.result, field);

	return value != NULL ? idgen_remote_text(value) : NULL;
}

/* The other server has raised an error. */
static void
refuse(IdgenRemoteQuery *query, int sqlerrcode)
{
	const char *message = idgen_result_message(connection.result);

	query->refused = true;
	query->error = (IdgenRemoteError){
		.sqlerrcode = sqlerrcode != 0 ? sqlerrcode : ERRCODE_FDW_ERROR,
		.message = message != NULL ? message : "no message was received",
		.detail = error_field(PG_DIAG_MESSAGE_DETAIL),
		.hint = error_field(PG_DIAG_MESSAGE_HINT),
	};
}

/*
 * May an error mean that the server lacks a function or a setting, or that the
 * role must not call it? But no role is refused to make its commits
 * synchronous, which the last version leaves out.
 */
static bool
may_lack_function(const IdgenRemoteQuery *query, int sqlerrcode)
{
	if (text_of(query, connection.sql + 1) == NULL)
		return false;
	return sqlerrcode == ERRCODE_UNDEFINED_FUNCTION || sqlerrcode == ERRCODE_FEATURE_NOT_SUPPORTED ||
		sqlerrcode == ERRCODE_UNDEFINED_OBJECT || sqlerrcode == ERRCODE_SYNTAX_ERROR ||
		(sqlerrcode == ERRCODE_INSUFFICIENT_PRIVILEGE && connection.sql == 0);
}

/* How a query has got on that may have to be sent several times. */
typedef struct Attempts
{
	Search search;
	int conflicts;
	int empty_answers;
	int losses;                  /* of connections on which it was at work */
	const char *refused_because; /* the last host that did not execute it; or NULL */
} Attempts;

/*
 * The server has answered with an error. If two transactions have got in each
 * other's way, or the row is locked, try again after a pause. If a function is
 * missing, do without it, and so for as long as the connection lasts. Returns
 * whether to send it again.
 */
static bool
take_error(IdgenRemoteQuery *query, Attempts *attempts)
{
	int sqlerrcode = idgen_result_sqlstate(connection.result);
	bool conflict = sqlerrcode == ERRCODE_T_R_SERIALIZATION_FAILURE || sqlerrcode == ERRCODE_T_R_DEADLOCK_DETECTED;

	if ((conflict && ++attempts->conflicts < MAX_CONFLICTS) ||
	    (sqlerrcode == ERRCODE_LOCK_NOT_AVAILABLE && query->statement.waits_for_locks))
	{
		TimestampTz due = TimestampTzPlusMilliseconds(GetCurrentTimestamp(), CONFLICT_PAUSE_MS);

		(void) wait_for(0, Min(due, query->deadline));
		return true;
	}
	if (may_lack_function(query, sqlerrcode))
	{
		connection.sql++;
		return true;
	}
	if (idgen_sqlstate_is_about_host(sqlerrcode))
	{
		attempts->refused_because = idgen_result_message(connection.result);
		return leave_host(&attempts->search, attempts->refused_because);
	}
	connection.sql = 0; /* it was not that */
	refuse(query, sqlerrcode);
	return false;
}

/*
 * The server has answered. If the answer does not have the columns of the
 * statement, what is at the other end cannot be a database. If it has no row,
 * that may be since the row was replaced by another one while the statement
 * waited for it: the next statement can see that. Returns whether to send it
 * again.
 */
static bool
take_answer(IdgenRemoteQuery *query, Attempts *attempts)
{
	const PGresult *result = connection.result;

	if (PQresultStatus(result) != PGRES_TUPLES_OK)
		return take_error(query, attempts);
	if (PQnfields(result) != query->statement.columns)
	{
		query->error = (IdgenRemoteError){
			.sqlerrcode = ERRCODE_FDW_ERROR,
			.message = psprintf("server \"%s\" returned %d columns instead of %d",
		                        query->server, PQnfields(result), query->statement.columns),
		};
		return false;
	}
	if (PQntuples(result) == 0 && attempts->empty_answers++ == 0)
		return true;
	keep_rows(query);
	return false;
}

/*
 * The connection was lost while the statement was at work: send it again, but
 * only once.
 */
static bool
take_loss(IdgenRemoteQuery *query, Attempts *attempts)
{
	IdgenRemoteError error = {
		.sqlerrcode = ERRCODE_CONNECTION_FAILURE,
		.message = psprintf("connection to server \"%s\" was lost", query->server),
		.detail = why_lost(),
	};

	if (attempts->losses++ > 0)
	{
		query->error = error;
		return false;
	}
	ereport(LOG_SERVER_ONLY,
	        (errcode(error.sqlerrcode),
	         errmsg("asking server \"%s\" again: %s", query->server, error.message),
	         error.detail != NULL ? errdetail_internal("%s", error.detail) : 0,
	         errhint("If it has allocated ids without saying so, they are a gap."),
	         errhidestmt(true)));
	attempts->search = (Search){.query = query};
	return open_connection(&attempts->search);
}

/*
 * A query has lasted too long. If no host has let itself be written to, it does
 * not matter whether the last one might have.
 */
static void
time_out(IdgenRemoteQuery *query, const Attempts *attempts)
{
	if (attempts->refused_because != NULL)
		query->error = (IdgenRemoteError){
			.sqlerrcode = ERRCODE_SQLCLIENT_UNABLE_TO_ESTABLISH_SQLCONNECTION,
			.message = psprintf("could not connect to server \"%s\"", query->server),
			.detail = attempts->refused_because,
		};
	else
		query->error = (IdgenRemoteError){
			.sqlerrcode = ERRCODE_CONNECTION_FAILURE,
			.message = psprintf("server \"%s\" did not answer in time", query->server),
			.hint = "See what it is waiting for, or raise idgen.server_timeout.",
		};
}

/* Ask the other server, until the query is over. */
static void
ask(IdgenRemoteQuery *query)
{
	Attempts attempts = {.search = {.query = query}};
	bool again = has_connection(query) || open_connection(&attempts.search);

	while (again)
	{
		switch (exchange(query))
		{
			case IS_ANSWERED:
				again = take_answer(query, &attempts);
				break;
			case IS_LOST:
				again = take_loss(query, &attempts);
				break;
			case IS_LATE:
				again = false;
				time_out(query, &attempts);
				break;
		}
		if (again && GetCurrentTimestamp() >= query->deadline)
		{
			again = false;
			time_out(query, &attempts);
		}
	}
	if (query->error.message == NULL || query->refused)
		idgen_reach_note_answer(query->serverid, query->server);
	else
	{
		close_connection();
		idgen_reach_note_failure(query->serverid, query->asked_at, query->deadline - query->since, &query->error);
	}
}

/*
 * Queries
 */

/* The deadline of a statement that has all the time that the setting gives. */
TimestampTz
idgen_remote_deadline(void)
{
	return TimestampTzPlusMilliseconds(GetCurrentTimestamp(), (int64) idgen_server_timeout);
}

/* A copy of a statement. */
static IdgenRemoteStatement
copy_statement(const IdgenRemoteStatement *statement)
{
	IdgenRemoteStatement copy = *statement;
	const char **params = palloc(copy.nparams * sizeof(char *));

	for (int i = 0; i < copy.nparams; i++)
		params[i] = copy.params[i] != NULL ? pstrdup(copy.params[i]) : NULL;
	copy.params = params;
	copy.sql = pstrdup(copy.sql);
	return copy;
}

/*
 * Begin a statement on a server, by the user mapping of a role. It is in the
 * current memory context. It is needed since that time: if nobody can connect
 * to the server meanwhile, that has failed for it, too. Raises 42501, 42704,
 * 22023 and 2F003 for what server and user mapping lack or have.
 */
IdgenRemoteQuery *
idgen_remote_begin(Oid serverid, Oid userid, const IdgenRemoteStatement *statement, TimestampTz since)
{
	MemoryContext memory = AllocSetContextCreate(CurrentMemoryContext, "idgen remote query",
	                                             ALLOCSET_SMALL_SIZES);
	MemoryContext context = MemoryContextSwitchTo(memory);
	IdgenRemoteQuery *query = palloc0(sizeof(IdgenRemoteQuery));

	query->memory = memory;
	query->server = idgen_server_get(serverid).name;
	query->serverid = serverid;
	query->userid = userid;
	query->options = idgen_connect_options(serverid, userid);
	query->statement = copy_statement(statement);
	query->since = since;
	MemoryContextSwitchTo(context);
	return query;
}

/* Keep it as long as that memory. */
void
idgen_remote_keep(IdgenRemoteQuery *query, MemoryContext memory)
{
	MemoryContextSetParent(query->memory, memory);
}

/*
 * Can a query go with others of that server in one statement? Not if it is for
 * the same row as one of them.
 */
static bool
goes_with(const IdgenRemoteQuery *query, const List *others)
{
	ListCell *cell;

	foreach(cell, others)
	{
		const IdgenRemoteQuery *other = lfirst(cell);

		if (strcmp(query->statement.sql, other->statement.sql) != 0 ||
		    strcmp(query->statement.params[0], other->statement.params[0]) == 0 ||
		    query->userid != other->userid || query->options->version != other->options->version)
			return false;
	}
	return true;
}

/* What queries have as a parameter, as an array. */
static const char *
array_of(const List *queries, int param)
{
	StringInfoData array;
	ListCell *cell;

	initStringInfo(&array);
	foreach(cell, queries)
	{
		const char *value = ((const IdgenRemoteQuery *) lfirst(cell))->statement.params[param];

		appendStringInfo(&array, "%c%s", array.len == 0 ? '{' : ',', value != NULL ? "\"" : "NULL");
		for (; value != NULL && *value != '\0'; value++)
			appendStringInfo(&array, *value == '"' || *value == '\\' ? "\\%c" : "%c", *value);
		appendStringInfoString(&array, value != NULL ? "\"" : "");
	}
	appendStringInfoChar(&array, '}');
	return array.data;
}

/* All parameters of queries, each as an array. */
static const char *const *
arrays_of(const List *queries)
{
	int nparams = ((const IdgenRemoteQuery *) linitial(queries))->statement.nparams;
	const char **arrays = palloc(nparams * sizeof(char *));

	for (int i = 0; i < nparams; i++)
		arrays[i] = array_of(queries, i);
	return arrays;
}

/*
 * Ask the other server, which has to have answered by the deadline: in one
 * statement, for all of the queries that go with the first one. If somebody
 * could not connect to it since that was begun, that has failed as well. What
 * the other server, or the network, makes of it raises no error:
 * idgen_remote_finish() does.
 *
 * Returns those that are not over: of several queries, those without a row,
 * since it is locked or not there, or since one of them has failed. Each is to
 * be asked alone.
 */
List *
idgen_remote_await(List *queries, TimestampTz deadline)
{
	IdgenRemoteQuery *query = linitial(queries);
	MemoryContext context = MemoryContextSwitchTo(query->memory);
	List *left = NIL;
	ListCell *cell;

	query->together = NIL;
	foreach(cell, queries)
		if (goes_with(lfirst(cell), query->together))
			query->together = lappend(query->together, lfirst(cell));
	query->sent = query->statement.variant != NULL ? arrays_of(query->together) : query->statement.params;
	query->asked_at = GetCurrentTimestamp();
	query->deadline = deadline;
	if (!idgen_reach_failed_since(query->serverid, query->server, query->since, &query->error))
		ask(query);
	MemoryContextSwitchTo(context);
	if (list_length(queries) == 1)
		return NIL;
	query->error.message = NULL;
	query->refused = false;
	foreach(cell, queries)
		if (((const IdgenRemoteQuery *) lfirst(cell))->row == NULL)
			left = lappend(left, lfirst(cell));
	return left;
}

/* The parameters that were sent with a query. */
const char *const *
idgen_remote_params(const IdgenRemoteQuery *query)
{
	return query->statement.params;
}

/*
 * The first row of the result of a query that is over, or NULL if there is
 * none. The query, and what the row is made of, goes with the current memory
 * context. If the query has failed, raises 08001, 08006, 2F003, HV000 or what
 * the server has raised; then it says where that is from.
 */
IdgenRemoteRow
idgen_remote_finish(IdgenRemoteQuery *query)
{
	MemoryContextSetParent(query->memory, CurrentMemoryContext);
	if (query->error.message != NULL)
		idgen_remote_raise(&query->error, query->refused ? psprintf("on server \"%s\"", query->server) : NULL);
	return query->row;
}

/* Give a query up, and free it. */
void
idgen_remote_abandon(IdgenRemoteQuery *query)
{
	MemoryContextDelete(query->memory);
}
