/*
 * cache_databases.c
 *		Which slots of the server's cache belong to which database.
 *
 * What concerns all id sequences of a database goes through the slots one by
 * one, and holds the lock of one slot at a time, but not that of the cache's
 * header: sessions attach to slots, and slots are given away, in the meantime.
 * To find the slots of a database, it does not look at the slots. Here is an
 * array without gaps that has the database of each, and a count of entries that
 * says whether there are any at all.
 *
 * An event that voids all ids of a database (TRUNCATE of id_sequences, DROP
 * EXTENSION, DROP DATABASE) must not miss an id sequence that moves meanwhile,
 * from where the event has not been yet to where it has been. So it has a
 * number, which is noted here while the event goes on. What leaves a slot, or
 * gets into one, is void if its own number, that of the last event which
 * emptied it, is smaller.
 *
 * Locking rules: to change anything here takes the header's lock, exclusively.
 * That lock is also taken to read, but for a glance: idgen_databases_may_own(),
 * whose answer is certain under the slot's lock, and
 * idgen_databases_has_entries().
 */
#include "postgres.h"

#include "common/hashfn.h"

#include "shmem/cache_databases.h"

/*
 * Databases share counters, by the hash values of their OIDs. That two of a few
 * do is unlikely, and then one costs the other a look at the array.
 */
#define IDGEN_DATABASE_COUNTERS 1024

/*
 * Events that can be told apart while they go on. When there are more at a
 * time, each voids what moves in any database, which is a gap.
 */
#define IDGEN_RUNNING_EVENTS 32

typedef struct RunningEvent
{
	Oid dbid; /* invalid if there is none here */
	uint64 number;
} RunningEvent;

typedef struct IdgenDatabases
{
	int entries[IDGEN_DATABASE_COUNTERS];
	RunningEvent events[IDGEN_RUNNING_EVENTS];
	int nevents;       /* that go on */
	int nothers;       /* of these, not in "events" */
	uint64 last_other; /* the greatest number that any of nothers has */
	Oid owners[FLEXIBLE_ARRAY_MEMBER];
} IdgenDatabases;

Size
idgen_databases_size(int nslots)
{
	return add_size(offsetof(IdgenDatabases, owners), mul_size(nslots, sizeof(Oid)));
}

void
idgen_databases_init(IdgenDatabases *databases, int nslots)
{
	memset(databases, 0, idgen_databases_size(nslots));
}

/* The counter of entries that a database has, perhaps with others. */
static int
counter_of(Oid dbid)
{
	return hash_bytes_uint32(dbid) % IDGEN_DATABASE_COUNTERS;
}

/* Count entries of a database: "change" says how many more, or fewer. */
void
idgen_databases_count(IdgenDatabases *databases, Oid dbid, int change)
{
	databases->entries[counter_of(dbid)] += change;
}

/*
 * May there be entries of a database? "No" is certain if nobody makes any at
 * that moment.
 */
bool
idgen_databases_has_entries(const IdgenDatabases *databases, Oid dbid)
{
	return databases->entries[counter_of(dbid)] > 0;
}

/*
 * A slot has an entry of that database now; or none if that is invalid. The
 * caller holds the slot's lock as well.
 */
void
idgen_databases_set_owner(IdgenDatabases *databases, int slot, Oid dbid)
{
	Oid before = databases->owners[slot];

	if (OidIsValid(before))
		idgen_databases_count(databases, before, -1);
	if (OidIsValid(dbid))
		idgen_databases_count(databases, dbid, 1);
	databases->owners[slot] = dbid;
}

/* Does a slot belong to that database? */
bool
idgen_databases_may_own(const IdgenDatabases *databases, int slot, Oid dbid)
{
	return databases->owners[slot] == dbid;
}

/* An event of that number begins: it will void all ids of a database. */
void
idgen_databases_begin_event(IdgenDatabases *databases, Oid dbid, uint64 number)
{
	databases->nevents++;
	for (int i = 0; i < IDGEN_RUNNING_EVENTS; i++)
	{
		if (OidIsValid(databases->events[i].dbid))
			continue;
		databases->events[i] = (RunningEvent){dbid, number};
		return;
	}
	databases->nothers++;
	databases->last_other = number;
}

/* The event has been everywhere. */
void
idgen_databases_end_event(IdgenDatabases *databases, Oid dbid, uint64 number)
{
	databases->nevents--;
	for (int i = 0; i < IDGEN_RUNNING_EVENTS; i++)
	{
		if (databases->events[i].dbid != dbid || databases->events[i].number != number)
			continue;
		databases->events[i].dbid = InvalidOid;
		return;
	}
	databases->nothers--;
}

/*
 * What moves now, and belongs to that database, is void if its number is
 * smaller than this: the number of the last event that goes on; or 0.
 */
uint64
idgen_databases_voided_at(const IdgenDatabases *databases, Oid dbid)
{
	uint64 number = databases->nothers > 0 ? databases->last_other : 0;

	if (databases->nevents == databases->nothers)
		return number;
	for (int i = 0; i < IDGEN_RUNNING_EVENTS; i++)
	{
		if (databases->events[i].dbid == dbid)
			number = Max(number, databases->events[i].number);
	}
	return number;
}
