/*
 * row_check.c
 *		Trigger idgen_check_row(): what may be written to id_sequences.
 *
 * The trigger refuses values that make no row, and rows that only some roles
 * may write. It also takes back gapless ids that the transaction has reserved,
 * when its own UPDATE overtakes them.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "utils/rel.h"

#include "catalog/definition.h"
#include "catalog/privileges.h"
#include "catalog/row.h"
#include "session/pending.h"
#include "sql/trigger_row.h"

PG_FUNCTION_INFO_V1(idgen_check_row);

static bool
is_null(const IdgenTriggerRow *row, AttrNumber attnum)
{
	return heap_attisnull(row->new, attnum, row->desc);
}

static char *
get_string(const IdgenTriggerRow *row, AttrNumber attnum)
{
	return idgen_tuple_string(row->new, row->desc, attnum);
}

/* Set a column of the row that is about to be written. */
static void
set_column(IdgenTriggerRow *row, int column, Datum value)
{
	bool isnull = false;

	row->new = heap_modify_tuple_by_cols(row->new, row->desc, 1, &column, &value, &isnull);
}

/*
 * If the current transaction has reserved gapless ids of this row ahead, and
 * now updates the row without touching next_block_start, give these ids back to
 * the row on this occasion: at commit, the row may not be the same any more.
 */
static void
give_back_reserved_ids(IdgenTriggerRow *row)
{
	char *name = idgen_tuple_string(row->old, row->desc, IDGEN_ATT_NAME);
	IdgenHandle *handle = idgen_handle_find(RelationGetRelid(row->rel), name, strlen(name));
	int64 next = idgen_tuple_int64(row->old, row->desc, IDGEN_ATT_NEXT_BLOCK_START);
	bool exhausted = idgen_tuple_is_exhausted(row->old, row->desc);

	if (handle == NULL || !idgen_pending_ends_at(handle, next, exhausted) ||
	    idgen_trigger_row_changes(row, IDGEN_ATT_NEXT_BLOCK_START))
		return;

	/* The reservation may have set it. The UPDATE may set it too: let it. */
	if (!idgen_trigger_row_changes(row, IDGEN_ATT_EXHAUSTED))
		set_column(row, IDGEN_ATT_EXHAUSTED, Int16GetDatum(0));
	set_column(row, IDGEN_ATT_NEXT_BLOCK_START, Int64GetDatum(idgen_pending_surrender(handle)));
}

/*
 * Does the row name code? A source that does not use source_name lets it say
 * anything, and somebody may change the row to a source that runs it later.
 */
static bool
names_code(const IdgenSource *source, const IdgenTriggerRow *row)
{
	return source->runs_code ||
		(source->check_name == NULL && !is_null(row, IDGEN_ATT_SOURCE_NAME));
}

/* Does the command decide what code runs when some name is drawn from? */
static bool
chooses_code(const IdgenTriggerRow *row)
{
	return row->old == NULL ||
		idgen_trigger_row_changes(row, IDGEN_ATT_NAME) ||
		idgen_trigger_row_changes(row, IDGEN_ATT_SOURCE) ||
		idgen_trigger_row_changes(row, IDGEN_ATT_SOURCE_NAME);
}

/* Raises 42501 unless the current user may write a row that names code. */
static void
check_may_name_code(Relation rel, const IdgenSource *source)
{
	if (idgen_may_lend_code(RelationGetRelid(rel), GetUserId()))
		return;
	ereport(ERROR,
	        (errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
	         errmsg("permission denied to name a function in table \"%s\"", RelationGetRelationName(rel)),
	         source->runs_code ? errdetail("It runs with the rights of whoever draws, as a trigger would.") : errdetail("Source \"%s\" does not use source_name, but the row may get another source later.", source->name),
	         source->runs_code ? errhint("The privilege TRIGGER on the table is required.") : errhint("Set source_name to null, or get the privilege TRIGGER on the table.")));
}

/*
 * Raises 22023 for values that are unknown, 0A000 for values that do not go
 * together, 42501 for values that the current user may not write. A null is
 * left to the column's constraint, which the server checks after the trigger.
 */
static void
check_values(const IdgenTriggerRow *row)
{
	if (!is_null(row, IDGEN_ATT_SOURCE))
	{
		const char *source_name = is_null(row, IDGEN_ATT_SOURCE_NAME) ? NULL : get_string(row, IDGEN_ATT_SOURCE_NAME);
		const IdgenSource *source = idgen_check_source(get_string(row, IDGEN_ATT_SOURCE), source_name);

		if (names_code(source, row) && chooses_code(row))
			check_may_name_code(row->rel, source);
		if (!is_null(row, IDGEN_ATT_REFILL))
			idgen_check_refill(get_string(row, IDGEN_ATT_REFILL), source);
		if (!is_null(row, IDGEN_ATT_POOLING))
			idgen_check_pooling(get_string(row, IDGEN_ATT_POOLING), source);
	}
	if (!is_null(row, IDGEN_ATT_LAYOUT))
		idgen_check_layout(get_string(row, IDGEN_ATT_LAYOUT));
}

/* Trigger BEFORE INSERT or UPDATE, each row */
Datum
idgen_check_row(PG_FUNCTION_ARGS)
{
	TriggerData *trigger = (TriggerData *) fcinfo->context;
	IdgenTriggerRow row;

	if (!CALLED_AS_TRIGGER(fcinfo) || !TRIGGER_FIRED_BEFORE(trigger->tg_event) ||
	    !TRIGGER_FIRED_FOR_ROW(trigger->tg_event))
		idgen_trigger_misplaced("idgen_check_row", "a BEFORE ROW");
	if (TRIGGER_FIRED_BY_DELETE(trigger->tg_event))
		idgen_trigger_misplaced("idgen_check_row", "an INSERT OR UPDATE");
	idgen_trigger_check_table(fcinfo);

	row = idgen_trigger_row(trigger);
	if (row.old != NULL)
		give_back_reserved_ids(&row);
	check_values(&row);
	if (is_null(&row, IDGEN_ATT_START_VALUE) && !is_null(&row, IDGEN_ATT_NEXT_BLOCK_START))
		set_column(&row, IDGEN_ATT_START_VALUE,
		           idgen_tuple_attribute(row.new, row.desc, IDGEN_ATT_NEXT_BLOCK_START));
	return PointerGetDatum(row.new);
}
