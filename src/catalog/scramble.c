/*
 * scramble.c
 *		A secret order of the numbers from 1 to a greatest one.
 *
 * A Feistel network splits a number into two halves of bits, and combines each
 * half in turn, by exclusive or, with a pseudo-random function of the other
 * one. Doing the same in reverse order takes that back. So the network is a
 * bijection, whatever the function is. Luby and Rackoff have shown that after a
 * few rounds, it cannot be told from an order chosen at random (How to
 * construct pseudorandom permutations from pseudorandom functions, SIAM Journal
 * on Computing 17, 1988).
 *
 * The range. The network permutes all numbers of as many bits as the greatest
 * one has. If one comes out that is too large, the network is applied to that
 * again, until one is in the range (cycle walking: Black and Rogaway, Ciphers
 * with arbitrary finite domains, CT-RSA 2002). That ends, since the number
 * itself lies on this cycle. At least half of all numbers are in the range, so
 * it takes less than two applications on average; one, if the range ends below
 * a power of two, as integer types do.
 *
 * The function is SipHash-2-4 (Aumasson and Bernstein, SipHash: a fast
 * short-input PRF, INDOCRYPT 2012; reference: github.com/veorq/SipHash). A half
 * and the number of the round make a message of five bytes, which is one block.
 * The server has no keyed function as short as that: HMAC takes many times as
 * long, and the hash functions of its tables do not hide a key. SipHash-1-3 is
 * made for such tables, too.
 *
 * The rounds. Luby and Rackoff's proof holds while the ids that are known are
 * far fewer than the values of a half. Patarin has shown that five rounds
 * withstand about as many ids as there are values of a half, even if the
 * attacker has chosen their sequence values (Security of random Feistel schemes
 * with 5 or more rounds, CRYPTO 2004): for ids of 63 bits, billions. (Six
 * withstand one that can also have ids of choice unscrambled.) In a small
 * range, that many ids are soon known. There, the known attacks decide: those
 * on r rounds with halves of h bits need some 2^(h(r - 2)) ids (Bellare, Hoang
 * and Tessaro, Message-recovery attacks on Feistel-based format-preserving
 * encryption, CCS 2016). Here that is 2^75 at least, down to halves of 5 bits.
 * For comparison: NIST has ten rounds in FF1, eight in FF3-1, and asks for a
 * million values (SP 800-38G).
 *
 * The first round works on the right half. So what it combines it with depends
 * only on the left half, which thousands of numbers in a row have in common, or
 * billions: that is kept from one number to the next.
 *
 * All of this computes with numbers, not with bytes in memory: a dump may move
 * to a machine of another byte order. test/t/general/scramble.pl has results
 * for some keys. No change may alter them, or ids are issued twice.
 */
#include "postgres.h"

#include "port/pg_bitutils.h"

#include "catalog/scramble.h"

/* The state of SipHash. */
typedef struct SipState
{
	uint64 v0;
	uint64 v1;
	uint64 v2;
	uint64 v3;
} SipState;

static inline uint64
rotate_left(uint64 word, int bits)
{
	return (word << bits) | (word >> (64 - bits));
}

static inline void
sip_round(SipState *s)
{
	s->v0 += s->v1;
	s->v2 += s->v3;
	s->v1 = rotate_left(s->v1, 13);
	s->v3 = rotate_left(s->v3, 16);
	s->v1 ^= s->v0;
	s->v3 ^= s->v2;
	s->v0 = rotate_left(s->v0, 32);
	s->v2 += s->v1;
	s->v0 += s->v3;
	s->v1 = rotate_left(s->v1, 17);
	s->v3 = rotate_left(s->v3, 21);
	s->v1 ^= s->v2;
	s->v3 ^= s->v0;
	s->v2 = rotate_left(s->v2, 32);
}

/*
 * SipHash-2-4 of a message of 0 to 7 bytes, the first of which are the least
 * significant ones of the number.
 */
static inline uint64
siphash(const uint64 *key, uint64 message, int length)
{
	uint64 block = message | (uint64) length << 56;
	SipState s = {
		.v0 = key[0] ^ UINT64CONST(0x736f6d6570736575),
		.v1 = key[1] ^ UINT64CONST(0x646f72616e646f6d),
		.v2 = key[0] ^ UINT64CONST(0x6c7967656e657261),
		.v3 = key[1] ^ UINT64CONST(0x7465646279746573),
	};

	s.v3 ^= block;
	sip_round(&s);
	sip_round(&s);
	s.v0 ^= block;
	s.v2 ^= 0xff;
	sip_round(&s);
	sip_round(&s);
	sip_round(&s);
	sip_round(&s);
	return s.v0 ^ s.v1 ^ s.v2 ^ s.v3;
}

/* The same, for tests. */
uint64
idgen_siphash(const uint64 *key, uint64 message, int length)
{
	return siphash(key, message, length);
}

/* The pseudo-random function: one for each round. */
static inline uint64
round_function(const IdgenScramble *scramble, int round, uint64 half)
{
	return siphash(scramble->key, half | (uint64) round << 32, 5);
}

/* The greatest number of that many bits, fewer than 64. */
static inline uint64
greatest_of(int bits)
{
	return (UINT64CONST(1) << bits) - 1;
}

/*
 * Apply the network once; numbers begin at 0 here. "first" is what the first
 * round makes of the left half.
 */
static inline uint64
apply(const IdgenScramble *scramble, uint64 number, uint64 first)
{
	uint64 left_mask = greatest_of(scramble->left_bits);
	uint64 right_mask = greatest_of(scramble->right_bits);
	uint64 left = number >> scramble->right_bits;
	uint64 right = (number ^ first) & right_mask;

	for (int round = 1; round < scramble->rounds; round += 2)
	{
		left ^= round_function(scramble, round, right) & left_mask;
		right ^= round_function(scramble, round + 1, left) & right_mask;
	}
	return left << scramble->right_bits | right;
}

/* Undo that. */
static inline uint64
undo(const IdgenScramble *scramble, uint64 number)
{
	uint64 left_mask = greatest_of(scramble->left_bits);
	uint64 right_mask = greatest_of(scramble->right_bits);
	uint64 left = number >> scramble->right_bits;
	uint64 right = number & right_mask;

	for (int round = scramble->rounds - 2; round > 0; round -= 2)
	{
		right ^= round_function(scramble, round + 1, left) & right_mask;
		left ^= round_function(scramble, round, right) & left_mask;
	}
	right ^= round_function(scramble, 0, left) & right_mask;
	return left << scramble->right_bits | right;
}

/*
 * The number of rounds that go with halves of that many bits; see above. It is
 * odd.
 */
static int
rounds_of(int half_bits)
{
	if (half_bits >= 25)
		return 5;
	if (half_bits >= 15)
		return 7;
	return half_bits >= 9 ? 11 : 17;
}

/* The number that bytes make, of which the first is the least significant. */
static uint64
number_of_bytes(const uint8 *bytes)
{
	uint64 number = 0;

	for (int i = 7; i >= 0; i--)
		number = number << 8 | bytes[i];
	return number;
}

/*
 * The bijection of 1 to "values", which is at least 1, by a key of
 * IDGEN_KEY_BYTES bytes.
 */
void
idgen_scramble_init(IdgenScramble *scramble, const uint8 *key, int64 values)
{
	int bits = values > 1 ? pg_leftmost_one_pos64(values - 1) + 1 : 0;

	Assert(values >= 1);
	scramble->key[0] = number_of_bytes(key);
	scramble->key[1] = number_of_bytes(key + 8);
	scramble->values = values;
	scramble->right_bits = bits / 2;
	scramble->left_bits = bits - scramble->right_bits;
	scramble->rounds = rounds_of(scramble->right_bits);
	scramble->known_left = 0;
	scramble->known_first = round_function(scramble, 0, 0);
}

/* What a number is scrambled to. It must be in the range. */
int64
idgen_scramble(IdgenScramble *scramble, int64 value)
{
	uint64 number = value - 1;
	uint64 left = number >> scramble->right_bits;

	Assert(value >= 1 && (uint64) value <= scramble->values);
	if (unlikely(left != scramble->known_left))
	{
		scramble->known_left = left;
		scramble->known_first = round_function(scramble, 0, left);
	}
	number = apply(scramble, number, scramble->known_first);
	while (unlikely(number >= scramble->values))
		number = apply(scramble, number, round_function(scramble, 0, number >> scramble->right_bits));
	return number + 1;
}

/* The number that is scrambled to that one, which must be in the range. */
int64
idgen_scramble_undo(const IdgenScramble *scramble, int64 scrambled)
{
	uint64 number = scrambled - 1;

	Assert(scrambled >= 1 && (uint64) scrambled <= scramble->values);
	do
		number = undo(scramble, number);
	while (number >= scramble->values);
	return number + 1;
}
