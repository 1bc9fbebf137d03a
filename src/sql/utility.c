/*
 * utility.c
 *		Noticing utility commands: DISCARD.
 *
 * Utility commands are all but SELECT, INSERT, UPDATE, DELETE and MERGE. The
 * server calls a hook for each.
 */
#include "postgres.h"

#include "nodes/parsenodes.h"
#include "tcop/utility.h"

#include "session/handle.h"
#include "sql/utility.h"

static ProcessUtility_hook_type previous_utility_hook = NULL;

/* Is it DISCARD SEQUENCES, or DISCARD ALL? */
static bool
discards_sequences(const Node *statement)
{
	DiscardMode target;

	if (!IsA(statement, DiscardStmt))
		return false;
	target = ((const DiscardStmt *) statement)->target;
	return target == DISCARD_SEQUENCES || target == DISCARD_ALL;
}

static void
process_utility(PlannedStmt *statement, const char *query, bool read_only_tree,
                ProcessUtilityContext context, ParamListInfo params, QueryEnvironment *environment,
                DestReceiver *dest, QueryCompletion *completion)
{
	ProcessUtility_hook_type next = previous_utility_hook ? previous_utility_hook : standard_ProcessUtility;
	bool discards = discards_sequences(statement->utilityStmt);

	/* The command may free the statement. */
	next(statement, query, read_only_tree, context, params, environment, dest, completion);
	if (discards)
		idgen_handles_forget_last();
}

/* Install the hook. Called once per process. */
void
idgen_utility_init(void)
{
	previous_utility_hook = ProcessUtility_hook;
	ProcessUtility_hook = process_utility;
}
