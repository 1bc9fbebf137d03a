/*
 * connection_cache.h
 *		The connections to other servers that this process has.
 */
#ifndef IDGEN_CONNECTION_CACHE_H
#define IDGEN_CONNECTION_CACHE_H

#include "remote/connection.h"

extern IdgenConnection *idgen_connection_take(Oid serverid, const char *server, Oid userid);
extern void idgen_connection_give_back(IdgenConnection *connection);
extern void idgen_connections_close_stale(void);
extern void idgen_connections_wait(long timeout, uint32 wait_event);

#endif /* IDGEN_CONNECTION_CACHE_H */
