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

#include "common/compat.h"
#include "common/lock_holder.h"

/*
 * Whose a virtual transaction is. If it is prepared, the server knows its xid
 * in one of two ways: it was prepared before the last restart, or later.
 */
IdgenLockHolder
idgen_lock_holder_of(VirtualTransactionId vxid)
{
	bool more = false;
	PGPROC *proc;

	if (VirtualTransactionIdIsRecoveredPreparedXact(vxid))
		return (IdgenLockHolder){.xid = vxid.localTransactionId};
	proc = ProcNumberGetProc(vxid.procNumber);
	if (proc == NULL || idgen_proc_lxid(proc) != vxid.localTransactionId)
		return (IdgenLockHolder){.xid = TwoPhaseGetXidByVirtualXID(vxid, &more)};
	return (IdgenLockHolder){.xid = proc->xid, .pid = proc->pid};
}

/*
 * Find the transaction that a refill waits for. It is the one that "xid" is
 * part of, if that is in progress. Otherwise it is one that keeps a native
 * sequence, or a table, from others; of several, any. Either may be invalid.
 * Returns false if there is no other transaction. Caller has a snapshot.
 */
bool
idgen_lock_holder_find(TransactionId xid, Oid relid, IdgenLockHolder *holder)
{
	LOCKTAG tag;
	VirtualTransactionId vxid;
	int count;

	if (TransactionIdIsValid(xid) && TransactionIdIsInProgress(xid))
	{
		holder->xid = SubTransGetTopmostTransaction(xid);
		holder->pid = BackendXidGetPid(holder->xid);
		return holder->pid != 0 ? holder->pid != MyProcPid : TransactionIdIsInProgress(holder->xid);
	}
	if (!OidIsValid(relid))
		return false;
	SET_LOCKTAG_RELATION(tag, MyDatabaseId, relid);
	vxid = *GetLockConflicts(&tag, RowExclusiveLock, &count);
	if (count == 0)
		return false;
	*holder = idgen_lock_holder_of(vxid);
	return holder->pid != 0 || TransactionIdIsValid(holder->xid);
}
