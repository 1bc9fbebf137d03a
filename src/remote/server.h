/*
 * server.h
 *		Servers of the foreign-data wrapper idgen_fdw: finding them, which roles
 *		may use them, their options, and what libpq is told to connect.
 */
#ifndef IDGEN_SERVER_H
#define IDGEN_SERVER_H

#include "nodes/pg_list.h"

/* What an id sequence's blocks are to be asked for at a server. */
typedef struct IdgenServer
{
	const char *name;        /* of the server */
	const char *remote_name; /* of the id sequence there, NULL = the same */
	const char *schema_name; /* of id_sequences there, NULL = by search_path */
} IdgenServer;

/*
 * The server of id sequences that name none, unless one is named as they are.
 */
#define IDGEN_DEFAULT_SERVER "idgen_default"

/*
 * The most hosts a server may have. Each of them takes its time if it is
 * silent.
 */
#define IDGEN_MAX_HOSTS 16

/* The ways to ask for a password, as libpq's require_auth has them. */
#define IDGEN_PASSWORD_METHODS "password,md5,scram-sha-256"

typedef struct IdgenConnectHost
{
	const char **values; /* of libpq's parameters, ends with NULL */
	uint32 hash;         /* of where it is, by which it is found again */
} IdgenConnectHost;

/*
 * What libpq is told to connect to a server as some user. No value may be
 * expanded by libpq: a dbname that could be a connection string would get
 * around all checks.
 */
typedef struct IdgenConnectOptions
{
	const char **keywords;   /* of libpq's parameters, ends with NULL */
	IdgenConnectHost *hosts; /* their values for each host */
	int nhosts;              /* at least 1 */
	int connect_timeout;     /* for each host, in seconds, 0 = none */
	uint64 version;          /* idgen_servers_version when they were looked up */

	/*
	 * Must the server ask for the password? Else the user might connect as the
	 * operating system's user that this server runs as.
	 */
	bool password_required;
} IdgenConnectOptions;

/* Changes whenever a server or a user mapping does. */
extern uint64 idgen_servers_version;

extern void idgen_servers_init(void);
extern Oid idgen_server_find(const char *name, const char *source_name);
extern Oid idgen_server_look_up(const char *name, const char *source_name);
extern void idgen_server_check_usage(Oid serverid, Oid userid);
extern IdgenServer idgen_server_get(Oid serverid);
extern const char *idgen_server_remote_name(const IdgenServer *server, const char *name);
extern void idgen_server_check_options(List *options, Oid catalog);
extern IdgenConnectOptions *idgen_connect_options(Oid serverid, Oid userid);

#endif /* IDGEN_SERVER_H */
