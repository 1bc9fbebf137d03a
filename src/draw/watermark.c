/*
 * watermark.c
 *		The id up to which none will appear any more (rule T10).
 *
 * cache/notes.c says what a watermark is, and what holds it down. Here is who
 * notes what, and how the answer is found:
 *
 * - Whoever draws notes the id, with the step that takes it from the cache. A
 *   later id of the same transaction is noted only if it is lower: a range may
 *   have passed over what a single draw takes then. So the hot path stays open
 *   for higher ones (open_hot_path() in draw.c).
 * - Whoever allocates notes the first id of the block: of a row before others
 *   see what it says then; of a native sequence, whose values are gone at once
 *   for everybody, before it asks for one.
 * - The answer is the least of what comes next by the source, the first id in
 *   the cache, and the notes; less one. The source is looked at first: what is
 *   allocated after that is higher.
 */
#include "postgres.h"

#include "access/relation.h"
#include "access/xlog.h"
#include "miscadmin.h"
#include "storage/proc.h"

#include "catalog/native_sequence.h"
#include "catalog/row.h"
#include "common/compat.h"
#include "common/durable.h"
#include "draw/watermark.h"
#include "session/validate.h"
#include "session/xact.h"

/*
 * The transaction is about to draw, or to allocate: it gets a note, which says
 * nothing yet. Raises 53400 if there is no room for it.
 */
void
idgen_watermark_begin(IdgenHandle *handle)
{
	IdgenCacheKey key;

	if (handle->xact.note != NULL)
		return;
	idgen_cache_key(&key, handle->relid, handle->digest);
	idgen_handle_list(handle); /* so the end of the transaction lets it go */
	handle->xact.note = idgen_note_take(&key);
}

/*
 * The ids that the next value of a native sequence stands for, none if there is
 * no value left, and how far it has got. Returns false if the handle must be
 * validated first.
 */
static bool
next_values(IdgenHandle *handle, IdgenNativeState *state, IdgenBlock *ids)
{
	Relation rel = try_relation_open(handle->found.object, AccessShareLock);

	if (rel == NULL)
		return false;
	*state = idgen_native_state(handle->found.object);
	relation_close(rel, AccessShareLock);
	*ids = idgen_native_next_ids(handle->found.native, state);
	return true;
}

/*
 * The source is about to allocate for a handle. Returns false if that has to be
 * validated first.
 */
bool
idgen_watermark_before_refill(IdgenHandle *handle)
{
	IdgenNativeState state;
	IdgenBlock next;

	idgen_watermark_begin(handle);
	if (handle->found.row.source->transactional)
		return true;
	if (!idgen_native_can_be_watched(handle->found.native))
		return true; /* nobody gets an answer */
	if (!next_values(handle, &state, &next))
		return false;
	if (next.left > 0)
		idgen_note_lower(handle->xact.note, next.next);
	return true;
}

/*
 * Telling a watermark
 */

/* Raises 55000 or 0A000 if no watermark is kept. */
static void
check_kept(const IdgenHandle *handle, const IdgenCall *call)
{
	const IdgenFound *found = &handle->found;

	if (found->row.period != IDGEN_PERIOD_NONE)
		idgen_refuse_periods(handle, call->function);
	if (!idgen_cache_is_shared())
		ereport(ERROR,
		        (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
		         errmsg("a watermark needs the library preloaded"),
		         errhint("Add \"idgen\" to shared_preload_libraries, and restart the server.")));
	if (found->native != NULL && !idgen_native_can_be_watched(found->native))
		ereport(ERROR,
		        (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
		         errmsg("id sequence \"%s\" cannot have a watermark", handle->name),
		         errdetail("Its sequence \"%s\" descends, cycles, or has CACHE above 1.", NameStr(found->native->name))));
	if (idgen_changes_include(handle))
		ereport(ERROR,
		        (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
		         errmsg("the watermark of id sequence \"%s\" is not known yet", handle->name),
		         errdetail("This transaction has changed its row."),
		         errhint("Ask in another transaction.")));
	if (!found->row.watermark)
		ereport(ERROR,
		        (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
		         errmsg("no watermark of id sequence \"%s\" is kept", handle->name),
		         errhint("Set column \"watermark\" of its row to true.")));
}

/*
 * The last id that others see to be allocated: what is allocated later is
 * higher. Returns false if the handle must be validated first.
 */
static bool
last_by_source(IdgenHandle *handle, int64 *last)
{
	const IdgenNativeSequence *native = handle->found.native;
	IdgenRow row;
	bool found;

	if (native != NULL)
	{
		IdgenNativeState state;
		IdgenBlock ids;

		if (!next_values(handle, &state, &ids))
			return false;
		*last = ids.left > 0 ? idgen_id_before(ids.next) : idgen_native_last_id(native, state.last_value);
		return true;
	}
	found = idgen_row_open(&row, handle->relid, handle->name);
	if (found)
	{
		IdgenDefinition def;

		idgen_definition_from_row(row.slot, handle->name, &def);
		*last = def.exhausted && def.next_block_start == PG_INT64_MAX ? PG_INT64_MAX
																	  : idgen_id_before(def.next_block_start);
		found = def.watermark;
	}
	idgen_row_close(&row);
	return found;
}

/* Raises 55000: transactions may have drawn ids, and have not noted them. */
static void
not_known(const IdgenHandle *handle, const IdgenLockHolder *holder)
{
	ereport(ERROR,
	        (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
	         errmsg("the watermark of id sequence \"%s\" is not known yet", handle->name),
	         holder->pid != 0 ? errdetail("Process %d has a transaction that may have drawn ids before the watermark was kept.", holder->pid)
	                          : errdetail("Transaction %u, which is prepared, may have drawn ids that are not noted.", holder->xid),
	         errhint("Ask again in another transaction, when that has ended.")));
}

/*
 * See to it that all becomes known that transactions may bring. Raises 55000 if
 * one of them is to be waited for, and what reading the row raises.
 */
static void
check_known(IdgenHandle *handle, IdgenCall *call, const IdgenCacheKey *key)
{
	IdgenLockHolder holder;
	uint64 switched;

	if (!idgen_notes_recovered_are_over(&holder))
		not_known(handle, &holder);
	switched = idgen_notes_switched(key);
	if (switched == 0)
		return;

	/* What the handle knows may be from before it was switched off and on. */
	idgen_handle_invalidate(handle);
	idgen_handle_validate(handle, call);
	check_kept(handle, call);
	if (idgen_notes_are_awaited(key, switched, handle->unnoted == MyLocalTransactionId, &holder))
		not_known(handle, &holder);
}

/*
 * Look once. Returns false if the caller has to begin anew: the row is another
 * one by now, or has been switched on once more.
 */
static bool
look(IdgenHandle *handle, const IdgenCacheKey *key, int64 *last)
{
	IdgenHolder holder;
	IdgenSlot *slot;
	bool holds;

	if (!last_by_source(handle, last))
		return false;
	slot = idgen_handle_lock_slot(handle);
	if (slot == NULL)
		return false;
	if (slot->nruns > 0)
		*last = Min(*last, idgen_id_before(slot->runs[0].next));
	holds = slot->version == handle->found.version && idgen_notes_look(key, last, &holder);
	LWLockRelease(&slot->lock);
	return holds;
}

/*
 * Find the watermark of an id sequence. What it vouches for is on disk then,
 * and on synchronous standbys. Raises 0A000 or 55000 if none is kept, 55000 if
 * it is not known yet, 57014 if the wait for a standby is cancelled, and what
 * looking at the row raises.
 */
int64
idgen_watermark_find(IdgenHandle *handle, IdgenCall *call)
{
	IdgenCacheKey key;
	int64 last;

	idgen_cache_key(&key, handle->relid, handle->digest);
	for (;;)
	{
		idgen_handle_validate(handle, call);
		check_kept(handle, call);
		idgen_notes_forget_ended();
		check_known(handle, call, &key);
		if (look(handle, &key, &last))
			break;
		idgen_handle_invalidate(handle);
		CHECK_FOR_INTERRUPTS();
	}
	idgen_make_wal_durable();
	return last;
}
