/*
 * connection_cache.c
 *		The connections to other servers that this process has.
 *
 * A connection belongs to a server and a user. While a statement needs it, it
 * is busy. When the statement is over, it is idle, and the next statement for
 * the same server and user takes it. But it is closed if it is not READY then,
 * or too much has come over it, or the server or the user mapping has been
 * changed.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "storage/latch.h"
#include "utils/memutils.h"
#include "utils/resowner.h"

#include "common/compat.h"
#include "remote/connection_cache.h"
#include "remote/server.h"

/*
 * The most connections to one server by one user. Only the worker needs
 * several.
 */
#define MAX_CONNECTIONS 4

/*
 * How many bytes may come over a connection before it is not kept any more.
 * What comes besides answers, such as notifications and settings of ever new
 * names, libpq keeps as long as the connection. Some thousand answers fit in.
 */
#define MAX_KEPT (INT64CONST(1024) * 1024)

static dlist_head busy_connections = DLIST_STATIC_INIT(busy_connections);
static dlist_head idle_connections = DLIST_STATIC_INIT(idle_connections); /* all READY */

/* Close a connection, and forget it. */
static void
discard(IdgenConnection *connection)
{
	idgen_connection_close(connection);
	dlist_delete(&connection->node);
	pfree(connection);
}

/* A statement that has used the connection is over. */
void
idgen_connection_give_back(IdgenConnection *connection)
{
	if (connection->state != IDGEN_CONNECTION_READY || connection->link.valve.total > MAX_KEPT)
	{
		discard(connection);
		return;
	}
	dlist_delete(&connection->node);
	dlist_push_tail(&idle_connections, &connection->node);
}

/*
 * Close idle connections that were opened before a server or a user mapping was
 * changed.
 */
void
idgen_connections_close_stale(void)
{
	dlist_mutable_iter iter;

	dlist_foreach_modify(iter, &idle_connections)
	{
		IdgenConnection *connection = dlist_container(IdgenConnection, node, iter.cur);

		if (connection->version != idgen_servers_version)
			discard(connection);
	}
}

/* A connection that is CLOSED. */
static IdgenConnection *
make_connection(Oid serverid, const char *server, Oid userid)
{
	IdgenConnection *connection = MemoryContextAllocZero(TopMemoryContext, sizeof(IdgenConnection));

	strlcpy(connection->server, server, NAMEDATALEN);
	connection->serverid = serverid;
	connection->userid = userid;
	return connection;
}

/*
 * The last connection on a list to a server by a user, NULL if there is none;
 * and the number of such connections.
 */
static IdgenConnection *
find_connection(dlist_head *list, Oid serverid, Oid userid, int *count)
{
	IdgenConnection *found = NULL;
	dlist_iter iter;

	*count = 0;
	dlist_foreach(iter, list)
	{
		IdgenConnection *connection = dlist_container(IdgenConnection, node, iter.cur);

		if (connection->serverid != serverid || connection->userid != userid)
			continue;
		(*count)++;
		found = connection;
	}
	return found;
}

/*
 * A connection to a server, of that name, as some user: one that was idle, and
 * so is READY, or one that is CLOSED; NULL if the process has enough busy
 * ones.
 */
IdgenConnection *
idgen_connection_take(Oid serverid, const char *server, Oid userid)
{
	IdgenConnection *connection;
	int count;

	idgen_connections_close_stale();
	connection = find_connection(&idle_connections, serverid, userid, &count);
	if (connection != NULL)
		dlist_delete(&connection->node);
	else
	{
		(void) find_connection(&busy_connections, serverid, userid, &count);
		if (count == MAX_CONNECTIONS)
			return NULL;
		connection = make_connection(serverid, server, userid);
	}
	dlist_push_tail(&busy_connections, &connection->node);
	return connection;
}

/* Is there a socket to wait for? */
static bool
has_socket(const IdgenConnection *connection)
{
	return idgen_connection_awaits(connection) != 0 &&
		idgen_link_socket(&connection->link) != PGINVALID_SOCKET;
}

/*
 * Wait for this many milliseconds at most, until a busy connection can be
 * advanced or the process's latch is set. The latch is left as it is.
 */
void
idgen_connections_wait(long timeout, uint32 wait_event)
{
	WaitEventSet *set;
	WaitEvent event;
	dlist_iter iter;
	int count = 0;

	dlist_foreach(iter, &busy_connections)
		if (has_socket(dlist_container(IdgenConnection, node, iter.cur)))
			count++;
	if (count == 0)
	{
		(void) WaitLatch(MyLatch, WL_LATCH_SET | WL_TIMEOUT | WL_EXIT_ON_PM_DEATH,
		                 timeout, wait_event);
		return;
	}

	set = CreateWaitEventSet(CurrentResourceOwner, count + 2);
	AddWaitEventToSet(set, WL_LATCH_SET, PGINVALID_SOCKET, MyLatch, NULL);
	if (IsUnderPostmaster)
		AddWaitEventToSet(set, WL_EXIT_ON_PM_DEATH, PGINVALID_SOCKET, NULL, NULL);
	dlist_foreach(iter, &busy_connections)
	{
		IdgenConnection *connection = dlist_container(IdgenConnection, node, iter.cur);

		if (has_socket(connection))
			AddWaitEventToSet(set, idgen_connection_awaits(connection),
			                  idgen_link_socket(&connection->link), NULL, NULL);
	}
	(void) WaitEventSetWait(set, timeout, &event, 1, wait_event);
	FreeWaitEventSet(set);
}
