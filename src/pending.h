/*
 * pending.h
 *		What the current transaction has allocated or changed.
 */
#ifndef IDGEN_PENDING_H
#define IDGEN_PENDING_H

#include "handle.h"

/* A refill's result, as idgen_pending_add() takes it. */
typedef struct IdgenRefill
{
	IdgenBlock block;
	int64 blocks;       /* of block_size ids each; the last may be short */
	int64 ahead_blocks; /* as in IdgenOutcome */
	int64 ahead_ids;
	bool gapless;     /* its rest must go back to the row */
	bool ahead;       /* made while the cache still had ids */
	int percent_left; /* of the range, after this refill; 0 to 100 */
} IdgenRefill;

extern void idgen_pending_list(IdgenHandle *handle);
extern bool idgen_pending_take(IdgenHandle *handle, int64 *id);
extern void idgen_pending_add(IdgenHandle *handle, const IdgenRefill *refill);
extern bool idgen_pending_ends_at(const IdgenHandle *handle,
                                  int64 next_block_start, bool exhausted);
extern int64 idgen_pending_surrender(IdgenHandle *handle);
extern void idgen_pending_change(IdgenHandle *handle, IdgenChange change);
extern void idgen_pending_change_all(void);
extern void idgen_pending_drop_database(Oid dbid);
extern bool idgen_pending_published_ok(const IdgenHandle *handle);

extern void idgen_pending_commit_savepoint(void);
extern void idgen_pending_abort_savepoint(void);
extern void idgen_pending_return(bool (*give_back)(IdgenHandle *handle));
extern void idgen_pending_finish(bool committed, bool prepared);

#endif /* IDGEN_PENDING_H */
