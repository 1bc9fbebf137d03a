/*
 * reach.c
 *		Do other servers answer? What is noted of that, and who is told.
 *
 * What is noted is in shared memory (shmem/other_servers.c). The server log is
 * told once that a server does not answer, by the worker (job_try.c), and then
 * once that it does again, by whoever gets the answer.
 */
#include "postgres.h"

#include "mb/pg_wchar.h"
#include "utils/timestamp.h"

#include "common/guc.h"
#include "remote/reach.h"
#include "shmem/other_servers.h"

/*
 * Whoever waits shares the failure of an attempt that had as much time as it
 * would have itself, but for this part.
 */
#define IDGEN_SHARING_DIVISOR 10

/* A server has answered. */
void
idgen_reach_note_answer(Oid serverid, const char *server)
{
	TimestampTz since = idgen_unreachable_forget(serverid);

	if (since != 0)
		ereport(LOG_SERVER_ONLY,
		        (errmsg("server \"%s\" answers again", server),
		         errdetail("It had not done so since %s.", timestamptz_to_str(since)),
		         errhidestmt(true)));
}

static void
note(Oid serverid, IdgenUnreachable failed, const char *reason)
{
	int length = pg_mbcliplen(reason, strlen(reason), sizeof(failed.reason) - 1);

	memcpy(failed.reason, reason, length);
	failed.reason[length] = '\0';
	idgen_unreachable_note(serverid, &failed);
}

/*
 * A server has not answered to an attempt that began then, and had time until
 * the deadline.
 */
void
idgen_reach_note_failure(Oid serverid, TimestampTz begun_at, TimestampTz deadline,
                         const IdgenRemoteError *error)
{
	IdgenUnreachable failed = {
		.since = begun_at,
		.timeout = error->lasts ? IDGEN_UNREACHABLE_LASTS : (deadline - begun_at) / 1000,
		.sqlerrcode = error->sqlerrcode,
	};

	note(serverid, failed, error->detail != NULL ? error->detail : error->message);
}

/* All hosts of a server have been tried in vain, and will be tried again. */
void
idgen_reach_note_vain_round(Oid serverid, TimestampTz begun_at, const char *reason)
{
	IdgenUnreachable failed = {.since = begun_at, .timeout = IDGEN_UNREACHABLE_SO_FAR};

	note(serverid, failed, reason);
}

/*
 * Has somebody failed to connect to a server since then, so that whoever has
 * waited for that need not try? Not if that attempt had much less time than the
 * setting gives here. Returns the error to be raised instead, palloc'd.
 */
bool
idgen_reach_failed_since(Oid serverid, const char *server, TimestampTz since, IdgenRemoteError *error)
{
	IdgenUnreachable failed;

	if (!idgen_unreachable_find(serverid, &failed) || failed.latest < since ||
	    failed.sqlerrcode != ERRCODE_SQLCLIENT_UNABLE_TO_ESTABLISH_SQLCONNECTION ||
	    failed.timeout < idgen_server_timeout - idgen_server_timeout / IDGEN_SHARING_DIVISOR)
		return false;
	*error = (IdgenRemoteError){
		.sqlerrcode = failed.sqlerrcode,
		.message = psprintf("could not connect to server \"%s\"", server),
		.detail = pstrdup(failed.reason),
	};
	return true;
}
