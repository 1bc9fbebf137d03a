/*
 * unique_uuid.c
 *		Time-ordered ids that are UUIDs: a tick of the clock, and random bits.
 *
 * These are UUIDs of version 7 (RFC 9562, section 5.7). From the highest bit
 * down: 48 bits of milliseconds since 1970, 4 bits of version, 12 bits of the
 * fraction of the millisecond, 2 bits of variant, 4 more bits of that fraction,
 * 58 random bits.
 *
 * The milliseconds and the fraction together are a tick, 65,536 of them in a
 * millisecond. The state of the server is one number, the tick of the last
 * UUID. The next tick is that of the clock; or, if the clock has not come so
 * far, the last one plus one. So the ticks ascend over all sessions, and so do
 * the UUIDs, whatever their random bits are.
 *
 * Of the RFC's ways to keep UUIDs in order (section 6.2), this is "replace
 * leftmost random bits with increased clock precision" (method 3), as uuidv7()
 * of PostgreSQL 18 does it, with a fixed step where the clock stands still. A
 * counter that begins anew in each millisecond (method 1) would have to wait
 * when it is full. A tick carries over into the next millisecond, and no
 * machine can draw 65,536 UUIDs in each millisecond for long. A random number
 * that is incremented (method 2) has more bits than can be exchanged at once.
 *
 * The random bits are new for each UUID. So a UUID cannot be guessed from
 * others, and servers need no numbers: two of them can draw the same UUID only
 * if they draw in the same tick, and then by 1 in 2^58.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "port/pg_bswap.h"
#include "utils/timestamp.h"

#include "unique_id/unique_state.h"
#include "unique_id/unique_uuid.h"

/* Milliseconds from the beginning of 1970 to that of 2024 */
#define UNIX_TO_IDGEN_MS ((IDGEN_EPOCH - IDGEN_UNIX_EPOCH) / 1000)

#define FRACTION_BITS 16
#define MAX_UNIX_MS   ((INT64CONST(1) << 48) - 1)

/* The first TimestampTz that no UUID has */
#define END_OF_TIME (IDGEN_UNIX_EPOCH + (MAX_UNIX_MS + 1) * 1000)

#define VERSION_7      (UINT64CONST(7) << 12)
#define VARIANT        (UINT64CONST(2) << 62)
#define VARIANT_MASK   (UINT64CONST(3) << 62)
#define LOW_TICK_SHIFT 58 /* the lowest 4 bits of the tick, below the variant */
#define RANDOM_MASK    ((UINT64CONST(1) << LOW_TICK_SHIFT) - 1)

/* A UUID as two numbers */
typedef struct Halves
{
	uint64 high;
	uint64 low;
} Halves;

static inline Halves
read_halves(const pg_uuid_t *uuid)
{
	Halves halves;

	memcpy(&halves, uuid->data, UUID_LEN);
	halves.high = pg_ntoh64(halves.high);
	halves.low = pg_ntoh64(halves.low);
	return halves;
}

/* The UUID of that tick with these random bits; others are cut off. */
static inline pg_uuid_t
compose(uint64 tick, uint64 random)
{
	pg_uuid_t uuid;
	Halves halves = {
		.high = pg_hton64((tick & ~UINT64CONST(0xFFFF)) | VERSION_7 | ((tick & 0xFFFF) >> 4)),
		.low = pg_hton64(VARIANT | ((tick & 0xF) << LOW_TICK_SHIFT) | (random & RANDOM_MASK)),
	};

	memcpy(uuid.data, &halves, UUID_LEN);
	return uuid;
}

/* The time that a tick belongs to, in milliseconds since 2024 */
static inline int64
time_of(uint64 tick)
{
	return (int64) (tick >> FRACTION_BITS) - UNIX_TO_IDGEN_MS;
}

int64
idgen_unique_uuid_tick_time(uint64 tick)
{
	return time_of(tick);
}

/*
 * The tick of the clock. Raises 2200H if the clock is beyond all ticks. One
 * that is before them, in a year before 1970, is far behind the last tick.
 */
static inline uint64
tick_of(TimestampTz clock)
{
	int64 us = Max(clock - IDGEN_UNIX_EPOCH, 0);

	if (unlikely(us / 1000 > MAX_UNIX_MS))
		ereport(ERROR,
		        (errcode(ERRCODE_SEQUENCE_GENERATOR_LIMIT_EXCEEDED),
		         errmsg("no time-ordered id is left"),
		         errdetail("The time in a UUID ends in August 10889.")));
	return ((uint64) (us / 1000) << FRACTION_BITS) | ((uint64) (us % 1000) << FRACTION_BITS) / 1000;
}

/*
 * The last tick of that time, or the last one of all. There is always one left
 * behind it, so that counting on does not begin anew.
 */
uint64
idgen_unique_uuid_last_of(int64 time)
{
	return ((uint64) (Min(time + UNIX_TO_IDGEN_MS, MAX_UNIX_MS - 1) + 1) << FRACTION_BITS) - 1;
}

/*
 * Random bits that nobody can guess. pg_strong_random() takes much longer to
 * begin than for another byte, so each process keeps a store of what it has
 * got. What is taken from it is gone, and what a process inherits from the one
 * that it was forked from does not count: no bits are used twice.
 */
static struct
{
	int pid;         /* the process that these are of */
	int left;        /* how many are not used yet */
	uint64 bits[64]; /* those that are left come first */
} store;

static void
fill_store(void)
{
	store.left = 0;
	if (!pg_strong_random(store.bits, sizeof(store.bits)))
		ereport(ERROR,
		        (errcode(ERRCODE_INTERNAL_ERROR),
		         errmsg("could not generate random values")));
	store.pid = MyProcPid;
	store.left = lengthof(store.bits);
}

/* 64 random bits. Raises XX000 if the system has none. */
static uint64
random_bits(void)
{
	if (unlikely(store.left == 0 || store.pid != MyProcPid))
		fill_store();
	return store.bits[--store.left];
}

/*
 * Draw the next UUID. Raises 55000 if the library is not preloaded or the clock
 * is wrong, 2200H from the year 10889 on, XX000 if there are no random bits,
 * and what writing the file can.
 */
pg_uuid_t
idgen_unique_uuid_draw(void)
{
	IdgenUniqueState *state = idgen_unique_state();
	uint64 random = random_bits();

	for (;;)
	{
		TimestampTz clock = GetCurrentTimestamp();
		int64 now = idgen_unique_time(clock);
		uint64 last = pg_atomic_read_u64(&state->last_tick);
		uint64 next = Max(tick_of(clock), last + 1);

		idgen_unique_check_clock(time_of(next), now);
		if (unlikely(idgen_unique_is_at_floor(state, time_of(last), now)))
		{
			idgen_unique_wait_for_clock(clock);
			continue;
		}
		idgen_unique_reserve(state, time_of(next), now);
		if (pg_atomic_compare_exchange_u64(&state->last_tick, &last, next))
			return compose(next, random);
	}
}

/* Is it of version 7, of the RFC's variant? Others have no such time. */
bool
idgen_unique_uuid_has_time(const pg_uuid_t *uuid)
{
	Halves halves = read_halves(uuid);

	return (halves.high & 0xF000) == VERSION_7 && (halves.low & VARIANT_MASK) == VARIANT;
}

/* The time in a UUID of version 7, in whole milliseconds */
TimestampTz
idgen_unique_uuid_time(const pg_uuid_t *uuid)
{
	return (int64) (read_halves(uuid).high >> FRACTION_BITS) * 1000 + IDGEN_UNIX_EPOCH;
}

/*
 * The smallest UUID of that time, to the millisecond: one that is drawn then or
 * later is not smaller, whatever makes it. Raises 22008 if no UUID has that
 * time.
 */
pg_uuid_t
idgen_unique_uuid_first_of(TimestampTz timestamp)
{
	if (timestamp < IDGEN_UNIX_EPOCH || timestamp >= END_OF_TIME)
		ereport(ERROR,
		        (errcode(ERRCODE_DATETIME_VALUE_OUT_OF_RANGE),
		         errmsg("timestamp out of range: \"%s\"", timestamptz_to_str(timestamp)),
		         errdetail("UUIDs of version 7 have times from %s to %s.",
		                   "1970-01-01 00:00:00+00", "10889-08-02 05:31:50.655+00"),
		         errhint("If the range has no end there, leave the bound out; in a partition, write MINVALUE or MAXVALUE.")));
	return compose((uint64) ((timestamp - IDGEN_UNIX_EPOCH) / 1000) << FRACTION_BITS, 0);
}
