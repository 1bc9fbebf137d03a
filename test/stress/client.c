/*
 * client.c
 *		A session that draws ids, transaction after transaction, and records
 *		them.
 *
 * Whether an id may be issued twice depends on what allocated it. At the
 * beginning of a transaction, and of each of its savepoints ("level" here), the
 * client reads where the next block begins. A lower id was allocated before, so
 * rolling back that level does not return it; a higher one may have been
 * allocated in that level. Of id sequences of block_size 1, all that a level
 * has drawn is returned. After a unique violation, what is returned is left out
 * by later draws, as long as the cache does not forget that.
 *
 * Draws are recorded when their fate is known. A transaction that has written
 * leaves a mark at its end, so that this can be looked up if its COMMIT gets no
 * answer.
 */
#include "client.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "link.h"
#include "uuids.h"

#define MAX_LEVELS 8

typedef struct OpenDraw
{
	Draw draw;
	Sequence *sequence;
	int level;
	bool uncommitted; /* the savepoint that drew it was rolled back */
	bool classic;
} OpenDraw;

struct Client
{
	uint64_t seed;
	int number;
	int transaction;
	Plan plan;
	Link link;

	OpenDraw *draws; /* of the transaction */
	int ndraws;
	size_t draws_allocated;
	int nlevels;
	int64_t next[MAX_LEVELS][MAX_SEQUENCES]; /* INT64_MIN if not known */
};

Totals totals;

Client *
client_create(uint64_t seed, int number)
{
	Client *client = calloc(1, sizeof(*client));
	char *name = text("stress client %d", number);

	if (!client)
		die("out of memory");
	client->seed = seed;
	client->number = number;
	link_init(&client->link, name, database_names[database_of_client(number)],
	          client_is_privileged(number) ? "postgres" : UNPRIVILEGED_USER);
	free(name);
	return client;
}

/*
 * What may go wrong
 */

/*
 * What a function reads may make the whole transaction fail later, if it is
 * serializable.
 */
static bool
has_function(const Plan *plan)
{
	for (int i = 0; i < plan->nsequences; i++)
	{
		if (plan->sequences[i]->kind->source == FUNCTION)
			return true;
	}
	return false;
}

/* The end of a round comes after a restart for the next one. */
static bool
lacks_workers_or_slots(int round)
{
	return !round_has_workers(round) || !round_has_workers(round + 1) ||
		!round_has_slots(round) || !round_has_slots(round + 1);
}

static bool
needs_worker(const Kind *kind)
{
	return kind->refill == BY_WORKER || kind->switched;
}

/* Whether an error is what the plan, or the disturber, was asking for. */
static bool
is_expected(const Client *client, const Step *step)
{
	const char *state = client->link.sqlstate;
	const Kind *kind = step ? step->sequence->kind : NULL;
	const Kind *other = step && step->other ? step->other->kind : NULL;
	static const char *const disturbed[] = {
		"57014", "57P01", "57P02", "57P03", /* cancelled, terminated, crashed, starting */
		"55P03", "40P01",                   /* lock_timeout, deadlock */
		"53000",                            /* the worker did not get at the row in time */
		"42704", "42P01",                   /* being made anew */
	};
	static const char *const dropped[] = {"42883", "3D000", "3F000", "26000", "XX000"};

	if (strcmp(state, "23505") == 0)
		return step && step->action == COLLIDE;
	if (strcmp(state, "53400") == 0)
		return lacks_workers_or_slots(client->transaction / ROUND_STEP) &&
			((kind && needs_worker(kind)) || (other && needs_worker(other)));
	if (strcmp(state, "2200H") == 0 && step && step->action == DRAW_CHILD)
		return step->family->most > 0;
	if (strcmp(state, "2200H") == 0)
		return (kind && kind->capacity > 0) || (other && other->capacity > 0);
	/* others draw in between; only the function itself could tell, or nobody */
	if (strcmp(state, "55000") == 0)
		return step && ((step->action == DRAW_RANGE && kind->source == SEQUENCE) || (step->action == PEEK && (kind->source == FUNCTION || kind->cache > 0)));
	if (round_is_calm(client->transaction / ROUND_STEP))
		return false;

	for (size_t i = 0; i < lengthof(disturbed); i++)
	{
		if (strcmp(state, disturbed[i]) == 0)
			return true;
	}
	for (size_t i = 0; i < lengthof(dropped) && database_of_client(client->number) == DATABASE_C; i++)
	{
		if (strcmp(state, dropped[i]) == 0)
			return true;
	}
	/* the server has looked up the native sequence, and then it was dropped */
	if (step && step->action == CLASSIC && strstr(client->link.message, "could not open relation with OID"))
		return true;
	if (strncmp(state, "08", 2) == 0)
		return kind && (kind->source == SERVER || (other && other->source == SERVER));
	if (strcmp(state, "40001") == 0 && client->plan.isolation != READ_COMMITTED)
		return step == NULL || step->action == CLASSIC || kind->source == FUNCTION ||
			(other && other->source == FUNCTION) ||
			(client->plan.isolation == SERIALIZABLE && has_function(&client->plan));
	return false;
}

static void
note_error(Client *client, const Step *step, const char *sql)
{
	atomic_fetch_add(&totals.errors, 1);
	if (is_expected(client, step))
		return;
	atomic_fetch_add(&totals.unexpected, 1);
	printf("WRONG: client %d, transaction %d at %.3f ms: error %s: %s    while running: %s\n", client->number,
	       client->transaction, (double) now() / MILLISECOND, client->link.sqlstate, client->link.message, sql);
	print_plan(&client->plan, stdout);
	fflush(stdout);
}

static Outcome
run(Client *client, const Step *step, const char *sql, PGresult **result)
{
	Outcome outcome = link_run(&client->link, sql, result);

	if (outcome == FAILED)
		note_error(client, step, sql);
	if (outcome == LOST)
		atomic_fetch_add(&totals.lost, 1);
	return outcome;
}

/*
 * Draws whose fate is open
 */

static void
record(const OpenDraw *open, Fate fate)
{
	Draw draw = open->draw;

	draw.fate = fate;
	stream_add_draw(open->sequence->stream, &draw);
}

/* The values from first to last were returned. */
static void
record_returned(const OpenDraw *open, int64_t first, int64_t last, Time returned)
{
	Draw draw = open->draw;

	draw.first = first;
	draw.last = last;
	draw.fate = RETURNED;
	draw.returned = returned;
	stream_add_draw(open->sequence->stream, &draw);
}

static int
index_in_plan(const Plan *plan, const Sequence *sequence)
{
	for (int i = 0; i < plan->nsequences; i++)
	{
		if (plan->sequences[i] == sequence)
			return i;
	}
	die("an id sequence is not in its plan");
}

/*
 * Records what the end of this level returns; false if nothing is left of the
 * draw.
 */
static bool
return_draw(Client *client, OpenDraw *open, int level, Time returned)
{
	const Stream *stream = open->sequence->stream;
	Draw *draw = &open->draw;
	int64_t next;

	open->level = level - 1;
	open->uncommitted = true;
	if (!stream->transactional)
	{
		/* but after a crash, ids of another program may be issued again */
		return !open->classic || client->plan.calm;
	}

	next = client->next[level][index_in_plan(&client->plan, open->sequence)];
	if (stream->gapless || !same_range(next, draw->first) || next <= draw->first)
	{
		record_returned(open, draw->first, draw->last, returned);
		return false;
	}
	if (next <= draw->last)
	{
		record_returned(open, next, draw->last, returned);
		draw->last = next - 1;
	}
	return true;
}

/* The level and those within it were rolled back, not before the time. */
static void
roll_back_level(Client *client, int level, Time returned)
{
	int left = 0;

	for (int i = 0; i < client->ndraws; i++)
	{
		OpenDraw *open = &client->draws[i];

		if (open->level < level || return_draw(client, open, level, returned))
			client->draws[left++] = *open;
	}
	client->ndraws = left;
	client->nlevels = level;
}

static void
release_level(Client *client, int level)
{
	for (int i = 0; i < client->ndraws; i++)
		client->draws[i].level = Min(client->draws[i].level, level - 1);
	client->nlevels = level;
}

/*
 * The time before which the session has not rolled back what it was doing,
 * after a statement that was not DONE. An error comes after the statement was
 * sent. But the session may have ended earlier: as soon as the server had the
 * last answer ready, which the client may have noticed much later.
 */
static Time
not_rolled_back_before(const Link *link, Outcome outcome)
{
	return outcome == LOST ? link->alive : link->sent;
}

/* The transaction is over. If it was rolled back, then not before the time. */
static void
end_transaction(Client *client, bool committed, Time returned)
{
	if (!committed && client->nlevels > 0)
		roll_back_level(client, 0, returned);
	for (int i = 0; i < client->ndraws; i++)
	{
		OpenDraw *open = &client->draws[i];

		record(open, committed && !open->uncommitted ? KEPT : UNCOMMITTED);
	}
	client->ndraws = 0;
	client->nlevels = 0;
	atomic_fetch_add(&totals.transactions, 1);
}

/*
 * Begins a level. When a transaction is serializable, reading the rows in it
 * would make every refill a conflict, so the inner ones do with what the first
 * has read before.
 */
static Outcome
add_level(Client *client)
{
	const Plan *plan = &client->plan;
	int level = client->nlevels;
	char *sql = text("SELECT 1");
	PGresult *result;
	Outcome outcome;

	if (level > 0 && plan->isolation == SERIALIZABLE)
	{
		memcpy(client->next[level], client->next[level - 1], sizeof(client->next[level]));
		client->nlevels++;
		free(sql);
		return DONE;
	}

	for (int i = 0; i < plan->nsequences; i++)
	{
		bool needed = plan->sequences[i]->stream->transactional;
		char *next = needed ? next_sql(plan->sequences[i]) : text("SELECT null");
		char *longer = text("%s, (%s)", sql, next);

		free(next);
		free(sql);
		sql = longer;
	}
	outcome = run(client, NULL, sql, &result);
	free(sql);
	if (outcome != DONE)
		return outcome;
	for (int i = 0; i < plan->nsequences; i++)
		client->next[level][i] =
			PQgetisnull(result, 0, i + 1) ? INT64_MIN : strtoll(PQgetvalue(result, 0, i + 1), NULL, 10);
	PQclear(result);
	client->nlevels++;
	return DONE;
}

/*
 * Drawing
 */

static void
add_draw(Client *client, Sequence *sequence, int64_t first, int64_t last)
{
	OpenDraw *open;

	client->draws =
		make_room(client->draws, client->ndraws + 1, &client->draws_allocated, sizeof(*client->draws));
	open = &client->draws[client->ndraws++];
	*open = (OpenDraw){.sequence = sequence, .level = client->nlevels - 1};
	open->draw = (Draw){.first = Min(first, last),
	                    .last = Max(first, last),
	                    .sent = client->link.sent,
	                    .replied = client->link.replied,
	                    .client = client->number,
	                    .transaction = client->transaction};
}

static void
complain_of_answer(Client *client, const char *what, const PGresult *result, int row)
{
	atomic_fetch_add(&totals.unexpected, 1);
	printf("WRONG: client %d, transaction %d: %s: row %d of %d is \"%s\"\n", client->number, client->transaction,
	       what, row, PQntuples(result), row < PQntuples(result) ? PQgetvalue(result, row, 0) : "");
	print_plan(&client->plan, stdout);
	fflush(stdout);
}

typedef bool (*ValueOf)(const Sequence *sequence, const char *id, int64_t *value);

/* Takes down the ids in a column, as runs of consecutive ones. */
static void
add_column(Client *client, Sequence *sequence, const PGresult *result, int column, ValueOf get_value)
{
	int n = PQntuples(result);
	int64_t first = 0;
	int64_t last = 0;

	for (int row = 0; row < n; row++)
	{
		int64_t value;

		if (!get_value(sequence, PQgetvalue(result, row, column), &value))
		{
			complain_of_answer(client, "not an id of its layout", result, row);
			return;
		}
		if (row > 0 && (value == last + 1 || value == last - 1) && (first == last || (last > first) == (value > last)))
			last = value;
		else
		{
			if (row > 0)
				add_draw(client, sequence, first, last);
			first = last = value;
		}
	}
	if (n > 0)
		add_draw(client, sequence, first, last);
	atomic_fetch_add(&totals.ids, n);
}

static void
add_range(Client *client, Sequence *sequence, const PGresult *result, int count)
{
	int64_t first;
	int64_t last;

	if (PQntuples(result) != 1 || !value_of(sequence, PQgetvalue(result, 0, 0), &first) ||
	    !value_of(sequence, PQgetvalue(result, 0, 1), &last) || Max(first, last) - Min(first, last) != count - 1)
		complain_of_answer(client, "not a range of what was asked for", result, 0);
	else
	{
		add_draw(client, sequence, first, last);
		atomic_fetch_add(&totals.range_ids, count);
	}
}

/*
 * The statement of a step that draws. What is drawn from a gapless id sequence
 * is put into a table, so that it can be compared with what was committed.
 */
static char *
draw_sql(const Step *step)
{
	const Sequence *sequence = step->sequence;
	const char *name = sequence->kind->name;
	const char *source = sequence->kind->no_row ? ", 'sequence'" : "";
	const char *insert = sequence->stream->gapless ? "INSERT INTO gapless_rows (name, id) " : "";
	const char *returning = sequence->stream->gapless ? " RETURNING id" : "";
	char *label = sequence->stream->gapless ? text("'%s', ", name) : text("%s", "");
	char *next = draw_call(sequence, "idgen_next");
	char *other = step->other ? draw_call(step->other, "idgen_next") : NULL;
	char *sql = NULL;

	switch (step->action)
	{
		case DRAW:
			sql = text("%sSELECT %s%s%s", insert, label, next, returning);
			break;
		case DRAW_MANY:
			sql = text("%sSELECT %s%s FROM generate_series(1, %d)%s", insert, label, next, step->count, returning);
			break;
		case DRAW_BIG:
			sql = text("%sSELECT %sidgen_next_big('%s'%s) FROM generate_series(1, %d)%s", insert, label, name, source,
			           step->count, returning);
			break;
		case DRAW_RANGE:
			if (sequence->stream->gapless)
				sql = text("%sSELECT %sgenerate_series(first_id, last_id) FROM idgen_next_range('%s', %d)%s", insert,
				           label, name, step->count, returning);
			else
				sql = text("SELECT * FROM idgen_next_range('%s', %d%s)", name, step->count, source);
			break;
		case DRAW_IN_BLOCK:
			sql = text("SELECT * FROM stress_block('%s', %s, %d, %s, %s, %s)", name,
			           sequence->kind->no_row ? "'sequence'" : "null", step->count,
			           sequence->stream->gapless ? "true" : "false", step->flag ? "true" : "false",
			           step->collides ? "true" : "false");
			break;
		case DRAW_TWO:
			sql = text("SELECT %s, %s FROM generate_series(1, %d)", next, other, step->count);
			break;
		case DRAW_TEXT:
			sql = text("SELECT idgen_next_text('%s') FROM generate_series(1, %d)", name, step->count);
			break;
		case DRAW_UNIQUE:
			sql = text("SELECT idgen_unique_id() FROM generate_series(1, %d)", step->count);
			break;
		default:
			die("not a step that draws");
	}
	free(label);
	free(next);
	free(other);
	return sql;
}

static Outcome
draw(Client *client, const Step *step)
{
	Sequence *sequence = step->action == DRAW_UNIQUE ? unique_ids : step->sequence;
	bool range = step->action == DRAW_RANGE && !sequence->stream->gapless;
	bool prepared = step->action == DRAW && step->flag && !sequence->kind->no_row && !sequence->stream->gapless &&
		sequence->kind->layout != SCRAMBLED;
	bool block_fails = step->action == DRAW_IN_BLOCK && step->flag;
	char *sql = draw_sql(step);
	PGresult *result;
	Outcome outcome;

	if (block_fails && (outcome = add_level(client)) != DONE)
	{
		free(sql);
		return outcome;
	}
	if (prepared)
	{
		outcome = link_next_prepared(&client->link, sequence->kind->name, &result);
		if (outcome == FAILED)
			note_error(client, step, sql);
	}
	else
		outcome = run(client, step, sql, &result);
	free(sql);

	if (outcome == DONE)
	{
		if (range)
			add_range(client, sequence, result, step->count);
		else
			add_column(client, sequence, result, 0, step->action == DRAW_TEXT ? value_of_text : value_of);
		if (step->action == DRAW_TWO)
			add_column(client, step->other, result, 1, value_of);
		if (PQntuples(result) != (range ? 1 : step->count))
			complain_of_answer(client, "not as many ids as were asked for", result, 0);
		PQclear(result);
	}
	/* what the block has drawn was returned while the statement ran */
	if (block_fails)
		roll_back_level(client, client->nlevels - 1, client->link.sent);
	return outcome;
}

/* What is drawn of a child is in a table then, and checked there. */
static Outcome
draw_of_child(Client *client, const Step *step)
{
	char *sql = child_draw_sql(step->family, step->member, step->count, step->flag);
	Outcome outcome = run(client, step, sql, NULL);

	free(sql);
	return outcome;
}

static Outcome
draw_uuids(Client *client, const Step *step)
{
	char *sql = text("SELECT idgen_unique_uuid() FROM generate_series(1, %d)", step->count);
	PGresult *result;
	Outcome outcome = run(client, step, sql, &result);

	if (outcome == DONE)
	{
		const char **uuids = calloc(step->count, sizeof(*uuids));

		if (!uuids)
			die("out of memory");
		for (int i = 0; i < PQntuples(result); i++)
			uuids[i] = PQgetvalue(result, i, 0);
		if (!uuids_add(uuids, PQntuples(result), client->link.sent, client->link.replied))
			complain_of_answer(client, "not UUIDs in order", result, 0);
		free(uuids);
		PQclear(result);
	}
	free(sql);
	return outcome;
}

/* A look at what comes next. Without a row, nobody can look. */
static Outcome
peek(Client *client, const Step *step)
{
	char *sql = text("SELECT idgen_peek('%s')", step->sequence->kind->name);
	Outcome outcome = step->sequence->kind->no_row ? DONE : run(client, step, sql, NULL);

	free(sql);
	return outcome;
}

/* An insert that fails. */
static Outcome
collide(Client *client, const Step *step)
{
	return run(client, step, "INSERT INTO taken VALUES (1)", NULL);
}

/*
 * What a value stands for that another program draws. So that a crash does not
 * bring the value back, the transaction has to write something.
 */
static Outcome
allocate_by_nextval(Client *client, const Step *step)
{
	char *name = native_name(step->sequence);
	char *sql = text("SELECT nextval('%s'), pg_current_xact_id()", name);
	int64_t first;
	int64_t last;
	PGresult *result;
	Outcome outcome = run(client, step, sql, &result);

	if (outcome == DONE)
	{
		ids_of_value(step->sequence, strtoll(PQgetvalue(result, 0, 0), NULL, 10), &first, &last);
		PQclear(result);
		add_draw(client, step->sequence, first, last);
		client->draws[client->ndraws - 1].classic = true;
	}
	free(sql);
	free(name);
	return outcome;
}

/* A block by the protocol of other programs. */
static Outcome
allocate_classic(Client *client, const Step *step)
{
	const char *name = step->sequence->kind->name;
	char *select = text("SELECT next_block_start, block_size FROM id_sequences WHERE name = '%s'%s", name,
	                    step->flag ? "" : " FOR UPDATE");
	char *update =
		text("UPDATE id_sequences SET next_block_start = next_block_start + block_size WHERE name = '%s'", name);
	int64_t first = 0;
	int64_t size = 0;
	PGresult *result;
	Outcome outcome = run(client, step, select, &result);

	if (outcome == DONE)
	{
		if (PQntuples(result) == 1)
		{
			first = strtoll(PQgetvalue(result, 0, 0), NULL, 10);
			size = strtoll(PQgetvalue(result, 0, 1), NULL, 10);
		}
		PQclear(result);
		if (size > 0)
			outcome = run(client, step, update, NULL);
	}
	if (outcome == DONE && size > 0 && step->sequence->stream->gapless)
	{
		char *insert = text("INSERT INTO gapless_rows (name, id) VALUES ('%s', %" PRId64 ")", name, first);

		outcome = run(client, step, insert, NULL);
		free(insert);
	}
	if (outcome == DONE && size > 0)
	{
		add_draw(client, step->sequence, first, first + size - 1);
		client->draws[client->ndraws - 1].classic = true;
	}
	free(select);
	free(update);
	return outcome;
}

/*
 * Transactions
 */

static Outcome
run_formatted(Client *client, const char *format, int number)
{
	char sql[100];

	snprintf(sql, sizeof(sql), format, number);
	return run(client, NULL, sql, NULL);
}

static Outcome
set_savepoint(Client *client)
{
	Outcome outcome;

	/* one is left for a block that fails */
	if (client->nlevels >= MAX_LEVELS - 1)
		return DONE;
	outcome = run_formatted(client, "SAVEPOINT s%d", client->nlevels);
	return outcome == DONE ? add_level(client) : outcome;
}

/*
 * If an error has rolled back the savepoint already, it was not before
 * "returned"; else that is NEVER.
 */
static Outcome
roll_back_to_savepoint(Client *client, Time returned)
{
	char sql[100];
	int level = client->nlevels - 1;
	Outcome outcome;

	if (level == 0)
		return DONE;
	snprintf(sql, sizeof(sql), "ROLLBACK TO SAVEPOINT s%d; RELEASE SAVEPOINT s%d", level, level);
	outcome = run(client, NULL, sql, NULL);
	if (outcome == DONE || returned != NEVER)
		roll_back_level(client, level, Min(returned, client->link.sent));
	return outcome;
}

static Outcome
release_savepoint(Client *client)
{
	int level = client->nlevels - 1;
	Outcome outcome;

	if (level == 0)
		return DONE;
	outcome = run_formatted(client, "RELEASE SAVEPOINT s%d", level);
	if (outcome == DONE)
		release_level(client, level);
	return outcome;
}

static Outcome
run_step(Client *client, const Step *step)
{
	switch (step->action)
	{
		case DRAW:
		case DRAW_MANY:
		case DRAW_BIG:
		case DRAW_TWO:
		case DRAW_RANGE:
		case DRAW_IN_BLOCK:
		case DRAW_TEXT:
		case DRAW_UNIQUE:
			return draw(client, step);
		case DRAW_CHILD:
			return draw_of_child(client, step);
		case DRAW_UUID:
			return draw_uuids(client, step);
		case PEEK:
			return peek(client, step);
		case COLLIDE:
			return collide(client, step);
		case CLASSIC:
			return step->sequence->kind->source == SEQUENCE ? allocate_by_nextval(client, step)
															: allocate_classic(client, step);
		case SET_SAVEPOINT:
			return set_savepoint(client);
		case ROLL_BACK_TO_SAVEPOINT:
			return roll_back_to_savepoint(client, NEVER);
		case RELEASE_SAVEPOINT:
			return release_savepoint(client);
		case SET_TIMEOUT:
			return run_formatted(client, step->flag ? "SET LOCAL lock_timeout = %d" : "SET LOCAL statement_timeout = %d",
			                     step->count);
		case WAIT:
			pause_for(step->count * MILLISECOND);
			return DONE;
	}
	return DONE;
}

/* Whether the transaction has written: one that has allocated did. */
static Outcome
look_whether_written(Client *client, bool *written)
{
	PGresult *result;
	Outcome outcome = run(client, NULL, "SELECT pg_current_xact_id_if_assigned()", &result);

	*written = false;
	if (outcome == DONE)
	{
		*written = !PQgetisnull(result, 0, 0);
		PQclear(result);
	}
	return outcome;
}

/*
 * COMMIT or PREPARE TRANSACTION. A transaction that has written leaves a mark.
 * After an error the transaction is over, too: a timeout may hit before the
 * server begins with the statement, so it may take a ROLLBACK. Before
 * *returned, it was not rolled back.
 */
static Outcome
end_with_mark(Client *client, bool written, const char *sql, Time *returned)
{
	Link *link = &client->link;
	Outcome outcome = written ? link_end(link, client->number, client->transaction, sql) : link_run(link, sql, NULL);

	*returned = not_rolled_back_before(link, outcome);
	if (outcome == FAILED)
	{
		note_error(client, NULL, sql);
		link_roll_back(link);
	}
	if (outcome == LOST)
		atomic_fetch_add(&totals.lost, 1);
	return outcome;
}

static Outcome
commit(Client *client)
{
	Link *link = &client->link;
	bool written;
	Time returned;
	Outcome outcome = look_whether_written(client, &written);

	if (outcome != DONE)
		return outcome;
	outcome = end_with_mark(client, written, "COMMIT", &returned);
	/* if nothing was written, there was nothing to commit or to roll back */
	end_transaction(client,
	                outcome == DONE || !written || link_has_ended(link, client->number, client->transaction),
	                returned);
	return DONE;
}

/*
 * Prepares the transaction, waits a little, and ends it. Once it is prepared
 * that is repeated over crashes; if it turns out to be gone, its mark tells how
 * it ended.
 */
static Outcome
prepare(Client *client)
{
	bool wanted = client->plan.end == PREPARE_THEN_COMMIT;
	char *prepare = text("PREPARE TRANSACTION 'stress %d %d'", client->number, client->transaction);
	char *finish = text("%s PREPARED 'stress %d %d'", wanted ? "COMMIT" : "ROLLBACK", client->number,
	                    client->transaction);
	bool written;
	Time returned;
	Outcome outcome = look_whether_written(client, &written);

	if (outcome == DONE && written)
	{
		end_with_mark(client, true, prepare, &returned);
		pause_for(client->transaction % 30 * MILLISECOND);
		atomic_fetch_add(&totals.prepared, 1);
		while ((outcome = link_run(&client->link, finish, NULL)) != DONE)
		{
			if (outcome == FAILED && strcmp(client->link.sqlstate, "42704") == 0)
				break;
			pause_for(MILLISECOND);
		}
		/* failing to be prepared, it was rolled back then */
		end_transaction(client, link_has_ended(&client->link, client->number, client->transaction), returned);
		outcome = DONE;
	}
	else if (outcome == DONE)
		outcome = commit(client);
	free(prepare);
	free(finish);
	return outcome;
}

/* Ends the transaction as planned, if all went well so far. */
static Outcome
end_as_planned(Client *client)
{
	Link *link = &client->link;

	switch (client->plan.end)
	{
		case COMMIT:
			return commit(client);
		case PREPARE_THEN_COMMIT:
		case PREPARE_THEN_ROLLBACK:
			return prepare(client);
		case ABANDON:
			PQsendQuery(link->connection, "SELECT idgen_next(name) FROM id_sequences, generate_series(1, 300)"
			                              " WHERE right(name, 2) <> '/*'");
			link_close(link);
			return LOST;
		case DISCONNECT:
			link_close(link);
			return LOST;
		default:
			return FAILED; /* of its own will */
	}
}

static Outcome
begin(Client *client)
{
	const Plan *plan = &client->plan;
	char *sql = text("BEGIN ISOLATION LEVEL %s%s", isolation_names[plan->isolation],
	                 plan->synchronous_commit ? "" : "; SET LOCAL synchronous_commit = off");
	Outcome outcome = plan->isolation == SERIALIZABLE ? add_level(client) : DONE;

	if (outcome == DONE)
		outcome = run(client, NULL, sql, NULL);
	if (outcome == DONE && plan->isolation != SERIALIZABLE)
		outcome = add_level(client);
	free(sql);
	return outcome;
}

static void
run_transaction(Client *client)
{
	const Plan *plan = &client->plan;
	Time returned;
	Outcome outcome = begin(client);

	for (int i = 0; i < plan->nsteps && outcome == DONE; i++)
	{
		Time last_reply = client->link.replied;

		outcome = run_step(client, &plan->steps[i]);
		if (outcome == FAILED && client->nlevels > 1)
			outcome = roll_back_to_savepoint(client, last_reply);
	}
	if (outcome == DONE)
		outcome = end_as_planned(client);
	if (outcome == DONE)
		return;
	returned = not_rolled_back_before(&client->link, outcome);
	if (outcome == FAILED)
		link_roll_back(&client->link);
	end_transaction(client, false, returned);
}

static void
run_single(Client *client)
{
	Outcome outcome = add_level(client);

	if (outcome == DONE)
		outcome = run_step(client, &client->plan.steps[0]);
	end_transaction(client, outcome == DONE, client->link.sent);
}

void
client_run_round(Client *client, int round, Time until)
{
	for (client->transaction = round * ROUND_STEP; now() < until; client->transaction++)
	{
		plan_transaction(&client->plan, client->seed, client->number, client->transaction);
		if (client->plan.single)
			run_single(client);
		else
			run_transaction(client);
	}
}
