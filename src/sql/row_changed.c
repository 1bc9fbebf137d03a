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
#include "sql/trigger_row.h"

PG_FUNCTION_INFO_V1(idgen_row_changed);

static char *
name_of(TupleTableSlot *version)
{
	return TextDatumGetCString(idgen_row_attribute(version, IDGEN_ATT_NAME));
}

/* Are cached ids of this row its own, rather than those of another object? */
static bool
has_own_ids(TupleTableSlot *version)
{
	const IdgenSource *source = idgen_source_of_row(version);

	return source == NULL || !source->has_object;
}

/* What a version of the row says of the values of a native sequence. */
static IdgenPool
pool_of(TupleTableSlot *version)
{
	return has_own_ids(version) ? idgen_no_pool : idgen_pool_of_row(version);
}

/*
 * Do the values of a native sequence stand for other ids by this version of the
 * row than without a row?
 */
static bool
has_own_pool(TupleTableSlot *version)
{
	IdgenPool pool = pool_of(version);

	return idgen_pools_differ(&pool, &idgen_no_pool);
}

/*
 * Can another transaction have allocated by this version of the row, and still
 * be in progress? Where that locks the row, it cannot. Else it looks at nothing
 * that is shared before it draws what it has pending, so the server has to tell
 * all sessions to look again at all rows.
 */
static bool
may_be_in_use(TupleTableSlot *version)
{
	const IdgenSource *source = idgen_source_of_row(version);

	return source != NULL && !source->locks_row;
}

/*
 * Note what a change means for the id sequence that this version of the row
 * defines, and for native sequences that it stands for ("objects"). Their ids
 * stay valid when the row changes, so for them IDGEN_CHANGE_DROP becomes
 * IDGEN_CHANGE_DROP_ROW; unless their values stand for other ids from now on.
 */
static void
note_change(const IdgenTriggerRow *row, TupleTableSlot *version, IdgenChange change, IdgenSlotChange objects)
{
	Oid relid = RelationGetRelid(row->rel);
	char *name = name_of(version);

	if (change >= IDGEN_CHANGE_DROP && !has_own_ids(version))
		change = objects == IDGEN_SLOT_DROP ? IDGEN_CHANGE_DROP : IDGEN_CHANGE_DROP_ROW;
	idgen_changes_note_row(relid, name, change);
	if (may_be_in_use(version))
		CacheInvalidateRelcacheByRelid(relid);
	idgen_changes_note_name(relid, name, objects);
}

/*
 * Note that this version of the row begins (IDGEN_CHANGE_DROP) or ends
 * (IDGEN_CHANGE_REMOVE) to define a name.
 */
static void
note_name(const IdgenTriggerRow *row, TupleTableSlot *version, IdgenChange change)
{
	note_change(row, version, change,
	            has_own_pool(version) ? IDGEN_SLOT_DROP : IDGEN_SLOT_REVALIDATE);
}

/*
 * There is a template that may match names which sessions have used without a
 * row: have them look at all names again. It does not happen often.
 */
static void
note_template(const IdgenTriggerRow *row)
{
	const char *name = name_of(row->new);

	if (idgen_is_template_name(name, strlen(name)))
		CacheInvalidateRelcacheByRelid(RelationGetRelid(row->rel));
}

/*
 * There is a row for a name that sessions may have used without one. They do so
 * with native sequences only, whose ids stay valid unless the row says what
 * their values stand for; and whatever removed an earlier row of that name has
 * dropped its ids. A shared cache tells sessions to look again; session caches
 * hear of it from the server.
 */
static void
row_inserted(const IdgenTriggerRow *row)
{
	Oid relid = RelationGetRelid(row->rel);

	note_template(row);
	if (has_own_pool(row->new))
	{
		note_name(row, row->new, IDGEN_CHANGE_DROP);
		return;
	}
	idgen_changes_note_name(relid, name_of(row->new),
	                        IDGEN_SLOT_REVALIDATE);
	if (!idgen_cache_is_shared())
		CacheInvalidateRelcacheByRelid(relid);
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
 * What an UPDATE that keeps the name means for cached ids. Other programs raise
 * next_block_start all the time, to allocate, and set "exhausted" with the last
 * block: that leaves the ids in the cache. Any other change voids them: they
 * may not be what the row says now.
 */
static IdgenChange
change_of_update(const IdgenTriggerRow *row)
{
	if (idgen_row_int64(row->new, IDGEN_ATT_NEXT_BLOCK_START) < idgen_row_int64(row->old, IDGEN_ATT_NEXT_BLOCK_START))
		return IDGEN_CHANGE_DROP;
	for (AttrNumber attnum = 1; attnum <= IDGEN_ATT_LAST; attnum++)
	{
		if (attnum != IDGEN_ATT_NEXT_BLOCK_START && attnum != IDGEN_ATT_REFILLED_AT &&
		    attnum != IDGEN_ATT_EXHAUSTED && idgen_trigger_row_changes(row, attnum))
			return IDGEN_CHANGE_DROP;
	}
	return idgen_trigger_row_changes(row, IDGEN_ATT_EXHAUSTED) ? IDGEN_CHANGE_REVALIDATE : IDGEN_CHANGE_NONE;
}

/*
 * Values of a native sequence may stand for other ids after the UPDATE. Returns
 * what that means for cached ones, and tells the user if ids may be issued
 * twice.
 */
static IdgenSlotChange
pool_updated(const IdgenTriggerRow *row)
{
	IdgenPool old = pool_of(row->old);
	IdgenPool new = pool_of(row->new);

	if (!idgen_pools_differ(&old, &new))
		return IDGEN_SLOT_REVALIDATE;
	if (!has_own_ids(row->old) && !has_own_ids(row->new) &&
	    idgen_pool_goes_back(&old, &new))
		ereport(NOTICE,
		        (errmsg("id sequence \"%s\" may issue ids a second time",
		                name_of(row->new)),
		         errdetail("The next values of its native sequence stand for ids that earlier values stood for."),
		         errhint("Call %s() with an id after these, in the same transaction.",
		                 idgen_function_name(RelationGetRelid(row->rel), "idgen_restart"))));
	return IDGEN_SLOT_DROP;
}

static void
row_updated(const IdgenTriggerRow *row)
{
	IdgenChange change;
	IdgenSlotChange objects;

	check_revival(row);
	if (idgen_trigger_row_changes(row, IDGEN_ATT_NAME))
	{
		note_name(row, row->old, IDGEN_CHANGE_REMOVE);
		note_name(row, row->new, IDGEN_CHANGE_DROP);
		note_template(row);
		return;
	}
	change = change_of_update(row);
	if (change == IDGEN_CHANGE_NONE)
		return;
	objects = pool_updated(row);
	note_change(row, row->old, objects == IDGEN_SLOT_DROP ? IDGEN_CHANGE_DROP : change, objects);
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
	if (row.old == NULL)
		row_inserted(&row);
	else if (row.new == NULL)
		note_name(&row, row.old, IDGEN_CHANGE_REMOVE);
	else
		row_updated(&row);
	return PointerGetDatum(NULL);
}
