/*
 * durable.c
 *		Waiting until what is in the WAL cannot be lost any more.
 */
#include "postgres.h"

#include "access/xact.h"
#include "access/xlog.h"
#include "access/xlog_internal.h"
#include "access/xloginsert.h"
#include "catalog/pg_control.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "replication/syncrep.h"
#include "replication/walsender.h"
#include "replication/walsender_private.h"
#include "storage/lwlock.h"

#include "common/compat.h"
#include "common/durable.h"

PG_FUNCTION_INFO_V1(idgen_wait_durable);

/*
 * Have synchronous standbys got to that place in the WAL, or do none count? By
 * what the server says, not by this session's setting, which may be older.
 */
static bool
has_reached(XLogRecPtr lsn)
{
	int mode = synchronous_commit == SYNCHRONOUS_COMMIT_REMOTE_WRITE ? SYNC_REP_WAIT_WRITE : SYNC_REP_WAIT_FLUSH;
	bool reached;

	LWLockAcquire(SyncRepLock, LW_SHARED);
	reached = lsn <= WalSndCtl->lsn[mode] || !sync_standbys_are_defined(WalSndCtl);
	LWLockRelease(SyncRepLock);
	return reached;
}

/*
 * Has the wait for synchronous standbys up to that place in the WAL, which is
 * over, come to its end? It is given up when it is cancelled or the session has
 * to go; the server only warns of that. If no standbys count any more, that is
 * an end as well.
 */
bool
idgen_is_replicated(XLogRecPtr lsn)
{
	return (!InterruptPending && !ProcDiePending) || !SyncRepRequested() || has_reached(lsn);
}

/*
 * The place up to which this session waits for standbys, so that they have what
 * the WAL says up to lsn. The server counts on it that no two processes wait
 * for the same place: each waits for its own commit. But values that several
 * sessions have drawn from a native sequence may be covered by one record. So
 * a session that has to wait writes a record of its own, which does nothing.
 */
static XLogRecPtr
place_to_wait_for(XLogRecPtr lsn)
{
	char nothing = 0;

	if (!SyncRepRequested() || has_reached(lsn))
		return lsn;
	XLogBeginInsert();
	XLogRegisterData(&nothing, sizeof(nothing));
	return XLogInsert(RM_XLOG_ID, XLOG_NOOP);
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
	lsn = place_to_wait_for(lsn);
	XLogFlush(lsn);
	HOLD_INTERRUPTS();
	SyncRepWaitForLSN(lsn, false);
	RESUME_INTERRUPTS();
	return idgen_is_replicated(lsn);
}

/*
 * Raises 57014, or ends the session: the wait for a standby was given up.
 * Unlike a commit, whoever calls this can still fail, but the server takes the
 * cancel for done.
 */
void
idgen_not_durable(void)
{
	QueryCancelPending = true;
	InterruptPending = true;
	CHECK_FOR_INTERRUPTS();
}

/*
 * The end of all that has a place in the WAL so far. Behind a page that is
 * full, the server says where the next record begins, which is behind the
 * header of the next page. What is before the header can be flushed.
 */
static XLogRecPtr
end_of_wal(void)
{
	XLogRecPtr lsn = GetXLogInsertRecPtr();
	uint32 offset = lsn % XLOG_BLCKSZ;

	if (offset == SizeOfXLogShortPHD || XLogSegmentOffset(lsn, wal_segment_size) == SizeOfXLogLongPHD)
		lsn -= offset;
	return lsn;
}

/*
 * Wait until no crash can undo what the current transaction could have seen: a
 * commit that others see has its record in the WAL by then. A standby sees only
 * what is on its disk. Raises 57014 if the wait for a synchronous standby is
 * cancelled.
 */
void
idgen_make_wal_durable(void)
{
	if (!RecoveryInProgress() && !idgen_make_durable(end_of_wal()))
		idgen_not_durable();
}

/* SQL: idgen_wait_durable() returns void: the same */
Datum
idgen_wait_durable(PG_FUNCTION_ARGS)
{
	idgen_make_wal_durable();
	PG_RETURN_VOID();
}
