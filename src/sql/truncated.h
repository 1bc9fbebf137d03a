/*
 * truncated.h
 *		TRUNCATE … RESTART IDENTITY.
 */
#ifndef IDGEN_TRUNCATED_H
#define IDGEN_TRUNCATED_H

#include "nodes/pg_list.h"

extern void idgen_restart_of_tables(const List *relids);

#endif /* IDGEN_TRUNCATED_H */
