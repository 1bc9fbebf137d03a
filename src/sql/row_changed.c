/*
 * row_changed.c
 *		Trigger idgen_row_changed(): what the cache is told of changed rows.
 *
 * Rows are changed by SQL, by other programs that allocate from them, and by
 * logical replication. The trigger is fired "always", so in replication too. It
 * notes what each change means for cached ids, and the cache is told when the
 * transaction commits (rules C1, C2).
 */
#include "postgres.h"

#include "fmgr.h"
#include "utils/builtins.h"
#include "utils/inval.h"
#include "utils/rel.h"

#include "catalog/child.h"
#include "catalog/definition.h"
#include "catalog/row.h"
#include "catalog/table.h"
#include "session/xact_changes.h"
#include "sources/marks.h"
#include "sql/trigger_row.h"

PG_FUNCTION_INFO_V1(idgen_row_changed);

static char *
name_of(TupleTableSlot *version)
{
	return TextDatumGetCString(idgen_row_attribute(version, IDGEN_ATT_NAME));
}

/* Do its ids come from an object, rather than from the row? */
static bool
has_object(TupleTableSlot *version)
{
	const IdgenSource *source = idgen_source_of_row(version);

	return source != NULL && source->has_object;
}

/* What a version of the row says of the values of a native sequence. */
static IdgenPool
pool_of(TupleTableSlot *version)
{
	return has_object(version) ? idgen_pool_of_row(version) : idgen_no_pool;
}

/*
 * Do the values of a native sequence stand for other ids by this version of the
 * row than without a row?
 */
static bool
has_own_pool(TupleTableSlot *version)
{
	return pool_of(version).pooling != IDGEN_POOLING_POOLED_LO;
}

/*
 * Can another transaction have allocated by this version of the row, and still
 * be in progress? Where that locks the row, it cannot.
 */
static bool
may_be_in_use(TupleTableSlot *version)
{
	const IdgenSource *source = idgen_source_of_row(version);

	return source != NULL && !source->locks_row;
}

/* Are other rows made from this one? */
static bool
is_parent(TupleTableSlot *version)
{
	const char *name = name_of(version);

	return !slot_attisnull(version, IDGEN_ATT_PERIOD) || idgen_is_template_name(name, strlen(name));
}

/*
 * Can names that have no row be made from the row as it is by now, and could
 * not before? What is made from a row that was itself made from a template, the
 * template would have made.
 */
static bool
becomes_parent(const IdgenTriggerRow *row)
{
	return is_parent(row->new) && slot_attisnull(row->new, IDGEN_ATT_TEMPLATE) &&
		(row->old == NULL || idgen_trigger_row_changes(row, IDGEN_ATT_NAME) ||
	     idgen_trigger_row_changes(row, IDGEN_ATT_PERIOD));
}

/*
 * Does the change concern sessions that the slot of its name does not tell? So
 * it is with those that draw from a native sequence without a row, if what
 * comes is a parent, or says that values stand for other ids. And if another
 * transaction is in progress that has allocated by this row, and has not locked
 * it: it looks at nothing that is shared before it draws what it has pending.
 */
static bool
concerns_others(const IdgenTriggerRow *row)
{
	if (row->old != NULL ? may_be_in_use(row->old) : has_own_pool(row->new))
		return true;
	return row->new != NULL &&becomes_parent(row);
}

/* Note what a change means for the name that this version of the row has. */
static void
note(const IdgenTriggerRow *row, TupleTableSlot *version, IdgenSlotChange change)
{
	idgen_changes_note_row(RelationGetRelid(row->rel), name_of(version), change);
}

/*
 * Raises 2200H if the UPDATE would have the id 2^63 - 1 issued again: no
 * next_block_start can follow it, so only "exhausted" tells that it was issued.
 */
static void
check_revival(const IdgenTriggerRow *row)
{
	if (idgen_row_is_exhausted(row->old) && !idgen_row_is_exhausted(row->new) &&
	    idgen_row_int64(row->old, IDGEN_ATT_MAX_VALUE) == PG_INT64_MAX &&
	    idgen_row_int64(row->old, IDGEN_ATT_NEXT_BLOCK_START) == PG_INT64_MAX &&
	    idgen_row_int64(row->new, IDGEN_ATT_NEXT_BLOCK_START) == PG_INT64_MAX)
		ereport(ERROR,
		        (errcode(ERRCODE_SEQUENCE_GENERATOR_LIMIT_EXCEEDED),
		         errmsg("id sequence \"%s\" cannot be revived",
		                name_of(row->new)),
		         errdetail("Its last id, %lld, is the greatest there can be.",
		                   (long long) PG_INT64_MAX),
		         errhint("Start it again at a lower id with %s().",
		                 idgen_function_name(RelationGetRelid(row->rel), "idgen_restart"))));
}

/*
 * Does the UPDATE only allocate? Other programs raise next_block_start to do
 * so, and set "exhausted" with the last block: that leaves the ids in the
 * cache.
 */
static bool
only_allocates(const IdgenTriggerRow *row)
{
	int64 old_start = idgen_row_int64(row->old, IDGEN_ATT_NEXT_BLOCK_START);
	int64 new_start = idgen_row_int64(row->new, IDGEN_ATT_NEXT_BLOCK_START);

	for (AttrNumber attnum = 1; attnum <= IDGEN_ATT_LAST; attnum++)
	{
		if (attnum != IDGEN_ATT_NEXT_BLOCK_START && attnum != IDGEN_ATT_REFILLED_AT &&
		    (attnum != IDGEN_ATT_EXHAUSTED || new_start == old_start) && idgen_trigger_row_changes(row, attnum))
			return false;
	}
	return new_start >= old_start;
}

/*
 * Tell the user if values of a native sequence stand for ids after the UPDATE
 * that earlier values have stood for.
 */
static void
warn_of_pool(const IdgenTriggerRow *row)
{
	IdgenPool old = pool_of(row->old);
	IdgenPool new = pool_of(row->new);

	if (has_object(row->old) && has_object(row->new) && idgen_pool_goes_back(&old, &new))
		ereport(NOTICE,
		        (errmsg("id sequence \"%s\" may issue ids a second time",
		                name_of(row->new)),
		         errdetail("The next values of its native sequence stand for ids that earlier values stood for."),
		         errhint("Call %s() with an id after these, in the same transaction.",
		                 idgen_function_name(RelationGetRelid(row->rel), "idgen_restart"))));
}

/*
 * Whatever a change is but an allocation, cached ids may not be what the row
 * says by now: they are void. A row that is made has none, since what removed
 * an earlier one of that name has dropped them, or has those of a native
 * sequence, which stay what they are unless it has a pool. What this very
 * transaction publishes by the row must not be dropped behind that.
 */
static void
row_changed(const IdgenTriggerRow *row)
{
	if (row->new == NULL)
	{
		note(row, row->old, IDGEN_SLOT_REMOVE);
		if (idgen_source_of_row(row->old) == &idgen_source_server)
			idgen_marks_take_along(RelationGetRelid(row->rel), name_of(row->old));
	}
	else if (row->old == NULL)
		note(row, row->new, has_own_pool(row->new) ? IDGEN_SLOT_DROP : IDGEN_SLOT_REVALIDATE);
	else if (idgen_trigger_row_changes(row, IDGEN_ATT_NAME))
	{
		note(row, row->old, IDGEN_SLOT_REMOVE);
		note(row, row->new, IDGEN_SLOT_DROP);
	}
	else if (!only_allocates(row))
	{
		warn_of_pool(row);
		note(row, row->old, IDGEN_SLOT_DROP);
	}
	else
		return;
	if (concerns_others(row))
		CacheInvalidateRelcacheByRelid(RelationGetRelid(row->rel));
}

static void
table_truncated(Relation rel)
{
	idgen_changes_note_all_rows();
	CacheInvalidateRelcacheByRelid(RelationGetRelid(rel));
}

/* Trigger AFTER INSERT, UPDATE or DELETE (each row) and TRUNCATE (statement) */
Datum
idgen_row_changed(PG_FUNCTION_ARGS)
{
	TriggerData *trigger = (TriggerData *) fcinfo->context;
	IdgenTriggerRow row;

	if (!CALLED_AS_TRIGGER(fcinfo) || !TRIGGER_FIRED_AFTER(trigger->tg_event))
		idgen_trigger_misplaced("idgen_row_changed", "an AFTER");
	idgen_trigger_check_table(fcinfo);

	if (TRIGGER_FIRED_BY_TRUNCATE(trigger->tg_event))
	{
		table_truncated(trigger->tg_relation);
		return PointerGetDatum(NULL);
	}
	if (!TRIGGER_FIRED_FOR_ROW(trigger->tg_event))
		idgen_trigger_misplaced("idgen_row_changed", "an AFTER ROW");
	row = idgen_trigger_row(trigger);
	if (row.old != NULL && row.new != NULL)
		check_revival(&row);
	row_changed(&row);
	return PointerGetDatum(NULL);
}
