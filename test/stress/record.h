/*
 * record.h
 *		What the clients saw: every id, and how its transaction ended.
 *
 * Ids are recorded as sequence values, that is, with layouts taken apart, and
 * in runs of consecutive values. A stream is all ids of one name in one
 * database. When an id sequence is restarted or created again, a new life of
 * its stream begins; the test begins each life in a range of values that no
 * other life of any stream has, so that a value tells where it comes from.
 *
 * A record can be written to a file and read from one. There, each line is one
 * of
 *
 *		stream NAME [transactional] [gapless] [timed] life FIRST LAST BEGUN
 *		ENDED NEXT draw FIRST LAST SENT REPLIED CLIENT TRANSACTION
 *		kept|uncommitted|returned RETURNED (a time)
 *
 * lives and draws being those of the stream above. Times are nanoseconds; "-"
 * is never, or an unknown NEXT.
 */
#ifndef STRESS_RECORD_H
#define STRESS_RECORD_H

#include <pthread.h>
#include <stdio.h>

#include "util.h"

#define UNKNOWN INT64_MAX

typedef enum Fate
{
	KEPT,        /* drawn by a transaction that committed */
	UNCOMMITTED, /* not committed, but allocated by another transaction, or for good */
	RETURNED,    /* perhaps allocated by what was rolled back: may be issued twice */
} Fate;

/* A run of values that one statement returned. */
typedef struct Draw
{
	int64_t first;
	int64_t last;  /* >= first */
	Time sent;     /* when the statement was sent */
	Time replied;  /* when its answer was there */
	Time returned; /* RETURNED: not rolled back earlier than this */
	int32_t client;
	int32_t transaction; /* the client's number for it */
	Fate fate;
} Draw;

/* Values that the ids of a stream may have, and since when and until when. */
typedef struct Life
{
	int64_t first;
	int64_t last;
	Time begun;   /* no draw is answered before */
	Time ended;   /* no draw is sent after */
	int64_t next; /* what is allocated is below */
} Life;

typedef struct Stream
{
	char *name;
	bool transactional; /* a rollback returns what it has allocated */
	bool gapless;
	bool timed; /* ascending over all sessions, no lives */

	Life *lives;
	size_t nlives;
	size_t lives_allocated;

	Draw *draws;
	size_t ndraws;
	size_t nsorted; /* how many of them are sorted by first value */
	size_t draws_allocated;

	pthread_mutex_t lock; /* of lives and draws, while clients run */
} Stream;

extern void stream_init(Stream *stream, const char *name);
extern Life *stream_add_life(Stream *stream, int64_t first, int64_t last);
extern void stream_add_draw(Stream *stream, const Draw *draw);
extern void stream_sort(Stream *stream);
extern Life *stream_life_of(const Stream *stream, int64_t value);

extern void stream_write(const Stream *stream, FILE *file);
extern Stream *streams_read(const char *file_name, int *nstreams);

#endif
