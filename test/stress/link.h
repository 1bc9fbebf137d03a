/*
 * link.h
 *		A connection that survives what the test does to the server.
 */
#ifndef STRESS_LINK_H
#define STRESS_LINK_H

#include <libpq-fe.h>

#include "util.h"

typedef enum Outcome
{
	DONE,
	FAILED, /* with an error: see sqlstate */
	LOST,   /* the connection ended; what became of the statement is unknown */
} Outcome;

typedef struct Link
{
	char *name; /* the application_name */
	const char *database;
	const char *user;
	PGconn *connection; /* NULL while there is none */
	bool prepared;      /* the statement of link_run_prepared */
	Time sent;          /* the last statement */
	Time replied;       /* its answer, if there was one */
	Time alive;         /* the last statement sent that was answered: the session
	                     * has not ended before */
	char sqlstate[6];
	char message[512];
} Link;

extern void link_init(Link *link, const char *name, const char *database, const char *user);
extern void link_open(Link *link);
extern void link_close(Link *link);
extern Outcome link_run(Link *link, const char *sql, PGresult **result);
extern Outcome link_next_prepared(Link *link, const char *name, PGresult **result);
extern void link_insist(Link *link, const char *sql, PGresult **result);
extern bool link_send(Link *link, const char *sql);
extern Outcome link_receive(Link *link, PGresult **result);
extern void link_roll_back(Link *link);
extern Outcome link_end(Link *link, int client, int transaction, const char *sql);
extern bool link_has_ended(Link *link, int client, int transaction);

#endif
