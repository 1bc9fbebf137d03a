/*
 * util.c
 *		Time, random numbers, memory and text for idgen_stress.
 */
#include "util.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

Time
now(void)
{
	static Time beginning = 0;
	struct timespec t;
	Time time;

	clock_gettime(CLOCK_MONOTONIC, &t);
	time = t.tv_sec * SECOND + t.tv_nsec;
	/* the first call is made before there are threads */
	if (beginning == 0)
		beginning = time;
	return time - beginning;
}

void
pause_for(Time duration)
{
	struct timespec t = {duration / SECOND, duration % SECOND};

	nanosleep(&t, NULL);
}

/* The next number of the generator SplitMix64 (Steele, Lea, Flood 2014). */
static uint64_t
next_random(Random *random)
{
	uint64_t z = (random->state += UINT64_C(0x9e3779b97f4a7c15));

	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}

Random
random_stream(uint64_t seed, uint64_t a, uint64_t b)
{
	Random random = {seed};

	random.state = next_random(&random) ^ a;
	random.state = next_random(&random) ^ b;
	return random;
}

/* from 0 to n - 1 */
int
random_below(Random *random, int n)
{
	return (int) (next_random(random) % (uint64_t) n);
}

int
random_from(Random *random, int least, int greatest)
{
	return least + random_below(random, greatest - least + 1);
}

bool
one_in(Random *random, int n)
{
	return random_below(random, n) == 0;
}

void
die(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	fprintf(stderr, "idgen_stress: ");
	vfprintf(stderr, format, args);
	fprintf(stderr, "\n");
	va_end(args);
	exit(2);
}

/*
 * The array with room for a number of elements of this size, perhaps elsewhere.
 */
void *
make_room(void *array, size_t wanted, size_t *allocated, size_t size)
{
	if (wanted <= *allocated)
		return array;
	*allocated = Max(wanted, Max(16, 2 * *allocated));
	array = realloc(array, *allocated * size);
	if (array == NULL)
		die("out of memory");
	return array;
}

/* Text made as by printf, for the caller to free. */
char *
text(const char *format, ...)
{
	va_list args;
	char *result;

	va_start(args, format);
	if (vasprintf(&result, format, args) < 0)
		die("out of memory");
	va_end(args);
	return result;
}
