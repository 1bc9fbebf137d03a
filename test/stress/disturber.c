/*
 * disturber.c
 *		A thread that changes id sequences, and ends sessions and servers.
 *
 * What it does next is a function of the seed and of how much it has done in
 * the round.
 */
#include "disturber.h"

#include <stdlib.h>

#include "deeds.h"
#include "plan.h"
#include "setup.h"

/*
 * So long before its end, a round is ended by a restart, for ids to be drawn
 * after it; and so long before an asynchronous round is, nothing else happens.
 */
#define LAST_TIME         (1500 * MILLISECOND)
#define ASYNCHRONOUS_TIME (300 * MILLISECOND)

Deed deeds[] = {
	{"new life", begin_life, 30, 0},
	{"changed while somebody is held up", overtake, 60, 0},
	{"deleted, later created", take_away, 5, 0},
	{"deleted, and rolled back", delete_in_vain, 10, 0},
	{"block_size altered", alter_block_size, 10, 0},
	{"refill or layout altered", alter_manner, 20, 0},
	{"synced", sync_behind, 20, 0},
	{"next_block_start raised", raise_row, 10, 0},
	{"row held", hold_row, 8, 0},
	{"children dropped", drop_children, 60, 0},
	{"template replaced", replace_template, 15, 0},
	{"template deleted, later created", take_template_away, 5, 0},
	{"template applied", apply_template, 10, 0},
	{"maintenance", maintain, 5, 0},
	{"truncated", truncate_rows, 6, 0},
	{"extension recreated", recreate_extension, 2, 0},
	{"database recreated", recreate_database, 1, 0},
	{"statement cancelled", cancel_client, 15, 0},
	{"session terminated", terminate_client, 8, 0},
	{"worker terminated", terminate_worker, 5, 0},
	{"session killed", kill_client, 1, 0},
	{"worker killed", kill_worker, 1, 0},
	{"fast restart", restart_fast, 2, 0},
	{"immediate restart", restart_immediately, 1, 0},
	{"server killed", kill_server, 1, 0},
};

const int ndeeds = lengthof(deeds);

static int
random_deed(Random *random)
{
	int all = 0;
	int chosen;
	int i = 0;

	for (int j = 0; j < ndeeds; j++)
		all += deeds[j].weight;
	chosen = random_below(random, all);
	while (chosen >= deeds[i].weight)
		chosen -= deeds[i++].weight;
	return i;
}

static void
do_deed(Disturber *disturber, Random *random, int i)
{
	deeds[i].function(disturber, random);
	deeds[i].count++;
}

/* What the server gets on its command line in a round. */
static char *
options_of_round(int round)
{
	return text("%s %s", round_has_workers(round) ? "" : "-c max_worker_processes=0",
	            round_has_slots(round) ? "" : "-c idgen.max_sequences=16");
}

/*
 * Restarts the server in one way after the other. In an asynchronous round that
 * is a crash, when nothing has been brought to the disk by us for a while.
 */
static void
end_round(Disturber *disturber, Random *random, int round)
{
	DeedFunction how = restart_fast;

	if (round_is_asynchronous(round))
	{
		pause_for(ASYNCHRONOUS_TIME);
		how = random_below(random, 2) ? restart_immediately : kill_server;
	}
	free(disturber->options);
	disturber->options = options_of_round(round + 1);
	for (int i = 0; i < ndeeds; i++)
	{
		if (deeds[i].function == how)
			do_deed(disturber, random, i);
	}
}

void
disturber_run_round(Disturber *disturber, int round, Time until)
{
	Random last = random_stream(disturber->seed, 0, (uint64_t) round * 1000000 + 999999);

	for (int number = 0; now() < until - LAST_TIME; number++)
	{
		Random random = random_stream(disturber->seed, 0, (uint64_t) round * 1000000 + number);
		int i;

		pause_for(random_from(&random, 5, 100) * MILLISECOND);
		i = random_deed(&random);
		do_deed(disturber, &random, i);
	}
	end_round(disturber, &last, round);
}

Disturber *
disturber_create(uint64_t seed, const char *data_directory)
{
	Disturber *disturber = calloc(1, sizeof(*disturber));

	if (!disturber)
		die("out of memory");
	disturber->seed = seed;
	disturber->data_directory = data_directory;
	disturber->options = options_of_round(0);
	for (Database i = 0; i < NDATABASES; i++)
	{
		link_init(&disturber->links[i], "stress disturber", database_names[i], "postgres");
		link_init(&disturber->held_up[i], "stress held up", database_names[i], "postgres");
	}
	link_init(&disturber->centre, "stress centre", CENTRE, "postgres");
	link_init(&disturber->server, "stress disturber", "postgres", "postgres");
	return disturber;
}
