/*
 * foreign_server.h
 *		Servers of the foreign-data wrapper idgen_fdw: which one, its options, and
 *		who may use it.
 */
#ifndef IDGEN_FOREIGN_SERVER_H
#define IDGEN_FOREIGN_SERVER_H

#include "nodes/pg_list.h"

/* The ways to ask for a password, as libpq's require_auth has them. */
#define IDGEN_PASSWORD_METHODS "password,md5,scram-sha-256"

/*
 * What it takes to connect to a server as some user. No value may be expanded: a
 * dbname that could be a connection string would get around all checks.
 */
typedef struct IdgenConnectOptions
{
	const char **keywords; /* of libpq's parameters, ends with NULL */
	const char **values;
	int nhosts;          /* how many hosts they list, at least 1 */
	int connect_timeout; /* for each, in seconds, 0 = none */
	uint64 version;      /* idgen_servers_version when they were looked up */

	/*
	 * Must the server ask for the password? Else the user might connect as
	 * the operating system's user that this server runs as.
	 */
	bool password_required;
} IdgenConnectOptions;

/* What an id sequence's blocks are to be asked for at a server. */
typedef struct IdgenServer
{
	const char *name;        /* of the server */
	const char *remote_name; /* of the id sequence there, NULL = the same */
	const char *schema_name; /* of id_sequences there, NULL = found by search_path */
} IdgenServer;

/* Changes whenever a server or a user mapping does. */
extern uint64 idgen_servers_version;

extern void idgen_servers_init(void);
extern void idgen_server_check_options(List *options, Oid catalog);
extern Oid idgen_server_find(const char *name, const char *source_name);
extern void idgen_server_check_usage(Oid serverid, Oid userid);
extern IdgenServer idgen_server_get(Oid serverid);
extern IdgenConnectOptions *idgen_server_connect_options(Oid serverid, Oid userid);
extern const char **idgen_server_values_for_host(const IdgenConnectOptions *options, int host);

#endif /* IDGEN_FOREIGN_SERVER_H */
