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

/*
 * Connects, if it is not connected. The database may be away, or not yet there
 * again.
 */
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
	const char *severity = PQresultErrorField(answer, PG_DIAG_SEVERITY_NONLOCALIZED);
	ExecStatusType status = PQresultStatus(answer);
	Outcome outcome = DONE;

	if (status != PGRES_TUPLES_OK && status != PGRES_COMMAND_OK)
	{
		snprintf(link->sqlstate, sizeof(link->sqlstate), "%s", sqlstate ? sqlstate : "");
		snprintf(link->message, sizeof(link->message), "%s", PQresultErrorMessage(answer));
		outcome = FAILED;
	}
	/* a session that has been ended may have said so before we asked */
	if (PQstatus(link->connection) != CONNECTION_OK || (severity && strcmp(severity, "FATAL") == 0))
	{
		link_close(link);
		outcome = LOST;
	}
	else
	{
		link->replied = now();
		link->alive = link->sent;
	}

	if (result && outcome == DONE)
		*result = answer;
	else
		PQclear(answer);
	return outcome;
}

/*
 * Runs a statement. The result is the caller's to clear if this returns DONE.
 */
Outcome
link_run(Link *link, const char *sql, PGresult **result)
{
	link_open(link);
	link->sent = now();
	return judge(link, PQexec(link->connection, sql), result);
}

/* Sends a statement, whose answer link_receive brings. */
bool
link_send(Link *link, const char *sql)
{
	link_open(link);
	link->sent = now();
	return PQsendQuery(link->connection, sql) == 1;
}

Outcome
link_receive(Link *link, PGresult **result)
{
	PGresult *answer = NULL;

	for (PGresult *next; (next = PQgetResult(link->connection)) != NULL;)
	{
		PQclear(answer);
		answer = next;
	}
	return judge(link, answer ? answer : PQmakeEmptyPGresult(link->connection, PGRES_FATAL_ERROR), result);
}

/*
 * Ends a transaction that is to have no effect, if there is one. Even that may
 * be cancelled.
 */
void
link_roll_back(Link *link)
{
	while (link_run(link, "ROLLBACK", NULL) == FAILED)
		;
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

/*
 * Ends a transaction by COMMIT or PREPARE TRANSACTION, which this number is to
 * remember. Its xid would not do: after a crash, another one may have that.
 */
Outcome
link_end(Link *link, int client, int transaction, const char *sql)
{
	char *both = text("INSERT INTO ends VALUES (%d, %d, true); %s", client, transaction, sql);
	Outcome outcome = link_run(link, both, NULL);

	free(both);
	return outcome;
}

/*
 * Runs a statement until it is done, also if the database is just being made
 * anew.
 */
static void
persist(Link *link, const char *sql, PGresult **result)
{
	Time since = now();

	while (link_run(link, sql, result) != DONE)
	{
		if (now() - since > PATIENCE)
			die("%s: %s\nwhile running: %s", link->name, link->message, sql);
		pause_for(10 * MILLISECOND);
	}
}

/*
 * Whether a transaction that was to be ended so was committed. Waits for it, if
 * need be.
 */
bool
link_has_ended(Link *link, int client, int transaction)
{
	char *wait = text("INSERT INTO ends VALUES (%d, %d, false) ON CONFLICT DO NOTHING", client, transaction);
	char *look = text("SELECT 1 FROM ends WHERE client = %d AND transaction = %d AND committed", client, transaction);
	PGresult *result;
	bool committed;

	persist(link, wait, NULL);
	persist(link, look, &result);
	committed = PQntuples(result) > 0;
	PQclear(result);
	free(wait);
	free(look);
	return committed;
}
