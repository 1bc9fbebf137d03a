/*
 * slot.c
 *		A slot's blocks and counters, and how it begins.
 *
 * cache.c finds slots, and gives them to id sequences.
 *
 * Locking rules: the caller of every function here holds the slot's lock. None
 * of them raises an error.
 */
#include "postgres.h"

#include "access/transam.h"

#include "shmem/slot_work.h"

/* Prepare a slot for use, once. */
void
idgen_slot_init(IdgenSlot *slot, int tranche)
{
	memset(slot, 0, sizeof(IdgenSlot));
	LWLockInitialize(&slot->lock, tranche);
	ConditionVariableInit(&slot->refill.done);
}

/*
 * Empty a slot, at the event of that number; what it held is lost. So is a
 * request for a refill ahead: who draws next asks anew.
 */
void
idgen_slot_drop(IdgenSlot *slot, uint64 number)
{
	idgen_slot_count_issued(slot);
	slot->counters.ids_lost.changed += slot->ids_left;
	slot->nblocks = 0;
	slot->ids_left = slot->left_when_counted = 0;
	slot->ahead_below = 0;
	idgen_file_entry_set(&slot->source.stored, InvalidRelFileNumber);
	slot->version = slot->dropped_at = number;
	slot->source.warned_percent = IDGEN_NOT_WARNED;
	if (slot->refill.waiters == 0)
		idgen_slot_withdraw(slot);
}

/*
 * Make a slot that of another id sequence, with nothing in it. The caller holds
 * the cache's lock, too, exclusively. "now" is roughly that: a clock takes too
 * long to be looked at under these locks.
 */
void
idgen_slot_assign(IdgenSlot *slot, const struct IdgenCacheKey *key, uint64 number, TimestampTz now)
{
	idgen_slot_drop(slot, number);
	slot->uses = 0;
	idgen_slot_reset_counters(slot, now);
	slot->source.origin = 0;

	slot->refill.claim = InvalidTransactionId;
	slot->refill.publishers = 0;
	Assert(slot->refill.waiters == 0);
	slot->ran_dry = false;
	slot->row_locked = false;

	slot->pace.filled_at = 0;
	slot->pace.crowded_at = 0;
	slot->pace.session_blocks = 1;
	slot->pace.worker_blocks = 1;

	Assert(slot->work == IDGEN_WORK_NOTHING);
	slot->worker.range = 0;
	slot->worker.bulk_ids = 0;
	slot->worker.attempt = 0;
	slot->worker.failure.sqlerrcode = 0;

	slot->key = key;
}

/*
 * The slot is being used: it was drawn from, or refilled. The clock takes back
 * one use each time that it looks. More than three say nothing more.
 */
void
idgen_slot_note_use(IdgenSlot *slot)
{
	if (slot->uses < 3)
		slot->uses++;
}

/*
 * Count the ids that were taken since this was done last. To be called before
 * ids_left is changed for another reason, and before "counters" or "uses" are
 * looked at.
 */
void
idgen_slot_count_issued(IdgenSlot *slot)
{
	int64 issued = slot->left_when_counted - slot->ids_left;

	slot->left_when_counted = slot->ids_left;
	slot->counters.ids_issued = idgen_add_saturating(slot->counters.ids_issued, issued);
	if (issued > 0)
		idgen_slot_note_use(slot);
}

/* What is counted of the id sequence. */
void
idgen_slot_read_counted(IdgenSlot *slot, IdgenCounted *counted)
{
	idgen_slot_count_issued(slot);
	counted->counters = slot->counters;
	counted->times = *idgen_slot_times(slot);
}

/* Go on counting from there, in a slot that has counted nothing. */
void
idgen_slot_restore_counted(IdgenSlot *slot, const IdgenCounted *counted)
{
	slot->counters = counted->counters;
	*idgen_slot_times(slot) = counted->times;
}

/* Begin to count anew. */
void
idgen_slot_reset_counters(IdgenSlot *slot, TimestampTz now)
{
	idgen_slot_count_issued(slot);
	memset(&slot->counters, 0, sizeof(IdgenCounters));
	*idgen_slot_times(slot) = (IdgenTimes){.counted_since = now};
}

/* Is a session, or the worker, about to publish in the slot? */
bool
idgen_slot_is_being_filled(const IdgenSlot *slot)
{
	return slot->refill.publishers > 0 || idgen_slot_is_attempted(slot);
}

/*
 * Is the slot being refilled or waited for? Then notes in it will be taken back
 * by key, so it must stay with its id sequence.
 */
bool
idgen_slot_is_busy(const IdgenSlot *slot)
{
	return slot->refill.waiters > 0 || TransactionIdIsValid(slot->refill.claim) ||
		idgen_slot_is_being_filled(slot);
}

/*
 * Is it time to say that only percent (0 to 100) of a range is left? True once
 * for each percent step.
 */
bool
idgen_slot_percent_is_news(IdgenSlot *slot, int percent)
{
	bool news = percent < slot->source.warned_percent;

	slot->source.warned_percent = percent;
	return news;
}

/* The number of the first block with that many ids, or -1. */
int
idgen_slot_find_block(const IdgenSlot *slot, int64 count)
{
	for (int i = 0; i < slot->nblocks; i++)
		if (slot->blocks[i].left >= count)
			return i;
	return -1;
}

/* Take "count" ids from a block that has that many. */
IdgenBlock
idgen_slot_take_from_block(IdgenSlot *slot, int i, int64 count)
{
	IdgenBlock ids = idgen_block_cut(&slot->blocks[i], count);

	slot->ids_left -= count;
	if (slot->blocks[i].left == 0)
		idgen_slot_remove_block(slot, i);
	return ids;
}

/*
 * Add a block to those of an id sequence, of which there is room for
 * IDGEN_SLOT_BLOCKS. The array stays in order, and neighbours are merged. With
 * no place left, the smallest block gives way. Returns the number of ids that
 * have found no room.
 */
int64
idgen_blocks_add(IdgenBlock *blocks, int *nblocks, const IdgenBlock *block)
{
	IdgenBlock sorted[IDGEN_SLOT_BLOCKS + 1];
	int64 before = 0;
	int64 crowded = 0;
	int n = 0;

	for (int i = 0; i < *nblocks; i++)
		before += blocks[i].left;
	if (before > PG_INT64_MAX - block->left)
		return block->left;

	while (n < *nblocks && idgen_block_before(&blocks[n], block))
	{
		sorted[n] = blocks[n];
		n++;
	}
	sorted[n] = *block;
	for (; n < *nblocks; n++)
		sorted[n + 1] = blocks[n];
	n++;

	n = idgen_blocks_merge(sorted, n);

	if (n > IDGEN_SLOT_BLOCKS)
	{
		int smallest = 0;

		for (int i = 1; i < n; i++)
			if (sorted[i].left < sorted[smallest].left)
				smallest = i;
		crowded = sorted[smallest].left;
		n--;
		memmove(&sorted[smallest], &sorted[smallest + 1],
		        (n - smallest) * sizeof(IdgenBlock));
	}

	memcpy(blocks, sorted, n * sizeof(IdgenBlock));
	*nblocks = n;
	return crowded;
}

/*
 * Drop the blocks that do not lie behind "last". Returns the number of their
 * ids.
 */
int64
idgen_blocks_drop_passed(IdgenBlock *blocks, int *nblocks, int64 last)
{
	int64 dropped = 0;
	int kept = 0;

	for (int i = 0; i < *nblocks; i++)
	{
		if (idgen_block_lies_behind(&blocks[i], last, blocks[i].step))
			blocks[kept++] = blocks[i];
		else
			dropped += blocks[i].left;
	}
	*nblocks = kept;
	return dropped;
}

/* Add a block; what finds no room is lost. */
void
idgen_slot_add_block(IdgenSlot *slot, const IdgenBlock *block)
{
	int nblocks = slot->nblocks;
	int64 crowded;

	idgen_slot_count_issued(slot);
	crowded = idgen_blocks_add(slot->blocks, &nblocks, block);
	slot->nblocks = nblocks;
	slot->counters.ids_lost.crowded += crowded;
	slot->ids_left += block->left - crowded;
	slot->left_when_counted = slot->ids_left;
}

/* Remove a block from the array. The caller sees to ids_left. */
void
idgen_slot_remove_block(IdgenSlot *slot, int i)
{
	slot->nblocks--;
	memmove(&slot->blocks[i], &slot->blocks[i + 1],
	        (slot->nblocks - i) * sizeof(IdgenBlock));
}

/*
 * A session draws that has passed some ids: they are lost. If nobody is about
 * to publish, there will be no more of them, and the session draws as any other
 * one from now on. So it does if the slot was emptied since: its ids are others
 * now.
 */
void
idgen_slot_drop_passed(IdgenSlot *slot, IdgenPassed *passed)
{
	bool emptied = slot->dropped_at > passed->since;

	if (!emptied)
	{
		int nblocks = slot->nblocks;
		int64 dropped;

		idgen_slot_count_issued(slot);
		dropped = idgen_blocks_drop_passed(slot->blocks, &nblocks, passed->last);
		slot->nblocks = nblocks;
		slot->counters.ids_lost.crowded += dropped;
		slot->ids_left -= dropped;
		slot->left_when_counted = slot->ids_left;
	}
	if (emptied || !idgen_slot_is_being_filled(slot))
		passed->since = 0;
}
