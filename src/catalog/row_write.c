/*
 * row_write.c
 *		Writing rows of id_sequences, with all that goes with it.
 *
 * A refill updates its row, and a draw inserts one that is missing, directly in
 * the table, as the server's logical replication worker does
 * (executor/execReplication.c). An SQL statement would do more than that, so
 * this is done here, as far as a table asks for it (row_duties.c): triggers
 * fire (row_triggers.c), and constraints and indexes are seen to
 * (row_expressions.c). Rules and row security belong to SQL and are left out.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "access/sysattr.h"
#include "access/table.h"
#include "access/xact.h"
#include "commands/trigger.h"
#include "executor/executor.h"
#include "miscadmin.h"
#include "utils/snapmgr.h"
#include "utils/timestamp.h"

#include "catalog/row.h"
#include "catalog/row_duties.h"
#include "catalog/row_expressions.h"
#include "catalog/row_triggers.h"
#include "catalog/row_write.h"
#include "common/compat.h"

/*
 * The columns that a refill sets, in the order of make_new_version(): the last
 * one only if the row was made from a template.
 */
static int refill_columns[] = {IDGEN_ATT_NEXT_BLOCK_START, IDGEN_ATT_EXHAUSTED, IDGEN_ATT_REFILLED_AT};

static int
count_refill_columns(TupleTableSlot *old)
{
	return slot_attisnull(old, IDGEN_ATT_TEMPLATE) ? lengthof(refill_columns) - 1 : lengthof(refill_columns);
}

/* The columns that an UPDATE by SQL would name. */
static Bitmapset *
updated_columns(int ncolumns, const int *columns)
{
	Bitmapset *set = NULL;

	for (int i = 0; i < ncolumns; i++)
		set = bms_add_member(set, columns[i] - FirstLowInvalidHeapAttributeNumber);
	return set;
}

/*
 * Prepare to write a row. "columns" are the numbers of those that an UPDATE
 * sets. Triggers get the rights of "writer".
 */
void
idgen_row_write_begin(IdgenRowWrite *write, Relation rel, CmdType command,
                      int ncolumns, const int *columns, Oid writer)
{
	EState *estate = CreateExecutorState();
	MemoryContext caller = MemoryContextSwitchTo(estate->es_query_cxt);
	RangeTblEntry *rte = makeNode(RangeTblEntry);

	rte->rtekind = RTE_RELATION;
	rte->relid = RelationGetRelid(rel);
	rte->relkind = rel->rd_rel->relkind;
	rte->rellockmode = RowExclusiveLock;
	idgen_init_range_table(estate, rte, updated_columns(ncolumns, columns));
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

void
idgen_row_write_end(IdgenRowWrite *write)
{
	ExecResetTupleTable(write->estate->es_tupleTable, false);
	ExecCloseResultRelations(write->estate);
	FreeExecutorState(write->estate);
}

/*
 * What this update entails. A constraint on a column that stays as it is holds
 * already. So idgen's own, on exhausted, costs only the refill that changes it.
 */
static uint32
duties_of_update(Relation rel, TupleTableSlot *old, const IdgenRowValues *values)
{
	uint32 duties = idgen_row_duties(rel);

	if (DatumGetInt16(idgen_row_attribute(old, IDGEN_ATT_EXHAUSTED)) == (values->exhausted ? 1 : 0))
		duties &= ~IDGEN_DUTY_CHECK_EXHAUSTED;
	return duties;
}

/* The row as a refill leaves it, palloc'd. */
static HeapTuple
make_new_version(Relation rel, TupleTableSlot *old, const IdgenRowValues *values)
{
	bool free_old;
	HeapTuple old_tuple = ExecFetchSlotHeapTuple(old, false, &free_old);
	Datum new_values[] = {
		Int64GetDatum(values->next_block_start),
		Int16GetDatum(values->exhausted ? 1 : 0),
		TimestampTzGetDatum(GetCurrentTransactionStartTimestamp()),
	};
	bool nulls[] = {false, false, false};
	HeapTuple tuple = heap_modify_tuple_by_cols(old_tuple, RelationGetDescr(rel), count_refill_columns(old),
	                                            refill_columns, new_values, nulls);

	if (free_old)
		heap_freetuple(old_tuple);
	return tuple;
}

/* What comes before an update; "wanted" is the new version as a tuple. */
static void
before_update(IdgenRowWrite *write, uint32 duties, TupleTableSlot *old,
              HeapTuple wanted, TupleTableSlot *row)
{
	if (duties & IDGEN_DUTY_TRIGGERS)
	{
		idgen_triggers_prepare(write->rri);
		if (!idgen_triggers_fire_before(write, old, row))
			idgen_triggers_suppressed_refill();
		if (duties & IDGEN_DUTY_BEFORE_ROW)
			idgen_triggers_check_untouched(write->rel, wanted, row);
	}
	if (duties & (IDGEN_DUTY_CHECK_START | IDGEN_DUTY_CHECK_EXHAUSTED))
		idgen_row_check_constraints(write, row);
}

/* What comes after an update. */
static void
after_update(IdgenRowWrite *write, uint32 duties, TupleTableSlot *old, TupleTableSlot *row,
             TU_UpdateIndexes update_indexes)
{
	List *recheck = NIL;

	if (update_indexes != TU_None)
		recheck = idgen_row_insert_index_entries(write, row, update_indexes);
	if (duties & IDGEN_DUTY_TRIGGERS)
	{
		idgen_triggers_fire_after(write, old, row, recheck);
		idgen_triggers_check_outlasted(write->rel, row);
	}
}

/*
 * Try to replace the row version in "old" by one with new values. Waits for
 * other writers in the queue of the row's lock; TM_Ok means that "old" was the
 * newest version after all. On success *tid is the new version's place.
 * Triggers get the rights of "writer".
 *
 * Raises 09000 if a trigger suppresses the update or changes the row; 23505,
 * 23514; and what triggers and other code raise.
 */
TM_Result
idgen_row_update(Relation rel, TupleTableSlot *old, const IdgenRowValues *values,
                 Oid writer, TM_FailureData *tmfd, ItemPointer tid)
{
	const uint32 duties = duties_of_update(rel, old, values);
	TupleTableSlot *row = MakeSingleTupleTableSlot(RelationGetDescr(rel), &TTSOpsHeapTuple);
	HeapTuple tuple = make_new_version(rel, old, values);
	CommandId cid = GetCurrentCommandId(true);
	IdgenRowWrite write = {.rel = NULL};
	LockTupleMode lockmode;
	TU_UpdateIndexes update_indexes;
	TM_Result result;

	ExecStoreHeapTuple(tuple, row, false);
	if (duties != 0)
	{
		idgen_row_write_begin(&write, rel, CMD_UPDATE, count_refill_columns(old), refill_columns, writer);
		before_update(&write, duties, old, tuple, row);
	}

	result = table_tuple_update(rel, &old->tts_tid, row, cid, 0, SnapshotSelf, InvalidSnapshot,
	                            true, tmfd, &lockmode, &update_indexes);
	if (result == TM_SelfModified)
		ereport(ERROR,
		        (errcode(ERRCODE_TRIGGERED_DATA_CHANGE_VIOLATION),
		         errmsg("tuple to be updated was already modified by an operation triggered by the current command"),
		         errhint("Consider using an AFTER trigger instead of a BEFORE trigger to propagate changes to other rows.")));
	if (result == TM_Ok)
	{
		*tid = row->tts_tid;
		if (write.rel == NULL && update_indexes != TU_None)
			idgen_row_write_begin(&write, rel, CMD_UPDATE, count_refill_columns(old), refill_columns, writer);
		if (write.rel != NULL)
			after_update(&write, duties, old, row, update_indexes);
	}
	if (write.rel != NULL)
		idgen_row_write_end(&write);
	ExecDropSingleTupleTableSlot(row);
	heap_freetuple(tuple);
	return result;
}

/*
 * Insert a row that has been filled in, unless a trigger suppresses it, and end
 * the write. *tid is where the row is then, invalid if it was suppressed.
 */
static void
insert_filled(IdgenRowWrite *write, TupleTableSlot *row, ItemPointer tid)
{
	ItemPointerSetInvalid(tid);
	if (idgen_triggers_fire_before(write, NULL, row))
	{
		idgen_row_check_constraints(write, row);
		table_tuple_insert(write->rel, row, write->estate->es_output_cid, 0, NULL);
		*tid = row->tts_tid;
		idgen_triggers_fire_after(write, NULL, row,
		                          idgen_row_insert_index_entries(write, row, TU_All));
	}
	else
		AfterTriggerEndQuery(write->estate);
	idgen_row_write_end(write);
	ExecDropSingleTupleTableSlot(row);
}

/*
 * Insert a row of that name, with the columns' defaults for what is not given,
 * as a role would that has the privilege. Does nothing if a trigger suppresses
 * it. *tid is where the row is then, or invalid.
 *
 * Raises 22001 for a name of more than 255 characters, 23505 if there is one
 * already, 23502, 23514, and what triggers and other code raise.
 */
void
idgen_row_insert(Relation rel, const char *name, int32 block_size, const char *refill, ItemPointer tid)
{
	TupleTableSlot *row = MakeSingleTupleTableSlot(RelationGetDescr(rel), &TTSOpsVirtual);
	IdgenRowWrite write;

	idgen_row_write_begin(&write, rel, CMD_INSERT, 0, NULL, GetUserId());
	idgen_row_fill(&write, name, block_size, refill, row);
	insert_filled(&write, row, tid);
}

/*
 * Insert a row that is made from another one, see idgen_describe_child(). What
 * the other one says was checked when somebody wrote that. So idgen's own
 * trigger does not check it again, with the rights of the role that draws.
 * Triggers get those of "writer". Raises what idgen_row_insert() does.
 */
void
idgen_row_insert_child(Relation rel, TupleTableSlot *child, Oid writer, ItemPointer tid)
{
	TupleTableSlot *row = MakeSingleTupleTableSlot(RelationGetDescr(rel), &TTSOpsVirtual);
	IdgenRowWrite write;

	idgen_row_write_begin(&write, rel, CMD_INSERT, 0, NULL, writer);
	idgen_triggers_trust_values(write.rri);
	idgen_row_fill_child(&write, child, row);
	insert_filled(&write, row, tid);
}
