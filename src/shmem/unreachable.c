/*
 * unreachable.c
 *		Other servers that do not answer: since when, and why.
 *
 * Whoever asks another server and gets no answer notes that here, and whoever
 * gets one deletes the note. So views can tell how long a server has been
 * unreachable, without connecting to it. There are few places: if more servers
 * do not answer, those that were asked last are kept. What is noted of a server
 * that is dropped stays until its place is needed; nobody asks for it.
 *
 * Locking rules: servers->lock protects all of it, but the number of notes is
 * also read without the lock. The lock comes after no other one, and none is
 * taken under it.
 */
#include "postgres.h"

#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "storage/lwlock.h"
#include "storage/shmem.h"
#include "utils/timestamp.h"

#include "shmem/unreachable.h"

#define IDGEN_UNREACHABLE_SERVERS 64

typedef struct IdgenUnreachableServers
{
	LWLock lock;
	int notes; /* places in use */
	IdgenUnreachable places[IDGEN_UNREACHABLE_SERVERS];
} IdgenUnreachableServers;

static IdgenUnreachableServers *servers = NULL;

Size
idgen_unreachable_size(void)
{
	return sizeof(IdgenUnreachableServers);
}

/* Create the notes or attach to them. The caller holds AddinShmemInitLock. */
void
idgen_unreachable_startup_shmem(int tranche)
{
	bool found;

	servers = ShmemInitStruct("idgen unreachable servers", sizeof(IdgenUnreachableServers), &found);
	if (found)
		return;
	memset(servers, 0, sizeof(IdgenUnreachableServers));
	LWLockInitialize(&servers->lock, tranche);
}

/* Is there nothing to look for? */
static bool
none_noted(void)
{
	return servers == NULL || *(const volatile int *) &servers->notes == 0;
}

/*
 * The place of a server of this database; NULL if it has none. The caller holds
 * the lock.
 */
static IdgenUnreachable *
find_place(Oid serverid)
{
	for (int i = 0; i < IDGEN_UNREACHABLE_SERVERS; i++)
		if (servers->places[i].dbid == MyDatabaseId && servers->places[i].serverid == serverid)
			return &servers->places[i];
	return NULL;
}

/*
 * A place for another server: a free one, or that of the server that nobody has
 * asked for the longest time. The caller holds the lock.
 */
static IdgenUnreachable *
take_place(Oid serverid, TimestampTz now)
{
	IdgenUnreachable *place = &servers->places[0];

	for (int i = 1; i < IDGEN_UNREACHABLE_SERVERS && OidIsValid(place->dbid); i++)
		if (!OidIsValid(servers->places[i].dbid) || servers->places[i].latest < place->latest)
			place = &servers->places[i];
	if (!OidIsValid(place->dbid))
		servers->notes++;
	*place = (IdgenUnreachable){.dbid = MyDatabaseId, .serverid = serverid, .since = now};
	return place;
}

/*
 * A server has not answered, for that reason. Only its first line is noted:
 * libpq says more in further ones, for people at its terminal.
 */
void
idgen_unreachable_note(Oid serverid, const char *reason)
{
	TimestampTz now = GetCurrentTimestamp();
	IdgenUnreachable *place;
	int length;

	if (servers == NULL)
		return;
	length = pg_mbcliplen(reason, strcspn(reason, "\n"), sizeof(place->reason) - 1);
	LWLockAcquire(&servers->lock, LW_EXCLUSIVE);
	place = find_place(serverid);
	if (place == NULL)
		place = take_place(serverid, now);
	place->latest = now;
	memcpy(place->reason, reason, length);
	place->reason[length] = '\0';
	LWLockRelease(&servers->lock);
}

/* A server has answered. */
void
idgen_unreachable_forget(Oid serverid)
{
	IdgenUnreachable *place;

	if (none_noted())
		return;
	LWLockAcquire(&servers->lock, LW_EXCLUSIVE);
	place = find_place(serverid);
	if (place != NULL)
	{
		memset(place, 0, sizeof(IdgenUnreachable));
		servers->notes--;
	}
	LWLockRelease(&servers->lock);
}

/* Has a server not answered when it was asked last? */
bool
idgen_unreachable_find(Oid serverid, IdgenUnreachable *found)
{
	const IdgenUnreachable *place;

	if (none_noted())
		return false;
	LWLockAcquire(&servers->lock, LW_SHARED);
	place = find_place(serverid);
	if (place != NULL)
		*found = *place;
	LWLockRelease(&servers->lock);
	return place != NULL;
}
