/*
 * worker_requests.c
 *		What sessions have asked the worker for.
 *
 * A session leaves a request in the slot of an id sequence (see slot_worker.c),
 * and wakes the worker of its database. Here the worker finds the requests, and
 * reports what has become of them.
 *
 * Slots with requests are in queues (request_queue.c), so what is done here
 * does not depend on how many slots there are. The worker reads which one is
 * first, then locks that slot. If the slot has left the queue in between, it
 * reads again: somebody else got on meanwhile.
 *
 * Locking rules are at the top of cache.c.
 */
#include "postgres.h"

#include "utils/timestamp.h"

#include "shmem/cache_internal.h"
#include "shmem/slot_work.h"
#include "shmem/slot_worker.h"
#include "shmem/worker_requests.h"

/*
 * The first slot in that queue of a database, locked; NULL if there is none.
 */
static IdgenSlot *
lock_first(Oid dbid, IdgenRequestQueue queue)
{
	uint32 number;

	while ((number = idgen_request_queue_first(dbid, queue)) != IDGEN_NO_SLOT)
	{
		IdgenSlot *slot = idgen_cache_slot_at(&idgen_shared_cache, number);

		LWLockAcquire(&slot->lock, LW_EXCLUSIVE);
		if (idgen_slot_queue(slot) == queue && slot->key->dbid == dbid)
			return slot;
		LWLockRelease(&slot->lock);
	}
	return NULL;
}

/*
 * Has a session of that database requested anything that the worker has not
 * begun? What is requested while an attempt is under way does not count.
 */
bool
idgen_cache_has_requests(Oid dbid)
{
	return idgen_request_queue_first(dbid, IDGEN_QUEUE_AWAITED) != IDGEN_NO_SLOT ||
		idgen_request_queue_first(dbid, IDGEN_QUEUE_AHEAD) != IDGEN_NO_SLOT;
}

/* Take the first request off a queue of a database; NULL if there is none. */
static IdgenTask *
take_request(Oid dbid, IdgenRequestQueue queue)
{
	IdgenTask *task;
	IdgenSlot *slot;

	if (idgen_request_queue_first(dbid, queue) == IDGEN_NO_SLOT)
		return NULL;
	task = palloc(sizeof(IdgenTask)); /* before there is a lock */
	slot = lock_first(dbid, queue);
	if (slot == NULL)
	{
		pfree(task);
		return NULL;
	}
	task->key = *slot->key;
	task->key.name = memcpy(task->name, slot->key->name, slot->key->namelen + 1);
	idgen_slot_begin_attempt(slot, task);
	LWLockRelease(&slot->lock);
	task->begun_at = GetCurrentTimestamp();
	return task;
}

/*
 * The refill that sessions of that database have waited for the longest: a
 * palloc'd task, or NULL if none waits. For each, idgen_cache_end_attempt() is
 * to be called; until then, further requests of the same have to wait.
 */
IdgenTask *
idgen_cache_take_awaited(Oid dbid)
{
	return take_request(dbid, IDGEN_QUEUE_AWAITED);
}

/* The same of the refills that are requested ahead of need. */
IdgenTask *
idgen_cache_take_ahead(Oid dbid)
{
	return take_request(dbid, IDGEN_QUEUE_AHEAD);
}

/* Is any session waiting? */
bool
idgen_cache_has_waiters(const IdgenCacheKey *key)
{
	IdgenSlot *slot = idgen_cache_lock_entry(key);
	bool result;

	if (slot == NULL)
		return false;
	result = slot->refill.waiters > 0;
	idgen_cache_unlock_entry(key, slot);
	return result;
}

/* The worker has tried to get the row: did another transaction hold it? */
void
idgen_cache_note_row(const IdgenCacheKey *key, bool locked)
{
	IdgenSlot *slot = idgen_cache_lock_entry(key);

	if (slot == NULL)
		return;
	slot->row_locked = locked;
	idgen_cache_unlock_entry(key, slot);
}

/*
 * The worker has done a task: publish the outcome, if there is one, and wake
 * the sessions that wait for it; see idgen_slot_end_attempt().
 */
void
idgen_cache_end_attempt(const IdgenTask *task, const IdgenOutcome *outcome,
                        const IdgenFailure *failure)
{
	IdgenSlot *slot;

	if (outcome != NULL)
		idgen_cache_finish(&task->key, outcome);
	slot = idgen_cache_lock_entry(&task->key);
	if (slot == NULL)
		return;
	idgen_slot_end_attempt(slot, task->attempt, outcome, failure);
	idgen_cache_unlock_entry(&task->key, slot);
}

/*
 * Abandon the attempts, or requests, that are in a queue of a database now.
 * What joins it meanwhile is for the next worker: sessions that try again at
 * once would never let this one go.
 */
static void
abandon_queue(Oid dbid, IdgenRequestQueue queue, const IdgenFailure *failure)
{
	uint32 left = idgen_request_queue_length(dbid, queue);
	IdgenSlot *slot;

	while (left-- > 0 && (slot = lock_first(dbid, queue)) != NULL)
	{
		idgen_slot_abandon_attempt(slot, failure);
		LWLockRelease(&slot->lock);
	}
}

/*
 * The worker of that database is going away. Without a failure, sessions that
 * have requested something will look for another one; else they get the
 * failure.
 */
void
idgen_cache_abandon_attempts(Oid dbid, const IdgenFailure *failure)
{
	abandon_queue(dbid, IDGEN_QUEUE_UNDER_WAY, failure);
	if (failure == NULL)
	{
		idgen_request_queue_wake(dbid);
		return;
	}
	abandon_queue(dbid, IDGEN_QUEUE_AWAITED, failure);
	abandon_queue(dbid, IDGEN_QUEUE_AHEAD, failure);
}
