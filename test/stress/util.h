/*
 * util.h
 *		Time, random numbers, memory and text for idgen_stress.
 */
#ifndef STRESS_UTIL_H
#define STRESS_UTIL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef int64_t Time; /* nanoseconds since the program began */

#define BEGINNING   INT64_MIN
#define NEVER       INT64_MAX
#define MILLISECOND INT64_C(1000000)
#define SECOND      (1000 * MILLISECOND)

#define Min(a, b)       ((a) < (b) ? (a) : (b))
#define Max(a, b)       ((a) > (b) ? (a) : (b))
#define lengthof(array) (sizeof(array) / sizeof((array)[0]))

extern Time now(void);
extern void pause_for(Time duration);

/* A stream of random numbers that is a function of what it was made from. */
typedef struct Random
{
	uint64_t state;
} Random;

extern Random random_stream(uint64_t seed, uint64_t a, uint64_t b);
extern int random_below(Random *random, int n);
extern int random_from(Random *random, int least, int greatest);
extern bool one_in(Random *random, int n);

extern void die(const char *format, ...) __attribute__((format(printf, 1, 2), noreturn));
extern void *make_room(void *array, size_t wanted, size_t *allocated, size_t size);
extern char *text(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
