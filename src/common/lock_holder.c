/*
 * lock_holder.c
 *		Locks that refills wait for, and who holds them.
 *
 * The lock manager is asked, when somebody wants to know: so nothing is noted
 * of it by those that draw. By the time that the caller looks at the answer,
 * the lock may be free.
 */
#include "postgres.h"

#include "access/subtrans.h"
#include "access/transam.h"
#include "access/twophase.h"
#include "miscadmin.h"
#include "storage/proc.h"
#include "storage/procarray.h"
#include "storage/sinvaladt.h"
#include "utils/backend_status.h"

#include "common/compat.h"
#include "common/lock_holder.h"

/*
 * The lock with which one waits for the end of the transaction that a
 * (sub)transaction is part of. Returns false if it is over. Caller has a
 * snapshot.
 */
bool
idgen_lock_of_running(TransactionId xid, IdgenLock *lock)
{
	if (!TransactionIdIsValid(xid) || !TransactionIdIsInProgress(xid))
		return false;
	lock->mode = ShareLock;
	SET_LOCKTAG_TRANSACTION(lock->tag, SubTransGetTopmostTransaction(xid));
	return true;
}

/* The lock that a refill takes on a table or on a native sequence. */
IdgenLock
idgen_lock_of_relation(Oid relid)
{
	IdgenLock lock = {.mode = RowExclusiveLock};

	SET_LOCKTAG_RELATION(lock.tag, MyDatabaseId, relid);
	return lock;
}

/*
 * A transaction that holds a lock, but that no session is in: it is prepared.
 * Returns false if it is over by now.
 */
static bool
find_prepared(VirtualTransactionId vxid, IdgenLockHolder *holder)
{
	bool more = false;

	*holder = (IdgenLockHolder){.pid = 0};
	if (VirtualTransactionIdIsRecoveredPreparedXact(vxid))
		holder->xid = vxid.localTransactionId; /* prepared before the last restart */
	else
		holder->xid = TwoPhaseGetXidByVirtualXID(vxid, &more);
	return TransactionIdIsValid(holder->xid);
}

/*
 * Find another transaction that holds the lock in a way that conflicts. Of
 * several, any. Returns false if there is none.
 */
bool
idgen_lock_find_holder(const IdgenLock *lock, IdgenLockHolder *holder)
{
	int count;
	VirtualTransactionId vxid = *GetLockConflicts(&lock->tag, lock->mode, &count);
	PGPROC *proc = NULL;

	if (count == 0)
		return false;
	if (!VirtualTransactionIdIsRecoveredPreparedXact(vxid))
		proc = ProcNumberGetProc(vxid.procNumber);
	if (proc == NULL || idgen_proc_lxid(proc) != vxid.localTransactionId)
		return find_prepared(vxid, holder);
	*holder = (IdgenLockHolder){.xid = proc->xid, .pid = proc->pid};
	return true;
}

/*
 * When the transaction of a holder began; 0 if that is not known. The answer
 * comes from where pg_stat_activity gets it, so it may be as old as the first
 * look of this transaction at that view: it counts only if the session had the
 * same transaction then.
 */
TimestampTz
idgen_lock_holder_began(const IdgenLockHolder *holder)
{
	int n = holder->pid != 0 ? pgstat_fetch_stat_numbackends() : 0;

	for (int i = 1; i <= n; i++)
	{
		const LocalPgBackendStatus *session = pgstat_get_local_beentry_by_index(i);

		if (session != NULL && session->backendStatus.st_procpid == holder->pid)
			return session->backend_xid == holder->xid ? session->backendStatus.st_xact_start_timestamp : 0;
	}
	return 0;
}
