/*
 * client.h
 *		A session that draws ids, transaction after transaction, and records
 *		them.
 */
#ifndef STRESS_CLIENT_H
#define STRESS_CLIENT_H

#include <stdatomic.h>

#include "plan.h"

/* What all clients have done. */
typedef struct Totals
{
	atomic_llong transactions;
	atomic_llong ids;       /* that came one in a row of an answer */
	atomic_llong range_ids; /* that came in ranges */
	atomic_llong errors;
	atomic_llong lost; /* connections */
	atomic_llong prepared;
	atomic_llong unexpected; /* errors that should not have been */
} Totals;

extern Totals totals;

typedef struct Client Client;

extern Client *client_create(uint64_t seed, int number);
extern void client_run_round(Client *client, int round, Time until);

#endif
