/*
 * remote_query.h
 *		Statements on other servers.
 */
#ifndef IDGEN_REMOTE_QUERY_H
#define IDGEN_REMOTE_QUERY_H

#include "datatype/timestamp.h"

struct IdgenRemoteQuery;
typedef struct IdgenRemoteQuery IdgenRemoteQuery;

/* What is sent. Parameters are texts, NULL for null. */
typedef struct IdgenRemoteStatement
{
	const char *sql;

	/*
	 * Where the server lacks a function that sql calls, or the role must not
	 * call it; NULL if there is none.
	 */
	const char *lesser_sql;

	const char *plain_sql; /* where the server does not know set_config() */
	int nparams;
	const char *const *params;
	int columns; /* that the answer must have */
} IdgenRemoteStatement;

/* A row of a result: for each column a text, NULL for null. */
typedef char **IdgenRemoteRow;

extern TimestampTz idgen_remote_deadline(void);
extern IdgenRemoteQuery *idgen_remote_begin(Oid serverid, Oid userid,
                                            const IdgenRemoteStatement *statement,
                                            TimestampTz deadline);
extern bool idgen_remote_advance(IdgenRemoteQuery *query);
extern bool idgen_remote_lacks_connection(const IdgenRemoteQuery *query);
extern bool idgen_remote_shares_connections(const IdgenRemoteQuery *a, const IdgenRemoteQuery *b);
extern TimestampTz idgen_remote_due(const IdgenRemoteQuery *query);
extern const char *const *idgen_remote_params(const IdgenRemoteQuery *query);
extern IdgenRemoteRow idgen_remote_finish(IdgenRemoteQuery *query);
extern void idgen_remote_abandon(IdgenRemoteQuery *query);
extern void idgen_remote_abandon_all(void);
extern void idgen_remote_await(IdgenRemoteQuery *query);

extern void idgen_connections_close_stale(void);
extern void idgen_connections_wait(long timeout, uint32 wait_event);

#endif /* IDGEN_REMOTE_QUERY_H */
