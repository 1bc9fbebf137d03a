/*
 * failure_pool.c
 *		Why the worker could not refill: what sessions are told.
 *
 * The worker's error is raised again in the sessions that wait for the refill.
 * Its texts are long, but needed only until these sessions have woken up. So
 * they are not in the slots, but in a pool of a few places, which are used in
 * turn: the newest failure takes the place of the oldest one. Failures that are
 * alike share a place, as when a worker cannot connect and all its id sequences
 * fail.
 *
 * A session that wakes up too late finds that another failure is in the place.
 * It still has the SQLSTATE, which is in the slot, and gets a message that says
 * that the reason was not kept. To keep each failure until all its sessions
 * have read it would take as many places as there are sessions, or a worker
 * that waits for a place.
 *
 * Locking rules: pool->lock protects all of it. It comes after a slot's lock.
 * Under it, nothing raises an error.
 */
#include "postgres.h"

#include "storage/lwlock.h"
#include "storage/shmem.h"

#include "shmem/failure_pool.h"

/*
 * More failures than this at a time are rare: each one has a session that
 * waits.
 */
#define IDGEN_FAILURES 64

typedef struct IdgenFailurePool
{
	LWLock lock;
	uint32 last; /* number of the newest failure; 0 = there is none */
	IdgenFailure failures[IDGEN_FAILURES];
} IdgenFailurePool;

static IdgenFailurePool *pool = NULL;

Size
idgen_failure_pool_size(void)
{
	return sizeof(IdgenFailurePool);
}

/* Create the pool or attach to it. The caller holds AddinShmemInitLock. */
void
idgen_failure_pool_startup_shmem(int tranche)
{
	bool found;

	pool = ShmemInitStruct("idgen failures", sizeof(IdgenFailurePool), &found);
	if (found)
		return;
	memset(pool, 0, sizeof(IdgenFailurePool));
	LWLockInitialize(&pool->lock, tranche);
}

/* The place of the failure with that number. */
static IdgenFailure *
place_of(uint32 number)
{
	return &pool->failures[number % IDGEN_FAILURES];
}

static bool
are_alike(const IdgenFailure *a, const IdgenFailure *b)
{
	return a->sqlerrcode == b->sqlerrcode && a->of == b->of && strcmp(a->message, b->message) == 0 &&
		strcmp(a->detail, b->detail) == 0 && strcmp(a->hint, b->hint) == 0 &&
		strcmp(a->context, b->context) == 0;
}

/*
 * Note a failure, which that many sessions will read. The caller holds the lock
 * of the slot with the note.
 */
void
idgen_failure_keep(IdgenFailureNote *note, const IdgenFailure *failure, int readers)
{
	note->sqlerrcode = failure->sqlerrcode;
	note->count = failure->count;
	note->in_pool = 0;
	if (readers == 0)
		return;

	LWLockAcquire(&pool->lock, LW_EXCLUSIVE);
	if (pool->last == 0 || !are_alike(place_of(pool->last), failure))
	{
		pool->last++;
		*place_of(pool->last) = *failure;
	}
	note->in_pool = pool->last;
	LWLockRelease(&pool->lock);
}

/*
 * Read the failure that a note speaks of. For a session that raises it, the
 * caller holds the lock of the slot with the note; to show it, a copy of the
 * note will do.
 *
 * Numbers are used again after 2^32 failures. A session that sleeps that long
 * may get the texts of another failure.
 */
void
idgen_failure_read(const IdgenFailureNote *note, IdgenFailure *failure)
{
	bool found;

	LWLockAcquire(&pool->lock, LW_SHARED);
	found = note->in_pool != 0 && pool->last - note->in_pool < IDGEN_FAILURES;
	if (found)
		*failure = *place_of(note->in_pool);
	LWLockRelease(&pool->lock);

	if (!found)
		*failure = (IdgenFailure){
			.message = "the worker could not refill the id sequence",
			.detail = "Too many refills failed at a time for the reason to be kept.",
			.hint = "Try again, or see the server log.",
		};
	failure->sqlerrcode = note->sqlerrcode;
	failure->count = note->count;
}
