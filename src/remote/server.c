/*
 * server.c
 *		Servers of the foreign-data wrapper idgen_fdw: finding them, which roles
 *		may use them, their options, and what libpq is told to connect.
 *
 * The wrapper has no handler: its servers and user mappings only say how to
 * connect to where id_sequences lies. Nothing is locked or remembered here.
 * Callers look again when idgen_epoch says that a server, a user mapping or a
 * privilege has changed.
 *
 * The options are a few of ours, and libpq's. libpq itself says which ones it
 * has, so that those of a newer libpq can be used as well.
 *
 * A session of this server is a process of some user of the operating system.
 * It can read the files of that user, and another server may take it for that
 * user. Only superusers may make use of that. So other roles can only set
 * options that are known to do no harm, and have to have a password of their
 * own in the user mapping, which the other server has to make use of. Whether
 * it has is known only once the connection is there. That is too late for some
 * things: the other server lets a user in, and does what the options of the new
 * session say. So such a connection does not go through a Unix-domain socket,
 * where the other server sees which user is at this end. Nor is the other
 * server offered the Kerberos ticket, or the client certificate, of that user.
 */
#include "postgres.h"

#include <limits.h>

#include "catalog/pg_foreign_server.h"
#include "catalog/pg_user_mapping.h"
#include "commands/defrem.h"
#include "common/hashfn.h"
#include "foreign/foreign.h"
#include "lib/stringinfo.h"
#include "libpq/pqcomm.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/inval.h"
#include "utils/syscache.h"

#include "libpq-fe.h"

#include "common/compat.h"
#include "common/guc.h"
#include "remote/server.h"

/* What may have an option. */
typedef enum Place
{
	NOWHERE = 0,
	ON_SERVER = 1,
	ON_MAPPING = 2,
	ON_BOTH = ON_SERVER | ON_MAPPING,
} Place;

/* Who may set an option, and what its value is. */
typedef enum Kind
{
	FOR_SUPERUSERS,
	TEXT,
	HOSTS,     /* a list */
	PORTS,     /* the same */
	OWN_NAME,  /* not libpq's but ours: a name */
	OWN_GUARD, /* the same: a boolean that only a superuser may set to false */
} Kind;

typedef struct Option
{
	const char *name;
	Place place;
	Kind kind;
} Option;

/*
 * All options that are not as those of a newer libpq: for superusers, of a
 * server, or if they are secret of a user mapping, which no other role can
 * read. For superusers are therefore also:
 *
 * - "options", which sets what only a superuser may set, if the user is one
 *   there, and does so before it is known that there was no password:
 *   session_preload_libraries, post_auth_delay;
 * - service, servicefile: a file may have any of the options, also "options";
 * - passfile, sslcert, sslkey, sslcertmode, sslrootcert, sslcrl, sslcrldir:
 *   these name files of the operating system's user. They say which user that
 *   is, errors say what is in them, and to open a pipe takes for ever. The name
 *   of a key can be that of code to load;
 * - gssencmode, gssdelegation, gsslib, krbsrvname: the Kerberos ticket of that
 *   user;
 * - require_auth: what we demand of a server instead of a password.
 */
static const Option options_known[] = {
	/* which id sequence */
	{"remote_name", ON_SERVER, OWN_NAME},
	{"schema_name", ON_SERVER, OWN_NAME},
	/* where to */
	{"host", ON_SERVER, HOSTS},
	{"hostaddr", ON_SERVER, HOSTS},
	{"port", ON_SERVER, PORTS},
	{"dbname", ON_SERVER, TEXT},
	/* as which user */
	{"user", ON_MAPPING, TEXT},
	{"password", ON_MAPPING, TEXT},
	{"sslpassword", ON_MAPPING, TEXT},
	{"password_required", ON_MAPPING, OWN_GUARD},
	{"sslcert", ON_BOTH, FOR_SUPERUSERS},
	{"sslkey", ON_BOTH, FOR_SUPERUSERS},
	{"application_name", ON_SERVER, TEXT},
	/* which one of several hosts */
	{"target_session_attrs", ON_SERVER, TEXT},
	{"load_balance_hosts", ON_SERVER, TEXT},
	/* how long it may be silent */
	{"connect_timeout", ON_SERVER, TEXT},
	{"keepalives", ON_SERVER, TEXT},
	{"keepalives_idle", ON_SERVER, TEXT},
	{"keepalives_interval", ON_SERVER, TEXT},
	{"keepalives_count", ON_SERVER, TEXT},
	{"tcp_user_timeout", ON_SERVER, TEXT},
	/* what the connection has to be like */
	{"sslmode", ON_SERVER, TEXT},
	{"sslnegotiation", ON_SERVER, TEXT},
	{"sslcompression", ON_SERVER, TEXT},
	{"sslsni", ON_SERVER, TEXT},
	{"ssl_min_protocol_version", ON_SERVER, TEXT},
	{"ssl_max_protocol_version", ON_SERVER, TEXT},
	{"channel_binding", ON_SERVER, TEXT},
	{"requirepeer", ON_SERVER, TEXT},
	{"min_protocol_version", ON_SERVER, TEXT},
	{"max_protocol_version", ON_SERVER, TEXT},
	/* what we set ourselves */
	{"client_encoding", NOWHERE, TEXT},
	{"fallback_application_name", NOWHERE, TEXT},
};

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

uint64 idgen_servers_version = 1;

static bool
same(const char *a, const char *b)
{
	return strcmp(a, b) == 0;
}

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

/*
 * What the catalog says of a server. Raises 42704 if it has just been dropped.
 */
static ForeignServer *
server_in_catalog(Oid serverid)
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

/* One of that name and of our wrapper; invalid if there is none. */
static Oid
look_up(const char *name)
{
	ForeignServer *server = server_by_name(name);

	if (server == NULL || server->fdwid != get_foreign_data_wrapper_oid("idgen_fdw", true))
		return InvalidOid;
	return server->serverid;
}

/*
 * The server that idgen_server_find() finds. Invalid if there is none.
 */
Oid
idgen_server_look_up(const char *name, const char *source_name)
{
	Oid serverid = look_up(source_name != NULL ? source_name : name);

	return OidIsValid(serverid) || source_name != NULL ? serverid : look_up(IDGEN_DEFAULT_SERVER);
}

/*
 * The server of an id sequence: the one that its row names, else one that is
 * named as the id sequence, else the default one. Raises 42704 if there is
 * none, and 42809 if the row names one of another wrapper; those do not count
 * otherwise.
 */
Oid
idgen_server_find(const char *name, const char *source_name)
{
	Oid serverid = idgen_server_look_up(name, source_name);

	if (OidIsValid(serverid))
		return serverid;
	if (source_name == NULL)
		ereport(ERROR,
		        (errcode(ERRCODE_UNDEFINED_OBJECT),
		         errmsg("there is no server for id sequence \"%s\"", name),
		         errdetail("Foreign-data wrapper \"idgen_fdw\" has neither a server \"%s\" nor a server \"%s\".",
		                   name, IDGEN_DEFAULT_SERVER),
		         errhint("Create one with CREATE SERVER ... FOREIGN DATA WRAPPER idgen_fdw, or name another one in column \"source_name\" of \"id_sequences\".")));
	if (server_by_name(source_name) == NULL)
		ereport(ERROR,
		        (errcode(ERRCODE_UNDEFINED_OBJECT),
		         errmsg("server \"%s\" does not exist", source_name),
		         errhint("Create it with CREATE SERVER ... FOREIGN DATA WRAPPER idgen_fdw.")));
	ereport(ERROR,
	        (errcode(ERRCODE_WRONG_OBJECT_TYPE),
	         errmsg("server \"%s\" does not belong to foreign-data wrapper \"idgen_fdw\"", source_name),
	         errhint("Create one with CREATE SERVER ... FOREIGN DATA WRAPPER idgen_fdw.")));
}

/* Raises 42501 unless that user has USAGE on the server, and 42704. */
void
idgen_server_check_usage(Oid serverid, Oid userid)
{
	ForeignServer *server = server_in_catalog(serverid);
	AclResult result = object_aclcheck(ForeignServerRelationId, serverid, userid, ACL_USAGE);

	if (result != ACLCHECK_OK)
		aclcheck_error(result, OBJECT_FOREIGN_SERVER, server->servername);
}

/*
 * The option of that name, or NULL. One that is empty does not count, as with
 * libpq.
 */
static DefElem *
find_option(List *options, const char *name)
{
	ListCell *cell;

	foreach(cell, options)
	{
		DefElem *option = lfirst_node(DefElem, cell);

		if (same(option->defname, name) && defGetString(option)[0] != '\0')
			return option;
	}
	return NULL;
}

/* Its value, or NULL. */
static const char *
value_of(List *options, const char *name)
{
	DefElem *option = find_option(options, name);

	return option != NULL ? defGetString(option) : NULL;
}

/* What an id sequence has to know of a server, palloc'd. Raises 42704. */
IdgenServer
idgen_server_get(Oid serverid)
{
	ForeignServer *server = server_in_catalog(serverid);

	return (IdgenServer){
		.name = server->servername,
		.remote_name = value_of(server->options, "remote_name"),
		.schema_name = value_of(server->options, "schema_name"),
	};
}

/* What an id sequence of that name is called at a server. */
const char *
idgen_server_remote_name(const IdgenServer *server, const char *name)
{
	return server->remote_name != NULL ? server->remote_name : name;
}

/*
 * libpq's options, and what they are by environment variables of this server or
 * by default. libpq allocates them anew at each call, so we ask only once.
 */
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
 * Does libpq know an option, and have for it nothing but what was compiled
 * into it? An environment variable of this server may also say what it is.
 */
static bool
has_libpq_default(const char *name)
{
	for (const PQconninfoOption *option = libpq_options(); option->keyword != NULL; option++)
		if (same(option->keyword, name))
			return option->val == NULL || (option->compiled != NULL && same(option->val, option->compiled));
	return false;
}

/* What is known of an option of whatever name. */
static Option
known_option(const char *name)
{
	for (int i = 0; i < (int) lengthof(options_known); i++)
		if (same(name, options_known[i].name))
			return options_known[i];
	return (Option){name, ON_SERVER, FOR_SUPERUSERS};
}

static bool
is_own(Option option)
{
	return option.kind == OWN_NAME || option.kind == OWN_GUARD;
}

/*
 * What may have an option of libpq: nothing those for debugging, and those for
 * OAuth, which talks to a person at a terminal.
 */
static Place
place_of_libpq_option(const PQconninfoOption *option)
{
	if (strchr(option->dispchar, 'D') != NULL || strncmp(option->keyword, "oauth_", strlen("oauth_")) == 0)
		return NOWHERE;
	if (strchr(option->dispchar, '*') != NULL)
		return ON_MAPPING;
	return known_option(option->keyword).place;
}

/* The names of all options that may be in a place. */
static List *
valid_options(Place place)
{
	List *names = NIL;

	for (const PQconninfoOption *option = libpq_options(); option->keyword != NULL; option++)
		if ((place_of_libpq_option(option) & place) != 0)
			names = lappend(names, makeString(option->keyword));
	for (int i = 0; i < (int) lengthof(options_known); i++)
		if (is_own(options_known[i]) && (options_known[i].place & place) != 0)
			names = lappend(names, makeString(unconstify(char *, options_known[i].name)));
	return names;
}

/* Raises HV00D unless the name is one of these. */
static void
check_name(char *name, List *valid)
{
	StringInfoData names;
	ListCell *cell;

	if (list_member(valid, makeString(name)))
		return;
	initStringInfo(&names);
	foreach(cell, valid)
		appendStringInfo(&names, "%s%s", names.len > 0 ? ", " : "", strVal(lfirst(cell)));
	ereport(ERROR,
	        (errcode(ERRCODE_FDW_INVALID_OPTION_NAME),
	         errmsg("invalid option \"%s\"", name),
	         valid == NIL ? errhint("There are no valid options in this context.") : errhint("Valid options in this context are: %s.", names.data)));
}

/* Raises 42501 unless the current user is a superuser. */
static void
check_superuser(const char *option, Place place)
{
	const char *object = place == ON_MAPPING ? "user mapping" : "server";

	if (!superuser())
		ereport(ERROR,
		        (errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
		         errmsg("permission denied to set option %s of a %s", option, object),
		         errhint("Only a superuser may create or alter a %s that has it.", object)));
}

/* The items of a list, which are separated by commas, and may be empty. */
static List *
items_of(const char *list)
{
	List *items = list_make1(pnstrdup(list, strcspn(list, ",")));

	while ((list = strchr(list, ',')) != NULL)
	{
		list++;
		items = lappend(items, pnstrdup(list, strcspn(list, ",")));
	}
	return items;
}

/* How many hosts a list has. Raises 22023 if these are too many. */
static int
count_hosts(const char *list)
{
	int count = list_length(items_of(list));

	if (count > IDGEN_MAX_HOSTS)
		ereport(ERROR,
		        (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
		         errmsg("too many hosts for a server"),
		         errdetail("It has %d hosts; %d are allowed.", count, IDGEN_MAX_HOSTS)));
	return count;
}

/* Raises 42501, 22023 or 42601 if an option of a valid name has a bad value. */
static void
check_value(DefElem *option, Place place)
{
	switch (known_option(option->defname).kind)
	{
		case FOR_SUPERUSERS:
			check_superuser(option->defname, place);
			break;
		case HOSTS:
			(void) count_hosts(defGetString(option));
			break;
		case OWN_NAME:
			if (defGetString(option)[0] == '\0')
				ereport(ERROR,
				        (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				         errmsg("option \"%s\" must not be empty", option->defname)));
			break;
		case OWN_GUARD:
			if (!defGetBoolean(option))
				check_superuser(psprintf("%s=false", option->defname), place);
			break;
		case TEXT:
		case PORTS:
			break;
	}
}

/*
 * Check all the options (DefElems) that an object of that catalog is to have.
 * Raises HV00D; 22023 for an empty name or too many hosts; 42501 for what is
 * left to superusers; and 42601 for what is no boolean. Whether libpq accepts
 * the values of its own options turns out when connecting.
 */
void
idgen_server_check_options(List *options, Oid catalog)
{
	Place place = NOWHERE;
	List *valid;
	ListCell *cell;

	if (catalog == ForeignServerRelationId)
		place = ON_SERVER;
	else if (catalog == UserMappingRelationId)
		place = ON_MAPPING;
	valid = valid_options(place);
	foreach(cell, options)
	{
		DefElem *option = lfirst_node(DefElem, cell);

		check_name(option->defname, valid);
		check_value(option, place);
	}
}

/*
 * Raises 42501 for an option that only a superuser may set if the server
 * belongs to another role: by ALTER SERVER OWNER, by ALTER ROLE, or out of a
 * dump.
 */
static void
check_owner(const ForeignServer *server)
{
	ListCell *cell;

	if (superuser_arg(server->owner))
		return;
	foreach(cell, server->options)
	{
		const char *option = lfirst_node(DefElem, cell)->defname;

		if (known_option(option).kind == FOR_SUPERUSERS)
			ereport(ERROR,
			        (errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
			         errmsg("server \"%s\" has option \"%s\", but does not belong to a superuser",
			                server->servername, option),
			         errhint("Drop the option, or have a superuser own the server.")));
	}
}

/*
 * How many hosts there are, at least one. Raises 22023 if there are too many,
 * or if not each has an address. (The wrapper may have lost its validator.)
 */
static int
count_all_hosts(List *parameters)
{
	const char *names = value_of(parameters, "host");
	const char *addresses = value_of(parameters, "hostaddr");
	int count = names != NULL ? count_hosts(names) : 1;

	if (addresses == NULL)
		return count;
	if (names != NULL && count != count_hosts(addresses))
		ereport(ERROR,
		        (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
		         errmsg("hostaddr does not match host"),
		         errdetail("There are %d names and %d addresses.", count, count_hosts(addresses))));
	return count_hosts(addresses);
}

static List *
add(List *parameters, const char *keyword, const char *value)
{
	return lappend(parameters, makeDefElem(pstrdup(keyword), (Node *) makeString(pstrdup(value)), -1));
}

/*
 * Add what we set, some of it unless it is given. Of several hosts, only one
 * that can be written to is of use. And when the other end is gone without a
 * word, so that nothing comes back, the connection is to break while there
 * still is time to open another one.
 */
static List *
add_defaults(List *parameters, int nhosts)
{
	parameters = add(parameters, "fallback_application_name", "idgen");
	parameters = add(parameters, "client_encoding", GetDatabaseEncodingName());
	if (nhosts > 1 && value_of(parameters, "target_session_attrs") == NULL)
		parameters = add(parameters, "target_session_attrs", "read-write");
	if (value_of(parameters, "tcp_user_timeout") == NULL)
		parameters = add(parameters, "tcp_user_timeout", psprintf("%d", Max(1, idgen_server_timeout / 2)));
	return parameters;
}

/*
 * Must the user of a mapping come with a password? If not, a superuser must
 * have decided so. It is not enough that the user is one: the owner of the
 * server says where it leads, and may have made the mapping.
 */
static bool
is_password_required(const ForeignServer *server, const UserMapping *mapping)
{
	DefElem *option = find_option(mapping->options, "password_required");

	if (superuser_arg(mapping->userid) && superuser_arg(server->owner))
		return false;
	return option == NULL || defGetBoolean(option);
}

/*
 * Are all hosts reached by the network? An empty item is not: what libpq takes
 * then may be a Unix-domain socket.
 */
static bool
are_by_network(const char *hosts)
{
	ListCell *cell;

	foreach(cell, items_of(hosts))
	{
		const char *host = (const char *) lfirst(cell);

		if (host[0] == '\0' || is_unixsock_path(host))
			return false;
	}
	return true;
}

/*
 * Have libpq connect by that user's own password only. Raises 2F003 if there is
 * none, or if some host is not reached by the network.
 */
static List *
require_password(List *parameters, const ForeignServer *server, Oid userid)
{
	const char *hosts = value_of(parameters, value_of(parameters, "host") != NULL ? "host" : "hostaddr");

	if (value_of(parameters, "password") == NULL)
		ereport(ERROR,
		        (errcode(ERRCODE_S_R_E_PROHIBITED_SQL_STATEMENT_ATTEMPTED),
		         errmsg("password is required"),
		         errdetail("The user mapping of role \"%s\" for server \"%s\" has none.",
		                   GetUserNameFromId(userid, false), server->servername),
		         errhint("Add option \"password\" to the user mapping. Only a superuser can do without a password, and only on a server that belongs to a superuser.")));
	if (hosts == NULL || !are_by_network(hosts))
		ereport(ERROR,
		        (errcode(ERRCODE_S_R_E_PROHIBITED_SQL_STATEMENT_ATTEMPTED),
		         errmsg("server \"%s\" must not be reached by a Unix-domain socket where a password is required", server->servername),
		         errdetail("The other server might trust the user of the operating system, and not ask for a password."),
		         errhint("Set option \"host\" of the server to a host name or an address, or have a superuser set password_required to false in the user mapping.")));

	for (int i = 0; i < (int) lengthof(with_password); i++)
		if (value_of(parameters, with_password[i].keyword) == NULL && has_libpq_default(with_password[i].keyword))
			parameters = add(parameters, with_password[i].keyword, with_password[i].value);
	return parameters;
}

/*
 * Turn the parameters into libpq's arrays. A list that does not have an item
 * for each host stays as it is.
 */
static void
make_arrays(IdgenConnectOptions *options, List *parameters)
{
	int length = list_length(parameters) + 1;
	int n = 0;
	ListCell *cell;

	options->keywords = palloc0(length * sizeof(char *));
	options->hosts = palloc0(options->nhosts * sizeof(IdgenConnectHost));
	for (int i = 0; i < options->nhosts; i++)
		options->hosts[i].values = palloc0(length * sizeof(char *));
	foreach(cell, parameters)
	{
		DefElem *parameter = lfirst_node(DefElem, cell);
		Option option = known_option(parameter->defname);
		const char *value = defGetString(parameter);
		bool is_list = option.kind == HOSTS || option.kind == PORTS;
		List *items = is_list ? items_of(value) : NIL;

		if (is_own(option))
			continue;
		options->keywords[n] = parameter->defname;
		for (int i = 0; i < options->nhosts; i++)
		{
			IdgenConnectHost *host = &options->hosts[i];

			host->values[n] = list_length(items) == options->nhosts ? list_nth(items, i) : value;
			if (is_list)
				host->hash = hash_combine(host->hash, string_hash(host->values[n], INT_MAX));
		}
		n++;
	}
}

/*
 * What it takes to connect to the server as that user, palloc'd. Raises 42704
 * without a user mapping, 22023 for too many hosts, 22P02 or 22003 for a
 * connect_timeout that is no integer, 2F003 without a password where there must
 * be one or if the way there is not for passwords, and 42501. Whether the
 * server has asked for the password, the caller has to see after connecting.
 */
IdgenConnectOptions *
idgen_connect_options(Oid serverid, Oid userid)
{
	ForeignServer *server = server_in_catalog(serverid);
	UserMapping *mapping = GetUserMapping(userid, serverid);
	IdgenConnectOptions *options = palloc(sizeof(IdgenConnectOptions));
	List *parameters = list_concat_copy(server->options, mapping->options);
	const char *timeout = value_of(parameters, "connect_timeout");

	check_owner(server);
	*options = (IdgenConnectOptions){
		.nhosts = count_all_hosts(parameters),
		.connect_timeout = timeout != NULL ? Max(pg_strtoint32(timeout), 0) : 0,
		.version = idgen_servers_version,
		.password_required = is_password_required(server, mapping),
	};
	parameters = add_defaults(parameters, options->nhosts);
	if (options->password_required)
		parameters = require_password(parameters, server, userid);
	make_arrays(options, parameters);
	return options;
}
