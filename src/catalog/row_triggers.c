/*
 * row_triggers.c
 *		Triggers on id_sequences that a refill, or a new row, fires.
 *
 * A program that copies the table by triggers sees every refill (rule C4).
 *
 * Triggers are code of a role that has the privilege TRIGGER. They run with the
 * rights of the role that draws, as the triggers of any table run with the
 * rights of the role that writes. Deferred ones fire at once: at the end of the
 * transaction, they could not be told apart from those of a statement.
 *
 * A refill does not fire idgen's own triggers: they tell the cache of changes
 * that are made by SQL.
 *
 * What is allocated must be what the row says in the end. So it is checked
 * whether triggers have left the row alone.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "access/table.h"
#include "access/tableam.h"
#include "catalog/dependency.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_trigger.h"
#include "commands/extension.h"
#include "executor/executor.h"
#include "miscadmin.h"
#include "utils/datum.h"
#include "utils/snapmgr.h"

#include "catalog/row.h"
#include "catalog/row_triggers.h"
#include "common/as_owner.h"
#include "common/compat.h"

/* Functions that belong to idgen, as far as that is known; or invalid. */
static Oid own_functions[3];

/*
 * Does this trigger belong to idgen? To find out, the catalogs have to be read,
 * so the answer is remembered for the functions that idgen has.
 */
bool
idgen_trigger_is_own(const Trigger *trigger)
{
	for (int i = 0; i < (int) lengthof(own_functions); i++)
		if (own_functions[i] == trigger->tgfoid)
			return true;
	if (getExtensionOfObject(ProcedureRelationId, trigger->tgfoid) != get_extension_oid("idgen", true))
		return false;
	memmove(&own_functions[1], &own_functions[0], sizeof(own_functions) - sizeof(Oid));
	own_functions[0] = trigger->tgfoid;
	return true;
}

/* The triggers of id_sequences may be others. */
void
idgen_triggers_forget(void)
{
	memset(own_functions, 0, sizeof(own_functions));
}

/*
 * Leave out idgen's own triggers, and let none wait for the end of the
 * transaction. What is changed is this update's own copy.
 */
void
idgen_triggers_prepare(ResultRelInfo *rri)
{
	TriggerDesc *desc = rri->ri_TrigDesc;

	for (int i = 0; i < desc->numtriggers; i++)
	{
		Trigger *trigger = &desc->triggers[i];

		if (idgen_trigger_is_own(trigger))
			trigger->tgenabled = TRIGGER_DISABLED;
		trigger->tgdeferrable = trigger->tginitdeferred = false;
	}
}

/*
 * Leave out those of idgen's own triggers that check what is about to be
 * written. Those that tell the cache of the change fire.
 */
void
idgen_triggers_trust_values(ResultRelInfo *rri)
{
	TriggerDesc *desc = rri->ri_TrigDesc;

	for (int i = 0; desc != NULL && i < desc->numtriggers; i++)
	{
		Trigger *trigger = &desc->triggers[i];

		if (TRIGGER_FOR_BEFORE(trigger->tgtype) && idgen_trigger_is_own(trigger))
			trigger->tgenabled = TRIGGER_DISABLED;
	}
}

/*
 * From here on, triggers run with the rights of the role that draws. Returns
 * false if that is the current user: then there is nothing to change.
 */
static bool
begin_triggers(const IdgenRowWrite *write, IdgenIdentity *before)
{
	if (write->writer == GetUserId())
		return false;
	idgen_act_as(write->writer, before);
	return true;
}

static void
end_triggers(bool acting, const IdgenIdentity *before)
{
	if (acting)
		idgen_act_as_before(before);
}

/*
 * Fire the triggers BEFORE UPDATE for each row; false if one of them suppresses
 * the row.
 */
static bool
fire_before_update(const IdgenRowWrite *write, TupleTableSlot *old, TupleTableSlot *row)
{
	EPQState epqstate;
	bool go_on;

	EvalPlanQualInit(&epqstate, write->estate, NULL, NIL, -1, NIL);
	go_on = ExecBRUpdateTriggers(write->estate, &epqstate, write->rri, &old->tts_tid,
	                             NULL, row, NULL, NULL, false);
	EvalPlanQualEnd(&epqstate);
	return go_on;
}

/* The same for DELETE. */
static bool
fire_before_delete(const IdgenRowWrite *write, TupleTableSlot *old)
{
	EPQState epqstate;
	bool go_on;

	EvalPlanQualInit(&epqstate, write->estate, NULL, NIL, -1, NIL);
	go_on = ExecBRDeleteTriggers(write->estate, &epqstate, write->rri, &old->tts_tid,
	                             NULL, NULL, NULL, NULL, false);
	EvalPlanQualEnd(&epqstate);
	return go_on;
}

/*
 * Fire the triggers that come before the row is written; "old" is the version
 * that is updated or deleted, "row" the new one, or NULL. Returns false if one
 * of them suppresses the row.
 */
bool
idgen_triggers_fire_before(IdgenRowWrite *write, TupleTableSlot *old, TupleTableSlot *row)
{
	TriggerDesc *desc = write->rri->ri_TrigDesc;
	IdgenIdentity before;
	bool acting = begin_triggers(write, &before);
	bool go_on = true;

	AfterTriggerBeginQuery();
	write->transition = MakeTransitionCaptureState(desc, RelationGetRelid(write->rel), write->command);
	if (write->command == CMD_INSERT)
	{
		ExecBSInsertTriggers(write->estate, write->rri);
		if (desc != NULL && desc->trig_insert_before_row)
			go_on = ExecBRInsertTriggers(write->estate, write->rri, row);
	}
	else if (write->command == CMD_DELETE)
	{
		ExecBSDeleteTriggers(write->estate, write->rri);
		if (desc != NULL && desc->trig_delete_before_row)
			go_on = fire_before_delete(write, old);
	}
	else
	{
		ExecBSUpdateTriggers(write->estate, write->rri);
		if (desc != NULL && desc->trig_update_before_row)
			go_on = fire_before_update(write, old, row);
	}
	end_triggers(acting, &before);
	return go_on;
}

/* Fire the triggers that come after it. */
void
idgen_triggers_fire_after(IdgenRowWrite *write, TupleTableSlot *old, TupleTableSlot *row,
                          List *recheck)
{
	EState *estate = write->estate;
	IdgenIdentity before;
	bool acting = begin_triggers(write, &before);

	if (write->command == CMD_INSERT)
	{
		ExecARInsertTriggers(estate, write->rri, row, recheck, write->transition);
		ExecASInsertTriggers(estate, write->rri, write->transition);
	}
	else if (write->command == CMD_DELETE)
	{
		ExecARDeleteTriggers(estate, write->rri, &old->tts_tid, NULL, write->transition, false);
		ExecASDeleteTriggers(estate, write->rri, write->transition);
	}
	else
	{
		ExecARUpdateTriggers(estate, write->rri, NULL, NULL, &old->tts_tid, NULL, row,
		                     recheck, write->transition, false);
		ExecASUpdateTriggers(estate, write->rri, write->transition);
	}
	AfterTriggerEndQuery(estate);
	end_triggers(acting, &before);
}

/* A part of ereport(): what triggers should do instead. */
static int
hint_for_triggers(void)
{
	return errhint("Make the trigger leave refills alone: they set only next_block_start, exhausted and refilled_at.");
}

/* Raises 09000: a trigger has changed what a refill has written. */
pg_noreturn static void
changed_column(const char *column)
{
	ereport(ERROR,
	        (errcode(ERRCODE_TRIGGERED_ACTION_EXCEPTION),
	         errmsg("a trigger on \"id_sequences\" has changed column \"%s\"", column),
	         hint_for_triggers()));
}

/* Raises 09000: a trigger has suppressed the row of a refill. */
void
idgen_triggers_suppressed_refill(void)
{
	ereport(ERROR,
	        (errcode(ERRCODE_TRIGGERED_ACTION_EXCEPTION),
	         errmsg("a trigger on \"id_sequences\" has suppressed a refill"),
	         hint_for_triggers()));
}

/*
 * Raises 09000 unless triggers have left the row alone. "wanted" is the row as
 * the refill has made it.
 */
void
idgen_triggers_check_untouched(Relation rel, HeapTuple wanted, TupleTableSlot *row)
{
	TupleDesc desc = RelationGetDescr(rel);

	for (AttrNumber attnum = 1; attnum <= IDGEN_ATT_LAST; attnum++)
	{
		Form_pg_attribute att = TupleDescAttr(desc, attnum - 1);
		bool wanted_null;
		bool isnull;
		Datum wanted_value = heap_getattr(wanted, attnum, desc, &wanted_null);
		Datum value = slot_getattr(row, attnum, &isnull);

		if (isnull != wanted_null ||
		    (!isnull && !datum_image_eq(value, wanted_value, att->attbyval, att->attlen)))
			changed_column(NameStr(att->attname));
	}
}

/* Raises 09000: a trigger has deleted or renamed the row. */
pg_noreturn static void
removed_row(void)
{
	ereport(ERROR,
	        (errcode(ERRCODE_TRIGGERED_ACTION_EXCEPTION),
	         errmsg("a trigger on \"id_sequences\" has removed the row of a refill"),
	         hint_for_triggers()));
}

/*
 * Raises 09000 unless what a refill has written has outlasted the triggers that
 * came after it. They may have updated the row, but what is allocated depends
 * on its name and these columns: a template would make the row anew, and the
 * ids would be issued twice.
 */
void
idgen_triggers_check_outlasted(Relation rel, TupleTableSlot *row)
{
	TupleTableSlot *newest = table_slot_create(rel, NULL);
	text *name = DatumGetTextPP(idgen_row_attribute(row, IDGEN_ATT_NAME));

	if (!table_tuple_fetch_row_version(rel, &row->tts_tid, SnapshotSelf, newest))
	{
		if (!idgen_row_find(rel, VARDATA_ANY(name), VARSIZE_ANY_EXHDR(name), IDGEN_SEARCH_SURE, newest))
			removed_row();
		if (idgen_row_int64(newest, IDGEN_ATT_NEXT_BLOCK_START) != idgen_row_int64(row, IDGEN_ATT_NEXT_BLOCK_START))
			changed_column("next_block_start");
		if (DatumGetInt16(idgen_row_attribute(newest, IDGEN_ATT_EXHAUSTED)) !=
		    DatumGetInt16(idgen_row_attribute(row, IDGEN_ATT_EXHAUSTED)))
			changed_column("exhausted");
	}
	ExecDropSingleTupleTableSlot(newest);
}
