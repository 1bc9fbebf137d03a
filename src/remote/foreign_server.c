/*
 * foreign_server.c
 *		Servers of the foreign-data wrapper idgen_fdw: finding them, and which
 *		roles may use them.
 *
 * The wrapper has no handler: its servers and user mappings only say how to
 * connect to where id_sequences lies (connect_options.c).
 *
 * Nothing is locked or remembered here. Callers look again when idgen_epoch
 * says that a server, a user mapping or a privilege has changed.
 */
#include "postgres.h"

#include "catalog/pg_foreign_server.h"
#include "catalog/pg_user_mapping.h"
#include "foreign/foreign.h"
#include "utils/acl.h"
#include "utils/inval.h"
#include "utils/syscache.h"

#include "common/compat.h"
#include "remote/foreign_server.h"
#include "remote/server_options.h"

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

/*
 * What the catalog says of a server. Raises 42704 if it has just been dropped.
 */
ForeignServer *
idgen_server_in_catalog(Oid serverid)
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

/* One of that name and of our wrapper; invalid if there is none. */
static Oid
look_up(const char *name)
{
	ForeignServer *server = server_by_name(name);

	return server != NULL && is_ours(server) ? server->serverid : InvalidOid;
}

/*
 * The server that idgen_server_find() finds. Invalid if there is none.
 */
Oid
idgen_server_look_up(const char *name, const char *source_name)
{
	Oid serverid;

	if (source_name != NULL)
		return look_up(source_name);
	serverid = look_up(name);
	return OidIsValid(serverid) ? serverid : look_up(IDGEN_DEFAULT_SERVER);
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
	Oid serverid;

	if (source_name != NULL)
		return named_server(source_name);

	serverid = idgen_server_look_up(name, NULL);
	if (!OidIsValid(serverid))
		ereport(ERROR,
		        (errcode(ERRCODE_UNDEFINED_OBJECT),
		         errmsg("there is no server for id sequence \"%s\"", name),
		         errdetail("Foreign-data wrapper \"idgen_fdw\" has neither a server \"%s\" nor a server \"%s\".",
		                   name, IDGEN_DEFAULT_SERVER),
		         errhint("Create one with CREATE SERVER ... FOREIGN DATA WRAPPER idgen_fdw, or name another one in column \"source_name\" of \"id_sequences\".")));
	return serverid;
}

/* Raises 42501 unless that user has USAGE on the server, and 42704. */
void
idgen_server_check_usage(Oid serverid, Oid userid)
{
	ForeignServer *server = idgen_server_in_catalog(serverid);
	AclResult result = object_aclcheck(ForeignServerRelationId, serverid, userid, ACL_USAGE);

	if (result != ACLCHECK_OK)
		aclcheck_error(result, OBJECT_FOREIGN_SERVER, server->servername);
}

/* What an id sequence has to know of a server, palloc'd. Raises 42704. */
IdgenServer
idgen_server_get(Oid serverid)
{
	ForeignServer *server = idgen_server_in_catalog(serverid);

	return (IdgenServer){
		.name = server->servername,
		.remote_name = idgen_option_value(server->options, "remote_name"),
		.schema_name = idgen_option_value(server->options, "schema_name"),
	};
}

/* What an id sequence of that name is called at a server. */
const char *
idgen_server_remote_name(const IdgenServer *server, const char *name)
{
	return server->remote_name != NULL ? server->remote_name : name;
}
