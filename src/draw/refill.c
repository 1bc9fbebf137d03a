/*
 * refill.c
 *		Refilling.
 *
 * A refill from a transactional source belongs to the transaction: its blocks
 * are pending until that commits. A refill from a source that is not
 * transactional is published as soon as the source has allocated it. In a
 * transaction that must not use what is published, because it has changed what
 * ids come from, any refill is of the first kind.
 *
 * How much a refill takes (rule T6): one block; if k sessions wait, k + 1; and
 * from a transaction's ninth refill on, an eighth of what it has taken so far.
 * So a bulk load of m ids writes O(log m) row versions, and leaves at most an
 * eighth unused.
 */
#include "postgres.h"

#include "access/xact.h"
#include "miscadmin.h"
#include "storage/lmgr.h"
#include "storage/proc.h"
#include "utils/resowner.h"
#include "utils/timestamp.h"

#include "catalog/table.h"
#include "common/clock.h"
#include "common/compat.h"
#include "common/durable.h"
#include "common/early_release.h"
#include "common/full_xid.h"
#include "draw/refill.h"
#include "draw/watermark.h"
#include "session/xact.h"
#include "session/handle.h"

/* Refills that a call makes for consecutive ids before it gives up. */
#define IDGEN_RANGE_REFILLS 10

/* One of this many refills of a transaction is timed. */
#define TIMED_REFILLS 8

/*
 * What a refill begins with: zeros. They are copied, since compilers set that
 * many bytes to zero by an instruction that takes longer.
 */
static const IdgenRefill not_refilled;

/* A refill that a source is at work for; triggers of that may cause others. */
typedef struct Refilling
{
	const IdgenHandle *handle;
	const struct Refilling *outer;
} Refilling;

/* The innermost one of this process. */
static const Refilling *refilling = NULL;

/*
 * Is this process refilling the id sequence? By its name: the worker refills
 * with a handle of its own.
 */
static bool
is_refilling(const IdgenHandle *handle)
{
	for (const Refilling *r = refilling; r != NULL; r = r->outer)
		if (r->handle->relid == handle->relid && strcmp(r->handle->name, handle->name) == 0)
			return true;
	return false;
}

/*
 * Raises 55000 if this very process is refilling the id sequence, or gives ids
 * back. An allocation runs an allocator or triggers, and these must not need
 * the ids that it brings.
 */
void
idgen_refill_check_not_nested(const IdgenHandle *handle)
{
	if (handle->giving_back || is_refilling(handle))
		ereport(ERROR,
		        (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
		         errmsg("the refill of id sequence \"%s\" draws from the same id sequence", handle->name),
		         errhint("Make the allocator, or the trigger on \"id_sequences\", leave this id sequence out.")));
}

/*
 * Has this transaction done what it takes to refill from a source that is not
 * transactional?
 */
static bool
is_prepared(const IdgenHandle *handle)
{
	return handle->publishing.lxid == MyLocalTransactionId;
}

/*
 * Time the next refill, perhaps; or go on timing it, if a worker has tried it
 * before. To look at the clock takes long next to a refill from a native
 * sequence. So a transaction times the first one, and then each eighth, which
 * stands for the seven before it.
 */
static void
begin_to_time(const IdgenHandle *handle, const IdgenRequest *request, IdgenRefill *refill)
{
	int64 refills = handle->xact.refills;

	if (is_prepared(handle))
		refills += handle->publishing.refills;
	if (refills % TIMED_REFILLS != 0)
		return;
	refill->begun_at = idgen_request_by_worker(request) ? request->since : GetCurrentTimestamp();
	refill->timed_for = refills == 0 ? 1 : TIMED_REFILLS;
}

/*
 * Have the source allocate. Raises whatever the source does, and 55000 if that
 * draws from the same id sequence.
 */
IdgenSourceResult
idgen_refill_allocate(IdgenHandle *handle, const IdgenRequest *request, IdgenRefill *refill)
{
	const Refilling this = {handle, refilling};
	ErrorContextCallback context;
	IdgenSourceResult result;

	*refill = not_refilled;
	begin_to_time(handle, request, refill);
	refill->rest.storage = handle->found.storage;
	refill->rest.origin = handle->found.origin;
	refill->rest.lost_at_shutdown = handle->found.temporary;
	idgen_refill_context_push(handle->name, &context);
	idgen_refill_check_not_nested(handle);
	refilling = &this;
	PG_TRY();
	{
		if (handle->found.row.watermark && !idgen_watermark_before_refill(handle))
			result = IDGEN_SOURCE_STALE;
		else
			result = handle->found.row.source->allocate(handle, request, refill);
	}
	PG_FINALLY();
	{
		refilling = this.outer;
	}
	PG_END_TRY();
	error_context_stack = context.previous;

	return result;
}

/* Raises 55000: the source gives blocks, but they are too small. */
static void
not_consecutive(const IdgenHandle *handle, const IdgenCall *call)
{
	ereport(ERROR,
	        (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
	         errmsg("could not get %lld consecutive ids of id sequence \"%s\"",
	                (long long) call->count, handle->name),
	         errdetail("Its source gave smaller blocks, or other sessions drew from it in between."),
	         errhint("Make the blocks larger.")));
}

/*
 * How many ids are worth taking at once, after what this transaction has taken?
 */
static int64
bulk_ids(const IdgenHandle *handle)
{
	int64 ids = idgen_bulk_ids(handle->xact.refills, handle->xact.ids_allocated);

	if (ids == 0 && is_prepared(handle))
		ids = idgen_bulk_ids(handle->publishing.refills, handle->publishing.ids);
	return ids;
}

/* When a call has first needed the source, if that is another server. */
static TimestampTz
needed_since(const IdgenCall *call)
{
	if (call->waiting_ms == 0)
		return 0;
	return TimestampTzPlusMilliseconds(GetCurrentTimestamp(), -(int64) (idgen_clock_ms() - call->waiting_ms));
}

/*
 * What a call of this session asks for, as the cache has said. Raises 55000 if
 * it has asked too often.
 */
static IdgenRequest
request_of(IdgenHandle *handle, IdgenCall *call, const IdgenDrawResult *drawn)
{
	if (++call->refills > IDGEN_RANGE_REFILLS && call->count > 1 && !drawn->ahead)
		not_consecutive(handle, call);
	return (IdgenRequest){
		.asker = drawn->ahead ? IDGEN_ASKER_SESSION_AHEAD : IDGEN_ASKER_SESSION,
		.blocks = drawn->nblocks,
		.bulk_ids = bulk_ids(handle),
		.count = drawn->ahead ? 1 : call->count,
		.since = needed_since(call),
	};
}

/* Others can find what the source has allocated, or it is lost. */
static void
end_refill(IdgenHandle *handle)
{
	if (handle->found.row.source->published != NULL)
		handle->found.row.source->published(handle);
}

/*
 * Have the source allocate what is for the current transaction, and keep it as
 * pending. Raises what idgen_refill_allocate() does.
 */
IdgenSourceResult
idgen_refill_pending(IdgenHandle *handle, const IdgenRequest *request, IdgenRefill *refill)
{
	uint64 as_of = handle->found.version;
	IdgenSourceResult result = idgen_refill_allocate(handle, request, refill);

	if (result != IDGEN_SOURCE_OK)
		return result;

	/*
	 * The rest is for other sessions as soon as the transaction has committed,
	 * so the commit must be on disk by then, whatever synchronous_commit says.
	 * This session's own client relies on that as well.
	 */
	if (refill->early_release)
		idgen_commit_flushes_last();
	else
		idgen_commit_flushes_first();

	/*
	 * A source that is not transactional must not give these ids again after a
	 * crash, whatever becomes of the transaction: its client has seen them.
	 */
	if (refill->lsn != InvalidXLogRecPtr)
		XLogFlush(refill->lsn);

	/*
	 * What happens to the row from now on comes after this transaction. A
	 * change that the worker has waited for may have taken the slot away.
	 */
	if (handle->found.row.source->locks_row && refill->fate == IDGEN_REST_PUBLISHED)
	{
		if (handle->of_worker)
			(void) idgen_handle_attach(handle, &handle->found, &as_of);
		as_of = idgen_cache_number();
		idgen_wait_for_allocator(handle, idgen_full_xid(GetTopTransactionId()));
	}
	idgen_pending_add(handle, refill, as_of);
	if (!handle->of_worker)
		end_refill(handle);

	/* Of a gapless refill ids may go back, see before_commit() in xact.c. */
	if (refill->fate != IDGEN_REST_GIVEN_BACK)
		idgen_warn_low(handle, &refill->left);
	return IDGEN_SOURCE_OK;
}

/*
 * Take the lock of nextval(), which like there outlasts savepoints. This may
 * wait, while allocate() must not.
 */
static void
lock_object(Oid object)
{
	ResourceOwner owner = CurrentResourceOwner;

	CurrentResourceOwner = TopTransactionResourceOwner;
	LockRelationOid(object, RowExclusiveLock);
	CurrentResourceOwner = owner;
}

/*
 * The lock under which sessions and the worker refill from a source that is not
 * transactional, from the look into the cache to the publication: so no later
 * block is in the cache before an earlier one, and many sessions make one
 * refill. It is one of a database object that does not exist.
 */
static void
lock_tag(const IdgenHandle *handle, Oid *objid, uint16 *objsubid)
{
	memcpy(objid, handle->digest, sizeof(Oid));
	memcpy(objsubid, handle->digest + sizeof(Oid), sizeof(uint16));
}

bool
idgen_refill_try_lock(const IdgenHandle *handle)
{
	Oid objid;
	uint16 objsubid;

	lock_tag(handle, &objid, &objsubid);
	return ConditionalLockDatabaseObject(handle->relid, objid, objsubid, ExclusiveLock);
}

void
idgen_refill_unlock(const IdgenHandle *handle)
{
	Oid objid;
	uint16 objsubid;

	lock_tag(handle, &objid, &objsubid);
	UnlockDatabaseObject(handle->relid, objid, objsubid, ExclusiveLock);
}

/* Wait for that lock. */
static void
wait_for_lock(const IdgenHandle *handle)
{
	ErrorContextCallback context;
	Oid objid;
	uint16 objsubid;

	if (idgen_refill_try_lock(handle))
		return;
	lock_tag(handle, &objid, &objsubid);
	idgen_wait_begin(handle, true);
	idgen_refill_context_push(handle->name, &context);
	LockDatabaseObject(handle->relid, objid, objsubid, ExclusiveLock);
	error_context_stack = context.previous;
	idgen_wait_end();
}

/*
 * Get ready to refill, as the cache has said. This is not done in advance: a
 * draw from the cache writes nothing and locks nothing. Returns false if what
 * the handle says of the source has turned out to be out of date meanwhile. A
 * refill ahead is not made if another session is at it.
 */
bool
idgen_refill_prepare(IdgenHandle *handle, IdgenCall *call, IdgenDraw *draw, bool ahead)
{
	uint64 epoch = idgen_epoch;
	ErrorContextCallback context;

	if (!handle->found.row.source->transactional && !is_prepared(handle))
	{
		idgen_refill_context_push(handle->name, &context);
		if (OidIsValid(handle->found.object))
			lock_object(handle->found.object);
		error_context_stack = context.previous;
		handle->publishing.lxid = MyLocalTransactionId;
		handle->publishing.refills = handle->publishing.ids = 0;
	}
	draw->may_refill = true;
	if (handle->found.row.source->is_remote && call->waiting_ms == 0)
		call->waiting_ms = idgen_clock_ms();
	if (draw->mode != IDGEN_MODE_PUBLISHING)
		draw->xid = idgen_full_xid(GetCurrentTransactionId());
	else if (!idgen_cache_is_shared())
		draw->locked = false; /* nobody else refills that cache */
	else if (!ahead)
	{
		wait_for_lock(handle);
		draw->locked = true;
	}
	else
	{
		draw->locked = idgen_refill_try_lock(handle);
		draw->may_refill = draw->may_be_ahead = draw->locked;
	}
	return epoch == idgen_epoch;
}

/* A refill has not brought anything: look again at the row, perhaps. */
static void
not_refilled_now(IdgenHandle *handle, const IdgenDrawResult *draw, IdgenSourceResult result)
{
	IdgenSlot *slot = draw->claimed ? idgen_handle_lock_slot(handle) : NULL;

	if (slot != NULL)
	{
		if (slot->claim == handle->xact.told.claim)
			slot->claim = 0;
		LWLockRelease(&slot->lock);
	}
	if (result == IDGEN_SOURCE_STALE)
		idgen_handle_invalidate(handle);
}

/*
 * Refill as the cache has said, for the current transaction, having claimed it
 * if it has said so. The ids are drawn from what is pending then.
 */
void
idgen_refill_into_pending(IdgenHandle *handle, IdgenCall *call, const IdgenDraw *draw,
                          const IdgenDrawResult *drawn)
{
	IdgenRequest request = request_of(handle, call, drawn);
	IdgenRefill refill;
	IdgenSourceResult result;

	if (drawn->claimed)
	{
		/* Only listed handles have their claims taken back at the end. */
		idgen_handle_list(handle);
		handle->xact.told.claim = draw->xid;
	}
	result = idgen_refill_pending(handle, &request, &refill);
	if (result != IDGEN_SOURCE_OK)
		not_refilled_now(handle, drawn, result);
}

/*
 * The first ids of a refill are for the call that has made it: if there are as
 * many, and they are wanted, they are taken.
 */
static bool
take_first(IdgenOutcome *outcome, const IdgenWanted *wanted, IdgenBlock *ids)
{
	IdgenBlock *block = &outcome->rest.block;

	if (block->left < wanted->count)
		return false;
	*ids = (IdgenBlock){block->next, wanted->count, block->step};
	if (!idgen_are_wanted(ids, wanted))
		return false;
	(void) idgen_block_cut(block, wanted->count);
	outcome->refills.counters.ids_issued = wanted->count;
	return true;
}

/*
 * A refill from a source that is not transactional: publish it, or count it as
 * lost. If that is not ahead, the ids for the call come first: answers whether
 * they are taken. A range may join what was cached before, so it is taken
 * under the same lock; unless the slot is gone, as the row is.
 */
static bool
publish(IdgenHandle *handle, const IdgenDraw *draw, bool ahead, const IdgenRefill *refill, bool durable,
        IdgenBlock *ids)
{
	IdgenOutcome outcome = {
		.fate = durable ? IDGEN_REST_PUBLISHED : IDGEN_REST_LOST,
		.rest = refill->rest,
		.good_as_of = draw->version,
	};
	bool takes = durable && !ahead;
	bool taken = false;
	IdgenSlot *slot;

	idgen_count_refill(&outcome.refills, refill, false);
	slot = idgen_handle_lock_slot(handle);
	if (takes && (slot == NULL || draw->wanted.count == 1))
		taken = take_first(&outcome, &draw->wanted, ids);
	if (slot == NULL)
	{
		idgen_cache_count_lost(idgen_rest_ids(&outcome.rest));
		return taken;
	}

	/* A prepared transaction may have changed the row, and tells nobody. */
	if (slot->origin != outcome.rest.origin)
		outcome.good_as_of = IDGEN_NOT_PUBLISHABLE;
	idgen_slot_finish(slot, &outcome, 0);
	if (takes && !taken)
		taken = idgen_slot_take_before(slot, NULL, &draw->wanted, ids);
	LWLockRelease(&slot->lock);
	return taken;
}

/*
 * Refill and publish, as the cache has said. Unless that is ahead, the first
 * ids are for this call: answers IDGEN_DRAW_TAKEN with them, if there are
 * enough consecutive ones that are wanted.
 */
IdgenDrawAnswer
idgen_refill_and_publish(IdgenHandle *handle, IdgenCall *call, const IdgenDraw *draw,
                         const IdgenDrawResult *drawn, IdgenBlock *ids)
{
	IdgenRequest request = request_of(handle, call, drawn);
	IdgenRefill refill;
	IdgenSourceResult result = idgen_refill_allocate(handle, &request, &refill);
	bool durable;
	bool taken;

	if (result != IDGEN_SOURCE_OK)
	{
		not_refilled_now(handle, drawn, result);
		return IDGEN_DRAW_REFILL;
	}
	durable = idgen_make_durable(refill.lsn);
	handle->publishing.refills++;
	handle->publishing.ids = idgen_add_saturating(handle->publishing.ids, idgen_rest_ids(&refill.rest));
	taken = publish(handle, draw, drawn->ahead, &refill, durable, ids);
	end_refill(handle);
	if (!durable)
		idgen_not_durable();
	idgen_warn_low(handle, &refill.left);
	return taken ? IDGEN_DRAW_TAKEN : IDGEN_DRAW_REFILL;
}
