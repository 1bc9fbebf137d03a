/*
 * slot.c
 *		What is done with a slot: ids are drawn and published, refills are
 *		decided on, and how much they take.
 *
 * A session that finds no id in a slot either refills, or waits for another one
 * that does. The slot decides, under its lock: so of many sessions that find it
 * empty one refills, and the rest waits. Waiting itself, and refilling, are
 * done elsewhere, without the lock: see draw/refill.c.
 *
 * What is published is allocated for good, and that is on disk (rule U3). But
 * between the allocation and now an event may have emptied the slot, because
 * ids of before are void: such a block is lost. So each event has a number from
 * one counter, the slot has that of the last one that emptied it, and a block
 * the number that was reached when it was allocated.
 *
 * An id sequence that many sessions use is refilled ahead: while ids are left,
 * so that nobody has to wait. How many blocks such a refill takes follows from
 * how fast the last ones were used up (rules T6, W3).
 *
 * With idgen.bridge_seconds, the worker keeps as many ids of another server as
 * last for that time at the rate of late: the reserve. When no more than that
 * is left, it is asked to refill, and takes a third more. So the server is
 * asked a few times in that period, and not more often than without a reserve.
 * The reserve never is more than a small part of what the server has left. So a
 * node does not take all ids of a small range.
 *
 * Locking rules: the functions that a session draws by take the slot's lock:
 * idgen_slot_draw() and idgen_slot_has(). The caller of all others holds it.
 * None raises an error.
 */
#include "postgres.h"

#include <limits.h>

#include "utils/timestamp.h"

#include "common/clock.h"
#include "common/guc.h"
#include "cache/notes.h"
#include "cache/slot.h"

/*
 * How long a wait makes sessions refill ahead. Long enough to bridge the
 * refills of a busy sequence, short enough that a lone session that comes
 * after the crowd soon takes one block at a time again.
 */
#define IDGEN_CROWD_MEMORY_MS 1000

/*
 * A refill ahead takes more blocks if the last ones were used up in less than
 * the first time, and fewer if they have lasted longer than the second one.
 * Within the first time a server commits many times, and one commit has to be
 * done before the rest is used up. After the second one, nobody misses the ids
 * that are left over.
 */
#define IDGEN_SHORT_MS 100
#define IDGEN_LONG_MS  1000

/* Refills of a transaction before these begin to grow. */
#define IDGEN_EVEN_REFILLS 8
/* The part of what it has taken by then that the next refill takes. */
#define IDGEN_GROWTH_DIVISOR 8

/* What was measured this many seconds ago counts half of what is new. */
#define IDGEN_RATE_MEMORY_S 5.0
/* The worker refills up to this many times the reserve. */
#define IDGEN_BRIDGE_SPAN (4.0 / 3.0)
/* The part of the ids that the server has left which may be the reserve. */
#define IDGEN_BRIDGE_SHARE (1.0 / 100.0)
/* While the server does not answer, it is asked again after this time. */
#define IDGEN_ASK_AGAIN_S 1.0

/* Prepare a slot for use, once. */
void
idgen_slot_init(IdgenSlot *slot, int tranche)
{
	memset(slot, 0, sizeof(IdgenSlot));
	LWLockInitialize(&slot->lock, tranche);
}

/*
 * What it is and what it holds
 */

/* Make a slot that of another id sequence, with nothing in it. */
void
idgen_slot_assign(IdgenSlot *slot, const IdgenCacheKey *key, uint64 number)
{
	memset(&slot->version, 0, sizeof(IdgenSlot) - offsetof(IdgenSlot, version));
	slot->version = slot->emptied_at = number;
	slot->key = *key;
	slot->next = slot->next_of_file = IDGEN_NO_SLOT;
	slot->session_blocks = slot->worker_blocks = 1;
	slot->told_percent = IDGEN_NOT_WARNED;
	slot->counters.since = idgen_seconds(GetCurrentTimestamp());
}

/* Have sessions look again at the row, at the event of that number. */
void
idgen_slot_look_again(IdgenSlot *slot, uint64 number)
{
	slot->version = number;
	slot->row_known = false;
	slot->told_percent = IDGEN_NOT_WARNED; /* the range may be another one */
}

/* Empty a slot, at the event of that number; what it held is lost. */
void
idgen_slot_empty(IdgenSlot *slot, uint64 number)
{
	slot->counters.lost_changed += slot->ids_left;
	slot->ids_total -= slot->ids_left;
	slot->ids_left = 0;
	slot->nruns = 0;
	slot->ahead_below = 0;
	slot->emptied_at = number;
	slot->rate = 0;
	idgen_slot_look_again(slot, number);
}

/*
 * The slot is being used. More than three uses say nothing more than that.
 */
static void
note_use(IdgenSlot *slot)
{
	if (slot->uses < 3)
		slot->uses++;
}

/*
 * Was the slot used lately? If ids were drawn since the clock hand passed, that
 * counts as one use more; else each pass takes one back. So an id sequence that
 * is drawn from again and again outlasts those that were refilled once.
 */
bool
idgen_slot_was_used(IdgenSlot *slot)
{
	if (slot->left_seen != (uint32) slot->ids_left)
	{
		slot->left_seen = (uint32) slot->ids_left;
		note_use(slot);
		return true;
	}
	if (slot->uses == 0)
		return false;
	slot->uses--;
	return true;
}

/* Ids that it has issued since its counters were reset. */
static int64
ids_issued(const IdgenSlot *slot)
{
	return idgen_add_saturating(slot->counters.ids_issued, slot->ids_total - slot->ids_left);
}

/* Copy what a slot holds, with its counters as they are to be shown. */
void
idgen_slot_copy(const IdgenSlot *slot, IdgenSlot *copy)
{
	*copy = *slot;
	copy->counters.ids_issued = ids_issued(slot);
}

/* Begin to count anew. */
void
idgen_slot_reset_counters(IdgenSlot *slot)
{
	memset(&slot->counters, 0, sizeof(IdgenCounters));
	slot->counters.since = idgen_seconds(GetCurrentTimestamp());
	slot->ids_total = slot->ids_left;
}

static void
add(int64 *to, int64 n)
{
	*to = idgen_add_saturating(*to, n);
}

static void
add_counters(IdgenCounters *to, const IdgenCounters *more)
{
	add(&to->ids_issued, more->ids_issued);
	add(&to->refills, more->refills);
	add(&to->session_refills, more->session_refills);
	add(&to->blocks_taken, more->blocks_taken);
	add(&to->waits, more->waits);
	add(&to->waited_us, more->waited_us);
	add(&to->refills_us, more->refills_us);
	add(&to->lost_changed, more->lost_changed);
	add(&to->lost_prepared, more->lost_prepared);
	add(&to->lost_crowded, more->lost_crowded);
	to->last_refill = Max(to->last_refill, more->last_refill);
}

/*
 * Count a refill that has just been made, and its time if that was taken, also
 * for those that were not timed before it. Of one that is not timed, the clock
 * of the statement says well enough when it ended.
 */
void
idgen_count_refill(IdgenRefills *refills, const IdgenRefill *refill, bool by_worker)
{
	IdgenCounters *counters = &refills->counters;
	TimestampTz end = refill->begun_at != 0 ? GetCurrentTimestamp() : GetCurrentStatementStartTimestamp();

	refills->ahead_blocks = refill->ahead_blocks;
	refills->ahead_ids = refill->ahead_ids;
	counters->refills++;
	if (!by_worker)
		counters->session_refills++;
	add(&counters->blocks_taken, refill->blocks);
	counters->last_refill = Max(counters->last_refill, idgen_seconds(end));
	if (refill->begun_at != 0)
		add(&counters->refills_us, Max(0, end - refill->begun_at) * refill->timed_for);
}

/*
 * Runs
 */

/* Remove a run from the array. The caller sees to ids_left. */
void
idgen_slot_remove_run(IdgenSlot *slot, int i)
{
	slot->nruns--;
	memmove(&slot->runs[i], &slot->runs[i + 1], (slot->nruns - i) * sizeof(IdgenRun));
}

/* The number of the first run with that many ids, or -1. */
static int
find_run(const IdgenSlot *slot, int64 count)
{
	for (int i = 0; i < slot->nruns; i++)
		if (slot->runs[i].left >= count)
			return i;
	return -1;
}

/* The first ids of a run that has that many. */
static IdgenBlock
first_of_run(const IdgenSlot *slot, int i, int64 count)
{
	return (IdgenBlock){slot->runs[i].next, count, slot->step};
}

/* Take as many as are wanted. */
static void
take(IdgenSlot *slot, int i, const IdgenWanted *wanted)
{
	IdgenRun *run = &slot->runs[i];
	int64 count = wanted->count;

	if (wanted->note != NULL)
		idgen_note_lower(wanted->note, run->next);
	slot->ids_left -= count;
	run->left -= count;
	if (run->left > 0)
		run->next += count * slot->step;
	else
		idgen_slot_remove_run(slot, i);
}

/*
 * Add a block to the runs. They stay in order, and neighbours are merged. With
 * no place left, the smallest run gives way. Returns the number of ids that
 * have found no room.
 */
static int64
add_block(IdgenSlot *slot, const IdgenBlock *block)
{
	IdgenBlock sorted[IDGEN_SLOT_RUNS + 1];
	int64 crowded = 0;
	int n = 0;
	int i = 0;

	if (slot->ids_left > PG_INT64_MAX - block->left || (slot->nruns > 0 && slot->step != block->step))
		return block->left;
	slot->step = block->step;
	for (; i < slot->nruns; i++)
	{
		IdgenBlock run = first_of_run(slot, i, slot->runs[i].left);

		if (n == i && idgen_block_before(block, &run))
			sorted[n++] = *block;
		sorted[n++] = run;
	}
	if (n == i)
		sorted[n++] = *block;
	n = idgen_blocks_merge(sorted, n);

	if (n > IDGEN_SLOT_RUNS)
	{
		int smallest = 0;

		for (i = 1; i < n; i++)
			if (sorted[i].left < sorted[smallest].left)
				smallest = i;
		crowded = sorted[smallest].left;
		n--;
		memmove(&sorted[smallest], &sorted[smallest + 1], (n - smallest) * sizeof(IdgenBlock));
	}

	for (i = 0; i < n; i++)
		slot->runs[i] = (IdgenRun){sorted[i].next, sorted[i].left};
	slot->nruns = n;
	slot->ids_left += block->left - crowded;
	slot->ids_total += block->left - crowded;
	return crowded;
}

/* Publish what is left of a refill. What finds no room is counted. */
static void
publish(IdgenSlot *slot, const IdgenRest *rest)
{
	int64 crowded = 0;

	slot->not_kept = rest->lost_at_shutdown;
	if (rest->block.left > 0)
		crowded += add_block(slot, &rest->block);
	for (int i = 0; i < rest->nmore; i++)
		if (rest->more[i].left > 0)
			crowded += add_block(slot, &rest->more[i]);
	for (const IdgenPendingCell *cell = rest->cells; cell != NULL; cell = cell->next)
		if (cell->block->left > 0)
			crowded += add_block(slot, cell->block);
	add(&slot->counters.lost_crowded, crowded);
	slot->left_seen = (uint32) slot->ids_left; /* nothing was drawn by that */
}

/*
 * How much to refill, and how early
 */

/*
 * A transaction has made that many refills, and has taken that many ids: how
 * many should the next refill take at once (rule T6)? 0 = what it would take
 * for any other transaction.
 */
int64
idgen_bulk_ids(int64 refills, int64 ids)
{
	return refills >= IDGEN_EVEN_REFILLS ? ids / IDGEN_GROWTH_DIVISOR : 0;
}

/* Has a session had to wait for another one lately? */
static bool
is_crowded(const IdgenSlot *slot)
{
	return slot->crowded_ms != 0 && idgen_clock_ms() - slot->crowded_ms <= IDGEN_CROWD_MEMORY_MS;
}

/*
 * The number of blocks for the next refill that is ahead of need, if the last
 * one asked for "blocks": twice that if those were used up fast, or did not
 * suffice; fewer, in proportion, if they have lasted long. In between, by a
 * factor of ten, the number stays. So an id sequence that is used evenly finds
 * its number and keeps it, within idgen.max_prefetch_blocks.
 */
static int64
adapt_blocks(const IdgenSlot *slot, int64 blocks)
{
	uint32 lasted;

	if (slot->filled_ms == 0)
		return 1;
	lasted = idgen_clock_ms() - slot->filled_ms;
	if (lasted < IDGEN_SHORT_MS || (lasted <= IDGEN_LONG_MS && slot->ran_dry))
		blocks *= 2;
	for (; lasted > IDGEN_LONG_MS && blocks > 1; lasted /= 2)
		blocks /= 2;
	return Min(blocks, idgen_max_prefetch_blocks);
}

/*
 * A session's refill has asked for that many blocks, and got that many ids. If
 * the next one may be ahead, remember when to begin it.
 */
static void
plan_ahead(IdgenSlot *slot, int64 blocks, int64 ids)
{
	if (ids == 0)
		return;
	slot->ahead_below = 0;
	if (!is_crowded(slot))
		return;
	slot->session_blocks = Min(blocks, INT_MAX);
	slot->ahead_below = ids / 2;
	slot->filled_ms = idgen_clock_ms();
}

/* How many ids is the reserve? 0 if there is none. */
static double
reserve(const IdgenSlot *slot)
{
	return Min((double) slot->rate * idgen_bridge_seconds, slot->left_at_server * IDGEN_BRIDGE_SHARE);
}

/*
 * See how fast the ids of the last refill were used. If none is left, it was at
 * least as fast as that: nobody knows when the last one went. So an outage that
 * outlasts the reserve does not make the next one smaller. An average over some
 * seconds counts, so that a burst does not make a reserve for which nobody has
 * use.
 */
static void
measure_rate(IdgenSlot *slot)
{
	double seconds = (idgen_clock_ms() - slot->filled_ms) / 1000.0;
	double used = Max(0, slot->left_at_fill - slot->ids_left);
	double rate;

	if (seconds <= 0)
		return;
	rate = used / seconds;
	if (slot->ids_left == 0)
		rate = Max(rate, slot->rate);
	slot->rate += (rate - slot->rate) * seconds / (seconds + IDGEN_RATE_MEMORY_S);
}

/*
 * The worker begins a refill: it takes that many blocks, or as many ids as that
 * if these are more.
 */
void
idgen_slot_begin_refill(IdgenSlot *slot, int64 *nblocks, int64 *bulk_ids)
{
	slot->worker_blocks = adapt_blocks(slot, slot->worker_blocks);
	slot->ran_dry = false;
	*nblocks = slot->worker_blocks;
	if (slot->left_at_server > 0 && slot->filled_ms != 0)
	{
		measure_rate(slot);
		*bulk_ids = Max(*bulk_ids, (int64) (reserve(slot) * IDGEN_BRIDGE_SPAN) - slot->ids_left);
	}
}

/*
 * A worker's refill has failed. If the server does not answer, request the next
 * one soon, rather than when half of what is left is used up.
 */
void
idgen_slot_note_failure(IdgenSlot *slot, bool of_server)
{
	int64 until_then = slot->ids_left;

	if (!of_server)
		return;
	if (slot->left_at_server > 0 && reserve(slot) > 0)
		until_then = Max(1, slot->rate * IDGEN_ASK_AGAIN_S);
	slot->ahead_below = Max(slot->ahead_below, slot->ids_left - until_then);
}

/*
 * A worker's refill was published: plan the next one. With a reserve it is
 * requested when no more than that is left; but some ids have to be drawn
 * before, so that draws do not request one each, whatever the server has given.
 */
static void
plan_worker(IdgenSlot *slot, const IdgenOutcome *outcome)
{
	slot->ahead_below = outcome->refills.ahead_below;
	slot->left_at_server = outcome->left_at_server;
	if (outcome->left_at_server > 0)
	{
		int64 least = Min(reserve(slot), slot->ids_left / IDGEN_BRIDGE_SPAN);

		slot->left_at_fill = slot->ids_left;
		slot->ahead_below = Max(slot->ahead_below, least);
	}
	slot->filled_ms = idgen_clock_ms();
}

/*
 * Drawing
 */

/*
 * Should this draw refill ahead? Only when ids run low while a crowd uses them,
 * and no other session is known to refill.
 */
static bool
should_refill_ahead(IdgenSlot *slot, const IdgenDraw *draw)
{
	if (slot->ids_left > slot->ahead_below || draw->mode == IDGEN_MODE_SERVED || !draw->may_be_ahead)
		return false;
	if (!is_crowded(slot))
	{
		slot->ahead_below = 0;
		return false;
	}
	if (draw->mode == IDGEN_MODE_PUBLISHING)
		return true;
	return draw->mode == IDGEN_MODE_CLAIMING && draw->may_wait && slot->claim == 0;
}

/*
 * If it is ready to: note that this session refills, as far as others are to
 * wait for it. A claim of its own may be that of a subtransaction since rolled
 * back, for which nobody waits: renew it. The claim of another session stays,
 * unless this one has waited for its end.
 */
static IdgenDrawAnswer
begin_refill(IdgenSlot *slot, const IdgenDraw *draw, IdgenDrawResult *result, int64 nblocks)
{
	if (!draw->may_refill)
		return IDGEN_DRAW_PREPARE;
	slot->ran_dry = false;
	result->nblocks = 1;
	if (draw->mode != IDGEN_MODE_ALONE)
		result->nblocks = Max(nblocks, slot->waiters + 1);
	result->claimed = draw->mode == IDGEN_MODE_CLAIMING &&
		(slot->claim == 0 || slot->claim == draw->own_claim || slot->claim == draw->awaited);
	if (result->claimed)
		slot->claim = draw->xid;
	return IDGEN_DRAW_REFILL;
}

/* A draw takes these ids. With a worker, one that finds few asks for more. */
static void
take_for(IdgenSlot *slot, const IdgenDraw *draw, int run, IdgenDrawResult *result)
{
	if (draw->mode == IDGEN_MODE_SERVED && slot->ids_left <= slot->ahead_below)
	{
		slot->ahead_below = slot->ids_left / 2;
		result->low = true;
	}
	take(slot, run, &draw->wanted);
}

/* What a session is told that finds too few ids. */
static IdgenDrawAnswer
answer_empty(IdgenSlot *slot, const IdgenDraw *draw, IdgenDrawResult *result)
{
	if (draw->mode == IDGEN_MODE_SERVED)
	{
		slot->ran_dry = true;
		slot->ahead_below = slot->ids_left / 2;
		return IDGEN_DRAW_REFILL;
	}
	if (draw->may_wait && draw->mode == IDGEN_MODE_CLAIMING && slot->claim != 0 && slot->claim != draw->own_claim &&
	    slot->claim != draw->awaited)
	{
		result->wait_for = slot->claim;
		return IDGEN_DRAW_WAIT;
	}
	return begin_refill(slot, draw, result, 1);
}

/*
 * Draw ids, or learn what to do to get some: the decisions of rules T5 and T6,
 * made under one lock.
 */
IdgenDrawAnswer
idgen_slot_draw(IdgenSlot *slot, const IdgenDraw *draw, IdgenDrawResult *result)
{
	IdgenDrawAnswer answer = IDGEN_DRAW_TAKEN;
	int run;

	result->claimed = result->low = result->ahead = false;

	LWLockAcquire(&slot->lock, LW_EXCLUSIVE);
	if (slot->version != draw->version)
		answer = IDGEN_DRAW_STALE;
	else if (!draw->published_ok || (run = find_run(slot, draw->wanted.count)) < 0)
		answer = answer_empty(slot, draw, result);
	else
	{
		result->ids = first_of_run(slot, run, draw->wanted.count);
		if (!idgen_are_wanted(&result->ids, &draw->wanted))
			answer = IDGEN_DRAW_UNFIT;
		else if (!should_refill_ahead(slot, draw))
			take_for(slot, draw, run, result);
		else
		{
			answer = begin_refill(slot, draw, result, adapt_blocks(slot, slot->session_blocks));
			result->ahead = true;
			if (answer == IDGEN_DRAW_REFILL)
				slot->ahead_below = 0; /* one is enough; publishing sets it again */
		}
	}
	if (draw->mode == IDGEN_MODE_SERVED)
	{
		result->ids_issued = ids_issued(slot);
		result->refills = slot->counters.refills;
	}
	LWLockRelease(&slot->lock);
	return answer;
}

/*
 * Take the next ids if they are wanted, and to be used before those of "block",
 * unless that is NULL.
 */
bool
idgen_slot_take_before(IdgenSlot *slot, const IdgenBlock *block, const IdgenWanted *wanted, IdgenBlock *ids)
{
	int run = find_run(slot, wanted->count);

	if (run < 0)
		return false;
	*ids = first_of_run(slot, run, wanted->count);
	if ((block != NULL && !idgen_block_before(ids, block)) || !idgen_are_wanted(ids, wanted))
		return false;
	take(slot, run, wanted);
	return true;
}

/* Does a draw have reason to look into the slot again? */
bool
idgen_slot_has(IdgenSlot *slot, uint64 version, int64 count)
{
	bool has;

	LWLockAcquire(&slot->lock, LW_SHARED);
	has = slot->version != version || find_run(slot, count) >= 0;
	LWLockRelease(&slot->lock);
	return has;
}

/*
 * Refills that are over
 */

/*
 * A transaction has ended, or has made a refill for all: apply what it did.
 * "number" is that of this event, if it has changed anything besides. Whether
 * its block is good is decided before its own changes are applied, which may
 * have been rolled back to a savepoint.
 */
void
idgen_slot_finish(IdgenSlot *slot, const IdgenOutcome *outcome, uint64 number)
{
	const IdgenRefills *refills = &outcome->refills;
	bool is_good = slot->emptied_at <= outcome->good_as_of;
	int64 ids = outcome->fate != IDGEN_REST_FORGOTTEN ? idgen_rest_ids(&outcome->rest) : 0;

	if (outcome->change >= IDGEN_SLOT_DROP)
		idgen_slot_empty(slot, number);
	else if (outcome->change == IDGEN_SLOT_REVALIDATE)
		idgen_slot_look_again(slot, number);

	if (outcome->fate == IDGEN_REST_LOST)
		add(&slot->counters.lost_prepared, ids);
	else if (ids > 0 && is_good && (slot->nruns == 0 || slot->origin == outcome->rest.origin))
	{
		slot->origin = outcome->rest.origin;
		publish(slot, &outcome->rest);
	}
	else
		add(&slot->counters.lost_changed, ids);

	if (outcome->change != IDGEN_SLOT_UNCHANGED)
		slot->ahead_below = slot->ids_left / 2; /* in case the worker refills now */
	if (outcome->by_worker && slot->ids_left > 0)
		plan_worker(slot, outcome);
	else if (outcome->fate != IDGEN_REST_FORGOTTEN)
		plan_ahead(slot, refills->ahead_blocks, refills->ahead_ids);

	if (refills->claim != 0 && slot->claim == refills->claim)
		slot->claim = 0;
	add_counters(&slot->counters, &refills->counters);
	if (outcome->by_worker && outcome->fate != IDGEN_REST_FORGOTTEN)
		slot->failure.sqlerrcode = 0;

	/* Sessions that draw from pending blocks only use the slot, too. */
	if (refills->counters.ids_issued > 0 || refills->counters.refills > 0)
		note_use(slot);
}
