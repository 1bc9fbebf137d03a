/*
 * early_release.c
 *		Commits whose locks go before they are on disk (rule T8).
 *
 * A session that waits for a gapless number waits for the row, and so for the
 * commit of whoever has drawn the number before, and for its flush. With early
 * release (DeWitt et al., "Implementation techniques for main memory database
 * systems", 1984; Aether, VLDB 2010), the order is another one: the commit
 * record is written, the transaction becomes visible, its locks go, and only
 * then the session flushes the WAL, waits for synchronous standbys, and tells
 * its client. So one flush serves all who have drawn meanwhile.
 *
 * Commit records lie in the WAL in the order in which the row went from one
 * transaction to the next. So if a number is on disk, all earlier ones are. But
 * a crash can take back what other sessions have seen already.
 *
 * A transaction that has allocated anything else does not release early: it is
 * about to publish ids, which must be on disk by then (rule U3); or it has a
 * number of an id sequence that promises that nobody sees one too early.
 *
 * The server decides by synchronous_commit whether a commit is flushed before
 * it is visible. So that is lowered from the end of the pre-commit work until
 * the locks are gone. Nothing of users runs in between but the callbacks of
 * other extensions.
 */
#include "postgres.h"

#include "access/xact.h"
#include "access/xlog.h"
#include "replication/syncrep.h"
#include "utils/resowner.h"

#include "common/compat.h"
#include "common/early_release.h"

/* How the current transaction commits, by what it has allocated. */
typedef enum CommitOrder
{
	COMMIT_AS_SET,       /* nothing; as synchronous_commit says */
	COMMIT_FLUSHES_LAST, /* only numbers that it releases early */
	COMMIT_IS_LOWERED,   /* the same, and the commit has begun */
	COMMIT_FLUSHES_FIRST /* other ids */
} CommitOrder;

static CommitOrder order = COMMIT_AS_SET;

/* What synchronous_commit is for the user, while it is lowered. */
static int user_synchronous_commit;

static void
restore(void)
{
	if (order == COMMIT_IS_LOWERED)
		synchronous_commit = user_synchronous_commit;
}

/*
 * The transaction has allocated what must be on disk before its commit is
 * visible, whatever synchronous_commit says. The pre-commit callback of another
 * extension may do so after the commit was lowered.
 */
void
idgen_commit_flushes_first(void)
{
	restore();
	order = COMMIT_FLUSHES_FIRST;
	ForceSyncCommit();
}

/* The transaction has drawn a number of an id sequence with early_release. */
void
idgen_commit_flushes_last(void)
{
	if (order == COMMIT_AS_SET)
		order = COMMIT_FLUSHES_LAST;
}

/* The transaction is about to commit, and has drawn all that it draws. */
void
idgen_early_release_begin(void)
{
	if (order != COMMIT_FLUSHES_LAST)
		return;
	user_synchronous_commit = synchronous_commit;
	synchronous_commit = SYNCHRONOUS_COMMIT_OFF;
	order = COMMIT_IS_LOWERED;
}

/* The transaction is rolled back, perhaps while it commits, or prepared. */
void
idgen_early_release_forget(void)
{
	restore();
	order = COMMIT_AS_SET;
}

/*
 * At the end of the transaction, when its locks have gone: flush its commit,
 * and wait for synchronous standbys as the user has set. The server calls this
 * for each resource owner, and holds interrupts off; if the wait for a standby
 * is cancelled, it warns.
 */
static void
after_locks(ResourceReleasePhase phase, bool is_commit, bool is_top_level, void *arg)
{
	CommitOrder was = order;

	if (phase != RESOURCE_RELEASE_AFTER_LOCKS || !is_commit || !is_top_level)
		return;
	idgen_early_release_forget();
	if (was != COMMIT_IS_LOWERED && was != COMMIT_FLUSHES_LAST)
		return;
	XLogFlush(XactLastCommitEnd);
	SyncRepWaitForLSN(XactLastCommitEnd, true);
}

/* Register the callback. Called once per process. */
void
idgen_early_release_init(void)
{
	RegisterResourceReleaseCallback(after_locks, NULL);
}
