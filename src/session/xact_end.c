/*
 * xact_end.c
 *		What becomes of a transaction's pending ids when it ends.
 *
 * Before a commit, the rest of gapless blocks returns to the source. After it,
 * what else is left is published, and the cache is told what the transaction
 * has changed. After a rollback, pending ids are forgotten, and only counters
 * and the claim are told. All this concerns the handles on
 * idgen_listed_handles.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "utils/snapmgr.h"

#include "catalog/row.h"
#include "session/handle_table.h"
#include "session/messages.h"
#include "session/pending.h"
#include "session/savepoint.h"
#include "session/xact_changes.h"
#include "session/xact_end.h"

/*
 * Before commit: give the unused rest of every gapless block back to its
 * source. If that is not possible any more, it is lost. No query is running, so
 * there is no snapshot unless we make one. Answers whether anything was given
 * back.
 */
bool
idgen_xact_give_back_gapless(void)
{
	bool given_back = false;
	dlist_iter iter;

	dlist_foreach(iter, &idgen_listed_handles)
	{
		IdgenHandle *handle = dlist_container(IdgenHandle, xact.node, iter.cur);

		if (handle->pending.fate != IDGEN_REST_GIVEN_BACK || handle->pending.rest.block.left == 0)
			continue;
		PushActiveSnapshot(GetTransactionSnapshot());
		if (idgen_pending_give_back(handle))
			given_back = true;
		PopActiveSnapshot();
	}
	return given_back;
}

/*
 * Before commit, when that is done: say of which gapless id sequences few ids
 * are left. A refill could not, since it does not know what returns. The row
 * does, unless this transaction has itself changed it: then the next one will
 * say so.
 */
void
idgen_xact_warn_low(void)
{
	dlist_iter iter;

	dlist_foreach(iter, &idgen_listed_handles)
	{
		IdgenHandle *handle = dlist_container(IdgenHandle, xact.node, iter.cur);
		IdgenRow row;
		IdgenDefinition def;
		IdgenRangeLeft left;

		if (!handle->pending.low || handle->pending.change >= IDGEN_SLOT_DROP)
			continue;
		PushActiveSnapshot(GetTransactionSnapshot());
		if (idgen_row_open(&row, handle->relid, handle->name, handle->namelen))
		{
			idgen_definition_from_row(row.slot, handle->name, &def);
			left = idgen_definition_left(&def);
			idgen_warn_low(handle, &left);
		}
		idgen_row_close(&row);
		PopActiveSnapshot();
	}
}

/*
 * Tell the cache what the end of the transaction means for the id sequence of a
 * handle.
 */
static void
finish_handle(const IdgenHandle *handle, IdgenXactEnd end, bool all_rows)
{
	const IdgenPending *p = &handle->pending;
	const IdgenHandleXact *xact = &handle->xact;
	bool committed = end != IDGEN_END_ABORTED;
	IdgenOutcome outcome = {
		.rest = p->rest,
		.good_as_of = !committed || idgen_pending_is_elsewhere(handle) ? IDGEN_NOT_PUBLISHABLE : p->good_as_of,
		.claim = xact->claim,
		.ahead_blocks = xact->ahead_blocks,
		.ahead_ids = xact->ahead_ids,
		.by_worker = handle->of_worker,
		.ahead_below = xact->ahead_below,
		.counters = xact->counters,
	};

	if (committed)
	{
		outcome.change = all_rows || p->uncommitted ? IDGEN_SLOT_DROP : p->change;
		outcome.fate = end == IDGEN_END_COMMITTED ? IDGEN_OUTCOME_PUBLISHED : IDGEN_OUTCOME_LOST;
	}
	else if (idgen_pending_is_lost_by_rollback(p))
		outcome.fate = IDGEN_OUTCOME_PUBLISHED;
	idgen_handle_finish(handle, &outcome);
}

/*
 * The transaction is over: tell the cache and forget everything. The handles
 * come before the changes of rows: what a transaction has allocated after it
 * changed a row is good, but nothing else is. Does not raise errors.
 */
void
idgen_xact_finish(IdgenXactEnd end)
{
	bool committed = end != IDGEN_END_ABORTED;
	bool all_rows = idgen_changes_include_all_rows();
	uint64 since = idgen_cache_number();
	dlist_iter iter;

	idgen_savepoint_forget_all();
	dlist_foreach(iter, &idgen_listed_handles)
	{
		IdgenHandle *handle = dlist_container(IdgenHandle, xact.node, iter.cur);

		finish_handle(handle, end, all_rows);
		if (handle->pending.change != IDGEN_SLOT_UNCHANGED || handle->pending.uncommitted)
			idgen_handle_invalidate(handle);
	}
	idgen_changes_finish(committed, since);
	idgen_handles_end_transaction();
}
