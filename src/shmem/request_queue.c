/*
 * request_queue.c
 *		Which slots of the cache the worker has something to do with, in order.
 *
 * Each database that has such slots has three queues of them: those that
 * sessions wait for, those to be refilled ahead of need, and those of which an
 * attempt is under way. Whoever joins a queue stands at its end. So the worker
 * finds what to do next at once, however many slots there are, and however many
 * of them other databases have requested.
 *
 * Queues are rings of slots, linked by their numbers. The links lie beside the
 * slots in an array. Each queue has a link of its own in that array, behind
 * those of the slots, at which its ring begins and ends. So a slot leaves its
 * queue without looking for it.
 *
 * A database gets a place for its three queues when it needs one, and gives it
 * back when they are empty. The places are found by hash chains. If more
 * databases have requests at a time than there are places, the others share
 * place 0; there, one of them has to pass over what the others have requested.
 *
 * slot_work.c decides which queue a slot belongs to.
 *
 * Locking rules: queues->lock protects everything. It comes after a slot's
 * lock, and nothing raises an error under it. A slot is moved by a process that
 * holds its lock. So the worker reads which slot is the first one, locks that
 * slot, and looks whether it still is in that queue.
 */
#include "postgres.h"

#include "common/hashfn.h"
#include "storage/lwlock.h"
#include "storage/shmem.h"

#include "shmem/cache_internal.h"
#include "shmem/request_queue.h"

/* Each of this many slots comes with a place for a database, within limits. */
#define IDGEN_SLOTS_PER_PLACE 8
#define IDGEN_MIN_PLACES      8
#define IDGEN_MAX_PLACES      1024

#define IDGEN_QUEUES_PER_PLACE 3

/* The place that databases share, and the end of a chain of places. */
#define IDGEN_SHARED_PLACE 0

/* The neighbours of a slot in its queue; both are IDGEN_NO_SLOT if in none. */
typedef struct Link
{
	uint32 next;
	uint32 prev;
} Link;

/* The queues of a database. */
typedef struct Place
{
	Oid dbid;
	uint32 next;          /* the next one of its chain, or of the free ones */
	uint32 first_of_hash; /* the first one of the chain with this number */
} Place;

typedef struct IdgenRequestQueues
{
	LWLock lock;
	uint32 nslots;
	uint32 nplaces; /* place 0 included */
	uint32 free;    /* the first free place */
} IdgenRequestQueues;

static IdgenRequestQueues *queues = NULL;
static Place *places;
static Link *links; /* of the slots, then of the queues of each place */

static uint32
count_places(int nslots)
{
	return Min(Max(nslots / IDGEN_SLOTS_PER_PLACE, IDGEN_MIN_PLACES), IDGEN_MAX_PLACES) + 1;
}

static uint32
count_links(int nslots)
{
	return nslots + count_places(nslots) * IDGEN_QUEUES_PER_PLACE;
}

Size
idgen_request_queue_size(int nslots)
{
	Size size = MAXALIGN(sizeof(IdgenRequestQueues));

	size = add_size(size, MAXALIGN(mul_size(count_places(nslots), sizeof(Place))));
	return add_size(size, mul_size(count_links(nslots), sizeof(Link)));
}

/* The number of the link of a queue. */
static uint32
link_of_queue(uint32 place, IdgenRequestQueue queue)
{
	Assert(queue != IDGEN_QUEUE_NONE);
	return queues->nslots + place * IDGEN_QUEUES_PER_PLACE + (queue - IDGEN_QUEUE_AWAITED);
}

static bool
is_slot(uint32 number)
{
	return number < queues->nslots;
}

static bool
is_empty(uint32 place, IdgenRequestQueue queue)
{
	return !is_slot(links[link_of_queue(place, queue)].next);
}

/* Initialize what a new segment of shared memory holds. */
static void
init(int nslots, int tranche)
{
	LWLockInitialize(&queues->lock, tranche);
	queues->nslots = nslots;
	queues->nplaces = count_places(nslots);
	queues->free = 1;
	for (uint32 i = 0; i < queues->nplaces; i++)
		places[i] = (Place){InvalidOid, (i + 1) % queues->nplaces, IDGEN_SHARED_PLACE};
	for (uint32 i = 0; i < count_links(nslots); i++)
		links[i] = is_slot(i) ? (Link){IDGEN_NO_SLOT, IDGEN_NO_SLOT} : (Link){i, i};
}

/*
 * Create the queues or attach to them. The caller holds AddinShmemInitLock.
 */
void
idgen_request_queue_startup_shmem(int nslots, int tranche)
{
	bool found;

	queues = ShmemInitStruct("idgen request queues", idgen_request_queue_size(nslots), &found);
	places = (Place *) ((char *) queues + MAXALIGN(sizeof(IdgenRequestQueues)));
	links = (Link *) ((char *) places + MAXALIGN(count_places(nslots) * sizeof(Place)));
	if (!found)
		init(nslots, tranche);
}

/*
 * Places. The caller of the functions holds the lock.
 */

/* Where the chain of a database begins. */
static uint32 *
chain_of(Oid dbid)
{
	return &places[hash_bytes_uint32(dbid) % queues->nplaces].first_of_hash;
}

/* The place of a database; the shared one if it has none of its own. */
static uint32
find_place(Oid dbid)
{
	uint32 place = *chain_of(dbid);

	while (place != IDGEN_SHARED_PLACE && places[place].dbid != dbid)
		place = places[place].next;
	return place;
}

/* The same, but it gets one if there is a free one. */
static uint32
get_place(Oid dbid)
{
	uint32 place = find_place(dbid);
	uint32 *chain = chain_of(dbid);

	if (place != IDGEN_SHARED_PLACE || queues->free == IDGEN_SHARED_PLACE)
		return place;
	place = queues->free;
	queues->free = places[place].next;
	places[place].dbid = dbid;
	places[place].next = *chain;
	*chain = place;
	return place;
}

/* Give a place back, unless a slot is in a queue there, or it is shared. */
static void
free_if_empty(uint32 place)
{
	uint32 *next = chain_of(places[place].dbid);

	if (place == IDGEN_SHARED_PLACE || !is_empty(place, IDGEN_QUEUE_AWAITED) ||
	    !is_empty(place, IDGEN_QUEUE_AHEAD) || !is_empty(place, IDGEN_QUEUE_UNDER_WAY))
		return;
	while (*next != place)
		next = &places[*next].next;
	*next = places[place].next;
	places[place].dbid = InvalidOid;
	places[place].next = queues->free;
	queues->free = place;
}

/*
 * Queues
 */

/* Take a slot out of its queue. The caller holds the lock. */
static void
leave(uint32 slot)
{
	Link link = links[slot];

	links[link.prev].next = link.next;
	links[link.next].prev = link.prev;
	links[slot] = (Link){IDGEN_NO_SLOT, IDGEN_NO_SLOT};
	if (!is_slot(link.next) && link.next == link.prev)
		free_if_empty((link.next - queues->nslots) / IDGEN_QUEUES_PER_PLACE);
}

/* Put a slot at the end of a queue. The caller holds the lock. */
static void
join(uint32 slot, Oid dbid, IdgenRequestQueue queue)
{
	uint32 end = link_of_queue(get_place(dbid), queue);
	uint32 last = links[end].prev;

	links[slot] = (Link){.next = end, .prev = last};
	links[last].next = slot;
	links[end].prev = slot;
}

/*
 * Take a slot out of the queue that it is in, if any, and put it at the end of
 * another one of its database, if any. The caller holds the slot's lock.
 */
void
idgen_request_queue_move(uint32 slot, Oid dbid, IdgenRequestQueue to)
{
	Assert(is_slot(slot));
	LWLockAcquire(&queues->lock, LW_EXCLUSIVE);
	if (links[slot].next != IDGEN_NO_SLOT)
		leave(slot);
	if (to != IDGEN_QUEUE_NONE)
		join(slot, dbid, to);
	LWLockRelease(&queues->lock);
}

/*
 * The first slot of a database, from that link on in a queue, or the link at
 * its end. Only in the shared place are there others to pass over: a slot stays
 * with its id sequence while it is in a queue. The caller holds the lock.
 */
static uint32
skip_others(uint32 link, Oid dbid)
{
	while (is_slot(link) &&
	       idgen_cache_slot_at(&idgen_shared_cache, link)->source.stored.dbid != dbid)
		link = links[link].next;
	return link;
}

/*
 * The number of the slot that is the first one in that queue of a database;
 * IDGEN_NO_SLOT if the queue is empty.
 */
uint32
idgen_request_queue_first(Oid dbid, IdgenRequestQueue queue)
{
	uint32 slot;

	LWLockAcquire(&queues->lock, LW_SHARED);
	slot = skip_others(links[link_of_queue(IDGEN_SHARED_PLACE, queue)].next, dbid);
	if (!is_slot(slot)) /* that was from before it had a place of its own */
		slot = skip_others(links[link_of_queue(find_place(dbid), queue)].next, dbid);
	LWLockRelease(&queues->lock);
	return is_slot(slot) ? slot : IDGEN_NO_SLOT;
}

/* How many slots of a database are in a queue there. Caller holds the lock. */
static uint32
count(uint32 place, Oid dbid, IdgenRequestQueue queue)
{
	uint32 slot = links[link_of_queue(place, queue)].next;
	uint32 n = 0;

	while (is_slot(slot = skip_others(slot, dbid)))
	{
		n++;
		slot = links[slot].next;
	}
	return n;
}

/* How many slots are in that queue of a database. */
uint32
idgen_request_queue_length(Oid dbid, IdgenRequestQueue queue)
{
	uint32 place;
	uint32 n;

	LWLockAcquire(&queues->lock, LW_SHARED);
	place = find_place(dbid);
	n = count(IDGEN_SHARED_PLACE, dbid, queue);
	if (place != IDGEN_SHARED_PLACE)
		n += count(place, dbid, queue);
	LWLockRelease(&queues->lock);
	return n;
}

/*
 * Wake the sessions that wait for slots of a place. The caller holds the lock.
 */
static void
wake(uint32 place, Oid dbid)
{
	uint32 slot = links[link_of_queue(place, IDGEN_QUEUE_AWAITED)].next;

	while (is_slot(slot = skip_others(slot, dbid)))
	{
		ConditionVariableBroadcast(&idgen_cache_slot_at(&idgen_shared_cache, slot)->refill.done);
		slot = links[slot].next;
	}
}

/*
 * Wake all sessions of a database that wait for a refill that has not begun. As
 * there are not more of them than sessions, this is done under the lock.
 */
void
idgen_request_queue_wake(Oid dbid)
{
	uint32 place;

	LWLockAcquire(&queues->lock, LW_SHARED);
	place = find_place(dbid);
	wake(IDGEN_SHARED_PLACE, dbid);
	if (place != IDGEN_SHARED_PLACE)
		wake(place, dbid);
	LWLockRelease(&queues->lock);
}
