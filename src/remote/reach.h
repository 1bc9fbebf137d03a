/*
 * reach.h
 *		Do other servers answer? What is noted of that, and who is told.
 */
#ifndef IDGEN_REACH_H
#define IDGEN_REACH_H

#include "datatype/timestamp.h"

#include "remote/remote_messages.h"

extern void idgen_reach_note_answer(Oid serverid, const char *server);
extern void idgen_reach_note_failure(Oid serverid, TimestampTz begun_at, TimestampTz deadline,
                                     const IdgenRemoteError *error);
extern void idgen_reach_note_vain_round(Oid serverid, TimestampTz begun_at, const char *reason);
extern bool idgen_reach_failed_since(Oid serverid, const char *server, TimestampTz since,
                                     IdgenRemoteError *error);

#endif /* IDGEN_REACH_H */
