/*
 * truncated.c
 *		TRUNCATE … RESTART IDENTITY: restarting the id sequences that belong to
 *		columns of the tables.
 *
 * It is part of the command, as with native sequences: a rollback undoes it,
 * and it takes the right to restart them, which is to own the table.
 */
#include "postgres.h"

#include "access/table.h"
#include "access/tableam.h"
#include "catalog/pg_class.h"
#include "miscadmin.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

#include "catalog/owned_rows.h"
#include "catalog/row.h"
#include "catalog/row_alter.h"
#include "catalog/source.h"
#include "catalog/table.h"
#include "catalog/version.h"
#include "common/compat.h"
#include "session/xact_changes.h"
#include "sql/truncated.h"

/*
 * The names of the id sequences that belong to columns of these tables. Raises
 * 42501 if there is one of a table that the current user does not own.
 */
static List *
find_names(Oid id_sequences, const List *relids)
{
	IdgenOwnedSearch search;
	List *names = NIL;
	ListCell *cell;

	if (!idgen_owned_begin(&search, id_sequences))
		return NIL;
	foreach(cell, relids)
	{
		Oid relid = lfirst_oid(cell);
		List *of_table = idgen_owned_by_table(&search, relid);

		if (of_table != NIL && !object_ownercheck(RelationRelationId, relid, GetUserId()))
			aclcheck_error(ACLCHECK_NOT_OWNER, OBJECT_TABLE, get_rel_name(relid));
		names = list_concat(names, of_table);
	}
	idgen_owned_end(&search);
	return names;
}

/*
 * Restart an id sequence where it began. One that does not count itself stays:
 * a native sequence that belongs to the column is restarted by the server.
 */
static void
restart(Relation rel, const char *name, TupleTableSlot *row)
{
	IdgenRowChanges changes = {.n = 0};
	const IdgenSource *source;
	bool isnull;
	Datum start;

	if (!idgen_row_lock(rel, name, row))
		return;
	source = idgen_source_of_row(row);
	start = slot_getattr(row, IDGEN_ATT_START_VALUE, &isnull);
	if (source != NULL && source->locks_row && !isnull)
	{
		idgen_changes_note_row(RelationGetRelid(rel), name, IDGEN_CHANGE_DROP);
		idgen_row_set(&changes, IDGEN_ATT_NEXT_BLOCK_START, start, false);
		idgen_row_set(&changes, IDGEN_ATT_EXHAUSTED, Int16GetDatum(0), false);
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
	List *names = OidIsValid(id_sequences) ? find_names(id_sequences, relids) : NIL;
	Relation rel;
	TupleTableSlot *row;
	ListCell *cell;

	if (names == NIL)
		return;
	rel = idgen_table_open(id_sequences, RowExclusiveLock);
	row = table_slot_create(rel, NULL);
	idgen_table_check_not_rewritten(rel);
	foreach(cell, names)
		restart(rel, lfirst(cell), row);
	ExecDropSingleTupleTableSlot(row);
	table_close(rel, NoLock);
	CommandCounterIncrement();
}
