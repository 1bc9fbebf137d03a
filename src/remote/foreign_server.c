/*
 * foreign_server.c
 *		Servers of the foreign-data wrapper idgen_fdw: which one, its options, and
 *		who may use it.
 *
 * The wrapper has no handler: its servers and user mappings only say how to connect
 * to where id_sequences lies. libpq says itself what options it has, so that those of
 * a newer one can be used as well. Secret ones belong into the user mapping, which
 * nobody else can read.
 *
 * A session of this server is the operating system's user that it runs as: it can
 * read that user's files, and the other server may take it for that user. So whoever is
 * not a superuser has to come with a password of their own, of which the other server
 * must make use.
 *
 * To look at that when the connection is made is too late for some things: the other
 * server lets a user in, and does what the options of the new session say, before it
 * tells libpq whether it has asked for a password. So a connection that needs a password
 * does not go through a Unix-domain socket, where the other server sees who we are, and
 * whoever is not a superuser can only set options that are known to do no harm.
 *
 * Nothing is locked or remembered here. The caller looks again when idgen_epoch says
 * that a server, a user mapping or a privilege has changed.
 */
#include "postgres.h"

#include "catalog/pg_foreign_server.h"
#include "catalog/pg_user_mapping.h"
#include "commands/defrem.h"
#include "foreign/foreign.h"
#include "lib/stringinfo.h"
#include "libpq/pqcomm.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "utils/acl.h"
#include "utils/inval.h"
#include "utils/syscache.h"

#include "libpq-fe.h"

#include "common/compat.h"
#include "common/guc.h"
#include "remote/foreign_server.h"

/* So many hosts may be listed. Each of them takes its time if it is closed. */
#define MAX_HOSTS 16

/* An option of ours, and the catalog of what may have it. */
typedef struct OwnOption
{
	const char *name;
	Oid catalog;
} OwnOption;

static const OwnOption own_options[] = {
	{"remote_name", ForeignServerRelationId},
	{"schema_name", ForeignServerRelationId},
	{"password_required", UserMappingRelationId},
	{NULL, InvalidOid},
};

/*
 * The options of libpq 15 to 18 that anybody may set who may make a server or a user
 * mapping. All others are for superusers, so those of a newer libpq are, too:
 *
 * - "options" sets what only a superuser may, if the user is one there, and does so before
 *   anybody knows that there was no password: session_preload_libraries,
 *   post_auth_delay;
 * - service, servicefile: a file may have any of the options, that one too;
 * - passfile, sslcert, sslkey, sslcertmode, sslrootcert, sslcrl, sslcrldir: files of the
 *   operating system's user. They say who that is, errors say what is in them, and to
 *   open a pipe takes for ever. The name of a key can be that of code to load;
 * - gssencmode, gssdelegation, gsslib, krbsrvname: the Kerberos ticket of that user;
 * - require_auth: what we demand of a server instead of a password.
 */
static const char *const harmless_options[] = {
	/* where to, but for sockets, see check_network() */
	"host",
	"hostaddr",
	"port",
	"dbname",
	/* as whom */
	"user",
	"password",
	"sslpassword",
	"application_name",
	/* which one of several hosts */
	"target_session_attrs",
	"load_balance_hosts",
	/* how long it may be silent */
	"connect_timeout",
	"keepalives",
	"keepalives_idle",
	"keepalives_interval",
	"keepalives_count",
	"tcp_user_timeout",
	/* what the connection has to be like */
	"sslmode",
	"sslnegotiation",
	"sslcompression",
	"sslsni",
	"ssl_min_protocol_version",
	"ssl_max_protocol_version",
	"channel_binding",
	"requirepeer",
	"min_protocol_version",
	"max_protocol_version",
};

/* An option of libpq's, and its value. */
typedef struct OptionValue
{
	const char *keyword;
	const char *value;
} OptionValue;

/*
 * What is set where a password is required, unless a superuser has said something else: by the
 * server's options, or by an environment variable of this server. Then libpq, from version
 * 16 on, refuses a server that does not ask for a password, and in all versions
 * whoever connects has neither the Kerberos ticket nor the client certificate of the operating
 * system's user. A file that cannot exist is no certificate; sslcertmode would say the
 * same, but libpq 15 does not know it.
 */
static const OptionValue with_password[] = {
	{"require_auth", IDGEN_PASSWORD_METHODS},
	{"gssencmode", "disable"},
	{"sslcert", "/dev/null/none"},
};

static bool
same(const char *a, const char *b)
{
	return strcmp(a, b) == 0;
}

uint64 idgen_servers_version = 1;

static void
servers_changed(Datum arg, int cacheid, uint32 hashvalue)
{
	idgen_servers_version++;
}

/* Ask the server to tell us about changes. Called once per process. */
void
idgen_servers_init(void)
{
	CacheRegisterSyscacheCallback(FOREIGNSERVEROID, servers_changed, (Datum) 0);
	CacheRegisterSyscacheCallback(USERMAPPINGOID, servers_changed, (Datum) 0);
}

/* libpq's options. It allocates them anew at each call, so we ask but once. */
static const PQconninfoOption *
libpq_options(void)
{
	static PQconninfoOption *options = NULL;

	if (options == NULL)
		options = PQconndefaults();
	if (options == NULL)
		ereport(ERROR,
		        (errcode(ERRCODE_FDW_OUT_OF_MEMORY),
		         errmsg("out of memory"),
		         errdetail("libpq could not list its options.")));
	return options;
}

/*
 * May a server or a user mapping have this option of libpq's? Nobody may have those
 * for debugging, those that we set ourselves, and those for OAuth, which talks to
 * somebody at a terminal.
 */
static bool
libpq_option_is_valid(const PQconninfoOption *option, Oid catalog)
{
	if (strchr(option->dispchar, 'D') != NULL ||
	    same(option->keyword, "client_encoding") ||
	    same(option->keyword, "fallback_application_name") ||
	    strncmp(option->keyword, "oauth_", strlen("oauth_")) == 0)
		return false;
	if (same(option->keyword, "user") || strchr(option->dispchar, '*') != NULL)
		return catalog == UserMappingRelationId;
	if (same(option->keyword, "sslcert") || same(option->keyword, "sslkey"))
		return catalog == ForeignServerRelationId || catalog == UserMappingRelationId;
	return catalog == ForeignServerRelationId;
}

/* The names of all options that objects of a catalog may have. */
static List *
valid_options(Oid catalog)
{
	List *names = NIL;

	for (const PQconninfoOption *option = libpq_options(); option->keyword != NULL; option++)
		if (libpq_option_is_valid(option, catalog))
			names = lappend(names, option->keyword);
	for (const OwnOption *option = own_options; option->name != NULL; option++)
		if (option->catalog == catalog)
			names = lappend(names, unconstify(char *, option->name));
	return names;
}

/* Raises HV00D unless it is one of these. */
static void
check_option_name(const char *name, const List *valid)
{
	StringInfoData hint;
	ListCell *cell;

	initStringInfo(&hint);
	foreach(cell, valid)
	{
		const char *option = (const char *) lfirst(cell);

		if (same(name, option))
			return;
		appendStringInfo(&hint, "%s%s", hint.len > 0 ? ", " : "Valid options in this context are: ", option);
	}
	appendStringInfoString(&hint, hint.len > 0 ? "." : "There are no valid options in this context.");
	ereport(ERROR,
	        (errcode(ERRCODE_FDW_INVALID_OPTION_NAME),
	         errmsg("invalid option \"%s\"", name),
	         errhint("%s", hint.data)));
}

static bool
is_own_option(const char *name)
{
	for (const OwnOption *option = own_options; option->name != NULL; option++)
		if (same(name, option->name))
			return true;
	return false;
}

/* May only a superuser set an option of that name? */
static bool
is_for_superusers(const char *name)
{
	for (int i = 0; i < (int) lengthof(harmless_options); i++)
		if (same(name, harmless_options[i]))
			return false;
	return !is_own_option(name);
}

/* Raises 42501 unless the current user is a superuser. */
static void
check_superuser(const char *option, Oid catalog)
{
	if (superuser())
		return;
	if (catalog == UserMappingRelationId)
		ereport(ERROR,
		        (errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
		         errmsg("permission denied to set option %s of a user mapping", option),
		         errhint("Only a superuser may create or alter a user mapping that has it.")));
	ereport(ERROR,
	        (errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
	         errmsg("permission denied to set option %s of a server", option),
	         errhint("Only a superuser may create or alter a server that has it.")));
}

/* The number of items in a list with commas; 1 if there is none. */
static int
count_items(const char *list)
{
	int items = 1;

	for (; list != NULL && *list != '\0'; list++)
		if (*list == ',')
			items++;
	return items;
}

/* Raises 22023 for a list of too many hosts. */
static void
check_hosts(const char *hosts)
{
	if (count_items(hosts) > MAX_HOSTS)
		ereport(ERROR,
		        (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
		         errmsg("too many hosts for a server"),
		         errdetail("There are %d of them, of at most %d.", count_items(hosts), MAX_HOSTS)));
}

/*
 * Check the options (DefElems) of an object in that catalog, all that it will have.
 * Raises HV00D, 22023 for an empty name or too many hosts, 42501 for what is left to superusers, and
 * 42601 for what is no boolean. What libpq makes of its own turns out when connecting.
 */
void
idgen_server_check_options(List *options, Oid catalog)
{
	List *valid = valid_options(catalog);
	ListCell *cell;

	foreach(cell, options)
	{
		DefElem *option = lfirst_node(DefElem, cell);

		check_option_name(option->defname, valid);
		if (same(option->defname, "password_required"))
		{
			if (!defGetBoolean(option))
				check_superuser("password_required=false", catalog);
		}
		else if (is_for_superusers(option->defname))
			check_superuser(option->defname, catalog);
		else if (same(option->defname, "host") || same(option->defname, "hostaddr"))
			check_hosts(defGetString(option));
		else if ((same(option->defname, "remote_name") || same(option->defname, "schema_name")) &&
		         defGetString(option)[0] == '\0')
			ereport(ERROR,
			        (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			         errmsg("option \"%s\" must not be empty", option->defname)));
	}
}

/* Raises 42704 if the server has just been dropped. */
static ForeignServer *
get_server(Oid serverid)
{
	ForeignServer *server = GetForeignServerExtended(serverid, FSV_MISSING_OK);

	if (server == NULL)
		ereport(ERROR,
		        (errcode(ERRCODE_UNDEFINED_OBJECT),
		         errmsg("server with OID %u does not exist", serverid)));
	return server;
}

/* A server of that name, of whatever wrapper; NULL if there is none. */
static ForeignServer *
server_by_name(const char *name)
{
	if (strlen(name) >= NAMEDATALEN)
		return NULL; /* nothing is called that, and the catalog would cut it */
	return GetForeignServerByName(name, true);
}

static bool
is_ours(const ForeignServer *server)
{
	return server->fdwid == get_foreign_data_wrapper_oid("idgen_fdw", true);
}

/* The server that a row names. Raises 42704 and 42809. */
static Oid
named_server(const char *name)
{
	ForeignServer *server = server_by_name(name);

	if (server == NULL)
		ereport(ERROR,
		        (errcode(ERRCODE_UNDEFINED_OBJECT),
		         errmsg("server \"%s\" does not exist", name),
		         errhint("Create it with CREATE SERVER ... FOREIGN DATA WRAPPER idgen_fdw.")));
	if (!is_ours(server))
		ereport(ERROR,
		        (errcode(ERRCODE_WRONG_OBJECT_TYPE),
		         errmsg("server \"%s\" does not belong to foreign-data wrapper \"idgen_fdw\"", name),
		         errhint("Create one with CREATE SERVER ... FOREIGN DATA WRAPPER idgen_fdw.")));
	return server->serverid;
}

/*
 * The server of an id sequence: the one that its row names, else one that is named
 * as the id sequence, else the default one. Raises 42704 if there is none, and 42809
 * if the row names one of another wrapper; those do not count otherwise.
 */
Oid
idgen_server_find(const char *name, const char *source_name)
{
	ForeignServer *server;

	if (source_name != NULL)
		return named_server(source_name);

	server = server_by_name(name);
	if (server == NULL || !is_ours(server))
		server = server_by_name("idgen_default");
	if (server == NULL || !is_ours(server))
		ereport(ERROR,
		        (errcode(ERRCODE_UNDEFINED_OBJECT),
		         errmsg("there is no server for id sequence \"%s\"", name),
		         errdetail("Foreign-data wrapper \"idgen_fdw\" has neither a server \"%s\" nor a server \"idgen_default\".", name),
		         errhint("Create one with CREATE SERVER ... FOREIGN DATA WRAPPER idgen_fdw, or name another one in column \"source_name\" of \"id_sequences\".")));
	return server->serverid;
}

/* Raises 42501 unless that user has USAGE on the server, and 42704. */
void
idgen_server_check_usage(Oid serverid, Oid userid)
{
	ForeignServer *server = get_server(serverid);
	AclResult result = object_aclcheck(ForeignServerRelationId, serverid, userid, ACL_USAGE);

	if (result != ACLCHECK_OK)
		aclcheck_error(result, OBJECT_FOREIGN_SERVER, server->servername);
}

/* The option of that name, or NULL. */
static DefElem *
find_option(List *options, const char *name)
{
	ListCell *cell;

	foreach(cell, options)
	{
		DefElem *option = lfirst_node(DefElem, cell);

		if (same(option->defname, name))
			return option;
	}
	return NULL;
}

/* Its value, or NULL. */
static const char *
find_string(List *options, const char *name)
{
	DefElem *option = find_option(options, name);

	return option != NULL ? defGetString(option) : NULL;
}

/* What there is to know of a server, palloc'd. Raises 42704. */
IdgenServer
idgen_server_get(Oid serverid)
{
	ForeignServer *server = get_server(serverid);

	return (IdgenServer){
		.name = server->servername,
		.remote_name = find_string(server->options, "remote_name"),
		.schema_name = find_string(server->options, "schema_name"),
	};
}

/*
 * Must the user of a mapping come with a password? If not, that must be the decision of a
 * superuser. It is not if only the user is one, since the owner of the server
 * says where it leads, and may have made the mapping.
 */
static bool
is_password_required(const ForeignServer *server, const UserMapping *mapping)
{
	DefElem *option = find_option(mapping->options, "password_required");

	if (superuser_arg(mapping->userid) && superuser_arg(server->owner))
		return false;
	return option == NULL || defGetBoolean(option);
}

/* Put one more parameter behind those that are there; there is room for it. */
static void
add_parameter(IdgenConnectOptions *connect, const char *keyword, const char *value)
{
	int n = 0;

	while (connect->keywords[n] != NULL)
		n++;
	connect->keywords[n] = keyword;
	connect->values[n] = value;
}

/* Add what libpq understands. */
static void
add_options(IdgenConnectOptions *connect, List *options)
{
	ListCell *cell;

	foreach(cell, options)
	{
		DefElem *option = lfirst_node(DefElem, cell);

		if (!is_own_option(option->defname))
			add_parameter(connect, option->defname, defGetString(option));
	}
}

/* The value of a parameter, or NULL. To libpq, an empty one is none. */
static const char *
find_value(const IdgenConnectOptions *connect, const char *keyword)
{
	for (int i = 0; connect->keywords[i] != NULL; i++)
		if (same(connect->keywords[i], keyword) && connect->values[i][0] != '\0')
			return connect->values[i];
	return NULL;
}

/* The nth item, from 0. */
static const char *
nth_item(const char *list, int n)
{
	for (; n > 0; n--)
		list = strchr(list, ',') + 1;
	return pnstrdup(list, strcspn(list, ","));
}

/*
 * The values of the parameters for one of the hosts, from 0, palloc'd. A list that has not an
 * item for each host is left as it is.
 */
const char **
idgen_server_values_for_host(const IdgenConnectOptions *options, int host)
{
	static const char *const listed[] = {"host", "hostaddr", "port"};
	const char **values;
	int n = 0;

	while (options->keywords[n] != NULL)
		n++;
	values = palloc0((n + 1) * sizeof(char *));
	for (int i = 0; i < n; i++)
	{
		values[i] = options->values[i];
		for (int j = 0; j < (int) lengthof(listed); j++)
			if (same(options->keywords[i], listed[j]) && count_items(values[i]) == options->nhosts)
				values[i] = nth_item(values[i], host);
	}
	return values;
}

/* libpq's limit for a host, in seconds, as far as it is a number at all; 0 if there is none. */
static int
connect_timeout(const IdgenConnectOptions *connect)
{
	const char *value = find_value(connect, "connect_timeout");
	long seconds = value != NULL ? strtol(value, NULL, 10) : 0;

	return seconds > 0 && seconds <= INT_MAX / 1000 ? (int) seconds : 0;
}

/*
 * Add what we set unless it is given. Of several hosts, only one that can be written to is of
 * use. And a connection whose other end is gone without a word, so that nothing comes
 * back, is to break while there still is time to open another one.
 */
static void
add_defaults(IdgenConnectOptions *connect)
{
	add_parameter(connect, "fallback_application_name", "idgen");
	add_parameter(connect, "client_encoding", GetDatabaseEncodingName());
	if (connect->nhosts > 1 && find_value(connect, "target_session_attrs") == NULL)
		add_parameter(connect, "target_session_attrs", "read-write");
	if (find_value(connect, "tcp_user_timeout") == NULL)
		add_parameter(connect, "tcp_user_timeout", psprintf("%d", Max(1, idgen_server_timeout / 2)));
}

/* Does libpq know an option, of which no environment variable says what it is? */
static bool
is_left_to_us(const char *keyword)
{
	for (const PQconninfoOption *option = libpq_options(); option->keyword != NULL; option++)
		if (same(option->keyword, keyword))
			return option->val == NULL || (option->compiled != NULL && same(option->val, option->compiled));
	return false;
}

/*
 * Raises 42501 for an option that only a superuser may set if the server belongs to somebody
 * else: by ALTER SERVER OWNER, by ALTER ROLE, or out of a dump.
 */
static void
check_owner(const ForeignServer *server)
{
	ListCell *cell;

	if (superuser_arg(server->owner))
		return;
	foreach(cell, server->options)
	{
		DefElem *option = lfirst_node(DefElem, cell);

		if (is_for_superusers(option->defname))
			ereport(ERROR,
			        (errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
			         errmsg("server \"%s\" has option \"%s\", but does not belong to a superuser",
			                server->servername, option->defname),
			         errhint("Drop the option, or have a superuser own the server.")));
	}
}

/* Raises 2F003 if there is no password. */
static void
check_password(const IdgenConnectOptions *connect, const ForeignServer *server, Oid userid)
{
	if (find_value(connect, "password") == NULL)
		ereport(ERROR,
		        (errcode(ERRCODE_S_R_E_PROHIBITED_SQL_STATEMENT_ATTEMPTED),
		         errmsg("password is required"),
		         errdetail("The user mapping of role \"%s\" for server \"%s\" has none.",
		                   GetUserNameFromId(userid, false), server->servername),
		         errhint("Add option \"password\" to the user mapping. Only a superuser can do without, on a server that belongs to a superuser.")));
}

/*
 * Raises 2F003 unless all hosts are to be reached by the network. What libpq would take if none is
 * given may be a socket.
 */
static void
check_network(const IdgenConnectOptions *connect, const ForeignServer *server)
{
	const char *host = find_value(connect, "host");
	const char *item = host != NULL ? host : find_value(connect, "hostaddr");

	while (item != NULL && *item != '\0' && *item != ',' && !is_unixsock_path(item))
	{
		item += strcspn(item, ",");
		if (*item == '\0')
			return;
		item++;
	}
	ereport(ERROR,
	        (errcode(ERRCODE_S_R_E_PROHIBITED_SQL_STATEMENT_ATTEMPTED),
	         errmsg("server \"%s\" must not be reached by a Unix-domain socket where a password is required", server->servername),
	         errdetail("The other server might take the connection for one of the operating system's user, and not ask for it."),
	         errhint("Set option \"host\" of the server to a host name or an address, or have a superuser set password_required to false in the user mapping.")));
}

/*
 * What it takes to connect to the server as that user, palloc'd. Raises 42704 without a user mapping,
 * 22023 for too many hosts, 2F003 without a password where there must be one or if the way there is
 * not for passwords, and 42501. Whether the server has asked for the password, the caller has to
 * see after connecting.
 */
IdgenConnectOptions *
idgen_server_connect_options(Oid serverid, Oid userid)
{
	ForeignServer *server = get_server(serverid);
	UserMapping *mapping = GetUserMapping(userid, serverid);
	int room = list_length(server->options) + list_length(mapping->options) + lengthof(with_password) + 5;
	IdgenConnectOptions *connect = palloc0(sizeof(IdgenConnectOptions));

	check_owner(server);
	connect->version = idgen_servers_version;
	connect->keywords = palloc0(room * sizeof(char *));
	connect->values = palloc0(room * sizeof(char *));
	add_options(connect, server->options);
	add_options(connect, mapping->options);
	check_hosts(find_value(connect, "host")); /* the wrapper may have lost its validator */
	check_hosts(find_value(connect, "hostaddr"));
	connect->nhosts = Max(count_items(find_value(connect, "host")), count_items(find_value(connect, "hostaddr")));
	connect->connect_timeout = connect_timeout(connect);
	add_defaults(connect);

	connect->password_required = is_password_required(server, mapping);
	if (connect->password_required)
	{
		check_password(connect, server, userid);
		check_network(connect, server);
		for (int i = 0; i < (int) lengthof(with_password); i++)
			if (find_value(connect, with_password[i].keyword) == NULL && is_left_to_us(with_password[i].keyword))
				add_parameter(connect, with_password[i].keyword, with_password[i].value);
	}
	return connect;
}
