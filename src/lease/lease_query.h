/*
 * lease_query.h
 *		What the centre is asked for a node number.
 */
#ifndef IDGEN_LEASE_QUERY_H
#define IDGEN_LEASE_QUERY_H

#include "lease/known_leases.h"
#include "remote/remote_query.h"

/* What is asked, and by when the answer would be void. */
typedef struct IdgenLeaseRequest
{
	const char *holder;   /* a UUID: this start of the server */
	const char *token;    /* a UUID: what names this renewal */
	TimestampTz asked_at; /* before the centre could see it */
	TimestampTz until;    /* when the lease is void here */
	int64 boot_until;     /* the same by the boot clock */
	IdgenKnownLeases known;
} IdgenLeaseRequest;

/* What the centre has answered. */
typedef struct IdgenLeaseAnswer
{
	int number; /* 0 = none is free */
	int64 renewals;
	bool own;               /* was it the number of one of the known holders? */
	TimestampTz used_until; /* no id of the number is later; DT_NOBEGIN = there is none */
	int copy_has;           /* what a server with the same system identifier has; 0 = none */
} IdgenLeaseAnswer;

extern IdgenRemoteQuery *idgen_lease_query_begin(Oid serverid, Oid owner, const IdgenLeaseRequest *request);
extern IdgenLeaseAnswer idgen_lease_query_finish(IdgenRemoteQuery *query);

#endif /* IDGEN_LEASE_QUERY_H */
