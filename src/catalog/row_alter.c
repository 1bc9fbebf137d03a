/*
 * row_alter.c
 *		Writing a row of id_sequences on behalf of a command that drops a column
 *		or truncates a table.
 *
 * The role that runs such a command needs no privilege on id_sequences, no more
 * than a cascading foreign key asks for one. So the row is written as a refill
 * writes it (row_write.c): privileges, row security, rules and the isolation
 * level have no say. What is on the table, such as triggers, runs with the
 * rights of its owner. idgen's own triggers fire, too, since the cache must be
 * told.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "access/table.h"
#include "access/tableam.h"
#include "access/xact.h"
#include "commands/trigger.h"
#include "executor/executor.h"
#include "miscadmin.h"
#include "utils/snapmgr.h"

#include "catalog/row.h"
#include "catalog/row_alter.h"
#include "catalog/row_expressions.h"
#include "catalog/row_triggers.h"
#include "common/as_owner.h"
#include "common/compat.h"

/*
 * Find the newest version of the row of that name and lock it, in the line of
 * those that wait for it. Returns false if there is none.
 */
bool
idgen_row_lock(Relation rel, const char *name, TupleTableSlot *row)
{
	int namelen = strlen(name);

	/* What this very command has written to the row must count as past. */
	CommandCounterIncrement();
	while (idgen_row_find(rel, name, namelen, IDGEN_SEARCH_SURE, row))
	{
		ItemPointerData tid = row->tts_tid;
		TM_FailureData tmfd;

		if (table_tuple_lock(rel, &tid, SnapshotSelf, row, GetCurrentCommandId(false),
		                     LockTupleExclusive, LockWaitBlock,
		                     TUPLE_LOCK_FLAG_FIND_LAST_VERSION, &tmfd) == TM_Ok &&
		    idgen_row_is_named(row, name, namelen))
			return true;
		ExecClearTuple(row);
		CHECK_FOR_INTERRUPTS();
	}
	return false;
}

/* Add to the changes one of a column. */
void
idgen_row_set(IdgenRowChanges *changes, int column, Datum value, bool isnull)
{
	Assert(changes->n < (int) lengthof(changes->columns));
	changes->columns[changes->n] = column;
	changes->values[changes->n] = value;
	changes->nulls[changes->n] = isnull;
	changes->n++;
}

/*
 * Raises 27000: the row is locked, so only a trigger of this command can have
 * written it.
 */
pg_noreturn static void
written_by_trigger(void)
{
	ereport(ERROR,
	        (errcode(ERRCODE_TRIGGERED_DATA_CHANGE_VIOLATION),
	         errmsg("a trigger on \"id_sequences\" has changed the row that the command changes")));
}

static HeapTuple
make_new_version(Relation rel, TupleTableSlot *row, IdgenRowChanges *changes)
{
	bool free_old;
	HeapTuple old = ExecFetchSlotHeapTuple(row, false, &free_old);
	HeapTuple tuple = heap_modify_tuple_by_cols(old, RelationGetDescr(rel), changes->n,
	                                            changes->columns,
	                                            changes->values,
	                                            changes->nulls);

	if (free_old)
		heap_freetuple(old);
	return tuple;
}

/*
 * Change a row that idgen_row_lock() has found, unless a trigger suppresses
 * that. Raises 27000, 23502, 23505, 23514, and what triggers and other code
 * raise.
 */
void
idgen_row_alter(Relation rel, TupleTableSlot *row, IdgenRowChanges *changes)
{
	TupleTableSlot *new = MakeSingleTupleTableSlot(RelationGetDescr(rel), &TTSOpsHeapTuple);
	List *recheck = NIL;
	Oid owner = rel->rd_rel->relowner;
	IdgenIdentity before;
	IdgenRowWrite write;
	TM_FailureData tmfd;
	LockTupleMode lockmode;
	TU_UpdateIndexes update_indexes;

	CheckCmdReplicaIdentity(rel, CMD_UPDATE);
	ExecStoreHeapTuple(make_new_version(rel, row, changes), new, true);
	idgen_act_as(owner, &before);
	idgen_row_write_begin(&write, rel, CMD_UPDATE, changes->n, changes->columns, owner);
	idgen_triggers_trust_values(write.rri);
	if (idgen_triggers_fire_before(&write, row, new))
	{
		idgen_row_check_constraints(&write, new);
		if (table_tuple_update(rel, &row->tts_tid, new, write.estate->es_output_cid, 0, SnapshotSelf,
		                       InvalidSnapshot, true, &tmfd, &lockmode, &update_indexes) != TM_Ok)
			written_by_trigger();
		if (update_indexes != TU_None)
			recheck = idgen_row_insert_index_entries(&write, new, update_indexes);
		idgen_triggers_fire_after(&write, row, new, recheck);
	}
	else
		AfterTriggerEndQuery(write.estate);
	idgen_row_write_end(&write);
	idgen_act_as_before(&before);
	ExecDropSingleTupleTableSlot(new);
}

/*
 * Delete a row that idgen_row_lock() has found, unless a trigger suppresses
 * that. Raises 27000, and what triggers raise.
 */
void
idgen_row_delete(Relation rel, TupleTableSlot *row)
{
	Oid owner = rel->rd_rel->relowner;
	IdgenIdentity before;
	IdgenRowWrite write;
	TM_FailureData tmfd;

	CheckCmdReplicaIdentity(rel, CMD_DELETE);
	idgen_act_as(owner, &before);
	idgen_row_write_begin(&write, rel, CMD_DELETE, 0, NULL, owner);
	if (idgen_triggers_fire_before(&write, row, NULL))
	{
		if (table_tuple_delete(rel, &row->tts_tid, write.estate->es_output_cid, 0, SnapshotSelf,
		                       InvalidSnapshot, true, &tmfd) != TM_Ok)
			written_by_trigger();
		idgen_triggers_fire_after(&write, row, NULL, NIL);
	}
	else
		AfterTriggerEndQuery(write.estate);
	idgen_row_write_end(&write);
	idgen_act_as_before(&before);
}
