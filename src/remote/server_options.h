/*
 * server_options.h
 *		The options of servers and user mappings, and which roles may set them.
 */
#ifndef IDGEN_SERVER_OPTIONS_H
#define IDGEN_SERVER_OPTIONS_H

#include "foreign/foreign.h"
#include "nodes/parsenodes.h"

extern void idgen_server_check_options(List *options, Oid catalog);
extern void idgen_server_check_owner(const ForeignServer *server);
extern bool idgen_option_is_own(const char *name);
extern bool idgen_option_has_libpq_default(const char *name);
extern DefElem *idgen_option_find(List *options, const char *name);
extern const char *idgen_option_value(List *options, const char *name);

#endif /* IDGEN_SERVER_OPTIONS_H */
