/*
 * link.c
 *		A connection that survives what the test does to the server.
 */
#include "link.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A server that does not come back within this time is taken for stuck. */
#define PATIENCE (120 * SECOND)

void
link_init(Link *link, const char *name, const char *database, const char *user)
{
	memset(link, 0, sizeof(*link));
	link->name = text("%s", name);
	link->database = database;
	link->user = user;
}

void
link_close(Link *link)
{
	if (link->connection)
		PQfinish(link->connection);
	link->connection = NULL;
	link->prepared = false;
}

/* The last words of a server to a connection that it ends are no news. */
static void
ignore_notice(void *argument, const char *message)
{
	(void) argument;
	(void) message;
}

/* Connects, if it is not connected. The database may be away, or not yet there again. */
void
link_open(Link *link)
{
	const char *keys[] = {"dbname", "user", "application_name", "options", NULL};
	const char *values[] = {link->database, link->user, link->name,
	                        "-c client_min_messages=error", NULL};
	Time since = now();

	while (!link->connection)
	{
		link->connection = PQconnectdbParams(keys, values, 0);
		if (PQstatus(link->connection) == CONNECTION_OK)
		{
			PQsetNoticeProcessor(link->connection, ignore_notice, NULL);
			break;
		}
		if (now() - since > PATIENCE)
			die("%s cannot connect: %s", link->name, PQerrorMessage(link->connection));
		link_close(link);
		pause_for(50 * MILLISECOND);
	}
}

static Outcome
judge(Link *link, PGresult *answer, PGresult **result)
{
	const char *sqlstate = PQresultErrorField(answer, PG_DIAG_SQLSTATE);
	ExecStatusType status = PQresultStatus(answer);
	Outcome outcome = DONE;

	if (status != PGRES_TUPLES_OK && status != PGRES_COMMAND_OK)
	{
		snprintf(link->sqlstate, sizeof(link->sqlstate), "%s", sqlstate ? sqlstate : "");
		snprintf(link->message, sizeof(link->message), "%s", PQresultErrorMessage(answer));
		outcome = FAILED;
	}
	if (PQstatus(link->connection) != CONNECTION_OK)
	{
		link_close(link);
		outcome = LOST;
	}
	else
		link->replied = now();

	if (result && outcome == DONE)
		*result = answer;
	else
		PQclear(answer);
	return outcome;
}

/* Runs a statement. The result is the caller's to clear if this returns DONE. */
Outcome
link_run(Link *link, const char *sql, PGresult **result)
{
	link_open(link);
	link->sent = now();
	return judge(link, PQexec(link->connection, sql), result);
}

/* Draws an id by a statement that the connection has prepared. */
Outcome
link_next_prepared(Link *link, const char *name, PGresult **result)
{
	link_open(link);
	link->sent = now();
	if (!link->prepared)
	{
		Outcome outcome =
			judge(link, PQprepare(link->connection, "next", "SELECT idgen_next($1)", 1, NULL), NULL);

		if (outcome != DONE)
			return outcome;
		link->prepared = true;
	}
	return judge(link, PQexecPrepared(link->connection, "next", 1, &name, NULL, NULL, 0), result);
}

/* Runs a statement of the test's own that may be repeated, until it is done. */
void
link_insist(Link *link, const char *sql, PGresult **result)
{
	Outcome outcome;

	while ((outcome = link_run(link, sql, result)) == LOST)
		;
	if (outcome == FAILED)
		die("%s: %s\nwhile running: %s", link->name, link->message, sql);
}

/* How a transaction ended whose end was not seen. Waits for it, if need be. */
bool
link_xact_committed(Link *link, const char *xid)
{
	char *sql = text("SELECT pg_xact_status('%s')", xid);
	bool committed = false;
	bool over = false;

	while (!over)
	{
		PGresult *result;
		const char *status;

		link_insist(link, sql, &result);
		status = PQgetvalue(result, 0, 0);
		committed = strcmp(status, "committed") == 0;
		over = committed || strcmp(status, "aborted") == 0;
		PQclear(result);
		if (!over)
			pause_for(10 * MILLISECOND);
	}
	free(sql);
	return committed;
}
