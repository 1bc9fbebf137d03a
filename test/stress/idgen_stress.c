/*
 * idgen_stress.c
 *		Draws ids in every way there is while sessions and servers end, and
 *		checks them.
 *
 *		idgen_stress [-c CLIENTS] [-s SECONDS] [-r SEED] [-o RECORD]
 *		DATA_DIRECTORY idgen_stress -k RECORD idgen_stress -r SEED -p
 *		CLIENT.TRANSACTION
 *
 * The first form works with the server whose data are in the directory, and
 * which libpq finds by default; it has to be empty, as the program makes
 * databases of its own. Which actions there are, and in which order, is a
 * function of the seed; what comes of them depends on how they meet. The second
 * form checks a record only, the third prints what was planned. The exit status
 * is 1 if a rule was broken.
 *
 * From top to bottom: this file; settle.c, disturber.c, client.c; changes.c,
 * families.c; ends.c, setup.c, plan.c; children.c; link.c, sequences.c;
 * check.c, uuids.c; record.c; util.c.
 */
#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check.h"
#include "client.h"
#include "disturber.h"
#include "settle.h"
#include "uuids.h"

/* Nothing that is asked of the server takes so long, so somebody is stuck. */
#define PATIENCE (120 * SECOND)

static uint64_t seed = 1;
static int nclients = 16;
static Time duration = 60 * SECOND;
static const char *record_file_name = NULL;

/* The round that is going on; set by the main thread while all others wait. */
static struct
{
	int number;
	Time until;
	bool last; /* there is none any more */
} round_now;

static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t gate_moved = PTHREAD_COND_INITIALIZER;
static int rounds_begun = 0;
static int nwaiting = 0;

/*
 * Waits until the main thread begins a round; false if there is none any more.
 */
static bool
wait_for_round(int *rounds_seen)
{
	pthread_mutex_lock(&gate);
	nwaiting++;
	pthread_cond_broadcast(&gate_moved);
	while (rounds_begun == *rounds_seen)
		pthread_cond_wait(&gate_moved, &gate);
	*rounds_seen = rounds_begun;
	pthread_mutex_unlock(&gate);
	return !round_now.last;
}

static void
begin_round(int number, Time until, bool last)
{
	pthread_mutex_lock(&gate);
	round_now.number = number;
	round_now.until = until;
	round_now.last = last;
	nwaiting = 0;
	rounds_begun++;
	pthread_cond_broadcast(&gate_moved);
	pthread_mutex_unlock(&gate);
}

/* Until all the others wait for a round. */
static void
wait_for_all(void)
{
	Time until = round_now.until + PATIENCE;

	pthread_mutex_lock(&gate);
	while (nwaiting < nclients + 1)
	{
		pthread_mutex_unlock(&gate);
		if (now() > until)
		{
			printf("WRONG: %d of %d threads did not come to an end within %d s\n", nclients + 1 - nwaiting,
			       nclients + 1, (int) (PATIENCE / SECOND));
			fflush(stdout);
			if (system("psql -Xc \"SELECT pid, application_name, state, wait_event_type, wait_event,"
			           " pg_blocking_pids(pid), query FROM pg_stat_activity"
			           " WHERE application_name <> 'psql'\" postgres") != 0)
				printf("pg_stat_activity cannot be read\n");
			exit(1);
		}
		pause_for(MILLISECOND);
		pthread_mutex_lock(&gate);
	}
	pthread_mutex_unlock(&gate);
}

static void *
client_main(void *argument)
{
	Client *client = argument;
	int rounds_seen = 0;

	while (wait_for_round(&rounds_seen))
		client_run_round(client, round_now.number, round_now.until);
	return NULL;
}

static void *
disturber_main(void *argument)
{
	Disturber *disturber = argument;
	int rounds_seen = 0;

	while (wait_for_round(&rounds_seen))
	{
		if (!round_is_calm(round_now.number))
			disturber_run_round(disturber, round_now.number, round_now.until);
	}
	return NULL;
}

/* What a client had planned for the transaction of a draw. */
static void
describe(const Draw *draw)
{
	Plan plan;

	if (draw->client == -1)
		printf("      the one who changed the id sequence\n");
	else if (draw->client == -2)
		printf("      seen only as a row, by nobody's answer\n");
	else
	{
		plan_transaction(&plan, seed, draw->client, draw->transaction);
		print_plan(&plan, stdout);
	}
}

static int
check_round(int number)
{
	int complaints = settle_before_check();

	complaints += check_streams(streams, nstreams, describe);
	complaints += uuids_check();
	complaints += settle_after_check(number);
	complaints += (int) atomic_exchange(&totals.unexpected, 0);
	printf("round %d%s: %.1f s, %lld ids, %lld in ranges, %lld transactions, %lld errors, %lld connections lost\n",
	       number + 1, round_is_calm(number) ? " (calm)" : "", (double) now() / SECOND, (long long) totals.ids,
	       (long long) totals.range_ids, (long long) totals.transactions, (long long) totals.errors,
	       (long long) totals.lost);
	fflush(stdout);
	return complaints;
}

static void
write_record(void)
{
	FILE *file = fopen(record_file_name, "w");

	if (!file)
		die("could not write \"%s\"", record_file_name);
	for (int i = 0; i < nstreams; i++)
		stream_write(&streams[i], file);
	fclose(file);
}

static void
print_end(int complaints)
{
	printf("prepared transactions: %lld\n", (long long) totals.prepared);
	for (int i = 0; i < ndeeds; i++)
		printf("%s: %ld\n", deeds[i].name, deeds[i].count);
	printf("seed %" PRIu64 ", %d clients, %.0f s: %lld ids, %lld more in ranges; %d complaints\n", seed, nclients,
	       (double) duration / SECOND, (long long) totals.ids, (long long) totals.range_ids, complaints);
}

static int
run_stress(const char *data_directory)
{
	Time round_time = Min(Max(duration / 12, 3 * SECOND), 20 * SECOND);
	pthread_t thread;
	Disturber *disturber;
	Time end;
	int complaints = 0;

	sequences_init();
	settle_init();
	disturber = disturber_create(seed, data_directory);
	disturber_begin_lives(disturber);
	printf("seed %" PRIu64 ", %d clients, %d id sequences\n", seed, nclients, nsequences);
	fflush(stdout);

	if (pthread_create(&thread, NULL, disturber_main, disturber) != 0)
		die("could not start a thread");
	for (int i = 0; i < nclients; i++)
	{
		if (pthread_create(&thread, NULL, client_main, client_create(seed, i)) != 0)
			die("could not start a thread");
	}

	round_now.until = now();
	wait_for_all();
	end = now() + duration;
	for (int number = 0; now() < end && complaints == 0; number++)
	{
		begin_round(number, now() + round_time, false);
		wait_for_all();
		complaints = check_round(number);
	}
	begin_round(0, 0, true);
	if (record_file_name)
		write_record();
	print_end(complaints);
	return complaints > 0 ? 1 : 0;
}

static int
check_file(const char *file_name)
{
	int n;
	Stream *read = streams_read(file_name, &n);

	return check_streams(read, n, NULL) > 0 ? 1 : 0;
}

static int
print_planned(const char *which)
{
	Draw draw;

	if (sscanf(which, "%" SCNd32 ".%" SCNd32, &draw.client, &draw.transaction) != 2)
		die("not a client and a transaction: %s", which);
	sequences_init();
	describe(&draw);
	return 0;
}

int
main(int argc, char **argv)
{
	const char *checked = NULL;
	const char *planned = NULL;

	signal(SIGPIPE, SIG_IGN);
	now();
	for (int option; (option = getopt(argc, argv, "c:s:r:o:k:p:")) != -1;)
	{
		switch (option)
		{
			case 'c':
				nclients = atoi(optarg);
				break;
			case 's':
				duration = atoi(optarg) * SECOND;
				break;
			case 'r':
				seed = strtoull(optarg, NULL, 10);
				break;
			case 'o':
				record_file_name = optarg;
				break;
			case 'k':
				checked = optarg;
				break;
			case 'p':
				planned = optarg;
				break;
			default:
				die("see the head of idgen_stress.c");
		}
	}
	if (checked && optind == argc)
		return check_file(checked);
	if (planned && optind == argc)
		return print_planned(planned);
	if (optind != argc - 1 || nclients < 1 || duration < SECOND)
		die("see the head of idgen_stress.c");
	return run_stress(argv[optind]);
}
