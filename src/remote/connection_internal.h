/*
 * connection_internal.h
 *		What the files of connections share.
 */
#ifndef IDGEN_CONNECTION_INTERNAL_H
#define IDGEN_CONNECTION_INTERNAL_H

#include "remote/connection.h"

/*
 * How much may come for the opening of a connection, or for a statement, in kB.
 * Our statements are answered with some hundred bytes. An opening may take some
 * thousand of certificates. The longest message in an error or two is meant to
 * pass as well.
 */
#define IDGEN_MAX_RECEIVED_KB 128

/* Is it at one of the hosts, of which another one may do? */
static inline bool
idgen_connection_is_at_host(const IdgenConnection *connection)
{
	return connection->state == IDGEN_CONNECTION_CONNECTING ||
		connection->state == IDGEN_CONNECTION_SETTLING;
}

/* Is it being opened? */
static inline bool
idgen_connection_is_opening(const IdgenConnection *connection)
{
	return connection->state == IDGEN_CONNECTION_PAUSED || idgen_connection_is_at_host(connection);
}

extern void idgen_connection_fail(IdgenConnection *connection, IdgenRemoteError error);
extern void idgen_connection_advance_opening(IdgenConnection *connection);
extern void idgen_connection_limit_opening(IdgenConnection *connection, bool excess);

#endif /* IDGEN_CONNECTION_INTERNAL_H */
