/*
 * server_time.h
 *		How long a call may take because of another server.
 */
#ifndef IDGEN_SERVER_TIME_H
#define IDGEN_SERVER_TIME_H

#include "session/call.h"
#include "session/handle.h"

/* Does the id sequence draw from another server? */
static inline bool
idgen_needs_server(const IdgenHandle *handle)
{
	return handle->found.row.source->is_remote;
}

extern TimestampTz idgen_server_deadline(const IdgenHandle *handle, IdgenCall *call);
extern int idgen_server_patience(void);
extern long idgen_server_patience_left(IdgenCall *call);
extern void idgen_server_share_failure(const IdgenHandle *handle, TimestampTz since);

#endif /* IDGEN_SERVER_TIME_H */
