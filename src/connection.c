/*
 * connection.c
 *		Connections to other servers, used without blocking.
 *
 * Whatever takes time is begun here and gone on with by idgen_connection_advance(),
 * between which the caller waits for the socket and for anything else that
 * matters to it. So a session can be cancelled while it waits for another server, and
 * the worker has something going on with several at a time.
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
 * LDAP, and Kerberos.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "storage/fd.h"
#include "storage/latch.h"
#include "utils/memutils.h"
#include "utils/timestamp.h"

#include "compat.h"
#include "connection.h"

/* Only the worker has use for more than one. */
#define MAX_CONNECTIONS 4

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

/* Close it; it can be opened again. */
void
idgen_connection_close(IdgenConnection *connection)
{
	PQclear(connection->result);
	connection->result = NULL;
	if (connection->conn != NULL)
	{
		PQfinish(connection->conn);
		ReleaseExternalFD();
	}
	connection->conn = NULL;
	connection->state = IDGEN_CONNECTION_CLOSED;
}

/* The user has no more use for the connection now. */
void
idgen_connection_give_back(IdgenConnection *connection)
{
	connection->taken = false;
	if (connection->state == IDGEN_CONNECTION_READY)
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
 * What has gone wrong with a statement, as the other server or libpq says, palloc'd; NULL if
 * neither does.
 */
const char *
idgen_result_message(const PGresult *result)
{
	const char *message = PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY);

	if (message == NULL)
		message = PQresultErrorMessage(result);
	return message[0] != '\0' ? pchomp(message) : NULL;
}

/* What libpq says about the last failure. */
static char *
libpq_error(const IdgenConnection *connection)
{
	return pchomp(PQerrorMessage(connection->conn));
}

/* What another server says besides results: warnings go to the log. */
static void
receive_notice(void *arg, const PGresult *result)
{
	const IdgenConnection *connection = (const IdgenConnection *) arg;
	const char *severity = PQresultErrorField(result, PG_DIAG_SEVERITY_NONLOCALIZED);
	const char *message = PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY);

	if (severity != NULL && strcmp(severity, "WARNING") == 0 && message != NULL)
		ereport(LOG,
		        (errmsg("server \"%s\" warns: %s", connection->server, message),
		         errhidestmt(true)));
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

/* Take one of the files that this process may have open, if another one is left to wait with. */
static bool
acquire_socket(void)
{
	bool acquired = AcquireExternalFD();
	bool can_wait = acquired && AcquireExternalFD();

	if (acquired)
		ReleaseExternalFD(); /* the one to wait with; or it is of no use */
	return can_wait;
}

/* Begin to connect to the current host. */
static void
begin_host(IdgenConnection *connection)
{
	const IdgenConnectOptions *options = connection->options;

	if (!acquire_socket())
	{
		not_connected(connection, "There are too many open files on the local server.",
		              "Raise the server's max_files_per_process and/or \"ulimit -n\" limits.");
		return;
	}
	connection->conn = PQconnectStartParams(options->keywords, idgen_server_values_for_host(options, connection->host), false);
	if (connection->conn == NULL)
	{
		ReleaseExternalFD();
		not_connected(connection, "Out of memory.", NULL);
		return;
	}
	PQsetNoticeReceiver(connection->conn, receive_notice, connection);
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

/* A statement has been sent, or cannot be. */
static void
begin_statement(IdgenConnection *connection, IdgenConnectionState state, int sent)
{
	if (!sent)
	{
		give_up(connection, libpq_error(connection));
		return;
	}
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

/* Go on connecting. Returns false if that has to wait, since libpq must not be called too early. */
static bool
advance_connecting(IdgenConnection *connection)
{
	PGconn *conn = connection->conn;

	if (PQstatus(conn) != CONNECTION_BAD &&
	    (WaitLatchOrSocket(NULL, connection->wait_for | WL_TIMEOUT | WL_EXIT_ON_PM_DEATH, PQsocket(conn), 0, 0) &
	     connection->wait_for) == 0)
		return false;

	switch (PQconnectPoll(conn))
	{
		case PGRES_POLLING_READING:
			connection->wait_for = WL_SOCKET_READABLE;
			break;
		case PGRES_POLLING_OK:
			(void) PQsetnonblocking(conn, 1);
			connection->settings = 0;
			if (connection->options->password_required && !PQconnectionUsedPassword(conn))
				password_not_used(connection);
			else
				settle(connection);
			break;
		case PGRES_POLLING_FAILED:
			next_host(connection, libpq_error(connection));
			break;
		default:
			connection->wait_for = WL_SOCKET_WRITEABLE;
	}
	return true;
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

/*
 * Receive what there is of a statement's answer. Returns true once that is complete, and so
 * the statement committed, or if it cannot be gone on with.
 */
static bool
receive(IdgenConnection *connection)
{
	PGconn *conn = connection->conn;
	int unsent = PQflush(conn);
	bool is_over = unsent < 0 || !PQconsumeInput(conn);
	PGresult *result;
	bool copy;

	connection->wait_for = WL_SOCKET_READABLE | (unsent > 0 ? WL_SOCKET_WRITEABLE : 0);
	while (is_over || !PQisBusy(conn))
	{
		result = PQgetResult(conn);
		if (result == NULL)
			return true;
		copy = is_copy(result);
		keep_result(connection, result);
		if (copy)
			return true;
	}
	return false;
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

/* Go on with a statement. Returns false if that has to wait. */
static bool
advance_statement(IdgenConnection *connection)
{
	if (!receive(connection))
		return false;
	connection->wait_for = 0;
	if (PQstatus(connection->conn) != CONNECTION_OK ||
	    PQtransactionStatus(connection->conn) != PQTRANS_IDLE)
		give_up(connection, idgen_result_message(connection->result));
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
	return true;
}

/* Do the next thing. Returns false if that has to wait, or nothing is going on. */
static bool
advance(IdgenConnection *connection)
{
	switch (connection->state)
	{
		case IDGEN_CONNECTION_CONNECTING:
			return advance_connecting(connection);
		case IDGEN_CONNECTION_SETTLING:
		case IDGEN_CONNECTION_RUNNING:
			return advance_statement(connection);
		default:
			return false;
	}
}

/*
 * Do what can be done without waiting. What the other server, or the network, makes of it is
 * in the state, and raises no error. The texts of that are made in the current memory
 * context.
 */
IdgenConnectionState
idgen_connection_advance(IdgenConnection *connection)
{
	for (;;)
	{
		if (advance(connection))
			continue;
		if (!is_opening(connection) || GetCurrentTimestamp() < connection->host_deadline)
			return connection->state;
		next_host(connection, psprintf("There was no answer from host \"%s\", port %s, in time.", PQhost(connection->conn), PQport(connection->conn)));
	}
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

/* When it is to be advanced even if nothing happens to the socket; DT_NOEND = never. */
TimestampTz
idgen_connection_due(const IdgenConnection *connection)
{
	return is_opening(connection) ? connection->host_deadline : DT_NOEND;
}

/* Is there a socket to wait for? */
static bool
is_waiting(const IdgenConnection *connection)
{
	return connection->taken && connection->conn != NULL && connection->wait_for != 0 &&
		PQsocket(connection->conn) != PGINVALID_SOCKET;
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
			AddWaitEventToSet(set, connection->wait_for, PQsocket(connection->conn), NULL, NULL);
	}
	(void) WaitEventSetWait(set, timeout, &event, 1, wait_event);
	FreeWaitEventSet(set);
}
