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
 * held up, or has set a longer time. Then the call fails or, where it may, asks
 * the server itself. It waits a bit longer than the setting says, so that it
 * does not miss a failure by a hair's breadth.
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
#include "remote/server.h"
#include "remote/reach.h"

/*
 * How much longer a call waits for others than the setting says, and how much
 * time the server gets to answer at least, unless the setting is shorter. So a
 * call takes a second more at most.
 */
#define IDGEN_SERVER_EXTRA_MS 500

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
	TimestampTz least;

	if (!idgen_needs_server(handle))
		return 0;
	least = TimestampTzPlusMilliseconds(GetCurrentTimestamp(), Min(idgen_server_timeout, IDGEN_SERVER_EXTRA_MS));
	return Max(least, TimestampTzPlusMilliseconds(needed_since(call), (int64) idgen_server_timeout));
}

/* For how many milliseconds a call waits for others to ask the server. */
int
idgen_server_patience(void)
{
	return Min(idgen_server_timeout, INT_MAX - IDGEN_SERVER_EXTRA_MS) + IDGEN_SERVER_EXTRA_MS;
}

/* How many of them are left. */
long
idgen_server_patience_left(IdgenCall *call)
{
	TimestampTz end = TimestampTzPlusMilliseconds(needed_since(call), (int64) idgen_server_patience());

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
