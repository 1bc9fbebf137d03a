/*
 * utility.c
 *		Noticing utility commands: COPY FROM while it runs, DISCARD, and
 *		TRUNCATE … RESTART IDENTITY.
 *
 * Utility commands are all but SELECT, INSERT, UPDATE, DELETE and MERGE. The
 * server calls a hook for each, also for one that a function runs while another
 * one is in progress.
 */
#include "postgres.h"

#include "access/table.h"
#include "access/tableam.h"
#include "catalog/pg_class.h"
#include "miscadmin.h"
#include "nodes/parsenodes.h"
#include "tcop/utility.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

#include "catalog/owned_rows.h"
#include "catalog/row.h"
#include "catalog/row_write.h"
#include "catalog/source.h"
#include "catalog/table.h"
#include "catalog/version.h"
#include "common/compat.h"
#include "session/names.h"
#include "session/xact_changes.h"
#include "sql/hooks.h"

/* What a utility command is to idgen. */
typedef enum UtilityCommand
{
	UTILITY_OTHER, /* also: there is none */
	UTILITY_COPY_FROM,
	UTILITY_DISCARD_SEQUENCES, /* or all */
	UTILITY_RESTART_IDENTITY,
} UtilityCommand;

/* What runs the commands: the hook that was there before, or the server. */
static ProcessUtility_hook_type next_utility;

/* The command in progress: of nested ones the innermost. */
static UtilityCommand running = UTILITY_OTHER;

/* The tables that it truncates, and whose id sequences it restarts. */
static List *truncated = NIL;

/*
 * TRUNCATE … RESTART IDENTITY restarts the id sequences that belong to columns
 * of the tables. It is part of the command, as with native sequences: a
 * rollback undoes it, and it takes the right to restart them, which is to own
 * the table.
 */

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

	if (!idgen_row_take(rel, name, row))
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
static void
restart_of_tables(const List *relids)
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

/*
 * The hook
 */

static UtilityCommand
command_of(const Node *statement)
{
	DiscardMode discards;

	if (IsA(statement, CopyStmt))
		return ((const CopyStmt *) statement)->is_from ? UTILITY_COPY_FROM : UTILITY_OTHER;
	if (IsA(statement, TruncateStmt))
		return ((const TruncateStmt *) statement)->restart_seqs ? UTILITY_RESTART_IDENTITY : UTILITY_OTHER;
	if (!IsA(statement, DiscardStmt))
		return UTILITY_OTHER;
	discards = ((const DiscardStmt *) statement)->target;
	return discards == DISCARD_ALL || discards == DISCARD_SEQUENCES ? UTILITY_DISCARD_SEQUENCES
																	: UTILITY_OTHER;
}

static void
process_utility(PlannedStmt *statement, const char *query, bool read_only_tree,
                ProcessUtilityContext context, ParamListInfo params, QueryEnvironment *environment,
                DestReceiver *dest, QueryCompletion *completion)
{
	UtilityCommand outer = running;
	List *outer_truncated = truncated;

	running = command_of(statement->utilityStmt);
	truncated = NIL;
	PG_TRY();
	{
		/* The command may free the statement. */
		next_utility(statement, query, read_only_tree, context, params, environment, dest, completion);
		if (running == UTILITY_DISCARD_SEQUENCES)
			idgen_names_forget_last();
		else if (running == UTILITY_RESTART_IDENTITY)
			restart_of_tables(truncated);
	}
	PG_FINALLY();
	{
		running = outer;
		truncated = outer_truncated;
	}
	PG_END_TRY();
}

/*
 * Is COPY FROM in progress, and no other command that it has led to? Queries do
 * not count.
 */
bool
idgen_in_copy_from(void)
{
	return running == UTILITY_COPY_FROM;
}

/* The command in progress truncates a table. */
void
idgen_note_truncated(Oid relid)
{
	if (running == UTILITY_RESTART_IDENTITY)
		truncated = lappend_oid(truncated, relid);
}

/* Install the hook. Called once per process. */
void
idgen_utility_init(void)
{
	next_utility = ProcessUtility_hook ? ProcessUtility_hook : standard_ProcessUtility;
	ProcessUtility_hook = process_utility;
}
