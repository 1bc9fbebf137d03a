/*
 * row_triggers.c
 *		Triggers idgen_check_row(), what may be written to id_sequences, and
 *		idgen_row_changed(), what the cache is told of it.
 *
 * The first refuses values that make no row, and columns of others that a row
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
 *
 * Rows are changed by SQL, by other programs that allocate from them, and by
 * logical replication. The second trigger notes what each change means for
 * cached ids, and the cache is told when the transaction commits (rules C1,
 * C2). Both are fired "always", so in replication too.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "access/xact.h"
#include "catalog/pg_class.h"
#include "commands/trigger.h"
#include "executor/tuptable.h"
#include "fmgr.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/inval.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/rls.h"
#include "utils/timestamp.h"

#include "catalog/definition.h"
#include "catalog/owning_column.h"
#include "catalog/privileges.h"
#include "catalog/row.h"
#include "catalog/secret.h"
#include "catalog/table.h"
#include "common/compat.h"
#include "common/period.h"
#include "session/handle.h"
#include "session/xact.h"
#include "sources/marks.h"
#include "text/format.h"

PG_FUNCTION_INFO_V1(idgen_check_row);
PG_FUNCTION_INFO_V1(idgen_row_changed);

/* The versions of a row, before and after the command. */
typedef struct TriggerRow
{
	Relation rel;
	TupleTableSlot *old; /* NULL in an INSERT */
	TupleTableSlot *new; /* NULL in a DELETE */
} TriggerRow;

/*
 * The row that a trigger is fired for; none for TRUNCATE. The slots are the
 * server's own, so a trigger that changes the row copies them. Raises 39P01
 * unless the function is called as by the triggers of the install script, on
 * id_sequences, whose columns it knows; and what idgen_table_check() and
 * idgen_table_check_not_rewritten() do.
 */
static TriggerRow
trigger_row(FunctionCallInfo fcinfo, bool before)
{
	TriggerData *trigger = (TriggerData *) fcinfo->context;
	TriggerEvent event = CALLED_AS_TRIGGER(fcinfo) ? trigger->tg_event : 0;
	TriggerRow row = {.old = NULL};

	if (!(before ? TRIGGER_FIRED_BEFORE(event) && TRIGGER_FIRED_FOR_ROW(event) && !TRIGGER_FIRED_BY_DELETE(event)
	             : TRIGGER_FIRED_AFTER(event) && (TRIGGER_FIRED_FOR_ROW(event) || TRIGGER_FIRED_BY_TRUNCATE(event))))
		ereport(ERROR,
		        (errcode(ERRCODE_E_R_I_E_TRIGGER_PROTOCOL_VIOLATED),
		         errmsg("function \"%s\" must be fired by its own trigger", get_func_name(fcinfo->flinfo->fn_oid))));
	row.rel = trigger->tg_relation;
	if (RelationGetRelid(row.rel) != idgen_table_oid(fcinfo->flinfo->fn_oid))
		ereport(ERROR,
		        (errcode(ERRCODE_E_R_I_E_TRIGGER_PROTOCOL_VIOLATED),
		         errmsg("triggers of idgen do not work on table \"%s\"", RelationGetRelationName(row.rel))));
	idgen_table_check(row.rel);
	idgen_table_check_not_rewritten(row.rel);
	row.old = TRIGGER_FIRED_BY_INSERT(event) ? NULL : trigger->tg_trigslot;
	row.new = TRIGGER_FIRED_BY_INSERT(event) ? trigger->tg_trigslot : trigger->tg_newslot;
	return row;
}

static bool
is_replicated(void)
{
	return SessionReplicationRole == SESSION_REPLICATION_ROLE_REPLICA;
}

static bool
is_null(const TriggerRow *row, AttrNumber attnum)
{
	return slot_attisnull(row->new, attnum);
}

/* Does the UPDATE change that column? */
static bool
changes(const TriggerRow *row, AttrNumber attnum)
{
	return idgen_row_differs(row->old, row->new, attnum);
}

static char *
name_of(TupleTableSlot *version)
{
	return TextDatumGetCString(idgen_row_attribute(version, IDGEN_ATT_NAME));
}

static bool
is_template(TupleTableSlot *version)
{
	const char *name = name_of(version);

	return idgen_is_template_name(name);
}

/* Are other rows made from this one? */
static bool
is_parent(TupleTableSlot *version)
{
	return !slot_attisnull(version, IDGEN_ATT_PERIOD) || is_template(version);
}

/*
 * What may be written
 */

/*
 * If the current transaction has reserved gapless ids of this row ahead, and
 * now updates the row without touching next_block_start, give these ids back to
 * the row on this occasion: at commit, the row may not be the same any more.
 */
static void
give_back_reserved_ids(TriggerRow *row)
{
	const char *name = name_of(row->old);
	IdgenHandle *handle = idgen_handle_find(RelationGetRelid(row->rel), name, strlen(name));

	if (handle == NULL ||
	    !idgen_pending_ends_at(handle, idgen_row_int64(row->old, IDGEN_ATT_NEXT_BLOCK_START), idgen_row_is_exhausted(row->old)) ||
	    changes(row, IDGEN_ATT_NEXT_BLOCK_START))
		return;

	/* The reservation may have set it. The UPDATE may set it too: let it. */
	if (!changes(row, IDGEN_ATT_EXHAUSTED))
		idgen_row_put(row->new, IDGEN_ATT_EXHAUSTED, Int16GetDatum(0));
	idgen_row_put(row->new, IDGEN_ATT_NEXT_BLOCK_START, Int64GetDatum(idgen_pending_surrender(handle)));
}

/*
 * Has the row a value that the constraints of its columns refuse? They come
 * after the trigger. Of the first columns, two may be null.
 */
static bool
is_for_constraints(const TriggerRow *row)
{
	for (AttrNumber attnum = 1; attnum < IDGEN_ATT_OWNED_BY; attnum++)
		if (attnum != IDGEN_ATT_SOURCE_NAME && attnum != IDGEN_ATT_START_VALUE && is_null(row, attnum))
			return true;
	return is_null(row, IDGEN_ATT_EARLY_RELEASE) || DatumGetInt32(idgen_row_attribute(row->new, IDGEN_ATT_BLOCK_SIZE)) <= 0;
}

/*
 * Raises 22023 if the name of an id sequence with periods leaves no room for
 * what the names of its children add to it.
 */
static void
check_name_with_period(const char *name, IdgenPeriod period)
{
	int length = pg_mbstrlen(name);
	int max = IDGEN_NAME_CHARACTERS - idgen_period_suffix_len(period);

	if (length > max)
		ereport(ERROR,
		        (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
		         errmsg("name is too long for an id sequence with period \"%s\"", idgen_period_word(period)),
		         errdetail("It has %d characters; %d are allowed, since the period is added to it.", length, max)));
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

/*
 * Raises 22023 if the layout makes no id of what a row that counts itself is to
 * begin with: each draw would fail. What arrives by replication is as it is,
 * and so is what the command does not change.
 */
static void
check_begin(const TriggerRow *row, const IdgenDefinition *def)
{
	bool begins = row->old == NULL || changes(row, IDGEN_ATT_NEXT_BLOCK_START) || changes(row, IDGEN_ATT_LAYOUT) ||
		changes(row, IDGEN_ATT_BIG_BASE) || changes(row, IDGEN_ATT_SOURCE);

	if (begins && !is_replicated() && def->source->locks_row &&
	    !idgen_layout_can_begin(def->layout, def->next_block_start, def->big_base))
		ereport(ERROR,
		        (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
		         errmsg("next_block_start (%lld) of id sequence \"%s\" does not fit layout \"%s\"",
		                (long long) def->next_block_start, name_of(row->new), def->layout->name),
		         errhint("Begin with %d or more.", def->layout->scrambled ? 1 : 0)));
}

/*
 * Raises 22023 for values that are unknown or that no id can be made of, and
 * 0A000 for values that do not go together.
 */
static void
check_values(const TriggerRow *row)
{
	IdgenDefinition def;

	idgen_definition_from_row(row->new, name_of(row->new), &def);
	if (def.period != IDGEN_PERIOD_NONE)
		check_name_with_period(name_of(row->new), def.period);
	check_format(&def);
	if (!is_null(row, IDGEN_ATT_MAX_CHILDREN) && !is_template(row->new))
		ereport(ERROR,
		        (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
		         errmsg("id sequence \"%s\" cannot have max_children", name_of(row->new)),
		         errdetail("It is no template, and has no children."),
		         errhint("The name of a template ends in \"/*\".")));
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

/* Raises 55000: an UPDATE would have ids issued twice. */
pg_noreturn static void
refuse_change(const TriggerRow *row, AttrNumber attnum)
{
	ereport(ERROR,
	        (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
	         errmsg("cannot change %s of id sequence \"%s\"",
	                NameStr(TupleDescAttr(RelationGetDescr(row->rel), attnum - 1)->attname),
	                name_of(row->old)),
	         errdetail("With layout \"%s\", ids that have been drawn could be issued a second time.",
	                   idgen_layout_scrambled.name),
	         errhint("Use another id sequence. If no row has an id of this one, delete it and make it anew.")));
}

/*
 * Refuse what would have ids issued twice. An unused row may become what it
 * likes. But one that begins with the scrambled ids must begin at 1: if its
 * start is another, there may be ids before, of what it has taken over from, or
 * of before a restart.
 */
static void
check_order_stays(const TriggerRow *row, bool was_scrambled, bool is_scrambled)
{
	static const AttrNumber fixed[] = {IDGEN_ATT_LAYOUT, IDGEN_ATT_MAX_VALUE, IDGEN_ATT_SALT};

	if (is_unused(row->old) && (was_scrambled || idgen_row_int64(row->old, IDGEN_ATT_START_VALUE) <= 1))
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
check_salt(const TriggerRow *row)
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
		         errmsg("the salt of id sequence \"%s\" must be %d bytes long", name_of(row->new), IDGEN_SALT_BYTES),
		         errdetail("It begins with the fingerprint of a secret.")));
}

/*
 * Give a salt to a row that needs one. Raises 55000 for a row that ids have
 * been drawn from, so a copy: they were made by the salt that it lacks.
 */
static void
fill_salt(TriggerRow *row)
{
	if (!is_null(row, IDGEN_ATT_SALT))
		return;
	if (row->old == NULL && !is_null(row, IDGEN_ATT_START_VALUE) &&
	    idgen_row_int64(row->new, IDGEN_ATT_START_VALUE) != idgen_row_int64(row->new, IDGEN_ATT_NEXT_BLOCK_START))
		ereport(ERROR,
		        (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
		         errmsg("id sequence \"%s\" needs the salt that it was drawn from with", name_of(row->new)),
		         errhint("Copy column \"salt\" as well, and the row of \"idgen_secrets\" that it goes with.")));
	idgen_give_salt(RelationGetRelid(row->rel), row->new);
}

/*
 * See to the order of scrambled ids. What another server has written is checked
 * there. Raises 55000 for a change that would have ids issued twice, 22023 for
 * a max_value below 1, and what the salt raises.
 */
static void
keep_order(TriggerRow *row)
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
	if (idgen_row_int64(row->new, IDGEN_ATT_MAX_VALUE) < 1)
		ereport(ERROR,
		        (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
		         errmsg("max_value of id sequence \"%s\" must be at least 1", name_of(row->new)),
		         errdetail("With layout \"%s\", ids are between 1 and max_value.", idgen_layout_scrambled.name)));

	/* If start_value rose, it would look as if nothing had been drawn. */
	if (was_scrambled && !slot_attisnull(row->old, IDGEN_ATT_START_VALUE) && !is_unused(row->old) &&
	    (is_null(row, IDGEN_ATT_START_VALUE) ||
	     idgen_row_int64(row->new, IDGEN_ATT_START_VALUE) > idgen_row_int64(row->old, IDGEN_ATT_START_VALUE)))
		idgen_row_put(row->new, IDGEN_ATT_START_VALUE, idgen_row_attribute(row->old, IDGEN_ATT_START_VALUE));
	if (!is_replicated())
		fill_salt(row);
}

/*
 * Where its children start is what next_block_start says of a template, or of a
 * row with periods: nobody draws from it. So start_value follows, unless the
 * command sets that as well.
 */
static void
let_start_follow(TriggerRow *row)
{
	if (is_null(row, IDGEN_ATT_START_VALUE) ||
	    (row->old != NULL && is_parent(row->new) &&
	     changes(row, IDGEN_ATT_NEXT_BLOCK_START) && !changes(row, IDGEN_ATT_START_VALUE)))
		idgen_row_put(row->new, IDGEN_ATT_START_VALUE, idgen_row_attribute(row->new, IDGEN_ATT_NEXT_BLOCK_START));
}

/*
 * Note the time when a program allocates from a row that has a template, as a
 * refill does, unless the command sets it. Rows that arrive by replication say
 * it.
 */
static void
note_allocation(TriggerRow *row)
{
	if (is_null(row, IDGEN_ATT_TEMPLATE) || is_replicated())
		return;
	if (row->old == NULL ? is_null(row, IDGEN_ATT_REFILLED_AT)
	                     : (changes(row, IDGEN_ATT_NEXT_BLOCK_START) && !changes(row, IDGEN_ATT_REFILLED_AT)))
		idgen_row_put(row->new, IDGEN_ATT_REFILLED_AT, TimestampTzGetDatum(GetCurrentTransactionStartTimestamp()));
}

/*
 * May the current user have an id sequence belong to that column? Reports at
 * that level why not, and returns false. As with OWNED BY, the table must be
 * their own: what triggers do when the column is dropped is done with the
 * rights of whoever drops it.
 */
static bool
may_belong_to(const TriggerRow *row, IdgenOwningColumn column, int elevel)
{
	Oid id_sequences = RelationGetRelid(row->rel);
	const char *problem = is_template(row->new) ? "A template has no ids." : idgen_owning_column_problem(column);

	if (problem != NULL)
		ereport(elevel,
		        (errcode(column == IDGEN_NO_COLUMN ? ERRCODE_UNDEFINED_COLUMN : ERRCODE_WRONG_OBJECT_TYPE),
		         errmsg("id sequence \"%s\" cannot belong to that column", name_of(row->new)),
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
check_owning_column(TriggerRow *row)
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

/* Trigger BEFORE INSERT or UPDATE, each row */
Datum
idgen_check_row(PG_FUNCTION_ARGS)
{
	TriggerRow row = trigger_row(fcinfo, true);
	HeapTuple tuple;

	row.new = ExecCopySlot(MakeSingleTupleTableSlot(RelationGetDescr(row.rel), &TTSOpsVirtual), row.new);
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

/*
 * What the cache is told
 */

/*
 * Find the pooling by this version of the row. Returns false if ids do not come
 * from a native sequence. One that is not valid counts as that without a row.
 */
static bool
find_pooling(TupleTableSlot *version, IdgenPooling *pooling)
{
	const IdgenSource *source = idgen_source_of_row(version);
	const char *word = idgen_row_string(version, IDGEN_ATT_POOLING);

	*pooling = IDGEN_POOLING_POOLED_LO;
	if (word != NULL)
		(void) idgen_pooling_find(word, pooling);
	return source != NULL && source->has_object;
}

/*
 * Do the values of a native sequence stand for other ids by this version of the
 * row than without a row?
 */
static bool
has_own_pooling(TupleTableSlot *version)
{
	IdgenPooling pooling;

	return find_pooling(version, &pooling) && pooling != IDGEN_POOLING_POOLED_LO;
}

/*
 * Do values of a native sequence stand for ids after the UPDATE that earlier
 * values may have stood for? Nothing is known of the sequence: with INCREMENT
 * BY 1 the answer may be yes though no id is issued twice.
 */
static bool
pooling_goes_back(const TriggerRow *row)
{
	IdgenPooling old;
	IdgenPooling new;
	bool isnull;

	if (!find_pooling(row->old, &old) || !find_pooling(row->new, &new))
		return false;
	switch (old)
	{
		case IDGEN_POOLING_POOLED_LO:
			return new == IDGEN_POOLING_POOLED;
		case IDGEN_POOLING_POOLED:
			return false;
		case IDGEN_POOLING_HILO:
			return new != IDGEN_POOLING_HILO ||
				DatumGetInt32(slot_getattr(row->new, IDGEN_ATT_BLOCK_SIZE, &isnull)) <
				DatumGetInt32(slot_getattr(row->old, IDGEN_ATT_BLOCK_SIZE, &isnull));
	}
	return false;
}

/*
 * Can names that have no row be made from the row as it is by now, and could
 * not before? What is made from a row that was itself made from a template, the
 * template would have made.
 */
static bool
becomes_parent(const TriggerRow *row)
{
	return is_parent(row->new) && slot_attisnull(row->new, IDGEN_ATT_TEMPLATE) &&
		(row->old == NULL || changes(row, IDGEN_ATT_NAME) || changes(row, IDGEN_ATT_PERIOD));
}

/*
 * Does the change concern sessions that the slot of its name does not tell? So
 * it is with those that draw from a native sequence without a row, if what
 * comes is a parent, or says that values stand for other ids. And if another
 * transaction is in progress that has allocated by this row, and has not locked
 * it: it looks at nothing that is shared before it draws what it has pending.
 */
static bool
concerns_others(const TriggerRow *row)
{
	const IdgenSource *source = row->old != NULL ? idgen_source_of_row(row->old) : NULL;

	return (row->old != NULL ? source != NULL && !source->locks_row : has_own_pooling(row->new)) ||
		(row->new != NULL &&becomes_parent(row));
}

/* Note what a change means for the name that this version of the row has. */
static void
note(const TriggerRow *row, TupleTableSlot *version, IdgenSlotChange change)
{
	idgen_changes_note_row(RelationGetRelid(row->rel), name_of(version), change);
}

/*
 * Raises 2200H if the UPDATE would have the id 2^63 - 1 issued again: no
 * next_block_start can follow it, so only "exhausted" tells that it was issued.
 */
static void
check_revival(const TriggerRow *row)
{
	if (idgen_row_is_exhausted(row->old) && !idgen_row_is_exhausted(row->new) &&
	    idgen_row_int64(row->old, IDGEN_ATT_MAX_VALUE) == PG_INT64_MAX &&
	    idgen_row_int64(row->old, IDGEN_ATT_NEXT_BLOCK_START) == PG_INT64_MAX &&
	    idgen_row_int64(row->new, IDGEN_ATT_NEXT_BLOCK_START) == PG_INT64_MAX)
		ereport(ERROR,
		        (errcode(ERRCODE_SEQUENCE_GENERATOR_LIMIT_EXCEEDED),
		         errmsg("id sequence \"%s\" cannot be revived", name_of(row->new)),
		         errdetail("Its last id, %lld, is the greatest there can be.", (long long) PG_INT64_MAX),
		         errhint("Start it again at a lower id with %s().",
		                 idgen_function_name(RelationGetRelid(row->rel), "idgen_restart"))));
}

/*
 * Does the UPDATE only allocate? Other programs raise next_block_start to do
 * so, and set "exhausted" with the last block: that leaves the ids in the
 * cache.
 */
static bool
only_allocates(const TriggerRow *row)
{
	int64 old_start = idgen_row_int64(row->old, IDGEN_ATT_NEXT_BLOCK_START);
	int64 new_start = idgen_row_int64(row->new, IDGEN_ATT_NEXT_BLOCK_START);

	for (AttrNumber attnum = 1; attnum <= IDGEN_ATT_LAST; attnum++)
	{
		if (attnum != IDGEN_ATT_NEXT_BLOCK_START && attnum != IDGEN_ATT_REFILLED_AT &&
		    (attnum != IDGEN_ATT_EXHAUSTED || new_start == old_start) && changes(row, attnum))
			return false;
	}
	return new_start >= old_start;
}

/*
 * Tell the user if values of a native sequence stand for ids after the UPDATE
 * that earlier values have stood for.
 */
static void
warn_of_pooling(const TriggerRow *row)
{
	if (pooling_goes_back(row))
		ereport(NOTICE,
		        (errmsg("id sequence \"%s\" may issue ids a second time", name_of(row->new)),
		         errdetail("The next values of its native sequence stand for ids that earlier values stood for."),
		         errhint("Call %s() with an id after these, in the same transaction.",
		                 idgen_function_name(RelationGetRelid(row->rel), "idgen_restart"))));
}

/* Does the new version begin to keep a watermark under its name? */
static bool
begins_watermark(const TriggerRow *row)
{
	if (row->new == NULL || !DatumGetBool(idgen_row_attribute(row->new, IDGEN_ATT_WATERMARK)))
		return false;
	return row->old == NULL || changes(row, IDGEN_ATT_NAME) || changes(row, IDGEN_ATT_WATERMARK);
}

/*
 * Whatever a change is but an allocation, cached ids may not be what the row
 * says by now: they are void. A row that is made has none, since what removed
 * an earlier one of that name has dropped them, or has those of a native
 * sequence, which stay what they are unless it has a pool. What this very
 * transaction publishes by the row must not be dropped behind that.
 */
static void
row_changed(const TriggerRow *row)
{
	if (row->new == NULL)
	{
		note(row, row->old, IDGEN_SLOT_REMOVE);
		if (idgen_source_of_row(row->old) == &idgen_source_server)
			idgen_marks_take_along(RelationGetRelid(row->rel), name_of(row->old));
	}
	else if (row->old == NULL)
		note(row, row->new, has_own_pooling(row->new) ? IDGEN_SLOT_DROP : IDGEN_SLOT_REVALIDATE);
	else if (changes(row, IDGEN_ATT_NAME))
	{
		note(row, row->old, IDGEN_SLOT_REMOVE);
		note(row, row->new, IDGEN_SLOT_DROP);
	}
	else if (!only_allocates(row))
	{
		warn_of_pooling(row);
		note(row, row->old, IDGEN_SLOT_DROP);
	}
	else
		return;
	if (begins_watermark(row))
		idgen_changes_note_watermark(RelationGetRelid(row->rel), name_of(row->new), row->old != NULL);
	if (concerns_others(row))
		CacheInvalidateRelcacheByRelid(RelationGetRelid(row->rel));
}

/* Trigger AFTER INSERT, UPDATE or DELETE (each row) and TRUNCATE (statement) */
Datum
idgen_row_changed(PG_FUNCTION_ARGS)
{
	TriggerRow row = trigger_row(fcinfo, false);

	if (row.old == NULL && row.new == NULL)
	{
		idgen_changes_note_all_rows();
		CacheInvalidateRelcacheByRelid(RelationGetRelid(row.rel));
		return PointerGetDatum(NULL);
	}
	if (row.old != NULL && row.new != NULL)
		check_revival(&row);
	row_changed(&row);
	return PointerGetDatum(NULL);
}
