/*
 * disturber.h
 *		A thread that changes id sequences, and ends sessions and servers.
 */
#ifndef STRESS_DISTURBER_H
#define STRESS_DISTURBER_H

#include "sequences.h"

typedef struct Disturber Disturber;

typedef void (*DeedFunction)(Disturber *disturber, Random *random);

/* Something it does. */
typedef struct Deed
{
	const char *name;
	DeedFunction function;
	int weight; /* how often, next to others */
	long count; /* how often it has been done */
} Deed;

extern Deed deeds[];
extern const int ndeeds;

extern Disturber *disturber_create(uint64_t seed, const char *data_directory);
extern void disturber_begin_lives(Disturber *disturber);
extern void disturber_run_round(Disturber *disturber, int round, Time until);

#endif
