/*
 * row_keys.c
 *		The key of a row of id_sequences, while triggers see the row change.
 *
 * An id sequence that scrambles its ids has a key in table idgen_keys. The
 * triggers of id_sequences make it when a row takes the layout, rename it with
 * the row, and delete it with the row.
 *
 * The key and max_value decide which id a sequence value stands for. If they
 * changed while ids are in use, ids would be issued twice. So they stay from
 * the first draw on, and so does the layout.
 *
 * A row that was drawn from before must not get another key either. Such rows
 * come from a dump, or by replication, and their keys come by themselves,
 * before the row or after it, even in another transaction. They are known by
 * their start_value: who makes a row leaves it out, and the trigger fills it
 * in. So a row that is inserted with a start_value gets no key, and cannot be
 * drawn from without one. (To make one, and let the other replace it, was
 * turned down: pg_restore fills both tables at the same time, and neither
 * transaction would see what the other one has made.)
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "access/tableam.h"
#include "commands/trigger.h"
#include "utils/rel.h"

#include "catalog/definition.h"
#include "catalog/needed_keys.h"
#include "catalog/row.h"
#include "catalog/scramble_keys.h"
#include "sql/row_keys.h"

/* The source of a version of a row, NULL if it has none that is known. */
static const IdgenSource *
source_of(HeapTuple tuple, TupleDesc desc)
{
	return heap_attisnull(tuple, IDGEN_ATT_SOURCE, desc) ? NULL : idgen_source_find(idgen_tuple_string(tuple, desc, IDGEN_ATT_SOURCE));
}

/*
 * Is it sure that no block has been allocated since the id sequence began? Only
 * of a row that counts itself.
 */
static bool
is_unused(HeapTuple tuple, TupleDesc desc)
{
	const IdgenSource *source = source_of(tuple, desc);

	return source != NULL && source->locks_row && !idgen_tuple_is_exhausted(tuple, desc) &&
		!heap_attisnull(tuple, IDGEN_ATT_START_VALUE, desc) &&
		idgen_tuple_int64(tuple, desc, IDGEN_ATT_START_VALUE) ==
		idgen_tuple_int64(tuple, desc, IDGEN_ATT_NEXT_BLOCK_START);
}

/* Raises 55000: an UPDATE would have ids issued twice. */
pg_noreturn static void
refuse_change(const IdgenTriggerRow *row, AttrNumber attnum)
{
	ereport(ERROR,
	        (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
	         errmsg("cannot change %s of id sequence \"%s\"",
	                NameStr(TupleDescAttr(row->desc, attnum - 1)->attname),
	                idgen_tuple_string(row->old, row->desc, IDGEN_ATT_NAME)),
	         errdetail("With layout \"%s\", ids that have been drawn could be issued a second time.",
	                   idgen_layout_scrambled.name),
	         errhint("Use another id sequence. If no row has an id of this one, delete it and make it anew.")));
}

/*
 * Can the row still become what it likes? One that begins with the scrambled
 * ids must begin at 1: if its start is another, there may be ids before, of
 * what it has taken over from, or of before a restart.
 */
static bool
is_free_to_change(const IdgenTriggerRow *row, bool needed_key)
{
	return is_unused(row->old, row->desc) &&
		(needed_key || idgen_tuple_int64(row->old, row->desc, IDGEN_ATT_START_VALUE) <= 1);
}

/*
 * Refuse what would have ids issued twice. Another server that has made the
 * change has checked it.
 */
static void
check_update(const IdgenTriggerRow *row, bool needed_key, bool needs_key)
{
	if (SessionReplicationRole == SESSION_REPLICATION_ROLE_REPLICA || is_free_to_change(row, needed_key))
		return;
	if (idgen_trigger_row_changes(row, IDGEN_ATT_LAYOUT))
		refuse_change(row, IDGEN_ATT_LAYOUT);
	if (needed_key != needs_key)
		refuse_change(row, idgen_trigger_row_changes(row, IDGEN_ATT_PERIOD) ? IDGEN_ATT_PERIOD : IDGEN_ATT_NAME);
	if (idgen_trigger_row_changes(row, IDGEN_ATT_MAX_VALUE))
		refuse_change(row, IDGEN_ATT_MAX_VALUE);
}

/*
 * The start_value of a row that is in use does not rise, whatever the command
 * sets: the row would look as if nothing had been drawn.
 */
static void
keep_start(IdgenTriggerRow *row)
{
	int column = IDGEN_ATT_START_VALUE;
	bool isnull = false;
	Datum old;

	if (heap_attisnull(row->old, column, row->desc) || is_unused(row->old, row->desc))
		return;
	old = idgen_tuple_attribute(row->old, row->desc, column);
	if (heap_attisnull(row->new, column, row->desc) ||
	    idgen_tuple_int64(row->new, row->desc, column) > DatumGetInt64(old))
		row->new = heap_modify_tuple_by_cols(row->new, row->desc, 1, &column, &old, &isnull);
}

/*
 * Raises 22023 if there is nothing to scramble. A null is left to the column's
 * constraint.
 */
static void
check_range(const IdgenTriggerRow *row)
{
	if (heap_attisnull(row->new, IDGEN_ATT_MAX_VALUE, row->desc) ||
	    idgen_tuple_int64(row->new, row->desc, IDGEN_ATT_MAX_VALUE) >= 1)
		return;
	ereport(ERROR,
	        (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
	         errmsg("max_value of id sequence \"%s\" must be at least 1",
	                idgen_tuple_string(row->new, row->desc, IDGEN_ATT_NAME)),
	         errdetail("With layout \"%s\", ids are between 1 and max_value.", idgen_layout_scrambled.name)));
}

/*
 * Before a row is inserted or updated. Raises 55000 for a change that would
 * have ids issued twice, 22023 for a max_value below 1, and what making a key
 * raises.
 */
void
idgen_row_keys_before(IdgenTriggerRow *row)
{
	bool needs_key = idgen_tuple_needs_key(row->new, row->desc);
	bool needed_key = row->old != NULL && idgen_tuple_needs_key(row->old, row->desc);

	if (!needs_key && !needed_key)
		return;
	if (row->old != NULL)
		check_update(row, needed_key, needs_key);
	if (!needs_key)
		return;
	check_range(row);
	if (needed_key)
		keep_start(row);
	else if (SessionReplicationRole != SESSION_REPLICATION_ROLE_REPLICA &&
	         (row->old != NULL || heap_attisnull(row->new, IDGEN_ATT_START_VALUE, row->desc)))
		idgen_give_key(row->rel, row->new);
}

/*
 * Has the command that deletes the row made it anew? Its insert was fired at
 * before the delete, and has found the key there.
 */
static bool
is_there_again(Relation rel, const char *name)
{
	TupleTableSlot *slot = table_slot_create(rel, NULL);
	bool found = idgen_row_find(rel, name, strlen(name), IDGEN_SEARCH_SURE, slot) && idgen_row_needs_key(slot);

	ExecDropSingleTupleTableSlot(slot);
	return found;
}

/*
 * After a row was inserted, updated or deleted: its key goes along. The key of
 * a row that one command deletes and makes anew stays: it may be the same row,
 * with all that it has come to.
 */
void
idgen_row_keys_after(const IdgenTriggerRow *row)
{
	Oid id_sequences = RelationGetRelid(row->rel);
	char *old_name;

	if (row->old == NULL || !idgen_tuple_needs_key(row->old, row->desc))
		return;
	old_name = idgen_tuple_string(row->old, row->desc, IDGEN_ATT_NAME);
	if (row->new == NULL && is_there_again(row->rel, old_name))
		return;
	if (row->new == NULL || !idgen_tuple_needs_key(row->new, row->desc))
		idgen_key_delete(id_sequences, old_name);
	else if (idgen_trigger_row_changes(row, IDGEN_ATT_NAME))
		idgen_key_rename(id_sequences, old_name, idgen_tuple_string(row->new, row->desc, IDGEN_ATT_NAME));
}
