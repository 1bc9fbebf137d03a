/*
 * slot_draw.c
 *		Sessions draw from a slot, and learn that another one is refilling.
 *
 * A session that finds no id in a slot either refills, or waits for another one
 * that does. The slot decides, under its lock: so of many sessions that find it
 * empty one refills, and the rest waits. What a session leaves in the slot to
 * say that it refills is in IdgenSlotRefill (slot.h). Waiting itself, and
 * refilling, are done elsewhere, without the lock: see draw/refill.c.
 *
 * Locking rules: the functions of slot_draw.h take the slot's lock themselves.
 * The caller of the others holds it. None of them raises an error.
 */
#include "postgres.h"

#include "access/transam.h"
#include "utils/timestamp.h"

#include "shmem/slot_draw.h"
#include "shmem/slot_pace.h"
#include "shmem/slot_work.h"

/*
 * Should this draw refill ahead? Only when ids run low while a crowd uses them,
 * and no other session is refilling.
 */
static bool
should_refill_ahead(IdgenSlot *slot, const IdgenDraw *draw)
{
	if (slot->ids_left > slot->ahead_below)
		return false;
	if (!idgen_slot_is_crowded(slot))
	{
		slot->ahead_below = 0;
		return false;
	}
	if (draw->mode == IDGEN_MODE_PUBLISHING)
		return slot->refill.publishers == 0;
	return idgen_mode_claims(draw->mode) && draw->may_wait && !TransactionIdIsValid(slot->refill.claim);
}

/* Must this draw wait for the refill of another session? */
static bool
should_wait(const IdgenSlot *slot, const IdgenDraw *draw)
{
	if (!draw->may_wait)
		return false;
	if (draw->mode == IDGEN_MODE_PUBLISHING)
		return slot->refill.publishers > 0;
	return idgen_mode_claims(draw->mode) && TransactionIdIsValid(slot->refill.claim) &&
		slot->refill.claim != draw->own_claim;
}

/*
 * Note that this session refills, as far as others are to wait for it. A claim
 * of its own may be that of a subtransaction since rolled back, for which
 * nobody waits: renew it. The claim of another session stays.
 */
static void
begin_refill(IdgenSlot *slot, const IdgenDraw *draw, IdgenDrawResult *result)
{
	slot->ran_dry = false;
	if (draw->mode == IDGEN_MODE_PUBLISHING)
		slot->refill.publishers++;
	else if (idgen_mode_claims(draw->mode) &&
	         (!TransactionIdIsValid(slot->refill.claim) || slot->refill.claim == draw->own_claim))
	{
		slot->refill.claim = draw->xid;
		result->claimed = true;
	}
}

/*
 * Does the refill of this draw bring blocks for the sessions that wait, too? A
 * session that publishes and has lost patience refills for itself alone,
 * because the others do the same.
 */
static bool
refills_for_waiters(const IdgenDraw *draw)
{
	return idgen_mode_claims(draw->mode) ||
		(draw->mode == IDGEN_MODE_PUBLISHING && draw->may_wait);
}

/*
 * Draw ids, or learn what to do to get some: the decisions of rules T5 and T6,
 * made under one lock.
 */
IdgenDrawAnswer
idgen_slot_draw(IdgenSlot *slot, const IdgenDraw *draw, IdgenDrawResult *result)
{
	IdgenDrawAnswer answer;
	int block;

	result->claimed = false;

	LWLockAcquire(&slot->lock, LW_EXCLUSIVE);

	if (draw->passed != NULL && slot->version == draw->version)
		idgen_slot_drop_passed(slot, draw->passed);
	if (slot->version != draw->version)
		answer = IDGEN_DRAW_STALE;
	else if (idgen_mode_uses_published(draw->mode) &&
	         (block = idgen_slot_find_block(slot, draw->count)) >= 0)
	{
		if (!should_refill_ahead(slot, draw))
		{
			result->ids = idgen_slot_take_from_block(slot, block, draw->count);
			answer = IDGEN_DRAW_TAKEN;
		}
		else if (!draw->may_refill)
			answer = IDGEN_DRAW_PREPARE;
		else
		{
			result->nblocks = Max(idgen_slot_adapt_blocks(slot, slot->pace.session_blocks),
			                      slot->refill.waiters + 1);
			begin_refill(slot, draw, result);
			slot->ahead_below = 0; /* one is enough; publishing sets it again */
			answer = IDGEN_DRAW_REFILL_AHEAD;
		}
	}
	else if (should_wait(slot, draw))
	{
		idgen_slot_begin_wait(slot);
		if (draw->mode == IDGEN_MODE_PUBLISHING || slot->refill.claim != draw->awaited)
			slot->counters.waits++;
		slot->ran_dry = true;
		slot->pace.crowded_at = GetCurrentTimestamp();
		result->wait_for = slot->refill.claim;
		answer = IDGEN_DRAW_WAIT;
	}
	else if (!draw->may_refill)
		answer = IDGEN_DRAW_PREPARE;
	else
	{
		begin_refill(slot, draw, result);
		result->nblocks = refills_for_waiters(draw) ? slot->refill.waiters + 1 : 1;
		answer = IDGEN_DRAW_REFILL;
	}

	LWLockRelease(&slot->lock);
	return answer;
}

/*
 * A session waits for that many consecutive ids, which another one is to
 * publish. What has become of that?
 */
IdgenPublishingState
idgen_slot_look_at_publishing(IdgenSlot *slot, int64 count)
{
	IdgenPublishingState publishing = IDGEN_PUBLISHING_IN_VAIN;

	LWLockAcquire(&slot->lock, LW_EXCLUSIVE);
	if (idgen_slot_find_block(slot, count) >= 0)
		publishing = IDGEN_PUBLISHING_DONE;
	else if (slot->refill.publishers > 0)
		publishing = IDGEN_PUBLISHING_AWAITED;
	LWLockRelease(&slot->lock);
	return publishing;
}

/*
 * Take the next published ids if they are to be used before those of "block".
 */
bool
idgen_slot_take_before(IdgenSlot *slot, uint64 version, const IdgenBlock *block, int64 count,
                       IdgenPassed *passed, IdgenBlock *ids)
{
	bool taken = false;

	LWLockAcquire(&slot->lock, LW_EXCLUSIVE);
	if (slot->version == version)
	{
		int found;

		if (passed != NULL)
			idgen_slot_drop_passed(slot, passed);
		found = idgen_slot_find_block(slot, count);
		taken = found >= 0 && idgen_block_before(&slot->blocks[found], block);
		if (taken)
			*ids = idgen_slot_take_from_block(slot, found, count);
	}
	LWLockRelease(&slot->lock);
	return taken;
}
