/*
 * durable.c
 *		Waiting until what is in the WAL cannot be lost any more.
 */
#include "postgres.h"

#include "access/xact.h"
#include "access/xlog.h"
#include "miscadmin.h"
#include "replication/syncrep.h"
#include "replication/walsender.h"
#include "replication/walsender_private.h"
#include "storage/lwlock.h"

#include "common/compat.h"
#include "common/durable.h"

/*
 * Has the wait for synchronous standbys up to that place in the WAL, which is
 * over, come to its end? It is given up when it is cancelled or the session has
 * to go; the server only warns of that. If no standbys count any more, that is
 * an end as well.
 */
bool
idgen_is_replicated(XLogRecPtr lsn)
{
	int mode = synchronous_commit == SYNCHRONOUS_COMMIT_REMOTE_WRITE ? SYNC_REP_WAIT_WRITE : SYNC_REP_WAIT_FLUSH;
	bool replicated;

	if ((!InterruptPending && !ProcDiePending) || !SyncRepRequested())
		return true;
	/* As the wait does, not by this session's setting, which may be older. */
	LWLockAcquire(SyncRepLock, LW_SHARED);
	replicated = lsn <= WalSndCtl->lsn[mode] || !sync_standbys_are_defined(WalSndCtl);
	LWLockRelease(SyncRepLock);
	return replicated;
}

/*
 * Wait until no crash can undo what the WAL says up to that place: as a commit
 * would, and for synchronous standbys as well, but whatever synchronous_commit
 * says about the local disk. An invalid place takes no wait. Returns false if
 * the wait for a standby was given up.
 */
bool
idgen_make_durable(XLogRecPtr lsn)
{
	if (lsn == InvalidXLogRecPtr)
		return true;
	XLogFlush(lsn);
	HOLD_INTERRUPTS();
	SyncRepWaitForLSN(lsn, false);
	RESUME_INTERRUPTS();
	return idgen_is_replicated(lsn);
}
