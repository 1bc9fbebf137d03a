/*
 * trigger_row.c
 *		A row as the triggers of idgen see it.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "utils/builtins.h"
#include "utils/datum.h"
#include "utils/rel.h"

#include "catalog/epoch.h"
#include "catalog/row.h"
#include "catalog/table.h"
#include "sql/trigger_row.h"

/*
 * Raises 39P01: the function is not called by the kind of trigger it is made
 * for.
 */
void
idgen_trigger_misplaced(const char *function, const char *kind)
{
	ereport(ERROR,
	        (errcode(ERRCODE_E_R_I_E_TRIGGER_PROTOCOL_VIOLATED),
	         errmsg("function \"%s\" must be fired by %s trigger", function, kind)));
}

/*
 * Raises 39P01 for another table than id_sequences, whose columns the triggers
 * do not know, and what idgen_table_check() and
 * idgen_table_check_not_rewritten() do.
 */
void
idgen_trigger_check_table(FunctionCallInfo fcinfo)
{
	Relation rel = ((TriggerData *) fcinfo->context)->tg_relation;

	if (RelationGetRelid(rel) != idgen_table_oid(fcinfo->flinfo->fn_oid))
		ereport(ERROR,
		        (errcode(ERRCODE_E_R_I_E_TRIGGER_PROTOCOL_VIOLATED),
		         errmsg("triggers of idgen do not work on table \"%s\"",
		                RelationGetRelationName(rel))));
	idgen_table_check(rel);
	idgen_table_check_not_rewritten(rel);
}

/* The row that a row trigger is fired for. */
IdgenTriggerRow
idgen_trigger_row(const TriggerData *trigger)
{
	IdgenTriggerRow row = {
		.rel = trigger->tg_relation,
		.desc = RelationGetDescr(trigger->tg_relation),
	};

	if (TRIGGER_FIRED_BY_INSERT(trigger->tg_event))
		row.new = trigger->tg_trigtuple;
	else
	{
		row.old = trigger->tg_trigtuple;
		row.new = trigger->tg_newtuple;
	}
	return row;
}

/*
 * A column that is not null. Raises 22004 if it is, for lack of its constraint.
 */
Datum
idgen_tuple_attribute(HeapTuple tuple, TupleDesc desc, AttrNumber attnum)
{
	bool isnull;
	Datum value = heap_getattr(tuple, attnum, desc, &isnull);

	if (isnull)
		idgen_null_attribute(desc, attnum);
	return value;
}

int64
idgen_tuple_int64(HeapTuple tuple, TupleDesc desc, AttrNumber attnum)
{
	return DatumGetInt64(idgen_tuple_attribute(tuple, desc, attnum));
}

char *
idgen_tuple_string(HeapTuple tuple, TupleDesc desc, AttrNumber attnum)
{
	return TextDatumGetCString(idgen_tuple_attribute(tuple, desc, attnum));
}

bool
idgen_tuple_is_exhausted(HeapTuple tuple, TupleDesc desc)
{
	return DatumGetInt16(idgen_tuple_attribute(tuple, desc, IDGEN_ATT_EXHAUSTED)) != 0;
}

/* Does the UPDATE change that column? */
bool
idgen_trigger_row_changes(const IdgenTriggerRow *row, AttrNumber attnum)
{
	Form_pg_attribute att = TupleDescAttr(row->desc, attnum - 1);
	bool old_null;
	bool new_null;
	Datum old_value;
	Datum new_value;

	if (att->attisdropped)
		return false;
	old_value = heap_getattr(row->old, attnum, row->desc, &old_null);
	new_value = heap_getattr(row->new, attnum, row->desc, &new_null);
	if (old_null || new_null)
		return old_null != new_null;
	return !datum_image_eq(old_value, new_value, att->attbyval, att->attlen);
}
