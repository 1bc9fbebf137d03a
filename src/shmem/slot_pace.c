/*
 * slot_pace.c
 *		How much to refill, and how early.
 *
 * An id sequence that many sessions use is refilled ahead: while ids are left,
 * so that nobody has to wait. How many blocks such a refill takes follows from
 * how fast the last ones were used up (rules T6, W3).
 *
 * Locking rules: the caller of every function here holds the slot's lock.
 */
#include "postgres.h"

#include <limits.h>

#include "utils/timestamp.h"

#include "common/guc.h"
#include "shmem/slot_pace.h"

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

/* Has a session had to wait for another one lately? */
bool
idgen_slot_is_crowded(const IdgenSlot *slot)
{
	return slot->pace.crowded_at != 0 &&
		!TimestampDifferenceExceeds(slot->pace.crowded_at, GetCurrentTimestamp(),
	                                IDGEN_CROWD_MEMORY_MS);
}

/*
 * The number of blocks for the next refill that is ahead of need, if the last
 * one asked for "blocks": twice that if those were used up fast, or did not
 * suffice; fewer, in proportion, if they have lasted long. In between, by a
 * factor of ten, the number stays. So an id sequence that is used evenly finds
 * its number and keeps it, within idgen.max_prefetch_blocks.
 */
int64
idgen_slot_adapt_blocks(const IdgenSlot *slot, int64 blocks)
{
	int64 lasted;

	if (slot->pace.filled_at == 0)
		return 1;
	lasted = TimestampDifferenceMilliseconds(slot->pace.filled_at, GetCurrentTimestamp());
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
void
idgen_slot_plan_ahead(IdgenSlot *slot, int64 blocks, int64 ids)
{
	if (ids == 0)
		return;
	slot->ahead_below = 0;
	if (!idgen_slot_is_crowded(slot))
		return;
	slot->pace.session_blocks = Min(blocks, INT_MAX);
	slot->ahead_below = ids / 2;
	slot->pace.filled_at = GetCurrentTimestamp();
}
