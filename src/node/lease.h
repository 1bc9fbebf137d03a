/*
 * lease.h
 *		The lease of this server's node number, as all processes know it.
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

/* What there is to know besides. */
typedef struct IdgenLeaseReport
{
	IdgenLease lease;
	TimestampTz renewed_at;    /* 0 = never since the server's start */
	TimestampTz failing_since; /* 0 = the last try has succeeded */
	TimestampTz tried_at;      /* when the last try was over; 0 = there was none */
	char reason[IDGEN_LEASE_REASON_SIZE];
} IdgenLeaseReport;

/* What names this start of the server, and the next renewal, at the centre. */
typedef struct IdgenLeaseNames
{
	pg_uuid_t holder;
	pg_uuid_t next_token;
} IdgenLeaseNames;

extern void idgen_lease_request_shmem(void);
extern void idgen_lease_startup_shmem(void);
extern bool idgen_lease_is_shared(void);

extern void idgen_lease_update(IdgenLease *lease, uint64 *version);
extern bool idgen_lease_is_good(const IdgenLease *lease);
extern void idgen_lease_report(IdgenLeaseReport *report);
extern uint64 idgen_lease_tries(void);
extern bool idgen_lease_has_failed_since(uint64 tries);
extern void idgen_lease_wait(long timeout, uint32 wait_event);
extern void idgen_lease_wait_end(void);

extern void idgen_lease_names(IdgenLeaseNames *names);
extern void idgen_lease_begin_try(void);
extern void idgen_lease_install(const IdgenLease *lease, TimestampTz renewed_at);
extern void idgen_lease_note_failure(const char *reason);
extern void idgen_lease_new_token(void);

extern int64 idgen_boot_clock(void);

#endif /* IDGEN_LEASE_H */
