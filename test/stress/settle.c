/*
 * settle.c
 *		Between two rounds: what the databases know, put next to the record.
 *
 * No transaction is open then. Each stream's life learns what has been
 * allocated. The rows into which gapless ids were put are compared with the
 * record: a row that nobody has seen is that of a client which lost its
 * connection, and is added; an id that was committed and has no row is a
 * complaint. So is a child whose committed rows are not the ids that it has
 * issued. And after a calm round, every id that was allocated in it has been
 * seen by somebody, or is cached, or counted as lost, but not because of a
 * change: there were none.
 */
#include "settle.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "children.h"
#include "link.h"
#include "plan.h"

static Link links[NDATABASES];

/*
 * For each id sequence: ids missing in its life, and those that idgen counts as
 * lost.
 */
typedef struct Account
{
	int64_t first; /* of the life */
	int64_t missing;
	int64_t lost;
	int64_t changed; /* of those lost, because of a change of the row */
} Account;

static Account *accounts;

void
settle_init(void)
{
	for (Database i = 0; i < NDATABASES; i++)
		link_init(&links[i], "stress settle", database_names[i], "postgres");
	accounts = calloc(nsequences, sizeof(Account));
	if (!accounts)
		die("out of memory");
}

static int64_t
number_at(const PGresult *result, int row, int column)
{
	return strtoll(PQgetvalue(result, row, column), NULL, 10);
}

/* The number that a query answers; UNKNOWN if it answers none. */
static int64_t
look_up(Database database, const char *sql)
{
	PGresult *result;
	int64_t number = UNKNOWN;

	link_insist(&links[database], sql, &result);
	if (PQntuples(result) == 1 && !PQgetisnull(result, 0, 0))
		number = number_at(result, 0, 0);
	PQclear(result);
	return number;
}

/*
 * What is allocated
 */

/* The first value that is not allocated, or UNKNOWN. */
static int64_t
look_up_next(const Sequence *sequence)
{
	char *sql = next_sql(sequence);
	int64_t next = look_up(sequence->database, sql);

	free(sql);
	return next;
}

static void
set_next(const Sequence *sequence)
{
	int64_t next = look_up_next(sequence);

	for (size_t i = 0; i < sequence->stream->nlives; i++)
	{
		Life *life = &sequence->stream->lives[i];

		life->next = next != UNKNOWN && life->ended == NEVER && same_range(next, life->first) ? next : UNKNOWN;
	}
}

/*
 * Gapless rows
 */

static int
compare_numbers(const void *a, const void *b)
{
	int64_t x = *(const int64_t *) a;
	int64_t y = *(const int64_t *) b;

	return (x > y) - (x < y);
}

/* The draws since the last time against the rows, both sorted. */
static int
compare_rows(const Sequence *sequence, int64_t *rows, int nrows, size_t since)
{
	Stream *stream = sequence->stream;
	size_t ndraws = stream->ndraws;
	char *seen = calloc(nrows + 1, 1);
	int complaints = 0;

	if (!seen)
		die("out of memory");
	for (size_t i = since; i < ndraws; i++)
	{
		const Draw *draw = &stream->draws[i];

		for (int64_t id = draw->first; draw->fate == KEPT && id <= draw->last; id++)
		{
			int64_t *row = bsearch(&id, rows, nrows, sizeof(*rows), compare_numbers);

			if (row)
				seen[row - rows] = 1;
			else if (complaints++ < 3)
				printf("WRONG: %s: %" PRId64 " was committed by client %d, transaction %d, but its row is gone\n",
				       stream->name, id, draw->client, draw->transaction);
		}
	}
	for (int i = 0; i < nrows; i++)
	{
		Time time = now();

		if (!seen[i])
			stream_add_draw(stream, &(Draw){
										.first = rows[i],
										.last = rows[i],
										.sent = BEGINNING,
										.replied = time,
										.client = -2,
										.transaction = -1,
										.fate = KEPT,
									});
	}
	free(seen);
	return complaints;
}

static int
settle_gapless(const Sequence *sequence)
{
	Link *link = &links[sequence->database];
	char *sql = text("SELECT id FROM gapless_rows WHERE name = '%s' ORDER BY id", sequence->kind->name);
	char *clear = text("DELETE FROM gapless_rows WHERE name = '%s'", sequence->kind->name);
	PGresult *result;
	int64_t *rows;
	int n;
	int complaints;

	link_insist(link, sql, &result);
	n = PQntuples(result);
	rows = malloc((n + 1) * sizeof(*rows));
	if (!rows)
		die("out of memory");
	for (int i = 0; i < n; i++)
		rows[i] = number_at(result, i, 0);
	PQclear(result);
	link_insist(link, clear, NULL);
	/* what was checked before is sorted */
	complaints = compare_rows(sequence, rows, n, sequence->stream->nsorted);
	free(rows);
	free(clear);
	free(sql);
	return complaints;
}

/*
 * All of it
 */

/* A statement that was abandoned goes on drawing until the server notices. */
static void
wait_for_abandoned(void)
{
	while (look_up(0, "SELECT count(*) FROM pg_stat_activity WHERE application_name LIKE 'stress client%'"
	                  " AND state <> 'idle'") > 0)
		pause_for(10 * MILLISECOND);
}

int
settle_before_check(void)
{
	int complaints = 0;

	wait_for_abandoned();
	for (int i = 0; i < nsequences; i++)
	{
		set_next(&sequences[i]);
		if (sequences[i].stream->gapless)
			complaints += settle_gapless(&sequences[i]);
	}
	for (Database database = 0; database < NDATABASES; database++)
	{
		if (database_has_families(database))
			complaints += check_children(&links[database]);
	}
	return complaints;
}

/*
 * Accounts
 */

/* The blocks that are cached of it, as runs, sorted. */
static Draw *
cached_runs(const Sequence *sequence, int *n)
{
	char *sql = text("SELECT first_id, last_id FROM idgen_cache WHERE name = '%s' ORDER BY first_id",
	                 sequence->kind->name);
	PGresult *result;
	Draw *runs;

	link_insist(&links[sequence->database], sql, &result);
	*n = PQntuples(result);
	runs = calloc(*n + 1, sizeof(Draw));
	if (!runs)
		die("out of memory");
	for (int i = 0; i < *n; i++)
	{
		runs[i].first = number_at(result, i, 0);
		runs[i].last = number_at(result, i, 1);
	}
	PQclear(result);
	free(sql);
	return runs;
}

/*
 * Ids of an id sequence that are counted as lost: all, or those in a column of
 * idgen_stats that not every version has.
 */
static int64_t
look_up_lost(const Sequence *sequence, const char *column)
{
	char *sql = text("SELECT coalesce(sum((to_jsonb(s) ->> '%s')::bigint), 0) FROM idgen_stats s WHERE name = '%s'",
	                 column, sequence->kind->name);
	int64_t lost = look_up(sequence->database, sql);

	free(sql);
	return lost;
}

/* Those of all id sequences in all databases, also of those that gave way. */
static int64_t
look_up_all_lost(void)
{
	int64_t lost = look_up(0, "SELECT ids_lost + ids_evicted FROM idgen_server");

	for (Database database = 0; database < NDATABASES; database++)
		lost += look_up(database, "SELECT coalesce(sum(ids_lost), 0) FROM idgen_stats");
	return lost;
}

/* The life that is going on; NULL if nobody knows what it has allocated. */
static const Life *
life_going_on(const Sequence *sequence)
{
	for (size_t i = 0; i < sequence->stream->nlives; i++)
	{
		if (sequence->stream->lives[i].next != UNKNOWN)
			return &sequence->stream->lives[i];
	}
	return NULL;
}

/*
 * Does it tell what it has allocated, and does nobody set ids aside? nextval()
 * with CACHE does, for its session.
 */
static bool
is_accounted_for(const Kind *kind)
{
	return kind->capacity == 0 &&
		(kind->source == TABLE || (kind->source == SEQUENCE && kind->block_size > 0 && kind->cache == 0));
}

static Account
take_account(const Sequence *sequence, const Life *life)
{
	Account account = {.first = life->first};
	int64_t next;
	int n;
	Draw *runs;

	/* the worker may be at work */
	do
	{
		next = look_up_next(sequence);
		runs = cached_runs(sequence, &n);
		account.lost = look_up_lost(sequence, "ids_lost");
		account.changed = look_up_lost(sequence, "ids_lost_changed");
		account.missing = count_missing(sequence->stream, life->first, next, runs, n);
		free(runs);
	} while (next != look_up_next(sequence));
	return account;
}

/*
 * Is all accounted for that is missing since the round before? An id sequence
 * that loses its slot loses its counters.
 */
static bool
is_balanced(const Account *before, const Account *after, bool slots, int64_t all_lost)
{
	int64_t missing = after->missing - before->missing;

	return slots ? missing == after->lost - before->lost : missing <= all_lost;
}

/* Takes the account of one id sequence; the number of complaints. */
static int
settle_account(const Sequence *sequence, const Life *life, Account *account, int round, int64_t all_lost_before)
{
	Account before = *account;
	bool checked = round_is_calm(round) && before.first == life->first;
	int64_t all_lost;
	int complaints = 0;

	/* what the worker has allocated is not published in the same moment */
	for (int tries = 0;; tries++)
	{
		*account = take_account(sequence, life);
		all_lost = look_up_all_lost() - all_lost_before;
		if (!checked || is_balanced(&before, account, round_has_slots(round), all_lost))
			break;
		if (tries == 50)
		{
			printf("WRONG: %s: %" PRId64 " ids of a calm round are missing, %" PRId64 " were counted as lost, %" PRId64
			       " of all id sequences\n",
			       sequence->stream->name, account->missing - before.missing, account->lost - before.lost, all_lost);
			complaints++;
			break;
		}
		pause_for(100 * MILLISECOND);
	}
	/* other programs have allocated, but that is none */
	if (checked && account->changed > before.changed)
	{
		printf("WRONG: %s: %" PRId64 " ids of a calm round were counted as lost by a change (C2)\n",
		       sequence->stream->name, account->changed - before.changed);
		complaints++;
	}
	return complaints;
}

int
settle_after_check(int round)
{
	static int64_t all_lost_before = 0;
	int complaints = 0;

	/* what all have lost together is found at the first one */
	for (int i = 0; i < nsequences && complaints == 0; i++)
	{
		const Life *life = life_going_on(&sequences[i]);

		if (is_accounted_for(sequences[i].kind) && life != NULL)
			complaints += settle_account(&sequences[i], life, &accounts[i], round, all_lost_before);
	}
	all_lost_before = look_up_all_lost();
	return complaints;
}
