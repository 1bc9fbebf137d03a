/*
 * connection.h
 *		Statements on other servers, and the connection for them.
 */
#ifndef IDGEN_CONNECTION_H
#define IDGEN_CONNECTION_H

#include "datatype/timestamp.h"
#include "nodes/pg_list.h"

struct IdgenRemoteQuery;
typedef struct IdgenRemoteQuery IdgenRemoteQuery;

/* What is sent. Parameters are texts, NULL for null. */
typedef struct IdgenRemoteStatement
{
	/*
	 * Its text; or, if there is "variant", what that makes the text of. Version
	 * 0 of that calls functions that the server may lack, or that the role must
	 * not call; each of the others calls fewer, until one is NULL. One for many
	 * rows leaves out those that are locked.
	 */
	const char *sql;
	const char *(*variant)(const char *sql, int version, bool many);

	/*
	 * If there is "variant", each of them is sent as an array with one element
	 * for each row, and the last column of the answer is the number of the
	 * element. The first parameter is the name of the row.
	 */
	int nparams;
	const char *const *params;
	int columns;          /* that the answer must have */
	bool waits_for_locks; /* is it sent again if it has ended with a lock_timeout? */
} IdgenRemoteStatement;

/* A row of a result: for each column a text, NULL for null. */
typedef char **IdgenRemoteRow;

extern TimestampTz idgen_remote_deadline(void);
extern IdgenRemoteQuery *idgen_remote_begin(Oid serverid, Oid userid, const IdgenRemoteStatement *statement,
                                            TimestampTz since);
extern void idgen_remote_keep(IdgenRemoteQuery *query, MemoryContext memory);
extern List *idgen_remote_await(List *queries, TimestampTz deadline);
extern const char *const *idgen_remote_params(const IdgenRemoteQuery *query);
extern IdgenRemoteRow idgen_remote_finish(IdgenRemoteQuery *query);
extern void idgen_remote_abandon(IdgenRemoteQuery *query);
extern void idgen_connection_close_stale(void);

#endif /* IDGEN_CONNECTION_H */
