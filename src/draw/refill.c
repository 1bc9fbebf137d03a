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

#include "catalog/epoch.h"
#include "common/compat.h"
#include "common/durable.h"
#include "draw/refill.h"
#include "draw/server_time.h"
#include "draw/wait.h"
#include "session/handle_table.h"
#include "session/messages.h"
#include "session/pending.h"
#include "session/xact_changes.h"
#include "shmem/known_rows.h"
#include "shmem/slot_pace.h"

/* Refills that a call makes for consecutive ids before it gives up. */
#define IDGEN_RANGE_REFILLS 10

/* One of this many refills of a transaction is timed. */
#define TIMED_REFILLS 8

/*
 * What a refill begins with: zeros. They are copied, since compilers set that
 * many bytes to zero by an instruction that takes longer.
 */
static const IdgenRefill not_refilled;

/* The refill that this session is about to publish. */
static struct
{
	bool going_on;     /* is there one? The rest is void if not. */
	int level;         /* nesting level of the transaction when it began */
	IdgenCacheKey key; /* of the entry; other sessions wait for it. The name is
	                    * that of the handle, as in wait.c */
} publishing = {false};

/* A refill that a source is at work for; triggers of that may cause others. */
typedef struct Refilling
{
	const IdgenHandle *handle;
	const struct Refilling *outer;
} Refilling;

/* The innermost one of this process. */
static const Refilling *refilling = NULL;

/* Have other sessions wait for this one to publish what it refills. */
static void
begin_publishing(const IdgenHandle *handle)
{
	idgen_handle_key(handle, &publishing.key);
	publishing.level = GetCurrentTransactionNestLevel();
	publishing.going_on = true;
}

/* There is nothing to publish. */
static void
give_up_publishing(void)
{
	publishing.going_on = false;
	idgen_cache_not_refilled(&publishing.key);
}

/*
 * The transaction or subtransaction is aborted, and with it what other sessions
 * wait for; but not if the source itself has begun the subtransaction.
 */
void
idgen_refill_abort(void)
{
	idgen_wait_end();
	if (publishing.going_on && GetCurrentTransactionNestLevel() <= publishing.level)
		give_up_publishing();
}

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
bool
idgen_refill_is_prepared(const IdgenHandle *handle)
{
	return handle->publishing.lxid == MyLocalTransactionId;
}

/*
 * Time the next refill, perhaps. To look at the clock takes long next to a
 * refill from a native sequence. So a transaction times the first one, and then
 * each eighth, which stands for the seven before it.
 */
static void
begin_to_time(const IdgenHandle *handle, IdgenRefill *refill)
{
	int64 refills = handle->xact.refills;

	if (idgen_refill_is_prepared(handle))
		refills += handle->publishing.refills;
	if (refills % TIMED_REFILLS != 0)
		return;
	refill->begun_at = GetCurrentTimestamp();
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
	begin_to_time(handle, refill);
	refill->rest.storage = handle->found.storage;
	refill->rest.origin = handle->found.origin;
	idgen_refill_context_push(handle->name, &context);
	idgen_refill_check_not_nested(handle);
	refilling = &this;
	PG_TRY();
	{
		result = handle->found.source->allocate(handle, request, refill);
	}
	PG_FINALLY();
	{
		refilling = this.outer;
	}
	PG_END_TRY();
	error_context_stack = context.previous;

	if (result != IDGEN_SOURCE_OK)
		return result;

	/* Of a gapless refill ids may go back, see idgen_xact_warn_low(). */
	if (refill->fate != IDGEN_REST_GIVEN_BACK)
		idgen_warn_low(handle, &refill->left);
	return result;
}

/*
 * Raises 57014, or ends the session: the wait for a standby was given up.
 * Unlike a commit, a refill can still fail, but the server takes the cancel for
 * done.
 */
static void
cancelled_while_flushing(void)
{
	QueryCancelPending = true;
	InterruptPending = true;
	CHECK_FOR_INTERRUPTS();
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

	if (ids == 0 && idgen_refill_is_prepared(handle))
		ids = idgen_bulk_ids(handle->publishing.refills, handle->publishing.ids);
	return ids;
}

/* Allocate for a call of this session. */
static IdgenSourceResult
allocate(IdgenHandle *handle, IdgenCall *call, IdgenAsker asker, int64 nblocks, IdgenRefill *refill)
{
	IdgenRequest request = {
		.asker = asker,
		.blocks = nblocks,
		.bulk_ids = bulk_ids(handle),
		.count = asker == IDGEN_ASKER_SESSION_AHEAD ? 1 : call->count,
		.deadline = idgen_server_deadline(handle, call),
	};

	if (++call->refills > IDGEN_RANGE_REFILLS && request.count > 1)
		not_consecutive(handle, call);
	return idgen_refill_allocate(handle, &request, refill);
}

/* Others can find what the source has allocated, or it is lost. */
static void
end_refill(IdgenHandle *handle)
{
	if (handle->found.source->published != NULL)
		handle->found.source->published(handle);
}

/*
 * The session has refilled without telling the cache, so nobody has waited for
 * that. Now that it has allocated, nothing can void what is cached any more: it
 * holds the row, or what the source draws from. So what is cached may be drawn
 * whose allocation came first.
 *
 * But if the source is not transactional, that may not be there yet: another
 * session may have allocated before, and be about to publish. Once this one has
 * drawn, these ids come too late for it. (Ranges take what is long enough: they
 * keep no order.)
 */
static void
note_refill_without_slot(IdgenHandle *handle, const IdgenCall *call)
{
	handle->found.version = idgen_known_rows_now();
	if (!handle->found.source->transactional && call->count == 1)
		handle->passed.since = handle->found.version;
}

/* Get blocks into the handle's pending state; see allocate(). */
static IdgenSourceResult
refill(IdgenHandle *handle, IdgenCall *call, IdgenAsker asker, int64 nblocks)
{
	uint64 version = handle->found.slot != NULL ? handle->found.version : 0;
	IdgenRefill refilled;
	IdgenSourceResult result = allocate(handle, call, asker, nblocks, &refilled);

	if (result != IDGEN_SOURCE_OK)
		return result;

	/*
	 * The rest is for other sessions as soon as the transaction has committed,
	 * so the commit must be on disk by then, whatever synchronous_commit says.
	 * This session's own client relies on that as well.
	 */
	ForceSyncCommit();

	/*
	 * A source that is not transactional must not give these ids again after a
	 * crash, whatever becomes of the transaction: its client has seen them.
	 */
	if (refilled.lsn != InvalidXLogRecPtr)
		XLogFlush(refilled.lsn);
	idgen_pending_add(handle, &refilled, version);
	end_refill(handle);
	if (handle->found.slot == NULL)
		note_refill_without_slot(handle, call);
	return result;
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
 * Get ready to refill. This is not done in advance: a draw from the cache
 * writes nothing and locks nothing. Returns false if what the handle says of
 * the source has turned out to be out of date meanwhile.
 */
bool
idgen_refill_prepare(IdgenHandle *handle, IdgenDraw *draw)
{
	uint64 epoch = idgen_epoch;
	ErrorContextCallback context;

	if (!handle->found.source->transactional && !idgen_refill_is_prepared(handle))
	{
		idgen_refill_context_push(handle->name, &context);
		if (OidIsValid(handle->found.object))
			lock_object(handle->found.object);
		error_context_stack = context.previous;
		handle->publishing.lxid = MyLocalTransactionId;
		handle->publishing.refills = handle->publishing.ids = 0;
	}
	if (draw->mode != IDGEN_MODE_PUBLISHING)
		draw->xid = GetCurrentTransactionId();
	draw->may_refill = true;
	return epoch == idgen_epoch;
}

/* Refill without telling the cache, because it has no slot for this handle. */
void
idgen_refill_without_slot(IdgenHandle *handle, IdgenCall *call)
{
	IdgenDraw draw = {.mode = IDGEN_MODE_ALONE};

	if (idgen_refill_prepare(handle, &draw) &&
	    refill(handle, call, IDGEN_ASKER_SESSION, 1) == IDGEN_SOURCE_STALE)
		idgen_handle_invalidate(handle);
}

/* Refill as the cache has said, having claimed it if it has said so. */
void
idgen_refill_into_pending(IdgenHandle *handle, IdgenCall *call, TransactionId xid,
                          const IdgenDrawResult *draw, IdgenAsker asker)
{
	IdgenSourceResult result;

	if (draw->claimed)
	{
		/*
		 * The end of the transaction takes back the claims of listed handles.
		 */
		idgen_handle_list(handle);
		handle->xact.claim = xid;
	}

	result = refill(handle, call, asker, draw->nblocks);
	if (result != IDGEN_SOURCE_OK)
	{
		IdgenCacheKey key;

		idgen_handle_key(handle, &key);
		idgen_cache_unclaim(&key, xid);
	}
	if (result == IDGEN_SOURCE_STALE)
		idgen_handle_invalidate(handle);
}

/*
 * Refill and publish, as the cache has said. Unless that is ahead, the first
 * ids are for this call: returns true with them, if there are enough
 * consecutive ones.
 */
bool
idgen_refill_and_publish(IdgenHandle *handle, IdgenCall *call, int64 nblocks, IdgenAsker asker,
                         IdgenBlock *ids)
{
	uint64 version = handle->found.version;
	IdgenRefill refilled;
	IdgenOutcomeRest fate;
	IdgenSourceResult result;
	int64 own_ids = asker == IDGEN_ASKER_SESSION_AHEAD ? 0 : call->count;
	bool taken;

	begin_publishing(handle);
	result = allocate(handle, call, asker, nblocks, &refilled);
	if (result != IDGEN_SOURCE_OK)
	{
		give_up_publishing();
		if (result == IDGEN_SOURCE_STALE)
			idgen_handle_invalidate(handle);
		return false;
	}
	fate = idgen_make_durable(refilled.lsn) ? IDGEN_OUTCOME_PUBLISHED : IDGEN_OUTCOME_LOST;

	handle->publishing.refills++;
	handle->publishing.ids = idgen_add_saturating(handle->publishing.ids, idgen_rest_ids(&refilled.rest));
	if (fate == IDGEN_OUTCOME_LOST)
		own_ids = 0;
	taken = idgen_slot_publish(handle->found.slot, &refilled, fate, version, own_ids, ids);
	publishing.going_on = false;
	end_refill(handle);
	if (fate == IDGEN_OUTCOME_LOST)
		cancelled_while_flushing();
	return taken;
}
