/*
 * scramble.h
 *		A secret order of the numbers from 1 to a greatest one.
 */
#ifndef IDGEN_SCRAMBLE_H
#define IDGEN_SCRAMBLE_H

#define IDGEN_KEY_BYTES 16

/*
 * A bijection of the numbers from 1 to "values" onto themselves, which a key
 * decides. It has no pointers, so it can be copied.
 */
typedef struct IdgenScramble
{
	uint64 key[2];
	uint64 values;
	int left_bits; /* of the halves: 0 to 32, as equal as can be */
	int right_bits;
	int rounds;

	/* What the first round makes of the left half that was last scrambled. */
	uint64 known_left;
	uint64 known_first;
} IdgenScramble;

extern void idgen_scramble_init(IdgenScramble *scramble, const uint8 *key, int64 values);
extern int64 idgen_scramble(IdgenScramble *scramble, int64 value);
extern int64 idgen_scramble_undo(const IdgenScramble *scramble, int64 scrambled);
extern uint64 idgen_siphash(const uint64 *key, uint64 message, int length);

#endif /* IDGEN_SCRAMBLE_H */
