/*
 * unreachable.h
 *		Other servers that do not answer: since when, and why.
 */
#ifndef IDGEN_UNREACHABLE_H
#define IDGEN_UNREACHABLE_H

#include "datatype/timestamp.h"

/* A server that this database's sessions, or its worker, could not reach. */
typedef struct IdgenUnreachable
{
	Oid dbid; /* invalid in a place that is free */
	Oid serverid;
	TimestampTz since;  /* the first failure since it answered last */
	TimestampTz latest; /* the latest one */
	char reason[256];   /* of the latest one; may be cut */
} IdgenUnreachable;

extern Size idgen_unreachable_size(void);
extern void idgen_unreachable_startup_shmem(int tranche);
extern void idgen_unreachable_note(Oid serverid, const char *reason);
extern void idgen_unreachable_forget(Oid serverid);
extern bool idgen_unreachable_find(Oid serverid, IdgenUnreachable *found);

#endif /* IDGEN_UNREACHABLE_H */
