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

#include "nodes/parsenodes.h"
#include "tcop/utility.h"

#include "session/names.h"
#include "sql/truncated.h"
#include "sql/utility.h"

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
			idgen_restart_of_tables(truncated);
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
