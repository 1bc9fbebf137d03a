/*
 * check.c
 *		The rules, checked against a record.
 *
 * A value may be drawn twice only if what had allocated it for the first was
 * rolled back before the second came by it (U1, T1), and of a source that is
 * not transactional never (U2); crashes are no exception (U3). If that was
 * rolled back after a unique violation, then those who ask later do not get
 * the value for a while (T1). A value belongs to a life of its stream (U4),
 * which had begun before the answer, and had not ended before the question
 * (C1), and it had been allocated in the row (U3). What was committed of a
 * gapless stream has no hole (T2), and prepared transactions are like others
 * (T3). Time-ordered ids ascend.
 *
 * Times are those of the client, so when something happened in the server is
 * known only to lie between question and answer: the checks complain about what
 * is wrong at any moment in between.
 */
#include "check.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>

#define COMPLAINTS_SHOWN 3 /* of each rule for each stream */

static const char *const fate_words[] = {
	[KEPT] = "committed",
	[UNCOMMITTED] = "not committed, but not allocated there",
	[RETURNED] = "rolled back",
};

static double
milliseconds(Time time)
{
	return (double) time / MILLISECOND;
}

static bool
was_rolled_back(const Draw *draw)
{
	return draw->fate == RETURNED;
}

/* Everything that is known about the value. */
static void
print_history(const Stream *stream, int64_t value, Describe describe)
{
	const Life *life = stream_life_of(stream, value);

	if (life == NULL)
		printf("    no life of this stream has that value\n");
	else
	{
		printf("    life %" PRId64 " - %" PRId64 ", begun after %.3f ms", life->first, life->last,
		       milliseconds(life->begun));
		if (life->ended != NEVER)
			printf(", ended after %.3f ms", milliseconds(life->ended));
		if (life->next != UNKNOWN)
			printf(", allocated up to %" PRId64, life->next - 1);
		printf("\n");
	}
	for (size_t i = 0; i < stream->nsorted && stream->draws[i].first <= value; i++)
	{
		const Draw *draw = &stream->draws[i];

		if (draw->last < value)
			continue;
		printf("    client %d, transaction %d: drew %" PRId64 " - %" PRId64 " between %.3f and %.3f ms, %s",
		       draw->client, draw->transaction, draw->first, draw->last, milliseconds(draw->sent),
		       milliseconds(draw->replied), fate_words[draw->fate]);
		if (was_rolled_back(draw))
			printf(" after %.3f ms", milliseconds(draw->returned));
		printf("\n");
		if (describe)
			describe(draw);
	}
}

static void complain(int *complaints, const Stream *stream, int64_t value, Describe describe,
                     const char *format, ...) __attribute__((format(printf, 5, 6)));

static void
complain(int *complaints, const Stream *stream, int64_t value, Describe describe, const char *format, ...)
{
	va_list args;

	if (++*complaints > COMPLAINTS_SHOWN)
		return;
	printf("WRONG: %s: %" PRId64 " ", stream->name, value);
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	printf("\n");
	print_history(stream, value, describe);
	fflush(stdout);
}

/* Why two draws of one value cannot both be right, or NULL. */
static const char *
conflict(const Stream *stream, const Draw *a, const Draw *b)
{
	if (!stream->transactional)
		return "was drawn twice, from a source that is not transactional (U2)";
	if (!was_rolled_back(a) && !was_rolled_back(b))
		return "was drawn twice (U1, U3)";
	if (was_rolled_back(a) && was_rolled_back(b))
	{
		if (a->replied < b->returned && b->replied < a->returned)
			return "was drawn by two open transactions (T1)";
		return NULL;
	}
	if (was_rolled_back(a) ? b->replied < a->returned : a->replied < b->returned)
		return "was drawn before the transaction that had drawn it first was rolled back, or again after it was kept (T1, T3)";
	return NULL;
}

static int
check_twice(const Stream *stream, Describe describe)
{
	const Draw **open = NULL; /* those that reach up to the one looked at */
	size_t nopen = 0;
	size_t allocated = 0;
	int complaints = 0;

	for (size_t i = 0; i < stream->ndraws; i++)
	{
		const Draw *draw = &stream->draws[i];
		size_t still_open = 0;

		for (size_t j = 0; j < nopen; j++)
		{
			const char *why;

			if (open[j]->last < draw->first)
				continue;
			why = conflict(stream, open[j], draw);
			if (why)
				complain(&complaints, stream, draw->first, describe, "%s", why);
			open[still_open++] = open[j];
		}
		open = make_room(open, still_open + 1, &allocated, sizeof(*open));
		open[still_open++] = draw;
		nopen = still_open;
	}
	free(open);
	return complaints;
}

/* Why the values of a draw up to last cannot be of that life, or NULL. */
static const char *
not_in_life(const Draw *draw, int64_t last, const Life *life)
{
	if (draw->replied < life->begun)
		return "was drawn before its life began (C1)";
	if (draw->sent > life->ended)
		return "was drawn after its life had ended (C1)";
	if (!was_rolled_back(draw) && last >= life->next)
		return "was never allocated for good (U3)";
	return NULL;
}

/*
 * A life that was split goes on behind the part that has ended, so a draw may
 * be of both.
 */
static int
check_lives(const Stream *stream, Describe describe)
{
	int complaints = 0;

	for (size_t i = 0; i < stream->ndraws; i++)
	{
		const Draw *draw = &stream->draws[i];
		int64_t last;

		for (int64_t first = draw->first; first <= draw->last; first = last + 1)
		{
			const Life *life = stream_life_of(stream, first);
			const char *why = "is not an id of this stream (U4)";

			last = draw->last;
			if (life != NULL)
			{
				last = Min(last, life->last);
				why = not_in_life(draw, last, life);
			}
			if (why)
				complain(&complaints, stream, life ? last : first, describe, "%s", why);
		}
	}
	return complaints;
}

static int
check_gapless(const Stream *stream, Describe describe)
{
	int complaints = 0;

	for (size_t i = 0; i < stream->nlives; i++)
	{
		const Life *life = &stream->lives[i];
		int64_t next = life->first;

		for (size_t j = 0; j < stream->ndraws; j++)
		{
			const Draw *draw = &stream->draws[j];

			if (draw->fate != KEPT || draw->first < life->first || draw->first > life->last)
				continue;
			if (draw->first > next)
				complain(&complaints, stream, next, describe, "was left out of a gapless stream (T2)");
			next = draw->last + 1;
		}
		if (life->next != UNKNOWN && life->next != next)
			complain(&complaints, stream, next, describe, "is not the next one of the row, which is %" PRId64 " (T2)",
			         life->next);
	}
	return complaints;
}

/* Whoever asks after somebody has got an answer gets a greater id. */
static int
check_ascending(const Stream *stream, Describe describe)
{
	Time earliest = NEVER; /* answer that has a greater id */
	int complaints = 0;

	for (size_t i = stream->ndraws; i-- > 0;)
	{
		const Draw *draw = &stream->draws[i];

		if (draw->sent > earliest)
			complain(&complaints, stream, draw->first, describe, "was drawn after a greater one");
		earliest = Min(earliest, draw->replied);
	}
	return complaints;
}

int
check_streams(Stream *streams, int nstreams, Describe describe)
{
	int complaints = 0;

	for (int i = 0; i < nstreams; i++)
	{
		Stream *stream = &streams[i];

		stream_sort(stream);
		complaints += check_twice(stream, describe);
		if (stream->timed)
			complaints += check_ascending(stream, describe);
		else
			complaints += check_lives(stream, describe);
		if (stream->gapless)
			complaints += check_gapless(stream, describe);
	}
	return complaints;
}

int64_t
count_missing(const Stream *stream, int64_t first, int64_t next, const Draw *runs, int nruns)
{
	int64_t missing = 0;
	size_t i = 0;
	int j = 0;

	while (first < next)
	{
		bool from_draws;
		const Draw *run;

		if (i < stream->nsorted && stream->draws[i].last < first)
		{
			i++;
			continue;
		}
		if (j < nruns && runs[j].last < first)
		{
			j++;
			continue;
		}
		from_draws = i < stream->nsorted && (j >= nruns || stream->draws[i].first <= runs[j].first);
		if (!from_draws && j >= nruns)
			return missing + next - first;
		run = from_draws ? &stream->draws[i] : &runs[j];
		if (run->first > first)
			missing += Min(run->first, next) - first;
		first = Max(first, run->last + 1);
	}
	return missing;
}
