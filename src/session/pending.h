/*
 * pending.h
 *		What the current transaction has allocated or changed.
 */
#ifndef IDGEN_PENDING_H
#define IDGEN_PENDING_H

#include "session/handle.h"

extern void idgen_pending_list(IdgenHandle *handle);
extern bool idgen_pending_take(IdgenHandle *handle, int64 count, IdgenBlock *ids);
extern void idgen_pending_put_back(IdgenHandle *handle, const IdgenBlock *ids);
extern IdgenBlock idgen_pending_last_block(IdgenHandle *handle);
extern const IdgenBlock *idgen_pending_block(IdgenHandle *handle);
extern void idgen_pending_add(IdgenHandle *handle, const IdgenRefill *refill,
                              uint64 version, bool ahead);
extern bool idgen_pending_ends_at(const IdgenHandle *handle,
                                  int64 next_block_start, bool exhausted);
extern int64 idgen_pending_surrender(IdgenHandle *handle);
extern void idgen_pending_note_change(IdgenHandle *handle, IdgenChange change);
extern void idgen_pending_adapt(IdgenHandle *handle);
extern void idgen_pending_objects_changed(Oid relid, const char *name);
extern void idgen_pending_change_all(void);
extern void idgen_pending_drop_database(Oid dbid);
extern void idgen_pending_change_servers(void);
extern bool idgen_pending_servers_changed(void);
extern bool idgen_pending_published_ok(const IdgenHandle *handle);

extern void idgen_pending_commit_savepoint(void);
extern void idgen_pending_abort_savepoint(void);
extern bool idgen_pending_return(void);
extern void idgen_pending_warn_low(void);
extern void idgen_pending_collect_storage(void);
extern void idgen_pending_prepare(void);
extern void idgen_pending_finish(bool committed, bool safe);

#endif /* IDGEN_PENDING_H */
