/*-------------------------------------------------------------------------
 *
 * draw.c
 *	  Sessions that draw ids through any failure, and write down each answer.
 *
 *	  draw SESSIONS PAUSE CALLS CONNINFO SQL
 *
 * Each session runs the statement over and over, and pauses for PAUSE
 * microseconds in between. After CALLS calls it connects anew (0: never), as
 * sessions of an application come and go. A connection that is lost is opened
 * anew after a moment.
 *
 * A line of the output is a call:
 *
 *	  <when it began> <how long it took> id <id>[,<id>...]
 *	  <when it began> <how long it took> <SQLSTATE> <message>
 *
 * in seconds, the first since 1970. Lines are written at once, so that a reader
 * can follow, and nothing is lost if this program is killed. SIGTERM ends it:
 * each session finishes its call.
 *
 *-------------------------------------------------------------------------
 */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <libpq-fe.h>

#define MICROSECONDS 1000000

/* How long a session waits before it connects anew, in microseconds */
#define PAUSE_AFTER_LOSS 50000

static int pause_between_calls;
static int calls_per_connection;
static const char *conninfo;
static const char *sql;

static volatile sig_atomic_t ending;

static void
on_sigterm(int number)
{
	(void) number;
	ending = 1;
}

static double
now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	return (double) t.tv_sec + (double) t.tv_nsec / 1e9;
}

/*
 * Writes the line of a call. Other threads do not tear one printf() apart.
 */
static void
note(double began, const char *kind, const char *text)
{
	char *line = strdup(text);

	for (char *c = line; *c; c++)
		if (*c == '\n')
			*c = c[1] ? '|' : '\0';
	printf("%.6f %.6f %s %s\n", began, now() - began, kind, line);
	free(line);
}

/* Writes down the ids of an answer. */
static void
note_ids(double began, const PGresult *answer)
{
	size_t size = 1;
	char *ids;

	for (int row = 0; row < PQntuples(answer); row++)
		size += (size_t) PQgetlength(answer, row, 0) + 1;
	ids = malloc(size);
	ids[0] = '\0';
	for (int row = 0; row < PQntuples(answer); row++)
	{
		if (row > 0)
			strcat(ids, ",");
		strcat(ids, PQgetvalue(answer, row, 0));
	}
	note(began, "id", ids);
	free(ids);
}

/* Runs the statement, and writes down what it answers. */
static void
call(PGconn *conn)
{
	double began = now();
	PGresult *answer = PQexec(conn, sql);

	if (PQresultStatus(answer) == PGRES_TUPLES_OK)
		note_ids(began, answer);
	else
	{
		const char *sqlstate = PQresultErrorField(answer, PG_DIAG_SQLSTATE);

		/* without a SQLSTATE, libpq has lost the connection */
		note(began, sqlstate ? sqlstate : "08006", PQerrorMessage(conn));
	}
	PQclear(answer);
}

/* Answers NULL if nobody lets the session in; that is written down. */
static PGconn *
connect_session(void)
{
	double began = now();
	PGconn *conn = PQconnectdb(conninfo);

	if (PQstatus(conn) == CONNECTION_OK)
		return conn;
	note(began, "08001", PQerrorMessage(conn));
	PQfinish(conn);
	return NULL;
}

static void *
run_session(void *unused)
{
	PGconn *conn = NULL;
	int calls = 0;

	(void) unused;
	while (!ending)
	{
		if (conn == NULL && (conn = connect_session()) == NULL)
		{
			usleep(PAUSE_AFTER_LOSS);
			continue;
		}
		call(conn);
		calls++;
		if (PQstatus(conn) != CONNECTION_OK ||
		    (calls_per_connection > 0 && calls % calls_per_connection == 0))
		{
			if (PQstatus(conn) != CONNECTION_OK)
				usleep(PAUSE_AFTER_LOSS);
			PQfinish(conn);
			conn = NULL;
		}
		if (pause_between_calls > 0)
			usleep((useconds_t) pause_between_calls);
	}
	if (conn != NULL)
		PQfinish(conn);
	return NULL;
}

int
main(int argc, char **argv)
{
	int sessions;
	pthread_t *threads;

	if (argc != 6)
	{
		fprintf(stderr, "usage: %s SESSIONS PAUSE CALLS CONNINFO SQL\n", argv[0]);
		return 1;
	}
	sessions = atoi(argv[1]);
	pause_between_calls = atoi(argv[2]);
	calls_per_connection = atoi(argv[3]);
	conninfo = argv[4];
	sql = argv[5];
	if (pause_between_calls >= MICROSECONDS)
	{
		fprintf(stderr, "%s: a pause must be shorter than a second\n", argv[0]);
		return 1;
	}

	signal(SIGTERM, on_sigterm);
	setvbuf(stdout, NULL, _IOLBF, 1 << 16);
	threads = calloc((size_t) sessions, sizeof(pthread_t));
	for (int i = 0; i < sessions; i++)
	{
		if (pthread_create(&threads[i], NULL, run_session, NULL) != 0)
		{
			fprintf(stderr, "%s: could not start a thread\n", argv[0]);
			return 1;
		}
	}
	for (int i = 0; i < sessions; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
