/*
 * opening.h
 *		Opening a connection to another server: which host is tried, when, and
 *		for how long; and what a new session there is told.
 */
#ifndef IDGEN_OPENING_H
#define IDGEN_OPENING_H

#include "datatype/timestamp.h"
#include "lib/stringinfo.h"

#include "remote/link.h"
#include "remote/server.h"

/* See the head of opening.c for what leads from one state to another. */
typedef enum IdgenOpeningState
{
	IDGEN_OPENING_PAUSED,     /* until the hosts are tried again */
	IDGEN_OPENING_CONNECTING, /* to one of the hosts */
	IDGEN_OPENING_SETTLING,   /* changes settings of the new session there */
	IDGEN_OPENING_DONE,
	IDGEN_OPENING_FAILED,
} IdgenOpeningState;

/* Options and texts are in the memory of the caller. */
typedef struct IdgenOpening
{
	const IdgenConnectOptions *options;
	Oid serverid;
	const char *server;
	IdgenLink *link; /* open while CONNECTING or SETTLING, and when DONE */

	IdgenOpeningState state;
	TimestampTz begun_at;
	TimestampTz deadline;     /* of all of it */
	TimestampTz outage_since; /* no host would do, as far as anybody here knows */
	TimestampTz due;          /* when the current host is given up, or the pause is over */

	int first_host;       /* each round begins with this one, counted from 0 */
	int rounds;           /* that have begun */
	int turn;             /* how many hosts the current round has tried, or left out */
	uint32 silent_hosts;  /* a bit for each host that was silent */
	uint32 silent_before; /* the same, when the current round began */
	uint32 useless_hosts;

	MemoryContext memory;       /* what belongs to a round */
	StringInfo failures;        /* why hosts would not do in this round */
	StringInfo failures_before; /* the same, in the round before */
	StringInfo useless_because; /* the same of useless hosts, in any round */
	int settings_sent;          /* to the current host */
	bool knows_set_config;      /* if DONE: does the server? */
	IdgenRemoteError error;     /* if FAILED */
} IdgenOpening;

/* Is it at one of the hosts, of which another one may do? */
static inline bool
idgen_opening_is_at_host(const IdgenOpening *opening)
{
	return opening->state == IDGEN_OPENING_CONNECTING || opening->state == IDGEN_OPENING_SETTLING;
}

extern void idgen_opening_begin(IdgenOpening *opening, IdgenLink *link, const IdgenConnectOptions *options,
                                Oid serverid, const char *server, TimestampTz deadline);
extern void idgen_opening_advance(IdgenOpening *opening);
extern void idgen_opening_reject_host(IdgenOpening *opening, const char *failure);
extern void idgen_opening_give_up(IdgenOpening *opening);

#endif /* IDGEN_OPENING_H */
