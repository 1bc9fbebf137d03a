/*
 * slot_worker.c
 *		A slot that the worker refills.
 *
 * A session that finds few ids leaves a request; see IdgenSlotWork in slot.h
 * for the steps from there, and slot_work.c. The worker's attempts are
 * numbered. A session that finds no id waits for the end of an attempt that
 * begins after its request: one that has begun before may fail for a reason
 * that is gone by now.
 *
 * How much an attempt takes follows from the pace (slot_pace.c). A request says
 * besides how much a bulk load could use at once (rule T6), and the attempt
 * takes that if it is more.
 *
 * Locking rules: the functions for sessions take the slot's lock themselves.
 * The caller of the functions for the worker holds it. None of them raises an
 * error.
 */
#include "postgres.h"

#include <limits.h>

#include "miscadmin.h"
#include "utils/timestamp.h"

#include "shmem/slot_bridge.h"
#include "shmem/slot_pace.h"
#include "shmem/slot_work.h"
#include "shmem/slot_worker.h"
#include "shmem/worker_requests.h"

/*
 * A transaction requests a refill: count it, and the ids that it has drawn
 * since it requested the one before. Requests for the same attempt count once.
 *
 * It does not know what it has drawn: the hot path has no time to count. But
 * the slot knows what it has issued to all since then, and how many attempts
 * have begun. One attempt's share of these ids counts as drawn by the
 * transaction that has requested that attempt. Whoever draws most requests
 * most, so this is right on average, and exact for a transaction that is alone.
 */
static void
count_request(IdgenSlot *slot, IdgenServed *served)
{
	uint64 attempt = slot->worker.attempt + 1;
	int64 issued;

	if (attempt == served->attempt)
		return;
	idgen_slot_count_issued(slot);
	issued = slot->counters.ids_issued - served->issued; /* negative after a reset */
	if (served->refills > 0 && attempt > served->attempt && issued > 0)
		served->ids = idgen_add_saturating(served->ids, issued / (int64) (attempt - served->attempt));
	served->refills++;
	served->attempt = attempt;
	served->issued = slot->counters.ids_issued;
}

/*
 * Request a refill, and the next one when half of what is left now is used up.
 * "range" is the number of consecutive ids that are wanted, or 0 if any will
 * do. The caller holds the lock.
 */
static void
request_refill(IdgenSlot *slot, int64 range, IdgenServed *served)
{
	int bulk_ids;

	count_request(slot, served);
	bulk_ids = Min(idgen_bulk_ids(served->refills - 1, served->ids), INT_MAX);

	/*
	 * A session that wanted a longer range before, or more ids, may have them
	 * by now, or have given up.
	 */
	if (!idgen_slot_is_requested(slot))
		slot->worker.range = slot->worker.bulk_ids = 0;
	slot->worker.range = Max(slot->worker.range, range);
	slot->worker.bulk_ids = Max(slot->worker.bulk_ids, bulk_ids);
	slot->ahead_below = slot->ids_left / 2;
	idgen_slot_request(slot);
}

/*
 * For a session: draw ids where the worker refills. "served" is what this has
 * done for its transaction; "passed" is NULL if the session has passed no ids.
 * Answers
 *
 * - IDGEN_DRAW_STALE,
 * - IDGEN_DRAW_TAKEN: the caller wakes the worker if the result says so,
 * - IDGEN_DRAW_WAIT: the caller waits for the result's attempt, and calls
 *	 idgen_cache_waited() in the end.
 */
IdgenDrawAnswer
idgen_slot_draw_served(IdgenSlot *slot, uint64 version, int64 count, IdgenPassed *passed,
                       IdgenServed *served, IdgenDrawResult *result)
{
	IdgenDrawAnswer answer;
	int block;

	result->wake_worker = false;

	LWLockAcquire(&slot->lock, LW_EXCLUSIVE);
	if (passed != NULL && slot->version == version)
		idgen_slot_drop_passed(slot, passed);
	if (slot->version != version)
		answer = IDGEN_DRAW_STALE;
	else if ((block = idgen_slot_find_block(slot, count)) >= 0)
	{
		if (slot->ids_left <= slot->ahead_below)
		{
			request_refill(slot, 0, served);
			result->wake_worker = true;
		}
		result->ids = idgen_slot_take_from_block(slot, block, count);
		answer = IDGEN_DRAW_TAKEN;
	}
	else
	{
		idgen_slot_begin_wait(slot);
		request_refill(slot, count > 1 ? count : 0, served);
		result->attempt = slot->worker.attempt + 1;
		slot->ran_dry = true;
		answer = IDGEN_DRAW_WAIT;
	}
	LWLockRelease(&slot->lock);
	return answer;
}

/*
 * For a session that is told to wait, and finds that the worker could only wait
 * for this very session: withdraw the request, unless others wait as well.
 */
void
idgen_slot_withdraw_request(IdgenSlot *slot, uint64 version)
{
	LWLockAcquire(&slot->lock, LW_EXCLUSIVE);
	if (slot->version == version && slot->refill.waiters == 1)
		idgen_slot_withdraw(slot);
	LWLockRelease(&slot->lock);
}

/* For a session: it is about to sleep, as it was told. */
void
idgen_slot_count_wait(IdgenSlot *slot, uint64 version)
{
	LWLockAcquire(&slot->lock, LW_EXCLUSIVE);
	if (slot->version == version)
		slot->counters.waits++;
	LWLockRelease(&slot->lock);
}

/*
 * Has the attempt with that number ended, or one after it? The caller holds the
 * lock.
 */
static bool
has_ended(const IdgenSlot *slot, uint64 attempt)
{
	return slot->worker.attempt > attempt ||
		(slot->worker.attempt == attempt && !idgen_slot_is_attempted(slot));
}

/*
 * For a session: what has become of the attempt that it waits for, to draw that
 * many ids? Sets *failure if it has failed, and *row_locked in any case.
 */
IdgenAttemptState
idgen_slot_look_at_attempt(IdgenSlot *slot, uint64 version, int64 count, uint64 attempt,
                           IdgenFailure *failure, bool *row_locked)
{
	IdgenAttemptState state = IDGEN_ATTEMPT_AWAITED;

	LWLockAcquire(&slot->lock, LW_EXCLUSIVE);
	if (slot->version != version || idgen_slot_find_block(slot, count) >= 0)
		state = IDGEN_ATTEMPT_OVER;
	else if (has_ended(slot, attempt))
	{
		state = IDGEN_ATTEMPT_OVER;
		if (slot->worker.failure.sqlerrcode != 0 && count >= slot->worker.failure.count)
		{
			idgen_failure_read(&slot->worker.failure, failure);
			state = IDGEN_ATTEMPT_FAILED;
		}
	}
	else if (slot->work == IDGEN_WORK_NOTHING)
		state = IDGEN_ATTEMPT_OVER; /* others have taken what there was */
	*row_locked = slot->row_locked;
	LWLockRelease(&slot->lock);
	return state;
}

/*
 * For a session: the transaction that refills the slot itself, and keeps the
 * worker from the row until it ends. Invalid if there is none, or the slot is
 * not what the caller knows.
 */
TransactionId
idgen_slot_read_claim(IdgenSlot *slot, uint64 version)
{
	TransactionId claim;

	LWLockAcquire(&slot->lock, LW_EXCLUSIVE);
	claim = slot->version == version ? slot->refill.claim : InvalidTransactionId;
	LWLockRelease(&slot->lock);
	return claim;
}

/*
 * The worker begins to refill the slot, which a session has requested: note in
 * the task what is to be done. The key and the time are the caller's.
 */
void
idgen_slot_begin_attempt(IdgenSlot *slot, IdgenTask *task)
{
	idgen_slot_begin_refilling(slot);
	slot->worker.attempt++;

	slot->pace.worker_blocks = idgen_slot_adapt_blocks(slot, slot->pace.worker_blocks);
	slot->ran_dry = false;

	task->attempt = slot->worker.attempt;
	task->nblocks = slot->pace.worker_blocks;
	task->bulk_ids = Max(slot->worker.bulk_ids, idgen_bridge_begin_refill(slot));
	task->range = slot->worker.range;
	task->is_empty = slot->ids_left == 0;
	task->row_locked = slot->row_locked;
	task->failed_with = slot->worker.failure.sqlerrcode;
	slot->worker.range = slot->worker.bulk_ids = 0;
}

/*
 * The attempt under way is over: note why it has failed, if it has. If it has
 * tried until now to reach another server, requests that were made meanwhile
 * are denied as well: the sessions that wait share its failure.
 */
static void
end_attempt(IdgenSlot *slot, const IdgenFailure *failure)
{
	if (failure != NULL && failure->of == IDGEN_FAILURE_OF_SERVER && idgen_slot_is_requested(slot))
	{
		idgen_slot_withdraw(slot);
		slot->worker.attempt++;
	}
	idgen_slot_end_refilling(slot);
	slot->worker.failure.sqlerrcode = 0;
	if (failure != NULL)
		idgen_failure_keep(&slot->worker.failure, failure, slot->refill.waiters);
}

/*
 * The worker's attempt is over. What it has brought is published, and passed as
 * "outcome"; or it has failed, perhaps only for some calls. If both are NULL,
 * sessions have reason to look at the row again. A session that has requested
 * more meanwhile has it now, unless few ids are left.
 */
void
idgen_slot_end_attempt(IdgenSlot *slot, uint64 attempt,
                       const IdgenOutcome *outcome, const IdgenFailure *failure)
{
	/*
	 * It may have been abandoned meanwhile, and even followed by another one.
	 */
	if (attempt == slot->worker.attempt && idgen_slot_is_attempted(slot))
		end_attempt(slot, failure);

	if (failure != NULL && failure->of == IDGEN_FAILURE_OF_SERVER)
		idgen_bridge_note_failure(slot);
	if (outcome != NULL && outcome->rest_fate == IDGEN_OUTCOME_PUBLISHED && slot->ids_left > 0)
	{
		slot->ahead_below = outcome->ahead_below;
		if (outcome->left_at_server > 0)
			idgen_bridge_note_refill(slot, outcome->left_at_server);
		slot->pace.filled_at = GetCurrentTimestamp();
		if (slot->ids_left > slot->ahead_below)
			idgen_slot_withdraw(slot);
	}
	ConditionVariableBroadcast(&slot->refill.done);
}

/*
 * The worker goes. Without a failure, a request stays for the next worker; with
 * one, it is denied like an attempt that has failed.
 */
void
idgen_slot_abandon_attempt(IdgenSlot *slot, const IdgenFailure *failure)
{
	if (failure != NULL && idgen_slot_is_requested(slot))
	{
		if (!idgen_slot_is_attempted(slot))
			idgen_slot_begin_refilling(slot);
		idgen_slot_withdraw(slot);
		slot->worker.attempt++;
	}
	if (idgen_slot_is_attempted(slot))
		end_attempt(slot, failure);
	ConditionVariableBroadcast(&slot->refill.done);
}
