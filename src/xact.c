/*
 * xact.c
 *		What happens when a transaction or savepoint ends.
 *
 * The commit callback publishes a transaction's blocks. By then the commit
 * record is flushed (common/early_release.c), and a synchronous standby has it,
 * if there is one to wait for. The transaction's
 * locks are still held, so that sessions that wait for them find the ids in the
 * cache. But other sessions see already what was committed: so for a moment one
 * may draw ids that a change of the row has just made void, as it could have
 * just before.
 */
#include "postgres.h"

#include "access/xact.h"
#include "commands/trigger.h"
#include "utils/portal.h"

#include "common/durable.h"
#include "common/early_release.h"
#include "draw/wait.h"
#include "remote/connection.h"
#include "session/pending.h"
#include "session/xact_changes.h"
#include "xact.h"

static void
finish(IdgenXactEnd end)
{
	idgen_xact_finish(end);
	idgen_connection_close_stale();
}

/*
 * Give what is left of gapless blocks back to the rows. Triggers that this
 * fires may leave something to be checked at the end of the transaction, or
 * cursors to be closed or held, after the server has looked for those; and they
 * may draw.
 */
static void
give_back_gapless(bool prepare)
{
	while (idgen_xact_give_back_gapless())
	{
		do
			AfterTriggerFireDeferred();
		while (PreCommit_Portals(prepare));
	}
}

static void
end_of_transaction(XactEvent event, void *arg)
{
	switch (event)
	{
		case XACT_EVENT_PRE_PREPARE:
		case XACT_EVENT_PRE_COMMIT:
			give_back_gapless(event == XACT_EVENT_PRE_PREPARE);
			idgen_xact_before_commit(event == XACT_EVENT_PRE_PREPARE);
			if (event == XACT_EVENT_PRE_COMMIT)
				idgen_early_release_begin();
			break;
		case XACT_EVENT_COMMIT:
			finish(idgen_is_replicated(XactLastCommitEnd) ? IDGEN_END_COMMITTED : IDGEN_END_REVOCABLE);
			break;
		case XACT_EVENT_PREPARE:
			/* Nobody knows yet, nor tells us later, whether it commits. */
			finish(IDGEN_END_REVOCABLE);
			idgen_early_release_forget();
			break;
		case XACT_EVENT_ABORT:
			idgen_early_release_forget();
			idgen_wait_end();
			finish(IDGEN_END_ABORTED);
			break;
		case XACT_EVENT_PARALLEL_PRE_COMMIT:
		case XACT_EVENT_PARALLEL_COMMIT:
		case XACT_EVENT_PARALLEL_ABORT:
			/* Parallel workers draw no ids. */
			break;
	}
}

static void
end_of_savepoint(SubXactEvent event, SubTransactionId subid,
                 SubTransactionId parent_subid, void *arg)
{
	switch (event)
	{
		case SUBXACT_EVENT_COMMIT_SUB:
			idgen_pending_release_savepoint();
			break;
		case SUBXACT_EVENT_ABORT_SUB:
			idgen_wait_end();
			idgen_pending_roll_back_savepoint();
			break;
		case SUBXACT_EVENT_START_SUB:
		case SUBXACT_EVENT_PRE_COMMIT_SUB:
			break;
	}
}

/* Register the callbacks. Called once per process. */
void
idgen_xact_init(void)
{
	RegisterXactCallback(end_of_transaction, NULL);
	RegisterSubXactCallback(end_of_savepoint, NULL);
	idgen_early_release_init();
}
