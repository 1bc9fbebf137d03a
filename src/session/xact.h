/*
 * xact.h
 *		What the current transaction has to do with id sequences: pending
 *		blocks, changes, waiting for others, and its end.
 */
#ifndef IDGEN_SESSION_XACT_H
#define IDGEN_SESSION_XACT_H

#include "session/call.h"
#include "session/handle.h"

/*
 * May the hot path draw from the pending block? Not from a gapless one, whose
 * state is saved before each first draw in a savepoint. Nor as long as the
 * cache may have ids that come first.
 */
static inline bool
idgen_pending_fast_ok(const IdgenPending *pending)
{
	return pending->fate != IDGEN_REST_GIVEN_BACK && !pending->ahead;
}

/* pending.c */
extern bool idgen_all_lie_behind(const IdgenHandle *handle, int64 last, int64 step);
extern IdgenDrawAnswer idgen_pending_draw(IdgenHandle *handle, const IdgenWanted *wanted, IdgenBlock *ids);
extern const IdgenBlock *idgen_pending_block(IdgenHandle *handle);
extern void idgen_pending_add(IdgenHandle *handle, const IdgenRefill *refill, uint64 as_of);
extern void idgen_pending_change(IdgenHandle *handle, IdgenSlotChange change);
extern void idgen_pending_give_up(IdgenHandle *handle);
extern bool idgen_pending_give_back(IdgenHandle *handle);
extern void idgen_pending_follow(IdgenHandle *handle, IdgenSlotChange change);
extern bool idgen_pending_ends_at(const IdgenHandle *handle, int64 next_block_start, bool exhausted);
extern int64 idgen_pending_surrender(IdgenHandle *handle);
extern void idgen_pending_finish(IdgenHandle *handle, IdgenRestFate fate, bool all_rows_gone);

extern void idgen_pending_release_savepoint(void);
extern void idgen_pending_roll_back_savepoint(void);
extern void idgen_pending_forget_savepoints(void);

/* xact.c */
extern void idgen_changes_note_row(Oid relid, const char *name, IdgenSlotChange change);
extern void idgen_changes_note_watermark(Oid relid, const char *name, bool switched);
extern void idgen_changes_note_cached(Oid relid, const char *name);
extern void idgen_changes_note_all_rows(void);
extern void idgen_changes_note_tables(void);
extern void idgen_changes_note_dropped_database(Oid dbid);
extern void idgen_changes_note_servers(void);

extern IdgenSlotChange idgen_changes_find(const IdgenHandle *handle);
extern bool idgen_changes_include(const IdgenHandle *handle);
extern bool idgen_changes_include_servers(void);
extern bool idgen_changes_leave_row(const IdgenHandle *handle);
extern bool idgen_may_use_published(const IdgenHandle *handle);
extern void idgen_xact_init(void);

/* wait.c */
extern void idgen_wait_begin(const IdgenHandle *handle, bool crowd);
extern void idgen_wait_end(void);
extern void idgen_wait_for_transaction(TransactionId xid);
extern bool idgen_wait_for_claim(const IdgenHandle *handle, IdgenCall *call, uint64 claim);
extern void idgen_wait_for_allocator(const IdgenHandle *handle, uint64 own);

#endif /* IDGEN_SESSION_XACT_H */
