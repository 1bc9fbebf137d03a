/*
 * connect_options.c
 *		What libpq is told to connect to a server as some user.
 *
 * That is what the options of the server and of the user mapping say, and what
 * we set ourselves.
 *
 * A session of this server is a process of some user of the operating system.
 * Another server must not take it for that user. So a role that is not a
 * superuser has to have a password of its own in its user mapping, and the
 * other server has to make use of it. Whether it has is known only once the
 * connection is there, which is too late for some things. So such a connection
 * does not go through a Unix-domain socket, where the other server sees which
 * user is at this end. Nor is the other server offered the Kerberos ticket, or
 * the client certificate, of that user.
 */
#include "postgres.h"

#include <ctype.h>
#include <limits.h>

#include "commands/defrem.h"
#include "common/hashfn.h"
#include "foreign/foreign.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"

#include "common/compat.h"
#include "common/guc.h"
#include "remote/connect_options.h"
#include "remote/foreign_server.h"
#include "remote/hosts.h"
#include "remote/server_options.h"

/* A parameter of libpq, and its value. */
typedef struct Parameter
{
	const char *keyword;
	const char *value;
} Parameter;

/*
 * What is set where a password is required, unless a superuser has said
 * something else: by the server's options, or by an environment variable of
 * this server. Then libpq, from version 16 on, refuses a server that does not
 * ask for a password. A file that cannot exist is no certificate; sslcertmode
 * would say the same, but libpq 15 does not know it.
 */
static const Parameter with_password[] = {
	{"require_auth", IDGEN_PASSWORD_METHODS},
	{"gssencmode", "disable"},
	{"sslcert", "/dev/null/none"},
};

/* The greatest port of TCP. */
#define MAX_PORT 65535

/* The most parameters that add_defaults() adds, and the NULL at the end. */
#define MAX_DEFAULTS 5

static bool
same(const char *a, const char *b)
{
	return strcmp(a, b) == 0;
}

/* Put one more parameter behind those that are there. There is room for it. */
static void
add_parameter(IdgenConnectOptions *options, const char *keyword, const char *value)
{
	int n = 0;

	while (options->keywords[n] != NULL)
		n++;
	options->keywords[n] = keyword;
	options->values[n] = value;
}

/* Add those options of a server or a user mapping that libpq understands. */
static void
add_options(IdgenConnectOptions *options, List *given)
{
	ListCell *cell;

	foreach(cell, given)
	{
		DefElem *option = lfirst_node(DefElem, cell);

		if (!idgen_option_is_own(option->defname))
			add_parameter(options, option->defname, defGetString(option));
	}
}

/* The value of a parameter, or NULL. To libpq, an empty one is none. */
static const char *
find_value(const IdgenConnectOptions *options, const char *keyword)
{
	for (int i = 0; options->keywords[i] != NULL; i++)
		if (same(options->keywords[i], keyword) && options->values[i][0] != '\0')
			return options->values[i];
	return NULL;
}

/* The parameters that list something for each host. */
static const char *const listed[] = {"host", "hostaddr", "port"};

/*
 * The values of the parameters for one of the hosts, from 0, palloc'd. A list
 * that does not have an item for each host is left as it is.
 */
const char **
idgen_connect_values_for_host(const IdgenConnectOptions *options, int host)
{
	const char **values;
	int n = 0;

	while (options->keywords[n] != NULL)
		n++;
	values = palloc0((n + 1) * sizeof(char *));
	for (int i = 0; i < n; i++)
	{
		values[i] = options->values[i];
		for (int j = 0; j < (int) lengthof(listed); j++)
			if (same(options->keywords[i], listed[j]) &&
			    idgen_hosts_count(values[i]) == options->nhosts)
				values[i] = idgen_hosts_nth(values[i], host);
	}
	return values;
}

/*
 * A hash of where one of the hosts is, from 0, by which it can be found again
 * when the options list others; never 0.
 */
uint32
idgen_connect_host_hash(const IdgenConnectOptions *options, int host)
{
	const char **values = idgen_connect_values_for_host(options, host);
	uint32 hash = 0;

	for (int i = 0; options->keywords[i] != NULL; i++)
		for (int j = 0; j < (int) lengthof(listed); j++)
			if (same(options->keywords[i], listed[j]))
				hash = hash_combine(hash, string_hash(values[i], INT_MAX));
	return hash != 0 ? hash : 1;
}

/* How many hosts there are. Raises 22023 if there are too many. */
static int
count_hosts(const IdgenConnectOptions *options)
{
	const char *hosts = find_value(options, "host");
	const char *addresses = find_value(options, "hostaddr");

	/* The wrapper may have lost its validator. */
	idgen_hosts_check(hosts);
	idgen_hosts_check(addresses);
	return Max(idgen_hosts_count(hosts), idgen_hosts_count(addresses));
}

/* Is it an integer, as libpq reads them, within these bounds? */
static bool
is_integer(const char *value, int least, int greatest)
{
	char *end;
	long number;

	errno = 0;
	number = strtol(value, &end, 10);
	while (isspace((unsigned char) *end))
		end++;
	return errno == 0 && end != value && *end == '\0' && number >= least && number <= greatest;
}

/* Are all ports such, as far as they are given? */
static bool
are_ports(const char *list)
{
	for (int i = 0; i < idgen_hosts_count(list); i++)
	{
		const char *port = idgen_hosts_nth(list, i);

		if (port[0] != '\0' && !is_integer(port, 1, MAX_PORT))
			return false;
	}
	return true;
}

pg_noreturn static void
not_an_integer(const char *option, const char *value)
{
	ereport(ERROR,
	        (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
	         errmsg("invalid value for integer option \"%s\": %s", option, value)));
}

/*
 * Raises 22023 for a parameter that is no integer, and should be one. libpq
 * looks at these only after it has made a socket, and then does not say whether
 * a later try is of any use.
 */
static void
check_integers(const IdgenConnectOptions *options)
{
	static const char *const integers[] = {
		"connect_timeout",
		"keepalives",
		"keepalives_idle",
		"keepalives_interval",
		"keepalives_count",
		"tcp_user_timeout",
	};
	const char *ports = find_value(options, "port");

	if (ports != NULL && !are_ports(ports))
		not_an_integer("port", ports);
	for (int i = 0; i < (int) lengthof(integers); i++)
	{
		const char *value = find_value(options, integers[i]);

		if (value != NULL && !is_integer(value, INT_MIN, INT_MAX))
			not_an_integer(integers[i], value);
	}
}

/*
 * The limit that the parameters set for each host, in seconds; 0 if there is
 * none.
 */
static int
connect_timeout(const IdgenConnectOptions *options)
{
	const char *value = find_value(options, "connect_timeout");
	long seconds = value != NULL ? strtol(value, NULL, 10) : 0;

	return seconds > 0 && seconds <= INT_MAX / 1000 ? (int) seconds : 0;
}

/*
 * Add what we set unless it is given. Of several hosts, only one that can be
 * written to is of use. And when the other end is gone without a word, so that
 * nothing comes back, the connection is to break while there still is time to
 * open another one.
 */
static void
add_defaults(IdgenConnectOptions *options)
{
	add_parameter(options, "fallback_application_name", "idgen");
	add_parameter(options, "client_encoding", GetDatabaseEncodingName());
	if (options->nhosts > 1 && find_value(options, "target_session_attrs") == NULL)
		add_parameter(options, "target_session_attrs", "read-write");
	if (find_value(options, "tcp_user_timeout") == NULL)
		add_parameter(options, "tcp_user_timeout",
		              psprintf("%d", Max(1, idgen_server_timeout / 2)));
}

/*
 * Must the user of a mapping come with a password? If not, a superuser must
 * have decided so. It is not enough that the user is one: the owner of the
 * server says where it leads, and may have made the mapping.
 */
static bool
is_password_required(const ForeignServer *server, const UserMapping *mapping)
{
	DefElem *option = idgen_option_find(mapping->options, "password_required");

	if (superuser_arg(mapping->userid) && superuser_arg(server->owner))
		return false;
	return option == NULL || defGetBoolean(option);
}

/* Raises 2F003 if there is no password. */
static void
check_password(const IdgenConnectOptions *options, const ForeignServer *server, Oid userid)
{
	if (find_value(options, "password") == NULL)
		ereport(ERROR,
		        (errcode(ERRCODE_S_R_E_PROHIBITED_SQL_STATEMENT_ATTEMPTED),
		         errmsg("password is required"),
		         errdetail("The user mapping of role \"%s\" for server \"%s\" has none.",
		                   GetUserNameFromId(userid, false), server->servername),
		         errhint("Add option \"password\" to the user mapping. Only a superuser can do without a password, and only on a server that belongs to a superuser.")));
}

/* Raises 2F003 unless all hosts are to be reached by the network. */
static void
check_network(const IdgenConnectOptions *options, const ForeignServer *server)
{
	const char *hosts = find_value(options, "host");

	if (idgen_hosts_are_by_network(hosts != NULL ? hosts : find_value(options, "hostaddr")))
		return;
	ereport(ERROR,
	        (errcode(ERRCODE_S_R_E_PROHIBITED_SQL_STATEMENT_ATTEMPTED),
	         errmsg("server \"%s\" must not be reached by a Unix-domain socket where a password is required", server->servername),
	         errdetail("The other server might trust the user of the operating system, and not ask for a password."),
	         errhint("Set option \"host\" of the server to a host name or an address, or have a superuser set password_required to false in the user mapping.")));
}

/*
 * Have libpq connect by that user's own password only. Raises 2F003 if it
 * cannot.
 */
static void
require_password(IdgenConnectOptions *options, const ForeignServer *server, Oid userid)
{
	options->password_required = true;
	check_password(options, server, userid);
	check_network(options, server);
	for (int i = 0; i < (int) lengthof(with_password); i++)
		if (find_value(options, with_password[i].keyword) == NULL &&
		    idgen_option_has_libpq_default(with_password[i].keyword))
			add_parameter(options, with_password[i].keyword, with_password[i].value);
}

/*
 * What it takes to connect to the server as that user, palloc'd. Raises 42704
 * without a user mapping, 22023 for too many hosts or for what is no integer,
 * 2F003 without a password where there must be one or if the way there is not
 * for passwords, and 42501. Whether the server has asked for the password, the
 * caller has to see after connecting.
 */
IdgenConnectOptions *
idgen_connect_options(Oid serverid, Oid userid)
{
	ForeignServer *server = idgen_server_in_catalog(serverid);
	UserMapping *mapping = GetUserMapping(userid, serverid);
	int room = list_length(server->options) + list_length(mapping->options) +
		lengthof(with_password) + MAX_DEFAULTS;
	IdgenConnectOptions *options = palloc0(sizeof(IdgenConnectOptions));

	idgen_server_check_owner(server);
	options->version = idgen_servers_version;
	options->keywords = palloc0(room * sizeof(char *));
	options->values = palloc0(room * sizeof(char *));
	add_options(options, server->options);
	add_options(options, mapping->options);
	options->nhosts = count_hosts(options);
	check_integers(options);
	options->connect_timeout = connect_timeout(options);
	add_defaults(options);
	if (is_password_required(server, mapping))
		require_password(options, server, userid);
	return options;
}
