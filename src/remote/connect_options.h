/*
 * connect_options.h
 *		What libpq is told to connect to a server as some user.
 */
#ifndef IDGEN_CONNECT_OPTIONS_H
#define IDGEN_CONNECT_OPTIONS_H

/* The ways to ask for a password, as libpq's require_auth has them. */
#define IDGEN_PASSWORD_METHODS "password,md5,scram-sha-256"

/*
 * No value may be expanded by libpq: a dbname that could be a connection string
 * would get around all checks.
 */
typedef struct IdgenConnectOptions
{
	const char **keywords; /* of libpq's parameters, ends with NULL */
	const char **values;
	int nhosts;          /* how many hosts they list, at least 1 */
	int connect_timeout; /* for each host, in seconds, 0 = none */
	uint64 version;      /* idgen_servers_version when they were looked up */

	/*
	 * Must the server ask for the password? Else the user might connect as the
	 * operating system's user that this server runs as.
	 */
	bool password_required;
} IdgenConnectOptions;

extern IdgenConnectOptions *idgen_connect_options(Oid serverid, Oid userid);
extern const char **idgen_connect_values_for_host(const IdgenConnectOptions *options, int host);
extern uint32 idgen_connect_host_hash(const IdgenConnectOptions *options, int host);

#endif /* IDGEN_CONNECT_OPTIONS_H */
