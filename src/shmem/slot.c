/*
 * slot.c
 *		The cache's place for one id sequence: what happens under its lock.
 *
 * This is where sessions meet: they draw published ids, learn that another one
 * is refilling, and leave what their transactions did not use. How slots are
 * found and given to id sequences is the business of cache.c, and so are the
 * locking rules.
 */
#include "postgres.h"

#include "access/transam.h"
#include "miscadmin.h"
#include "utils/timestamp.h"

#include "common/guc.h"
#include "shmem/slot.h"

/*
 * How long a wait makes sessions refill ahead. Long enough to bridge the
 * refills of a busy sequence, short enough that a lone session that comes
 * after the crowd soon takes one block at a time again.
 */
#define IDGEN_CROWD_MEMORY_MS 1000

/*
 * A refill ahead takes more blocks if the last ones were used up in less than the
 * first time, and fewer if they have lasted longer than the second one. The
 * first is that of many commits, of which one has to be done before the rest
 * is used up; ids that are left over from the second are not missed.
 */
#define IDGEN_SHORT_MS 100
#define IDGEN_LONG_MS  1000

/*
 * Count the ids that were taken since this was done last. To be called before ids_left
 * is changed for another reason, and before the counters or "used" are looked at. Caller
 * holds the lock.
 */
void
idgen_slot_count_issued(IdgenSlot *slot)
{
	int64 issued = slot->left_when_counted - slot->ids_left;

	slot->left_when_counted = slot->ids_left;
	slot->counters.ids_issued = idgen_add_saturating(slot->counters.ids_issued, issued);
	if (issued > 0)
		slot->used = true;
}

/*
 * Empty a slot, at the event of that number; what it held is lost. Caller
 * holds the lock.
 */
void
idgen_slot_drop(IdgenSlot *slot, uint64 number)
{
	idgen_slot_count_issued(slot);
	slot->counters.ids_lost.changed += slot->ids_left;
	slot->nblocks = 0;
	slot->ids_left = slot->left_when_counted = 0;
	slot->ahead_below = 0;
	idgen_file_entry_set(&slot->stored, InvalidRelFileNumber);
	slot->version = slot->dropped_at = number;
	slot->warned_percent = 101;
}

/*
 * Make a slot that of another id sequence, with nothing in it. Caller holds the
 * lock, and that of the hash table.
 */
void
idgen_slot_assign(IdgenSlot *slot, const struct IdgenCacheKey *key, uint64 number)
{
	idgen_slot_drop(slot, number);
	slot->origin = 0;
	slot->used = false;
	slot->claim = InvalidTransactionId;
	slot->refilling = 0;
	slot->waiters = 0;
	slot->ahead_blocks = 1;
	slot->crowded_at = 0;
	*slot->requested = false;
	slot->range_requested = 0;
	slot->attempts_begun = slot->attempts_done = 0;
	slot->failure.sqlerrcode = 0;
	slot->row_locked = false;
	slot->prefetch_blocks = 1;
	slot->filled_at = 0;
	slot->ran_dry = false;
	memset(&slot->counters, 0, sizeof(IdgenCounters));
	slot->key = key;
}

/* The number of the first block with so many ids, or -1. Caller holds the lock. */
static int
find_block(const IdgenSlot *slot, int64 count)
{
	for (int i = 0; i < slot->nblocks; i++)
		if (slot->blocks[i].left >= count)
			return i;
	return -1;
}

/* Remove a block from the array. Caller holds the lock. */
void
idgen_slot_remove_block(IdgenSlot *slot, int i)
{
	slot->nblocks--;
	memmove(&slot->blocks[i], &slot->blocks[i + 1],
	        (slot->nblocks - i) * sizeof(IdgenBlock));
}

/* Take ids in a row from a block that has so many. Caller holds the lock. */
static IdgenBlock
take_from_block(IdgenSlot *slot, int i, int64 count)
{
	IdgenBlock ids = idgen_block_cut(&slot->blocks[i], count);

	slot->ids_left -= count;
	if (slot->blocks[i].left == 0)
		idgen_slot_remove_block(slot, i);
	return ids;
}

static bool
crowded_lately(const IdgenSlot *slot)
{
	return slot->crowded_at != 0 &&
		!TimestampDifferenceExceeds(slot->crowded_at, GetCurrentTimestamp(),
	                                IDGEN_CROWD_MEMORY_MS);
}

/*
 * Should this draw refill ahead? Only when ids run low while a crowd uses
 * them, and when nobody else is at it. Caller holds the slot's lock.
 */
static bool
should_refill_ahead(IdgenSlot *slot, const IdgenDraw *draw)
{
	if (slot->ids_left > slot->ahead_below)
		return false;
	if (!crowded_lately(slot))
	{
		slot->ahead_below = 0;
		return false;
	}
	if (draw->mode == IDGEN_MODE_PUBLISHING)
		return slot->refilling == 0;
	return idgen_mode_claims(draw->mode) && draw->may_wait && !TransactionIdIsValid(slot->claim);
}

/* Must this draw wait for somebody else's refill? Caller holds the slot's lock. */
static bool
should_wait(const IdgenSlot *slot, const IdgenDraw *draw)
{
	if (!draw->may_wait)
		return false;
	if (draw->mode == IDGEN_MODE_PUBLISHING)
		return slot->refilling > 0;
	return idgen_mode_claims(draw->mode) && TransactionIdIsValid(slot->claim) &&
		slot->claim != draw->own_claim;
}

/*
 * The number of blocks for the next refill that is ahead of need (rules T6, W3): twice as
 * many as the last time if those were used up fast, or did not suffice; fewer, in
 * proportion, if they have lasted long. In between, by a factor of ten, it stays: so an id
 * sequence that is used evenly finds its amount and keeps it, within
 * idgen.max_prefetch_blocks.
 */
static int64
adapt_blocks(const IdgenSlot *slot, int64 blocks)
{
	int64 lasted;

	if (slot->filled_at == 0)
		return 1;
	lasted = TimestampDifferenceMilliseconds(slot->filled_at, GetCurrentTimestamp());
	if (lasted < IDGEN_SHORT_MS || (lasted <= IDGEN_LONG_MS && slot->ran_dry))
		blocks *= 2;
	for (; lasted > IDGEN_LONG_MS && blocks > 1; lasted /= 2)
		blocks /= 2;
	return Min(blocks, idgen_max_prefetch_blocks);
}

/*
 * Note that the caller refills, as far as others are to wait for it. A claim
 * of its own may be that of a subtransaction since rolled back, for which
 * nobody waits: renew it. A claim of somebody else stays. Caller holds the
 * slot's lock.
 */
static void
begin_refill(IdgenSlot *slot, const IdgenDraw *draw, IdgenDrawResult *result)
{
	slot->ran_dry = false;
	if (draw->mode == IDGEN_MODE_PUBLISHING)
		slot->refilling++;
	else if (idgen_mode_claims(draw->mode) &&
	         (!TransactionIdIsValid(slot->claim) || slot->claim == draw->own_claim))
	{
		slot->claim = draw->xid;
		result->claimed = true;
	}
}

/*
 * Does a refill bring blocks for those who wait, too? A session that publishes
 * and has lost patience refills for itself alone: the others do the same.
 */
static bool
refills_for_waiters(const IdgenDraw *draw)
{
	return idgen_mode_claims(draw->mode) ||
		(draw->mode == IDGEN_MODE_PUBLISHING && draw->may_wait);
}

/*
 * Draw ids from the cache, or learn what to do to get some: the decisions of
 * rules T5 and T6, made under one lock.
 *
 * The claim is the xid of the (sub)transaction that refills; others wait for
 * the end of it in the server's lock manager. It is set before the refill
 * begins, so that of many sessions that find the cache empty one refills and
 * the rest waits for that one. A refill that is published at once needs no
 * transaction to end: "refilling" counts it, and a condition variable tells.
 */
IdgenDrawAnswer
idgen_slot_draw(IdgenSlot *slot, const IdgenDraw *draw, IdgenDrawResult *result)
{
	IdgenDrawAnswer answer;
	int block;

	result->claimed = false;

	LWLockAcquire(&slot->lock, LW_EXCLUSIVE);

	if (slot->version != draw->version)
		answer = IDGEN_DRAW_STALE;
	else if (idgen_mode_uses_published(draw->mode) && (block = find_block(slot, draw->count)) >= 0)
	{
		if (!should_refill_ahead(slot, draw))
		{
			result->ids = take_from_block(slot, block, draw->count);
			answer = IDGEN_DRAW_TAKEN;
		}
		else if (!draw->may_refill)
			answer = IDGEN_DRAW_PREPARE;
		else
		{
			result->nblocks = Max(adapt_blocks(slot, slot->ahead_blocks), slot->waiters + 1);
			begin_refill(slot, draw, result);
			slot->ahead_below = 0; /* one is enough; publishing sets it again */
			answer = IDGEN_DRAW_REFILL_AHEAD;
		}
	}
	else if (should_wait(slot, draw))
	{
		slot->waiters++;
		if (draw->mode == IDGEN_MODE_PUBLISHING || slot->claim != draw->awaited)
			slot->counters.waits++;
		slot->ran_dry = true;
		slot->crowded_at = GetCurrentTimestamp();
		result->wait_for = draw->mode == IDGEN_MODE_PUBLISHING ? InvalidTransactionId : slot->claim;
		answer = IDGEN_DRAW_WAIT;
	}
	else if (!draw->may_refill)
		answer = IDGEN_DRAW_PREPARE;
	else
	{
		begin_refill(slot, draw, result);
		result->nblocks = refills_for_waiters(draw) ? slot->waiters + 1 : 1;
		answer = IDGEN_DRAW_REFILL;
	}

	LWLockRelease(&slot->lock);
	return answer;
}

/* Take the next published ids if they begin below limit. */
bool
idgen_slot_take_below(IdgenSlot *slot, uint64 version, int64 limit, int64 count, IdgenBlock *ids)
{
	bool taken = false;
	int block;

	LWLockAcquire(&slot->lock, LW_EXCLUSIVE);
	block = find_block(slot, count);
	if (slot->version == version && block >= 0 && slot->blocks[block].next < limit)
	{
		*ids = take_from_block(slot, block, count);
		taken = true;
	}
	LWLockRelease(&slot->lock);
	return taken;
}

/*
 * Add a block, keeping the array in order and merging neighbours. With no
 * place left, the smallest block gives way. Caller holds the lock.
 */
static void
slot_add_block(IdgenSlot *slot, const IdgenBlock *block)
{
	IdgenBlock sorted[IDGEN_SLOT_BLOCKS + 1];
	int n = 0;

	idgen_slot_count_issued(slot);
	if (slot->ids_left > PG_INT64_MAX - block->left)
	{
		slot->counters.ids_lost.crowded += block->left;
		return;
	}

	while (n < slot->nblocks && idgen_block_before(&slot->blocks[n], block))
	{
		sorted[n] = slot->blocks[n];
		n++;
	}
	sorted[n] = *block;
	for (; n < slot->nblocks; n++)
		sorted[n + 1] = slot->blocks[n];
	n++;

	n = idgen_blocks_merge(sorted, n);

	if (n > IDGEN_SLOT_BLOCKS)
	{
		int smallest = 0;

		for (int i = 1; i < n; i++)
			if (sorted[i].left < sorted[smallest].left)
				smallest = i;
		slot->counters.ids_lost.crowded += sorted[smallest].left;
		slot->ids_left -= sorted[smallest].left;
		n--;
		memmove(&sorted[smallest], &sorted[smallest + 1],
		        (n - smallest) * sizeof(IdgenBlock));
	}

	memcpy(slot->blocks, sorted, n * sizeof(IdgenBlock));
	slot->nblocks = n;
	slot->ids_left += block->left;
	slot->left_when_counted = slot->ids_left;
}

/* Ids that were taken just now are not used after all. */
void
idgen_slot_put_back(IdgenSlot *slot, uint64 version, const IdgenBlock *ids)
{
	LWLockAcquire(&slot->lock, LW_EXCLUSIVE);
	if (slot->version == version)
	{
		slot_add_block(slot, ids);
		slot->counters.ids_issued -= ids->left;
	}
	LWLockRelease(&slot->lock);
}

/* The block that will be used last; an empty one if there is none. Caller holds the lock. */
static IdgenBlock
last_block(const IdgenSlot *slot)
{
	return slot->nblocks > 0 ? slot->blocks[slot->nblocks - 1] : (IdgenBlock){0};
}

/* The same, if the slot still is what the caller knows. */
IdgenBlock
idgen_slot_last_block(IdgenSlot *slot, uint64 version)
{
	IdgenBlock block = {0};

	LWLockAcquire(&slot->lock, LW_EXCLUSIVE);
	if (slot->version == version)
		block = last_block(slot);
	LWLockRelease(&slot->lock);
	return block;
}

/*
 * Take all ids of the published block that ends where another one begins, if they and
 * those of that one are so many in a row.
 */
bool
idgen_slot_take_joint(IdgenSlot *slot, uint64 version, int64 count, const IdgenBlock *block, IdgenBlock *ids)
{
	bool taken = false;

	LWLockAcquire(&slot->lock, LW_EXCLUSIVE);
	for (int i = 0; i < slot->nblocks && slot->version == version && !taken; i++)
	{
		IdgenBlock *published = &slot->blocks[i];

		taken = published->left < count && published->left >= count - block->left &&
			idgen_block_adjacent(published, block);
		if (taken)
			*ids = take_from_block(slot, i, published->left);
	}
	LWLockRelease(&slot->lock);
	return taken;
}

/* Add the rest of a refill. Caller holds the lock. */
static void
slot_add_rest(IdgenSlot *slot, const IdgenRest *rest)
{
	if (rest->block.left > 0)
		slot_add_block(slot, &rest->block);
	for (int i = 0; i < rest->nmore; i++)
		slot_add_block(slot, &rest->more[i]);
	idgen_file_entry_set(&slot->stored, rest->storage);
	slot->origin = rest->origin;
	slot->lost_at_shutdown = rest->lost_at_shutdown;
}

/*
 * Publish the rest of a refill, or count it as lost. Returns the ids lost
 * because there was no slot when they were allocated. Caller holds the lock.
 */
static int64
publish_or_lose(IdgenSlot *slot, const IdgenOutcome *outcome)
{
	int64 ids = idgen_rest_ids(&outcome->rest);

	/* What a transaction allocates after changing the row itself is good. */
	bool good = outcome->rest_good_as_of != IDGEN_NOT_PUBLISHABLE &&
		(outcome->drop || slot->dropped_at <= outcome->rest_good_as_of) &&
		(slot->nblocks == 0 || slot->origin == outcome->rest.origin);

	if (ids == 0)
		return 0;
	if (outcome->unsafe)
		slot->counters.ids_lost.prepared += ids;
	else if (good)
		slot_add_rest(slot, &outcome->rest);
	else if (outcome->rest_good_as_of == 0)
		return ids;
	else
		slot->counters.ids_lost.changed += ids;
	return 0;
}

/* If the next refill may be ahead, remember when to begin it. Caller holds the lock. */
static void
plan_ahead(IdgenSlot *slot, const IdgenOutcome *outcome)
{
	if (outcome->ahead_ids == 0)
		return;
	slot->ahead_below = 0;
	if (!crowded_lately(slot))
		return;
	slot->ahead_blocks = outcome->ahead_blocks;
	slot->ahead_below = outcome->ahead_ids / 2;
	slot->filled_at = GetCurrentTimestamp();
}

/* Caller holds the lock. */
static void
add_counters(IdgenSlot *slot, const IdgenCounters *add)
{
	slot->counters.ids_issued = idgen_add_saturating(slot->counters.ids_issued, add->ids_issued);
	slot->counters.refills += add->refills;
	slot->counters.blocks_taken = idgen_add_saturating(slot->counters.blocks_taken, add->blocks_taken);
	slot->counters.last_refill = Max(slot->counters.last_refill, add->last_refill);
}

/*
 * A transaction has ended: apply what it did; "number" is that of this event.
 * Returns the ids lost because there was no slot when they were allocated.
 * Caller holds the lock.
 */
int64
idgen_slot_finish(IdgenSlot *slot, const IdgenOutcome *outcome, uint64 number)
{
	int64 uncached = 0;

	if (outcome->drop)
		idgen_slot_drop(slot, number);
	else if (outcome->revalidate)
	{
		slot->version = number;
		slot->warned_percent = 101; /* the range may be another one */
	}

	if (outcome->publish)
	{
		uncached = publish_or_lose(slot, outcome);
		slot->counters.ids_lost.crowded += outcome->counters.ids_lost.crowded;
	}
	if (outcome->revalidate)
		slot->ahead_below = slot->ids_left / 2; /* in case the worker refills now */
	if (outcome->publish)
		plan_ahead(slot, outcome);

	if (TransactionIdIsValid(outcome->claim) && slot->claim == outcome->claim)
		slot->claim = InvalidTransactionId;

	add_counters(slot, &outcome->counters);
	return uncached;
}

/*
 * Are there too few ids in a row, and is a session refilling that will publish
 * at once?
 */
bool
idgen_slot_awaits_publishing(IdgenSlot *slot, int64 count)
{
	bool awaits;

	LWLockAcquire(&slot->lock, LW_EXCLUSIVE);
	awaits = find_block(slot, count) < 0 && slot->refilling > 0;
	LWLockRelease(&slot->lock);
	return awaits;
}

/*
 * Publish what a refill that idgen_slot_draw() let begin "at once" has brought
 * (unsafe, rest*, ahead_* and counters of the outcome), and wake those who wait for it. Before
 * anybody else, take so many ids in a row, unless count is 0; false if there are not.
 */
bool
idgen_slot_publish(IdgenSlot *slot, const IdgenOutcome *outcome, int64 count, IdgenBlock *ids)
{
	IdgenRest rest = outcome->rest;
	bool taken = false;
	int block;

	LWLockAcquire(&slot->lock, LW_EXCLUSIVE);
	if (count == 1)
	{
		/* Often there are no others, and nothing is left to add. */
		*ids = idgen_block_cut(&rest.block, 1);
		slot->counters.ids_issued++;
		taken = true;
	}
	if (outcome->unsafe)
		slot->counters.ids_lost.prepared += idgen_rest_ids(&rest);
	else if (slot->origin == rest.origin && slot->dropped_at <= outcome->rest_good_as_of)
		slot_add_rest(slot, &rest);
	else
		slot->counters.ids_lost.changed += idgen_rest_ids(&rest);
	if (count > 1 && (block = find_block(slot, count)) >= 0)
	{
		*ids = take_from_block(slot, block, count);
		taken = true;
	}
	plan_ahead(slot, outcome);
	add_counters(slot, &outcome->counters);
	Assert(slot->refilling > 0);
	slot->refilling--;
	LWLockRelease(&slot->lock);
	ConditionVariableBroadcast(&slot->refilled);
	return taken;
}

/* Such a refill was given up. Caller holds the lock. */
void
idgen_slot_not_refilled(IdgenSlot *slot)
{
	Assert(slot->refilling > 0);
	slot->refilling--;
	ConditionVariableBroadcast(&slot->refilled);
}

/*
 * Ask for the worker, and again when half of what is left now is used up. "range" is
 * the number of ids that are wanted in a row, if that matters, or 0.
 */
static void
request_refill(IdgenSlot *slot, int64 range)
{
	/* Who asked for a longer one before may have got it, or given up. */
	slot->range_requested = *slot->requested ? Max(slot->range_requested, range) : range;
	*slot->requested = true;
	slot->requested_by = GetUserId();
	slot->ahead_below = slot->ids_left / 2;
}

/*
 * Draw ids from the cache where the worker refills: taken, and then the
 * caller wakes the worker if wake_worker says so; or else it waits for it.
 *
 * A session waits for the end of an attempt that begins after this call: one
 * that has begun before may have failed for a reason that is gone by now.
 */
IdgenDrawAnswer
idgen_slot_draw_served(IdgenSlot *slot, uint64 version, int64 count, IdgenDrawResult *result)
{
	IdgenDrawAnswer answer;
	int block;

	result->wake_worker = false;

	LWLockAcquire(&slot->lock, LW_EXCLUSIVE);
	if (slot->version != version)
		answer = IDGEN_DRAW_STALE;
	else if ((block = find_block(slot, count)) >= 0)
	{
		if (slot->ids_left <= slot->ahead_below)
		{
			request_refill(slot, 0);
			result->wake_worker = true;
		}
		result->ids = take_from_block(slot, block, count);
		answer = IDGEN_DRAW_TAKEN;
	}
	else
	{
		request_refill(slot, count > 1 ? count : 0);
		result->attempt = slot->attempts_begun + 1;
		slot->waiters++;
		slot->counters.waits++;
		slot->ran_dry = true;
		answer = IDGEN_DRAW_WAIT;
	}
	LWLockRelease(&slot->lock);
	return answer;
}

/*
 * What has become of the worker's attempt, for a session that waits for it? Sets
 * *failure if it has failed, and *row_locked in any case.
 */
IdgenAttemptState
idgen_slot_look_at_attempt(IdgenSlot *slot, uint64 version, int64 count, uint64 attempt,
                           IdgenFailure *failure, bool *row_locked)
{
	IdgenAttemptState state = IDGEN_ATTEMPT_AWAITED;

	LWLockAcquire(&slot->lock, LW_EXCLUSIVE);
	if (slot->version != version || find_block(slot, count) >= 0)
		state = IDGEN_ATTEMPT_OVER;
	else if (slot->attempts_done >= attempt)
	{
		*failure = slot->failure;
		state = failure->sqlerrcode != 0 && count >= failure->count ? IDGEN_ATTEMPT_FAILED : IDGEN_ATTEMPT_OVER;
	}
	else if (!*slot->requested && slot->attempts_begun == slot->attempts_done)
		state = IDGEN_ATTEMPT_OVER; /* others have taken what there was */
	*row_locked = slot->row_locked;
	LWLockRelease(&slot->lock);
	return state;
}

/*
 * The worker begins to refill the slot, which somebody has requested. Returns the
 * number of blocks to allocate; *range is the number of ids that somebody wants in a
 * row, or 0, and *joins the block that they may join. Caller holds the lock.
 */
int
idgen_slot_begin_attempt(IdgenSlot *slot, int64 *range, IdgenBlock *joins)
{
	*slot->requested = false;
	*range = slot->range_requested;
	slot->range_requested = 0;
	*joins = last_block(slot);
	slot->attempts_begun++;
	slot->prefetch_blocks = adapt_blocks(slot, slot->prefetch_blocks);
	slot->ran_dry = false;
	return slot->prefetch_blocks;
}

/*
 * The worker's attempt is over. What it has brought is published ("outcome"), or it has
 * failed, perhaps only for some; if neither (both are NULL), there is reason to look at
 * the row again. Whoever has asked for more meanwhile has it now, unless few ids are left.
 * Caller holds the lock.
 */
void
idgen_slot_end_attempt(IdgenSlot *slot, uint64 attempt,
                       const IdgenOutcome *outcome, const IdgenFailure *failure)
{
	/* Unless it has been abandoned meanwhile. */
	if (attempt == slot->attempts_begun && attempt != slot->attempts_done)
	{
		slot->attempts_done = attempt;
		slot->failure.sqlerrcode = 0;
		if (failure != NULL)
			slot->failure = *failure;
	}
	if (outcome != NULL && !outcome->unsafe && slot->ids_left > 0)
	{
		slot->ahead_below = outcome->ahead_below;
		slot->filled_at = GetCurrentTimestamp();
		slot->row_locked = false;
		if (slot->ids_left > slot->ahead_below)
			*slot->requested = false;
	}
	ConditionVariableBroadcast(&slot->refilled);
}

/*
 * Is it time to say that only percent (0 to 100) of a range is left? True once
 * for each percent step. Caller holds the lock.
 */
bool
idgen_slot_warning_due(IdgenSlot *slot, int percent)
{
	bool due = percent < slot->warned_percent;

	slot->warned_percent = percent;
	return due;
}
