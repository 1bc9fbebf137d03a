/*
 * source_table.c
 *		Blocks from id_sequences itself.
 *
 * A refill updates the row's newest version as part of the calling
 * transaction; row_change.c does that.
 */
#include "postgres.h"

#include "common/int.h"
#include "utils/builtins.h"
#include "utils/inval.h"

#include "catalog/epoch.h"
#include "catalog/extent.h"
#include "catalog/child.h"
#include "catalog/row.h"
#include "catalog/table.h"
#include "session/messages.h"
#include "session/pending.h"
#include "sources/row_change.h"
#include "sources/sources.h"

/* The request and the answer of one allocation. */
typedef struct Allocation
{
	const IdgenRequest *request;
	IdgenRefill *refill;
} Allocation;

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
	if (def->source != handle->found.source || def->period != IDGEN_PERIOD_NONE)
		return false;
	if (idgen_request_by_worker(request))
		return def->refill != IDGEN_REFILL_TRANSACTION;
	if (def->refill != IDGEN_REFILL_WORKER && !is_up_to_date(handle))
		return false;
	if (def->refill == IDGEN_REFILL_TRANSACTION)
		return true;
	if (def->refill == IDGEN_REFILL_AUTO && handle->found.refill == IDGEN_REFILL_AUTO)
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
		return IDGEN_SOURCE_EXHAUSTED;
	if (request->count > 1 && idgen_is_at_end(def->next_block_start, def->max_value))
		idgen_too_few(handle->name, request->count, def->max_value);
	idgen_exhausted(handle->relid, handle->name, def);
}

static bool
is_gapless(const IdgenDefinition *def)
{
	return def->block_size == 1 && def->refill == IDGEN_REFILL_TRANSACTION;
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
compute_allocation(IdgenHandle *handle, TupleTableSlot *row, IdgenRowValues *new_row, void *arg)
{
	const IdgenRequest *request = ((Allocation *) arg)->request;
	IdgenRefill *refill = ((Allocation *) arg)->refill;
	IdgenDefinition def;
	bool gapless;
	int64 blocks;
	int64 count;

	idgen_definition_from_row(row, handle->name, &def);
	if (!is_as_expected(handle, request, &def))
		return IDGEN_SOURCE_STALE;
	if (idgen_definition_is_exhausted(&def))
		return exhausted(handle, request, &def);

	gapless = is_gapless(&def);
	refill->fate = gapless ? IDGEN_REST_GIVEN_BACK : IDGEN_REST_PUBLISHED;
	blocks = gapless ? 1 : request->blocks;
	refill->ahead_blocks = blocks;
	refill->ahead_ids = multiply_saturating(blocks, def.block_size);

	/* One of the blocks is for this call, which may need more of them. */
	count = idgen_request_ids(request, def.next_block_start, 1,
	                          (uint64) def.max_value - (uint64) def.next_block_start);
	if (count == 0)
		idgen_too_few(handle->name, request->count, def.max_value);
	blocks = idgen_add_saturating(blocks, (count - 1) / def.block_size);
	blocks = Max(blocks, request->bulk_ids / def.block_size);

	refill->rest.block = take_ids(&def, multiply_saturating(blocks, def.block_size));
	refill->blocks = (refill->rest.block.left - 1) / def.block_size + 1;
	refill->left = idgen_definition_left(&def);
	new_row->next_block_start = def.next_block_start;
	new_row->exhausted = def.exhausted;
	return IDGEN_SOURCE_OK;
}

static IdgenSourceResult
table_allocate(IdgenHandle *handle, const IdgenRequest *request, IdgenRefill *refill)
{
	Allocation allocation = {request, refill};

	return idgen_row_change(handle, idgen_request_waits(request) ? LockWaitBlock : LockWaitSkip,
	                        compute_allocation, &allocation, &refill->holder);
}

/* Undo the allocation of the rest of a block, if the row still ends with it. */
static IdgenSourceResult
compute_give_back(IdgenHandle *handle, TupleTableSlot *row, IdgenRowValues *new_row, void *arg)
{
	const IdgenBlock *rest = (const IdgenBlock *) arg;
	IdgenDefinition def;

	idgen_definition_from_row(row, handle->name, &def);
	if (!idgen_block_ends_at(rest, def.next_block_start, def.exhausted))
		return IDGEN_SOURCE_STALE;
	new_row->next_block_start = rest->next;
	new_row->exhausted = false;
	return IDGEN_SOURCE_OK;
}

/*
 * Put the unused rest of a gapless block back into its row. That fails if this
 * transaction has itself changed the row by other means.
 */
static IdgenSourceResult
table_give_back(IdgenHandle *handle, const IdgenBlock *rest)
{
	IdgenBlock block = *rest;
	TransactionId holder;

	return idgen_row_change(handle, LockWaitBlock, compute_give_back, &block, &holder);
}

/*
 * What the row says comes next; or will say, if it is not made yet. Raises
 * 2200H.
 */
static IdgenSourceResult
table_peek(IdgenHandle *handle, int64 *id)
{
	IdgenRow row;
	IdgenDefinition def;
	bool found = idgen_row_open(&row, handle->relid, handle->name, handle->namelen);
	IdgenChild *child = NULL;

	if (!found && handle->found.unmade)
		child = idgen_child_find(row.rel, handle->name);
	if (child != NULL)
	{
		found = true;
		idgen_child_show(child, &row);
		idgen_child_free(child);
	}
	if (found)
		idgen_definition_from_row(row.slot, handle->name, &def);
	idgen_row_close(&row);
	if (!found)
		return IDGEN_SOURCE_STALE;
	if (idgen_definition_is_exhausted(&def))
		idgen_exhausted(handle->relid, handle->name, &def);
	*id = def.next_block_start;
	return IDGEN_SOURCE_OK;
}

/* A column that is a number; the other one if it is null. */
static int64
get_number(TupleTableSlot *row, AttrNumber attnum, int64 if_null)
{
	bool isnull;
	Datum value = slot_getattr(row, attnum, &isnull);

	return isnull ? if_null : DatumGetInt64(value);
}

/* The row says all of it. */
static void
table_extent(TupleTableSlot *row, Oid object, IdgenExtent *extent)
{
	int64 next = get_number(row, IDGEN_ATT_NEXT_BLOCK_START, 1);
	int64 max = get_number(row, IDGEN_ATT_MAX_VALUE, PG_INT64_MAX);
	bool isnull;
	Datum exhausted = slot_getattr(row, IDGEN_ATT_EXHAUSTED, &isnull);

	extent->is_known = true;
	extent->exhausted = next > max || (!isnull && DatumGetInt16(exhausted) != 0);
	extent->first = Min(get_number(row, IDGEN_ATT_START_VALUE, next), next);
	extent->next = next;
	extent->any = next > extent->first;
	if (extent->any)
		extent->last = extent->exhausted && next == PG_INT64_MAX ? next : next - 1;
	idgen_extent_limit(extent, max, "max_value");
}

const IdgenSource idgen_source_table = {
	.name = "table",
	.transactional = true,
	.locks_row = true,
	.allocate = table_allocate,
	.give_back = table_give_back,
	.peek = table_peek,
	.extent = table_extent,
};
