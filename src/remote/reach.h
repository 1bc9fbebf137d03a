/*
 * reach.h
 *		Do other servers answer, and at which host? What is noted of that, and
 *		who is told.
 */
#ifndef IDGEN_REACH_H
#define IDGEN_REACH_H

#include "datatype/timestamp.h"

#include "remote/remote_messages.h"

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

extern void idgen_reach_request_shmem(void);
extern void idgen_reach_startup_shmem(void);
extern void idgen_reach_note_answer(Oid serverid, const char *server);
extern void idgen_reach_note_failure(Oid serverid, TimestampTz begun_at, int64 time,
                                     const IdgenRemoteError *error);
extern bool idgen_reach_find(Oid serverid, IdgenUnreachable *found);
extern bool idgen_reach_failed_since(Oid serverid, const char *server, TimestampTz since,
                                     IdgenRemoteError *error);
extern bool idgen_reach_is_news(Oid serverid);
extern void idgen_reach_forget_all(void);
extern void idgen_good_host_note(Oid serverid, uint32 host);
extern uint32 idgen_good_host_find(Oid serverid);

#endif /* IDGEN_REACH_H */
