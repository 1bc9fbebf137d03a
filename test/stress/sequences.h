/*
 * sequences.h
 *		The id sequences of the test: every kind of source, refill, layout and
 *		block size.
 */
#ifndef STRESS_SEQUENCES_H
#define STRESS_SEQUENCES_H

#include "record.h"

typedef enum Source
{
	TABLE,
	SEQUENCE,
	FUNCTION,
	SERVER,
} Source;

typedef enum Refill
{
	BY_TRANSACTION,
	BY_WORKER,
	BY_EITHER,
} Refill;

typedef enum Layout
{
	PLAIN,
	PREFIXED,
	SESSION,
	PREFIXED_REVERSED,
	SESSION_REVERSED,
	SCRAMBLED,
} Layout;

/* How a text id is written. */
typedef enum Format
{
	NO_FORMAT,
	PADDED,  /* a prefix and decimal digits */
	BASE58,  /* a prefix and digits of that base */
	CHECKED, /* decimal digits and a check digit by Luhn's algorithm */
} Format;

/* Which ids a value of SEQUENCE stands for. */
typedef enum Pooling
{
	POOLED_LO,
	POOLED,
	HILO,
} Pooling;

/* Who is led there by the name. */
typedef enum Audience
{
	EVERYBODY,
	PRIVILEGED,
	UNPRIVILEGED, /* by their search_path: the native sequence is in their schema */
} Audience;

typedef enum Database
{
	DATABASE_A,
	DATABASE_B,
	DATABASE_C, /* dropped and made again from time to time, as is the extension there */
	NDATABASES,
} Database;

typedef struct Kind
{
	const char *name;
	Source source;
	int block_size; /* of SEQUENCE without a row, and of a descending one: INCREMENT BY */
	Layout layout;
	Format format;
	Refill refill;
	bool child;         /* its row is made from that of a template, by whoever draws first */
	bool switched;      /* between all of these */
	bool collides;      /* inserts that draw from it often fail, by unique violations */
	bool relaid;        /* between its layout and plain */
	bool early_release; /* of gapless ones */
	bool no_row;        /* a native sequence alone */
	Audience audience;
	Pooling pooling;
	int rows;      /* of SEQUENCE: block_size in the row. That is how many values are
	                * drawn for a block, or with HILO how many ids a value stands for */
	int cache;     /* of SEQUENCE: CACHE, if it is not 1 */
	int capacity;  /* ids in a life; 0 = as many as there is room for */
	int databases; /* the number of databases that have it */
} Kind;

typedef struct Sequence
{
	const Kind *kind;
	Database database;
	Stream *stream;
} Sequence;

#define MAX_IN_DATABASE 60 /* id sequences */

#define UNPRIVILEGED_USER "stress_user"

extern const char *const database_names[NDATABASES];

extern Sequence *sequences; /* in the order of databases */
extern int nsequences;
extern Stream *streams; /* one for each of them, and one more for time-ordered ids */
extern int nstreams;
extern Sequence *unique_ids; /* the last one; not counted in nsequences */

extern void sequences_init(void);
extern int sequences_of(Database database, int *first);

extern bool same_range(int64_t a, int64_t b);
extern Life new_range(const Sequence *sequence);
extern char *native_name(const Sequence *sequence);
extern int64_t first_native(const Sequence *sequence, const Life *life);
extern int64_t last_native(const Sequence *sequence, const Life *life);
extern char *create_sql(const Sequence *sequence, const Life *life);
extern char *template_name(const Sequence *sequence);
extern char *next_sql(const Sequence *sequence);
extern char *draw_call(const Sequence *sequence, const char *function);
extern void ids_of_value(const Sequence *sequence, int64_t v, int64_t *first, int64_t *last);
extern bool value_of(const Sequence *sequence, const char *id, int64_t *value);
extern bool value_of_text(const Sequence *sequence, const char *id, int64_t *value);
extern bool can_be_synced(const Sequence *sequence);

#endif
