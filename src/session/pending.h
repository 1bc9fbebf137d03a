/*
 * pending.h
 *		Pending blocks: what only the current transaction may draw from.
 */
#ifndef IDGEN_PENDING_H
#define IDGEN_PENDING_H

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

/* Are pending ids from elsewhere than where the name leads now? */
static inline bool
idgen_pending_is_elsewhere(const IdgenHandle *handle)
{
	return handle->pending.storage != handle->found.storage || handle->pending.origin != handle->found.origin;
}

extern bool idgen_all_lie_behind(const IdgenHandle *handle, int64 last, int64 step);
extern IdgenDrawAnswer idgen_pending_draw(IdgenHandle *handle, const IdgenWanted *wanted, IdgenBlock *ids);
extern const IdgenBlock *idgen_pending_block(IdgenHandle *handle);
extern int idgen_pending_count(const IdgenHandle *handle);
extern void idgen_pending_read(const IdgenHandle *handle, IdgenBlock *blocks);
extern void idgen_pending_add(IdgenHandle *handle, const IdgenRefill *refill, uint64 as_of);
extern void idgen_pending_change(IdgenHandle *handle, IdgenSlotChange change);
extern void idgen_pending_give_up(IdgenHandle *handle);
extern bool idgen_pending_give_back(IdgenHandle *handle);
extern void idgen_pending_follow(IdgenHandle *handle, IdgenSlotChange change);
extern bool idgen_pending_ends_at(const IdgenHandle *handle, int64 next_block_start, bool exhausted);
extern int64 idgen_pending_surrender(IdgenHandle *handle);
extern void idgen_pending_finish(const IdgenHandle *handle, IdgenOutcome *outcome, bool committed);

extern void idgen_pending_release_savepoint(void);
extern void idgen_pending_roll_back_savepoint(void);
extern void idgen_pending_forget_savepoints(void);

#endif /* IDGEN_PENDING_H */
