/*
 * foreign_server.h
 *		Servers of the foreign-data wrapper idgen_fdw: which one, its options, and
 *		who may use it.
 */
#ifndef IDGEN_FOREIGN_SERVER_H
#define IDGEN_FOREIGN_SERVER_H

#include "nodes/pg_list.h"

/*
 * What it takes to connect to a server as some user. No value may be expanded: a
 * dbname that could be a connection string would get around all checks.
 */
typedef struct IdgenConnectOptions
{
	const char **keywords; /* of libpq's parameters, ends with NULL, ... */
	const char **values;   /* ... as this does */

	/*
	 * Must the server ask for the password? Else the user might connect as
	 * the operating system's user that this server runs as.
	 */
	bool password_required;
} IdgenConnectOptions;

extern void idgen_server_check_options(List *options, Oid catalog);
extern Oid idgen_server_find(const char *name, const char *source_name);
extern void idgen_server_check_usage(Oid serverid);
extern bool idgen_server_is_uncommitted(Oid serverid, Oid userid);
extern const char *idgen_server_name(Oid serverid);
extern const char *idgen_server_option(Oid serverid, const char *option);
extern IdgenConnectOptions *idgen_server_connect_options(Oid serverid, Oid userid);

#endif /* IDGEN_FOREIGN_SERVER_H */
