/*
 * handle_table.h
 *		A session's handles: finding and making one, and which give way.
 */
#ifndef IDGEN_HANDLE_TABLE_H
#define IDGEN_HANDLE_TABLE_H

#include "access/xact.h"

#include "session/handle.h"

/*
 * Handles with anything to do at the end of the transaction, by xact.node; see
 * idgen_handle_list().
 */
extern dlist_head idgen_listed_handles;

/* The last one of the handles that calls in progress hold. */
extern IdgenHandle *idgen_held_last;

extern IdgenHandle *idgen_handle_find(Oid relid, const char *name, int namelen);
extern IdgenHandle *idgen_handle_get(Oid relid, const char *name, int namelen);
extern void idgen_handle_list(IdgenHandle *handle);
extern void idgen_handle_unlist(IdgenHandle *handle);
extern void idgen_handles_let_go_since(int level);

/*
 * A call begins that uses the handle until it ends: keep it. Answers whether
 * this call is the one that has to let it go, rather than one around it. If an
 * error ends the call, the rollback of the (sub)transaction lets it go.
 */
static inline bool
idgen_handle_hold(IdgenHandle *handle)
{
	if (handle->held_at > 0)
		return false;
	handle->held_at = GetCurrentTransactionNestLevel();
	handle->held_before = idgen_held_last;
	idgen_held_last = handle;
	return true;
}

static inline void
idgen_handle_let_go_last(void)
{
	IdgenHandle *handle = idgen_held_last;

	idgen_held_last = handle->held_before;
	handle->held_at = 0;
}

/*
 * The call has ended that holds the handle, and with it those inside of it,
 * which may have left that to this one.
 */
static inline void
idgen_handle_let_go(IdgenHandle *handle)
{
	while (handle->held_at > 0)
		idgen_handle_let_go_last();
}

#endif /* IDGEN_HANDLE_TABLE_H */
