/*
 * row_check.c
 *		Trigger idgen_check_row(): what may be written to id_sequences.
 *
 * The trigger refuses values that make no row, and columns of others that a row
 * shall belong to. It also takes back gapless ids that the transaction has
 * reserved, when its own UPDATE overtakes them. (What a function that a row
 * names may do is decided when it is called, by its owner: a row may have come
 * without this trigger.)
 *
 * Of a row that scrambles its ids, the salt and max_value decide which id a
 * sequence value stands for. If they changed while ids are in use, ids would be
 * issued twice. So they stay from the first draw on, and so does the layout. A
 * row that is made gets a salt of its own. One that comes by a restore or by
 * replication has it already.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "access/xact.h"
#include "catalog/pg_class.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/rls.h"
#include "utils/timestamp.h"

#include "catalog/child.h"
#include "catalog/definition.h"
#include "catalog/owning_column.h"
#include "catalog/privileges.h"
#include "catalog/row.h"
#include "catalog/secret.h"
#include "common/compat.h"
#include "session/handle_table.h"
#include "session/pending.h"
#include "sql/sql_support.h"
#include "sql/trigger_row.h"
#include "text/format.h"

PG_FUNCTION_INFO_V1(idgen_check_row);

static bool
is_replicated(void)
{
	return SessionReplicationRole == SESSION_REPLICATION_ROLE_REPLICA;
}

static bool
is_null(const IdgenTriggerRow *row, AttrNumber attnum)
{
	return slot_attisnull(row->new, attnum);
}

static bool
changes(const IdgenTriggerRow *row, AttrNumber attnum)
{
	return idgen_trigger_row_changes(row, attnum);
}

/* The name of the row, as the command leaves it. */
static char *
name_of(const IdgenTriggerRow *row)
{
	return idgen_row_string(row->new, IDGEN_ATT_NAME);
}

/* Set a column of the row that is about to be written. */
static void
set_column(IdgenTriggerRow *row, AttrNumber attnum, Datum value)
{
	idgen_row_put(row->new, attnum, value);
}

/*
 * If the current transaction has reserved gapless ids of this row ahead, and
 * now updates the row without touching next_block_start, give these ids back to
 * the row on this occasion: at commit, the row may not be the same any more.
 */
static void
give_back_reserved_ids(IdgenTriggerRow *row)
{
	char *name = TextDatumGetCString(idgen_row_attribute(row->old, IDGEN_ATT_NAME));
	IdgenHandle *handle = idgen_handle_find(RelationGetRelid(row->rel), name, strlen(name));

	if (handle == NULL ||
	    !idgen_pending_ends_at(handle, idgen_row_int64(row->old, IDGEN_ATT_NEXT_BLOCK_START), idgen_row_is_exhausted(row->old)) ||
	    changes(row, IDGEN_ATT_NEXT_BLOCK_START))
		return;

	/* The reservation may have set it. The UPDATE may set it too: let it. */
	if (!changes(row, IDGEN_ATT_EXHAUSTED))
		set_column(row, IDGEN_ATT_EXHAUSTED, Int16GetDatum(0));
	set_column(row, IDGEN_ATT_NEXT_BLOCK_START, Int64GetDatum(idgen_pending_surrender(handle)));
}

/*
 * Has the row a value that the constraints of its columns refuse? They come
 * after the trigger.
 */
static bool
is_for_constraints(const IdgenTriggerRow *row)
{
	static const AttrNumber not_null[] = {
		IDGEN_ATT_NAME,
		IDGEN_ATT_NEXT_BLOCK_START,
		IDGEN_ATT_BLOCK_SIZE,
		IDGEN_ATT_EXHAUSTED,
		IDGEN_ATT_MAX_VALUE,
		IDGEN_ATT_SOURCE,
		IDGEN_ATT_REFILL,
		IDGEN_ATT_LAYOUT,
		IDGEN_ATT_BIG_BASE,
		IDGEN_ATT_POOLING,
	};

	for (int i = 0; i < (int) lengthof(not_null); i++)
		if (is_null(row, not_null[i]))
			return true;
	return DatumGetInt32(idgen_row_attribute(row->new, IDGEN_ATT_BLOCK_SIZE)) <= 0;
}

/* Is the row, as the command leaves it, a template? */
static bool
is_template(const IdgenTriggerRow *row)
{
	const char *name = name_of(row);

	return idgen_is_template_name(name, strlen(name));
}

/* Raises 22023 if the row says what is for other kinds of rows. */
static void
check_kind(const IdgenTriggerRow *row)
{
	if (!is_null(row, IDGEN_ATT_MAX_CHILDREN) && !is_template(row))
		ereport(ERROR,
		        (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
		         errmsg("id sequence \"%s\" cannot have max_children", name_of(row)),
		         errdetail("It is no template, and has no children."),
		         errhint("The name of a template ends in \"/*\".")));
}

/*
 * Raises 22023 for a format that is not valid, or that writes the same in each
 * of the row's periods.
 */
static void
check_format(const IdgenDefinition *def)
{
	IdgenFormat *format;

	if (def->format == NULL)
		return;
	format = idgen_format_parse(def->format);
	if (!idgen_format_tells_apart(format, def->period))
		ereport(ERROR,
		        (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
		         errmsg("format \"%s\" does not tell one %s from another", def->format, idgen_period_word(def->period)),
		         errdetail("Numbers start anew in each, so text ids would be the same."),
		         errhint("Add {YYYY}, for months {MM}, and for days {DD}.")));
	pfree(format);
}

/* Does the command decide which sequence values there are, or their layout? */
static bool
chooses_values(const IdgenTriggerRow *row)
{
	return row->old == NULL ||
		changes(row, IDGEN_ATT_NEXT_BLOCK_START) || changes(row, IDGEN_ATT_LAYOUT) ||
		changes(row, IDGEN_ATT_BIG_BASE) || changes(row, IDGEN_ATT_SOURCE);
}

/*
 * Raises 22023 if the layout makes no id of what a row that counts itself is to
 * begin with: each draw would fail. What arrives by replication is as it is.
 */
static void
check_begin(const IdgenTriggerRow *row, const IdgenDefinition *def)
{
	if (is_replicated() || !chooses_values(row) || !def->source->locks_row ||
	    idgen_layout_can_begin(def->layout, def->next_block_start, def->big_base))
		return;
	ereport(ERROR,
	        (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
	         errmsg("next_block_start (%lld) of id sequence \"%s\" does not fit layout \"%s\"",
	                (long long) def->next_block_start, name_of(row), def->layout->name),
	         errhint("Begin with %d or more.", def->layout->scrambled ? 1 : 0)));
}

/*
 * Raises 22023 for values that are unknown or that no id can be made of, and
 * 0A000 for values that do not go together.
 */
static void
check_values(const IdgenTriggerRow *row)
{
	IdgenDefinition def;

	idgen_definition_from_row(row->new, name_of(row), &def);
	if (def.period != IDGEN_PERIOD_NONE)
		idgen_check_name_with_period(name_of(row), def.period);
	check_format(&def);
	check_kind(row);
	check_begin(row, &def);
}

/*
 * Is it sure that no block has been allocated since the id sequence began? Only
 * of a row that counts itself.
 */
static bool
is_unused(TupleTableSlot *slot)
{
	const IdgenSource *source = idgen_source_of_row(slot);

	return source != NULL && source->locks_row && !idgen_row_is_exhausted(slot) && !slot_attisnull(slot, IDGEN_ATT_START_VALUE) &&
		idgen_row_int64(slot, IDGEN_ATT_START_VALUE) == idgen_row_int64(slot, IDGEN_ATT_NEXT_BLOCK_START);
}

/*
 * Can a row become what it likes? One that begins with the scrambled ids must
 * begin at 1: if its start is another, there may be ids before, of what it has
 * taken over from, or of before a restart.
 */
static bool
is_free_to_change(const IdgenTriggerRow *row, bool was_scrambled)
{
	return is_unused(row->old) && (was_scrambled || idgen_row_int64(row->old, IDGEN_ATT_START_VALUE) <= 1);
}

/* Raises 55000: an UPDATE would have ids issued twice. */
pg_noreturn static void
refuse_change(const IdgenTriggerRow *row, AttrNumber attnum)
{
	ereport(ERROR,
	        (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
	         errmsg("cannot change %s of id sequence \"%s\"",
	                NameStr(TupleDescAttr(RelationGetDescr(row->rel), attnum - 1)->attname),
	                idgen_row_string(row->old, IDGEN_ATT_NAME)),
	         errdetail("With layout \"%s\", ids that have been drawn could be issued a second time.",
	                   idgen_layout_scrambled.name),
	         errhint("Use another id sequence. If no row has an id of this one, delete it and make it anew.")));
}

/* Refuse what would have ids issued twice. */
static void
check_order_stays(const IdgenTriggerRow *row, bool was_scrambled, bool is_scrambled)
{
	static const AttrNumber fixed[] = {IDGEN_ATT_LAYOUT, IDGEN_ATT_MAX_VALUE, IDGEN_ATT_SALT};

	if (is_free_to_change(row, was_scrambled))
		return;
	for (int i = 0; i < (int) lengthof(fixed); i++)
		if (changes(row, fixed[i]))
			refuse_change(row, fixed[i]);
	if (was_scrambled != is_scrambled)
		refuse_change(row, changes(row, IDGEN_ATT_PERIOD) ? IDGEN_ATT_PERIOD : IDGEN_ATT_NAME);
}

/*
 * Check a salt that the command sets. A role that could not compute the key
 * could take the salt of another row, and see by its own ids what those of the
 * other row stand for. Raises 22023, 42501.
 */
static void
check_salt(const IdgenTriggerRow *row)
{
	if (is_null(row, IDGEN_ATT_SALT) || (row->old != NULL && !changes(row, IDGEN_ATT_SALT)))
		return;
	if (!idgen_may_read_secrets(RelationGetRelid(row->rel)))
		ereport(ERROR,
		        (errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
		         errmsg("permission denied to set salt in table \"%s\"", RelationGetRelationName(row->rel)),
		         errdetail("Only roles that may read table \"idgen_secrets\" choose a salt."),
		         errhint("Leave it out: a new row gets its own.")));
	if (VARSIZE_ANY_EXHDR(DatumGetByteaPP(idgen_row_attribute(row->new, IDGEN_ATT_SALT))) != IDGEN_SALT_BYTES)
		ereport(ERROR,
		        (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
		         errmsg("the salt of id sequence \"%s\" must be %d bytes long", name_of(row), IDGEN_SALT_BYTES),
		         errdetail("It begins with the fingerprint of a secret.")));
}

/*
 * Give a salt to a row that needs one. Raises 55000 for a row that ids have
 * been drawn from, so a copy: they were made by the salt that it lacks.
 */
static void
fill_salt(IdgenTriggerRow *row)
{
	if (!is_null(row, IDGEN_ATT_SALT))
		return;
	if (row->old == NULL && !is_null(row, IDGEN_ATT_START_VALUE) &&
	    idgen_row_int64(row->new, IDGEN_ATT_START_VALUE) != idgen_row_int64(row->new, IDGEN_ATT_NEXT_BLOCK_START))
		ereport(ERROR,
		        (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
		         errmsg("id sequence \"%s\" needs the salt that it was drawn from with", name_of(row)),
		         errhint("Copy column \"salt\" as well, and the row of \"idgen_secrets\" that it goes with.")));
	idgen_give_salt(RelationGetRelid(row->rel), row->new);
}

/*
 * The start_value of a row that is in use does not rise, whatever the command
 * sets: the row would look as if nothing had been drawn.
 */
static void
keep_start(IdgenTriggerRow *row)
{
	if (slot_attisnull(row->old, IDGEN_ATT_START_VALUE) || is_unused(row->old))
		return;
	if (is_null(row, IDGEN_ATT_START_VALUE) ||
	    idgen_row_int64(row->new, IDGEN_ATT_START_VALUE) > idgen_row_int64(row->old, IDGEN_ATT_START_VALUE))
		set_column(row, IDGEN_ATT_START_VALUE, idgen_row_attribute(row->old, IDGEN_ATT_START_VALUE));
}

/* Raises 22023 if there is nothing to scramble. */
static void
check_range(const IdgenTriggerRow *row)
{
	if (idgen_row_int64(row->new, IDGEN_ATT_MAX_VALUE) < 1)
		ereport(ERROR,
		        (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
		         errmsg("max_value of id sequence \"%s\" must be at least 1", name_of(row)),
		         errdetail("With layout \"%s\", ids are between 1 and max_value.", idgen_layout_scrambled.name)));
}

/*
 * See to the order of scrambled ids. What another server has written is checked
 * there. Raises 55000 for a change that would have ids issued twice, 22023 for
 * a max_value below 1, and what the salt raises.
 */
static void
keep_order(IdgenTriggerRow *row)
{
	bool is_scrambled = idgen_row_needs_salt(row->new);
	bool was_scrambled = row->old != NULL && idgen_row_needs_salt(row->old);

	if (!is_replicated())
		check_salt(row);
	if (!is_scrambled && !was_scrambled)
		return;
	if (row->old != NULL && !is_replicated())
		check_order_stays(row, was_scrambled, is_scrambled);
	if (!is_scrambled)
		return;
	check_range(row);
	if (was_scrambled)
		keep_start(row);
	if (!is_replicated())
		fill_salt(row);
}

/*
 * Where its children start is what next_block_start says of a template, or of a
 * row with periods: nobody draws from it. So start_value follows, unless the
 * command sets that as well.
 */
static void
let_start_follow(IdgenTriggerRow *row)
{
	if (is_null(row, IDGEN_ATT_START_VALUE) ||
	    (row->old != NULL && (is_template(row) || !is_null(row, IDGEN_ATT_PERIOD)) &&
	     changes(row, IDGEN_ATT_NEXT_BLOCK_START) && !changes(row, IDGEN_ATT_START_VALUE)))
		set_column(row, IDGEN_ATT_START_VALUE, idgen_row_attribute(row->new, IDGEN_ATT_NEXT_BLOCK_START));
}

/*
 * Note the time when a program allocates from a row that has a template, as a
 * refill does, unless the command sets it. Rows that arrive by replication say
 * it.
 */
static void
note_allocation(IdgenTriggerRow *row)
{
	if (is_null(row, IDGEN_ATT_TEMPLATE) || is_replicated())
		return;
	if (row->old == NULL ? is_null(row, IDGEN_ATT_REFILLED_AT)
	                     : (changes(row, IDGEN_ATT_NEXT_BLOCK_START) && !changes(row, IDGEN_ATT_REFILLED_AT)))
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
		         errmsg("id sequence \"%s\" cannot belong to that column", name_of(row)),
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
		         idgen_grant_hint(id_sequences, "DELETE")));
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
	IdgenOwningColumn column;
	int elevel;

	if (is_null(row, IDGEN_ATT_OWNED_BY) || (row->old != NULL && !changes(row, IDGEN_ATT_OWNED_BY)))
		return;
	column = idgen_row_int64(row->new, IDGEN_ATT_OWNED_BY);
	if (is_replicated())
		elevel = DEBUG1;
	else if (row->old != NULL)
		elevel = ERROR;
	else
		/* If the name stands for none, the type's input has said so. */
		elevel = column == IDGEN_NO_COLUMN ? DEBUG1 : WARNING;
	if (!may_belong_to(row, column, elevel))
		row->new->tts_isnull[IDGEN_ATT_OWNED_BY - 1] = true;
}

/* A copy of a row, to be changed. */
static TupleTableSlot *
copy_slot(TupleTableSlot *slot)
{
	return ExecCopySlot(MakeSingleTupleTableSlot(slot->tts_tupleDescriptor, &TTSOpsVirtual), slot);
}

/* Trigger BEFORE INSERT or UPDATE, each row */
Datum
idgen_check_row(PG_FUNCTION_ARGS)
{
	TriggerData *trigger = (TriggerData *) fcinfo->context;
	IdgenTriggerRow row;
	HeapTuple tuple;

	if (!CALLED_AS_TRIGGER(fcinfo) || !TRIGGER_FIRED_BEFORE(trigger->tg_event) ||
	    !TRIGGER_FIRED_FOR_ROW(trigger->tg_event))
		idgen_trigger_misplaced("idgen_check_row", "a BEFORE ROW");
	if (TRIGGER_FIRED_BY_DELETE(trigger->tg_event))
		idgen_trigger_misplaced("idgen_check_row", "an INSERT OR UPDATE");
	idgen_trigger_check_table(fcinfo);

	row = idgen_trigger_row(trigger);
	row.new = copy_slot(row.new);
	if (row.old != NULL)
		give_back_reserved_ids(&row);
	if (!is_for_constraints(&row))
	{
		check_values(&row);
		check_owning_column(&row);
		keep_order(&row);
		let_start_follow(&row);
		note_allocation(&row);
	}
	tuple = heap_form_tuple(RelationGetDescr(row.rel), row.new->tts_values, row.new->tts_isnull);
	ExecDropSingleTupleTableSlot(row.new);
	return PointerGetDatum(tuple);
}
