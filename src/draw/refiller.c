/*
 * refiller.c
 *		Does the worker refill for a call, or the session itself?
 *
 * With refill "auto", the worker does if one can be had (rule W5). Else the
 * session refills in its own transaction, as with refill "transaction", and
 * rules T1 to T7 hold. Some reasons for that are known at once, and are here.
 * Others turn up while the session waits for the worker; see by_worker.c.
 *
 * Both ways can be mixed at any time. All ids come from one row, or one native
 * sequence, or one centre, and each allocation has its own. A block that is
 * pending belongs to its transaction, whoever refills next. What is published
 * is for all, whoever has refilled.
 *
 * No lock is needed: what is here belongs to the session.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "common/clock.h"
#include "common/guc.h"
#include "draw/refill.h"
#include "session/xact.h"
#include "cache/desk.h"

/*
 * For how long a session that could not have a worker does without: that many
 * times as long as it has waited for one, within limits. So it spends less than
 * a tenth of its time on waiting in vain.
 */
#define IDGEN_ALONE_FACTOR 10
#define IDGEN_ALONE_MIN_MS 1000
#define IDGEN_ALONE_MAX_MS 60000

/* What this session remembers of a worker that it could not have. */
static struct
{
	bool is;                /* does it do without one? */
	Oid serverid;           /* for which server that one is; invalid for none */
	uint32 since_ms;        /* since then, as idgen_clock_ms() says */
	uint32 ms;              /* and for so long */
	IdgenWorkerState state; /* of the worker; RUNNING if it has not answered */
} alone;

/*
 * Which worker refills an id sequence: that for its server, or else that of the
 * database?
 */
Oid
idgen_worker_for(const IdgenHandle *handle)
{
	return handle->found.row.source->is_remote ? handle->found.origin : InvalidOid;
}

/*
 * Is it worth asking the worker? If there was none to be had a moment ago, then
 * only if one has come up. If there was one that did not answer, that says
 * nothing of others.
 */
static bool
is_worth_asking(const IdgenHandle *handle)
{
	if (!alone.is || (alone.state == IDGEN_WORKER_RUNNING && alone.serverid != idgen_worker_for(handle)))
		return true;
	if (idgen_clock_ms() - alone.since_ms < alone.ms &&
	    (alone.state == IDGEN_WORKER_RUNNING ||
	     idgen_desk_worker(idgen_worker_for(handle)) != IDGEN_WORKER_RUNNING))
		return false;
	alone.is = false;
	return true;
}

/*
 * Is it the worker that refills for a call, as far as is known without asking?
 * The handle is valid.
 *
 * A transaction that has refilled itself goes on with that. It holds the row,
 * or has held it in a savepoint since rolled back: the worker would have to
 * wait for it, and it would wait for the worker.
 */
bool
idgen_worker_serves(const IdgenHandle *handle, const IdgenCall *call)
{
	switch (handle->found.row.refill)
	{
		case IDGEN_REFILL_TRANSACTION:
			return false;
		case IDGEN_REFILL_WORKER:
			return !call->by_session || handle->xact.refills == 0;
		case IDGEN_REFILL_AUTO:
			break;
	}
	return !call->by_session && idgen_worker_start_timeout >= 0 && idgen_cache_is_shared() &&
		!handle->found.own_row && handle->xact.refills == 0 &&
		idgen_may_use_published(handle) && is_worth_asking(handle);
}

/* A call could not have the worker, for which it may have waited. */
void
idgen_refiller_miss_worker(const IdgenHandle *handle, const IdgenCall *call)
{
	uint32 now = idgen_clock_ms();
	int64 waited = call->waiting_ms != 0 ? now - call->waiting_ms : 0;

	alone.is = true;
	alone.serverid = idgen_worker_for(handle);
	alone.state = idgen_desk_worker(alone.serverid);
	alone.since_ms = now;
	alone.ms = Min(Max(waited * IDGEN_ALONE_FACTOR, IDGEN_ALONE_MIN_MS), IDGEN_ALONE_MAX_MS);
}

/* From now on, the session itself refills for this call. */
void
idgen_refiller_is_session(IdgenCall *call)
{
	call->by_session = true;
}
