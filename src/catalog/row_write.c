/*
 * row_write.c
 *		Writing rows of id_sequences, with all that goes with it.
 *
 * A refill updates its row, and idgen.auto_create inserts one, directly in the
 * table, as the server's logical replication worker does
 * (executor/execReplication.c). What an SQL statement would do besides is done
 * here: triggers, generated columns, constraints, indexes. So whoever copies
 * the table by its triggers sees every refill (rule C4). Rules and row security
 * belong to SQL and are left out.
 *
 * idgen's own triggers are not fired by a refill: they tell the cache what
 * others did to a row.
 *
 * Two kinds of code run here, with the rights of two roles:
 *
 * - Triggers are code of whoever has the privilege TRIGGER. They run with the
 *   rights of the role that draws, as the triggers of any table run with the
 *   rights of the role that writes. Deferred ones fire at once: at the end of
 *   the transaction, they could not be told apart from those of a statement.
 * - Constraints, generated columns, defaults and index expressions are code of
 *   the table's owner. The role that draws has not asked for them, so they run
 *   as the owner; see as_owner.c.
 *
 * Most tables have none of all this. What a table has is found out once and
 * remembered until the table changes, so that a refill does not pay for it.
 */
#include "postgres.h"

#include "access/heapam.h"
#include "access/htup_details.h"
#include "access/sysattr.h"
#include "access/table.h"
#include "access/xact.h"
#include "catalog/dependency.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_trigger.h"
#include "catalog/pg_type.h"
#include "commands/extension.h"
#include "commands/trigger.h"
#include "executor/executor.h"
#include "executor/nodeModifyTable.h"
#include "miscadmin.h"
#include "optimizer/optimizer.h"
#include "rewrite/rewriteHandler.h"
#include "utils/builtins.h"
#include "utils/datum.h"
#include "utils/fmgrprotos.h"
#include "utils/inval.h"
#include "utils/lsyscache.h"
#include "utils/snapmgr.h"

#include "catalog/row.h"
#include "catalog/row_write.h"
#include "common/as_owner.h"
#include "common/compat.h"

/* What an update of next_block_start and exhausted entails besides. */
typedef struct Duties
{
	Oid relid;             /* of which table; invalid if not known */
	bool triggers;         /* there are triggers of others for UPDATE */
	bool before_row;       /* of these, some are fired BEFORE, for each row */
	bool generated;        /* there are generated columns */
	bool checks_start;     /* a CHECK constraint looks at next_block_start, ... */
	bool checks_exhausted; /* ... or at exhausted */
	bool domains;          /* a column's type is a domain */
} Duties;

static Duties duties_known;

/* Does this trigger belong to idgen? */
static bool
is_own_trigger(const Trigger *trigger)
{
	return getExtensionOfObject(ProcedureRelationId, trigger->tgfoid) ==
		get_extension_oid("idgen", true);
}

static void
look_at_triggers(Relation rel, Duties *duties)
{
	/* to find out whose they are can take an invalidation, and the relation's own one with it */
	TriggerDesc *desc = CopyTriggerDesc(rel->trigdesc);

	for (int i = 0; desc != NULL && i < desc->numtriggers; i++)
	{
		Trigger *trigger = &desc->triggers[i];

		if (!TRIGGER_FOR_UPDATE(trigger->tgtype) || trigger->tgenabled == TRIGGER_DISABLED ||
		    is_own_trigger(trigger))
			continue;
		duties->triggers = true;
		if (TRIGGER_FOR_BEFORE(trigger->tgtype) && TRIGGER_FOR_ROW(trigger->tgtype))
			duties->before_row = true;
	}
	FreeTriggerDesc(desc);
}

static void
look_at_columns(Relation rel, Duties *duties)
{
	TupleDesc desc = RelationGetDescr(rel);

	for (int i = 0; i < desc->natts; i++)
		if (TupleDescAttr(desc, i)->attgenerated != '\0' && !TupleDescAttr(desc, i)->attisdropped)
			duties->generated = true;
	duties->domains = TupleDescAttr(desc, IDGEN_ATT_NEXT_BLOCK_START - 1)->atttypid != INT8OID ||
		TupleDescAttr(desc, IDGEN_ATT_EXHAUSTED - 1)->atttypid != INT2OID;
}

/* Does an expression look at this column? */
static bool
looks_at(const Bitmapset *attrs, AttrNumber attnum)
{
	return bms_is_member(attnum - FirstLowInvalidHeapAttributeNumber, attrs) ||
		bms_is_member(0 - FirstLowInvalidHeapAttributeNumber, attrs);
}

static void
look_at_constraints(Relation rel, Duties *duties)
{
	TupleConstr *constr = RelationGetDescr(rel)->constr;
	Bitmapset *attrs = NULL;

	for (int i = 0; constr != NULL && i < constr->num_check; i++)
		pull_varattnos(stringToNode(constr->check[i].ccbin), 1, &attrs);
	duties->checks_start = looks_at(attrs, IDGEN_ATT_NEXT_BLOCK_START);
	duties->checks_exhausted = looks_at(attrs, IDGEN_ATT_EXHAUSTED);
}

static const Duties *
duties_of(Relation rel)
{
	if (duties_known.relid != RelationGetRelid(rel))
	{
		Duties duties = {0};

		look_at_triggers(rel, &duties);
		look_at_columns(rel, &duties);
		look_at_constraints(rel, &duties);
		/* nothing above can take an invalidation for this table: it is locked */
		duties.relid = RelationGetRelid(rel);
		duties_known = duties;
	}
	return &duties_known;
}

static void
relation_changed(Datum arg, Oid relid)
{
	if (relid == duties_known.relid || !OidIsValid(relid))
		duties_known.relid = InvalidOid;
}

/* Ask the server to tell us about changes. Called once per process. */
void
idgen_row_write_init(void)
{
	CacheRegisterRelcacheCallback(relation_changed, (Datum) 0);
}

/*
 * Does an update fire triggers? Then the caller must have locked the row before:
 * what they do must not be done in vain.
 */
bool
idgen_row_fires_triggers(Relation rel)
{
	return duties_of(rel)->triggers;
}

/*
 * May an update write a column that idgen does not know, without being told so
 * by its expression? Triggers may.
 */
bool
idgen_row_writes_others(Relation rel)
{
	return duties_of(rel)->before_row;
}

/* One row being written, as the executor sees it. */
typedef struct Write
{
	Relation rel;
	CmdType command;
	Oid writer; /* whose rights triggers get */
	EState *estate;
	ResultRelInfo *rri;
	TransitionCaptureState *transition;
} Write;

/* The columns that an UPDATE by SQL would name. */
static Bitmapset *
updated_columns(void)
{
	Bitmapset *columns = NULL;

	columns = bms_add_member(columns, IDGEN_ATT_NEXT_BLOCK_START - FirstLowInvalidHeapAttributeNumber);
	return bms_add_member(columns, IDGEN_ATT_EXHAUSTED - FirstLowInvalidHeapAttributeNumber);
}

static void
begin_write(Write *write, Relation rel, CmdType command, Oid writer)
{
	EState *estate = CreateExecutorState();
	MemoryContext caller = MemoryContextSwitchTo(estate->es_query_cxt);
	RangeTblEntry *rte = makeNode(RangeTblEntry);

	rte->rtekind = RTE_RELATION;
	rte->relid = RelationGetRelid(rel);
	rte->relkind = rel->rd_rel->relkind;
	rte->rellockmode = RowExclusiveLock;
	idgen_init_range_table(estate, rte, command == CMD_UPDATE ? updated_columns() : NULL);
	estate->es_output_cid = GetCurrentCommandId(true);

	write->rel = rel;
	write->command = command;
	write->writer = writer;
	write->estate = estate;
	write->transition = NULL;
	write->rri = makeNode(ResultRelInfo);
	InitResultRelInfo(write->rri, rel, 1, NULL, 0);
	estate->es_opened_result_relations = list_make1(write->rri);
	MemoryContextSwitchTo(caller);
}

static void
end_write(Write *write)
{
	ExecResetTupleTable(write->estate->es_tupleTable, false);
	ExecCloseResultRelations(write->estate);
	FreeExecutorState(write->estate);
}

/* From here on, triggers run with the rights of the role that draws. */
static bool
begin_triggers(const Write *write, IdgenIdentity *before)
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
 * Fire the triggers that come before the row is written; "old" is the version
 * that is updated, or NULL. Returns false if one of them suppresses the row.
 */
static bool
fire_before(Write *write, TupleTableSlot *old, TupleTableSlot *row)
{
	TriggerDesc *desc = write->rri->ri_TrigDesc;
	EState *estate = write->estate;
	IdgenIdentity before;
	bool acting = begin_triggers(write, &before);
	bool go_on = true;

	AfterTriggerBeginQuery();
	write->transition = MakeTransitionCaptureState(desc, RelationGetRelid(write->rel), write->command);
	if (write->command == CMD_INSERT)
	{
		ExecBSInsertTriggers(estate, write->rri);
		if (desc != NULL && desc->trig_insert_before_row)
			go_on = ExecBRInsertTriggers(estate, write->rri, row);
	}
	else
	{
		EPQState epqstate;

		ExecBSUpdateTriggers(estate, write->rri);
		if (desc != NULL && desc->trig_update_before_row)
		{
			EvalPlanQualInit(&epqstate, estate, NULL, NIL, -1, NIL);
			go_on = ExecBRUpdateTriggers(estate, &epqstate, write->rri, &old->tts_tid,
			                             NULL, row, NULL, NULL, false);
			EvalPlanQualEnd(&epqstate);
		}
	}
	end_triggers(acting, &before);
	return go_on;
}

/* Fire the triggers that come after it. */
static void
fire_after(Write *write, TupleTableSlot *old, TupleTableSlot *row, List *recheck)
{
	EState *estate = write->estate;
	IdgenIdentity before;
	bool acting = begin_triggers(write, &before);

	if (write->command == CMD_INSERT)
	{
		ExecARInsertTriggers(estate, write->rri, row, recheck, write->transition);
		ExecASInsertTriggers(estate, write->rri, write->transition);
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

/* Raises 23514 if a column's type is a domain that refuses its new value. */
static void
check_domain(Relation rel, TupleTableSlot *row, AttrNumber attnum)
{
	Oid type = TupleDescAttr(RelationGetDescr(rel), attnum - 1)->atttypid;
	bool isnull;
	Datum value = slot_getattr(row, attnum, &isnull);

	if (get_typtype(type) == TYPTYPE_DOMAIN)
		domain_check(value, isnull, type, NULL, NULL);
}

/* The same for what an update sets. What a domain checks is not code of who draws. */
static void
check_domains(Relation rel, TupleTableSlot *row)
{
	IdgenIdentity before;

	idgen_act_as(rel->rd_rel->relowner, &before);
	check_domain(rel, row, IDGEN_ATT_NEXT_BLOCK_START);
	check_domain(rel, row, IDGEN_ATT_EXHAUSTED);
	idgen_act_as_before(&before);
}

/*
 * Do what the owner has defined for a row that is about to be written: generated
 * columns and constraints. Raises 23502, 23514 and what that code raises.
 */
static void
complete_row(Write *write, TupleTableSlot *row)
{
	TupleConstr *constr = RelationGetDescr(write->rel)->constr;
	IdgenIdentity before;

	idgen_act_as(write->rel->rd_rel->relowner, &before);
	if (constr != NULL && constr->has_generated_stored)
		ExecComputeStoredGenerated(write->rri, write->estate, row, write->command);
	if (constr != NULL)
		ExecConstraints(write->rri, row, write->estate);
	idgen_act_as_before(&before);
}

/* Insert index entries for a row that has been written. */
static List *
insert_index_entries(Write *write, TupleTableSlot *row, TU_UpdateIndexes which)
{
	List *recheck;
	IdgenIdentity before;

	idgen_act_as(write->rel->rd_rel->relowner, &before);
	ExecOpenIndices(write->rri, false);
	recheck = ExecInsertIndexTuples(write->rri, row, write->estate, write->command == CMD_UPDATE,
	                                false, NULL, NIL, which == TU_Summarizing);
	idgen_act_as_before(&before);
	return recheck;
}

/*
 * Leave out idgen's own triggers, and let none wait for the end of the
 * transaction. What is changed is this update's own copy.
 */
static void
prepare_triggers(ResultRelInfo *rri)
{
	TriggerDesc *desc = rri->ri_TrigDesc;

	for (int i = 0; i < desc->numtriggers; i++)
	{
		Trigger *trigger = &desc->triggers[i];

		if (is_own_trigger(trigger))
			trigger->tgenabled = TRIGGER_DISABLED;
		trigger->tgdeferrable = trigger->tginitdeferred = false;
	}
}

/* Raises 09000: what is allocated must be what the row says. */
pg_noreturn static void
refused(const char *what, const char *column)
{
	ereport(ERROR,
	        (errcode(ERRCODE_TRIGGERED_ACTION_EXCEPTION),
	         column == NULL ? errmsg("a trigger on \"id_sequences\" has %s", what) : errmsg("a trigger on \"id_sequences\" has %s \"%s\"", what, column),
	         errhint("Make the trigger leave refills alone: they set only next_block_start and exhausted.")));
}

/* Have triggers left alone the columns that idgen knows? */
static void
check_untouched(Relation rel, HeapTuple wanted, TupleTableSlot *row)
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
			refused("changed column", NameStr(att->attname));
	}
}

/*
 * Has what has been written outlasted the triggers that came after it? They may have updated
 * the row, but what is allocated depends on this. If they have removed it, the next look at
 * the row says so.
 */
static void
check_still_so(Relation rel, TupleTableSlot *row)
{
	TupleTableSlot *newest = table_slot_create(rel, NULL);
	text *name = DatumGetTextPP(idgen_row_attribute(row, IDGEN_ATT_NAME));

	if (!table_tuple_fetch_row_version(rel, &row->tts_tid, SnapshotSelf, newest) &&
	    idgen_row_find(rel, VARDATA_ANY(name), VARSIZE_ANY_EXHDR(name), IDGEN_SEARCH_SURE, newest))
	{
		if (DatumGetInt64(idgen_row_attribute(newest, IDGEN_ATT_NEXT_BLOCK_START)) !=
		    DatumGetInt64(idgen_row_attribute(row, IDGEN_ATT_NEXT_BLOCK_START)))
			refused("changed column", "next_block_start");
		if (DatumGetInt16(idgen_row_attribute(newest, IDGEN_ATT_EXHAUSTED)) !=
		    DatumGetInt16(idgen_row_attribute(row, IDGEN_ATT_EXHAUSTED)))
			refused("changed column", "exhausted");
	}
	ExecDropSingleTupleTableSlot(newest);
}

/* What comes before an update, as far as the table asks for it. */
static void
prepare_update(Write *write, const Duties *duties, TupleTableSlot *old,
               HeapTuple wanted, TupleTableSlot *row)
{
	if (duties->triggers)
	{
		prepare_triggers(write->rri);
		if (!fire_before(write, old, row))
			refused("suppressed a refill", NULL);
		if (duties->before_row)
			check_untouched(write->rel, wanted, row);
	}
	if (duties->before_row || duties->generated || duties->checks_start || duties->checks_exhausted)
		complete_row(write, row);
	if (duties->domains)
		check_domains(write->rel, row);
}

/*
 * What this update entails. A constraint on a column that stays as it is holds already, and
 * idgen's own, on exhausted, is not to cost every refill something.
 */
static Duties
duties_of_update(Relation rel, TupleTableSlot *old, const IdgenRowValues *values)
{
	Duties duties = *duties_of(rel);

	if (DatumGetInt16(idgen_row_attribute(old, IDGEN_ATT_EXHAUSTED)) == (values->exhausted ? 1 : 0))
		duties.checks_exhausted = false;
	return duties;
}

/* The row as a refill leaves it, palloc'd. */
static HeapTuple
make_new_version(Relation rel, TupleTableSlot *old, const IdgenRowValues *values)
{
	bool free_old;
	HeapTuple old_tuple = ExecFetchSlotHeapTuple(old, false, &free_old);
	int columns[] = {IDGEN_ATT_NEXT_BLOCK_START, IDGEN_ATT_EXHAUSTED};
	Datum new_values[] = {
		Int64GetDatum(values->next_block_start),
		Int16GetDatum(values->exhausted ? 1 : 0),
	};
	bool nulls[] = {false, false};
	HeapTuple tuple = heap_modify_tuple_by_cols(old_tuple, RelationGetDescr(rel), 2,
	                                            columns, new_values, nulls);

	if (free_old)
		heap_freetuple(old_tuple);
	return tuple;
}

/*
 * Try to replace the row version in "old" by one with new values. Waits for
 * other writers in the queue of the row's lock; TM_Ok means that "old" was the
 * newest version after all. On success *tid is the new version's place.
 * Triggers get the rights of "writer".
 *
 * Raises 09000 if a trigger suppresses the update or changes more than columns
 * of its own; 23502, 23505, 23514; and what triggers and other code raise.
 */
TM_Result
idgen_row_update(Relation rel, TupleTableSlot *old, const IdgenRowValues *values,
                 Oid writer, TM_FailureData *tmfd, ItemPointer tid)
{
	const Duties duties = duties_of_update(rel, old, values);
	TupleTableSlot *row = MakeSingleTupleTableSlot(RelationGetDescr(rel), &TTSOpsHeapTuple);
	HeapTuple tuple = make_new_version(rel, old, values);
	CommandId cid = GetCurrentCommandId(true);
	bool prepared = duties.triggers || duties.generated || duties.checks_start ||
		duties.checks_exhausted || duties.domains;
	Write write;
	LockTupleMode lockmode;
	TU_UpdateIndexes update_indexes;
	TM_Result result;
	List *recheck = NIL;

	ExecStoreHeapTuple(tuple, row, false);
	if (prepared)
	{
		begin_write(&write, rel, CMD_UPDATE, writer);
		prepare_update(&write, &duties, old, tuple, row);
	}

	result = table_tuple_update(rel, &old->tts_tid, row, cid, SnapshotSelf, InvalidSnapshot,
	                            true, tmfd, &lockmode, &update_indexes);
	if (result == TM_SelfModified)
		ereport(ERROR,
		        (errcode(ERRCODE_TRIGGERED_DATA_CHANGE_VIOLATION),
		         errmsg("tuple to be updated was already modified by an operation triggered by the current command"),
		         errhint("Consider using an AFTER trigger instead of a BEFORE trigger to propagate changes to other rows.")));
	if (result == TM_Ok)
	{
		*tid = row->tts_tid;
		if (update_indexes != TU_None)
		{
			if (!prepared)
				begin_write(&write, rel, CMD_UPDATE, writer);
			prepared = true;
			recheck = insert_index_entries(&write, row, update_indexes);
		}
		if (duties.triggers)
		{
			fire_after(&write, old, row, recheck);
			check_still_so(rel, row);
		}
	}
	if (prepared)
		end_write(&write);
	ExecDropSingleTupleTableSlot(row);
	heap_freetuple(tuple);
	return result;
}

/* The value of a column's default for a new row. */
static Datum
default_value(Write *write, AttrNumber attnum, bool *isnull)
{
	Node *expression = build_column_default(write->rel, attnum);

	*isnull = true;
	if (expression == NULL)
		return (Datum) 0;
	return ExecEvalExprSwitchContext(ExecPrepareExpr((Expr *) expression, write->estate),
	                                 GetPerTupleExprContext(write->estate), isnull);
}

/*
 * Fill in a new row, its defaults included. Raises 22001 for a name that is too long.
 */
static void
fill_row(Write *write, const char *name, int32 block_size, TupleTableSlot *row)
{
	TupleDesc desc = RelationGetDescr(write->rel);
	Form_pg_attribute name_att = TupleDescAttr(desc, IDGEN_ATT_NAME - 1);
	IdgenIdentity before;

	ExecStoreAllNullTuple(row);
	row->tts_values[IDGEN_ATT_NAME - 1] =
		DirectFunctionCall3(varchar, CStringGetTextDatum(name), Int32GetDatum(name_att->atttypmod), BoolGetDatum(false));
	row->tts_values[IDGEN_ATT_NEXT_BLOCK_START - 1] = Int64GetDatum(1);
	row->tts_values[IDGEN_ATT_BLOCK_SIZE - 1] = Int32GetDatum(block_size);

	idgen_act_as(write->rel->rd_rel->relowner, &before);
	for (int attnum = 1; attnum <= desc->natts; attnum++)
	{
		Form_pg_attribute att = TupleDescAttr(desc, attnum - 1);
		bool given = attnum == IDGEN_ATT_NAME || attnum == IDGEN_ATT_NEXT_BLOCK_START ||
			attnum == IDGEN_ATT_BLOCK_SIZE;

		if (given)
			row->tts_isnull[attnum - 1] = false;
		else if (!att->attisdropped && att->attgenerated == '\0')
			row->tts_values[attnum - 1] = default_value(write, attnum, &row->tts_isnull[attnum - 1]);
		if (given)
			check_domain(write->rel, row, attnum);
	}
	idgen_act_as_before(&before);
}

/*
 * Insert a row of that name with the columns' defaults, as a role would that has
 * the privilege. Does nothing if a trigger suppresses it.
 *
 * Raises 22001 for a name of more than 255 characters, 23505 if there is one
 * already, 23502, 23514, and what triggers and other code raise.
 */
void
idgen_row_insert(Relation rel, const char *name, int32 block_size)
{
	TupleTableSlot *row = MakeSingleTupleTableSlot(RelationGetDescr(rel), &TTSOpsVirtual);
	Write write;

	begin_write(&write, rel, CMD_INSERT, GetUserId());
	fill_row(&write, name, block_size, row);
	if (fire_before(&write, NULL, row))
	{
		complete_row(&write, row);
		table_tuple_insert(rel, row, write.estate->es_output_cid, 0, NULL);
		fire_after(&write, NULL, row, insert_index_entries(&write, row, TU_All));
	}
	else
		AfterTriggerEndQuery(write.estate);
	end_write(&write);
	ExecDropSingleTupleTableSlot(row);
}
