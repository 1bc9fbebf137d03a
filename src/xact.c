/*
 * xact.c
 *		What happens when a transaction or savepoint ends.
 *
 * A transaction's blocks are published in the commit callback: after the
 * commit record was flushed (refills see to that with ForceSyncCommit) and, if we are to
 * wait for one, a synchronous standby has it; and before the transaction's locks are
 * released, so that those who wait for it find the ids in the cache. By then others
 * already see what was committed. So for a moment a session may draw ids that a
 * change of the row has just made void, as it could have just before.
 */
#include "postgres.h"

#include "access/xact.h"
#include "commands/trigger.h"
#include "utils/portal.h"

#include "common/durable.h"
#include "draw/by_worker.h"
#include "draw/refill.h"
#include "remote/connection_cache.h"
#include "session/handle.h"
#include "session/savepoint.h"
#include "session/xact_changes.h"
#include "session/xact_end.h"
#include "xact.h"

static void
finish(IdgenXactEnd end)
{
	idgen_xact_finish(end);
	idgen_handles_limit();
	idgen_connections_close_stale();
}

/*
 * Give back what is left of gapless blocks. Triggers that this fires may leave something
 * to be checked at the end of the transaction, or cursors to be closed or held, for which
 * the server has looked before; and they may draw.
 */
static void
return_gapless(bool prepare)
{
	while (idgen_xact_return_gapless())
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
			return_gapless(event == XACT_EVENT_PRE_PREPARE);
			if (event == XACT_EVENT_PRE_PREPARE)
				idgen_changes_before_prepare();
			idgen_xact_warn_low();
			idgen_changes_collect_files();
			break;
		case XACT_EVENT_COMMIT:
			finish(idgen_is_replicated(XactLastCommitEnd) ? IDGEN_END_COMMITTED : IDGEN_END_REVOCABLE);
			break;
		case XACT_EVENT_PREPARE:
			/* Whether it will commit is not known here, nor told to us later. */
			finish(IDGEN_END_REVOCABLE);
			break;
		case XACT_EVENT_ABORT:
			idgen_by_worker_abort();
			idgen_refill_abort();
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
			idgen_savepoint_release();
			break;
		case SUBXACT_EVENT_ABORT_SUB:
			idgen_by_worker_abort();
			idgen_refill_abort();
			idgen_savepoint_rollback();
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
}
