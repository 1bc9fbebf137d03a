/*
 * handle_table.h
 *		A session's handles, found by name, and what it drew last.
 */
#ifndef IDGEN_HANDLE_TABLE_H
#define IDGEN_HANDLE_TABLE_H

#include "session/handle.h"

/*
 * Handles with anything to do at the end of the transaction, by xact.node; see
 * idgen_handle_list().
 */
extern dlist_head idgen_listed_handles;

/* Where names are, and what handles point to. NULL until there is a name. */
extern MemoryContext idgen_name_memory;

extern IdgenHandle *idgen_handle_find(Oid relid, const char *name, int namelen);
extern IdgenHandle *idgen_handle_get(Oid relid, const char *name, int namelen);
extern void idgen_handles_visit(void (*visit)(IdgenHandle *handle, void *arg), void *arg);
extern void idgen_handle_list(IdgenHandle *handle);
extern void idgen_handles_end_transaction(void);
extern void idgen_handles_forget_last(void);

#endif /* IDGEN_HANDLE_TABLE_H */
