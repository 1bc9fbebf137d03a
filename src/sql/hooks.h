/*
 * hooks.h
 *		Noticing what the server does: utility commands, and what is done to
 *		databases, the extension and foreign servers.
 */
#ifndef IDGEN_HOOKS_H
#define IDGEN_HOOKS_H

#include "nodes/pg_list.h"

extern void idgen_utility_init(void);
extern bool idgen_in_copy_from(void);
extern void idgen_note_truncated(Oid relid);
extern void idgen_restart_of_tables(const List *relids);
extern void idgen_object_access_init(void);

#endif /* IDGEN_HOOKS_H */
