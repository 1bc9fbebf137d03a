/*
 * handle_table.h
 *		A session's handles: finding and making one, and which give way.
 */
#ifndef IDGEN_HANDLE_TABLE_H
#define IDGEN_HANDLE_TABLE_H

#include "session/handle.h"

/*
 * Handles with anything to do at the end of the transaction, by xact.node; see
 * idgen_handle_list().
 */
extern dlist_head idgen_listed_handles;

extern IdgenHandle *idgen_handle_find(Oid relid, const char *name, int namelen);
extern IdgenHandle *idgen_handle_get(Oid relid, const char *name, int namelen);
extern void idgen_handle_list(IdgenHandle *handle);
extern void idgen_handle_unlist(IdgenHandle *handle);
extern bool idgen_handle_hold(IdgenHandle *handle);
extern void idgen_handle_let_go(IdgenHandle *handle);
extern void idgen_handles_let_go_since(int level);

#endif /* IDGEN_HANDLE_TABLE_H */
