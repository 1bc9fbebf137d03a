/*
 * row_check.c
 *		Trigger idgen_check_row(): what may be written to id_sequences.
 *
 * The trigger refuses values that make no row, and rows that only some roles
 * may write, or have belong to a column. It also takes back gapless ids that
 * the transaction has reserved, when its own UPDATE overtakes them.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "access/xact.h"
#include "catalog/pg_class.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "utils/acl.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/rls.h"
#include "utils/timestamp.h"

#include "catalog/definition.h"
#include "catalog/owning_column.h"
#include "catalog/privileges.h"
#include "catalog/row.h"
#include "catalog/template.h"
#include "common/compat.h"
#include "session/handle_table.h"
#include "session/pending.h"
#include "sql/row_keys.h"
#include "sql/sql_support.h"
#include "sql/trigger_row.h"
#include "text/format.h"

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
 * Raises 22023 if the period or the time zone is unknown, or if the names of
 * the children would be too long; 0A000 for a period that the source does not
 * have.
 */
static void
check_period(const IdgenTriggerRow *row, const IdgenSource *source)
{
	IdgenPeriod period;

	if (!is_null(row, IDGEN_ATT_TIME_ZONE))
		idgen_check_time_zone(get_string(row, IDGEN_ATT_TIME_ZONE));
	if (is_null(row, IDGEN_ATT_PERIOD))
		return;
	period = idgen_check_period(get_string(row, IDGEN_ATT_PERIOD), source);
	if (!is_null(row, IDGEN_ATT_NAME))
		idgen_check_name_with_period(get_string(row, IDGEN_ATT_NAME), period);
}

/*
 * Raises 22023 for a format that is not valid, or that writes the same in each
 * of the row's periods.
 */
static void
check_format(const IdgenTriggerRow *row)
{
	IdgenFormat *format;
	IdgenPeriod period = IDGEN_PERIOD_NONE;

	if (is_null(row, IDGEN_ATT_FORMAT))
		return;
	format = idgen_format_parse(get_string(row, IDGEN_ATT_FORMAT));
	if (!is_null(row, IDGEN_ATT_PERIOD))
		(void) idgen_period_find(get_string(row, IDGEN_ATT_PERIOD), &period);
	if (!idgen_format_tells_apart(format, period))
		ereport(ERROR,
		        (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
		         errmsg("format \"%s\" does not tell one %s from another", idgen_format_source(format), idgen_period_word(period)),
		         errdetail("Numbers start anew in each, so text ids would be the same."),
		         errhint("Add {YYYY}, for months {MM}, and for days {DD}.")));
	pfree(format);
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
		check_period(row, source);
	}
	if (!is_null(row, IDGEN_ATT_LAYOUT))
		idgen_check_layout(get_string(row, IDGEN_ATT_LAYOUT));
	check_format(row);
}

/* Is the row, as the command leaves it, a template? */
static bool
is_template(const IdgenTriggerRow *row)
{
	const char *name = is_null(row, IDGEN_ATT_NAME) ? "" : get_string(row, IDGEN_ATT_NAME);

	return idgen_is_template_name(name, strlen(name));
}

/* Raises 22023 if the row says what is for other kinds of rows. */
static void
check_kind(const IdgenTriggerRow *row)
{
	if (!is_null(row, IDGEN_ATT_MAX_CHILDREN) && !is_template(row))
		ereport(ERROR,
		        (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
		         errmsg("id sequence \"%s\" cannot have max_children", get_string(row, IDGEN_ATT_NAME)),
		         errdetail("It is no template, and has no children."),
		         errhint("The name of a template ends in \"/*\".")));
}

/* Does the command decide which sequence values there are, or their layout? */
static bool
chooses_values(const IdgenTriggerRow *row)
{
	return row->old == NULL ||
		idgen_trigger_row_changes(row, IDGEN_ATT_NEXT_BLOCK_START) ||
		idgen_trigger_row_changes(row, IDGEN_ATT_LAYOUT) ||
		idgen_trigger_row_changes(row, IDGEN_ATT_BIG_BASE) ||
		idgen_trigger_row_changes(row, IDGEN_ATT_SOURCE);
}

/*
 * Raises 22023 if the layout makes no id of what a row that counts itself is to
 * begin with: each draw would fail. What arrives by replication is as it is.
 */
static void
check_begin(const IdgenTriggerRow *row)
{
	const IdgenLayout *layout;
	int64 next;

	if (SessionReplicationRole == SESSION_REPLICATION_ROLE_REPLICA || !chooses_values(row) ||
	    is_null(row, IDGEN_ATT_NEXT_BLOCK_START) || is_null(row, IDGEN_ATT_LAYOUT) ||
	    is_null(row, IDGEN_ATT_BIG_BASE) || is_null(row, IDGEN_ATT_SOURCE) ||
	    !idgen_source_get(get_string(row, IDGEN_ATT_SOURCE))->locks_row)
		return;
	layout = idgen_check_layout(get_string(row, IDGEN_ATT_LAYOUT));
	next = idgen_tuple_int64(row->new, row->desc, IDGEN_ATT_NEXT_BLOCK_START);
	if (idgen_layout_can_begin(layout, next, DatumGetNumeric(idgen_tuple_attribute(row->new, row->desc, IDGEN_ATT_BIG_BASE))))
		return;
	ereport(ERROR,
	        (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
	         errmsg("next_block_start (%lld) of id sequence \"%s\" does not fit layout \"%s\"",
	                (long long) next, get_string(row, IDGEN_ATT_NAME), layout->name),
	         errhint("Begin with %d or more.", layout->scrambled ? 1 : 0)));
}

/*
 * Where its children start is what next_block_start says of a template, or of a
 * row with periods: nobody draws from it. So start_value follows, unless the
 * command sets that as well.
 */
static void
let_start_follow(IdgenTriggerRow *row)
{
	if (is_null(row, IDGEN_ATT_NEXT_BLOCK_START))
		return;
	if (is_null(row, IDGEN_ATT_START_VALUE) ||
	    (row->old != NULL && (is_template(row) || !is_null(row, IDGEN_ATT_PERIOD)) &&
	     idgen_trigger_row_changes(row, IDGEN_ATT_NEXT_BLOCK_START) &&
	     !idgen_trigger_row_changes(row, IDGEN_ATT_START_VALUE)))
		set_column(row, IDGEN_ATT_START_VALUE,
		           idgen_tuple_attribute(row->new, row->desc, IDGEN_ATT_NEXT_BLOCK_START));
}

/*
 * Note the time when a program allocates from a row that has a template, as a
 * refill does, unless the command sets it. Rows that arrive by replication say
 * it.
 */
static void
note_allocation(IdgenTriggerRow *row)
{
	if (is_null(row, IDGEN_ATT_TEMPLATE) || SessionReplicationRole == SESSION_REPLICATION_ROLE_REPLICA)
		return;
	if (row->old == NULL ? is_null(row, IDGEN_ATT_REFILLED_AT)
	                     : (idgen_trigger_row_changes(row, IDGEN_ATT_NEXT_BLOCK_START) &&
	                        !idgen_trigger_row_changes(row, IDGEN_ATT_REFILLED_AT)))
		set_column(row, IDGEN_ATT_REFILLED_AT, TimestampTzGetDatum(GetCurrentTransactionStartTimestamp()));
}

/*
 * May the current user have an id sequence belong to that column? Reports at
 * that level why not, and returns false. As with OWNED BY, the table must be
 * their own: what triggers do when the column is dropped is done with the
 * rights of whoever drops it.
 */
static bool
may_belong_to(const IdgenTriggerRow *row, IdgenOwningColumn column, int elevel)
{
	Oid id_sequences = RelationGetRelid(row->rel);
	const char *problem = is_template(row) ? "A template has no ids." : idgen_owning_column_problem(column);

	if (problem != NULL)
		ereport(elevel,
		        (errcode(column == IDGEN_NO_COLUMN ? ERRCODE_UNDEFINED_COLUMN : ERRCODE_WRONG_OBJECT_TYPE),
		         errmsg("id sequence \"%s\" cannot belong to that column", get_string(row, IDGEN_ATT_NAME)),
		         errdetail_internal("%s", problem)));
	else if (!object_ownercheck(RelationRelationId, idgen_owning_table(column), GetUserId()))
		ereport(elevel,
		        (errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
		         errmsg("must be owner of table %s", get_rel_name(idgen_owning_table(column)))));
	else if (row->old != NULL && pg_class_aclcheck(id_sequences, GetUserId(), ACL_DELETE) != ACLCHECK_OK)
		ereport(elevel,
		        (errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
		         errmsg("permission denied to set owned_by in table \"%s\"", RelationGetRelationName(row->rel)),
		         errdetail("Dropping the column deletes the row, so the privilege DELETE is required."),
		         idgen_grant_hint(id_sequences, ACL_DELETE)));
	else if (row->old != NULL && check_enable_rls(id_sequences, InvalidOid, true) == RLS_ENABLED)
		ereport(elevel,
		        (errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
		         errmsg("permission denied to set owned_by in table \"%s\"", RelationGetRelationName(row->rel)),
		         errdetail("Dropping the column deletes the row, and row security does not see that."),
		         errhint("Give owned_by when the row is inserted, or have somebody set it whom row security does not apply to.")));
	else
		return true;
	return false;
}

/*
 * Check the column that the row shall belong to. A row that is inserted is that
 * of a dump, mostly, which must be restored in any case: then it belongs to
 * none, with a warning. One that is replicated does so in silence, since each
 * refill brings it again. Whoever updates the row gets an error.
 */
static void
check_owning_column(IdgenTriggerRow *row)
{
	int column = IDGEN_ATT_OWNED_BY;
	bool isnull = true;
	Datum value;
	int elevel;

	if (is_null(row, column) || (row->old != NULL && !idgen_trigger_row_changes(row, column)))
		return;
	value = idgen_tuple_attribute(row->new, row->desc, column);
	if (SessionReplicationRole == SESSION_REPLICATION_ROLE_REPLICA)
		elevel = DEBUG1;
	else if (row->old != NULL)
		elevel = ERROR;
	else
		/* If the name stands for none, the type's input has said so. */
		elevel = DatumGetInt64(value) == IDGEN_NO_COLUMN ? DEBUG1 : WARNING;
	if (!may_belong_to(row, DatumGetInt64(value), elevel))
		row->new = heap_modify_tuple_by_cols(row->new, row->desc, 1, &column, &value, &isnull);
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
	check_kind(&row);
	check_owning_column(&row);
	idgen_row_keys_before(&row);
	check_begin(&row);
	let_start_follow(&row);
	note_allocation(&row);
	return PointerGetDatum(row.new);
}
