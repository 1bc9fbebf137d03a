/*
 * changes.c
 *		Changes of id sequences, of the extension and of databases.
 *
 * When a change begins a new life of a stream, that begins when its COMMIT is
 * sent, and the ones before end when that is answered. If the change is rolled
 * back, the new life never begins: an id of it in anybody's hand is wrong.
 */
#include "deeds.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "children.h"
#include "client.h"
#include "plan.h"
#include "setup.h"

#define DISTURBER (-1) /* as a client */

/*
 * Lives
 */

/* Adds the lives, in the order of the id sequences; all before them end. */
static void
begin_lives(Sequence *const *changed, const Life *lives, int n, Time begun, Time ended)
{
	for (int i = 0; i < n; i++)
	{
		Stream *stream = changed[i]->stream;
		Life *life;

		pthread_mutex_lock(&stream->lock);
		for (size_t j = 0; begun != NEVER && j < stream->nlives; j++)
			stream->lives[j].ended = Min(stream->lives[j].ended, ended);
		life = stream_add_life(stream, lives[i].first, lives[i].last);
		/*
		 * the centre gives out the new ids whatever becomes of the change here
		 */
		life->begun = Min(lives[i].begun, begun);
		pthread_mutex_unlock(&stream->lock);
	}
}

static void
end_lives(Sequence *sequence, Time ended)
{
	pthread_mutex_lock(&sequence->stream->lock);
	for (size_t i = 0; i < sequence->stream->nlives; i++)
		sequence->stream->lives[i].ended = Min(sequence->stream->lives[i].ended, ended);
	pthread_mutex_unlock(&sequence->stream->lock);
}

/*
 * The life that is going on is split: that of the values up to the last one
 * ends.
 */
static void
split_life(Stream *stream, int64_t last, Time ended)
{
	Life *old;
	Life *life;

	pthread_mutex_lock(&stream->lock);
	life = stream_add_life(stream, last + 1, 0);
	old = stream_life_of(stream, last);
	life->last = old->last;
	/* values behind the last one may have been drawn, and rolled back */
	life->begun = old->begun;
	old->last = last;
	old->ended = ended;
	pthread_mutex_unlock(&stream->lock);
}

static Life
prepare_life(Disturber *disturber, const Sequence *sequence)
{
	Life life = new_range(sequence);

	if (sequence->kind->source == SERVER)
	{
		life.begun = now();
		set_central_row(&disturber->centre, sequence, &life);
	}
	return life;
}

static void
add_own_draw(const Sequence *sequence, int64_t value, Time sent, Time replied)
{
	stream_add_draw(sequence->stream, &(Draw){.first = value, .last = value, .sent = sent, .replied = replied, .client = DISTURBER, .transaction = -1, .fate = KEPT});
}

/* Draws what the changing transaction gets after its change. */
static int
draw_in_change(Link *link, const Sequence *sequence, int64_t values[], int most)
{
	char *call = draw_call(sequence, "idgen_next");
	char *sql = text("SELECT %s FROM generate_series(1, %d)", call, most);
	PGresult *result;
	int n = 0;

	if (link_run(link, sql, &result) == DONE)
	{
		for (; n < PQntuples(result); n++)
		{
			if (!value_of(sequence, PQgetvalue(result, n, 0), &values[n]))
				die("%s gave an id of wrong form", sequence->kind->name);
		}
		PQclear(result);
	}
	free(sql);
	free(call);
	return n;
}

/*
 * Prepares the transaction, and commits it a little later. Neither DONE nor
 * FAILED if that is not seen.
 */
static Outcome
commit_prepared(Link *link, int number, Time *sent)
{
	char *prepare = text("PREPARE TRANSACTION 'change %d'", number);
	char *finish = text("COMMIT PREPARED 'change %d'", number);
	Outcome outcome = link_end(link, DISTURBER, number, prepare);

	if (outcome != FAILED)
	{
		pause_for(20 * MILLISECOND);
		*sent = now();
		/* if it is gone, it was committed or never prepared */
		while ((outcome = link_run(link, finish, NULL)) != DONE &&
		       (outcome == LOST || strcmp(link->sqlstate, "42704") != 0))
			pause_for(MILLISECOND);
		if (outcome == FAILED)
			outcome = LOST;
	}
	free(prepare);
	free(finish);
	return outcome;
}

/*
 * Functions and other servers give ids in between the phases, and idgen does
 * not know of the second one.
 */
static bool
may_be_prepared(const Sequence *sequence)
{
	return sequence->kind->source == TABLE || sequence->kind->source == SEQUENCE;
}

/*
 * Commits, perhaps in two phases, and says how it ended. *sent and *known are
 * when that was asked for, and when the answer was there.
 */
bool
commit_change(Link *link, bool may_prepare, Time *sent, Time *known)
{
	static int number = 0;
	Outcome outcome;
	bool committed;

	*sent = now();
	if (++number % 4 == 0 && may_prepare)
		outcome = commit_prepared(link, number, sent);
	else
		outcome = link_end(link, DISTURBER, number, "COMMIT");
	committed = outcome == DONE;
	if (outcome == FAILED)
		link_roll_back(link);
	if (!committed)
		committed = link_has_ended(link, DISTURBER, number);
	*known = now();
	return committed;
}

/*
 * One transaction that begins a new life for each of the id sequences, or is
 * rolled back. The lives of those with source "server" have begun. Returns
 * whether it was committed.
 */
static bool
change_lives(Link *link, const char *sql, Sequence *const *changed, const Life *lives, int n, bool roll_back,
             int ndraws)
{
	int64_t values[30];
	bool committed = false;
	Time sent = NEVER;
	Time known = NEVER;

	if (link_run(link, "BEGIN; SET LOCAL lock_timeout = 3000", NULL) == DONE && link_run(link, sql, NULL) == DONE)
	{
		ndraws = ndraws > 0 ? draw_in_change(link, changed[0], values, Min(ndraws, (int) lengthof(values))) : 0;
		if (!roll_back)
			committed = commit_change(link, n == 1 && may_be_prepared(changed[0]), &sent, &known);
	}
	if (!committed)
		link_roll_back(link);
	begin_lives(changed, lives, n, committed ? sent : NEVER, known);

	for (int i = 0; committed && i < ndraws; i++)
		add_own_draw(changed[0], values[i], known, known);
	return committed;
}

/*
 * Changes of one id sequence
 */

static Sequence *
random_sequence(Random *random)
{
	return &sequences[random_below(random, nsequences)];
}

static int64_t
current_first(const Sequence *sequence)
{
	for (size_t i = sequence->stream->nlives; i-- > 0;)
	{
		if (sequence->stream->lives[i].begun != NEVER)
			return sequence->stream->lives[i].first;
	}
	return 0;
}

/*
 * Either the row itself, or the table that it belongs to. A child goes with its
 * template, since the next draw would make it anew; and nobody may be making it
 * meanwhile, whose child this would not see.
 */
static char *
delete_sql(const Sequence *sequence, Random *random)
{
	if (sequence->kind->child)
	{
		char *template = template_name(sequence);
		char *sql = text("SET LOCAL lock_timeout = 300; LOCK TABLE id_sequences IN SHARE ROW EXCLUSIVE MODE;"
		                 "DELETE FROM id_sequences WHERE name IN ('%s', '%s')",
		                 sequence->kind->name, template);

		free(template);
		return sql;
	}
	if (one_in(random, 2))
		return text("DROP TABLE IF EXISTS %s_owner", sequence->kind->name);
	return text("DELETE FROM id_sequences WHERE name = '%s'", sequence->kind->name);
}

static char *
recreate_sql(const Sequence *sequence, const Life *life, Random *random, bool by_renaming)
{
	char *create = create_sql(sequence, life);
	const char *name = sequence->kind->name;
	char *sql;

	if (by_renaming && !sequence->kind->child)
		sql = text("UPDATE id_sequences SET name = '%s_old' WHERE name = '%s'; %s;"
		           "DELETE FROM id_sequences WHERE name = '%s_old'",
		           name, name, create, name);
	else
	{
		char *delete = delete_sql(sequence, random);

		sql = text("%s; %s", delete, create);
		free(delete);
	}
	free(create);
	return sql;
}

/* NULL if this one cannot be restarted */
static char *
restart_sql(const Sequence *sequence, const Life *life)
{
	const Kind *kind = sequence->kind;

	if (kind->source == SEQUENCE)
	{
		char *name = native_name(sequence);
		char *sql = text("ALTER SEQUENCE %s MINVALUE %" PRId64 " MAXVALUE %" PRId64 " RESTART %" PRId64, name,
		                 first_native(sequence, life), last_native(sequence, life),
		                 kind->block_size < 0 ? life->last : first_native(sequence, life));

		free(name);
		return sql;
	}
	if (kind->source != TABLE || kind->capacity > 0)
		return NULL;
	/* of a row that is not there, an UPDATE changes nothing */
	if (life->first < current_first(sequence) && life->first % 2 == 0 && !kind->child)
		return text("UPDATE id_sequences SET next_block_start = %" PRId64 " WHERE name = '%s'", life->first,
		            kind->name);
	return text("SELECT idgen_restart('%s', %" PRId64 ")", kind->name, life->first);
}

static void
begin_life_of(Disturber *disturber, Random *random, Sequence *sequence)
{
	Link *link = &disturber->links[sequence->database];
	int how = random_below(random, 4);
	bool roll_back = one_in(random, 5);
	bool may_draw = sequence->kind->refill != BY_WORKER && !sequence->stream->gapless && sequence->kind->audience != UNPRIVILEGED;
	int ndraws = may_draw && one_in(random, 2) ? random_from(random, 1, 30) : 0;
	Life life = prepare_life(disturber, sequence);
	char *sql = how < 2 || sequence->kind->layout == SCRAMBLED ? restart_sql(sequence, &life) : NULL;

	if (sql == NULL)
		sql = recreate_sql(sequence, &life, random, how == 3);
	change_lives(link, sql, &sequence, &life, 1, roll_back, ndraws);
	free(sql);
}

void
begin_life(Disturber *disturber, Random *random)
{
	begin_life_of(disturber, random, random_sequence(random));
}

/* Deletes an id sequence, and creates it again in a transaction of its own. */
static void
take_away_one(Disturber *disturber, Random *random, Sequence *sequence)
{
	Link *link = &disturber->links[sequence->database];
	char *sql;
	Life life;
	Time sent;
	Time known;

	/*
	 * a transaction goes on with what a function has given it, with or without
	 * the row; and a scrambled id that was drawn before cannot be taken apart
	 * with the key of another row
	 */
	if (sequence->kind->no_row || sequence->kind->source == FUNCTION || sequence->kind->layout == SCRAMBLED)
		return;
	sql = delete_sql(sequence, random);
	if (link_run(link, "BEGIN; SET LOCAL lock_timeout = 3000", NULL) == DONE && link_run(link, sql, NULL) == DONE &&
	    commit_change(link, may_be_prepared(sequence), &sent, &known))
	{
		end_lives(sequence, known);
		pause_for(random_below(random, 30) * MILLISECOND);
		do
		{
			free(sql);
			life = prepare_life(disturber, sequence);
			sql = create_sql(sequence, &life);
		} while (!change_lives(link, sql, &sequence, &life, 1, false, 0));
	}
	else
		link_roll_back(link);
	free(sql);
}

void
take_away(Disturber *disturber, Random *random)
{
	take_away_one(disturber, random, random_sequence(random));
}

/* How many ids are counted as lost by changes. */
static int64_t
look_up_changed(Link *link, const Sequence *sequence)
{
	char *sql = text("SELECT coalesce(sum(ids_lost_changed), 0) FROM idgen_stats WHERE name = '%s'", sequence->kind->name);
	PGresult *result;
	int64_t changed;

	link_insist(link, sql, &result);
	changed = strtoll(PQgetvalue(result, 0, 0), NULL, 10);
	PQclear(result);
	free(sql);
	return changed;
}

/*
 * Deletes an id sequence that is in use, but not for good: so nothing may be
 * lost.
 */
void
delete_in_vain(Disturber *disturber, Random *random)
{
	Sequence *sequence = random_sequence(random);
	Link *link;
	char *sql;
	int64_t before;
	int64_t lost;

	/*
	 * of others, what is late because of the change before may be lost just now
	 */
	while (sequence->kind->source != TABLE || sequence->kind->refill != BY_TRANSACTION || sequence->kind->switched || sequence->stream->gapless)
		sequence = random_sequence(random);
	link = &disturber->links[sequence->database];
	sql = delete_sql(sequence, random);
	before = look_up_changed(link, sequence);
	link_run(link, "BEGIN; SET LOCAL lock_timeout = 1000", NULL);
	link_run(link, sql, NULL);
	link_roll_back(link);
	lost = look_up_changed(link, sequence) - before;
	if (lost > 0)
	{
		atomic_fetch_add(&totals.unexpected, 1);
		printf("WRONG: %s: %" PRId64 " ids were counted as lost by a change that was rolled back (C1)\n",
		       sequence->stream->name, lost);
		fflush(stdout);
	}
	free(sql);
}

/*
 * How far behind the next id that is not allocated the id of an import is; -1:
 * just before. Nobody may have drawn an id behind that. Of a row this sees to
 * it that it is so; nothing keeps others from drawing values of a native
 * sequence.
 */
static int
distance_of_import(Random *random, const Sequence *sequence)
{
	if (sequence->kind->source == SEQUENCE)
		return random_from(random, 10000000, 10100000);
	return random_from(random, -1, one_in(random, 2) ? 0 : 500);
}

/* The next id that is not allocated, of a row that is locked; or UNKNOWN. */
static int64_t
lock_and_look(Link *link, const Sequence *sequence)
{
	char *lock = text("SELECT 1 FROM id_sequences WHERE name = '%s' FOR UPDATE", sequence->kind->name);
	char *look = next_sql(sequence);
	int64_t next = UNKNOWN;
	PGresult *result;

	if (link_run(link, lock, NULL) == DONE && link_run(link, look, &result) == DONE)
	{
		if (PQntuples(result) == 1 && !PQgetisnull(result, 0, 0))
			next = strtoll(PQgetvalue(result, 0, 0), NULL, 10);
		PQclear(result);
	}
	free(look);
	free(lock);
	return next;
}

/*
 * Puts an id into the column of an id sequence that lies behind all of those
 * drawn so far, and has idgen_sync() move the id sequence behind it.
 */
void
sync_behind(Disturber *disturber, Random *random)
{
	Sequence *sequence;
	const char *name;
	Link *link;
	bool roll_back = one_in(random, 5);
	bool committed = false;
	int64_t imported = 0;
	int64_t first;
	int64_t next;
	Time sent;
	Time known;

	do
		sequence = random_sequence(random);
	while (!can_be_synced(sequence));
	name = sequence->kind->name;
	first = current_first(sequence);
	link = &disturber->links[sequence->database];
	if (link_run(link, "BEGIN; SET LOCAL lock_timeout = 3000", NULL) == DONE &&
	    (next = lock_and_look(link, sequence)) != UNKNOWN)
	{
		char *sql;

		imported = next + distance_of_import(random, sequence);
		sql = text("DELETE FROM %s_owner; INSERT INTO %s_owner VALUES (%" PRId64 ");"
		           "SELECT idgen_sync('%s_owner'%s)",
		           name, name, imported, name, one_in(random, 2) ? ", 'id'" : "");
		committed = imported >= first && same_range(imported, first) && link_run(link, sql, NULL) == DONE &&
			!roll_back && commit_change(link, may_be_prepared(sequence), &sent, &known);
		free(sql);
	}
	if (committed)
		split_life(sequence->stream, imported, known);
	else
		link_roll_back(link);
}

/* Runs something that may be in vain. */
static void
try_change(Disturber *disturber, const Sequence *sequence, char *sql)
{
	Link *link = &disturber->links[sequence->database];

	link_run(link, "BEGIN; SET LOCAL lock_timeout = 1000", NULL);
	link_run(link, sql, NULL);
	link_run(link, "COMMIT", NULL);
	free(sql);
}

void
alter_block_size(Disturber *disturber, Random *random)
{
	static const int sizes[] = {2, 7, 20, 50, 300};
	Sequence *sequence = random_sequence(random);

	if (sequence->kind->source == TABLE && !sequence->stream->gapless)
		try_change(disturber, sequence,
		           text("UPDATE id_sequences SET block_size = %d WHERE name = '%s'",
		                sizes[random_below(random, lengthof(sizes))], sequence->kind->name));
}

void
alter_manner(Disturber *disturber, Random *random)
{
	static const char *const modes[] = {"transaction", "worker", "auto"};
	Sequence *sequence = random_sequence(random);

	if (sequence->kind->switched)
		try_change(disturber, sequence,
		           text("UPDATE id_sequences SET refill = '%s' WHERE name = '%s'",
		                modes[random_below(random, lengthof(modes))], sequence->kind->name));
	if (sequence->kind->relaid)
		try_change(disturber, sequence,
		           text("UPDATE id_sequences SET layout = '%s' WHERE name = '%s'",
		                one_in(random, 2) ? "plain" : "session_reversed", sequence->kind->name));
}

/* Another program has allocated something. */
void
raise_row(Disturber *disturber, Random *random)
{
	Sequence *sequence = random_sequence(random);

	if (sequence->kind->source == TABLE && sequence->kind->capacity == 0 && !sequence->stream->gapless)
		try_change(disturber, sequence,
		           text("UPDATE id_sequences SET next_block_start = next_block_start + %d WHERE name = '%s'",
		                random_from(random, 1, 500), sequence->kind->name));
}

void
hold_row(Disturber *disturber, Random *random)
{
	Sequence *sequence = random_sequence(random);
	Link *link = &disturber->links[sequence->database];
	char *sql = text("SET LOCAL lock_timeout = 1000; SELECT 1 FROM id_sequences WHERE name = '%s' FOR UPDATE",
	                 sequence->kind->name);

	link_run(link, "BEGIN", NULL);
	link_run(link, sql, NULL);
	pause_for(random_from(random, 10, 300) * MILLISECOND);
	link_roll_back(link);
	free(sql);
}

void
maintain(Disturber *disturber, Random *random)
{
	static const char *const commands[] = {"VACUUM id_sequences", "ANALYZE id_sequences", "VACUUM FULL id_sequences",
	                                       "REINDEX TABLE id_sequences", "CHECKPOINT"};

	link_run(&disturber->links[random_below(random, NDATABASES)], commands[random_below(random, lengthof(commands))],
	         NULL);
}

/*
 * Changes of a whole database
 */

/* New lives for all of a database, by this SQL in front of their creation. */
static bool
begin_all_lives(Disturber *disturber, Database database, const char *before)
{
	Link *link = &disturber->links[database];
	int first;
	int n = sequences_of(database, &first);
	Life lives[MAX_IN_DATABASE];
	Sequence *changed[MAX_IN_DATABASE];
	char *create;
	char *sql;
	bool committed;

	for (int i = 0; i < n; i++)
	{
		changed[i] = &sequences[first + i];
		lives[i] = prepare_life(disturber, changed[i]);
	}
	create = sequences_sql(database, lives);
	sql = text("%s; %s", before, create);
	committed = change_lives(link, sql, changed, lives, n, false, 0);
	free(create);
	free(sql);
	return committed;
}

void
truncate_rows(Disturber *disturber, Random *random)
{
	(void) random;
	begin_all_lives(disturber, DATABASE_C, "TRUNCATE id_sequences");
}

void
recreate_extension(Disturber *disturber, Random *random)
{
	char *create = extension_sql(&disturber->centre, DATABASE_C);
	char *sql = text("DROP EXTENSION idgen CASCADE; %s", create);

	(void) random;
	begin_all_lives(disturber, DATABASE_C, sql);
	free(sql);
	free(create);
}

/*
 * PostgreSQL waits for ever to drop a database if a session was cancelled just
 * when it was told to close its files. That comes to pass here, and is told
 * again when this is tried again.
 */
static Outcome
drop_database(Link *link, const char *drop)
{
	Outcome outcome = link_run(link, "SET statement_timeout = '10s'", NULL);

	if (outcome == DONE)
		outcome = link_run(link, drop, NULL);
	if (outcome == DONE)
		outcome = link_run(link, "RESET statement_timeout", NULL);
	return outcome;
}

void
recreate_database(Disturber *disturber, Random *random)
{
	const char *name = database_names[DATABASE_C];
	Link *link = &disturber->links[DATABASE_C];
	char *drop = text("DROP DATABASE IF EXISTS %s WITH (FORCE)", name);
	char *create = text("CREATE DATABASE %s", name);
	char *extension = extension_sql(&disturber->centre, DATABASE_C);
	int first;
	int n = sequences_of(DATABASE_C, &first);

	(void) random;
	link_close(link);
	while (drop_database(&disturber->server, drop) != DONE)
		pause_for(10 * MILLISECOND);
	for (int i = 0; i < n; i++)
		end_lives(&sequences[first + i], disturber->server.replied);
	while (link_run(&disturber->server, create, NULL) != DONE && strcmp(disturber->server.sqlstate, "42P04") != 0)
		pause_for(10 * MILLISECOND);
	create_objects(link);
	while (!begin_all_lives(disturber, DATABASE_C, extension))
		;
	free(extension);
	free(drop);
	free(create);
}

/*
 * Changes that overtake a draw
 */

/*
 * The life of an id sequence of source "server" is ended while the centre's
 * answer is there, but whoever has asked it is held up.
 */
static void
overtake_answer(Disturber *disturber, Random *random, Sequence *sequence)
{
	Link *centre = &disturber->centre;
	char *lock = text("SELECT 1 FROM %s.id_sequences WHERE name = '%s' FOR UPDATE",
	                  database_names[sequence->database], sequence->kind->name);
	int pid;

	link_run(centre, "BEGIN", NULL);
	link_run(centre, lock, NULL);
	for (int tries = 0; !is_waited_for(disturber, random, centre) && tries < 20; tries++)
		pause_for(10 * MILLISECOND);
	pid = refilling_process(disturber, random, sequence);
	if (pid > 0)
		hold_up(pid, random_from(random, 100, 300) * MILLISECOND);
	link_roll_back(centre);
	pause_for(10 * MILLISECOND);
	begin_life_of(disturber, random, sequence);
	free(lock);
}

/*
 * Draws some ids while the id sequence is changed. If it is a function's or
 * another server's, no lock keeps one of them waiting for the other.
 */
void
overtake(Disturber *disturber, Random *random)
{
	Sequence *sequence;
	Link *link;
	char *sql;
	int64_t value;
	PGresult *result;

	do
		sequence = random_sequence(random);
	while (sequence->kind->source != SERVER && sequence->kind->source != FUNCTION);
	link = &disturber->held_up[sequence->database];
	sql = text("SELECT idgen_next('%s') FROM generate_series(1, %d)", sequence->kind->name, random_from(random, 1, 50));

	/* so that nothing is cached */
	begin_life_of(disturber, random, sequence);
	if (link_send(link, sql))
	{
		if (sequence->kind->source == SERVER)
			overtake_answer(disturber, random, sequence);
		else
		{
			pause_for(random_below(random, 10) * MILLISECOND);
			hold_up(PQbackendPID(link->connection), random_from(random, 50, 300) * MILLISECOND);
			begin_life_of(disturber, random, sequence);
		}
	}
	if (link_receive(link, &result) == DONE)
	{
		for (int i = 0; i < PQntuples(result); i++)
		{
			if (!value_of(sequence, PQgetvalue(result, i, 0), &value))
				die("%s gave an id of wrong form", sequence->kind->name);
			add_own_draw(sequence, value, link->sent, link->replied);
		}
		PQclear(result);
	}
	free(sql);
}

/*
 * Makes everything there is, and the first lives. Database B begins as a copy
 * of A.
 */
void
disturber_begin_lives(Disturber *disturber)
{
	setup_cluster(&disturber->server);
	setup_centre(&disturber->centre);
	for (Database database = 0; database < NDATABASES; database++)
	{
		bool copy = database == DATABASE_B;
		char *sql;

		link_close(&disturber->links[DATABASE_A]);
		create_database(&disturber->server, database, copy ? database_names[DATABASE_A] : "template1");
		create_objects(&disturber->links[database]);
		if (copy)
			sql = text("DELETE FROM id_sequences; ALTER SERVER central OPTIONS (SET schema_name '%s')",
			           database_names[database]);
		else
			sql = extension_sql(&disturber->centre, database);
		if (!begin_all_lives(disturber, database, sql))
			die("could not set up %s: %s", database_names[database], disturber->links[database].message);
		create_templates(&disturber->links[database], database);
		free(sql);
	}
}
