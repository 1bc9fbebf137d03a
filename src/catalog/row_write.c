/*
 * row_write.c
 *		Writing rows of idgen's tables on somebody's behalf.
 *
 * A refill updates its row, a draw inserts one that is missing, and a command
 * that drops a column or truncates a table changes those that belong to it. The
 * role that does so needs no privilege on the table, no more than a cascading
 * foreign key asks for one. So the row is written as the server's logical
 * replication worker writes one: privileges, row security, rules and the
 * isolation level have no say. Row triggers, constraints, generated columns and
 * indexes do. All of that is code which the role has not asked for. So it runs
 * as the owner of the table, in a security-restricted operation, and only if it
 * may have the owner's rights (row_code.c). The function of a trigger may run
 * as its own owner instead.
 *
 * The server prepares constraints anew for each row, which takes longer than
 * all else. So a refill leaves all that out where the table has nothing that
 * concerns it: then it is just another version of the row.
 *
 * Deferred triggers fire at once: a restricted operation has none. A refill
 * does not fire idgen's own triggers: they tell the cache of changes that are
 * made by SQL. What is allocated must be what the row says in the end. So it is
 * checked whether triggers have left the row alone.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "access/sysattr.h"
#include "access/xact.h"
#include "catalog/pg_trigger.h"
#include "commands/trigger.h"
#include "executor/executor.h"
#include "miscadmin.h"
#include "rewrite/rewriteHandler.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/snapmgr.h"
#include "utils/timestamp.h"

#include "catalog/row.h"
#include "catalog/row_write.h"
#include "common/as_owner.h"
#include "common/compat.h"

/* Which of idgen's own triggers a write fires. */
typedef enum OwnTriggers
{
	OWN_TRIGGERS_ALL,
	OWN_TRIGGERS_TELL, /* that tell the cache; not those that check values */
	OWN_TRIGGERS_NONE,
} OwnTriggers;

/* A row that is being written, with the rights of the table's owner. */
typedef struct Write
{
	Relation rel;
	EState *estate;
	ResultRelInfo *rri;
	EPQState epqstate;
	IdgenIdentity before;
} Write;

/*
 * Writing with all that goes with it
 */

/* A trigger's function that runs as its own owner. */
typedef struct OwnersFunction
{
	FmgrInfo function;
	Oid owner;
} OwnersFunction;

/* What the server calls in place of such a function. */
static Datum
call_as_its_owner(PG_FUNCTION_ARGS)
{
	FmgrInfo *called = fcinfo->flinfo;
	OwnersFunction *owners = (OwnersFunction *) called->fn_extra;
	IdgenIdentity before;
	Datum result;

	idgen_act_as(owners->owner, &before);
	fcinfo->flinfo = &owners->function;
	result = FunctionCallInvoke(fcinfo);
	fcinfo->flinfo = called;
	idgen_act_as_before(&before);
	return result;
}

/* Have a trigger's function run as its own owner. */
static void
run_as(Oid owner, const Trigger *trigger, FmgrInfo *function)
{
	OwnersFunction *owners = palloc(sizeof(OwnersFunction));

	owners->owner = owner;
	fmgr_info(trigger->tgfoid, &owners->function);
	*function = owners->function;
	function->fn_addr = call_as_its_owner;
	function->fn_extra = owners;
}

/*
 * Leave out the triggers that the write does not fire, let none wait for the
 * end of the transaction, and say which role each runs as. What is changed is
 * the write's own copy.
 */
static void
prepare_triggers(Relation rel, ResultRelInfo *rri, OwnTriggers own)
{
	for (int i = 0; rri->ri_TrigDesc != NULL && i < rri->ri_TrigDesc->numtriggers; i++)
	{
		Trigger *trigger = &rri->ri_TrigDesc->triggers[i];
		bool is_left_out = own == OWN_TRIGGERS_NONE || (own == OWN_TRIGGERS_TELL && TRIGGER_FOR_BEFORE(trigger->tgtype));
		Oid runs_as;

		if (!idgen_trigger_is_for_rows(trigger) || (is_left_out && idgen_trigger_is_own(rel, trigger)))
		{
			trigger->tgenabled = TRIGGER_DISABLED;
			continue;
		}
		trigger->tgdeferrable = trigger->tginitdeferred = false;
		runs_as = idgen_trigger_runs_as(rel, trigger);
		if (OidIsValid(runs_as))
			run_as(runs_as, trigger, &rri->ri_TrigFunctions[i]);
	}
}

/* Begin a write; "changes" are those of an UPDATE, or NULL. Raises 42501. */
static void
begin(Write *write, Relation rel, CmdType command, const IdgenRowChanges *changes, OwnTriggers own)
{
	EState *estate = CreateExecutorState();
	MemoryContext caller = MemoryContextSwitchTo(estate->es_query_cxt);
	RangeTblEntry *rte = makeNode(RangeTblEntry);
	Bitmapset *set = NULL;

	(void) idgen_check_code(rel, command, ERROR, NULL);
	idgen_act_as(rel->rd_rel->relowner, &write->before);
	for (int i = 0; changes != NULL && i < changes->n; i++)
		set = bms_add_member(set, changes->columns[i] - FirstLowInvalidHeapAttributeNumber);
	rte->rtekind = RTE_RELATION;
	rte->relid = RelationGetRelid(rel);
	rte->relkind = rel->rd_rel->relkind;
	rte->rellockmode = RowExclusiveLock;
	idgen_init_range_table(estate, rte, set);
	estate->es_output_cid = GetCurrentCommandId(true);
	write->rel = rel;
	write->estate = estate;
	write->rri = makeNode(ResultRelInfo);
	InitResultRelInfo(write->rri, rel, 1, NULL, 0);
	estate->es_opened_result_relations = list_make1(write->rri);
	prepare_triggers(rel, write->rri, own);
	ExecOpenIndices(write->rri, false);
	EvalPlanQualInit(&write->epqstate, estate, NULL, NIL, -1, NIL);
	AfterTriggerBeginQuery();
	MemoryContextSwitchTo(caller);
}

/* Fire the triggers that come after it, and end the write. */
static void
end(Write *write)
{
	AfterTriggerEndQuery(write->estate);
	EvalPlanQualEnd(&write->epqstate);
	ExecResetTupleTable(write->estate->es_tupleTable, false);
	ExecCloseResultRelations(write->estate);
	FreeExecutorState(write->estate);
	idgen_act_as_before(&write->before);
}

/* A row with other values in some columns, in a slot of its own. */
static TupleTableSlot *
new_version(Relation rel, TupleTableSlot *old, IdgenRowChanges *changes)
{
	bool free_old;
	HeapTuple tuple = ExecFetchSlotHeapTuple(old, false, &free_old);
	HeapTuple new = heap_modify_tuple_by_cols(tuple, RelationGetDescr(rel), changes->n, changes->columns,
	                                          changes->values, changes->nulls);

	if (free_old)
		heap_freetuple(tuple);
	return ExecStoreHeapTuple(new, MakeSingleTupleTableSlot(RelationGetDescr(rel), &TTSOpsHeapTuple), true);
}

/*
 * Refills
 */

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

/*
 * Raises 09000 unless triggers have left the row alone: it has another place
 * than the old version, and is "wanted", as the refill has made it.
 */
static void
check_untouched(TupleTableSlot *old, TupleTableSlot *wanted, TupleTableSlot *row)
{
	if (!ItemPointerIsValid(&row->tts_tid) || ItemPointerEquals(&row->tts_tid, &old->tts_tid))
		ereport(ERROR,
		        (errcode(ERRCODE_TRIGGERED_ACTION_EXCEPTION),
		         errmsg("a trigger on \"id_sequences\" has suppressed a refill"),
		         hint_for_triggers()));
	for (AttrNumber attnum = 1; attnum <= IDGEN_ATT_LAST; attnum++)
		if (idgen_row_differs(wanted, row, attnum))
			changed_column(NameStr(TupleDescAttr(row->tts_tupleDescriptor, attnum - 1)->attname));
}

/*
 * Raises 09000 unless what a refill has written has outlasted the triggers that
 * came after it. They may have updated the row, but what is allocated depends
 * on its name and these columns: a template would make the row anew, and the
 * ids would be issued twice.
 */
static void
check_outlasted(Relation rel, TupleTableSlot *row)
{
	TupleTableSlot *newest = table_slot_create(rel, NULL);

	if (!idgen_row_find(rel, idgen_row_string(row, IDGEN_ATT_NAME), newest))
		ereport(ERROR,
		        (errcode(ERRCODE_TRIGGERED_ACTION_EXCEPTION),
		         errmsg("a trigger on \"id_sequences\" has removed the row of a refill"),
		         hint_for_triggers()));
	if (idgen_row_differs(newest, row, IDGEN_ATT_NEXT_BLOCK_START))
		changed_column("next_block_start");
	if (idgen_row_differs(newest, row, IDGEN_ATT_EXHAUSTED))
		changed_column("exhausted");
	ExecDropSingleTupleTableSlot(newest);
}

/* Update a row in a table that has what concerns refills. */
static void
refill_fully(Relation rel, TupleTableSlot *old, TupleTableSlot *row, const IdgenRowChanges *changes)
{
	TupleTableSlot *wanted = ExecCopySlot(MakeSingleTupleTableSlot(RelationGetDescr(rel), &TTSOpsHeapTuple), row);
	Write write;

	begin(&write, rel, CMD_UPDATE, changes, OWN_TRIGGERS_NONE);
	ExecSimpleRelationUpdate(write.rri, write.estate, &write.epqstate, old, row);
	check_untouched(old, wanted, row);
	ExecDropSingleTupleTableSlot(wanted);
	end(&write);
	check_outlasted(rel, row);
}

/* The same in any other table. */
static void
refill_plainly(Relation rel, TupleTableSlot *old, TupleTableSlot *row)
{
	TU_UpdateIndexes update_indexes;
	Write write;

	simple_table_tuple_update(rel, &old->tts_tid, row, SnapshotSelf, &update_indexes);
	if (update_indexes == TU_None)
		return;
	begin(&write, rel, CMD_UPDATE, NULL, OWN_TRIGGERS_NONE);
	(void) ExecInsertIndexTuples(write.rri, write.estate,
	                             EIIT_IS_UPDATE | (update_indexes == TU_Summarizing ? EIIT_ONLY_SUMMARIZING : 0),
	                             row, NIL, NULL);
	end(&write);
}

/*
 * Replace the row version in "old", which the current transaction has locked or
 * written, by one with new values. *tid is the new version's place.
 *
 * Raises 42501 for code that must not run as the owner, 09000 if a trigger
 * suppresses the update or changes the row; 23505, 23514; and what triggers and
 * other code raise.
 */
void
idgen_row_refill(Relation rel, TupleTableSlot *old, int64 next_block_start, bool exhausted, ItemPointer tid)
{
	IdgenRowChanges changes = {
		.n = slot_attisnull(old, IDGEN_ATT_TEMPLATE) ? 2 : 3, /* the time is for children */
		.columns = {IDGEN_ATT_NEXT_BLOCK_START, IDGEN_ATT_EXHAUSTED, IDGEN_ATT_REFILLED_AT},
		.values = {
			Int64GetDatum(next_block_start),
			Int16GetDatum(exhausted ? 1 : 0),
			TimestampTzGetDatum(GetCurrentTransactionStartTimestamp()),
		},
	};
	TupleTableSlot *row = new_version(rel, old, &changes);
	bool plain;

	(void) idgen_check_code(rel, CMD_UPDATE, ERROR, &plain);
	if (plain)
		refill_plainly(rel, old, row);
	else
		refill_fully(rel, old, row, &changes);
	*tid = row->tts_tid;
	ExecDropSingleTupleTableSlot(row);
}

/*
 * New rows
 */

/* Give a column of a new row its default, if it has one. */
static void
set_default(Write *write, TupleTableSlot *row, AttrNumber attnum)
{
	Node *expression = build_column_default(write->rel, attnum);

	if (expression != NULL)
		row->tts_values[attnum - 1] = ExecEvalExprSwitchContext(ExecPrepareExpr((Expr *) expression, write->estate),
		                                                        GetPerTupleExprContext(write->estate),
		                                                        &row->tts_isnull[attnum - 1]);
}

/*
 * Insert the row that a virtual slot describes; its tts_tid is where it is
 * then, or invalid if a trigger has suppressed it. "by_default": columns that
 * are null get their defaults, and idgen's own trigger checks them. If not,
 * that was done when what the row is made from was written.
 *
 * Raises 42501 for code that must not run as the owner, 23505 if there is one
 * already, 23502, 23514, and what triggers and other code raise.
 */
void
idgen_row_insert(Relation rel, TupleTableSlot *row, bool by_default)
{
	Write write;

	begin(&write, rel, CMD_INSERT, NULL, by_default ? OWN_TRIGGERS_ALL : OWN_TRIGGERS_TELL);
	for (AttrNumber attnum = 1; by_default && attnum <= IDGEN_ATT_LAST; attnum++)
		if (row->tts_isnull[attnum - 1])
			set_default(&write, row, attnum);
	ExecSimpleRelationInsert(write.rri, write.estate, row);
	end(&write);
}

/*
 * The same with a row of another table of idgen's. Raises 09000 if a trigger
 * suppresses it.
 */
void
idgen_row_insert_other(Relation rel, TupleTableSlot *row)
{
	idgen_row_insert(rel, row, false);
	if (!ItemPointerIsValid(&row->tts_tid))
		ereport(ERROR,
		        (errcode(ERRCODE_TRIGGERED_ACTION_EXCEPTION),
		         errmsg("a trigger on \"%s\" has suppressed a row", RelationGetRelationName(rel))));
}

/*
 * Rows that lose their column, or begin anew
 */

/*
 * Find the row of that name and lock it, to be altered or deleted. Returns
 * false if there is none.
 */
bool
idgen_row_take(Relation rel, const char *name, TupleTableSlot *row)
{
	/* What this very command has written to the row must count as past. */
	CommandCounterIncrement();
	while (idgen_row_find(rel, name, row))
	{
		if (idgen_row_lock(rel, name, LockTupleExclusive, LockWaitBlock, row) == TM_Ok)
			return true;
		CHECK_FOR_INTERRUPTS();
	}
	return false;
}

/*
 * Change a row that idgen_row_take() has found, unless a trigger suppresses
 * that. idgen's own triggers tell the cache. Raises 42501 for code that must
 * not run as the owner, 23502, 23505, 23514, and what triggers and other code
 * raise.
 */
void
idgen_row_alter(Relation rel, TupleTableSlot *row, IdgenRowChanges *changes)
{
	TupleTableSlot *new = new_version(rel, row, changes);
	Write write;

	begin(&write, rel, CMD_UPDATE, changes, OWN_TRIGGERS_TELL);
	ExecSimpleRelationUpdate(write.rri, write.estate, &write.epqstate, row, new);
	end(&write);
	ExecDropSingleTupleTableSlot(new);
}

/*
 * Delete a row that idgen_row_take() has found, unless a trigger suppresses
 * that. Raises 42501 as above, and what triggers raise.
 */
void
idgen_row_delete(Relation rel, TupleTableSlot *row)
{
	Write write;

	begin(&write, rel, CMD_DELETE, NULL, OWN_TRIGGERS_TELL);
	ExecSimpleRelationDelete(write.rri, write.estate, &write.epqstate, row);
	end(&write);
}
