/*
 * sequences.c
 *		The id sequences of the test: every kind of source, refill, layout and
 *		block size.
 */
#include "sequences.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/*
 * The room for values of a life, and the number of such rooms: together they
 * fill the 14 digits of layout prefixed. Lives follow each other in the order
 * of a multiplication modulo a prime, so that they go up and down.
 */
#define RANGE_SIZE        INT64_C(1000000000)
#define NRANGES           89989
#define NRANGES_AT_CENTRE 10000
#define RANGE_STEP        40009

const char *const database_names[NDATABASES] = {"stress_a", "stress_b", "stress_c"};

static const Kind kinds[] = {
	{.name = "gapless", .source = TABLE, .block_size = 1, .databases = 2},
	{.name = "gapless_too", .source = TABLE, .block_size = 1, .early_release = true, .databases = 1},
	{.name = "five", .source = TABLE, .block_size = 5, .databases = 1},
	{.name = "twenty", .source = TABLE, .block_size = 20, .databases = 3},
	{.name = "thousand", .source = TABLE, .block_size = 1000, .databases = 1},
	{.name = "large", .source = TABLE, .block_size = 100000, .databases = 1},
	{.name = "few", .source = TABLE, .block_size = 20, .capacity = 3000, .databases = 1},
	{.name = "w_one", .source = TABLE, .block_size = 1, .refill = BY_WORKER, .databases = 1},
	{.name = "w_twenty", .source = TABLE, .block_size = 20, .refill = BY_WORKER, .databases = 3},
	{.name = "w_thousand", .source = TABLE, .block_size = 1000, .refill = BY_WORKER, .databases = 1},
	{.name = "w_few", .source = TABLE, .block_size = 20, .refill = BY_WORKER, .capacity = 3000, .databases = 1},
	{.name = "a_one", .source = TABLE, .block_size = 1, .refill = BY_EITHER, .databases = 1},
	{.name = "a_twenty", .source = TABLE, .block_size = 20, .refill = BY_EITHER, .databases = 3},
	{.name = "a_few", .source = TABLE, .block_size = 20, .refill = BY_EITHER, .capacity = 3000, .databases = 1},
	{.name = "s_either", .source = SEQUENCE, .block_size = 20, .refill = BY_EITHER, .databases = 3},
	{.name = "c_twenty", .source = TABLE, .block_size = 20, .collides = true, .databases = 2},
	{.name = "c_five", .source = TABLE, .block_size = 5, .collides = true, .databases = 1},
	{.name = "c_auto", .source = TABLE, .block_size = 20, .refill = BY_EITHER, .collides = true, .databases = 1},
	{.name = "switched", .source = TABLE, .block_size = 10, .switched = true, .databases = 1},
	{.name = "l_prefixed", .source = TABLE, .block_size = 20, .layout = PREFIXED, .databases = 1},
	{.name = "l_session", .source = TABLE, .block_size = 50, .layout = SESSION, .refill = BY_WORKER, .databases = 1},
	{.name = "l_prefixed_reversed", .source = TABLE, .block_size = 20, .layout = PREFIXED_REVERSED, .databases = 1},
	{.name = "l_session_reversed", .source = TABLE, .block_size = 1000, .layout = SESSION_REVERSED, .relaid = true, .databases = 1},
	{.name = "l_scrambled", .source = TABLE, .block_size = 20, .layout = SCRAMBLED, .audience = PRIVILEGED, .databases = 2},
	{.name = "l_scrambled_gapless", .source = TABLE, .block_size = 1, .layout = SCRAMBLED, .audience = PRIVILEGED, .databases = 1},
	{.name = "x_padded", .source = TABLE, .block_size = 20, .format = PADDED, .databases = 3},
	{.name = "x_base58", .source = TABLE, .block_size = 50, .format = BASE58, .refill = BY_WORKER, .databases = 1},
	{.name = "t_twenty/a", .source = TABLE, .block_size = 20, .child = true, .databases = 3},
	{.name = "t_gapless/a", .source = TABLE, .block_size = 1, .child = true, .databases = 2},
	{.name = "t_auto/a", .source = TABLE, .block_size = 20, .refill = BY_EITHER, .child = true, .databases = 1},
	{.name = "t_worker/a/b", .source = TABLE, .block_size = 20, .refill = BY_WORKER, .child = true, .databases = 2},
	{.name = "t_checked/a", .source = TABLE, .block_size = 5, .format = CHECKED, .child = true, .databases = 1},
	{.name = "s_twenty", .source = SEQUENCE, .block_size = 20, .databases = 3},
	{.name = "s_no_row", .source = SEQUENCE, .block_size = 100, .no_row = true, .audience = PRIVILEGED, .databases = 3},
	{.name = "s_no_row", .source = SEQUENCE, .block_size = 100, .no_row = true, .audience = UNPRIVILEGED, .databases = 3},
	{.name = "s_one", .source = SEQUENCE, .block_size = 1, .rows = 10, .databases = 1},
	{.name = "s_cache", .source = SEQUENCE, .block_size = 20, .cache = 20, .databases = 2},
	{.name = "s_cache_one", .source = SEQUENCE, .block_size = 1, .rows = 10, .cache = 7, .databases = 1},
	{.name = "s_cache_few", .source = SEQUENCE, .block_size = 20, .cache = 7, .capacity = 3000, .databases = 1},
	{.name = "s_cache_worker", .source = SEQUENCE, .block_size = 20, .cache = 7, .refill = BY_WORKER, .databases = 1},
	{.name = "s_pooled", .source = SEQUENCE, .block_size = 20, .pooling = POOLED, .databases = 2},
	{.name = "s_pooled_worker", .source = SEQUENCE, .block_size = 10, .pooling = POOLED, .refill = BY_WORKER, .databases = 1},
	{.name = "s_hilo", .source = SEQUENCE, .block_size = 1, .pooling = HILO, .rows = 20, .databases = 2},
	{.name = "s_down", .source = SEQUENCE, .block_size = -5, .no_row = true, .databases = 1},
	{.name = "s_few", .source = SEQUENCE, .block_size = 20, .capacity = 3000, .databases = 1},
	{.name = "s_worker", .source = SEQUENCE, .block_size = 20, .refill = BY_WORKER, .layout = PREFIXED, .databases = 1},
	{.name = "f_thirteen", .source = FUNCTION, .block_size = 13, .databases = 1},
	{.name = "f_layout", .source = FUNCTION, .block_size = 50, .layout = SESSION, .databases = 1},
	{.name = "r_twenty", .source = SERVER, .block_size = 20, .databases = 3},
	{.name = "r_thousand", .source = SERVER, .block_size = 1000, .layout = PREFIXED, .databases = 1},
	{.name = "r_worker", .source = SERVER, .block_size = 50, .refill = BY_WORKER, .databases = 1},
};

static const Kind unique_kind = {.name = "idgen_unique_id", .source = SEQUENCE};

static const char *const refill_names[] = {
	[BY_TRANSACTION] = "transaction",
	[BY_WORKER] = "worker",
	[BY_EITHER] = "auto",
};

static const char *const layout_names[] = {
	[PLAIN] = "plain",
	[PREFIXED] = "prefixed",
	[SESSION] = "session",
	[PREFIXED_REVERSED] = "prefixed_reversed",
	[SESSION_REVERSED] = "session_reversed",
	[SCRAMBLED] = "scrambled",
};

static const char *const format_sql[] = {
	[NO_FORMAT] = "null",
	[PADDED] = "'INV-{id:6}'",
	[BASE58] = "'cus_{id:base58:11}'",
	[CHECKED] = "'{id:12}{luhn}'",
};

static const char *const pooling_names[] = {
	[POOLED_LO] = "pooled_lo",
	[POOLED] = "pooled",
	[HILO] = "hilo",
};

Sequence *sequences;
int nsequences;
Stream *streams;
int nstreams;
Sequence *unique_ids;

static void
add_sequence(Sequence *sequence, const Kind *kind, Database database, const char *name)
{
	*sequence = (Sequence){kind, database, &streams[nstreams++]};
	stream_init(sequence->stream, name);
	sequence->stream->gapless = kind->source == TABLE && kind->block_size == 1 && kind->refill != BY_WORKER;
	sequence->stream->transactional = kind->source == FUNCTION || (kind->source == TABLE && kind->refill != BY_WORKER);
}

void
sequences_init(void)
{
	size_t room = lengthof(kinds) * NDATABASES + 1;

	sequences = calloc(room, sizeof(Sequence));
	streams = calloc(room, sizeof(Stream));
	if (lengthof(kinds) > MAX_IN_DATABASE)
		die("MAX_IN_DATABASE is too small");
	if (!sequences || !streams)
		die("out of memory");

	for (Database database = 0; database < NDATABASES; database++)
	{
		for (size_t i = 0; i < lengthof(kinds); i++)
		{
			char *name = text("%s.%s%s", database_names[database],
			                  kinds[i].audience == UNPRIVILEGED ? UNPRIVILEGED_USER "." : "", kinds[i].name);

			if ((int) database < kinds[i].databases)
				add_sequence(&sequences[nsequences++], &kinds[i], database, name);
			free(name);
		}
	}
	unique_ids = &sequences[nsequences];
	add_sequence(unique_ids, &unique_kind, DATABASE_A, unique_kind.name);
	unique_ids->stream->timed = true;
}

/* How many there are in a database, and the index of the first. */
int
sequences_of(Database database, int *first)
{
	int n = 0;

	for (int i = nsequences; i-- > 0;)
	{
		if (sequences[i].database == database)
		{
			*first = i;
			n++;
		}
	}
	return n;
}

/* Whether two values are of one life (or its end). */
bool
same_range(int64_t a, int64_t b)
{
	return a / RANGE_SIZE == b / RANGE_SIZE;
}

/*
 * Values that no life has had, with no time set. Those of an id sequence at the
 * centre ascend from life to life: a node does not use what a centre gives that
 * has gone back.
 */
Life
new_range(const Sequence *sequence)
{
	static atomic_int used = 0;
	static atomic_int used_at_centre = 0;
	bool at_centre = sequence->kind->source == SERVER;
	int64_t number = atomic_fetch_add(at_centre ? &used_at_centre : &used, 1);
	int64_t range = at_centre ? NRANGES + number : number * RANGE_STEP % NRANGES;
	int64_t first = RANGE_SIZE * (1 + range);
	int64_t size = sequence->kind->capacity > 0 ? sequence->kind->capacity : RANGE_SIZE;

	if (number >= (at_centre ? NRANGES_AT_CENTRE : NRANGES))
		die("too many lives");
	return (Life){first, first + size - 1, NEVER, NEVER, UNKNOWN};
}

/* The name of the native sequence, for the caller to free. */
char *
native_name(const Sequence *sequence)
{
	return text("%s.%s_seq", sequence->kind->audience == UNPRIVILEGED ? UNPRIVILEGED_USER : "public",
	            sequence->kind->name);
}

/* The first value of a native sequence that has these ids. */
int64_t
first_native(const Sequence *sequence, const Life *life)
{
	return sequence->kind->pooling == HILO ? life->first / sequence->kind->rows + 1 : life->first;
}

/* The last one. */
int64_t
last_native(const Sequence *sequence, const Life *life)
{
	return sequence->kind->pooling == HILO ? life->last / sequence->kind->rows : life->last;
}

/*
 * The ids that a value of a native sequence stands for, to any program that
 * draws it. Not for a descending one.
 */
void
ids_of_value(const Sequence *sequence, int64_t v, int64_t *first, int64_t *last)
{
	const Kind *kind = sequence->kind;

	switch (kind->pooling)
	{
		case POOLED_LO:
			*first = v;
			*last = v + kind->block_size - 1;
			break;
		case POOLED:
			/* none is below the first of a life */
			*first = Max(v - kind->block_size + 1, v / RANGE_SIZE * RANGE_SIZE);
			*last = v;
			break;
		case HILO:
			*first = (v - 1) * kind->rows + 1;
			*last = v * kind->rows;
			break;
	}
}

/*
 * The name of the template that the row is made from, for the caller to free:
 * all up to the first slash.
 */
char *
template_name(const Sequence *sequence)
{
	return text("%.*s/*", (int) strcspn(sequence->kind->name, "/"), sequence->kind->name);
}

/*
 * The SQL that makes the row, or the template that it is made from. A row
 * belongs to the column of a table, if there is one of its name.
 */
static char *
row_sql(const Sequence *sequence, const Life *life, const char *source, const char *source_name)
{
	const Kind *kind = sequence->kind;
	char *name = kind->child ? template_name(sequence) : text("%s", kind->name);
	char *owner = kind->child ? text("null") : text("'%s_owner.id'", kind->name);
	char *sql;

	sql = text("SELECT idgen_create('%s', next_block_start => %" PRId64 ", max_value => %" PRId64
	           ", owned_by => %s, block_size => %d, source => '%s', refill => '%s', layout => '%s',"
	           " pooling => '%s', format => %s, early_release => %s%s)",
	           name, life->first, kind->capacity > 0 ? life->last : INT64_MAX, owner,
	           kind->rows > 0 ? kind->rows : kind->block_size, source, refill_names[kind->refill],
	           layout_names[kind->layout], pooling_names[kind->pooling], format_sql[kind->format],
	           kind->early_release ? "true" : "false", source_name);
	free(name);
	free(owner);
	return sql;
}

/*
 * The SQL that makes the id sequence, in a database that has none of that name.
 * It belongs to the column of a table, which draws from it by default where
 * idgen_sync() is to move it, and has no other use; a child belongs to none.
 * For source "server", the row on the central server has to be there.
 */
char *
create_sql(const Sequence *sequence, const Life *life)
{
	static const char *const source_sql[] = {
		[TABLE] = "",
		[SEQUENCE] = "",
		[FUNCTION] = ", source_name => 'stress_allocate'",
		[SERVER] = ", source_name => 'central'",
	};
	static const char *const source_names[] = {
		[TABLE] = "table",
		[SEQUENCE] = "sequence",
		[FUNCTION] = "function",
		[SERVER] = "server",
	};
	const Kind *kind = sequence->kind;
	char *object = NULL;
	char *table = NULL;
	char *row = NULL;
	char *column = NULL;
	char *sql;

	if (kind->source == SEQUENCE)
	{
		char *name = native_name(sequence);

		object = text("DROP SEQUENCE IF EXISTS %s; CREATE SEQUENCE %s INCREMENT %d MINVALUE %" PRId64
		              " MAXVALUE %" PRId64 " CACHE %d; GRANT USAGE ON SEQUENCE %s TO " UNPRIVILEGED_USER "; ",
		              name, name, kind->block_size, first_native(sequence, life), last_native(sequence, life),
		              kind->cache > 0 ? kind->cache : 1, name);
		free(name);
	}
	if (kind->source == FUNCTION)
		object = text("INSERT INTO counters VALUES ('%s', %" PRId64 ", %d)"
		              " ON CONFLICT (name) DO UPDATE SET next_value = excluded.next_value; ",
		              kind->name, life->first, kind->block_size);
	if (!kind->no_row)
		row = row_sql(sequence, life, source_names[kind->source], source_sql[kind->source]);
	if (!kind->no_row && !kind->child)
		table = text("CREATE TABLE IF NOT EXISTS %s_owner (id bigint); ", kind->name);
	if (can_be_synced(sequence))
		column = text("; ALTER TABLE %s_owner ALTER id SET DEFAULT idgen_next('%s')", kind->name, kind->name);
	sql = text("%s%s%s%s", object ? object : "", table ? table : "", row ? row : "", column ? column : "");
	free(object);
	free(table);
	free(row);
	free(column);
	return sql;
}

/*
 * The query for the first value that nobody has allocated, or for a null. A
 * transaction with a snapshot that has refilled sees two versions of the row:
 * that of the snapshot, and its own.
 */
char *
next_sql(const Sequence *sequence)
{
	const Kind *kind = sequence->kind;

	if (kind->source == TABLE)
		return text("SELECT max(next_block_start) FROM id_sequences WHERE name = '%s'", kind->name);
	if (kind->source == FUNCTION)
		return text("SELECT next_value FROM counters WHERE name = '%s'", kind->name);
	if (kind->source == SEQUENCE && kind->block_size > 0)
	{
		/* the next id is so far behind the last one of that value */
		int step = kind->pooling == POOLED_LO ? kind->block_size : 1;
		int ids = kind->pooling == HILO ? kind->rows : 1;
		char *name = native_name(sequence);
		char *sql = text("SELECT CASE WHEN is_called THEN last_value * %d + %d"
		                 " ELSE (last_value - 1) * %d + 1 END FROM %s",
		                 ids, step, ids, name);

		free(name);
		return sql;
	}
	return text("SELECT null");
}

/*
 * Can idgen_sync() move it, and so far ahead that none of its ids has been
 * drawn?
 */
bool
can_be_synced(const Sequence *sequence)
{
	const Kind *kind = sequence->kind;

	return (kind->source == TABLE || kind->source == SEQUENCE) && !kind->no_row && !kind->child &&
		kind->block_size > 0 && kind->layout == PLAIN && kind->capacity == 0;
}

/*
 * The call of a function that draws, for the caller to free. Of a scrambled id,
 * the sequence value is asked for at once.
 */
char *
draw_call(const Sequence *sequence, const char *function)
{
	const Kind *kind = sequence->kind;

	return text(kind->layout == SCRAMBLED ? "idgen_unscramble('%2$s', %1$s('%2$s'%3$s))" : "%s('%s'%s)", function,
	            kind->name, kind->no_row ? ", 'sequence'" : "");
}

/* The sequence value of an id in decimal; false if it has no right form. */
bool
value_of(const Sequence *sequence, const char *id, int64_t *value)
{
	Layout layout = sequence->kind->layout;
	size_t length = strlen(id);
	size_t prefix = layout == SESSION || layout == SESSION_REVERSED ? 4 : 5;
	char field[40];
	char *end;

	if (layout == PLAIN || layout == SCRAMBLED || (length < 19 && sequence->kind->relaid))
		prefix = 0;
	else if ((length != 19 && length != 38) || id[0] != '1')
		return false;
	if (length >= sizeof(field))
		return false;

	strcpy(field, id + prefix);
	length -= prefix;
	if (prefix > 0 && (layout == PREFIXED_REVERSED || layout == SESSION_REVERSED))
	{
		for (size_t i = 0; i < length / 2; i++)
		{
			char digit = field[i];

			field[i] = field[length - 1 - i];
			field[length - 1 - i] = digit;
		}
	}
	*value = strtoll(field, &end, 10);
	return *end == '\0';
}

/* The digits of a base, of which each stands for its place in this text. */
static bool
value_of_digits(const char *digits, const char *base, int64_t *value)
{
	*value = 0;
	for (const char *digit = digits; *digit != '\0'; digit++)
	{
		const char *place = strchr(base, *digit);

		if (place == NULL ||
		    __builtin_mul_overflow(*value, (int64_t) strlen(base), value) ||
		    __builtin_add_overflow(*value, place - base, value))
			return false;
	}
	return *digits != '\0';
}

/* Is the last digit the check digit of those before it, by Luhn's algorithm? */
static bool
luhn_is_right(const char *digits)
{
	int sum = 0;
	int place = 0;

	for (const char *digit = digits + strlen(digits); digit-- > digits; place++)
	{
		int weighted = (*digit - '0') * (place % 2 == 0 ? 1 : 2);

		sum += weighted / 10 + weighted % 10;
	}
	return sum % 10 == 0;
}

/* The same of a text id. */
bool
value_of_text(const Sequence *sequence, const char *id, int64_t *value)
{
	static const char *const decimal = "0123456789";
	char digits[40];
	size_t length = strlen(id);

	switch (sequence->kind->format)
	{
		case NO_FORMAT:
			return value_of(sequence, id, value);
		case PADDED:
			return strncmp(id, "INV-", 4) == 0 && length >= 10 && value_of_digits(id + 4, decimal, value);
		case BASE58:
			return strncmp(id, "cus_", 4) == 0 && length >= 15 &&
				value_of_digits(id + 4, "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz", value);
		case CHECKED:
			if (length < 13 || length >= sizeof(digits) || strspn(id, decimal) != length || !luhn_is_right(id))
				return false;
			strcpy(digits, id);
			digits[length - 1] = '\0';
			return value_of_digits(digits, decimal, value);
	}
	return false;
}
