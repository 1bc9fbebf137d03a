/*
 * native_restart.c
 *		Having a native sequence go on elsewhere: at an id, or behind ids that
 *		are in use.
 *
 * The sequence gets a new file, as ALTER SEQUENCE gives it one. So a change
 * takes effect, and voids what is cached, when the transaction commits, or not
 * at all. Which value has to come next depends on the pooling: see
 * state_to_start_at().
 */
#include "postgres.h"

#include "access/xact.h"
#include "commands/sequence.h"
#include "miscadmin.h"
#include "storage/lmgr.h"
#include "utils/acl.h"
#include "utils/fmgrprotos.h"

#include "catalog/epoch.h"
#include "session/handle.h"
#include "session/pending.h"
#include "sources/native_restart.h"
#include "sources/native_values.h"

/* Raises 22003: the sequence cannot start at that id. */
pg_noreturn static void
out_of_bounds(const IdgenNativeSequence *sequence, int64 start)
{
	int64 first = idgen_native_first_id(sequence);
	int64 last = idgen_native_last_id(sequence, sequence->last);

	ereport(ERROR,
	        (errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
	         errmsg("start (%lld) is out of bounds for sequence \"%s\" (%lld..%lld)",
	                (long long) start, NameStr(sequence->name),
	                (long long) Min(first, last), (long long) Max(first, last))));
}

static bool
is_value(const IdgenNativeSequence *sequence, int64 v)
{
	return v >= Min(sequence->first, sequence->last) && v <= Max(sequence->first, sequence->last);
}

/*
 * Of values that are numbers of blocks, that of the first block all of whose
 * ids are at "start" or behind it. Raises 22003.
 */
static int64
number_to_start_at(const IdgenNativeSequence *sequence, int64 start)
{
	int64 number = idgen_hilo_value(&sequence->ids, start);
	IdgenBlock block = idgen_value_block(&sequence->ids, number);

	if (block.left == 0 || !is_value(sequence, number))
		out_of_bounds(sequence, start);
	if (block.next != start)
		ereport(NOTICE,
		        (errmsg("the next id is %lld, where a block of sequence \"%s\" begins",
		                (long long) block.next, NameStr(sequence->name))));
	return number;
}

/*
 * What the page of the sequence has to say, so that "start" is the next id.
 *
 * With pooled, the value that any program draws next stands for ids before it.
 * So the value before that one has to be right before "start". If the sequence
 * has none of the two, "start" becomes its first value.
 *
 * Raises 22003.
 */
static IdgenNativeState
state_to_start_at(const IdgenNativeSequence *sequence, int64 start)
{
	IdgenNativeState state = {.last_value = start};
	int64 before = start - 1;

	if (sequence->ids.pooling == IDGEN_POOLING_HILO)
		state.last_value = number_to_start_at(sequence, start);
	else if (!is_value(sequence, start))
		out_of_bounds(sequence, start);
	else if (sequence->ids.pooling == IDGEN_POOLING_POOLED && start != sequence->first &&
	         !idgen_native_is_last(sequence, before))
		state = (IdgenNativeState){.last_value = before, .is_called = true};
	return state;
}

/*
 * Start again at an id: setval(), but on a new file. Like that, it needs the
 * privilege UPDATE. Raises 42501, 25006, and 22003 if the value is out of
 * bounds.
 */
IdgenSourceResult
idgen_native_restart(IdgenHandle *handle, int64 start)
{
	const IdgenNativeSequence *sequence = (const IdgenNativeSequence *) handle->found.details;
	uint64 epoch = idgen_epoch;
	IdgenNativeState state;

	idgen_native_check(handle->found.object, ACL_UPDATE);
	if (!handle->found.temporary)
		PreventCommandIfReadOnly("idgen_restart()");

	LockRelationOid(handle->found.object, ShareRowExclusiveLock);
	if (epoch != idgen_epoch)
		return IDGEN_SOURCE_STALE;
	state = state_to_start_at(sequence, start);
	ResetSequence(handle->found.object);
	DirectFunctionCall3(setval3_oid, ObjectIdGetDatum(handle->found.object),
	                    Int64GetDatum(state.last_value), BoolGetDatum(state.is_called));
	CommandCounterIncrement();
	return IDGEN_SOURCE_OK;
}

/*
 * The id that the sequence can start at so that all of them lie behind "last".
 * Raises 2200H.
 */
static int64
start_behind(const IdgenHandle *handle, int64 last)
{
	const IdgenNativeSequence *sequence = (const IdgenNativeSequence *) handle->found.details;
	const IdgenValueIds *ids = &sequence->ids;
	int64 last_id = idgen_native_last_id(sequence, sequence->last);
	IdgenBlock block;
	int64 number;

	if (ids->step > 0 ? last >= last_id : last <= last_id)
		idgen_none_behind(handle->name, handle->found.stored_in, last, last_id);
	if (ids->pooling != IDGEN_POOLING_HILO)
		return last + ids->step;

	number = idgen_hilo_value(ids, last + ids->step);
	block = idgen_value_block(ids, number);
	if (block.left == 0 || !is_value(sequence, number))
		idgen_none_behind(handle->name, handle->found.stored_in, last, last_id);
	return block.next;
}

/*
 * Go behind the ids found, in the direction of the sequence. Raises 2200H, and
 * what idgen_native_restart() does.
 */
IdgenSourceResult
idgen_native_advance(IdgenHandle *handle, const IdgenIdsFound *found, IdgenMove *move)
{
	const IdgenNativeSequence *sequence = (const IdgenNativeSequence *) handle->found.details;
	int64 step = sequence->ids.step;
	int64 last = step > 0 ? found->greatest : found->least;
	IdgenNativeState state = idgen_native_locked_state(handle->found.object);
	int64 value;
	IdgenBlock next;

	if (!idgen_native_next_ids(sequence, &state, &value, &next))
		ereport(ERROR,
		        (errcode(ERRCODE_SEQUENCE_GENERATOR_LIMIT_EXCEEDED),
		         idgen_values_exhausted(handle)));
	move->from = move->to = next.next;
	move->kind = IDGEN_MOVE_NONE;
	if (!found->any)
		return IDGEN_SOURCE_OK;

	if (!idgen_block_lies_behind(&next, last, step))
	{
		move->kind = IDGEN_MOVE_SOURCE;
		move->to = start_behind(handle, last);
	}
	else if (!idgen_all_lie_behind(handle, last, step))
		move->kind = IDGEN_MOVE_CACHED;
	else
		return IDGEN_SOURCE_OK;
	return idgen_native_restart(handle, move->to);
}
