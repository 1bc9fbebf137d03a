/*
 * lease.h
 *		The leased node number: the lease, as all processes know it; the process
 *		that leases; and what those need that give the number to ids.
 */
#ifndef IDGEN_LEASE_H
#define IDGEN_LEASE_H

#include "datatype/timestamp.h"
#include "utils/uuid.h"

/* How long a text about a failure can be, with the zero behind it. */
#define IDGEN_LEASE_REASON_SIZE 512

/* The right to a node number. */
typedef struct IdgenLease
{
	int number;        /* 0 = there is none */
	TimestampTz until; /* from then on it is void; no time-ordered id has a later time */
	int64 boot_until;  /* the same by the boot clock, in microseconds */
} IdgenLease;

/* The lease, and what has become of the tries to get or renew it. */
typedef struct IdgenLeaseReport
{
	IdgenLease lease;
	TimestampTz renewed_at;    /* 0 = never since the server's start */
	TimestampTz failing_since; /* 0 = the last try has succeeded */
	TimestampTz tried_at;      /* when the last try was over; 0 = there was none */
	char reason[IDGEN_LEASE_REASON_SIZE];
	uint64 tries;         /* begun so far */
	uint64 failed;        /* which was the last one that failed; they count from 1 */
	pg_uuid_t holder;     /* names this start of the server at the centre */
	pg_uuid_t next_token; /* names the next renewal there */
} IdgenLeaseReport;

extern void idgen_lease_request_shmem(void);
extern void idgen_lease_startup_shmem(void);
extern void idgen_lease_register_process(void);
extern bool idgen_lease_is_shared(void);
extern void idgen_lease_report(IdgenLeaseReport *report);

/* for the worker that leases */
extern void idgen_lease_assign(Oid dbid, Oid serverid);
extern bool idgen_lease_is_assigned(Oid dbid, Oid serverid);
extern void idgen_lease_leave(void);
extern bool idgen_lease_begin_try(bool due);
extern void idgen_lease_install(const IdgenLease *lease, TimestampTz renewed_at);
extern void idgen_lease_note_failure(const char *reason);

/* for those that give the number to ids */
extern int64 idgen_boot_clock(void);
extern bool idgen_lease_is_good(const IdgenLease *lease);
extern int idgen_node_leased(void);
extern void idgen_node_reach(int64 time);
extern bool idgen_node_has_changed(int64 time);

#endif /* IDGEN_LEASE_H */
