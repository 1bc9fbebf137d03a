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
 * is over, unless something is wrong with it, or server or user mapping were changed. To give
 * up a statement is to close its connection. The server there then ends the statement: it
 * has been asked to look after the connection while it executes something.
 *
 * When several hosts are given, libpq would try the next one only when the one before has
 * answered "no", and not when it is silent. So each is tried by itself, with an equal share of the
 * time that is left.
 *
 * What does block is the look-up of a host's name, which libpq does in one go.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "storage/fd.h"
#include "storage/latch.h"
#include "utils/inval.h"
#include "utils/memutils.h"
#include "utils/syscache.h"
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

/* Changes whenever a server or a user mapping does. */
uint64 idgen_connections_version = 1;

static dlist_head connections = DLIST_STATIC_INIT(connections);

static void
catalog_changed(Datum arg, int cacheid, uint32 hashvalue)
{
	idgen_connections_version++;
}

/* Ask the server to tell us about changes. Called once per process. */
void
idgen_connections_init(void)
{
	CacheRegisterSyscacheCallback(FOREIGNSERVEROID, catalog_changed, (Datum) 0);
	CacheRegisterSyscacheCallback(USERMAPPINGOID, catalog_changed, (Datum) 0);
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

/*
 * A connection to a server, of that name, as some user: one that is kept, and so ready, or one
 * that has to be opened; NULL if the process has enough of them at work.
 */
IdgenConnection *
idgen_connection_take(Oid serverid, const char *server, Oid userid)
{
	IdgenConnection *found = NULL;
	dlist_mutable_iter iter;
	int count = 0;

	dlist_foreach_modify(iter, &connections)
	{
		IdgenConnection *connection = dlist_container(IdgenConnection, node, iter.cur);

		if (!connection->taken && connection->version != idgen_connections_version)
		{
			idgen_connection_close(connection);
			idgen_connection_give_back(connection);
			continue;
		}
		if (connection->serverid != serverid || connection->userid != userid)
			continue;
		count++;
		if (!connection->taken)
			found = connection;
	}
	if (found == NULL && count < MAX_CONNECTIONS)
		found = make_connection(serverid, server, userid);
	if (found != NULL)
		found->taken = true;
	return found;
}

/* It is broken, for that reason. The texts are the caller's. */
static void
broken(IdgenConnection *connection, int sqlerrcode, const char *message,
       const char *detail, const char *hint)
{
	idgen_connection_close(connection);
	connection->state = IDGEN_CONNECTION_BROKEN;
	connection->error.sqlerrcode = sqlerrcode;
	connection->error.message = message;
	connection->error.detail = detail;
	connection->error.hint = hint;
}

/* It could not be opened; "detail" says why. */
static void
not_connected(IdgenConnection *connection, const char *detail)
{
	broken(connection, ERRCODE_SQLCLIENT_UNABLE_TO_ESTABLISH_SQLCONNECTION,
	       psprintf("could not connect to server \"%s\"", connection->server), detail, NULL);
}

/* It was open, and is not any more; "detail" says why. */
static void
lost(IdgenConnection *connection, const char *detail)
{
	broken(connection, ERRCODE_CONNECTION_FAILURE,
	       psprintf("connection to server \"%s\" was lost", connection->server), detail, NULL);
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

/* The number of items in a list with commas. */
static int
count_items(const char *list)
{
	int items = 1;

	for (; *list != '\0'; list++)
		if (*list == ',')
			items++;
	return items;
}

/* The nth one, from 0. */
static const char *
nth_item(const char *list, int n)
{
	for (; n > 0; n--)
		list = strchr(list, ',') + 1;
	return pnstrdup(list, strcspn(list, ","));
}

/* The value of a parameter, or NULL. */
static const char *
find_value(const IdgenConnectOptions *options, const char *keyword)
{
	for (int i = 0; options->keywords[i] != NULL; i++)
		if (strcmp(options->keywords[i], keyword) == 0)
			return options->values[i];
	return NULL;
}

/* How many hosts do the options name? */
static int
count_hosts(const IdgenConnectOptions *options)
{
	const char *host = find_value(options, "host");
	const char *hostaddr = find_value(options, "hostaddr");

	return Max(host != NULL ? count_items(host) : 1, hostaddr != NULL ? count_items(hostaddr) : 1);
}

/* The values of the parameters for the current host. Lists that do not match are left to libpq to complain about. */
static const char **
values_for_host(const IdgenConnection *connection)
{
	const IdgenConnectOptions *options = connection->options;
	static const char *const listed[] = {"host", "hostaddr", "port"};
	const char **values;
	int n = 0;

	while (options->keywords[n] != NULL)
		n++;
	values = palloc0((n + 1) * sizeof(char *));
	for (int i = 0; i < n; i++)
	{
		values[i] = options->values[i];
		for (int j = 0; j < (int) lengthof(listed) && connection->nhosts > 1; j++)
			if (strcmp(options->keywords[i], listed[j]) == 0 && count_items(values[i]) == connection->nhosts)
				values[i] = nth_item(values[i], connection->host);
	}
	return values;
}

/* When to give up the current host: connect_timeout, and the others need time, too. */
static TimestampTz
host_deadline(const IdgenConnection *connection)
{
	TimestampTz now = GetCurrentTimestamp();
	TimestampTz deadline = now + (connection->deadline - now) / (connection->nhosts - connection->host);
	const char *value = find_value(connection->options, "connect_timeout");
	long timeout = value != NULL ? strtol(value, NULL, 10) : 0;

	if (timeout > 0 && timeout <= INT_MAX / 1000)
		deadline = Min(deadline, TimestampTzPlusMilliseconds(now, timeout * 1000));
	return deadline;
}

/* Begin to connect to the current host. */
static void
begin_host(IdgenConnection *connection)
{
	if (!AcquireExternalFD())
	{
		broken(connection, ERRCODE_SQLCLIENT_UNABLE_TO_ESTABLISH_SQLCONNECTION,
		       psprintf("could not connect to server \"%s\"", connection->server),
		       "There are too many open files on the local server.",
		       "Raise the server's max_files_per_process and/or \"ulimit -n\" limits.");
		return;
	}
	connection->conn = PQconnectStartParams(connection->options->keywords, values_for_host(connection), false);
	if (connection->conn == NULL)
	{
		ReleaseExternalFD();
		not_connected(connection, "Out of memory.");
		return;
	}
	PQsetNoticeReceiver(connection->conn, receive_notice, connection);
	connection->host_deadline = host_deadline(connection);
	connection->wait_for = WL_SOCKET_WRITEABLE;
	connection->state = IDGEN_CONNECTION_CONNECTING;
}

/* Open it, to be ready before the deadline. The options stay the caller's. */
void
idgen_connection_open(IdgenConnection *connection, const IdgenConnectOptions *options,
                      uint64 version, TimestampTz deadline)
{
	idgen_connection_close(connection);
	connection->options = options;
	connection->version = version;
	connection->deadline = deadline;
	connection->nhosts = count_hosts(options);
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
	if (++connection->host < connection->nhosts)
		begin_host(connection);
	else
		not_connected(connection, connection->failures->data);
}

/* Has happened to the socket what libpq waits for? */
static bool
socket_is_ready(const IdgenConnection *connection)
{
	return (WaitLatchOrSocket(NULL, connection->wait_for | WL_TIMEOUT | WL_EXIT_ON_PM_DEATH,
	                          PQsocket(connection->conn), 0, 0) &
	        connection->wait_for) != 0;
}

/* Let libpq do what it wants with the statement being sent. */
static void
begin_statement(IdgenConnection *connection, IdgenConnectionState state, int sent)
{
	if (sent)
	{
		connection->state = state;
		connection->wait_for = WL_SOCKET_READABLE | WL_SOCKET_WRITEABLE;
	}
	else
		lost(connection, libpq_error(connection));
}

/* Go on with the settings of the new session, or be ready. */
static void
settle(IdgenConnection *connection)
{
	if (connection->settings == (int) lengthof(settings))
	{
		connection->state = IDGEN_CONNECTION_READY;
		connection->wait_for = 0;
	}
	else
		begin_statement(connection, IDGEN_CONNECTION_SETTLING,
		                PQsendQuery(connection->conn, settings[connection->settings++]));
}

/* It is connected: check that it may be. */
static void
connected(IdgenConnection *connection)
{
	if (connection->options->password_required && !PQconnectionUsedPassword(connection->conn))
	{
		broken(connection, ERRCODE_S_R_E_PROHIBITED_SQL_STATEMENT_ATTEMPTED,
		       "password is required",
		       psprintf("Server \"%s\" has not asked for it, so the connection is not that of a user who knows it.", connection->server),
		       "Change the authentication method there, or have a superuser set password_required to false in the user mapping.");
		return;
	}
	(void) PQsetnonblocking(connection->conn, 1);
	connection->settings = 0;
	settle(connection);
}

/* Go on connecting. Returns false if that has to wait. */
static bool
advance_connecting(IdgenConnection *connection)
{
	PostgresPollingStatusType status;

	if (GetCurrentTimestamp() >= connection->host_deadline)
	{
		next_host(connection, psprintf("There was no answer from host \"%s\", port %s, in time.", PQhost(connection->conn), PQport(connection->conn)));
		return true;
	}
	if (PQstatus(connection->conn) != CONNECTION_BAD && !socket_is_ready(connection))
		return false;
	status = PQconnectPoll(connection->conn);
	if (status == PGRES_POLLING_OK)
		connected(connection);
	else if (status == PGRES_POLLING_FAILED)
		next_host(connection, libpq_error(connection));
	else
		connection->wait_for = status == PGRES_POLLING_READING ? WL_SOCKET_READABLE : WL_SOCKET_WRITEABLE;
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

/* What has gone wrong with a statement, as the other server or libpq says; NULL if neither does. */
static char *
result_message(const IdgenConnection *connection)
{
	const char *primary = PQresultErrorField(connection->result, PG_DIAG_MESSAGE_PRIMARY);
	char *message = primary != NULL ? pstrdup(primary) : libpq_error(connection);

	return message[0] != '\0' ? message : NULL;
}

/* Can a setting be done without, since the server does not know it, or has another syntax? */
static bool
is_dispensable(const PGresult *result)
{
	const char *sqlstate = PQresultErrorField(result, PG_DIAG_SQLSTATE);

	return PQresultStatus(result) == PGRES_TUPLES_OK ||
		(sqlstate != NULL && (strncmp(sqlstate, "42", 2) == 0 || strncmp(sqlstate, "22", 2) == 0 || strncmp(sqlstate, "0A", 2) == 0));
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
		lost(connection, result_message(connection));
	else if (connection->state == IDGEN_CONNECTION_RUNNING)
		connection->state = IDGEN_CONNECTION_ANSWERED;
	else if (is_dispensable(connection->result))
	{
		PQclear(connection->result);
		connection->result = NULL;
		settle(connection);
	}
	else
		not_connected(connection, result_message(connection));
	return true;
}

/*
 * Do what can be done without waiting. Memory that is needed for errors is the caller's
 * current one. Raises no error.
 */
IdgenConnectionState
idgen_connection_advance(IdgenConnection *connection)
{
	bool advanced = true;

	while (advanced)
		switch (connection->state)
		{
			case IDGEN_CONNECTION_CONNECTING:
				advanced = advance_connecting(connection);
				break;
			case IDGEN_CONNECTION_SETTLING:
			case IDGEN_CONNECTION_RUNNING:
				advanced = advance_statement(connection);
				break;
			default:
				advanced = false;
		}
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

/* When it is to be advanced even if nothing happens to the socket; DT_NOEND = never. */
TimestampTz
idgen_connection_due(const IdgenConnection *connection)
{
	return connection->state == IDGEN_CONNECTION_CONNECTING ? connection->host_deadline : DT_NOEND;
}

/*
 * Wait until a connection can be advanced, the process's latch is set, or it is that
 * time. The latch is left as it is.
 */
void
idgen_connections_wait(TimestampTz until, uint32 wait_event)
{
	long timeout = TimestampDifferenceMilliseconds(GetCurrentTimestamp(), until);
	WaitEventSet *set;
	WaitEvent event;
	dlist_iter iter;
	int count = 2;

	dlist_foreach(iter, &connections)
		count++;
	set = CreateWaitEventSet(CurrentResourceOwner, count);
	AddWaitEventToSet(set, WL_LATCH_SET, PGINVALID_SOCKET, MyLatch, NULL);
	AddWaitEventToSet(set, WL_EXIT_ON_PM_DEATH, PGINVALID_SOCKET, NULL, NULL);
	dlist_foreach(iter, &connections)
	{
		IdgenConnection *connection = dlist_container(IdgenConnection, node, iter.cur);

		if (connection->taken && connection->conn != NULL && connection->wait_for != 0 &&
		    PQsocket(connection->conn) != PGINVALID_SOCKET)
			AddWaitEventToSet(set, connection->wait_for, PQsocket(connection->conn), NULL, NULL);
	}
	(void) WaitEventSetWait(set, timeout, &event, 1, wait_event);
	FreeWaitEventSet(set);
}
