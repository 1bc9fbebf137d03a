/*
 * server_time.c
 *		How long a call may take because of another server.
 *
 * A call has the time that idgen.server_timeout gives, however often it
 * refills, and whoever asks the server: the call itself,
 * another session that it waits for, or the worker. The time counts from when
 * the call first needs the server.
 *
 * Who asks has that time as well, and has begun before. So whoever waits
 * learns of a failure in time, and fails with it. If not, the one that asks is
 * held up, or has set a longer time. Then the call asks the server itself, for
 * which it gets a second more; but for half of that it goes on waiting, so that
 * it does not miss a failure by a hair's breadth. Where the worker alone may
 * ask, the call waits for all of that second.
 *
 * A call may also have waited for something else meanwhile, a lock on
 * id_sequences, say. The server still gets some time to answer it: otherwise,
 * what it allocates would only be a gap.
 */
#include "postgres.h"

#include <limits.h>

#include "utils/timestamp.h"

#include "common/guc.h"
#include "draw/server_time.h"
#include "remote/foreign_server.h"
#include "remote/reach.h"

/* How much longer a call may take than the setting says. */
#define IDGEN_SERVER_EXTRA_MS 1000

/* How much time the server gets to answer, unless the setting is shorter. */
#define IDGEN_SERVER_LEAST_MS (IDGEN_SERVER_EXTRA_MS / 2)

/* When the call has first needed the server, which may be now. */
static TimestampTz
needed_since(IdgenCall *call)
{
	if (call->server_since == 0)
		call->server_since = GetCurrentTimestamp();
	return call->server_since;
}

/*
 * By when the server has to have answered to a call that asks it now; 0 if the
 * id sequence needs none.
 */
TimestampTz
idgen_server_deadline(const IdgenHandle *handle, IdgenCall *call)
{
	int64 timeout = idgen_server_timeout;
	TimestampTz now;
	TimestampTz deadline;

	if (!idgen_needs_server(handle))
		return 0;
	deadline = TimestampTzPlusMilliseconds(needed_since(call), timeout);
	now = GetCurrentTimestamp();
	if (now >= deadline)
		deadline = TimestampTzPlusMilliseconds(deadline, IDGEN_SERVER_EXTRA_MS);
	return Max(deadline, TimestampTzPlusMilliseconds(now, Min(timeout, IDGEN_SERVER_LEAST_MS)));
}

/* For how many milliseconds a call waits for others to ask the server. */
int
idgen_server_patience(const IdgenHandle *handle)
{
	int extra = IDGEN_SERVER_EXTRA_MS;

	if (handle->found.refill != IDGEN_REFILL_WORKER)
		extra -= IDGEN_SERVER_LEAST_MS;
	return Min(idgen_server_timeout, INT_MAX - extra) + extra;
}

/* How many of them are left. */
long
idgen_server_patience_left(const IdgenHandle *handle, IdgenCall *call)
{
	TimestampTz end = TimestampTzPlusMilliseconds(needed_since(call), (int64) idgen_server_patience(handle));

	return TimestampDifferenceMilliseconds(GetCurrentTimestamp(), end);
}

/*
 * Another session was to ask the server, and has not got an answer. Raises
 * 08001 if nobody could connect to it since this session began to wait.
 */
void
idgen_server_share_failure(const IdgenHandle *handle, TimestampTz since)
{
	IdgenServer server = idgen_server_get(handle->found.origin);
	IdgenRemoteError error;

	if (idgen_reach_failed_since(handle->found.origin, server.name, since, &error))
		idgen_remote_raise(&error, NULL);
}
