/*
 * lock_log.c
 *		Lines of the server log about waits for locks, in the server's words.
 *
 * With log_lock_waits on, the server logs that a session waits for a lock
 * longer than deadlock_timeout, and that it gets it then. It does so for a wait
 * in the lock manager. A refill may wait otherwise: the worker tries again now
 * and then, and a session waits in several steps. Here are the same lines for
 * these, in the same words, so that programs that read the log know them. The
 * caller's context says which id sequence it is.
 */
#include "postgres.h"

#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "storage/lmgr.h"
#include "utils/guc.h"
#include "utils/timestamp.h"

#include "common/lock_log.h"

/*
 * Have the lock manager log no waits until the subtransaction ends, which is an
 * internal one: the caller logs them.
 */
void
idgen_log_no_lock_waits(void)
{
	(void) set_config_option("log_lock_waits", "off", PGC_SUSET,
	                         PGC_S_SESSION, GUC_ACTION_SAVE, true, 0, false);
}

/* What a lock is for, as the server says it. */
static char *
describe(const IdgenLock *lock)
{
	StringInfoData text;

	initStringInfo(&text);
	DescribeLockTag(&text, &lock->tag);
	return text.data;
}

/* The milliseconds since then, as the server writes them. */
static char *
elapsed(TimestampTz since)
{
	long secs;
	int usecs;

	TimestampDifference(since, GetCurrentTimestamp(), &secs, &usecs);
	return psprintf("%ld.%03d", secs * 1000 + usecs / 1000, usecs % 1000);
}

/* Log that a refill has waited for a lock since then, and still does. */
void
idgen_log_lock_awaited(const IdgenLock *lock, const IdgenLockHolder *holder, TimestampTz since)
{
	ereport(LOG,
	        (errmsg("process %d still waiting for %s on %s after %s ms",
	                MyProcPid, GetLockmodeName(lock->tag.locktag_lockmethodid, lock->mode),
	                describe(lock), elapsed(since)),
	         holder->pid != 0 ? errdetail_log("Process holding the lock: %d.", holder->pid)
	                          : errdetail_log("Prepared transaction holding the lock: %u.", holder->xid)));
}

/* Log that the wait is over. */
void
idgen_log_lock_acquired(const IdgenLock *lock, TimestampTz since)
{
	ereport(LOG,
	        (errmsg("process %d acquired %s on %s after %s ms",
	                MyProcPid, GetLockmodeName(lock->tag.locktag_lockmethodid, lock->mode),
	                describe(lock), elapsed(since))));
}
