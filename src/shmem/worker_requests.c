/*
 * worker_requests.c
 *		What sessions have asked the worker for.
 *
 * A session leaves a request in the slot of an id sequence (see slot_worker.c),
 * and wakes the worker of its database. Here the worker finds the requests, and
 * reports what has become of them.
 *
 * To find them, the worker does not look at the slots: what it has to do with
 * each one is in an array of a byte each. It reads the array without locks, and
 * locks a slot whose byte says that there is something to do, to read it again.
 * It misses no request by that: a session that writes one wakes the worker
 * afterwards.
 *
 * Locking rules are at the top of cache.c.
 */
#include "postgres.h"

#include "utils/timestamp.h"

#include "shmem/cache_internal.h"
#include "shmem/slot_worker.h"
#include "shmem/worker_requests.h"

/*
 * Lock the slot with that number if it belongs to that database, and there is
 * something to do with it; else return NULL. The caller holds the header's
 * lock.
 */
static IdgenSlot *
lock_if_work(int i, Oid dbid)
{
	IdgenSlot *slot = idgen_cache_slot_at(&idgen_shared_cache, i);

	if (idgen_shared_cache.work[i] == IDGEN_WORK_NOTHING)
		return NULL;
	LWLockAcquire(&slot->lock, LW_EXCLUSIVE);
	if (*slot->worker.work != IDGEN_WORK_NOTHING && slot->key->dbid == dbid)
		return slot;
	LWLockRelease(&slot->lock);
	return NULL;
}

/* Has a session of that database requested anything? */
bool
idgen_cache_has_requests(Oid dbid)
{
	IdgenCacheHeader *header = idgen_shared_cache.header;
	bool found = false;

	LWLockAcquire(&header->lock, LW_SHARED);
	for (int i = 0; i < header->nslots && !found; i++)
	{
		IdgenSlot *slot = lock_if_work(i, dbid);

		if (slot == NULL)
			continue;
		found = idgen_slot_is_requested(slot);
		LWLockRelease(&slot->lock);
	}
	LWLockRelease(&header->lock);
	return found;
}

/*
 * What sessions of that database want the worker to refill: a list of palloc'd
 * IdgenTasks. For each, idgen_cache_end_attempt() is to be called; until then,
 * further requests of the same have to wait.
 */
List *
idgen_cache_take_requests(Oid dbid)
{
	IdgenCacheHeader *header = idgen_shared_cache.header;
	List *tasks = NIL;
	IdgenTask *task = NULL; /* made before it is known whether it is needed */

	LWLockAcquire(&header->lock, LW_SHARED);
	for (int i = 0; i < header->nslots; i++)
	{
		IdgenSlot *slot;
		bool taken;

		if (task == NULL)
			task = palloc(sizeof(IdgenTask));
		slot = lock_if_work(i, dbid);
		if (slot == NULL)
			continue;
		taken = *slot->worker.work == IDGEN_WORK_REQUESTED;
		if (taken)
		{
			task->key = *slot->key;
			task->key.name = memcpy(task->name, slot->key->name, slot->key->namelen + 1);
			idgen_slot_begin_attempt(slot, task);
			task->begun_at = GetCurrentTimestamp();
		}
		LWLockRelease(&slot->lock);
		if (taken)
		{
			tasks = lappend(tasks, task);
			task = NULL;
		}
	}
	LWLockRelease(&header->lock);
	if (task != NULL)
		pfree(task);
	return tasks;
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

/* The worker has found the row locked. */
void
idgen_cache_row_locked(const IdgenCacheKey *key)
{
	IdgenSlot *slot = idgen_cache_lock_entry(key);

	if (slot == NULL)
		return;
	slot->row_locked = true;
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
 * The worker of that database is going away. Without a failure, sessions that
 * have requested something will look for another one; else they get the
 * failure.
 */
void
idgen_cache_abandon_attempts(Oid dbid, const IdgenFailure *failure)
{
	IdgenCacheHeader *header = idgen_shared_cache.header;

	LWLockAcquire(&header->lock, LW_SHARED);
	for (int i = 0; i < header->nslots; i++)
	{
		IdgenSlot *slot = lock_if_work(i, dbid);

		if (slot == NULL)
			continue;
		idgen_slot_abandon_attempt(slot, failure);
		LWLockRelease(&slot->lock);
	}
	LWLockRelease(&header->lock);
}
