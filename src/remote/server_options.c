/*
 * server_options.c
 *		The options of servers and user mappings, and which roles may set them.
 *
 * Besides a few of ours, these are the parameters of libpq. libpq itself says
 * which ones it has, so that those of a newer libpq can be used as well.
 * Secret ones belong into the user mapping, which no other role can read.
 *
 * A session of this server runs as a user of the operating system. It can read
 * the files of that user, and another server may take it for that user. Only
 * superusers may make use of that. So other roles can only set options that are
 * known to do no harm. (To look at the connection once it is there would be too
 * late: the other server lets a user in, and does what the options of the new
 * session say, before libpq knows whether it has asked for a password.)
 */
#include "postgres.h"

#include "catalog/pg_foreign_server.h"
#include "catalog/pg_user_mapping.h"
#include "commands/defrem.h"
#include "lib/stringinfo.h"
#include "miscadmin.h"

#include "libpq-fe.h"

#include "common/compat.h"
#include "remote/hosts.h"
#include "remote/server_options.h"

/* An option of ours, and the catalog of the objects that may have it. */
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
 * The options of libpq 15 to 18 that every role may set that may make a server
 * or a user mapping. All others are for superusers, and so are those of a newer
 * libpq:
 *
 * - "options" sets what only a superuser may set, if the user is one there, and
 *   does so before it is known that there was no password:
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
static const char *const harmless_options[] = {
	/* where to, but for sockets: see connect_options.c */
	"host",
	"hostaddr",
	"port",
	"dbname",
	/* as which user */
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

static bool
same(const char *a, const char *b)
{
	return strcmp(a, b) == 0;
}

/*
 * libpq's options. libpq allocates them anew at each call, so we ask only
 * once.
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
 * May objects of a catalog have this option of libpq? No object may have those
 * for debugging, those that we set ourselves, and those for OAuth, which talks
 * to a person at a terminal.
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

/* Raises HV00D unless the name is one of these. */
static void
check_name(const char *name, const List *valid)
{
	const char *separator = "Valid options in this context are: ";
	StringInfoData hint;
	ListCell *cell;

	initStringInfo(&hint);
	foreach(cell, valid)
	{
		const char *option = (const char *) lfirst(cell);

		if (same(name, option))
			return;
		appendStringInfo(&hint, "%s%s", separator, option);
		separator = ", ";
	}
	if (valid != NIL)
		appendStringInfoChar(&hint, '.');
	else
		appendStringInfoString(&hint, "There are no valid options in this context.");
	ereport(ERROR,
	        (errcode(ERRCODE_FDW_INVALID_OPTION_NAME),
	         errmsg("invalid option \"%s\"", name),
	         errhint("%s", hint.data)));
}

/* Is it an option of ours, which libpq does not know? */
bool
idgen_option_is_own(const char *name)
{
	for (const OwnOption *option = own_options; option->name != NULL; option++)
		if (same(name, option->name))
			return true;
	return false;
}

/*
 * Does libpq know an option, and have for it nothing but what was compiled
 * into it? An environment variable of this server may also say what it is.
 */
bool
idgen_option_has_libpq_default(const char *name)
{
	for (const PQconninfoOption *option = libpq_options(); option->keyword != NULL; option++)
		if (same(option->keyword, name))
			return option->val == NULL ||
				(option->compiled != NULL && same(option->val, option->compiled));
	return false;
}

/* May only a superuser set an option of that name? */
static bool
is_for_superusers(const char *name)
{
	for (int i = 0; i < (int) lengthof(harmless_options); i++)
		if (same(name, harmless_options[i]))
			return false;
	return !idgen_option_is_own(name);
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

/* Raises 42501, 22023 or 42601 if an option of a valid name has a bad value. */
static void
check_value(DefElem *option, Oid catalog)
{
	const char *name = option->defname;

	if (same(name, "password_required"))
	{
		if (!defGetBoolean(option))
			check_superuser("password_required=false", catalog);
	}
	else if (is_for_superusers(name))
		check_superuser(name, catalog);
	else if (same(name, "host") || same(name, "hostaddr"))
		idgen_hosts_check(defGetString(option));
	else if ((same(name, "remote_name") || same(name, "schema_name")) &&
	         defGetString(option)[0] == '\0')
		ereport(ERROR,
		        (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
		         errmsg("option \"%s\" must not be empty", name)));
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
	List *valid = valid_options(catalog);
	ListCell *cell;

	foreach(cell, options)
	{
		DefElem *option = lfirst_node(DefElem, cell);

		check_name(option->defname, valid);
		check_value(option, catalog);
	}
}

/*
 * Raises 42501 for an option that only a superuser may set if the server
 * belongs to another role: by ALTER SERVER OWNER, by ALTER ROLE, or out of a
 * dump.
 */
void
idgen_server_check_owner(const ForeignServer *server)
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

/* The option of that name, or NULL. */
DefElem *
idgen_option_find(List *options, const char *name)
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

/* The value of the option of that name, or NULL. */
const char *
idgen_option_value(List *options, const char *name)
{
	DefElem *option = idgen_option_find(options, name);

	return option != NULL ? defGetString(option) : NULL;
}
