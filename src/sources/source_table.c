/*
 * source_table.c
 *		Blocks from id_sequences itself.
 *
 * A refill updates the row's newest version as part of the calling
 * transaction. It goes to the table directly, as the server's logical
 * replication worker does (executor/execReplication.c), for three reasons: an
 * SQL UPDATE would fail with a serialization error at the higher isolation
 * levels (rule T4), would need the caller's UPDATE privilege (C3), and would
 * find the row through its index each time, walking along all the versions
 * that this transaction has written before (T7).
 *
 * row_write.c does what else such an update entails.
 */
#include "postgres.h"

#include "access/heapam.h"
#include "access/htup_details.h"
#include "access/table.h"
#include "access/tableam.h"
#include "access/xact.h"
#include "catalog/pg_type.h"
#include "common/int.h"
#include "executor/executor.h"
#include "executor/spi.h"
#include "executor/tuptable.h"
#include "miscadmin.h"
#include "storage/bufmgr.h"
#include "storage/lmgr.h"
#include "utils/builtins.h"
#include "utils/snapmgr.h"

#include "catalog/row.h"
#include "catalog/row_write.h"
#include "catalog/source.h"
#include "common/compat.h"
#include "session/handle.h"
#include "session/pending.h"
#include "sources/sources.h"

/*
 * Lock the newest version of the row, starting from the one in "row", which
 * is replaced; by nothing if the answer is not TM_Ok. With "wait" false, answers
 * TM_WouldBlock instead of waiting; TM_Deleted also if the newest version has another
 * name.
 */
static TM_Result
lock_newest(Relation rel, IdgenHandle *handle, TupleTableSlot *row, bool wait)
{
	ItemPointerData tid = row->tts_tid;
	TM_FailureData tmfd;
	TM_Result result;

	result = table_tuple_lock(rel, &tid, SnapshotSelf, row,
	                          GetCurrentCommandId(false), LockTupleNoKeyExclusive,
	                          wait ? LockWaitBlock : LockWaitSkip,
	                          TUPLE_LOCK_FLAG_FIND_LAST_VERSION, &tmfd);
	if (result == TM_Ok && !idgen_row_is_named(row, handle->name, handle->namelen))
		result = TM_Deleted;

	/* If it has followed the row, the slot may point to where nothing is pinned. */
	if (result != TM_Ok)
		ExecClearTuple(row);
	return result;
}

/*
 * Remove old versions from a page of the table that are in the way, as the server
 * does when it comes to a page through an index: else each refill of a session
 * that comes back without the index would leave one more. The server would do so as
 * soon as the page is fuller than fillfactor says, which a page full of rows
 * always is; we fill most of the room that this leaves, since it costs WAL each
 * time. As there, what is read without a lock decides only whether it is tried.
 * Caller must not have the page pinned.
 */
static void
prune_page(Relation rel, BlockNumber block)
{
	Buffer buffer = ReadBuffer(rel, block);
	Page page = BufferGetPage(buffer);

	if (PageIsFull(page) || PageGetHeapFreeSpace(page) < BLCKSZ / 4)
		heap_page_prune_opt(rel, buffer);
	ReleaseBuffer(buffer);
}

/*
 * Get the newest version of the row without its index, from where this session
 * has put it the last time. That may be out of date: somebody else, or our own
 * transaction, has changed the row since, or rolled back. But if what is there
 * is the row and visible now, then it is the newest version. Not even the page
 * may be there any more; while we have the table open, none is removed.
 */
static bool
fetch_remembered(Relation rel, IdgenHandle *handle, TupleTableSlot *row)
{
	BlockNumber block;

	if (!ItemPointerIsValid(&handle->row_tid))
		return false;
	block = ItemPointerGetBlockNumber(&handle->row_tid);
	if (block >= RelationGetNumberOfBlocks(rel))
		return false;
	if (TTS_IS_BUFFERTUPLE(row))
		prune_page(rel, block);
	if (!table_tuple_fetch_row_version(rel, &handle->row_tid, SnapshotSelf, row))
		return false;
	if (idgen_row_is_named(row, handle->name, handle->namelen))
		return true;
	ExecClearTuple(row);
	return false;
}

/*
 * Lock the newest version of the row without getting in line for it, by
 * waiting for whoever has it now. Result as for lock_newest(); TM_Updated means
 * that it has to be looked for and tried again.
 */
static TM_Result
lock_out_of_line(Relation rel, IdgenHandle *handle, TupleTableSlot *row)
{
	ItemPointerData tid = row->tts_tid;
	TransactionId holder = idgen_row_holder(row);
	TM_Result result = lock_newest(rel, handle, row, false);

	if (result != TM_WouldBlock)
		return result;
	if (TransactionIdIsValid(holder))
		XactLockTableWait(holder, rel, &tid, XLTW_Lock);
	return TM_Updated;
}

/*
 * A transaction that changes the row tells the cache when others see the change
 * already, but before its locks go. Wait for that, so that the cache does not take for
 * old what we allocate from the new row; a gapless block never gets there. Returns
 * false if "wait" is false and it would take a wait.
 */
static bool
wait_for_writer(Relation rel, const IdgenHandle *handle, TupleTableSlot *row, bool wait)
{
	TransactionId xid = idgen_row_writer(row);

	if (!TransactionIdIsNormal(xid) || TransactionIdIsCurrentTransactionId(xid) ||
	    (handle->found.block_size == 1 && !handle->found.by_worker))
		return true;
	if (!wait)
		return ConditionalXactLockTableWait(xid, false);
	XactLockTableWait(xid, rel, &row->tts_tid, XLTW_Update);
	return true;
}

/*
 * Update the newest version of the row to what compute() makes of it. compute()
 * may be called several times, and may answer false for "leave it". Returns
 * false if it did so, if there is no row, or if another transaction holds the
 * row and "wait" is false. Triggers get the rights of "writer".
 *
 * The first try is made with the version found, without locking it before: as
 * long as nobody else writes, that is one WAL record instead of two.
 *
 * Not so if this transaction has refilled before and does not hold the row any
 * more, because it rolled back to a savepoint. Then the first in line for the
 * row may be waiting for us (the server waits for a whole transaction once a
 * savepoint was released), and joining the line would be a deadlock.
 */
static bool
change_row(IdgenHandle *handle, Oid writer, bool wait,
           bool (*compute)(IdgenHandle *handle, TupleTableSlot *row,
                           IdgenRowValues *new_row, void *arg),
           void *arg)
{
	Relation rel;
	TupleTableSlot *row;
	bool in_line = wait && handle->xact.refills == 0;
	bool locked;
	bool changed = false;

	handle->row_holder = InvalidTransactionId;
	if (!wait && !ConditionalLockRelationOid(handle->relid, RowExclusiveLock))
		return false;
	rel = idgen_table_open(handle->relid, RowExclusiveLock);
	if (wait)
		idgen_table_check_not_rewritten(rel);
	else if (idgen_table_is_rewritten(rel))
	{
		table_close(rel, NoLock);
		return false;
	}
	row = table_slot_create(rel, NULL);
	CheckCmdReplicaIdentity(rel, CMD_UPDATE);

	/* What this very command has written to the row must count as past. */
	CommandCounterIncrement();

	if (!fetch_remembered(rel, handle, row) &&
	    !idgen_row_find(rel, handle->name, handle->namelen, true, row))
		goto done;
	locked = idgen_row_is_own(row);

	while (!changed)
	{
		IdgenRowValues new_row;
		TM_FailureData tmfd;
		TM_Result result = TM_Ok;

		if (!locked && !wait)
		{
			TransactionId holder = idgen_row_holder(row);

			result = lock_newest(rel, handle, row, false);
			if (result == TM_WouldBlock)
				handle->row_holder = holder;
		}
		else if (!locked && !in_line)
			result = lock_out_of_line(rel, handle, row);
		else if (!locked && idgen_row_fires_triggers(rel))
			result = lock_newest(rel, handle, row, true);

		if (result == TM_Ok)
		{
			if (!wait_for_writer(rel, handle, row, wait))
				goto done;
			if (!compute(handle, row, &new_row, arg))
				break;
			result = idgen_row_update(rel, row, &new_row, writer, &tmfd, &handle->row_tid);
			changed = (result == TM_Ok);
			locked = changed;

			/* Somebody else was faster: get in line for the row's lock. */
			if (result == TM_Updated && in_line)
			{
				result = lock_newest(rel, handle, row, true);
				locked = (result == TM_Ok);
			}
		}

		switch (result)
		{
			case TM_Ok:
				break;
			case TM_Updated:
			case TM_Deleted:
				/* If it was deleted or renamed, there may be a new one. */
				if (!idgen_row_find(rel, handle->name, handle->namelen, true, row))
					goto done;
				break;
			case TM_WouldBlock:
				goto done;
			default:
				elog(ERROR, "unexpected status %u while updating \"id_sequences\"", result);
		}
		CHECK_FOR_INTERRUPTS();
	}

done:
	ExecDropSingleTupleTableSlot(row);
	table_close(rel, NoLock);
	return changed;
}

/* The request and the answer of one allocation. */
typedef struct Allocation
{
	const IdgenRequest *request;
	IdgenRefill *refill;
} Allocation;

/* a * b for non-negative values, PG_INT64_MAX if that is too much */
static int64
multiply_saturating(int64 a, int64 b)
{
	int64 result;

	return pg_mul_s64_overflow(a, b, &result) ? PG_INT64_MAX : result;
}

/*
 * Take blocks from the row: as many as are asked for, which may be the last ones
 * and short. Of a gapless one, others who wait get theirs when we are done.
 */
static bool
compute_allocation(IdgenHandle *handle, TupleTableSlot *row, IdgenRowValues *new_row, void *arg)
{
	const IdgenRequest *request = ((Allocation *) arg)->request;
	IdgenRefill *refill = ((Allocation *) arg)->refill;
	IdgenDefinition def;
	bool gapless;
	int64 blocks;
	int64 wanted;
	int64 count;
	uint64 after; /* ids left in the range after the first */

	idgen_definition_from_row(row, handle->name, &def);

	/*
	 * Somebody we have waited for may have changed that. If it is the worker now
	 * who refills, but we have the row locked already, we had better use it.
	 */
	if (def.source != handle->found.source)
		return false;
	if (request->by_worker ? !def.by_worker : def.by_worker && !idgen_handle_holds_row(handle))
		return false;
	if (idgen_definition_is_exhausted(&def))
	{
		if (!request->wait)
			return false;
		if (request->count > 1 && idgen_is_at_end(def.next_block_start, def.max_value))
			idgen_too_few(handle->name, request->count, def.max_value);
		idgen_exhausted(handle->name, &def);
	}

	gapless = (def.block_size == 1 && !def.by_worker);
	refill->fate = gapless ? IDGEN_REST_RETURNED : IDGEN_REST_PUBLISHED;
	blocks = gapless ? 1 : request->blocks;
	refill->ahead_blocks = blocks;
	refill->ahead_ids = multiply_saturating(blocks, def.block_size);

	/* One of the blocks is for the caller, who may need more of them. */
	after = (uint64) def.max_value - (uint64) def.next_block_start;
	count = idgen_request_ids(request, def.next_block_start, 1, after);
	if (count == 0)
		idgen_too_few(handle->name, request->count, def.max_value);
	blocks = idgen_add_saturating(blocks, (count - 1) / def.block_size);
	blocks = Max(blocks, request->bulk_ids / def.block_size);
	wanted = multiply_saturating(blocks, def.block_size);

	refill->rest.block.step = 1;
	refill->rest.block.next = def.next_block_start;
	if (after < (uint64) wanted)
	{
		/* These are the last ones. next_block_start stops at the type's end. */
		refill->rest.block.left = (int64) after + 1;
		refill->blocks = (refill->rest.block.left - 1) / def.block_size + 1;
		new_row->next_block_start = def.max_value < PG_INT64_MAX ? def.max_value + 1 : PG_INT64_MAX;
		new_row->exhausted = true;
	}
	else
	{
		refill->rest.block.left = wanted;
		refill->blocks = blocks;
		new_row->next_block_start = def.next_block_start + wanted;
		new_row->exhausted = false;
	}
	def.next_block_start = new_row->next_block_start;
	def.exhausted = new_row->exhausted;
	refill->percent_left = idgen_definition_percent_left(&def);
	return true;
}

/* Allocate blocks for the current transaction; false if the row is gone. */
static bool
table_allocate(IdgenHandle *handle, const IdgenRequest *request, IdgenRefill *refill)
{
	Allocation allocation = {request, refill};

	return change_row(handle, handle->found.userid, request->wait, compute_allocation, &allocation);
}

/* Undo the allocation of the rest of a block, if the row still allows. */
static bool
compute_give_back(IdgenHandle *handle, TupleTableSlot *row, IdgenRowValues *new_row, void *arg)
{
	const IdgenBlock *rest = (const IdgenBlock *) arg;
	IdgenDefinition def;

	idgen_definition_from_row(row, handle->name, &def);
	new_row->next_block_start = rest->next;
	new_row->exhausted = false;
	return idgen_block_ends_at(rest, def.next_block_start, def.exhausted);
}

/*
 * Put the unused rest of a gapless block back into its row, for the role that has
 * allocated it: others may only have looked at the row since. Returns false if
 * the transaction has itself changed the row by other means since.
 */
static bool
table_give_back(IdgenHandle *handle, const IdgenBlock *rest)
{
	IdgenBlock block = *rest;

	return change_row(handle, handle->pending.userid, true, compute_give_back, &block);
}

/* What the row says comes next; false if it is gone. Raises 2200H. */
static bool
table_peek(IdgenHandle *handle, int64 *id)
{
	IdgenRow row;
	IdgenDefinition def;
	bool found;

	found = idgen_row_open(&row, handle->relid, handle->name, handle->namelen, true);
	if (found)
		idgen_definition_from_row(row.slot, handle->name, &def);
	idgen_row_close(&row);
	if (!found)
		return false;

	if (idgen_definition_is_exhausted(&def))
		idgen_exhausted(handle->name, &def);
	*id = def.next_block_start;
	return true;
}

/*
 * Start again at an id, forwards or backwards: ordinary SQL, with the caller's
 * own rights. Raises 25006, 42501, 42704, and 22023 if start lies behind max_value.
 */
static bool
table_restart(IdgenHandle *handle, int64 start)
{
	Oid types[] = {TEXTOID, INT8OID};
	Datum values[] = {CStringGetTextDatum(handle->name), Int64GetDatum(start)};
	int64 max_value;
	bool isnull;
	char *query;

	/* A standby cannot even take note of a change. */
	PreventCommandIfReadOnly("idgen_restart()");

	/*
	 * What this transaction has reserved of the old ids is void, and must not
	 * be put back on occasion of the update. Going forward would not by itself
	 * drop what is cached.
	 */
	idgen_pending_note_change(handle, IDGEN_CHANGE_DROP);

	query = psprintf("UPDATE ONLY %s SET next_block_start = $2, start_value = $2, exhausted = 0"
	                 " WHERE name OPERATOR(pg_catalog.=) $1 RETURNING max_value",
	                 idgen_table_name(handle->relid));
	SPI_connect();
	if (SPI_execute_with_args(query, 2, types, values, NULL, false, 0) != SPI_OK_UPDATE_RETURNING)
		elog(ERROR, "unexpected result of update of \"id_sequences\"");
	if (SPI_processed == 0)
		idgen_no_such_sequence(handle->relid, handle->name, NULL);
	max_value = DatumGetInt64(SPI_getbinval(SPI_tuptable->vals[0],
	                                        SPI_tuptable->tupdesc, 1, &isnull));
	SPI_finish();

	if (start > max_value)
		ereport(ERROR,
		        (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
		         errmsg("start (%lld) must not be greater than max_value (%lld) of id sequence \"%s\"",
		                (long long) start, (long long) max_value, handle->name),
		         errhint("Raise max_value first.")));
	return true;
}

const IdgenSource idgen_source_table = {
	.name = "table",
	.transactional = true,
	.needs_row = true,
	.for_worker = true,
	.locks_row = true,
	.auto_created = true,
	.allocate = table_allocate,
	.give_back = table_give_back,
	.peek = table_peek,
	.restart = table_restart,
};
