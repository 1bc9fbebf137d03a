/*
 * record.c
 *		What the clients saw: every id, and how its transaction ended.
 */
#include "record.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char *const fate_names[] = {
	[KEPT] = "kept",
	[UNCOMMITTED] = "uncommitted",
	[RETURNED] = "returned",
};

/* How many times belong to a fate. */
static const int fate_times[] = {
	[KEPT] = 0,
	[UNCOMMITTED] = 0,
	[RETURNED] = 1,
};

void
stream_init(Stream *stream, const char *name)
{
	memset(stream, 0, sizeof(*stream));
	stream->name = text("%s", name);
	pthread_mutex_init(&stream->lock, NULL);
}

/* The caller has locked the stream, and sets the times. */
Life *
stream_add_life(Stream *stream, int64_t first, int64_t last)
{
	Life *life;

	stream->lives = make_room(stream->lives, stream->nlives + 1, &stream->lives_allocated, sizeof(Life));
	life = &stream->lives[stream->nlives++];
	*life = (Life){first, last, NEVER, NEVER, UNKNOWN};
	return life;
}

void
stream_add_draw(Stream *stream, const Draw *draw)
{
	pthread_mutex_lock(&stream->lock);
	stream->draws = make_room(stream->draws, stream->ndraws + 1, &stream->draws_allocated, sizeof(Draw));
	stream->draws[stream->ndraws++] = *draw;
	pthread_mutex_unlock(&stream->lock);
}

static int
compare_draws(const void *a, const void *b)
{
	const Draw *x = a;
	const Draw *y = b;

	if (x->first != y->first)
		return x->first < y->first ? -1 : 1;
	return (x->sent > y->sent) - (x->sent < y->sent);
}

/* Sorts what is new, and merges it with what was sorted before. */
void
stream_sort(Stream *stream)
{
	size_t nnew = stream->ndraws - stream->nsorted;
	size_t left = stream->nsorted;
	size_t right = nnew;
	size_t at = stream->ndraws;
	Draw *added;

	if (nnew == 0)
		return;
	added = malloc(nnew * sizeof(Draw));
	if (added == NULL)
		die("out of memory");
	memcpy(added, stream->draws + stream->nsorted, nnew * sizeof(Draw));
	qsort(added, nnew, sizeof(Draw), compare_draws);

	while (right > 0)
	{
		if (left > 0 && compare_draws(&stream->draws[left - 1], &added[right - 1]) > 0)
			stream->draws[--at] = stream->draws[--left];
		else
			stream->draws[--at] = added[--right];
	}
	free(added);
	stream->nsorted = stream->ndraws;
}

/* NULL if the value is of no life of this stream */
Life *
stream_life_of(const Stream *stream, int64_t value)
{
	/* the newest is the likeliest */
	for (size_t i = stream->nlives; i-- > 0;)
	{
		if (value >= stream->lives[i].first && value <= stream->lives[i].last)
			return &stream->lives[i];
	}
	return NULL;
}

static const char *
number_text(int64_t number, char *buffer, size_t size)
{
	if (number == INT64_MAX)
		return "-";
	snprintf(buffer, size, "%" PRId64, number);
	return buffer;
}

void
stream_write(const Stream *stream, FILE *file)
{
	char a[32];
	char b[32];
	char c[32];

	fprintf(file, "stream %s%s%s%s\n", stream->name, stream->transactional ? " transactional" : "",
	        stream->gapless ? " gapless" : "", stream->timed ? " timed" : "");
	for (size_t i = 0; i < stream->nlives; i++)
	{
		const Life *life = &stream->lives[i];

		fprintf(file, "life %" PRId64 " %" PRId64 " %s %s %s\n", life->first, life->last,
		        number_text(life->begun, a, sizeof(a)), number_text(life->ended, b, sizeof(b)),
		        number_text(life->next, c, sizeof(c)));
	}
	for (size_t i = 0; i < stream->ndraws; i++)
	{
		const Draw *draw = &stream->draws[i];

		fprintf(file, "draw %" PRId64 " %" PRId64 " %" PRId64 " %" PRId64 " %d %d %s", draw->first, draw->last,
		        draw->sent, draw->replied, draw->client, draw->transaction, fate_names[draw->fate]);
		if (fate_times[draw->fate] == 1)
			fprintf(file, " %" PRId64, draw->returned);
		fprintf(file, "\n");
	}
}

static int64_t
number_of(const char *word)
{
	return strcmp(word, "-") == 0 ? INT64_MAX : strtoll(word, NULL, 10);
}

static void
read_stream(Stream *stream, char *words)
{
	char *rest;

	stream_init(stream, strtok_r(words, " \n", &rest));
	for (char *word; (word = strtok_r(NULL, " \n", &rest)) != NULL;)
	{
		stream->transactional |= strcmp(word, "transactional") == 0;
		stream->gapless |= strcmp(word, "gapless") == 0;
		stream->timed |= strcmp(word, "timed") == 0;
	}
}

static bool
read_life(Stream *stream, const char *line)
{
	Life *life;
	int64_t first, last;
	char begun[32], ended[32], next[32];

	if (sscanf(line, "life %" SCNd64 " %" SCNd64 " %31s %31s %31s", &first, &last, begun, ended, next) != 5)
		return false;
	life = stream_add_life(stream, first, last);
	life->begun = number_of(begun);
	life->ended = number_of(ended);
	life->next = number_of(next);
	return true;
}

static bool
read_draw(Stream *stream, const char *line)
{
	Draw draw = {0};
	char fate[16];
	int n = sscanf(line,
	               "draw %" SCNd64 " %" SCNd64 " %" SCNd64 " %" SCNd64 " %" SCNd32 " %" SCNd32 " %15s %" SCNd64,
	               &draw.first, &draw.last, &draw.sent, &draw.replied, &draw.client, &draw.transaction, fate,
	               &draw.returned);

	for (size_t i = 0; n >= 7 && i < lengthof(fate_names); i++)
	{
		if (strcmp(fate, fate_names[i]) == 0 && n == 7 + fate_times[i])
		{
			draw.fate = i;
			stream_add_draw(stream, &draw);
			return true;
		}
	}
	return false;
}

/* Reads what stream_write wrote, or somebody by hand: "#" begins a comment. */
Stream *
streams_read(const char *file_name, int *nstreams)
{
	FILE *file = fopen(file_name, "r");
	Stream *streams = NULL;
	size_t allocated = 0;
	char line[1024];

	if (file == NULL)
		die("could not open \"%s\"", file_name);
	*nstreams = 0;
	for (int number = 1; fgets(line, sizeof(line), file) != NULL; number++)
	{
		bool good = true;

		if (line[0] == '#' || line[0] == '\n')
			continue;
		if (strncmp(line, "stream ", 7) == 0 && strlen(line) > 8)
		{
			streams = make_room(streams, *nstreams + 1, &allocated, sizeof(Stream));
			read_stream(&streams[(*nstreams)++], line + 7);
		}
		else
			good = *nstreams > 0 &&
				(read_life(&streams[*nstreams - 1], line) || read_draw(&streams[*nstreams - 1], line));
		if (!good)
			die("%s, line %d: not a line of a record: %s", file_name, number, line);
	}
	fclose(file);
	return streams;
}
