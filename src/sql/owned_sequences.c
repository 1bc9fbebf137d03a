/*
 * owned_sequences.c
 *		What becomes of an id sequence when its column is dropped, or its table
 *		truncated.
 *
 * An event trigger calls this at the end of each command that has dropped
 * something. It was preferred to the server's hook object_access_hook, which is
 * called only where the library is loaded: without preload, most sessions that
 * drop a table have not drawn.
 *
 * The row is deleted; or it belongs to another column that draws from it, from
 * then on, or to none. Everything happens in the transaction of the command, so
 * a rollback undoes it. Whoever drops a table must not fail because of idgen:
 * where there is no id_sequences as it should be, nothing is done, and where
 * something on it must not run, the row stays, with a warning. Where rows have
 * lost their column, all defaults are looked at once.
 *
 * TRUNCATE … RESTART IDENTITY restarts the id sequences that belong to columns
 * of the tables. It is part of the command, as with native sequences: a
 * rollback undoes it, and it takes the right to restart them, which is to own
 * the table.
 */
#include "postgres.h"

#include "access/table.h"
#include "access/xact.h"
#include "catalog/pg_class.h"
#include "commands/event_trigger.h"
#include "executor/spi.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "storage/lmgr.h"
#include "utils/acl.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"

#include "catalog/calls.h"
#include "catalog/row.h"
#include "catalog/row_write.h"
#include "catalog/source.h"
#include "catalog/table.h"
#include "common/compat.h"
#include "session/xact.h"
#include "sql/hooks.h"

PG_FUNCTION_INFO_V1(idgen_columns_dropped);

/* An id sequence that has lost its column. */
typedef struct Orphan
{
	const char *name;
	bool is_used;             /* does anything draw from it? */
	IdgenOwningColumn column; /* that it shall belong to; IDGEN_NO_COLUMN for none */
	bool inherits;            /* does that inherit from another one? */
} Orphan;

/* Open the table to write to rows that it has, each in turn in a slot. */
static Relation
open_rows(Oid id_sequences, TupleTableSlot **row)
{
	Relation rel = idgen_table_open(id_sequences, RowExclusiveLock);

	idgen_table_check_not_rewritten(rel);
	*row = table_slot_create(rel, NULL);
	return rel;
}

/* What is done to rows counts for what comes behind in the transaction. */
static void
close_rows(Relation rel, TupleTableSlot *row)
{
	ExecDropSingleTupleTableSlot(row);
	table_close(rel, NoLock);
	CommandCounterIncrement();
}

/*
 * Finding orphans
 */

/*
 * The names of the id sequences that have lost their column with the tables and
 * columns that the command has dropped. Temporary ones are left out: no id
 * sequence belongs to them. So whoever drops anything else does not wait while
 * somebody has locked the table.
 */
static List *
find_orphans(Oid id_sequences)
{
	static SPIPlanPtr plan = NULL;
	MemoryContext caller = CurrentMemoryContext;
	IdgenOwningColumn *columns;
	List *names;

	SPI_connect();
	if (plan == NULL)
	{
		plan = SPI_prepare("SELECT objid, objsubid FROM pg_catalog.pg_event_trigger_dropped_objects()"
		                   " WHERE classid OPERATOR(pg_catalog.=) 'pg_catalog.pg_class'::pg_catalog.regclass"
		                   " AND NOT is_temporary",
		                   0, NULL);
		if (plan == NULL || SPI_keepplan(plan) != 0)
			elog(ERROR, "could not prepare the query for dropped objects");
	}
	if (SPI_execute_plan(plan, NULL, NULL, true, 0) != SPI_OK_SELECT)
		elog(ERROR, "could not get the dropped objects");
	MemoryContextSwitchTo(caller);
	columns = palloc(SPI_processed * sizeof(IdgenOwningColumn));
	for (uint64 i = 0; i < SPI_processed; i++)
	{
		HeapTuple tuple = SPI_tuptable->vals[i];
		bool isnull;
		Oid relid = DatumGetObjectId(SPI_getbinval(tuple, SPI_tuptable->tupdesc, 1, &isnull));

		columns[i] = idgen_owning_column(relid, (AttrNumber) DatumGetInt32(SPI_getbinval(tuple, SPI_tuptable->tupdesc, 2, &isnull)));
	}
	names = idgen_owned_names(id_sequences, columns, (int) SPI_processed);
	SPI_finish();
	return names;
}

/*
 * What else draws from them
 */

/*
 * May columns of a role's tables own an id sequence, because the current user
 * has dropped the column that did? Everybody can make a table that draws, and
 * who owns the column can delete the row and lower its max_value. So that must
 * be somebody whose tables the current user shares, or who may delete the row
 * anyway. (A superuser does not mean to share with everybody.)
 */
static bool
may_own(Oid role, Oid id_sequences)
{
	return is_member_of_role_nosuper(GetUserId(), role) ||
		pg_class_aclcheck(id_sequences, role, ACL_DELETE) == ACLCHECK_OK;
}

/*
 * A column draws from an orphan: it may be the one that the orphan shall belong
 * to. Of several, one that inherits from no other is preferred, then that of
 * the oldest table. Temporary ones go with their session.
 */
static void
count_column(Orphan *orphan, Oid id_sequences, const IdgenDrawingDefault *drawing)
{
	HeapTuple table = SearchSysCache1(RELOID, ObjectIdGetDatum(drawing->relid));
	HeapTuple attribute = SearchSysCacheAttNum(drawing->relid, drawing->attnum);
	IdgenOwningColumn column = idgen_owning_column(drawing->relid, drawing->attnum);

	if (HeapTupleIsValid(table) && HeapTupleIsValid(attribute) &&
	    ((Form_pg_class) GETSTRUCT(table))->relpersistence != RELPERSISTENCE_TEMP)
	{
		bool inherits = ((Form_pg_attribute) GETSTRUCT(attribute))->attinhcount > 0;

		orphan->is_used = true;
		if (may_own(((Form_pg_class) GETSTRUCT(table))->relowner, id_sequences) &&
		    (orphan->column == IDGEN_NO_COLUMN || inherits < orphan->inherits ||
		     (inherits == orphan->inherits && column < orphan->column)))
		{
			orphan->column = column;
			orphan->inherits = inherits;
		}
	}
	if (HeapTupleIsValid(attribute))
		ReleaseSysCache(attribute);
	if (HeapTupleIsValid(table))
		ReleaseSysCache(table);
}

/*
 * Find out what else draws from the orphans, and keep the columns that they
 * shall belong to from being dropped: whoever drops one meanwhile would not
 * know that it is to own something.
 */
static void
find_users(Orphan *orphans, int n, Oid id_sequences)
{
	Oid schema = get_rel_namespace(id_sequences);
	bool all_there;

	do
	{
		ListCell *cell;

		for (int i = 0; i < n; i++)
		{
			orphans[i].is_used = false;
			orphans[i].column = IDGEN_NO_COLUMN;
		}
		foreach(cell, idgen_drawing_defaults(schema, n == 1 ? orphans[0].name : NULL))
		{
			const IdgenDrawingDefault *drawing = lfirst(cell);

			for (int i = 0; i < n; i++)
			{
				if (strcmp(orphans[i].name, drawing->name) != 0)
					continue;
				if (OidIsValid(drawing->relid))
					count_column(&orphans[i], id_sequences, drawing);
				else
					orphans[i].is_used = true;
			}
		}
		all_there = true;
		for (int i = 0; i < n; i++)
		{
			if (orphans[i].column == IDGEN_NO_COLUMN)
				continue;
			LockRelationOid(idgen_owning_table(orphans[i].column), AccessShareLock);
			all_there = all_there && idgen_owning_column_exists(orphans[i].column);
		}
	} while (!all_there);
}

/*
 * Settling
 */

/*
 * Delete the row of an orphan, or have it belong to another column, or to none.
 * Another transaction may have given it another column before the lock was
 * there. Returns false if it has deleted or renamed it.
 */
static bool
settle(Relation rel, const Orphan *orphan, TupleTableSlot *row)
{
	IdgenRowChanges changes = {
		.n = 1,
		.columns = {IDGEN_ATT_OWNED_BY},
		.values = {Int64GetDatum(orphan->column)},
		.nulls = {orphan->column == IDGEN_NO_COLUMN},
	};
	bool isnull;
	Datum column;

	if (!idgen_row_take(rel, orphan->name, row))
		return false;
	column = slot_getattr(row, IDGEN_ATT_OWNED_BY, &isnull);
	if (!isnull && !idgen_owning_column_exists(DatumGetInt64(column)))
	{
		if (!idgen_check_code(rel, orphan->is_used ? CMD_UPDATE : CMD_DELETE, WARNING, NULL))
			ereport(WARNING,
			        (errmsg("id sequence \"%s\" was left alone", orphan->name),
			         errdetail("Its column was dropped.")));
		else if (orphan->is_used)
			idgen_row_alter(rel, row, &changes);
		else
			idgen_row_delete(rel, row);
	}
	ExecClearTuple(row);
	return true;
}

/* Returns false if some of the rows have been deleted or renamed meanwhile. */
static bool
settle_all(Oid id_sequences, List *names)
{
	int n = list_length(names);
	Orphan *orphans = palloc(n * sizeof(Orphan));
	TupleTableSlot *row;
	Relation rel = open_rows(id_sequences, &row);
	bool all_there = true;

	for (int i = 0; i < n; i++)
		orphans[i].name = list_nth(names, i);
	find_users(orphans, n, id_sequences);
	for (int i = 0; i < n; i++)
		all_there = settle(rel, &orphans[i], row) && all_there;
	close_rows(rel, row);
	return all_there;
}

/*
 * Event trigger on sql_drop. Raises 39P03 unless called as one, and what
 * idgen_table_open(), idgen_row_delete() and idgen_row_alter() do.
 */
Datum
idgen_columns_dropped(PG_FUNCTION_ARGS)
{
	Oid id_sequences;
	List *names;

	if (!CALLED_AS_EVENT_TRIGGER(fcinfo))
		ereport(ERROR,
		        (errcode(ERRCODE_E_R_I_E_EVENT_TRIGGER_PROTOCOL_VIOLATED),
		         errmsg("function \"%s\" must be fired by an event trigger", "idgen_columns_dropped")));
	id_sequences = get_relname_relid("id_sequences", get_func_namespace(fcinfo->flinfo->fn_oid));
	if (!OidIsValid(id_sequences))
		PG_RETURN_NULL();

	/* What has been renamed is found under its new name. */
	do
		names = find_orphans(id_sequences);
	while (names != NIL && !settle_all(id_sequences, names));
	PG_RETURN_NULL();
}

/*
 * Truncating
 */

/*
 * The names of the id sequences that belong to columns of these tables. Raises
 * 42501 if there is one of a table that the current user does not own.
 */
static List *
find_owned(Oid id_sequences, const List *relids)
{
	List *names = NIL;
	ListCell *cell;

	foreach(cell, relids)
	{
		Oid relid = lfirst_oid(cell);
		IdgenOwningColumn any = idgen_owning_column(relid, 0);
		List *of_table = idgen_owned_names(id_sequences, &any, 1);

		if (of_table != NIL && !object_ownercheck(RelationRelationId, relid, GetUserId()))
			aclcheck_error(ACLCHECK_NOT_OWNER, OBJECT_TABLE, get_rel_name(relid));
		names = list_concat(names, of_table);
	}
	return names;
}

/*
 * Restart an id sequence where it began, if it belongs to a column of one of
 * these tables still. One that does not count itself stays: a native sequence
 * that belongs to the column is restarted by the server.
 */
static void
restart(Relation rel, const char *name, const List *relids, TupleTableSlot *row)
{
	const IdgenSource *source;
	bool isnull;
	bool belongs;
	Datum column;
	Datum start;

	if (!idgen_row_take(rel, name, row))
		return;
	column = slot_getattr(row, IDGEN_ATT_OWNED_BY, &isnull);
	belongs = !isnull && list_member_oid(relids, idgen_owning_table(DatumGetInt64(column)));
	source = idgen_source_of_row(row);
	start = slot_getattr(row, IDGEN_ATT_START_VALUE, &isnull);
	if (belongs && source != NULL && source->locks_row && !isnull)
	{
		IdgenRowChanges changes = {
			.n = 2,
			.columns = {IDGEN_ATT_NEXT_BLOCK_START, IDGEN_ATT_EXHAUSTED},
			.values = {start, Int16GetDatum(0)},
		};

		idgen_changes_note_row(RelationGetRelid(rel), name, IDGEN_SLOT_DROP);
		idgen_row_alter(rel, row, &changes);
	}
	ExecClearTuple(row);
}

/*
 * Restart the id sequences that belong to columns of these tables. Raises 42501
 * unless the current user owns the tables, and what idgen_table_open() and
 * idgen_row_alter() do.
 */
void
idgen_restart_of_tables(const List *relids)
{
	Oid id_sequences = relids != NIL ? idgen_table_of_extension() : InvalidOid;
	List *names = OidIsValid(id_sequences) ? find_owned(id_sequences, relids) : NIL;
	TupleTableSlot *row;
	Relation rel;
	ListCell *cell;

	if (names == NIL)
		return;
	rel = open_rows(id_sequences, &row);
	foreach(cell, names)
		restart(rel, lfirst(cell), relids, row);
	close_rows(rel, row);
}
