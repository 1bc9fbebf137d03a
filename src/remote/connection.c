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
 *	               ^ |              |         ^   |         |            |
 *	               | v              v         |   v         |            |
 *	       PAUSED, or the next host <---------|---+         |            |
 *	                 |                        +-------------|------------+
 *	                 +-----------> BROKEN <-----------------+
 *
 * CLOSED
 *		It has never been open, or was closed, which can be done in any state:
 *		to give up a statement is to close its connection. The server there then
 *		ends the statement: it has been asked to look after the connection while
 *		it executes something. idgen_connection_open() begins with one of the
 *		hosts: CONNECTING; or, if somebody has just tried in vain, it is PAUSED.
 * PAUSED
 *		All hosts have been tried in vain. When the pause is over, it is
 *		CONNECTING to the first one again.
 * CONNECTING
 *		To the current host. When there is a link, the connection is SETTLING.
 *		If the host refuses, is silent for too long, or sends too much, it is
 *		CONNECTING to the next host. If there is none, it is PAUSED; or BROKEN,
 *		if the time is over or no host would do later either. It is BROKEN as
 *		well if the host has not asked for a password that is required.
 *		connection_open.c is about this state and the two next to it, opening.c
 *		about which host is the next one, and when.
 * SETTLING
 *		The new session is told our settings, one statement each. After the last
 *		one, the connection is READY. If that fails, it goes on with the next
 *		host, as above.
 * READY
 *		A caller may send a statement: RUNNING. If none has use for it, it is
 *		kept (connection_cache.c). The caller that has it opened may say that
 *		the host will not do after all: it goes on with the next one, as above.
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
 */
#include "postgres.h"

#include "storage/latch.h"
#include "utils/timestamp.h"

#include "common/compat.h"
#include "remote/connection_internal.h"

/* Close it. It can be opened again. */
void
idgen_connection_close(IdgenConnection *connection)
{
	idgen_link_close(&connection->link);
	connection->state = IDGEN_CONNECTION_CLOSED;
}

/* A connection is BROKEN, for that reason. The texts are the caller's. */
void
idgen_connection_fail(IdgenConnection *connection, IdgenRemoteError error)
{
	idgen_link_close(&connection->link);
	connection->state = IDGEN_CONNECTION_BROKEN;
	connection->error = error;
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

	idgen_connection_fail(connection, error);
}

/* More has come than can be meant as the answer of a statement. */
static void
fail_by_excess(IdgenConnection *connection)
{
	IdgenRemoteError error = {
		.sqlerrcode = ERRCODE_PROTOCOL_VIOLATION,
		.message = psprintf("server \"%s\" has sent more than %d kB",
	                        connection->server, IDGEN_MAX_RECEIVED_KB),
		.detail = "An answer to a refill is much shorter.",
		.hint = "Check what listens at the address of that server.",
	};

	idgen_connection_fail(connection, error);
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
	if (idgen_connection_is_opening(connection))
		idgen_connection_advance_opening(connection);
	else if (connection->state == IDGEN_CONNECTION_RUNNING)
		advance_running(connection);
}

/* End what takes too much, of bytes or of time. */
static void
check_limits(IdgenConnection *connection)
{
	bool excess = connection->link.valve.open &&
		connection->link.valve.received > IDGEN_MAX_RECEIVED_KB * INT64CONST(1024);

	if (idgen_connection_is_opening(connection))
		idgen_connection_limit_opening(connection, excess);
	else if (excess)
		fail_by_excess(connection);
}

/*
 * Do what can be done without waiting, but only a step. What the other server,
 * or the network, makes of it is in the state, and raises no error. The texts
 * of that are in the memory of the caller that has the connection opened, or
 * that waits for an answer. When there is more to do at once, it is due.
 */
IdgenConnectionState
idgen_connection_advance(IdgenConnection *connection)
{
	MemoryContext context = CurrentMemoryContext;

	if (idgen_connection_is_opening(connection))
		MemoryContextSwitchTo(connection->opening.memory);
	advance(connection);
	check_limits(connection);
	idgen_warnings_report(&connection->link.warnings, connection->server);
	MemoryContextSwitchTo(context);
	return connection->state;
}

/*
 * Is a connection still of use that is READY, and was kept? A statement that is
 * sent on one that is not may or may not have been executed.
 */
bool
idgen_connection_is_alive(IdgenConnection *connection)
{
	Assert(connection->state == IDGEN_CONNECTION_READY);
	return idgen_link_is_alive(&connection->link);
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
 * nothing, or nothing is going on there.
 */
int
idgen_connection_awaits(const IdgenConnection *connection)
{
	bool is_at_work = idgen_connection_is_at_host(connection) || connection->state == IDGEN_CONNECTION_RUNNING;

	return is_at_work ? idgen_link_awaits(&connection->link) : 0;
}

/*
 * When to advance a connection even if nothing happens to the socket; DT_NOEND
 * = never.
 */
TimestampTz
idgen_connection_due(const IdgenConnection *connection)
{
	if (connection->state == IDGEN_CONNECTION_PAUSED)
		return connection->opening.due;
	if (idgen_connection_awaits(connection) == 0)
		return GetCurrentTimestamp();
	return idgen_connection_is_opening(connection) ? connection->opening.due : DT_NOEND;
}
