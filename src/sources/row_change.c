/*
 * row_change.c
 *		Changing the row of an id sequence: lock, compute, update.
 *
 * It goes to the table directly, as the server's logical replication worker
 * does (executor/execReplication.c). An SQL UPDATE was turned down for three
 * reasons:
 *
 * - It would fail with a serialization error at the higher isolation levels
 *   (rule T4).
 * - It would need the caller's UPDATE privilege (C3).
 * - It would find the row through its index each time, and walk along all the
 *   versions that this transaction has written before (T7).
 *
 * A change goes through these steps:
 *
 *	find ----> compute ----> lock ----> compute ----> update
 *
 * The first time it is only found out whether there is anything to update to:
 * else the row would be locked in vain until the transaction ends. How the row
 * is locked is decided once, see RowLock. catalog/row_write.c does what else an
 * update entails.
 */
#include "postgres.h"

#include "access/heapam.h"
#include "access/table.h"
#include "access/tableam.h"
#include "access/xact.h"
#include "executor/executor.h"
#include "miscadmin.h"
#include "storage/bufmgr.h"
#include "storage/lmgr.h"
#include "utils/snapmgr.h"

#include "catalog/row.h"
#include "catalog/table.h"
#include "common/compat.h"
#include "session/handle.h"
#include "sources/row_change.h"

/* How the newest version of the row is locked before it is updated. */
typedef enum RowLock
{
	/* Not at all: this transaction has written or locked it. */
	ROW_IS_HELD,

	/* In the line of sessions that wait for the row. */
	ROW_IN_LINE,

	/*
	 * By waiting for the transaction that holds the row now, without a place in
	 * the line. It takes a transaction that has refilled before and does not
	 * hold the row any more, because it rolled back to a savepoint. The first
	 * in line may be waiting for this very transaction (the server waits for a
	 * whole transaction once a savepoint was released): joining the line would
	 * be a deadlock.
	 */
	ROW_OUT_OF_LINE,

	/* If that takes no wait. */
	ROW_WITHOUT_WAIT,
} RowLock;

/* One change of a row. */
typedef struct Change
{
	IdgenHandle *handle;
	Relation rel;
	TupleTableSlot *row; /* the newest version, as far as we know */
	LockWaitPolicy policy;
	RowLock lock;
	TransactionId holder; /* that we did not wait for, or invalid */
} Change;

/*
 * Open the table. Returns NULL if that would take a wait which the policy does
 * not allow, or if the current command rewrites the table. If the policy allows
 * waits, the latter raises 55006.
 */
static Relation
open_table(Oid relid, LockWaitPolicy policy)
{
	Relation rel;

	if (policy != LockWaitBlock && !ConditionalLockRelationOid(relid, RowExclusiveLock))
		return NULL;
	rel = idgen_table_open(relid, RowExclusiveLock);
	if (policy == LockWaitBlock)
		idgen_table_check_not_rewritten(rel);
	else if (idgen_table_is_rewritten(rel))
	{
		table_close(rel, NoLock);
		return NULL;
	}
	return rel;
}

/*
 * Remove old versions from a page of the table, as the server does when it
 * comes to a page through an index. Else each refill of a session that comes
 * without the index would leave one more. The server does so as soon as the
 * page is fuller than fillfactor says, which a page full of rows always is; we
 * fill most of the room that this leaves, since it costs WAL each time. As
 * there, what is read without a lock decides only whether it is tried. Caller
 * must not have the page pinned.
 */
static void
prune_page(Relation rel, BlockNumber block)
{
	Buffer buffer = ReadBuffer(rel, block);
	Buffer visibility_map = InvalidBuffer;
	Page page = BufferGetPage(buffer);

	if (PageIsFull(page) || PageGetHeapFreeSpace(page) < BLCKSZ / 4)
		heap_page_prune_opt(rel, buffer, &visibility_map, false);
	if (BufferIsValid(visibility_map))
		ReleaseBuffer(visibility_map);
	ReleaseBuffer(buffer);
}

/*
 * Get the newest version of the row without its index, from where this session
 * has put it the last time. That may be out of date: another session, or this
 * transaction, has changed the row since, or has rolled back. But if what is
 * there is the row and is visible now, then it is the newest version. Not even
 * the page may be there any more; while the table is open, none is removed.
 */
static bool
fetch_remembered(Change *change)
{
	IdgenHandle *handle = change->handle;
	BlockNumber block;

	if (!ItemPointerIsValid(&handle->row_tid))
		return false;
	block = ItemPointerGetBlockNumber(&handle->row_tid);
	if (block >= RelationGetNumberOfBlocks(change->rel))
		return false;
	if (TTS_IS_BUFFERTUPLE(change->row))
		prune_page(change->rel, block);
	if (!table_tuple_fetch_row_version(change->rel, &handle->row_tid, SnapshotSelf, change->row))
		return false;
	if (idgen_row_is_named(change->row, handle->name, handle->namelen))
		return true;
	ExecClearTuple(change->row);
	return false;
}

/* Get the row by its name; false if there is none. */
static bool
find_row(Change *change)
{
	return idgen_row_find(change->rel, change->handle->name, change->handle->namelen, change->row);
}

/* How is this change to lock the version that it has found? */
static RowLock
choose_lock(const Change *change)
{
	if (idgen_row_is_own(change->row))
		return ROW_IS_HELD;
	if (change->policy != LockWaitBlock)
		return ROW_WITHOUT_WAIT;
	if (change->handle->xact.refills > 0)
		return ROW_OUT_OF_LINE;
	return ROW_IN_LINE;
}

static TM_Result
lock_newest(Change *change, LockWaitPolicy policy)
{
	return idgen_row_lock(change->rel, change->handle->name, change->handle->namelen,
	                      LockTupleNoKeyExclusive, policy, change->row);
}

/*
 * Lock the row as change->lock says. TM_Updated and TM_Deleted mean that the
 * row has to be found anew. TM_WouldBlock comes with change->holder.
 */
static TM_Result
lock_row(Change *change)
{
	ItemPointerData tid = change->row->tts_tid;
	TransactionId holder;
	TM_Result result;

	if (change->lock == ROW_IN_LINE)
		return lock_newest(change, LockWaitBlock);

	holder = idgen_row_holder(change->row);
	result = lock_newest(change, LockWaitSkip);
	if (result != TM_WouldBlock)
		return result;
	if (change->lock == ROW_WITHOUT_WAIT)
	{
		change->holder = holder;
		return TM_WouldBlock;
	}
	if (TransactionIdIsValid(holder))
		XactLockTableWait(holder, change->rel, &tid, XLTW_Lock);
	return TM_Updated;
}

/*
 * A transaction that changes the row tells the cache when other sessions see it
 * already, but before its locks go. Wait for that, so that the cache does not
 * take for old what is allocated from the new row. A gapless block never gets
 * to the cache. Returns false if the policy does not allow that wait.
 */
static bool
wait_for_writer(const Change *change)
{
	TransactionId xid = idgen_row_writer(change->row);

	if (!TransactionIdIsNormal(xid) || TransactionIdIsCurrentTransactionId(xid) ||
	    (change->handle->found.block_size == 1 &&
	     change->handle->found.refill == IDGEN_REFILL_TRANSACTION))
		return true;
	if (change->policy != LockWaitBlock)
		return ConditionalXactLockTableWait(xid, false);
	XactLockTableWait(xid, change->rel, &change->row->tts_tid, XLTW_Update);
	return true;
}

/* What compute() makes of the version that is known. */
static IdgenSourceResult
compute_from(const Change *change, IdgenRowValues *new_row, IdgenComputeRow compute, void *arg)
{
	if (!wait_for_writer(change))
		return IDGEN_SOURCE_BUSY;
	return compute(change->handle, change->row, new_row, arg);
}

/* The steps after the row was found, until one of them answers. */
static IdgenSourceResult
lock_and_update(Change *change, IdgenComputeRow compute, void *arg)
{
	for (;;)
	{
		IdgenRowValues new_row;
		IdgenSourceResult computed = compute_from(change, &new_row, compute, arg);
		TM_Result result;

		if (computed != IDGEN_SOURCE_OK)
			return computed;
		if (change->lock == ROW_IS_HELD)
		{
			idgen_row_refill(change->rel, change->row, &new_row, &change->handle->row_tid);
			return IDGEN_SOURCE_OK;
		}

		result = lock_row(change);
		CHECK_FOR_INTERRUPTS();
		if (result == TM_WouldBlock)
			return IDGEN_SOURCE_BUSY;
		if (result == TM_Ok)
			change->lock = ROW_IS_HELD;

		/* If it was deleted or renamed, there may be a new one. */
		else if (!find_row(change))
			return IDGEN_SOURCE_STALE;
	}
}

/*
 * Update the newest version of the row to what compute() makes of it. Answers
 * what compute() says unless it is IDGEN_SOURCE_OK; IDGEN_SOURCE_STALE also if
 * there is no row. If the policy is not LockWaitBlock, the answer may be
 * IDGEN_SOURCE_BUSY: then *holder is the transaction that holds the row, or
 * invalid if that is not known.
 */
IdgenSourceResult
idgen_row_change(IdgenHandle *handle, LockWaitPolicy policy,
                 IdgenComputeRow compute, void *arg, TransactionId *holder)
{
	Change change = {.handle = handle, .policy = policy, .holder = InvalidTransactionId};
	IdgenSourceResult result = IDGEN_SOURCE_STALE;

	*holder = InvalidTransactionId;
	change.rel = open_table(handle->relid, policy);
	if (change.rel == NULL)
		return IDGEN_SOURCE_BUSY;
	change.row = table_slot_create(change.rel, NULL);
	CheckCmdReplicaIdentity(change.rel, CMD_UPDATE);

	/* What this very command has written to the row must count as past. */
	CommandCounterIncrement();

	if (fetch_remembered(&change) || find_row(&change))
	{
		change.lock = choose_lock(&change);
		result = lock_and_update(&change, compute, arg);
	}
	*holder = change.holder;
	ExecDropSingleTupleTableSlot(change.row);
	table_close(change.rel, NoLock);
	return result;
}
