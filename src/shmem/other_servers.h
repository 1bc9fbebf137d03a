/*
 * other_servers.h
 *		Other servers, as the processes of this one have found them.
 */
#ifndef IDGEN_OTHER_SERVERS_H
#define IDGEN_OTHER_SERVERS_H

#include "datatype/timestamp.h"

/*
 * In place of the timeout of an attempt: it has not failed yet; and it would
 * fail as well if it lasted longer.
 */
#define IDGEN_UNREACHABLE_SO_FAR 0
#define IDGEN_UNREACHABLE_LASTS  PG_INT32_MAX

/* What is known of a server that does not answer. */
typedef struct IdgenUnreachable
{
	TimestampTz since;  /* the first attempt began that has failed since it answered
	                     * last; 0 = it does answer */
	TimestampTz latest; /* the last attempt failed */
	int timeout;        /* milliseconds that this one had, or see above */
	int sqlerrcode;     /* what it failed with */
	char reason[320];   /* why, in one or more lines; may be cut */
} IdgenUnreachable;

extern Size idgen_other_servers_size(void);
extern void idgen_other_servers_startup_shmem(int tranche);
extern void idgen_unreachable_note(Oid serverid, const IdgenUnreachable *failed);
extern TimestampTz idgen_unreachable_forget(Oid serverid);
extern void idgen_unreachable_forget_all(void);
extern bool idgen_unreachable_find(Oid serverid, IdgenUnreachable *found);
extern bool idgen_unreachable_is_news(Oid serverid);
extern void idgen_good_host_note(Oid serverid, uint32 host);
extern void idgen_good_host_forget(Oid serverid);
extern uint32 idgen_good_host_find(Oid serverid);

#endif /* IDGEN_OTHER_SERVERS_H */
