/*
 * connection.h
 *		Statements on other servers, and the connection for them.
 */
#ifndef IDGEN_CONNECTION_H
#define IDGEN_CONNECTION_H

#include "datatype/timestamp.h"

struct IdgenRemoteQuery;
typedef struct IdgenRemoteQuery IdgenRemoteQuery;

/* How many ways there are to say the same to another server. */
#define IDGEN_REMOTE_VERSIONS 3

/* What is sent. Parameters are texts, NULL for null. */
typedef struct IdgenRemoteStatement
{
	/*
	 * The first one calls functions that the server may lack, or that the role
	 * must not call; each of the others, if there are any, calls fewer.
	 */
	const char *sql[IDGEN_REMOTE_VERSIONS];
	int nparams;
	const char *const *params;
	int columns;          /* that the answer must have */
	bool waits_for_locks; /* is it sent again if it has ended with a lock_timeout? */
} IdgenRemoteStatement;

/* A row of a result: for each column a text, NULL for null. */
typedef char **IdgenRemoteRow;

extern TimestampTz idgen_remote_deadline(void);
extern IdgenRemoteQuery *idgen_remote_begin(Oid serverid, Oid userid, const IdgenRemoteStatement *statement);
extern void idgen_remote_keep(IdgenRemoteQuery *query, MemoryContext memory);
extern void idgen_remote_await(IdgenRemoteQuery *query, TimestampTz deadline);
extern const char *const *idgen_remote_params(const IdgenRemoteQuery *query);
extern IdgenRemoteRow idgen_remote_finish(IdgenRemoteQuery *query);
extern void idgen_remote_abandon(IdgenRemoteQuery *query);
extern void idgen_connection_close_stale(void);

#endif /* IDGEN_CONNECTION_H */
