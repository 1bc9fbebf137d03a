/*
 * random_bits.h
 *		Random bits that nobody can guess, a few at a time.
 */
#ifndef IDGEN_RANDOM_BITS_H
#define IDGEN_RANDOM_BITS_H

extern uint64 idgen_random_bits(void);

#endif /* IDGEN_RANDOM_BITS_H */
