/*
 * connection.h
 *		Connections to other servers, used without blocking.
 */
#ifndef IDGEN_CONNECTION_H
#define IDGEN_CONNECTION_H

#include "datatype/timestamp.h"
#include "lib/ilist.h"
#include "lib/stringinfo.h"
#include "libpq-fe.h"

#include "remote/connect_options.h"
#include "remote/valve.h"

/* Warnings of another server in the log, for opening a connection or a statement. */
#define IDGEN_MAX_WARNINGS 3
/* Bytes of a text of another server that are shown, with the one at the end. */
#define IDGEN_REMOTE_TEXT_SIZE 1024

/* What has gone wrong. The other texts may be NULL, too. */
typedef struct IdgenRemoteError
{
	int sqlerrcode;
	const char *message; /* NULL = nothing */
	const char *detail;
	const char *hint;
} IdgenRemoteError;

typedef enum IdgenConnectionState
{
	IDGEN_CONNECTION_CLOSED,
	IDGEN_CONNECTION_CONNECTING, /* to one of the hosts */
	IDGEN_CONNECTION_SETTLING,   /* changes settings of the new session there */
	IDGEN_CONNECTION_READY,      /* for a statement */
	IDGEN_CONNECTION_RUNNING,    /* one */
	IDGEN_CONNECTION_ANSWERED,   /* there is a result */
	IDGEN_CONNECTION_BROKEN,     /* there is an error */
} IdgenConnectionState;

/*
 * Warnings of another server that are not in the log yet. libpq calls us with them, and
 * must not be left by an error; so they are only copied, as they come.
 */
typedef struct IdgenWarnings
{
	int count;    /* of all, since the opening or the statement began */
	int reported; /* so many of them are in the log */
	char texts[IDGEN_MAX_WARNINGS][IDGEN_REMOTE_TEXT_SIZE];
} IdgenWarnings;

typedef struct IdgenConnection
{
	dlist_node node;
	char server[NAMEDATALEN];
	Oid serverid;
	Oid userid;
	uint64 version; /* of the options that it was opened with */
	bool taken;     /* has it a user now? */

	IdgenConnectionState state;
	PGconn *conn;     /* NULL if closed or broken */
	int wait_for;     /* what libpq wants of its socket first: WL_SOCKET_* */
	IdgenValve valve; /* between libpq and the network */
	IdgenWarnings warnings;
	int settings;     /* made so far */
	PGresult *result; /* of a statement: the first error, or the rows */

	/* While connecting; in the memory of who has opened it: */
	const IdgenConnectOptions *options;
	TimestampTz deadline;
	int host;                  /* the current one, from 0 */
	TimestampTz host_deadline; /* of that one */
	StringInfo failures;       /* of the ones before */

	IdgenRemoteError error;
} IdgenConnection;

extern void idgen_connections_close_stale(void);
extern IdgenConnection *idgen_connection_take(Oid serverid, const char *server, Oid userid);
extern void idgen_connection_give_back(IdgenConnection *connection);
extern void idgen_connection_open(IdgenConnection *connection, const IdgenConnectOptions *options,
                                  TimestampTz deadline);
extern void idgen_connection_send(IdgenConnection *connection, const char *sql, int nparams,
                                  const char *const *params);
extern char *idgen_remote_text(const char *text);
extern const char *idgen_result_message(const PGresult *result);
extern PGresult *idgen_connection_take_result(IdgenConnection *connection);
extern IdgenConnectionState idgen_connection_advance(IdgenConnection *connection);
extern TimestampTz idgen_connection_due(const IdgenConnection *connection);
extern void idgen_connection_close(IdgenConnection *connection);
extern void idgen_connections_wait(long timeout, uint32 wait_event);

#endif /* IDGEN_CONNECTION_H */
