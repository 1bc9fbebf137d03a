/*
 * connection.h
 *		Connections to other servers: their states.
 */
#ifndef IDGEN_CONNECTION_H
#define IDGEN_CONNECTION_H

#include "datatype/timestamp.h"
#include "lib/ilist.h"

#include "remote/link.h"
#include "remote/opening.h"
#include "remote/remote_messages.h"

/* See the head of connection.c for what leads from one state to another. */
typedef enum IdgenConnectionState
{
	IDGEN_CONNECTION_CLOSED,
	IDGEN_CONNECTION_PAUSED,     /* until the hosts are tried again */
	IDGEN_CONNECTION_CONNECTING, /* to one of the hosts */
	IDGEN_CONNECTION_SETTLING,   /* changes settings of the new session there */
	IDGEN_CONNECTION_READY,      /* for a statement */
	IDGEN_CONNECTION_RUNNING,    /* a statement */
	IDGEN_CONNECTION_ANSWERED,   /* there is a result */
	IDGEN_CONNECTION_BROKEN,     /* there is an error */
} IdgenConnectionState;

typedef struct IdgenConnection
{
	/*
	 * Set when it is made. Two connections may have the same server and user.
	 */
	dlist_node node; /* see connection_cache.c */
	char server[NAMEDATALEN];
	Oid serverid;
	Oid userid;

	IdgenConnectionState state;
	IdgenLink link;         /* there is none if CLOSED or BROKEN */
	uint64 version;         /* of the options that it was opened with */
	IdgenOpening opening;   /* from PAUSED on; for the caller that has it opened */
	bool knows_set_config;  /* from READY on: does the server? */
	bool lacks_function;    /* from READY on: is it known to lack one that a statement calls? */
	IdgenRemoteError error; /* if BROKEN; in the memory of the caller */
} IdgenConnection;

extern void idgen_connection_open(IdgenConnection *connection, const IdgenConnectOptions *options,
                                  TimestampTz deadline);
extern void idgen_connection_send(IdgenConnection *connection, const char *sql, int nparams,
                                  const char *const *params);
extern void idgen_connection_reject_host(IdgenConnection *connection, const char *failure);
extern void idgen_connection_give_up_opening(IdgenConnection *connection);
extern bool idgen_connection_is_alive(IdgenConnection *connection);
extern IdgenConnectionState idgen_connection_advance(IdgenConnection *connection);
extern PGresult *idgen_connection_take_result(IdgenConnection *connection);
extern void idgen_connection_close(IdgenConnection *connection);

extern TimestampTz idgen_connection_due(const IdgenConnection *connection);
extern int idgen_connection_awaits(const IdgenConnection *connection);

#endif /* IDGEN_CONNECTION_H */
