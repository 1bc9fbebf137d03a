/*
 * check_scramble.c
 *		What catalog/scramble.c makes of numbers, without a server.
 *
 * Each check prints a line, "ok - what" or "not ok - what". All keys are fixed,
 * so the outcome is the same each time. The argument is the number of values of
 * the widest range that are looked at for ids that are the same.
 *
 * That many do not fit into memory. So they are computed again for each part of
 * the range, and those that lie in the part are sorted.
 */
#include "postgres_fe.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "catalog/scramble.h"

/* The C library's own will do. */
#undef printf
#undef qsort
#undef snprintf

/* The most ids that are sorted at a time: 64 MB. */
#define PART_IDS 8000000

/* The next one of some numbers that look random (SplitMix64). */
static uint64
next_random(uint64 *state)
{
	uint64 z = *state += UINT64CONST(0x9e3779b97f4a7c15);

	z = (z ^ z >> 30) * UINT64CONST(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64CONST(0x94d049bb133111eb);
	return z ^ z >> 31;
}

static void
make_key(uint64 *state, uint8 *key)
{
	for (int i = 0; i < IDGEN_KEY_BYTES; i++)
		key[i] = next_random(state) & 0xff;
}

static void
report(bool good, const char *what)
{
	printf("%s - %s\n", good ? "ok" : "not ok", what);
}

/*
 * The reference's test vectors for SipHash-2-4, for messages of 0 to 7 bytes,
 * read as numbers: vectors_sip64 in vectors.h of github.com/veorq/SipHash.
 */
static void
check_siphash(void)
{
	static const uint64 expected[] = {
		UINT64CONST(0x726fdb47dd0e0e31),
		UINT64CONST(0x74f839c593dc67fd),
		UINT64CONST(0x0d6c8009d9a94f5a),
		UINT64CONST(0x85676696d7fb7e2d),
		UINT64CONST(0xcf2794e0277187b7),
		UINT64CONST(0x18765564cd99a68d),
		UINT64CONST(0xcbc9466e58fee3ce),
		UINT64CONST(0xab0200f58b01d137),
	};
	const uint64 key[] = {UINT64CONST(0x0706050403020100), UINT64CONST(0x0f0e0d0c0b0a0908)};
	uint64 message = 0;
	bool good = true;

	for (int length = 0; length < (int) lengthof(expected); length++)
	{
		if (length > 0)
			message |= (uint64) (length - 1) << (length - 1) * 8;
		good = good && idgen_siphash(key, message, length) == expected[length];
	}
	report(good, "SipHash gives what its reference does");
}

/*
 * Known answers: ids that have been issued must not change. Another program has
 * computed these, from what scramble.c says.
 */
static void
check_known(void)
{
	static const struct
	{
		int64 values;
		int64 ids[4]; /* of 1, 2, 3, and the last one */
	} known[] = {
		{1, {1, 1, 1, 1}},
		{2, {1, 2, 2, 2}},
		{10, {8, 3, 2, 9}},
		{300, {141, 73, 102, 142}},
		{65536, {55003, 43986, 32994, 14473}},
		{1000000, {51588, 115620, 839785, 424067}},
		{2147483647, {1038305216, 2139169664, 1463419586, 1888897382}},
		{INT64CONST(10000000000), {318763345, INT64CONST(3217299694), INT64CONST(9430527931), INT64CONST(7918525263)}},
		{INT64CONST(9007199254740991), {INT64CONST(6369851913844168), INT64CONST(2757591004151719), INT64CONST(7283817962860512), INT64CONST(1306626054056636)}},
		{PG_INT64_MAX, {INT64CONST(6418030975202663736), INT64CONST(7290979091475277737), INT64CONST(7273687398607417951), INT64CONST(5978756871921266815)}},
	};
	uint8 key[IDGEN_KEY_BYTES];
	bool good = true;

	for (int i = 0; i < IDGEN_KEY_BYTES; i++)
		key[i] = i;
	for (int i = 0; i < (int) lengthof(known); i++)
	{
		IdgenScramble scramble;

		idgen_scramble_init(&scramble, key, known[i].values);
		for (int j = 0; j < 4; j++)
		{
			int64 value = j == 3 ? known[i].values : Min(j + 1, known[i].values);

			if (idgen_scramble(&scramble, value) == known[i].ids[j] &&
			    idgen_scramble_undo(&scramble, known[i].ids[j]) == value)
				continue;
			good = false;
			printf("# %lld of %lld: %lld\n", (long long) value, (long long) known[i].values,
			       (long long) idgen_scramble(&scramble, value));
		}
	}
	report(good, "known answers");
}

/* Are the numbers from 1 to "values" scrambled to these numbers, each once? */
static bool
is_bijection(const uint8 *key, int64 values)
{
	char *seen = calloc(values + 1, 1);
	bool good = true;
	IdgenScramble scramble;

	idgen_scramble_init(&scramble, key, values);
	for (int64 value = 1; value <= values && good; value++)
	{
		int64 id = idgen_scramble(&scramble, value);

		good = id >= 1 && id <= values && !seen[id] && idgen_scramble_undo(&scramble, id) == value;
		if (good)
			seen[id] = 1;
	}
	free(seen);
	return good;
}

static void
check_whole_ranges(void)
{
	static const int64 wide[] = {65521, 65535, 65536, 65537, 99999, 131072, 262139, 1000003};
	uint64 state = 1;
	uint8 key[IDGEN_KEY_BYTES];
	bool good = true;

	for (int64 values = 1; values <= 600; values++)
		for (int i = 0; i < 5 && good; i++)
		{
			make_key(&state, key);
			good = is_bijection(key, values);
		}
	report(good, "each range of 1 to 600 values is permuted, by 5 keys each");
	for (int i = 0; i < (int) lengthof(wide) && good; i++)
		for (int j = 0; j < 2 && good; j++)
		{
			make_key(&state, key);
			good = is_bijection(key, wide[i]);
		}
	report(good, "so are ranges of 65521 to 1000003 values");
}

/* Numbers all over ranges that are too wide to go through */
static void
check_wide_ranges(void)
{
	uint64 state = 2;
	uint8 key[IDGEN_KEY_BYTES];
	bool good = true;

	for (int bits = 20; bits <= 63; bits++)
	{
		int64 values = bits == 63 ? PG_INT64_MAX : (INT64CONST(1) << bits) + bits - 40;
		IdgenScramble scramble;

		make_key(&state, key);
		idgen_scramble_init(&scramble, key, values);
		for (int i = 0; i < 2000; i++)
		{
			int64 value = i < 2 ? (i == 0 ? 1 : values) : (int64) (next_random(&state) % values) + 1;
			int64 id = idgen_scramble(&scramble, value);

			good = good && id >= 1 && id <= values && idgen_scramble_undo(&scramble, id) == value;
		}
	}
	report(good, "in wide ranges, each number comes back from what it is scrambled to");
}

/*
 * A bit that is changed, in the number or in the key, changes each bit of the
 * result half of the time.
 */
static void
check_avalanche(void)
{
	enum
	{
		BITS = 62,
		SAMPLES = 2000,
	};
	static int changed[BITS + IDGEN_KEY_BYTES * 8][BITS];
	uint64 state = 3;
	double worst = 0;
	char what[100];

	for (int i = 0; i < SAMPLES; i++)
	{
		IdgenScramble scramble;
		uint8 key[IDGEN_KEY_BYTES];
		int64 value = next_random(&state) >> (64 - BITS);
		int64 id;

		make_key(&state, key);
		idgen_scramble_init(&scramble, key, INT64CONST(1) << BITS);
		id = idgen_scramble(&scramble, value + 1) - 1;
		for (int in = 0; in < (int) lengthof(changed); in++)
		{
			int64 other = value;
			uint64 difference;

			if (in < BITS)
				other ^= INT64CONST(1) << in;
			else
			{
				int bit = in - BITS;

				key[bit / 8] ^= 1 << bit % 8;
				idgen_scramble_init(&scramble, key, INT64CONST(1) << BITS);
				key[bit / 8] ^= 1 << bit % 8;
			}
			difference = (idgen_scramble(&scramble, other + 1) - 1) ^ id;
			for (int out = 0; out < BITS; out++)
				changed[in][out] += difference >> out & 1;
		}
	}
	for (int in = 0; in < (int) lengthof(changed); in++)
		for (int out = 0; out < BITS; out++)
			worst = Max(worst, fabs((double) changed[in][out] / SAMPLES - 0.5));
	snprintf(what, sizeof(what), "avalanche: each bit changes half of the time (at most %.3f off)", worst);
	report(worst < 0.06, what);
}

/* What successive numbers are scrambled to has nothing to do with them. */
static void
check_correlation(int64 values)
{
	enum
	{
		SAMPLES = 100000,
		LAGS = 4,
	};
	static double ids[SAMPLES + LAGS];
	uint64 state = 4;
	uint8 key[IDGEN_KEY_BYTES];
	IdgenScramble scramble;
	double worst = 0;
	double with_number = 0;
	char what[120];

	make_key(&state, key);
	idgen_scramble_init(&scramble, key, values);
	for (int i = 0; i < SAMPLES + LAGS; i++)
		ids[i] = (double) idgen_scramble(&scramble, i + 1) / (double) values - 0.5;
	for (int lag = 1; lag <= LAGS; lag++)
	{
		double sum = 0;

		for (int i = 0; i < SAMPLES; i++)
			sum += ids[i] * ids[i + lag];
		worst = Max(worst, fabs(sum / SAMPLES * 12));
	}
	for (int i = 0; i < SAMPLES; i++)
		with_number += ids[i] * ((double) i / SAMPLES - 0.5);
	worst = Max(worst, fabs(with_number / SAMPLES * 12));
	snprintf(what, sizeof(what), "serial correlation of ids up to %lld: at most %.4f", (long long) values, worst);
	report(worst < 0.015, what);
}

static int
compare_ids(const void *a, const void *b)
{
	int64 x = *(const int64 *) a;
	int64 y = *(const int64 *) b;

	return x < y ? -1 : x > y;
}

/* No two of that many numbers are scrambled to the same id of 63 bits. */
static void
check_sample(int64 samples)
{
	int64 parts = samples / (PART_IDS / 2) + 1;
	int64 *ids = malloc(sizeof(int64) * PART_IDS);
	int64 looked_at = 0;
	bool good = true;
	uint64 state = 5;
	uint8 key[IDGEN_KEY_BYTES];
	IdgenScramble scramble;
	char what[100];

	make_key(&state, key);
	idgen_scramble_init(&scramble, key, PG_INT64_MAX);
	for (int64 part = 0; part < parts && good; part++)
	{
		int n = 0;

		for (int64 value = 1; value <= samples && n < PART_IDS; value++)
		{
			int64 id = idgen_scramble(&scramble, value);

			if (part == 0 && value % 16 == 0)
				good = good && idgen_scramble_undo(&scramble, id) == value;
			if (id / (PG_INT64_MAX / parts + 1) == part)
				ids[n++] = id;
		}
		qsort(ids, n, sizeof(int64), compare_ids);
		for (int i = 1; i < n; i++)
			good = good && ids[i] != ids[i - 1];
		looked_at += n;
	}
	free(ids);
	snprintf(what, sizeof(what), "%lld ids of 63 bits are all different", (long long) samples);
	report(good && looked_at == samples, what);
}

int
main(int argc, char **argv)
{
	check_siphash();
	check_known();
	check_whole_ranges();
	check_wide_ranges();
	check_avalanche();
	check_correlation(PG_INT64_MAX);
	check_correlation(1000000);
	check_sample(argc > 1 ? atoll(argv[1]) : 1000000);
	return 0;
}
