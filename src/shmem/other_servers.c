/*
 * other_servers.c
 *		Other servers, as the processes of this one have found them.
 *
 * Whoever asks another server and gets no answer notes that here, and whoever
 * gets one deletes the note. So views can tell how long a server has been
 * unreachable, without connecting to it; processes try again the less often the
 * longer that lasts; and sessions that wait for the answer fail with the one
 * that has asked.
 *
 * Of several hosts of a server, the one is noted that was good last, by a hash
 * of where it is. Whoever connects begins with that one.
 *
 * There are few places: if there are more servers, those that were asked last
 * are kept. What is noted of a server that is dropped stays until its place is
 * needed; nobody asks for it. Without shared memory, a session has notes of its
 * own.
 *
 * Locking rules: servers->lock protects all of it, but the number of those that
 * do not answer is also read without the lock. The lock comes after no other
 * one, and none is taken under it.
 */
#include "postgres.h"

#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "storage/lwlock.h"
#include "storage/shmem.h"
#include "utils/memutils.h"
#include "utils/timestamp.h"

#include "shmem/other_servers.h"

#define IDGEN_OTHER_SERVERS 48

/* A server of a database. */
typedef struct Place
{
	Oid dbid; /* invalid if the place is free */
	Oid serverid;
	TimestampTz used_at;          /* something was noted */
	uint32 good_host;             /* 0 = none is known */
	bool told;                    /* was the server log told that it does not answer? */
	IdgenUnreachable unreachable; /* if that has a beginning */
} Place;

typedef struct IdgenOtherServers
{
	LWLock lock;
	int unreachable; /* places of servers that do not answer */
	Place places[IDGEN_OTHER_SERVERS];
} IdgenOtherServers;

static IdgenOtherServers *servers = NULL;

Size
idgen_other_servers_size(void)
{
	return sizeof(IdgenOtherServers);
}

static void
init_notes(int tranche)
{
	memset(servers, 0, sizeof(IdgenOtherServers));
	LWLockInitialize(&servers->lock, tranche);
}

/* Create the notes or attach to them. The caller holds AddinShmemInitLock. */
void
idgen_other_servers_startup_shmem(int tranche)
{
	bool found;

	servers = ShmemInitStruct("idgen other servers", sizeof(IdgenOtherServers), &found);
	if (!found)
		init_notes(tranche);
}

/* Without shared memory, make notes for this session alone. */
static void
make_own_notes(void)
{
	if (servers != NULL)
		return;
	servers = MemoryContextAlloc(TopMemoryContext, sizeof(IdgenOtherServers));
	init_notes(LWTRANCHE_PER_SESSION_DSA); /* as handle.c */
}

/*
 * The place of a server of this database; NULL if it has none. The caller holds
 * the lock.
 */
static Place *
find_place(Oid serverid)
{
	for (int i = 0; i < IDGEN_OTHER_SERVERS; i++)
		if (servers->places[i].dbid == MyDatabaseId && servers->places[i].serverid == serverid)
			return &servers->places[i];
	return NULL;
}

/*
 * A place for another server: a free one, or that of the server of which
 * nothing was noted for the longest time. The caller holds the lock.
 */
static Place *
take_place(Oid serverid)
{
	Place *place = &servers->places[0];

	for (int i = 1; i < IDGEN_OTHER_SERVERS && OidIsValid(place->dbid); i++)
		if (!OidIsValid(servers->places[i].dbid) || servers->places[i].used_at < place->used_at)
			place = &servers->places[i];
	if (place->unreachable.since != 0)
		servers->unreachable--;
	*place = (Place){.dbid = MyDatabaseId, .serverid = serverid};
	return place;
}

/* The place of a server, to note something. The caller holds the lock. */
static Place *
use_place(Oid serverid)
{
	Place *place = find_place(serverid);

	if (place == NULL)
		place = take_place(serverid);
	place->used_at = GetCurrentTimestamp();
	return place;
}

/*
 * A server has not answered to an attempt that began at failed->since; when it
 * failed is now. One that has not failed yet is only noted as the first one.
 */
void
idgen_unreachable_note(Oid serverid, const IdgenUnreachable *failed)
{
	IdgenUnreachable *unreachable;
	TimestampTz since;

	make_own_notes();
	LWLockAcquire(&servers->lock, LW_EXCLUSIVE);
	unreachable = &use_place(serverid)->unreachable;
	since = unreachable->since;
	if (since == 0)
		servers->unreachable++;
	if (since == 0 || failed->timeout != IDGEN_UNREACHABLE_SO_FAR)
	{
		*unreachable = *failed;
		unreachable->since = since != 0 ? since : failed->since;
		unreachable->latest = GetCurrentTimestamp();
	}
	LWLockRelease(&servers->lock);
}

/* Do all servers answer, as far as is known? */
static bool
none_unreachable(void)
{
	return servers == NULL || *(const volatile int *) &servers->unreachable == 0;
}

/* Delete a note. The caller holds the lock. */
static void
delete_note(Place *place)
{
	place->unreachable.since = 0;
	place->told = false;
	servers->unreachable--;
}

/*
 * A server has answered. If the server log was told that it does not, returns
 * since when it had not; else 0.
 */
TimestampTz
idgen_unreachable_forget(Oid serverid)
{
	Place *place;
	TimestampTz since = 0;

	if (none_unreachable())
		return 0;
	LWLockAcquire(&servers->lock, LW_EXCLUSIVE);
	place = find_place(serverid);
	if (place != NULL && place->unreachable.since != 0)
	{
		since = place->told ? place->unreachable.since : 0;
		delete_note(place);
	}
	LWLockRelease(&servers->lock);
	return since;
}

/*
 * Servers of this database are reached in another way from now on, or in the
 * old way again: what has failed before says nothing of that.
 */
void
idgen_unreachable_forget_all(void)
{
	if (none_unreachable())
		return;
	LWLockAcquire(&servers->lock, LW_EXCLUSIVE);
	for (int i = 0; i < IDGEN_OTHER_SERVERS; i++)
	{
		Place *place = &servers->places[i];

		if (place->dbid == MyDatabaseId && place->unreachable.since != 0)
			delete_note(place);
	}
	LWLockRelease(&servers->lock);
}

/* Has a server not answered when it was asked last? */
bool
idgen_unreachable_find(Oid serverid, IdgenUnreachable *found)
{
	const Place *place;

	if (none_unreachable())
		return false;
	LWLockAcquire(&servers->lock, LW_SHARED);
	place = find_place(serverid);
	if (place != NULL)
		*found = place->unreachable;
	LWLockRelease(&servers->lock);
	return place != NULL && found->since != 0;
}

/*
 * Is it news for the server log that a server does not answer? Only the first
 * caller is told so, until the server has answered again. If nothing is noted
 * of it any more, it is.
 */
bool
idgen_unreachable_is_news(Oid serverid)
{
	Place *place;
	bool told = false;

	if (none_unreachable())
		return true;
	LWLockAcquire(&servers->lock, LW_EXCLUSIVE);
	place = find_place(serverid);
	if (place != NULL && place->unreachable.since != 0)
	{
		told = place->told;
		place->told = true;
	}
	LWLockRelease(&servers->lock);
	return !told;
}

/* This host of a server was good. */
void
idgen_good_host_note(Oid serverid, uint32 host)
{
	make_own_notes();
	LWLockAcquire(&servers->lock, LW_EXCLUSIVE);
	use_place(serverid)->good_host = host;
	LWLockRelease(&servers->lock);
}

/* The host of a server that was good is not any more. */
void
idgen_good_host_forget(Oid serverid)
{
	if (idgen_good_host_find(serverid) != 0)
		idgen_good_host_note(serverid, 0);
}

/* Which host of a server was good last? 0 = not known. */
uint32
idgen_good_host_find(Oid serverid)
{
	const Place *place;
	uint32 host;

	if (servers == NULL)
		return 0;
	LWLockAcquire(&servers->lock, LW_SHARED);
	place = find_place(serverid);
	host = place != NULL ? place->good_host : 0;
	LWLockRelease(&servers->lock);
	return host;
}
