/*
 * connection_open.c
 *		A connection that is being opened.
 *
 * connection.c tells what the states are: here are CONNECTING, SETTLING and
 * PAUSED. Which host is tried, when, and for how long, is known by opening.c.
 */
#include "postgres.h"

#include "utils/timestamp.h"

#include "common/compat.h"
#include "remote/connection_internal.h"
#include "remote/remote_settings.h"

/* A connection could not be opened, for that reason. */
static void
fail_to_connect(IdgenConnection *connection, IdgenRemoteError reason)
{
	reason.sqlerrcode = ERRCODE_SQLCLIENT_UNABLE_TO_ESTABLISH_SQLCONNECTION;
	reason.message = psprintf("could not connect to server \"%s\"", connection->server);
	idgen_connection_fail(connection, reason);
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

	idgen_connection_fail(connection, error);
}

/* Begin with the current host: CONNECTING. */
static void
begin_host(IdgenConnection *connection)
{
	const IdgenConnectOptions *options = connection->opening.options;
	IdgenRemoteError no_files = {
		.detail = "There are too many open files on the local server.",
		.hint = "Raise the server's max_files_per_process and/or \"ulimit -n\" limits.",
	};
	IdgenRemoteError no_memory = {.detail = "Out of memory."};

	switch (idgen_link_start(&connection->link, options->keywords,
	                         options->hosts[idgen_opening_host(&connection->opening)].values))
	{
		case IDGEN_LINK_STARTED:
			connection->state = IDGEN_CONNECTION_CONNECTING;
			break;
		case IDGEN_LINK_NO_FILES:
			fail_to_connect(connection, no_files);
			break;
		case IDGEN_LINK_NO_MEMORY:
			fail_to_connect(connection, no_memory);
			break;
	}
}

/* No host will do, or not in time. */
static void
fail_at_all_hosts(IdgenConnection *connection)
{
	IdgenRemoteError reason = {
		.detail = idgen_opening_failures(&connection->opening),
		.lasts = idgen_opening_is_useless(&connection->opening),
	};

	fail_to_connect(connection, reason);
}

/* Go on with opening it. */
static void
go_on_opening(IdgenConnection *connection, IdgenOpeningStep step)
{
	switch (step)
	{
		case IDGEN_OPENING_TRY:
			begin_host(connection);
			break;
		case IDGEN_OPENING_PAUSE:
			connection->state = IDGEN_CONNECTION_PAUSED;
			break;
		case IDGEN_OPENING_OVER:
			fail_at_all_hosts(connection);
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
	go_on_opening(connection, idgen_opening_begin(&connection->opening, options, connection->serverid, deadline));
}

/* The current host will not do, for that reason: go on with the next one. */
static void
next_host(IdgenConnection *connection, IdgenHostVerdict verdict, const char *failure)
{
	IdgenOpeningStep step = idgen_opening_reject(&connection->opening, verdict, failure);

	idgen_connection_close(connection);
	go_on_opening(connection, step);
}

/* The verdict on a host that has refused with that SQLSTATE. */
static IdgenHostVerdict
verdict_on(int sqlerrcode)
{
	return idgen_sqlstate_passes(sqlerrcode) ? IDGEN_HOST_NOT_NOW : IDGEN_HOST_USELESS;
}

/*
 * A connection is READY that the caller has opened, and of no use: its host
 * only reads, or is about to end. Go on with the next host.
 */
void
idgen_connection_reject_host(IdgenConnection *connection, const char *failure)
{
	MemoryContext context = MemoryContextSwitchTo(connection->opening.memory);

	Assert(connection->state == IDGEN_CONNECTION_READY);
	next_host(connection, IDGEN_HOST_NOT_NOW, failure);
	MemoryContextSwitchTo(context);
}

/* Tell the new session the next setting: SETTLING. If there is none, READY. */
static void
settle(IdgenConnection *connection)
{
	IdgenLink *link = &connection->link;
	const char *statement = idgen_setting_statement(connection->opening.settings++);

	if (statement == NULL)
	{
		connection->state = IDGEN_CONNECTION_READY;
		idgen_opening_succeed(&connection->opening);
	}
	else if (idgen_link_send(link, statement, 0, NULL) == IDGEN_LINK_FAILED)
		next_host(connection, IDGEN_HOST_NOT_NOW, idgen_link_error(link));
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
 * Is it libpq itself that refuses: what the other server has said, or what the
 * options say? The options stay the same, so they are looked at once.
 */
static bool
libpq_refuses(const IdgenConnection *connection)
{
	const IdgenLink *link = &connection->link;

	if (idgen_link_is_objected_to(link))
		return true;
	return connection->opening.rounds == 1 && !link->valve.open && !idgen_link_accepts_options(link);
}

/*
 * There is no link to the current host. In whatever language, libpq names a
 * requirement that was not met.
 */
static void
take_refusal(IdgenConnection *connection)
{
	const IdgenLink *link = &connection->link;
	char *message = pstrdup(idgen_link_error(link));
	int sqlerrcode = idgen_take_sqlstate(message);
	IdgenHostVerdict verdict = sqlerrcode == 0 && libpq_refuses(connection) ? IDGEN_HOST_USELESS : verdict_on(sqlerrcode);

	if (connection->opening.options->password_required &&
	    strstr(PQerrorMessage(link->conn), IDGEN_PASSWORD_METHODS) != NULL)
		fail_without_password(connection);
	else
		next_host(connection, verdict, message);
}

/* Begin anew if the pause is over. */
static void
advance_paused(IdgenConnection *connection)
{
	if (GetCurrentTimestamp() >= connection->opening.due)
		go_on_opening(connection, idgen_opening_resume(&connection->opening));
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

/* A setting could not be made, for that reason. */
static void
take_unsettled(IdgenConnection *connection, const PGresult *result)
{
	const char *message = idgen_result_message(result);

	if (message == NULL)
		message = "The connection was lost.";
	next_host(connection, verdict_on(idgen_result_sqlstate(result)), message);
}

/* The server has answered to a setting. */
static void
take_setting(IdgenConnection *connection)
{
	const PGresult *result = connection->link.result;
	IdgenSettingOutcome outcome = idgen_setting_outcome(result);

	if (outcome == IDGEN_SETTING_FAILED)
	{
		take_unsettled(connection, result);
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
			next_host(connection, verdict_on(idgen_result_sqlstate(link->result)), idgen_link_error(link));
			break;
		case IDGEN_LINK_DONE:
			take_setting(connection);
			break;
	}
}

/* Go on with it, a small step. */
void
idgen_connection_advance_opening(IdgenConnection *connection)
{
	switch (connection->state)
	{
		case IDGEN_CONNECTION_PAUSED:
			advance_paused(connection);
			break;
		case IDGEN_CONNECTION_CONNECTING:
			advance_connecting(connection);
			break;
		case IDGEN_CONNECTION_SETTLING:
			advance_settling(connection);
			break;
		default:
			break;
	}
}

/* The current host is silent: why it will not do, palloc'd. */
static const char *
why_silent(const IdgenConnection *connection)
{
	const PGconn *conn = connection->link.conn;

	return psprintf("There was no answer from host \"%s\", port %s, in time.", PQhost(conn), PQport(conn));
}

/*
 * The caller has no more time for a connection that is being opened: BROKEN.
 */
void
idgen_connection_give_up_opening(IdgenConnection *connection)
{
	if (idgen_connection_is_at_host(connection))
		(void) idgen_opening_reject(&connection->opening, IDGEN_HOST_SILENT, why_silent(connection));
	fail_at_all_hosts(connection);
}

/* Give up a host that takes too long, or has sent too much: "excess". */
void
idgen_connection_limit_opening(IdgenConnection *connection, bool excess)
{
	if (excess)
		next_host(connection, IDGEN_HOST_USELESS,
		          psprintf("Server \"%s\" has sent more than %d kB before it was ready.",
		                   connection->server, IDGEN_MAX_RECEIVED_KB));
	else if (idgen_connection_is_at_host(connection) && GetCurrentTimestamp() >= connection->opening.due)
		next_host(connection, IDGEN_HOST_SILENT, why_silent(connection));
}
