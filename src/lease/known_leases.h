/*
 * known_leases.h
 *		The leases of node numbers that this server remembers.
 */
#ifndef IDGEN_KNOWN_LEASES_H
#define IDGEN_KNOWN_LEASES_H

#include "node/lease.h"

/*
 * What the server shows the centre of the leases that it remembers: arrays, as
 * texts. The last one comes first.
 */
typedef struct IdgenKnownLeases
{
	const char *numbers;
	const char *holders; /* null for one that may still be running somewhere */
	const char *tokens;
	const char *renewals;
} IdgenKnownLeases;

/* A lease to be remembered. UUIDs as texts. */
typedef struct IdgenGrant
{
	IdgenLease lease;
	const char *holder;
	const char *token;
	int64 renewals;
} IdgenGrant;

extern Oid idgen_leases_find_schema(void);
extern Oid idgen_leases_owner(Oid schema);
extern IdgenKnownLeases idgen_leases_read(Oid schema);
extern bool idgen_leases_read_left(Oid schema, IdgenLease *lease);
extern void idgen_leases_write(Oid schema, const IdgenGrant *grant);

#endif /* IDGEN_KNOWN_LEASES_H */
