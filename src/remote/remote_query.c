/*
 * remote_query.c
 *		Statements on other servers.
 *
 * A statement is begun, advanced until it is over, and finished; or abandoned. It runs
 * in a transaction of its own there, and is over when that has committed. It may
 * be sent more than once, because a connection that was kept has turned out to be
 * broken, or because the other server asks to try again: then it may have been executed more
 * than once, too. So it must be one for which that does no harm.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "storage/latch.h"
#include "utils/memutils.h"
#include "utils/timestamp.h"

#include "common/compat.h"
#include "common/guc.h"
#include "remote/connection.h"
#include "remote/foreign_server.h"
#include "remote/remote_query.h"

/* How often a statement is sent at most, if the other server asks to try again. */
#define MAX_ATTEMPTS 100

struct IdgenRemoteQuery
{
	dlist_node node;      /* on the list of queries */
	MemoryContext memory; /* of all that belongs to it */

	const char *server;
	Oid serverid;
	Oid userid;
	const IdgenConnectOptions *options;
	const char *sql;
	int nparams;
	const char **params;
	int columns; /* of the answer */
	TimestampTz deadline;

	IdgenConnection *connection; /* NULL if it has none yet, or any more */
	bool kept;                   /* has that been in use before? */
	bool repeated;               /* has it been sent again for want of a row? */
	int attempts;                /* that have got in another transaction's way */
	bool over;

	/* Then: */
	IdgenRemoteRow row;     /* the first row, if there is any */
	IdgenRemoteError error; /* what has gone wrong */
	bool remote_error;      /* is that the other server's own message? */
};

/* Begun, and neither finished nor abandoned. */
static dlist_head queries = DLIST_STATIC_INIT(queries);

/*
 * Begin a statement on a server, with parameters that are texts, by the user mapping of a role. The
 * answer must have so many columns. It has idgen.server_timeout to be over. Raises 42501, 42704 and
 * 2F003 for what server and user mapping lack.
 */
IdgenRemoteQuery *
idgen_remote_begin(Oid serverid, Oid userid, const char *sql, int nparams, const char *const *params, int columns)
{
	MemoryContext memory = AllocSetContextCreate(CurrentMemoryContext, "idgen remote query", ALLOCSET_SMALL_SIZES);
	MemoryContext context = MemoryContextSwitchTo(memory);
	IdgenRemoteQuery *query = palloc0(sizeof(IdgenRemoteQuery));

	query->memory = memory;
	query->server = idgen_server_get(serverid).name;
	query->serverid = serverid;
	query->userid = userid;
	query->options = idgen_connect_options(serverid, query->userid);
	query->sql = pstrdup(sql);
	query->nparams = nparams;
	query->params = palloc(nparams * sizeof(char *));
	for (int i = 0; i < nparams; i++)
		query->params[i] = params[i] != NULL ? pstrdup(params[i]) : NULL;
	query->columns = columns;
	query->deadline = TimestampTzPlusMilliseconds(GetCurrentTimestamp(), idgen_server_timeout);

	MemoryContextSwitchTo(context);
	MemoryContextSetParent(memory, TopMemoryContext);
	dlist_push_tail(&queries, &query->node);
	return query;
}

/* It is over, and so the connection is free, or closed if it is not ready for another one. */
static void
end(IdgenRemoteQuery *query)
{
	query->over = true;
	if (query->connection != NULL)
		idgen_connection_give_back(query->connection);
	query->connection = NULL;
}

/* It is over: that has gone wrong. */
static void
fail(IdgenRemoteQuery *query, const IdgenRemoteError *error)
{
	query->error = *error;
	end(query);
}

/* It has lasted too long. */
static void
time_out(IdgenRemoteQuery *query)
{
	IdgenRemoteError error = {
		.sqlerrcode = ERRCODE_CONNECTION_FAILURE,
		.message = psprintf("server \"%s\" did not answer in time", query->server),
		.detail = query->connection == NULL ? "All connections to it are in use." : NULL,
		.hint = "See what it is waiting for, or raise idgen.server_timeout.",
	};

	if (query->connection != NULL)
		idgen_connection_close(query->connection);
	fail(query, &error);
}

/* Open the connection, for the first time or again. */
static void
open_connection(IdgenRemoteQuery *query)
{
	query->kept = false;
	idgen_connection_open(query->connection, query->options, query->deadline);
}

static void
send_statement(IdgenRemoteQuery *query)
{
	idgen_connection_send(query->connection, query->sql, query->nparams, query->params);
}

/* The answer is not that of the statement: what is at the other end cannot be a database. */
static void
not_expected(IdgenRemoteQuery *query, const PGresult *result)
{
	const IdgenRemoteError error = {
		.sqlerrcode = ERRCODE_FDW_ERROR,
		.message = psprintf("server \"%s\" returned %d columns instead of %d", query->server, PQnfields(result), query->columns),
	};

	idgen_connection_close(query->connection);
	fail(query, &error);
}

/* Keep the first row of a result. */
static void
keep_row(IdgenRemoteQuery *query, const PGresult *result)
{
	if (PQntuples(result) == 0)
		return;
	query->row = palloc(query->columns * sizeof(char *));
	for (int i = 0; i < query->columns; i++)
		query->row[i] = PQgetisnull(result, 0, i) ? NULL : idgen_remote_text(PQgetvalue(result, 0, i));
}

/* A field of an error; NULL if there is none. */
static const char *
error_field(const PGresult *result, int field)
{
	const char *value = PQresultErrorField(result, field);

	return value != NULL ? idgen_remote_text(value) : NULL;
}

/* The SQLSTATE of an error. */
static int
error_code(const PGresult *result)
{
	const char *s = PQresultErrorField(result, PG_DIAG_SQLSTATE);
	int code = s != NULL && strlen(s) == 5 ? MAKE_SQLSTATE(s[0], s[1], s[2], s[3], s[4]) : 0;

	return code != 0 ? code : ERRCODE_FDW_ERROR;
}

/*
 * The server's answer is an error. Two transactions may have got in each other's
 * way: try again. The server may have become a standby, and another host be the
 * one to write to.
 */
static void
take_error(IdgenRemoteQuery *query, const PGresult *result)
{
	const char *message = idgen_result_message(result);
	const IdgenRemoteError error = {
		.sqlerrcode = error_code(result),
		.message = message != NULL ? message : "no message was received",
		.detail = error_field(result, PG_DIAG_MESSAGE_DETAIL),
		.hint = error_field(result, PG_DIAG_MESSAGE_HINT),
	};

	switch (error.sqlerrcode)
	{
		case ERRCODE_T_R_SERIALIZATION_FAILURE:
		case ERRCODE_T_R_DEADLOCK_DETECTED:
			if (++query->attempts < MAX_ATTEMPTS)
			{
				send_statement(query);
				return;
			}
			break;
		case ERRCODE_READ_ONLY_SQL_TRANSACTION:
			idgen_connection_close(query->connection);
			if (query->kept)
			{
				open_connection(query);
				return;
			}
			break;
	}
	query->remote_error = true;
	fail(query, &error);
}

/* The server has answered. */
static void
take_answer(IdgenRemoteQuery *query)
{
	PGresult *result = idgen_connection_take_result(query->connection);

	if (PQresultStatus(result) != PGRES_TUPLES_OK)
		take_error(query, result);
	else if (PQnfields(result) != query->columns)
		not_expected(query, result);
	else if (PQntuples(result) == 0 && !query->repeated)
	{
		/* A row that was replaced by another one while we waited for it cannot be seen. */
		query->repeated = true;
		send_statement(query);
	}
	else
	{
		keep_row(query, result);
		end(query);
	}
	PQclear(result);
}

/* Do the next small thing that can be done without waiting, if any. */
static void
step(IdgenRemoteQuery *query)
{
	if (query->connection == NULL)
	{
		query->connection = idgen_connection_take(query->serverid, query->server, query->userid);
		if (query->connection == NULL)
			return;
		query->kept = query->connection->state == IDGEN_CONNECTION_READY;
		if (!query->kept)
			open_connection(query);
	}

	switch (idgen_connection_advance(query->connection))
	{
		case IDGEN_CONNECTION_READY:
			send_statement(query);
			break;
		case IDGEN_CONNECTION_ANSWERED:
			take_answer(query);
			break;
		case IDGEN_CONNECTION_BROKEN:
			if (query->kept)
				open_connection(query);
			else
				fail(query, &query->connection->error);
			break;
		default:
			break;
	}
}

/*
 * Go on with a query without waiting, but only a step, so that whoever calls looks at
 * interrupts and at other things in between. Returns true once it is over, or has
 * failed, of which idgen_remote_finish() tells.
 */
bool
idgen_remote_advance(IdgenRemoteQuery *query)
{
	MemoryContext context = MemoryContextSwitchTo(query->memory);

	if (!query->over)
		step(query);
	if (!query->over && GetCurrentTimestamp() >= query->deadline)
		time_out(query);
	MemoryContextSwitchTo(context);
	return query->over;
}

/* When it is to be advanced even if no socket is ready. */
TimestampTz
idgen_remote_due(const IdgenRemoteQuery *query)
{
	TimestampTz due = query->over ? GetCurrentTimestamp() : query->deadline;

	if (query->connection != NULL)
		due = Min(due, idgen_connection_due(query->connection));
	return due;
}

/* Take it off the list. If it is not over, what it may have done at the server stays so. */
static void
finish(IdgenRemoteQuery *query)
{
	if (query->connection != NULL)
		idgen_connection_close(query->connection);
	end(query);
	dlist_delete(&query->node);
}

/* Give a query up, and free it. */
void
idgen_remote_abandon(IdgenRemoteQuery *query)
{
	finish(query);
	MemoryContextDelete(query->memory);
}

/* Give up all there are. */
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
			long timeout = TimestampDifferenceMilliseconds(GetCurrentTimestamp(), idgen_remote_due(query));

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

/* Raise what has gone wrong. */
static void
raise_error(const IdgenRemoteError *error, const char *server)
{
	ereport(ERROR,
	        (errcode(error->sqlerrcode),
	         errmsg_internal("%s", error->message),
	         error->detail != NULL ? errdetail_internal("%s", error->detail) : 0,
	         error->hint != NULL ? errhint("%s", error->hint) : 0,
	         server != NULL ? errcontext("on server \"%s\"", server) : 0));
}

/*
 * The first row of the result of a query that is over, or NULL if there is none; what it is
 * made of goes with the current memory context. If the query has failed, raises 08001, 08006,
 * 2F003, HV000 or what the server has raised.
 */
IdgenRemoteRow
idgen_remote_finish(IdgenRemoteQuery *query)
{
	finish(query);
	MemoryContextSetParent(query->memory, CurrentMemoryContext);
	if (query->error.message != NULL)
		raise_error(&query->error, query->remote_error ? query->server : NULL);
	return query->row;
}
