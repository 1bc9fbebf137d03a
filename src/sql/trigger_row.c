/*
 * trigger_row.c
 *		A row of id_sequences as its triggers see it.
 */
#include "postgres.h"

#include "utils/rel.h"

#include "catalog/epoch.h"
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

/*
 * The row that a row trigger is fired for. The slots are the server's own, so a
 * trigger that changes the row copies them.
 */
IdgenTriggerRow
idgen_trigger_row(const TriggerData *trigger)
{
	IdgenTriggerRow row = {.rel = trigger->tg_relation};

	if (TRIGGER_FIRED_BY_INSERT(trigger->tg_event))
		row.new = trigger->tg_trigslot;
	else
		row.old = trigger->tg_trigslot;
	if (TRIGGER_FIRED_BY_UPDATE(trigger->tg_event))
		row.new = trigger->tg_newslot;
	return row;
}
