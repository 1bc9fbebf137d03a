/*
 * remote_query.c
 *		Statements on other servers, and the connections for them.
 *
 * A statement is begun, advanced until it is over, and finished; or abandoned.
 * Nothing blocks: what takes time is begun here, and idgen_remote_advance()
 * goes on with it, a small step at a time. In between, the caller looks at
 * interrupts, and waits for the socket and for whatever else matters to it. So
 * a session can be cancelled while it waits for another server, and the worker
 * can wait for several servers at a time.
 *
 * A statement runs in a transaction of its own there, and is over when that has
 * committed. It may be sent more than once: because the other server only
 * reads, or asks to try again; then it was not executed. Or because the
 * connection was lost while it was at work; then it may have been, so that it
 * is sent again only once, and must be one for which that does no harm.
 *
 *		            a connection is new            it is open
 *		WAITING ------------------------> OPENING <-----------> RUNNING
 *		   |                                        it is of      |
 *		   | a connection is kept                   no use        |
 *		   +------------------------------------------------> RUNNING
 *		                                                          |
 *		                                                          v
 *		                               ANSWERED, REFUSED or FAILED
 *
 * WAITING
 *		All connections that the process may have to that server are at work.
 * OPENING
 *		A connection is being opened for the statement (opening.c). If it cannot
 *		be before the time is over, the statement has FAILED.
 * RUNNING
 *		The statement has been sent. If the connection is only good for reading,
 *		it is opened at another host, or later: OPENING. So it is if the
 *		connection is lost, but only once. One that was in use before may be
 *		broken already when nothing has been sent: that is no loss.
 * ANSWERED
 *		Over: there is a result.
 * REFUSED
 *		Over: the other server has raised an error.
 * FAILED
 *		Over: the connection could not be had, or was lost; or the answer makes
 *		no sense, or is too long; or the time is over, which can happen in any
 *		of the states above.
 *
 * A connection belongs to a server and a user. When its statement is over, it
 * is idle, and the next statement for the same server and user takes it. But it
 * is closed if the statement is given up: the server there then ends that,
 * since it has been asked to look after the connection while it executes
 * something. It is closed as well if too much has come over it, or the server
 * or the user mapping has been changed.
 *
 * Nothing that another server sends is believed to be meant well. A valve lets
 * libpq have it in small portions, and of an opening or a statement only as
 * much as that can take (link.c).
 */
#include "postgres.h"

#include "lib/ilist.h"
#include "miscadmin.h"
#include "storage/latch.h"
#include "utils/memutils.h"
#include "utils/resowner.h"
#include "utils/timestamp.h"

#include "common/compat.h"
#include "common/guc.h"
#include "remote/link.h"
#include "remote/opening.h"
#include "remote/reach.h"
#include "remote/remote_messages.h"
#include "remote/remote_query.h"
#include "remote/server.h"

/*
 * The most connections to one server by one user that are at work. Only the
 * worker needs several.
 */
#define MAX_CONNECTIONS 4

/*
 * How many bytes may come over a connection before it is not kept any more.
 * What comes besides answers, such as notifications and settings of ever new
 * names, libpq keeps as long as the connection. Some thousand answers fit in.
 */
#define MAX_KEPT (INT64CONST(1024) * 1024)

/*
 * How often a statement is sent at most, if the other server asks to try
 * again.
 */
#define MAX_ATTEMPTS 100

typedef struct Connection
{
	dlist_node node; /* on the list of idle ones, or none */
	Oid serverid;
	Oid userid;
	IdgenLink link;
	uint64 version;        /* of the options that it was opened with */
	bool knows_set_config; /* does the server? */
	bool lacks_function;   /* is it known to lack one that a statement calls? */
} Connection;

typedef enum QueryState
{
	QUERY_WAITING,
	QUERY_OPENING,
	QUERY_RUNNING,
	QUERY_ANSWERED,
	QUERY_REFUSED,
	QUERY_FAILED,
} QueryState;

struct IdgenRemoteQuery
{
	dlist_node node;      /* on the list of queries */
	MemoryContext memory; /* of all that belongs to it */

	/* Set when it is begun: */
	const char *server;
	Oid serverid;
	Oid userid;
	const IdgenConnectOptions *options;
	IdgenRemoteStatement statement;
	TimestampTz begun_at;
	TimestampTz deadline;

	QueryState state;
	Connection *connection;      /* NULL while WAITING, and when it is over */
	bool on_kept;                /* was that in use before? */
	IdgenOpening opening;        /* of the connection, unless it was */
	int conflicts;               /* with other transactions, so far */
	int empty_answers;           /* so far */
	int losses;                  /* of connections on which it was at work, so far */
	const char *refused_because; /* the last host that did not execute it; or NULL */

	IdgenRemoteRow row;     /* if ANSWERED: the first row, or NULL */
	IdgenRemoteError error; /* if REFUSED or FAILED */
};

/* Begun, and neither finished nor abandoned. */
static dlist_head queries = DLIST_STATIC_INIT(queries);

static dlist_head idle_connections = DLIST_STATIC_INIT(idle_connections);

static bool
is_over(const IdgenRemoteQuery *query)
{
	return query->state >= QUERY_ANSWERED;
}

/* Close a connection, and forget it. It is on no list. */
static void
discard(Connection *connection)
{
	idgen_link_close(&connection->link);
	pfree(connection);
}

/*
 * Close idle connections that were opened before a server or a user mapping was
 * changed.
 */
void
idgen_connections_close_stale(void)
{
	dlist_mutable_iter iter;

	dlist_foreach_modify(iter, &idle_connections)
	{
		Connection *connection = dlist_container(Connection, node, iter.cur);

		if (connection->version != idgen_servers_version)
		{
			dlist_delete(iter.cur);
			discard(connection);
		}
	}
}

/* An idle connection to the server by the user, or NULL. It is idle no more. */
static Connection *
take_idle(Oid serverid, Oid userid)
{
	dlist_iter iter;

	idgen_connections_close_stale();
	dlist_reverse_foreach(iter, &idle_connections)
	{
		Connection *connection = dlist_container(Connection, node, iter.cur);

		if (connection->serverid == serverid && connection->userid == userid)
		{
			dlist_delete(iter.cur);
			return connection;
		}
	}
	return NULL;
}

/* A connection that is not open, or NULL if enough of them are at work. */
static Connection *
make_connection(const IdgenRemoteQuery *query)
{
	Connection *connection;
	dlist_iter iter;
	int count = 0;

	dlist_foreach(iter, &queries)
	{
		const IdgenRemoteQuery *other = dlist_container(IdgenRemoteQuery, node, iter.cur);

		if (other->connection != NULL && idgen_remote_shares_connections(query, other))
			count++;
	}
	if (count == MAX_CONNECTIONS)
		return NULL;
	connection = MemoryContextAllocZero(TopMemoryContext, sizeof(Connection));
	connection->serverid = query->serverid;
	connection->userid = query->userid;
	return connection;
}

/*
 * A query is over. Its connection is free for another one, unless it is closed,
 * or too much has come over it.
 */
static void
end(IdgenRemoteQuery *query, QueryState state)
{
	Connection *connection = query->connection;

	query->state = state;
	query->connection = NULL;
	if (connection == NULL)
		return;
	if (connection->link.conn != NULL && connection->link.valve.total <= MAX_KEPT)
		dlist_push_tail(&idle_connections, &connection->node);
	else
		discard(connection);
}

/* A query has FAILED: its connection, if it has one, is of no more use. */
static void
fail(IdgenRemoteQuery *query, IdgenRemoteError error)
{
	if (query->connection != NULL)
		idgen_link_close(&query->connection->link);
	if (query->state != QUERY_WAITING)
		idgen_reach_note_failure(query->serverid, query->begun_at, query->deadline, &error);
	query->error = error;
	end(query, QUERY_FAILED);
}

/* Open the connection, for the first time or again. */
static void
open_connection(IdgenRemoteQuery *query)
{
	IdgenLink *link = &query->connection->link;

	idgen_link_close(link);
	query->state = QUERY_OPENING;
	query->on_kept = false;
	idgen_opening_begin(&query->opening, link, query->options, query->serverid, query->server, query->deadline);
}

/*
 * The connection was lost while the statement was at work: send it again, but
 * only once.
 */
static void
take_loss(IdgenRemoteQuery *query)
{
	IdgenRemoteError error = {
		.sqlerrcode = ERRCODE_CONNECTION_FAILURE,
		.message = psprintf("connection to server \"%s\" was lost", query->server),
		.detail = idgen_link_error(&query->connection->link),
	};

	if (query->losses++ > 0)
	{
		fail(query, error);
		return;
	}
	ereport(LOG_SERVER_ONLY,
	        (errcode(error.sqlerrcode),
	         errmsg("asking server \"%s\" again: %s", query->server, error.message),
	         error.detail != NULL ? errdetail_internal("%s", error.detail) : 0,
	         errhint("If it has allocated ids without saying so, they are a gap."),
	         errhidestmt(true)));
	open_connection(query);
}

/* The statement as the server at the other end understands it. */
static const char *
understood_sql(const IdgenRemoteQuery *query)
{
	const IdgenRemoteStatement *statement = &query->statement;

	if (!query->connection->knows_set_config)
		return statement->plain_sql;
	if (statement->lesser_sql != NULL && query->connection->lacks_function)
		return statement->lesser_sql;
	return statement->sql;
}

/* Send the statement, for the first time or again: RUNNING. */
static void
send_statement(IdgenRemoteQuery *query)
{
	IdgenLink *link = &query->connection->link;

	query->state = QUERY_RUNNING;
	link->valve.received = 0;
	idgen_warnings_reset(&link->warnings);
	if (idgen_link_send(link, understood_sql(query), query->statement.nparams, query->statement.params) == IDGEN_LINK_FAILED)
		take_loss(query);
}

/* Keep the first row of a result. */
static void
keep_row(IdgenRemoteQuery *query, const PGresult *result)
{
	if (PQntuples(result) == 0)
		return;
	query->row = palloc(query->statement.columns * sizeof(char *));
	for (int i = 0; i < query->statement.columns; i++)
	{
		bool is_null = PQgetisnull(result, 0, i);

		query->row[i] = is_null ? NULL : idgen_remote_text(PQgetvalue(result, 0, i));
	}
}

/* A field of an error, palloc'd; NULL if the error does not have it. */
static const char *
error_field(const PGresult *result, int field)
{
	const char *value = PQresultErrorField(result, field);

	return value != NULL ? idgen_remote_text(value) : NULL;
}

/* A query is REFUSED: the server has raised an error. */
static void
refuse(IdgenRemoteQuery *query, int sqlerrcode, const PGresult *result)
{
	const char *message = idgen_result_message(result);

	query->error = (IdgenRemoteError){
		.sqlerrcode = sqlerrcode,
		.message = message != NULL ? message : "no message was received",
		.detail = error_field(result, PG_DIAG_MESSAGE_DETAIL),
		.hint = error_field(result, PG_DIAG_MESSAGE_HINT),
	};
	idgen_reach_note_answer(query->serverid, query->server);
	end(query, QUERY_REFUSED);
}

/*
 * May an error mean that the server lacks a function, or that the role must not
 * call it?
 */
static bool
may_lack_function(const IdgenRemoteQuery *query, int sqlerrcode)
{
	return query->statement.lesser_sql != NULL && query->connection->knows_set_config &&
		!query->connection->lacks_function &&
		(sqlerrcode == ERRCODE_UNDEFINED_FUNCTION || sqlerrcode == ERRCODE_FEATURE_NOT_SUPPORTED ||
	     sqlerrcode == ERRCODE_INSUFFICIENT_PRIVILEGE);
}

/*
 * The server does not execute the statement, but another host may, or this one
 * later. To begin with it the next time is of no use.
 */
static void
leave_host(IdgenRemoteQuery *query, const PGresult *result)
{
	const char *message = idgen_result_message(result);

	query->refused_because = message;
	idgen_good_host_note(query->serverid, 0);
	if (query->on_kept)
	{
		open_connection(query);
		return;
	}
	query->state = QUERY_OPENING;
	idgen_opening_reject_host(&query->opening, message != NULL ? message : "");
}

/*
 * The server has answered with an error. If two transactions have got in each
 * other's way, try again at once. If a function is missing, do without it, and
 * so for as long as the connection lasts.
 */
static void
take_error(IdgenRemoteQuery *query, const PGresult *result)
{
	int sqlerrcode = idgen_result_sqlstate(result);
	bool is_conflict = sqlerrcode == ERRCODE_T_R_SERIALIZATION_FAILURE ||
		sqlerrcode == ERRCODE_T_R_DEADLOCK_DETECTED;

	if (is_conflict && ++query->conflicts < MAX_ATTEMPTS)
		send_statement(query);
	else if (may_lack_function(query, sqlerrcode))
	{
		query->connection->lacks_function = true;
		send_statement(query);
	}
	else if (idgen_sqlstate_is_about_host(sqlerrcode))
		leave_host(query, result);
	else
	{
		query->connection->lacks_function = false; /* it was not that */
		refuse(query, sqlerrcode != 0 ? sqlerrcode : ERRCODE_FDW_ERROR, result);
	}
}

/*
 * The server has answered. If the answer does not have the columns of the
 * statement, what is at the other end cannot be a database. If it has no row,
 * that may be since the row was replaced by another one while the statement
 * waited for it: the next statement can see that.
 */
static void
take_answer(IdgenRemoteQuery *query)
{
	PGresult *result = idgen_link_take_result(&query->connection->link);
	IdgenRemoteError nonsense = {
		.sqlerrcode = ERRCODE_FDW_ERROR,
		.message = psprintf("server \"%s\" returned %d columns instead of %d",
	                        query->server, PQnfields(result), query->statement.columns),
	};

	if (PQresultStatus(result) != PGRES_TUPLES_OK)
		take_error(query, result);
	else if (PQnfields(result) != query->statement.columns)
		fail(query, nonsense);
	else if (PQntuples(result) == 0 && query->empty_answers++ == 0)
		send_statement(query);
	else
	{
		keep_row(query, result);
		idgen_reach_note_answer(query->serverid, query->server);
		end(query, QUERY_ANSWERED);
	}
	PQclear(result);
}

/* More has come than can be meant as an answer. */
static void
fail_by_flood(IdgenRemoteQuery *query)
{
	IdgenRemoteError error = {
		.sqlerrcode = ERRCODE_PROTOCOL_VIOLATION,
		.message = psprintf("server \"%s\" has sent more than %d kB", query->server, IDGEN_MAX_RECEIVED_KB),
		.detail = "An answer to a refill is much shorter.",
		.hint = "Check what listens at the address of that server.",
	};

	fail(query, error);
}

/* Go on OPENING. */
static void
advance_opening(IdgenRemoteQuery *query)
{
	Connection *connection = query->connection;
	IdgenOpening *opening = &query->opening;

	idgen_opening_advance(opening);
	if (opening->state == IDGEN_OPENING_FAILED)
		fail(query, opening->error);
	if (opening->state != IDGEN_OPENING_DONE)
		return;
	connection->version = query->options->version;
	connection->knows_set_config = opening->knows_set_config;
	connection->lacks_function = false;
	send_statement(query);
}

/* Go on RUNNING. */
static void
advance_running(IdgenRemoteQuery *query)
{
	IdgenLink *link = &query->connection->link;
	IdgenLinkProgress progress = idgen_link_receive(link);

	idgen_warnings_report(&link->warnings, query->server);
	if (progress == IDGEN_LINK_FAILED)
		take_loss(query);
	else if (idgen_link_is_flooded(link))
		fail_by_flood(query);
	else if (progress == IDGEN_LINK_DONE)
		take_answer(query);
}

/* Get a connection, if one is to be had. */
static void
take_connection(IdgenRemoteQuery *query)
{
	query->connection = take_idle(query->serverid, query->userid);
	query->on_kept = query->connection != NULL && idgen_link_is_alive(&query->connection->link);
	if (query->on_kept)
	{
		send_statement(query);
		return;
	}
	if (query->connection == NULL)
		query->connection = make_connection(query);
	if (query->connection != NULL)
		open_connection(query);
}

/* Do the next small thing that can be done without waiting, if any. */
static void
step(IdgenRemoteQuery *query)
{
	if (query->state == QUERY_WAITING)
		take_connection(query);
	else if (query->state == QUERY_OPENING)
		advance_opening(query);
	else
		advance_running(query);
}

/*
 * A query has lasted too long. If no host has let itself be written to, it does
 * not matter whether the last one might have.
 */
static void
time_out(IdgenRemoteQuery *query)
{
	IdgenRemoteError refused = {
		.sqlerrcode = ERRCODE_SQLCLIENT_UNABLE_TO_ESTABLISH_SQLCONNECTION,
		.message = psprintf("could not connect to server \"%s\"", query->server),
		.detail = query->refused_because,
	};
	IdgenRemoteError error = {
		.sqlerrcode = ERRCODE_CONNECTION_FAILURE,
		.message = psprintf("server \"%s\" did not answer in time", query->server),
		.detail = query->state == QUERY_WAITING ? "All connections to it are in use." : NULL,
		.hint = "See what it is waiting for, or raise idgen.server_timeout.",
	};

	if (query->state == QUERY_OPENING)
	{
		idgen_opening_give_up(&query->opening);
		error = query->opening.error;
	}
	if (query->state == QUERY_WAITING)
		(void) idgen_reach_failed_since(query->serverid, query->server, query->begun_at, &error);
	fail(query, query->refused_because != NULL ? refused : error);
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
	copy.lesser_sql = copy.lesser_sql != NULL ? pstrdup(copy.lesser_sql) : NULL;
	copy.plain_sql = pstrdup(copy.plain_sql);
	return copy;
}

/* The deadline of a statement that has all the time that the setting gives. */
TimestampTz
idgen_remote_deadline(void)
{
	return TimestampTzPlusMilliseconds(GetCurrentTimestamp(), idgen_server_timeout);
}

/*
 * Begin a statement on a server, by the user mapping of a role. It is over by
 * the deadline. Raises 42501, 42704, 22023 and 2F003 for what server and user
 * mapping lack or have.
 */
IdgenRemoteQuery *
idgen_remote_begin(Oid serverid, Oid userid, const IdgenRemoteStatement *statement,
                   TimestampTz deadline)
{
	MemoryContext memory = AllocSetContextCreate(CurrentMemoryContext, "idgen remote query",
	                                             ALLOCSET_SMALL_SIZES);
	MemoryContext context = MemoryContextSwitchTo(memory);
	IdgenRemoteQuery *query = palloc0(sizeof(IdgenRemoteQuery));

	query->state = QUERY_WAITING;
	query->memory = memory;
	query->server = idgen_server_get(serverid).name;
	query->serverid = serverid;
	query->userid = userid;
	query->options = idgen_connect_options(serverid, query->userid);
	query->statement = copy_statement(statement);
	query->begun_at = GetCurrentTimestamp();
	query->deadline = deadline;

	MemoryContextSwitchTo(context);
	MemoryContextSetParent(memory, TopMemoryContext);
	dlist_push_tail(&queries, &query->node);
	return query;
}

/*
 * Go on with a query without waiting, but only a step, so that the caller
 * looks at interrupts and at other things in between. Returns true once it is
 * over. idgen_remote_finish() then tells whether it has failed. What the other
 * server, or the network, makes of it raises no error.
 */
bool
idgen_remote_advance(IdgenRemoteQuery *query)
{
	MemoryContext context = MemoryContextSwitchTo(query->memory);

	if (!is_over(query))
		step(query);
	if (!is_over(query) && GetCurrentTimestamp() >= query->deadline)
		time_out(query);
	MemoryContextSwitchTo(context);
	return is_over(query);
}

/* Does a query wait until another one is over that has a connection? */
bool
idgen_remote_lacks_connection(const IdgenRemoteQuery *query)
{
	return query->state == QUERY_WAITING;
}

/* Would the same connections do for both? */
bool
idgen_remote_shares_connections(const IdgenRemoteQuery *a, const IdgenRemoteQuery *b)
{
	return a->serverid == b->serverid && a->userid == b->userid;
}

/*
 * What has to happen to its socket before a query can be advanced: WL_SOCKET_*;
 * 0 = nothing, or nothing is going on there.
 */
static int
awaits(const IdgenRemoteQuery *query)
{
	bool is_at_work = query->state == QUERY_RUNNING ||
		(query->state == QUERY_OPENING && idgen_opening_is_at_host(&query->opening));

	return is_at_work ? idgen_link_awaits(&query->connection->link) : 0;
}

/* When to advance a query even if no socket is ready. */
TimestampTz
idgen_remote_due(const IdgenRemoteQuery *query)
{
	bool is_paused = query->state == QUERY_OPENING && query->opening.state == IDGEN_OPENING_PAUSED;

	if (query->state == QUERY_WAITING)
		return query->deadline;
	if (!is_paused && awaits(query) == 0)
		return GetCurrentTimestamp();
	return query->state == QUERY_OPENING ? Min(query->deadline, query->opening.due) : query->deadline;
}

/*
 * Wait for this many milliseconds at most, until a query can be advanced or the
 * process's latch is set. The latch is left as it is.
 */
void
idgen_connections_wait(long timeout, uint32 wait_event)
{
	WaitEventSet *set;
	WaitEvent event;
	dlist_iter iter;
	int count = 2;

	if (dlist_is_empty(&queries))
	{
		(void) WaitLatch(MyLatch, WL_LATCH_SET | WL_TIMEOUT | WL_EXIT_ON_PM_DEATH, timeout, wait_event);
		return;
	}
	dlist_foreach(iter, &queries)
		count++;
	set = CreateWaitEventSet(CurrentResourceOwner, count);
	AddWaitEventToSet(set, WL_LATCH_SET, PGINVALID_SOCKET, MyLatch, NULL);
	if (IsUnderPostmaster)
		AddWaitEventToSet(set, WL_EXIT_ON_PM_DEATH, PGINVALID_SOCKET, NULL, NULL);
	dlist_foreach(iter, &queries)
	{
		const IdgenRemoteQuery *query = dlist_container(IdgenRemoteQuery, node, iter.cur);
		int events = awaits(query);

		if (events != 0 && idgen_link_socket(&query->connection->link) != PGINVALID_SOCKET)
			AddWaitEventToSet(set, events, idgen_link_socket(&query->connection->link), NULL, NULL);
	}
	(void) WaitEventSetWait(set, timeout, &event, 1, wait_event);
	FreeWaitEventSet(set);
}

/*
 * Give a query up, and free it. If it is not over, it may or may not have an
 * effect at the other server.
 */
void
idgen_remote_abandon(IdgenRemoteQuery *query)
{
	if (query->connection != NULL)
		idgen_link_close(&query->connection->link);
	end(query, QUERY_FAILED);
	dlist_delete(&query->node);
	MemoryContextDelete(query->memory);
}

/* Abandon all queries that this process has begun. */
void
idgen_remote_abandon_all(void)
{
	dlist_mutable_iter iter;

	dlist_foreach_modify(iter, &queries)
		idgen_remote_abandon(dlist_container(IdgenRemoteQuery, node, iter.cur));
}

/* Wait until a query is over. If that is interrupted, it is abandoned. */
void
idgen_remote_await(IdgenRemoteQuery *query)
{
	static uint32 wait_event = 0;

	if (wait_event == 0)
		wait_event = WaitEventExtensionNew("IdgenServer");

	PG_TRY();
	{
		while (!idgen_remote_advance(query))
		{
			TimestampTz due = idgen_remote_due(query);
			long timeout = TimestampDifferenceMilliseconds(GetCurrentTimestamp(), due);

			if (timeout > 0)
				idgen_connections_wait(timeout, wait_event);
			ResetLatch(MyLatch);
			CHECK_FOR_INTERRUPTS();
		}
	}
	PG_CATCH();
	{
		idgen_remote_abandon(query);
		PG_RE_THROW();
	}
	PG_END_TRY();
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
	Assert(is_over(query));
	dlist_delete(&query->node);
	MemoryContextSetParent(query->memory, CurrentMemoryContext);
	if (query->state != QUERY_ANSWERED)
		idgen_remote_raise(&query->error, query->state == QUERY_REFUSED ? psprintf("on server \"%s\"", query->server) : NULL);
	return query->row;
}
