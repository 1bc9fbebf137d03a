/*
 * connection.c
 *		Connections to other servers: their states.
 *
 * A connection is used without blocking. What takes time is begun here, and
 * idgen_connection_advance() goes on with it, a small step at a time. In
 * between, the caller looks at its deadline and at interrupts, and waits for
 * the socket and for whatever else matters to it. So a session can be
 * cancelled while it waits for another server, and the worker can wait for
 * several servers at a time.
 *
 *	CLOSED ---> CONNECTING ---> SETTLING ---> READY ---> RUNNING ---> ANSWERED
 *	              ^   |            |            ^           |            |
 *	              |   |            |            +-----------|------------+
 *	              +---+------------+                        |
 *	                  |                                     |
 *	                  +------------> BROKEN <---------------+
 *
 * CLOSED
 *		It has never been open, or was closed, which can be done in any state:
 *		to give up a statement is to close its connection. The server there then
 *		ends the statement: it has been asked to look after the connection while
 *		it executes something. idgen_connection_open() begins with the first
 *		host: CONNECTING.
 * CONNECTING
 *		To the current host. When there is a link, the connection is SETTLING.
 *		If the host refuses, is silent for too long, or sends too much, it is
 *		CONNECTING to the next host. If there is none, or if the host has not
 *		asked for a password that is required, it is BROKEN.
 * SETTLING
 *		The new session is told our settings, one statement each. After the last
 *		one, the connection is READY. If that fails, it is CONNECTING to the
 *		next host, as above.
 * READY
 *		A caller may send a statement: RUNNING. If none has use for it, it is
 *		kept (connection_cache.c).
 * RUNNING
 *		The statement is at work. When all of the answer is there, so that it
 *		has committed, the connection is ANSWERED. If the link fails, or too
 *		much comes over it, it is BROKEN.
 * ANSWERED
 *		There is a result, which may be an error. Once the caller has taken it,
 *		the connection is READY.
 * BROKEN
 *		There is an error, and nothing is open.
 *
 * Nothing that another server sends is believed to be meant well. A valve lets
 * libpq have it in small portions, and of an opening or a statement only as
 * much as that can take.
 *
 * When several hosts are given, libpq would try the next one only when the one
 * before has answered "no", and not when it is silent. So each is tried by
 * itself, with an equal share of the time that is left. Several addresses of
 * one name, though, are one host.
 */
#include "postgres.h"

#include "storage/latch.h"
#include "utils/timestamp.h"

#include "common/compat.h"
#include "remote/connection.h"
#include "remote/remote_settings.h"

/*
 * How much may come for the opening of a connection, or for a statement, in kB.
 * Our statements are answered with some hundred bytes. An opening may take some
 * thousand of certificates. The longest message in an error or two is meant to
 * pass as well.
 */
#define MAX_RECEIVED_KB 128

/* Close it. It can be opened again. */
void
idgen_connection_close(IdgenConnection *connection)
{
	idgen_link_close(&connection->link);
	connection->state = IDGEN_CONNECTION_CLOSED;
}

/* A connection is BROKEN, for that reason. The texts are the caller's. */
static void
fail(IdgenConnection *connection, IdgenRemoteError error)
{
	idgen_link_close(&connection->link);
	connection->state = IDGEN_CONNECTION_BROKEN;
	connection->error = error;
}

/* A connection could not be opened; "detail" says why. */
static void
fail_to_connect(IdgenConnection *connection, const char *detail, const char *hint)
{
	IdgenRemoteError error = {
		.sqlerrcode = ERRCODE_SQLCLIENT_UNABLE_TO_ESTABLISH_SQLCONNECTION,
		.message = psprintf("could not connect to server \"%s\"", connection->server),
		.detail = detail,
		.hint = hint,
	};

	fail(connection, error);
}

/* There is a connection, but not by that user's own password. */
static void
fail_without_password(IdgenConnection *connection)
{
	IdgenRemoteError error = {
		.sqlerrcode = ERRCODE_S_R_E_PROHIBITED_SQL_STATEMENT_ATTEMPTED,
		.message = "password is required",
		.detail = psprintf("Server \"%s\" has not asked for it.", connection->server),
		.hint = "Change the authentication method there, or have a superuser set password_required to false in the user mapping.",
	};

	fail(connection, error);
}

/* The link of a statement has failed. */
static void
fail_by_loss(IdgenConnection *connection)
{
	IdgenRemoteError error = {
		.sqlerrcode = ERRCODE_CONNECTION_FAILURE,
		.message = psprintf("connection to server \"%s\" was lost", connection->server),
		.detail = idgen_link_error(&connection->link),
	};

	fail(connection, error);
}

/* More has come than can be meant as the answer of a statement. */
static void
fail_by_excess(IdgenConnection *connection)
{
	IdgenRemoteError error = {
		.sqlerrcode = ERRCODE_PROTOCOL_VIOLATION,
		.message = psprintf("server \"%s\" has sent more than %d kB",
	                        connection->server, MAX_RECEIVED_KB),
		.detail = "An answer to a refill is much shorter.",
		.hint = "Check what listens at the address of that server.",
	};

	fail(connection, error);
}

/* Is it being opened, so that another host may do? */
static bool
is_opening(const IdgenConnection *connection)
{
	return connection->state == IDGEN_CONNECTION_CONNECTING ||
		connection->state == IDGEN_CONNECTION_SETTLING;
}

/*
 * When to give up the current host: after connect_timeout, and such that the
 * hosts that follow have time as well.
 */
static TimestampTz
host_deadline(const IdgenOpening *opening)
{
	const IdgenConnectOptions *options = opening->options;
	TimestampTz now = GetCurrentTimestamp();
	TimestampTz deadline = now + (opening->deadline - now) / (options->nhosts - opening->host);

	if (options->connect_timeout > 0)
		deadline = Min(deadline, now + options->connect_timeout * USECS_PER_SEC);
	return deadline;
}

/* Begin with the current host: CONNECTING. */
static void
begin_host(IdgenConnection *connection)
{
	IdgenOpening *opening = &connection->opening;
	const IdgenConnectOptions *options = opening->options;

	switch (idgen_link_start(&connection->link, options->keywords,
	                         idgen_connect_values_for_host(options, opening->host)))
	{
		case IDGEN_LINK_STARTED:
			opening->settings = 0;
			opening->host_deadline = host_deadline(opening);
			connection->state = IDGEN_CONNECTION_CONNECTING;
			break;
		case IDGEN_LINK_NO_FILES:
			fail_to_connect(connection, "There are too many open files on the local server.",
			                "Raise the server's max_files_per_process and/or \"ulimit -n\" limits.");
			break;
		case IDGEN_LINK_NO_MEMORY:
			fail_to_connect(connection, "Out of memory.", NULL);
			break;
	}
}

/* Open it, to be READY before the deadline. The options stay the caller's. */
void
idgen_connection_open(IdgenConnection *connection, const IdgenConnectOptions *options,
                      TimestampTz deadline)
{
	idgen_connection_close(connection);
	connection->version = options->version;
	connection->opening = (IdgenOpening){
		.options = options,
		.deadline = deadline,
		.failures = makeStringInfo(),
	};
	begin_host(connection);
}

/* The current host will not do, for that reason: begin with the next one. */
static void
next_host(IdgenConnection *connection, const char *failure)
{
	IdgenOpening *opening = &connection->opening;

	appendStringInfo(opening->failures, "%s%s", opening->host > 0 ? "\n" : "", failure);
	idgen_connection_close(connection);
	if (++opening->host < opening->options->nhosts)
		begin_host(connection);
	else
		fail_to_connect(connection, opening->failures->data, NULL);
}

/* Tell the new session the next setting: SETTLING. If there is none, READY. */
static void
settle(IdgenConnection *connection)
{
	IdgenLink *link = &connection->link;
	const char *statement = idgen_setting_statement(connection->opening.settings++);

	if (statement == NULL)
		connection->state = IDGEN_CONNECTION_READY;
	else if (idgen_link_send(link, statement, 0, NULL) == IDGEN_LINK_FAILED)
		next_host(connection, idgen_link_error(link));
	else
		connection->state = IDGEN_CONNECTION_SETTLING;
}

/* There is a link to the current host. */
static void
take_link(IdgenConnection *connection)
{
	if (connection->opening.options->password_required &&
	    !PQconnectionUsedPassword(connection->link.conn))
		fail_without_password(connection);
	else
		settle(connection);
}

/*
 * There is no link to the current host. In whatever language, libpq names a
 * requirement that was not met.
 */
static void
take_refusal(IdgenConnection *connection)
{
	if (connection->opening.options->password_required &&
	    strstr(PQerrorMessage(connection->link.conn), IDGEN_PASSWORD_METHODS) != NULL)
		fail_without_password(connection);
	else
		next_host(connection, idgen_link_error(&connection->link));
}

/* Go on CONNECTING. */
static void
advance_connecting(IdgenConnection *connection)
{
	switch (idgen_link_connect(&connection->link))
	{
		case IDGEN_LINK_WAITS:
			break;
		case IDGEN_LINK_DONE:
			take_link(connection);
			break;
		case IDGEN_LINK_FAILED:
			take_refusal(connection);
			break;
	}
}

/* Why a setting could not be made. */
static const char *
why_unsettled(const PGresult *result)
{
	const char *message = idgen_result_message(result);

	return message != NULL ? message : "The connection was lost.";
}

/* The server has answered to a setting. */
static void
take_setting(IdgenConnection *connection)
{
	const PGresult *result = connection->link.result;
	IdgenSettingOutcome outcome = idgen_setting_outcome(result);

	if (outcome == IDGEN_SETTING_FAILED)
	{
		next_host(connection, why_unsettled(result));
		return;
	}
	if (connection->opening.settings == 1)
	{
		connection->knows_set_config = outcome == IDGEN_SETTING_MADE;
		connection->lacks_function = false;
	}
	settle(connection);
}

/* Go on SETTLING. */
static void
advance_settling(IdgenConnection *connection)
{
	IdgenLink *link = &connection->link;

	switch (idgen_link_receive(link))
	{
		case IDGEN_LINK_WAITS:
			break;
		case IDGEN_LINK_FAILED:
			next_host(connection, idgen_link_error(link));
			break;
		case IDGEN_LINK_DONE:
			take_setting(connection);
			break;
	}
}

/* Go on RUNNING. */
static void
advance_running(IdgenConnection *connection)
{
	switch (idgen_link_receive(&connection->link))
	{
		case IDGEN_LINK_WAITS:
			break;
		case IDGEN_LINK_DONE:
			connection->state = IDGEN_CONNECTION_ANSWERED;
			break;
		case IDGEN_LINK_FAILED:
			fail_by_loss(connection);
			break;
	}
}

/* Do the next small thing, unless that has to wait, or nothing is going on. */
static void
advance(IdgenConnection *connection)
{
	switch (connection->state)
	{
		case IDGEN_CONNECTION_CONNECTING:
			advance_connecting(connection);
			break;
		case IDGEN_CONNECTION_SETTLING:
			advance_settling(connection);
			break;
		case IDGEN_CONNECTION_RUNNING:
			advance_running(connection);
			break;
		default:
			break;
	}
}

/* End what takes too much, of bytes or of time. */
static void
check_limits(IdgenConnection *connection)
{
	const IdgenLink *link = &connection->link;

	if (link->valve.open && link->valve.received > MAX_RECEIVED_KB * INT64CONST(1024))
	{
		if (is_opening(connection))
			next_host(connection,
			          psprintf("Server \"%s\" has sent more than %d kB before it was ready.",
			                   connection->server, MAX_RECEIVED_KB));
		else
			fail_by_excess(connection);
	}
	if (is_opening(connection) && GetCurrentTimestamp() >= connection->opening.host_deadline)
		next_host(connection,
		          psprintf("There was no answer from host \"%s\", port %s, in time.",
		                   PQhost(link->conn), PQport(link->conn)));
}

/*
 * Do what can be done without waiting, but only a step. What the other server,
 * or the network, makes of it is in the state, and raises no error. The texts
 * of that are made in the current memory context. When there is more to do at
 * once, it is due.
 */
IdgenConnectionState
idgen_connection_advance(IdgenConnection *connection)
{
	advance(connection);
	check_limits(connection);
	idgen_warnings_report(&connection->link.warnings, connection->server);
	return connection->state;
}

/*
 * Send a statement on a connection that is READY: RUNNING. See
 * idgen_link_send().
 */
void
idgen_connection_send(IdgenConnection *connection, const char *sql, int nparams,
                      const char *const *params)
{
	IdgenLink *link = &connection->link;

	Assert(connection->state == IDGEN_CONNECTION_READY);
	link->valve.received = 0;
	idgen_warnings_reset(&link->warnings);
	if (idgen_link_send(link, sql, nparams, params) == IDGEN_LINK_FAILED)
		fail_by_loss(connection);
	else
		connection->state = IDGEN_CONNECTION_RUNNING;
}

/*
 * The answer to a statement, to be cleared by the caller. Then it is READY
 * again.
 */
PGresult *
idgen_connection_take_result(IdgenConnection *connection)
{
	Assert(connection->state == IDGEN_CONNECTION_ANSWERED);
	connection->state = IDGEN_CONNECTION_READY;
	return idgen_link_take_result(&connection->link);
}

/*
 * What has to happen to its socket before it can be advanced: WL_SOCKET_*; 0 =
 * nothing, or nothing is going on.
 */
int
idgen_connection_awaits(const IdgenConnection *connection)
{
	bool is_at_work = is_opening(connection) || connection->state == IDGEN_CONNECTION_RUNNING;

	return is_at_work ? idgen_link_awaits(&connection->link) : 0;
}

/*
 * When to advance a connection even if nothing happens to the socket; DT_NOEND
 * = never.
 */
TimestampTz
idgen_connection_due(const IdgenConnection *connection)
{
	if (idgen_connection_awaits(connection) == 0)
		return GetCurrentTimestamp();
	return is_opening(connection) ? connection->opening.host_deadline : DT_NOEND;
}
