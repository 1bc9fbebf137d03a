/*
 * opening.h
 *		Opening a connection: which host is tried, when, and for how long.
 */
#ifndef IDGEN_OPENING_H
#define IDGEN_OPENING_H

#include "datatype/timestamp.h"
#include "lib/stringinfo.h"

#include "remote/server.h"

/* What is to be done next. */
typedef enum IdgenOpeningStep
{
	IDGEN_OPENING_TRY,   /* connect to the current host, until opening->due */
	IDGEN_OPENING_PAUSE, /* do nothing until then */
	IDGEN_OPENING_OVER,  /* no host will do, or not in time */
} IdgenOpeningStep;

/* Why a host will not do. */
typedef enum IdgenHostVerdict
{
	IDGEN_HOST_NOT_NOW, /* it may do later */
	IDGEN_HOST_SILENT,  /* it has not answered in time */
	IDGEN_HOST_USELESS, /* it will not do later either */
} IdgenHostVerdict;

/* The options are in the memory of the caller that has a connection opened. */
typedef struct IdgenOpening
{
	const IdgenConnectOptions *options;
	Oid serverid;
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
	int settings;               /* how many have been sent to the current host */
} IdgenOpening;

extern IdgenOpeningStep idgen_opening_begin(IdgenOpening *opening, const IdgenConnectOptions *options,
                                            Oid serverid, TimestampTz deadline);
extern IdgenOpeningStep idgen_opening_reject(IdgenOpening *opening, IdgenHostVerdict verdict,
                                             const char *failure);
extern IdgenOpeningStep idgen_opening_resume(IdgenOpening *opening);
extern void idgen_opening_succeed(const IdgenOpening *opening);
extern int idgen_opening_host(const IdgenOpening *opening);
extern const char *idgen_opening_failures(const IdgenOpening *opening);
extern bool idgen_opening_is_useless(const IdgenOpening *opening);

#endif /* IDGEN_OPENING_H */
