/*
 * foreign_server.h
 *		Servers of the foreign-data wrapper idgen_fdw: finding them, and which
 *		roles may use them.
 */
#ifndef IDGEN_FOREIGN_SERVER_H
#define IDGEN_FOREIGN_SERVER_H

#include "foreign/foreign.h"

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

/* Changes whenever a server or a user mapping does. */
extern uint64 idgen_servers_version;

extern void idgen_servers_init(void);
extern Oid idgen_server_find(const char *name, const char *source_name);
extern Oid idgen_server_look_up(const char *name, const char *source_name);
extern void idgen_server_check_usage(Oid serverid, Oid userid);
extern ForeignServer *idgen_server_in_catalog(Oid serverid);
extern IdgenServer idgen_server_get(Oid serverid);
extern const char *idgen_server_remote_name(const IdgenServer *server, const char *name);

#endif /* IDGEN_FOREIGN_SERVER_H */
