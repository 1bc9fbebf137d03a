/*
 * connection.c
 *		Connections to other servers, used without blocking.
 *
 * Whatever takes time is begun here and gone on with by idgen_connection_advance(),
 * a small step at a time, between which the caller looks at its deadline and at
 * interrupts, and waits for the socket and for anything else that matters to it. So a
 * session can be cancelled while it waits for another server, and the worker has
 * something going on with several at a time.
 *
 * Nothing that another server sends is believed to be meant well. A valve lets libpq
 * have it in small portions, and of an opening or a statement only so much as that
 * can take. What is shown of it is cut, and made valid text.
 *
 * A connection belongs to a process, a server and a user. It is kept when a statement
 * is over, unless something is wrong with it, or the server or the user mapping has been
 * changed. To give up a statement is to close its connection. The server there then ends the
 * statement: it has been asked to look after the connection while it executes something.
 *
 * When several hosts are given, libpq would try the next one only when the one before has
 * answered "no", and not when it is silent. So each is tried by itself, with an equal share of the
 * time that is left. Several addresses of one name, though, are one host.
 *
 * What does block is what libpq does in one go: looking up a host's name, or a service in
 * LDAP, Kerberos, and the rounds of hashing that the other server asks for with SCRAM.
 */
#include "postgres.h"

#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "storage/fd.h"
#include "storage/latch.h"
#include "utils/memutils.h"
#include "utils/timestamp.h"

#include "common/compat.h"
#include "remote/connection.h"
#include "remote/foreign_server.h"

/* Only the worker has use for more than one. */
#define MAX_CONNECTIONS 4

/* libpq's socket, and the valve's */
#define FILES_PER_CONNECTION (1 + IDGEN_VALVE_FILES)

/*
 * So many bytes may come for the opening of a connection, or for a statement. Our
 * statements are answered with some hundred; an opening may take some thousand of
 * certificates; the longest message in an error or two is meant to pass, too.
 */
#define MAX_RECEIVED 131072

/*
 * So many bytes may come over a connection before it is not kept any more. What comes
 * besides answers, such as notifications and settings of ever new names, libpq keeps as
 * long as the connection. Some thousand answers fit in.
 */
#define MAX_KEPT 1048576

/*
 * What a new session at another server is told, if that is a PostgreSQL server: a commit is
 * on disk when it says so (rule U3); two who allocate at the same time wait for each
 * other, rather than that one fails; and who has gone is noticed within a second (14 or
 * later, not on every system). What is good already is set as well, or it would
 * follow changes of the other server's configuration file.
 */
static const char *const settings[] = {
	"SELECT pg_catalog.set_config(name, CASE WHEN name = 'default_transaction_isolation' THEN 'read committed'"
	" WHEN setting = 'off' THEN 'on' ELSE setting END, false)"
	" FROM pg_catalog.pg_settings WHERE name IN ('synchronous_commit', 'default_transaction_isolation')",

	"SELECT pg_catalog.set_config(name, CASE WHEN setting = '0' THEN '1s' ELSE setting END, false)"
	" FROM pg_catalog.pg_settings WHERE name = 'client_connection_check_interval'",
};

static dlist_head connections = DLIST_STATIC_INIT(connections);

/* Give files back of those that this process may have open. */
static void
release_files(int count)
{
	while (count-- > 0)
		ReleaseExternalFD();
}

/* Take files of those that this process may have open, if another one is left to wait with. */
static bool
acquire_files(int count)
{
	for (int i = 0; i <= count; i++)
	{
		if (!AcquireExternalFD())
		{
			release_files(i);
			return false;
		}
	}
	ReleaseExternalFD(); /* the one to wait with */
	return true;
}

/* Close it; it can be opened again. */
void
idgen_connection_close(IdgenConnection *connection)
{
	PQclear(connection->result);
	connection->result = NULL;
	if (connection->conn != NULL)
	{
		PQfinish(connection->conn);
		idgen_valve_close(&connection->valve);
		release_files(FILES_PER_CONNECTION);
	}
	connection->conn = NULL;
	connection->state = IDGEN_CONNECTION_CLOSED;
}

/* The user has no more use for the connection now. */
void
idgen_connection_give_back(IdgenConnection *connection)
{
	connection->taken = false;
	if (connection->state == IDGEN_CONNECTION_READY && connection->valve.total <= MAX_KEPT)
		return;
	idgen_connection_close(connection);
	dlist_delete(&connection->node);
	pfree(connection);
}

/* A connection that is not open yet. */
static IdgenConnection *
make_connection(Oid serverid, const char *server, Oid userid)
{
	IdgenConnection *connection = MemoryContextAllocZero(TopMemoryContext, sizeof(IdgenConnection));

	strlcpy(connection->server, server, NAMEDATALEN);
	connection->serverid = serverid;
	connection->userid = userid;
	dlist_push_tail(&connections, &connection->node);
	return connection;
}

/* Close what nobody uses and has been opened before a server or a user mapping was changed. */
void
idgen_connections_close_stale(void)
{
	dlist_mutable_iter iter;

	dlist_foreach_modify(iter, &connections)
	{
		IdgenConnection *connection = dlist_container(IdgenConnection, node, iter.cur);

		if (!connection->taken && connection->version != idgen_servers_version)
		{
			idgen_connection_close(connection);
			idgen_connection_give_back(connection);
		}
	}
}

/*
 * A connection to a server, of that name, as some user: one that is kept, and so ready, or one
 * that has to be opened; NULL if the process has enough of them at work.
 */
IdgenConnection *
idgen_connection_take(Oid serverid, const char *server, Oid userid)
{
	IdgenConnection *found = NULL;
	dlist_iter iter;
	int count = 0;

	idgen_connections_close_stale();
	dlist_foreach(iter, &connections)
	{
		IdgenConnection *connection = dlist_container(IdgenConnection, node, iter.cur);

		if (connection->serverid != serverid || connection->userid != userid)
			continue;
		count++;
		if (!connection->taken)
			found = connection;
	}
	Assert(found == NULL || found->state == IDGEN_CONNECTION_READY);
	if (found == NULL && count < MAX_CONNECTIONS)
		found = make_connection(serverid, server, userid);
	if (found != NULL)
		found->taken = true;
	return found;
}

/* It is broken, for that reason. The texts are the caller's. */
static void
broken(IdgenConnection *connection, IdgenRemoteError error)
{
	idgen_connection_close(connection);
	connection->state = IDGEN_CONNECTION_BROKEN;
	connection->error = error;
}

/* It could not be opened; "detail" says why. */
static void
not_connected(IdgenConnection *connection, const char *detail, const char *hint)
{
	broken(connection, (IdgenRemoteError){
						   .sqlerrcode = ERRCODE_SQLCLIENT_UNABLE_TO_ESTABLISH_SQLCONNECTION,
						   .message = psprintf("could not connect to server \"%s\"", connection->server),
						   .detail = detail,
						   .hint = hint,
					   });
}

/* It was open, and is not any more; "detail" says why. */
static void
lost(IdgenConnection *connection, const char *detail)
{
	broken(connection, (IdgenRemoteError){
						   .sqlerrcode = ERRCODE_CONNECTION_FAILURE,
						   .message = psprintf("connection to server \"%s\" was lost", connection->server),
						   .detail = detail,
					   });
}

/*
 * A text that came from another server, or from libpq, palloc'd: its beginning, made valid in
 * our encoding. What is not, and control characters, are shown as question marks.
 */
char *
idgen_remote_text(const char *text)
{
	char *copy = pnstrdup(text, IDGEN_REMOTE_TEXT_SIZE - 1);
	int length = strlen(copy);
	int bytes;

	for (int i = 0; i < length; i += bytes)
	{
		bytes = pg_encoding_verifymbchar(GetDatabaseEncoding(), copy + i, length - i);
		if (bytes > 1 || (bytes == 1 && (!iscntrl((unsigned char) copy[i]) || copy[i] == '\n' || copy[i] == '\t')))
			continue;
		copy[i] = '?';
		bytes = 1;
	}
	return pchomp(copy);
}

/*
 * What has gone wrong with a statement, as the other server or libpq says, palloc'd; NULL if
 * neither does.
 */
const char *
idgen_result_message(const PGresult *result)
{
	const char *message = PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY);

	if (message == NULL)
		message = PQresultErrorMessage(result);
	return message[0] != '\0' ? idgen_remote_text(message) : NULL;
}

/* What libpq, or the network, says about the last failure. */
static char *
libpq_error(const IdgenConnection *connection)
{
	if (connection->valve.open && connection->valve.error != 0)
	{
		errno = connection->valve.error;
		return psprintf("could not receive data from server: %m");
	}
	return idgen_remote_text(PQerrorMessage(connection->conn));
}

/* What another server says besides results: libpq calls this. Nothing here may raise an error. */
static void
receive_notice(void *arg, const PGresult *result)
{
	IdgenWarnings *warnings = (IdgenWarnings *) arg;
	const char *severity = PQresultErrorField(result, PG_DIAG_SEVERITY_NONLOCALIZED);
	const char *message = PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY);

	if (severity == NULL || strcmp(severity, "WARNING") != 0 || message == NULL)
		return;
	if (warnings->count < IDGEN_MAX_WARNINGS)
		strlcpy(warnings->texts[warnings->count], message, IDGEN_REMOTE_TEXT_SIZE);
	warnings->count++;
}

/* Warnings go to the log, but for those that are too many. */
static void
report_warnings(IdgenConnection *connection)
{
	IdgenWarnings *warnings = &connection->warnings;

	for (; warnings->reported < Min(warnings->count, IDGEN_MAX_WARNINGS + 1); warnings->reported++)
	{
		if (warnings->reported < IDGEN_MAX_WARNINGS)
			ereport(LOG_SERVER_ONLY,
			        (errmsg("server \"%s\" warns: %s", connection->server,
			                idgen_remote_text(warnings->texts[warnings->reported])),
			         errhidestmt(true)));
		else
			ereport(LOG_SERVER_ONLY,
			        (errmsg("further warnings of server \"%s\" are not logged", connection->server),
			         errhidestmt(true)));
	}
}

/* When to give up the current host: connect_timeout, and the others need time, too. */
static TimestampTz
host_deadline(const IdgenConnection *connection)
{
	const IdgenConnectOptions *options = connection->options;
	TimestampTz now = GetCurrentTimestamp();
	TimestampTz deadline = now + (connection->deadline - now) / (options->nhosts - connection->host);

	if (options->connect_timeout > 0)
		deadline = Min(deadline, TimestampTzPlusMilliseconds(now, options->connect_timeout * INT64CONST(1000)));
	return deadline;
}

/* Begin to connect to the current host. */
static void
begin_host(IdgenConnection *connection)
{
	const IdgenConnectOptions *options = connection->options;

	if (!acquire_files(FILES_PER_CONNECTION))
	{
		not_connected(connection, "There are too many open files on the local server.",
		              "Raise the server's max_files_per_process and/or \"ulimit -n\" limits.");
		return;
	}
	connection->conn = PQconnectStartParams(options->keywords, idgen_connect_values_for_host(options, connection->host), false);
	if (connection->conn == NULL)
	{
		release_files(FILES_PER_CONNECTION);
		not_connected(connection, "Out of memory.", NULL);
		return;
	}
	(void) PQsetnonblocking(connection->conn, 1);
	PQsetNoticeReceiver(connection->conn, receive_notice, &connection->warnings);
	connection->warnings.count = connection->warnings.reported = 0;
	connection->host_deadline = host_deadline(connection);
	connection->wait_for = WL_SOCKET_WRITEABLE;
	connection->state = IDGEN_CONNECTION_CONNECTING;
}

/* Open it, to be ready before the deadline. The options stay the caller's. */
void
idgen_connection_open(IdgenConnection *connection, const IdgenConnectOptions *options, TimestampTz deadline)
{
	idgen_connection_close(connection);
	connection->options = options;
	connection->version = options->version;
	connection->deadline = deadline;
	connection->host = 0;
	connection->failures = makeStringInfo();
	begin_host(connection);
}

/* It did not work with the current host: try the next one. */
static void
next_host(IdgenConnection *connection, const char *failure)
{
	appendStringInfo(connection->failures, "%s%s", connection->host > 0 ? "\n" : "", failure);
	idgen_connection_close(connection);
	if (++connection->host < connection->options->nhosts)
		begin_host(connection);
	else
		not_connected(connection, connection->failures->data, NULL);
}

/* Is it being opened, so that another host may do? */
static bool
is_opening(const IdgenConnection *connection)
{
	return connection->state == IDGEN_CONNECTION_CONNECTING || connection->state == IDGEN_CONNECTION_SETTLING;
}

/* It cannot be gone on with; the reason may be NULL. */
static void
give_up(IdgenConnection *connection, const char *reason)
{
	if (is_opening(connection))
		next_host(connection, reason != NULL ? reason : "The connection was lost.");
	else
		lost(connection, reason);
}

/* The other server has sent more than can be meant as an answer. */
static void
too_much(IdgenConnection *connection)
{
	if (is_opening(connection))
		next_host(connection, psprintf("Server \"%s\" has sent more than %d kB before it was ready.", connection->server, MAX_RECEIVED / 1024));
	else
		broken(connection, (IdgenRemoteError){
							   .sqlerrcode = ERRCODE_PROTOCOL_VIOLATION,
							   .message = psprintf("server \"%s\" has sent more than %d kB", connection->server, MAX_RECEIVED / 1024),
							   .detail = "An answer to a refill is much shorter.",
							   .hint = "Check what listens at the address of that server.",
						   });
}

/* A statement has been sent, or cannot be. */
static void
begin_statement(IdgenConnection *connection, IdgenConnectionState state, int sent)
{
	if (!sent)
	{
		give_up(connection, libpq_error(connection));
		return;
	}
	if (state == IDGEN_CONNECTION_RUNNING)
	{
		connection->valve.received = 0;
		connection->warnings.count = connection->warnings.reported = 0;
	}
	idgen_valve_send(&connection->valve);
	connection->state = state;
	connection->wait_for = WL_SOCKET_READABLE | WL_SOCKET_WRITEABLE;
}

/* Go on with the settings of the new session, or be ready. */
static void
settle(IdgenConnection *connection)
{
	if (connection->settings < (int) lengthof(settings))
	{
		begin_statement(connection, IDGEN_CONNECTION_SETTLING,
		                PQsendQuery(connection->conn, settings[connection->settings++]));
		return;
	}
	connection->state = IDGEN_CONNECTION_READY;
	connection->wait_for = 0;
}

/* There is a connection, but not by that user's own password. */
static void
password_not_used(IdgenConnection *connection)
{
	broken(connection, (IdgenRemoteError){
						   .sqlerrcode = ERRCODE_S_R_E_PROHIBITED_SQL_STATEMENT_ATTEMPTED,
						   .message = "password is required",
						   .detail = psprintf("Server \"%s\" has not asked for it.", connection->server),
						   .hint = "Change the authentication method there, or have a superuser set password_required to false in the user mapping.",
					   });
}

/* Has libpq got a connection of which it has not read yet, or has already? */
static bool
has_connected(const IdgenConnection *connection)
{
	switch (PQstatus(connection->conn))
	{
		case CONNECTION_BAD:
		case CONNECTION_NEEDED:
		case CONNECTION_STARTED:
		case CONNECTION_MADE:
			return false;
		default:
			return true;
	}
}

/*
 * Keep the valve where it belongs. libpq connects more than once if a name has several
 * addresses, or the other server refuses encryption. Returns false, with errno, if there
 * can be no valve.
 */
static bool
place_valve(IdgenConnection *connection)
{
	IdgenValve *valve = &connection->valve;
	pgsocket socket = PQsocket(connection->conn);

	if (valve->open && !idgen_valve_is_in(valve, socket))
		idgen_valve_close(valve);
	if (!valve->open && has_connected(connection) && !idgen_valve_open(valve, socket))
		return false;
	if (valve->open)
		idgen_valve_send(valve);
	return true;
}

/*
 * What has to happen to the network before libpq can do what it wants: WL_SOCKET_*;
 * 0 = nothing.
 */
static int
awaited(const IdgenConnection *connection)
{
	const IdgenValve *valve = &connection->valve;
	int wait_for = connection->wait_for;

	if (!valve->open)
		return wait_for;
	if ((wait_for & WL_SOCKET_WRITEABLE) != 0 && !valve->unsent)
		return 0;
	if ((wait_for & WL_SOCKET_READABLE) != 0 && idgen_valve_has_input(PQsocket(connection->conn)))
		return 0;
	return (wait_for & WL_SOCKET_READABLE) | (valve->unsent ? WL_SOCKET_WRITEABLE : 0);
}

/* May libpq go on connecting? It must not be called too early. */
static bool
may_poll(IdgenConnection *connection)
{
	pgsocket socket = PQsocket(connection->conn);

	if (PQstatus(connection->conn) == CONNECTION_BAD)
		return true;
	if (!connection->valve.open)
		return (WaitLatchOrSocket(NULL, connection->wait_for | WL_TIMEOUT | WL_EXIT_ON_PM_DEATH, socket, 0, 0) &
		        connection->wait_for) != 0;
	if (connection->wait_for == WL_SOCKET_READABLE)
		return idgen_valve_receive(&connection->valve, socket);
	return awaited(connection) == 0;
}

/* There is a connection. */
static void
connected(IdgenConnection *connection)
{
	connection->settings = 0;
	if (connection->options->password_required && !PQconnectionUsedPassword(connection->conn))
		password_not_used(connection);
	else
		settle(connection);
}

/* There is none with this host. In whatever language, libpq names a requirement that was not met. */
static void
refused(IdgenConnection *connection)
{
	if (connection->options->password_required &&
	    strstr(PQerrorMessage(connection->conn), IDGEN_PASSWORD_METHODS) != NULL)
		password_not_used(connection);
	else
		next_host(connection, libpq_error(connection));
}

/* Go on connecting. */
static void
advance_connecting(IdgenConnection *connection)
{
	PostgresPollingStatusType next;

	if (!may_poll(connection))
		return;
	next = PQconnectPoll(connection->conn);
	connection->wait_for = next == PGRES_POLLING_READING ? WL_SOCKET_READABLE : WL_SOCKET_WRITEABLE;
	if (next == PGRES_POLLING_FAILED)
		refused(connection);
	else if (!place_valve(connection))
		next_host(connection, psprintf("Could not make a pair of sockets: %m."));
	else if (next == PGRES_POLLING_OK)
		connected(connection);
}

/* Keep what came first, but an error in any case. */
static void
keep_result(IdgenConnection *connection, PGresult *result)
{
	bool is_error = PQresultStatus(result) != PGRES_TUPLES_OK;
	bool had_error = connection->result != NULL && PQresultStatus(connection->result) != PGRES_TUPLES_OK;

	if (connection->result != NULL && (had_error || !is_error))
	{
		PQclear(result);
		return;
	}
	PQclear(connection->result);
	connection->result = result;
}

/* Does it want to copy data? None of our statements does. */
static bool
is_copy(const PGresult *result)
{
	ExecStatusType status = PQresultStatus(result);

	return status == PGRES_COPY_IN || status == PGRES_COPY_OUT || status == PGRES_COPY_BOTH;
}

/* What has come of a statement's answer */
typedef enum Reception
{
	RECEIVED_PART,
	RECEIVED_ALL,    /* and so it has committed */
	RECEIVED_TROUBLE /* it cannot be gone on with */
} Reception;

/* Receive what there is of a statement's answer. */
static Reception
receive(IdgenConnection *connection)
{
	PGconn *conn = connection->conn;
	int unsent = PQflush(conn);
	bool failed = unsent < 0 || !PQconsumeInput(conn);
	PGresult *result;
	bool copy;

	connection->wait_for = WL_SOCKET_READABLE | (unsent > 0 ? WL_SOCKET_WRITEABLE : 0);
	while (!PQisBusy(conn))
	{
		result = PQgetResult(conn);
		if (result == NULL)
			return RECEIVED_ALL;
		copy = is_copy(result);
		keep_result(connection, result);
		if (copy)
			return RECEIVED_TROUBLE;
	}
	return failed ? RECEIVED_TROUBLE : RECEIVED_PART;
}

/* Can a setting be done without, since the server does not know it, or has another syntax? */
static bool
is_dispensable(const PGresult *result)
{
	static const char *const classes[] = {"0A", "22", "42"};
	const char *sqlstate = PQresultErrorField(result, PG_DIAG_SQLSTATE);

	for (int i = 0; sqlstate != NULL && i < (int) lengthof(classes); i++)
		if (strncmp(sqlstate, classes[i], 2) == 0)
			return true;
	return PQresultStatus(result) == PGRES_TUPLES_OK;
}

/* Why a statement has ended with the connection; NULL if nobody says. */
static const char *
why_lost(const IdgenConnection *connection)
{
	const char *message = idgen_result_message(connection->result);

	if (message != NULL && PQresultErrorField(connection->result, PG_DIAG_SQLSTATE) != NULL)
		return message;
	return connection->valve.error != 0 || message == NULL ? libpq_error(connection) : message;
}

/* Go on with a statement. */
static void
advance_statement(IdgenConnection *connection)
{
	Reception reception;

	if (!idgen_valve_receive(&connection->valve, PQsocket(connection->conn)) && awaited(connection) != 0)
		return;
	reception = receive(connection);
	idgen_valve_send(&connection->valve);
	if (reception == RECEIVED_PART)
		return;
	connection->wait_for = 0;
	if (reception == RECEIVED_TROUBLE || PQstatus(connection->conn) != CONNECTION_OK ||
	    PQtransactionStatus(connection->conn) != PQTRANS_IDLE)
		give_up(connection, why_lost(connection));
	else if (connection->state == IDGEN_CONNECTION_RUNNING)
		connection->state = IDGEN_CONNECTION_ANSWERED;
	else if (is_dispensable(connection->result))
	{
		PQclear(connection->result);
		connection->result = NULL;
		settle(connection);
	}
	else
		give_up(connection, idgen_result_message(connection->result));
}

/* Do the next small thing, unless that has to wait, or nothing is going on. */
static void
advance(IdgenConnection *connection)
{
	if (connection->valve.open && connection->valve.unsent)
		idgen_valve_send(&connection->valve);
	switch (connection->state)
	{
		case IDGEN_CONNECTION_CONNECTING:
			advance_connecting(connection);
			break;
		case IDGEN_CONNECTION_SETTLING:
		case IDGEN_CONNECTION_RUNNING:
			advance_statement(connection);
			break;
		default:
			break;
	}
}

/*
 * Do what can be done without waiting, but only a step. What the other server, or the
 * network, makes of it is in the state, and raises no error. The texts of that are made
 * in the current memory context. When there is more to do at once, it is due.
 */
IdgenConnectionState
idgen_connection_advance(IdgenConnection *connection)
{
	advance(connection);
	if (connection->valve.open && connection->valve.received > MAX_RECEIVED)
		too_much(connection);
	if (is_opening(connection) && GetCurrentTimestamp() >= connection->host_deadline)
		next_host(connection, psprintf("There was no answer from host \"%s\", port %s, in time.", PQhost(connection->conn), PQport(connection->conn)));
	report_warnings(connection);
	return connection->state;
}

/*
 * Send a statement with parameters, each of which is a text of the type that the
 * statement says, on a connection that is ready.
 */
void
idgen_connection_send(IdgenConnection *connection, const char *sql, int nparams,
                      const char *const *params)
{
	PQclear(connection->result);
	connection->result = NULL;
	begin_statement(connection, IDGEN_CONNECTION_RUNNING,
	                PQsendQueryParams(connection->conn, sql, nparams, NULL, params, NULL, NULL, 0));
}

/* The answer to a statement, to be cleared by the caller: then it is ready for another one. */
PGresult *
idgen_connection_take_result(IdgenConnection *connection)
{
	PGresult *result = connection->result;

	connection->result = NULL;
	connection->state = IDGEN_CONNECTION_READY;
	return result;
}

/* Is something going on that is to be gone on with? */
static bool
is_at_work(const IdgenConnection *connection)
{
	return is_opening(connection) || connection->state == IDGEN_CONNECTION_RUNNING;
}

/* When it is to be advanced even if nothing happens to the socket; DT_NOEND = never. */
TimestampTz
idgen_connection_due(const IdgenConnection *connection)
{
	if (!is_at_work(connection) || PQstatus(connection->conn) == CONNECTION_BAD || awaited(connection) == 0)
		return GetCurrentTimestamp();
	return is_opening(connection) ? connection->host_deadline : DT_NOEND;
}

/* Is there a socket to wait for? */
static bool
is_waiting(const IdgenConnection *connection)
{
	return connection->taken && is_at_work(connection) &&
		PQsocket(connection->conn) != PGINVALID_SOCKET && awaited(connection) != 0;
}

/*
 * Wait for so many milliseconds at most, until a connection can be advanced or the process's
 * latch is set. The latch is left as it is.
 */
void
idgen_connections_wait(long timeout, uint32 wait_event)
{
	WaitEventSet *set;
	WaitEvent event;
	dlist_iter iter;
	int count = 0;

	dlist_foreach(iter, &connections)
		if (is_waiting(dlist_container(IdgenConnection, node, iter.cur)))
			count++;
	if (count == 0)
	{
		(void) WaitLatch(MyLatch, WL_LATCH_SET | WL_TIMEOUT | WL_EXIT_ON_PM_DEATH, timeout, wait_event);
		return;
	}

	set = CreateWaitEventSet(CurrentResourceOwner, count + 2);
	AddWaitEventToSet(set, WL_LATCH_SET, PGINVALID_SOCKET, MyLatch, NULL);
	if (IsUnderPostmaster)
		AddWaitEventToSet(set, WL_EXIT_ON_PM_DEATH, PGINVALID_SOCKET, NULL, NULL);
	dlist_foreach(iter, &connections)
	{
		IdgenConnection *connection = dlist_container(IdgenConnection, node, iter.cur);

		if (is_waiting(connection))
			AddWaitEventToSet(set, awaited(connection),
			                  connection->valve.open ? connection->valve.network : PQsocket(connection->conn), NULL, NULL);
	}
	(void) WaitEventSetWait(set, timeout, &event, 1, wait_event);
	FreeWaitEventSet(set);
}
