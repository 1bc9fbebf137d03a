/*
 * ends.c
 *		Ends of sessions, of the worker and of the server.
 */
#include "deeds.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>

/* The pid of some backend; 0 if there is none. */
static int
random_backend(Disturber *disturber, Random *random, const char *condition)
{
	char *sql = text("SELECT pid FROM pg_stat_activity WHERE %s ORDER BY pid", condition);
	PGresult *result;
	int pid = 0;

	if (link_run(&disturber->server, sql, &result) == DONE)
	{
		if (PQntuples(result) > 0)
			pid = atoi(PQgetvalue(result, random_below(random, PQntuples(result)), 0));
		PQclear(result);
	}
	free(sql);
	return pid;
}

static const char *const is_client = "application_name LIKE 'stress client%' AND backend_type = 'client backend'";
static const char *const is_worker = "backend_type = 'idgen worker'";

typedef struct HeldUp
{
	int pid;
	Time duration;
} HeldUp;

static void *
let_go_on(void *argument)
{
	HeldUp *held_up = argument;

	pause_for(held_up->duration);
	kill(held_up->pid, SIGCONT);
	free(held_up);
	return NULL;
}

/*
 * Stops a process for a while. As it may have locks that we need, somebody else
 * lets it go on.
 */
void
hold_up(int pid, Time duration)
{
	HeldUp *held_up = malloc(sizeof(*held_up));
	pthread_t thread;

	if (!held_up)
		die("out of memory");
	*held_up = (HeldUp){pid, duration};
	if (pthread_create(&thread, NULL, let_go_on, held_up) != 0)
		die("could not start a thread");
	pthread_detach(thread);
	kill(pid, SIGSTOP);
}

/* Does another session wait for a lock that the link's transaction has? */
bool
is_waited_for(Disturber *disturber, Random *random, const Link *link)
{
	char *condition = text("%d = ANY (pg_blocking_pids(pid))", PQbackendPID(link->connection));
	bool waited_for = random_backend(disturber, random, condition) > 0;

	free(condition);
	return waited_for;
}

/*
 * The process that is refilling an id sequence of source "server", which waits
 * for the centre.
 */
int
refilling_process(Disturber *disturber, Random *random, const Sequence *sequence)
{
	const char *database = database_names[sequence->database];
	char *condition;
	int pid;

	if (sequence->kind->refill == BY_WORKER)
		condition = text("%s AND datname = '%s'", is_worker, database);
	else
		condition = text("wait_event = 'IdgenServer' AND datname = '%s' AND query LIKE '%%''%s''%%'", database,
		                 sequence->kind->name);
	pid = random_backend(disturber, random, condition);
	free(condition);
	return pid;
}

static void
signal_backend(Disturber *disturber, Random *random, const char *condition, int signal)
{
	int pid = random_backend(disturber, random, condition);

	if (pid > 0)
		kill(pid, signal);
}

void
cancel_client(Disturber *disturber, Random *random)
{
	signal_backend(disturber, random, is_client, SIGINT);
}

void
terminate_client(Disturber *disturber, Random *random)
{
	signal_backend(disturber, random, is_client, SIGTERM);
}

void
terminate_worker(Disturber *disturber, Random *random)
{
	signal_backend(disturber, random, is_worker, SIGTERM);
}

void
kill_client(Disturber *disturber, Random *random)
{
	signal_backend(disturber, random, is_client, SIGKILL);
}

void
kill_worker(Disturber *disturber, Random *random)
{
	signal_backend(disturber, random, is_worker, SIGKILL);
}

/* Runs pg_ctl with these words; true if it was content. */
static bool
control(Disturber *disturber, const char *words)
{
	char *command = text("pg_ctl -D '%s' -l '%s.log' -s %s >/dev/null 2>&1", disturber->data_directory,
	                     disturber->data_directory, words);
	int status = system(command);

	free(command);
	return status == 0;
}

static void
start_server(Disturber *disturber)
{
	char *words = text("-w -o '%s' start", disturber->options);

	/* what is left of a killed one may be in the way for a moment */
	for (int tries = 0; !control(disturber, words); tries++)
	{
		if (tries > 100)
			die("the server does not start: see %s.log", disturber->data_directory);
		pause_for(100 * MILLISECOND);
	}
	free(words);
}

void
restart_fast(Disturber *disturber, Random *random)
{
	(void) random;
	if (!control(disturber, "-w -t 100 -m fast stop"))
		die("the server does not stop: see %s.log", disturber->data_directory);
	start_server(disturber);
}

void
restart_immediately(Disturber *disturber, Random *random)
{
	(void) random;
	control(disturber, "-w -m immediate stop");
	start_server(disturber);
}

void
kill_server(Disturber *disturber, Random *random)
{
	char *file_name = text("%s/postmaster.pid", disturber->data_directory);
	FILE *file = fopen(file_name, "r");
	int pid;

	(void) random;
	if (file && fscanf(file, "%d", &pid) == 1)
		kill(pid, SIGKILL);
	if (file)
		fclose(file);
	free(file_name);
	start_server(disturber);
}
