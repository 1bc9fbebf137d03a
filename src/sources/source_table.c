/*
 * source_table.c
 *		Blocks from id_sequences itself.
 *
 * A refill updates the row's newest version as part of the calling transaction.
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
 * else the row would be locked in vain until the transaction ends.
 * catalog/row_write.c does what else an update entails.
 */
#include "postgres.h"

#include "access/heapam.h"
#include "access/table.h"
#include "access/tableam.h"
#include "access/xact.h"
#include "common/int.h"
#include "executor/executor.h"
#include "miscadmin.h"
#include "storage/bufmgr.h"
#include "storage/lmgr.h"
#include "utils/inval.h"
#include "utils/snapmgr.h"

#include "catalog/row.h"
#include "catalog/row_write.h"
#include "catalog/table.h"
#include "common/compat.h"
#include "session/handle.h"

/* One change of a row: an allocation, or the undoing of one. */
typedef struct Change
{
	IdgenHandle *handle;
	const IdgenRequest *request; /* what to allocate for; if NULL, the rest of a */
	const IdgenBlock *rest;      /* block is to be given back, which is this */
	IdgenRefill *refill;         /* what was allocated */
	bool waits;                  /* may it wait for other transactions? */
	Relation rel;
	TupleTableSlot *row; /* the newest version, as far as we know */
	bool held;           /* has this transaction written or locked that? */
	IdgenDefinition def; /* what it says; then, what it is to say after the change */
} Change;

/*
 * Finding the row
 */

/*
 * Open the table. Returns false if that would take a wait which is not allowed,
 * or if the current command rewrites the table. If waits are allowed, the
 * latter raises 55006.
 */
static bool
open_table(Change *change)
{
	Oid relid = change->handle->relid;

	if (!change->waits && !ConditionalLockRelationOid(relid, RowExclusiveLock))
		return false;
	change->rel = idgen_table_open(relid, RowExclusiveLock);
	if (change->waits)
		idgen_table_check_not_rewritten(change->rel);
	else if (idgen_table_is_rewritten(change->rel))
	{
		table_close(change->rel, NoLock);
		return false;
	}
	return true;
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
	if (idgen_row_is_named(change->row, handle->name))
		return true;
	ExecClearTuple(change->row);
	return false;
}

/*
 * Locking it
 */

/*
 * Lock the row. TM_Updated and TM_Deleted mean that it has to be found anew.
 * TM_WouldBlock, with refill->holder, comes only if the change does not wait.
 *
 * A change waits in the line of sessions that wait for the row. But a
 * transaction that has refilled before, and does not hold the row any more
 * because it rolled back to a savepoint, waits for the one that holds the row
 * now, without a place in the line. The first in line may be waiting for this
 * very transaction (the server waits for a whole transaction once a savepoint
 * was released): joining the line would be a deadlock.
 */
static TM_Result
lock_row(Change *change)
{
	const char *name = change->handle->name;
	ItemPointerData tid = change->row->tts_tid;
	TransactionId holder;
	TM_Result result;

	if (change->waits && change->handle->xact.refills == 0)
		return idgen_row_lock(change->rel, name, LockTupleNoKeyExclusive, LockWaitBlock, change->row);

	holder = idgen_row_holder(change->row);
	result = idgen_row_lock(change->rel, name, LockTupleNoKeyExclusive, LockWaitSkip, change->row);
	if (result != TM_WouldBlock)
		return result;
	if (!change->waits)
	{
		change->refill->holder = holder;
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
 * to the cache. Returns false if that wait is not allowed.
 */
static bool
wait_for_writer(const Change *change)
{
	TransactionId xid = idgen_row_writer(change->row);

	if (!TransactionIdIsNormal(xid) || TransactionIdIsCurrentTransactionId(xid) ||
	    idgen_definition_is_gapless(&change->handle->found.row))
		return true;
	if (!change->waits)
		return ConditionalXactLockTableWait(xid, false);
	XactLockTableWait(xid, change->rel, &change->row->tts_tid, XLTW_Update);
	return true;
}

/*
 * What it is updated to
 */

/* a * b for values that are not negative, PG_INT64_MAX if that is too much. */
static int64
multiply_saturating(int64 a, int64 b)
{
	int64 result;

	return pg_mul_s64_overflow(a, b, &result) ? PG_INT64_MAX : result;
}

/*
 * Does the handle still know what ids are made of? If not, a transaction that
 * this one has waited for has changed the row. It has told the slot by now; or
 * it was prepared, and the server has sent a message meanwhile.
 */
static bool
is_up_to_date(const IdgenHandle *handle)
{
	const IdgenFound *found = &handle->found;
	uint64 epoch = idgen_epoch;

	AcceptInvalidationMessages();
	return epoch == idgen_epoch &&
		(found->slot == NULL || idgen_slot_is_still(found->slot, found->version));
}

/* Can the handle's refill allocate from a row that says this by now? */
static bool
is_as_expected(IdgenHandle *handle, const IdgenRequest *request, const IdgenDefinition *def)
{
	if (def->source != handle->found.row.source || def->period != IDGEN_PERIOD_NONE)
		return false;
	if (idgen_request_by_worker(request))
		return def->refill != IDGEN_REFILL_TRANSACTION;
	if (def->refill != IDGEN_REFILL_WORKER && !is_up_to_date(handle))
		return false;
	if (def->refill == IDGEN_REFILL_TRANSACTION)
		return true;
	if (def->refill == IDGEN_REFILL_AUTO && handle->found.row.refill == IDGEN_REFILL_AUTO)
		return true;

	/* A session that holds the row already had better use it itself. */
	return idgen_handle_holds_row(handle);
}

/*
 * The row has no id left. Raises 2200H, unless the asker goes on with what it
 * has.
 */
static IdgenSourceResult
exhausted(const IdgenHandle *handle, const IdgenRequest *request, const IdgenDefinition *def)
{
	if (request->asker == IDGEN_ASKER_SESSION_AHEAD)
		return IDGEN_SOURCE_BUSY;
	if (request->count > 1 && idgen_is_at_end(def->next_block_start, def->max_value))
		idgen_too_few(handle->name, request->count, def->max_value);
	idgen_exhausted(handle->relid, handle->name, def);
}

/*
 * Take up to "wanted" ids from what a definition says, which has an id left,
 * and change it to what the row says after that.
 */
static IdgenBlock
take_ids(IdgenDefinition *def, int64 wanted)
{
	uint64 after = (uint64) def->max_value - (uint64) def->next_block_start;
	IdgenBlock ids = {.next = def->next_block_start, .left = wanted, .step = 1};

	if (after < (uint64) wanted)
	{
		/* These are the last ones. next_block_start stops at the type's end. */
		ids.left = (int64) after + 1;
		def->next_block_start = def->max_value < PG_INT64_MAX ? def->max_value + 1 : PG_INT64_MAX;
		def->exhausted = true;
	}
	else
		def->next_block_start += wanted;
	return ids;
}

/*
 * Take blocks from the row: as many as are asked for; the last one may be
 * short. But take no gapless block for sessions that wait: they take theirs
 * when this transaction is done.
 */
static IdgenSourceResult
compute_allocation(Change *change)
{
	IdgenHandle *handle = change->handle;
	const IdgenRequest *request = change->request;
	IdgenRefill *refill = change->refill;
	IdgenDefinition *def = &change->def;
	bool gapless = idgen_definition_is_gapless(def);
	int64 blocks = gapless ? 1 : request->blocks;

	if (!is_as_expected(handle, request, def))
		return IDGEN_SOURCE_STALE;
	if (idgen_definition_is_exhausted(def))
		return exhausted(handle, request, def);
	refill->fate = gapless ? IDGEN_REST_GIVEN_BACK : IDGEN_REST_PUBLISHED;
	refill->early_release = def->early_release;
	refill->ahead_blocks = blocks;
	refill->ahead_ids = multiply_saturating(blocks, def->block_size);

	/* One of the blocks is for this call, which may need more of them. */
	if ((uint64) def->max_value - (uint64) def->next_block_start < (uint64) request->count - 1)
		idgen_too_few(handle->name, request->count, def->max_value);
	blocks = idgen_add_saturating(blocks, (request->count - 1) / def->block_size);
	blocks = Max(blocks, request->bulk_ids / def->block_size);

	refill->rest.block = take_ids(def, multiply_saturating(blocks, def->block_size));
	refill->blocks = (refill->rest.block.left - 1) / def->block_size + 1;
	refill->left = idgen_definition_left(def);
	return IDGEN_SOURCE_OK;
}

/* Undo the allocation of the rest of a block, if the row still ends with it. */
static IdgenSourceResult
compute_give_back(Change *change)
{
	if (!idgen_block_ends_at(change->rest, change->def.next_block_start, change->def.exhausted))
		return IDGEN_SOURCE_STALE;
	change->def.next_block_start = change->rest->next;
	change->def.exhausted = false;
	change->handle->pending.left = idgen_definition_left(&change->def);
	return IDGEN_SOURCE_OK;
}

/*
 * What the newest version of the row is to be updated to. Any answer but
 * IDGEN_SOURCE_OK leaves it as it is.
 */
static IdgenSourceResult
compute(Change *change)
{
	if (!wait_for_writer(change))
		return IDGEN_SOURCE_BUSY;
	idgen_definition_from_row(change->row, change->handle->name, &change->def);
	return change->request != NULL ? compute_allocation(change) : compute_give_back(change);
}

/*
 * All of it
 */

/* The steps after the row was found, until one of them answers. */
static IdgenSourceResult
lock_and_update(Change *change)
{
	for (;;)
	{
		IdgenSourceResult computed = compute(change);
		TM_Result result;

		if (computed != IDGEN_SOURCE_OK)
			return computed;
		if (change->held)
		{
			idgen_row_refill(change->rel, change->row, change->def.next_block_start, change->def.exhausted,
			                 &change->handle->row_tid);
			return IDGEN_SOURCE_OK;
		}

		result = lock_row(change);
		CHECK_FOR_INTERRUPTS();
		if (result == TM_WouldBlock)
			return IDGEN_SOURCE_BUSY;
		if (result == TM_Ok)
			change->held = true;

		/* If it was deleted or renamed, there may be a new one. */
		else if (!idgen_row_find(change->rel, change->handle->name, change->row))
			return IDGEN_SOURCE_STALE;
	}
}

/*
 * Update the newest version of the row. Answers IDGEN_SOURCE_STALE if there is
 * none.
 */
static IdgenSourceResult
change_row(Change *change)
{
	IdgenSourceResult result = IDGEN_SOURCE_STALE;

	if (!open_table(change))
		return IDGEN_SOURCE_BUSY;
	change->row = table_slot_create(change->rel, NULL);
	CheckCmdReplicaIdentity(change->rel, CMD_UPDATE);

	/* What this very command has written to the row must count as past. */
	CommandCounterIncrement();

	if (fetch_remembered(change) || idgen_row_find(change->rel, change->handle->name, change->row))
	{
		change->held = idgen_row_is_own(change->row);
		result = lock_and_update(change);
	}
	ExecDropSingleTupleTableSlot(change->row);
	table_close(change->rel, NoLock);
	return result;
}

static IdgenSourceResult
table_allocate(IdgenHandle *handle, const IdgenRequest *request, IdgenRefill *refill)
{
	Change change = {
		.handle = handle,
		.request = request,
		.refill = refill,
		.waits = request->asker == IDGEN_ASKER_SESSION || request->asker == IDGEN_ASKER_WORKER_IN_LINE,
	};

	return change_row(&change);
}

/*
 * Put the unused rest of a gapless block back into its row. That fails if this
 * transaction has itself changed the row by other means.
 */
static bool
table_give_back(IdgenHandle *handle, const IdgenBlock *rest)
{
	Change change = {.handle = handle, .rest = rest, .waits = true};

	return change_row(&change) == IDGEN_SOURCE_OK;
}

/*
 * What the row says comes next; or will say, if it is not made yet. Raises
 * 2200H.
 */
static bool
table_peek(IdgenHandle *handle, int64 *id)
{
	IdgenRow row;
	IdgenDefinition def;
	bool found = idgen_row_open(&row, handle->relid, handle->name);

	if (!found && handle->found.unmade)
		found = idgen_row_describe(&row, NULL);
	if (found)
		idgen_definition_from_row(row.slot, handle->name, &def);
	idgen_row_close(&row);
	if (!found)
		return false;
	if (idgen_definition_is_exhausted(&def))
		idgen_exhausted(handle->relid, handle->name, &def);
	*id = def.next_block_start;
	return true;
}

const IdgenSource idgen_source_table = {
	.name = "table",
	.transactional = true,
	.locks_row = true,
	.allocate = table_allocate,
	.give_back = table_give_back,
	.peek = table_peek,
};
