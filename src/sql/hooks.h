/*
 * hooks.h
 *		Hooks of the server, and what other files ask of them or do for them.
 */
#ifndef IDGEN_HOOKS_H
#define IDGEN_HOOKS_H

#include "nodes/pg_list.h"

extern void idgen_hooks_init(void);
extern bool idgen_in_copy_from(void);
extern void idgen_restart_of_tables(const List *relids);

#endif /* IDGEN_HOOKS_H */
