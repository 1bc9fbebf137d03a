/*
 * slot_bridge.c
 *		How many ids to keep, to bridge an outage of another server.
 *
 * With idgen.bridge_seconds, the worker keeps as many ids in the cache as last
 * for that time at the rate of late: the reserve. When no more than that is
 * left, it is asked to refill, and takes a third more. So the server is asked a
 * few times in that period, and not more often than without a reserve.
 *
 * The rate is measured where the slot is looked at anyway: the worker knows how
 * many ids were left when it last refilled, and how long ago that was. An
 * average over some seconds counts, so that a burst does not make a reserve for
 * which nobody has use.
 *
 * The reserve never is more than a small part of what the server has left. So a
 * node does not take all ids of a small range.
 *
 * What is measured does not lie in the slots, of which most are not refilled
 * from another server. There are places for one in 32 slots. A slot may use any
 * place of one row; the one that was not used for the longest time gives way.
 * An event that empties a slot makes void what was measured: that slot has
 * another number of its last event then.
 *
 * Locking rules: bridges->lock protects the places. It comes after the lock of
 * the slot, which the caller holds, and none is taken under it. None of the
 * functions raises an error.
 */
#include "postgres.h"

#include "storage/lwlock.h"
#include "storage/shmem.h"
#include "utils/timestamp.h"

#include "common/guc.h"
#include "shmem/cache_internal.h"
#include "shmem/slot_bridge.h"

/* What was measured this many seconds ago counts half of what is new. */
#define IDGEN_RATE_MEMORY_S 5.0

/* The worker refills up to this many times the reserve. */
#define IDGEN_BRIDGE_SPAN (4.0 / 3.0)

/* The part of the ids that the server has left which may be the reserve. */
#define IDGEN_BRIDGE_SHARE (1.0 / 100.0)

/* While the server does not answer, it is asked again after this time. */
#define IDGEN_ASK_AGAIN_S 1.0

/* How many places make a row, and how many slots share one. */
#define IDGEN_BRIDGES_PER_ROW   8
#define IDGEN_SLOTS_PER_BRIDGES 256

/* What is measured of a slot that the worker refills from another server. */
typedef struct Bridge
{
	TimestampTz used_at;  /* 0 if the place is free */
	uint64 dropped_at;    /* of the slot */
	uint32 number;        /* of the slot */
	float rate;           /* ids a second, of late */
	float left_at_server; /* ids, after the last refill */
	float left_at_fill;   /* ids cached then */
} Bridge;

typedef struct IdgenBridges
{
	LWLock lock;
	Bridge rows[FLEXIBLE_ARRAY_MEMBER][IDGEN_BRIDGES_PER_ROW];
} IdgenBridges;

static IdgenBridges *bridges = NULL;

static int
count_rows(void)
{
	return (idgen_max_sequences - 1) / IDGEN_SLOTS_PER_BRIDGES + 1;
}

Size
idgen_bridges_size(void)
{
	return add_size(offsetof(IdgenBridges, rows), mul_size(count_rows(), sizeof(bridges->rows[0])));
}

/* Create the places or attach to them. The caller holds AddinShmemInitLock. */
void
idgen_bridges_startup_shmem(int tranche)
{
	bool found;

	bridges = ShmemInitStruct("idgen bridges", idgen_bridges_size(), &found);
	if (found)
		return;
	memset(bridges, 0, idgen_bridges_size());
	LWLockInitialize(&bridges->lock, tranche);
}

/* The row of a slot. The caller holds the lock, as with what follows. */
static Bridge *
row_of(uint32 number)
{
	return bridges->rows[number % count_rows()];
}

/* What was measured of a slot; NULL if nothing was. */
static Bridge *
find_bridge(const IdgenSlot *slot)
{
	uint32 number = idgen_cache_slot_number(slot);
	Bridge *row = row_of(number);

	for (int i = 0; i < IDGEN_BRIDGES_PER_ROW; i++)
		if (row[i].used_at != 0 && row[i].number == number && row[i].dropped_at == slot->dropped_at)
			return &row[i];
	return NULL;
}

/* The same; if nothing was measured, a new place. */
static Bridge *
find_or_take_bridge(const IdgenSlot *slot)
{
	Bridge *bridge = find_bridge(slot);
	uint32 number = idgen_cache_slot_number(slot);
	Bridge *row = row_of(number);

	if (bridge == NULL)
	{
		bridge = &row[0];
		for (int i = 1; i < IDGEN_BRIDGES_PER_ROW; i++)
			if (row[i].used_at < bridge->used_at)
				bridge = &row[i];
		*bridge = (Bridge){.number = number, .dropped_at = slot->dropped_at};
	}
	bridge->used_at = GetCurrentTimestamp();
	return bridge;
}

/* How many ids is the reserve? 0 if there is none. */
static double
reserve(const Bridge *bridge)
{
	return Min((double) bridge->rate * idgen_bridge_seconds, bridge->left_at_server * IDGEN_BRIDGE_SHARE);
}

/*
 * See how fast the ids of the last refill were used. If none is left, it was at
 * least as fast as that: nobody knows when the last one went. So an outage that
 * outlasts the reserve does not make the next one smaller.
 */
static void
measure(Bridge *bridge, const IdgenSlot *slot)
{
	double seconds = (GetCurrentTimestamp() - slot->pace.filled_at) / (double) USECS_PER_SEC;
	double used = Max(0, bridge->left_at_fill - slot->ids_left);
	double rate;

	if (seconds <= 0)
		return;
	rate = used / seconds;
	if (slot->ids_left == 0)
		rate = Max(rate, bridge->rate);
	bridge->rate += (rate - bridge->rate) * seconds / (seconds + IDGEN_RATE_MEMORY_S);
}

/*
 * A refill begins. How many ids should it take for the reserve? 0 = it need
 * not.
 */
int64
idgen_bridge_begin_refill(const IdgenSlot *slot)
{
	int64 ids = 0;
	Bridge *bridge;

	LWLockAcquire(&bridges->lock, LW_EXCLUSIVE);
	bridge = find_bridge(slot);
	if (bridge != NULL)
	{
		measure(bridge, slot);
		ids = Max(0, reserve(bridge) * IDGEN_BRIDGE_SPAN - slot->ids_left);
	}
	LWLockRelease(&bridges->lock);
	return ids;
}

/*
 * A refill has been published. The next one is requested when no more than the
 * reserve is left; but some ids have to be drawn before, so that draws do not
 * request one each, whatever the server has given.
 */
void
idgen_bridge_note_refill(IdgenSlot *slot, double left_at_server)
{
	Bridge *bridge;
	int64 ahead_below;

	LWLockAcquire(&bridges->lock, LW_EXCLUSIVE);
	bridge = find_or_take_bridge(slot);
	bridge->left_at_server = left_at_server;
	bridge->left_at_fill = slot->ids_left;
	ahead_below = Min(reserve(bridge), slot->ids_left / IDGEN_BRIDGE_SPAN);
	LWLockRelease(&bridges->lock);
	slot->ahead_below = Max(slot->ahead_below, ahead_below);
}

/*
 * A refill has failed, as the server does not answer: request the next one
 * soon, rather than when half of what is left is used up.
 */
void
idgen_bridge_note_failure(IdgenSlot *slot)
{
	int64 until_then = slot->ids_left;
	const Bridge *bridge;

	LWLockAcquire(&bridges->lock, LW_EXCLUSIVE);
	bridge = find_bridge(slot);
	if (bridge != NULL && reserve(bridge) > 0)
		until_then = Max(1, bridge->rate * IDGEN_ASK_AGAIN_S);
	LWLockRelease(&bridges->lock);
	slot->ahead_below = Max(slot->ahead_below, slot->ids_left - until_then);
}
