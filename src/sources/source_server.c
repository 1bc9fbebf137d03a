/*
 * source_server.c
 *		Blocks from id_sequences on another server.
 *
 * That server, the centre, has the row that counts; the row here says only that
 * it is there. centre.c asks the centre, which allocates in a transaction of
 * its own. What it has committed is good for all sessions here, whatever
 * becomes of the transaction that asked. If its answer is lost, so is the block
 * (a gap): the next request gets another one.
 *
 * Whichever role draws, the centre is asked by the user mapping of the owner of
 * id_sequences. What is cached is for all sessions, so it must come from one
 * place, and the session that happens to refill must not choose it. With a
 * mapping of its own, a role could have the centre find another table, by its
 * search_path there, and all sessions would get ids of that. (It was turned
 * down to ask the centre where each block comes from, and to keep apart what
 * comes from elsewhere. Somebody has to say which place is the right one, and
 * that is the owner. A view there could also pretend to be that place.)
 */
#include "postgres.h"

#include "miscadmin.h"
#include "utils/inval.h"
#include "utils/timestamp.h"

#include "catalog/table.h"
#include "common/as_owner.h"
#include "common/guc.h"
#include "remote/server.h"
#include "session/handle.h"
#include "session/xact.h"
#include "sources/centre.h"

/*
 * How much time the centre gets to answer at least, unless the setting is
 * shorter.
 */
#define LEAST_MS 500

/* There must be a server; source_name is stored as it was given. */
static const char *
server_check_name(const char *name, const char *source_name)
{
	if (name != NULL)
		(void) idgen_server_find(name, source_name);
	else if (source_name != NULL && source_name[0] == '\0')
		ereport(ERROR,
		        (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
		         errmsg("name of server must not be empty")));
	else if (source_name != NULL && strlen(source_name) >= NAMEDATALEN)
		ereport(ERROR,
		        (errcode(ERRCODE_NAME_TOO_LONG),
		         errmsg("name of server \"%s\" is too long", source_name)));
	return source_name;
}

/*
 * The role that draws must have USAGE on the server, which is not an object of
 * the cache key.
 */
static void
server_resolve(const IdgenHandle *handle, IdgenFound *found, Oid object)
{
	Oid serverid = idgen_server_find(handle->name, found->row.source_name);

	idgen_server_check_usage(serverid, GetUserId());
	found->origin = serverid;
	found->uncommitted = idgen_changes_include_servers() || idgen_owner_is_uncommitted(handle->relid);
}

/*
 * Have other sessions changed server, user mapping or privileges since
 * idgen_epoch was that?
 */
static bool
is_out_of_date(uint64 epoch)
{
	AcceptInvalidationMessages();
	return epoch != idgen_epoch;
}

/*
 * By when the centre has to have answered to a session. The call may have
 * waited meanwhile, for the worker or for a lock. The centre still gets some
 * time: otherwise, what it allocates would only be a gap.
 */
static TimestampTz
deadline_of(const IdgenRequest *request)
{
	TimestampTz least = TimestampTzPlusMilliseconds(GetCurrentTimestamp(), Min(idgen_server_timeout, LEAST_MS));

	return Max(least, TimestampTzPlusMilliseconds(request->since, (int64) idgen_server_timeout));
}

/*
 * Allocate blocks. Not ahead, which would keep a session waiting that has ids:
 * that is for the worker. A session waits for the answer in its transaction,
 * the worker between two of them: the first one begins, the second one takes
 * the answer.
 */
static IdgenSourceResult
server_allocate(IdgenHandle *handle, const IdgenRequest *request, IdgenRefill *refill)
{
	bool by_worker = request->under_way != NULL;
	IdgenRemoteQuery *query = by_worker ? *request->under_way : NULL;
	uint64 epoch = idgen_epoch;

	if (request->asker == IDGEN_ASKER_SESSION_AHEAD)
		return IDGEN_SOURCE_BUSY;
	if (by_worker)
		*request->under_way = NULL;
	for (;;)
	{
		if (query != NULL && idgen_centre_finish_allocation(handle, request, query, refill))
			return IDGEN_SOURCE_OK;
		if (!by_worker && is_out_of_date(epoch))
			return IDGEN_SOURCE_STALE;
		query = idgen_centre_begin_allocation(handle, request);
		if (by_worker)
		{
			*request->under_way = query;
			return IDGEN_SOURCE_UNDER_WAY;
		}
		idgen_remote_await(list_make1(query), deadline_of(request));
	}
}

static void
server_published(IdgenHandle *handle)
{
	if (!handle->found.uncommitted)
		idgen_mark_published();
}

/* Asks the centre. Raises 2200H, and whatever that may raise. */
static bool
server_peek(IdgenHandle *handle, int64 *id)
{
	*id = idgen_centre_next_id(handle);
	return true;
}

const IdgenSource idgen_source_server = {
	.name = "server",
	.transactional = false,
	.is_remote = true,
	.max_count = IDGEN_BLOCK_MAX,
	.check_name = server_check_name,
	.resolve = server_resolve,
	.look_up = idgen_server_look_up,
	.allocate = server_allocate,
	.published = server_published,
	.peek = server_peek,
};
