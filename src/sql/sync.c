/*
 * sync.c
 *		What idgen_restart() and idgen_sync() need besides SQL: they are in the
 *		script.
 *
 * Both change the row by ordinary SQL, or a native sequence. C finds out what
 * they have to move, has the cache drop what it holds, and gives a native
 * sequence a new file.
 */
#include "postgres.h"

#include "access/xact.h"
#include "commands/sequence.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "storage/lmgr.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/guc.h"

#include "catalog/epoch.h"
#include "catalog/native_sequence.h"
#include "catalog/owning_column.h"
#include "catalog/privileges.h"
#include "catalog/row.h"
#include "catalog/table.h"
#include "common/as_owner.h"
#include "session/handle_table.h"
#include "session/missing.h"
#include "session/pending.h"
#include "session/period_now.h"
#include "session/validate.h"
#include "session/xact_changes.h"
#include "sources/sources.h"
#include "sql/sql_support.h"
#include "sql/view_line.h"

PG_FUNCTION_INFO_V1(idgen_look);
PG_FUNCTION_INFO_V1(idgen_drop_cached);
PG_FUNCTION_INFO_V1(idgen_start_sequence);

/*
 * The owner of the column that a row belongs to, and the transaction that has
 * written the row: invalid if there is none. Returns false if there is no row.
 */
static bool
look_at_row(Oid id_sequences, const char *name, Oid *owner, TransactionId *writer)
{
	IdgenRow row;
	bool found = idgen_row_open(&row, id_sequences, name, strlen(name), IDGEN_SEARCH_SURE);

	*owner = InvalidOid;
	*writer = InvalidTransactionId;
	if (found)
	{
		bool isnull;
		Datum column = slot_getattr(row.slot, IDGEN_ATT_OWNED_BY, &isnull);

		if (!isnull)
			*owner = idgen_owner_of(idgen_owning_table(DatumGetInt64(column)));
		*writer = idgen_row_writer(row.slot);
	}
	idgen_row_close(&row);
	return found;
}

/*
 * Validate the handle of an id sequence that is to be moved. Raises 0A000 for a
 * row with periods, and what idgen_handle_validate() does.
 */
static void
validate(IdgenHandle *handle, IdgenCall *call)
{
	idgen_handle_invalidate(handle);
	idgen_handle_validate(handle, call);
	if (handle->found.period != IDGEN_PERIOD_NONE)
		idgen_refuse_periods(handle, "idgen_restart");
}

/* Lock the native sequence of a handle as ALTER SEQUENCE does. Raises 42501. */
static void
lock_object(IdgenHandle *handle, IdgenCall *call)
{
	uint64 epoch;

	do
	{
		epoch = idgen_epoch;
		if (!OidIsValid(handle->found.object))
			break;
		idgen_native_check(handle->found.object, ACL_UPDATE);
		LockRelationOid(handle->found.object, ShareRowExclusiveLock);
		if (epoch == idgen_epoch)
			break;
		validate(handle, call);
	} while (true);
}

/*
 * The id that a native sequence which this transaction has locked gives next.
 * Returns false if there is none.
 */
static bool
next_of_object(const IdgenHandle *handle, int64 *next)
{
	const IdgenNativeSequence *sequence = (const IdgenNativeSequence *) handle->found.details;
	IdgenNativeState state = idgen_native_locked_state(handle->found.object);
	IdgenBlock block;
	int64 value;

	if (!idgen_native_next_ids(sequence, &state, &value, &block))
		return false;
	*next = block.next;
	return true;
}

/* In which direction do the ids go? */
static int64
step_of(const IdgenHandle *handle)
{
	return OidIsValid(handle->found.object) ? ((const IdgenNativeSequence *) handle->found.details)->ids.step : 1;
}

/*
 * Do all ids that are cached or pending lie behind those given, if any are?
 * Others see what a transaction has written before it publishes the rest of its
 * block: so wait for that of the row.
 */
static bool
all_lie_behind(FunctionCallInfo fcinfo, const IdgenHandle *handle, TransactionId writer)
{
	int64 step = step_of(handle);
	int last = step > 0 ? 6 : 5;

	if (PG_ARGISNULL(last))
		return true;
	if (TransactionIdIsNormal(writer) && !TransactionIdIsCurrentTransactionId(writer))
		XactLockTableWait(writer, NULL, NULL, XLTW_None);
	return idgen_all_lie_behind(handle, PG_GETARG_INT64(last), step);
}

/*
 * idgen_look(search_path text, function text, name text, source text,
 * lock boolean, lowest bigint, highest bigint) returns record: what is to be
 * known of an id sequence to move it. The child of a template is made. With
 * "lock", the native sequence that its blocks come from is locked, as ALTER
 * SEQUENCE does, and is asked what comes next. Without it, all is null if there
 * is no row, and no source is asked for that needs none. Raises 42704, 42501,
 * 0A000, 25006.
 */
Datum
idgen_look(PG_FUNCTION_ARGS)
{
	Oid id_sequences = idgen_table_oid(fcinfo->flinfo->fn_oid);
	IdgenCall call = {0};
	IdgenViewLine line = {.n = 0};
	const IdgenFound *found;
	const char *name;
	IdgenHandle *handle;
	TransactionId writer;
	Oid owner;
	bool made;
	bool held;
	bool lock;
	bool has_next;
	int64 next = 0;
	int guc_level;

	if (PG_ARGISNULL(0) || PG_ARGISNULL(1) || PG_ARGISNULL(2) || PG_ARGISNULL(4))
		PG_RETURN_NULL();
	call.function = text_to_cstring(PG_GETARG_TEXT_PP(1));
	name = text_to_cstring(PG_GETARG_TEXT_PP(2));
	lock = PG_GETARG_BOOL(4);
	PreventCommandIfParallelMode(call.function);
	if (!PG_ARGISNULL(3))
		call.asked = idgen_source_get(text_to_cstring(PG_GETARG_TEXT_PP(3)));
	made = look_at_row(id_sequences, name, &owner, &writer);
	if (!made && idgen_parent_of(id_sequences, name) != NULL)
		call.missing_row = IDGEN_MISSING_ROW_MADE;
	else if (!made && !lock && (call.asked == NULL || call.asked->needs_row))
		PG_RETURN_NULL();

	/* Names are found by the search_path of whoever has called. */
	guc_level = NewGUCNestLevel();
	(void) set_config_option("search_path", text_to_cstring(PG_GETARG_TEXT_PP(0)), PGC_USERSET, PGC_S_SESSION,
	                         GUC_ACTION_SAVE, true, 0, false);
	handle = idgen_handle_get(id_sequences, name, strlen(name));
	held = idgen_handle_hold(handle);
	validate(handle, &call);
	found = &handle->found;
	if (!found->temporary)
		PreventCommandIfReadOnly(call.function);
	if (lock)
		lock_object(handle, &call);
	has_next = lock && OidIsValid(found->object) && next_of_object(handle, &next);

	idgen_view_add(&line, BoolGetDatum(found->has_row));
	idgen_view_add_text(&line, found->source->name);
	idgen_view_add_unless(!OidIsValid(owner), &line, ObjectIdGetDatum(owner));
	idgen_view_add_unless(!OidIsValid(found->object), &line, ObjectIdGetDatum(found->object));
	idgen_view_add(&line, BoolGetDatum(found->search_path != NULL));
	idgen_view_add(&line, Int32GetDatum((int32) step_of(handle)));
	idgen_view_add_unless(!has_next, &line, Int64GetDatum(next));
	idgen_view_add(&line, BoolGetDatum(all_lie_behind(fcinfo, handle, writer)));
	if (held)
		idgen_handle_let_go(handle);
	AtEOXact_GUC(true, guc_level);
	return idgen_result_row(fcinfo, (TupleDesc *) &fcinfo->flinfo->fn_extra, line.values, line.nulls);
}

/*
 * idgen_drop_cached(name text) returns void: when the transaction commits, drop
 * what is cached of a row, and for the transaction itself at once. Before the
 * row is updated: the update must not put back what this transaction has
 * reserved, and a step forward would not by itself drop anything. Raises 42501.
 */
Datum
idgen_drop_cached(PG_FUNCTION_ARGS)
{
	Oid id_sequences = idgen_table_oid(fcinfo->flinfo->fn_oid);

	idgen_check_may_change(id_sequences, ACL_UPDATE);
	idgen_changes_note_row(id_sequences, text_to_cstring(PG_GETARG_TEXT_PP(0)), IDGEN_CHANGE_DROP);
	PG_RETURN_VOID();
}

/*
 * idgen_start_sequence(sequence oid, value bigint, is_called boolean) returns
 * void: setval(), but on a new file, as ALTER SEQUENCE RESTART gives it one. So
 * it takes effect, and voids what is cached, when the transaction commits, or
 * not at all. Like setval(), it needs the privilege UPDATE. Raises 42501.
 */
Datum
idgen_start_sequence(PG_FUNCTION_ARGS)
{
	Oid sequence = PG_GETARG_OID(0);

	idgen_native_check(sequence, ACL_UPDATE);
	LockRelationOid(sequence, ShareRowExclusiveLock);
	ResetSequence(sequence);
	(void) DirectFunctionCall3(setval3_oid, ObjectIdGetDatum(sequence), PG_GETARG_DATUM(1), PG_GETARG_DATUM(2));
	CommandCounterIncrement();
	PG_RETURN_VOID();
}
