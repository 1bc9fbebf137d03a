/*
 * reach.c
 *		Do other servers answer, and at which host? What is noted of that, and
 *		who is told.
 *
 * Whoever asks another server and gets no answer notes that in shared memory,
 * and whoever gets one deletes the note. So views can tell how long a server
 * has been unreachable, without connecting to it; processes try again the less
 * often the longer that lasts; and sessions that wait for the answer fail with
 * the one that has asked. The server log is told once that a server does not
 * answer, by the worker (job.c), and then once that it does again, by
 * whoever gets the answer.
 *
 * Of several hosts of a server, the one is noted that was good last, by a hash
 * of where it is. Whoever connects begins with that one.
 *
 * There are few places: if there are more servers, those that were asked last
 * are kept. What is noted of a server that is dropped stays until its place is
 * needed; nobody asks for it. Without shared memory, a session has notes of its
 * own.
 *
 * Locking rules: the lock protects all of it. It comes after no other one, and
 * none is taken under it.
 */
#include "postgres.h"

#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "storage/lwlock.h"
#include "storage/shmem.h"
#include "utils/memutils.h"
#include "utils/timestamp.h"

#include "common/guc.h"
#include "remote/reach.h"

#define IDGEN_OTHER_SERVERS 48

/*
 * Whoever waits shares the failure of an attempt that had as much time as it
 * would have itself, but for this part.
 */
#define IDGEN_SHARING_DIVISOR 10

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

typedef struct Notes
{
	LWLock lock;
	Place places[IDGEN_OTHER_SERVERS];
} Notes;

static Notes *notes = NULL;

/* Ask for shared memory; from shmem_request_hook. */
void
idgen_reach_request_shmem(void)
{
	RequestAddinShmemSpace(sizeof(Notes));
	RequestNamedLWLockTranche("IdgenOtherServers", 1);
}

static void
init_notes(int tranche)
{
	memset(notes, 0, sizeof(Notes));
	LWLockInitialize(&notes->lock, tranche);
}

/* Create the shared memory, or attach to it; from shmem_startup_hook. */
void
idgen_reach_startup_shmem(void)
{
	bool found;

	LWLockAcquire(AddinShmemInitLock, LW_EXCLUSIVE);
	notes = ShmemInitStruct("idgen other servers", sizeof(Notes), &found);
	if (!found)
		init_notes(GetNamedLWLockTranche("IdgenOtherServers")->lock.tranche);
	LWLockRelease(AddinShmemInitLock);
}

/* Lock the notes. Without shared memory, there may be none yet. */
static void
lock_notes(LWLockMode mode)
{
	if (notes == NULL)
	{
		notes = MemoryContextAlloc(TopMemoryContext, sizeof(Notes));
		init_notes(LWTRANCHE_PER_SESSION_DSA); /* as session/handle.c */
	}
	LWLockAcquire(&notes->lock, mode);
}

/*
 * The place of a server of this database; NULL if it has none. The caller holds
 * the lock.
 */
static Place *
find_place(Oid serverid)
{
	for (int i = 0; i < IDGEN_OTHER_SERVERS; i++)
		if (notes->places[i].dbid == MyDatabaseId && notes->places[i].serverid == serverid)
			return &notes->places[i];
	return NULL;
}

/*
 * The place of a server, to note something. If it has none, it gets a free one,
 * or that of the server of which nothing was noted for the longest time. The
 * caller holds the lock.
 */
static Place *
use_place(Oid serverid)
{
	Place *place = find_place(serverid);

	if (place == NULL)
	{
		place = &notes->places[0];
		for (int i = 1; i < IDGEN_OTHER_SERVERS && OidIsValid(place->dbid); i++)
			if (!OidIsValid(notes->places[i].dbid) || notes->places[i].used_at < place->used_at)
				place = &notes->places[i];
		*place = (Place){.dbid = MyDatabaseId, .serverid = serverid};
	}
	place->used_at = GetCurrentTimestamp();
	return place;
}

/* Delete the note that a server does not answer. The caller holds the lock. */
static void
delete_note(Place *place)
{
	place->unreachable.since = 0;
	place->told = false;
}

/* A server has answered. */
void
idgen_reach_note_answer(Oid serverid, const char *server)
{
	TimestampTz since = 0;
	Place *place;

	lock_notes(LW_EXCLUSIVE);
	place = find_place(serverid);
	if (place != NULL)
	{
		since = place->told ? place->unreachable.since : 0;
		delete_note(place);
	}
	LWLockRelease(&notes->lock);
	if (since != 0)
		ereport(LOG_SERVER_ONLY,
		        (errmsg("server \"%s\" answers again", server),
		         errdetail("It had not done so since %s.", timestamptz_to_str(since)),
		         errhidestmt(true)));
}

/*
 * A server has not answered to an attempt that began then. Who has made it had
 * that many microseconds for it, of which a part may have been over; none if
 * all hosts have been tried in vain, and will be tried again: that is noted
 * only if the server has not failed yet.
 */
void
idgen_reach_note_failure(Oid serverid, TimestampTz begun_at, int64 time,
                         const IdgenRemoteError *error)
{
	const char *reason = error->detail != NULL ? error->detail : error->message;
	IdgenUnreachable failed = {
		.since = begun_at,
		.latest = GetCurrentTimestamp(),
		.timeout = error->lasts ? IDGEN_UNREACHABLE_LASTS : time / 1000,
		.sqlerrcode = error->sqlerrcode,
	};
	IdgenUnreachable *unreachable;

	memcpy(failed.reason, reason, pg_mbcliplen(reason, strlen(reason), sizeof(failed.reason) - 1));
	lock_notes(LW_EXCLUSIVE);
	unreachable = &use_place(serverid)->unreachable;
	if (unreachable->since != 0)
		failed.since = unreachable->since;
	if (unreachable->since == 0 || failed.timeout != IDGEN_UNREACHABLE_SO_FAR)
		*unreachable = failed;
	LWLockRelease(&notes->lock);
}

/* Has a server not answered when it was asked last? */
bool
idgen_reach_find(Oid serverid, IdgenUnreachable *found)
{
	const Place *place;

	lock_notes(LW_SHARED);
	place = find_place(serverid);
	if (place != NULL)
		*found = place->unreachable;
	LWLockRelease(&notes->lock);
	return place != NULL && found->since != 0;
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

	if (!idgen_reach_find(serverid, &failed) || failed.latest < since ||
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

/*
 * Is it news for the server log that a server does not answer? Only the first
 * caller is told so, until the server has answered again. If nothing is noted
 * of it any more, it is.
 */
bool
idgen_reach_is_news(Oid serverid)
{
	bool told = false;
	Place *place;

	lock_notes(LW_EXCLUSIVE);
	place = find_place(serverid);
	if (place != NULL && place->unreachable.since != 0)
	{
		told = place->told;
		place->told = true;
	}
	LWLockRelease(&notes->lock);
	return !told;
}

/*
 * Servers of this database are reached in another way from now on, or in the
 * old way again: what has failed before says nothing of that. Raises nothing.
 */
void
idgen_reach_forget_all(void)
{
	if (notes == NULL)
		return;
	LWLockAcquire(&notes->lock, LW_EXCLUSIVE);
	for (int i = 0; i < IDGEN_OTHER_SERVERS; i++)
		if (notes->places[i].dbid == MyDatabaseId)
			delete_note(&notes->places[i]);
	LWLockRelease(&notes->lock);
}

/* This host of a server was good; 0 = the one that was is not any more. */
void
idgen_good_host_note(Oid serverid, uint32 host)
{
	Place *place;

	lock_notes(LW_EXCLUSIVE);
	place = host != 0 ? use_place(serverid) : find_place(serverid);
	if (place != NULL)
		place->good_host = host;
	LWLockRelease(&notes->lock);
}

/* Which host of a server was good last? 0 = not known. */
uint32
idgen_good_host_find(Oid serverid)
{
	const Place *place;
	uint32 host;

	lock_notes(LW_SHARED);
	place = find_place(serverid);
	host = place != NULL ? place->good_host : 0;
	LWLockRelease(&notes->lock);
	return host;
}
