/*
 * centre_marks.c
 *		What this server remembers of centres: how far they have got.
 *
 * For each id sequence at a centre there is a mark, the highest id that this
 * server has ever received from there. For the centre itself there is one, too:
 * its system identifier and its timeline. An answer below any of these comes
 * from a centre that has forgotten what it has allocated (rule C5). Sessions
 * and the worker send what is known with each request, so that such a centre
 * does not even allocate (sources/centre.c). The answer raises the mark before
 * any id of it is used.
 *
 * Marks are on disk as well, so that they outlive a crash. It would be slow to
 * wait for the disk at each refill. So while refills come fast, the file is
 * written ahead: it says that the highest id received lies between two numbers,
 * and nothing need be written until the upper one is passed. After a crash, the
 * first request makes the centre begin behind the upper one, and an answer
 * below the lower one is refused. The ids in between are a gap at most as large
 * as what was received in a second or two. Refills that come slowly are written
 * exactly, and so is everything at a clean shutdown.
 *
 * Several processes may ask for the same id sequence at the same time, and
 * their answers may arrive in another order than the centre gave them. What
 * comes after something higher cannot be told from what a centre gives that has
 * gone back meanwhile. So it is not used, and its process asks again.
 *
 * Not only the id sequence shows what has happened to a centre. If the centre
 * is another database cluster, or on an earlier timeline, all of its id
 * sequences are in doubt, also those that are beyond their marks: another node
 * may have drawn what the centre does not know of. If the setting says that
 * they are to be stepped over, the first one that is refilled notes the new
 * cluster and timeline, and counts a setback; each of the others steps over
 * when it is refilled and has not stepped over that setback.
 *
 * Without the library preloaded, each session has marks of its own, and they
 * end with it.
 *
 * Locking rules: table->lock protects all of the table, and the file. It is
 * held while the file is written. Except for that, nothing is done under it
 * that takes time.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "storage/shmem.h"
#include "utils/memutils.h"
#include "utils/timestamp.h"

#include "shmem/centre_marks.h"
#include "shmem/mark_file.h"

/* What is known of an id sequence at a centre, and of the centre. */
IdgenMark
idgen_mark_read(Oid serverid, const char *name)
{
	IdgenMarkTable *table = idgen_mark_table();
	IdgenMark mark = {.known = false};
	const IdgenMarkPlace *centre;
	const IdgenMarkPlace *place;

	LWLockAcquire(&table->lock, LW_SHARED);
	centre = idgen_mark_find_known(table, serverid, NULL);
	place = idgen_mark_find_known(table, serverid, name);
	if (centre != NULL)
		mark.centre = (IdgenCentreIdentity){.system = centre->disk.system, .timeline = centre->disk.timeline};
	if (place != NULL)
	{
		mark.known = true;
		mark.received = place->received;
		mark.reserved = place->reserved;
		mark.in_doubt = centre != NULL && place->disk.setbacks < centre->disk.setbacks;
	}
	LWLockRelease(&table->lock);
	return mark;
}

/*
 * Centres that have gone back
 */

/* Whose mark shows it: that of the centre, or of the id sequence? */
static bool
concerns_centre(IdgenWentBack how)
{
	return how == IDGEN_BACK_SYSTEM || how == IDGEN_BACK_TIMELINE;
}

/* Note that a centre has gone back, so that views can tell it. */
void
idgen_mark_note_back(Oid serverid, const char *name, const IdgenBackNote *note)
{
	IdgenMarkTable *table = idgen_mark_table();
	IdgenMarkPlace *place;

	LWLockAcquire(&table->lock, LW_EXCLUSIVE);
	place = idgen_mark_find_place(table, serverid, concerns_centre(note->how) ? NULL : name);
	if (place != NULL)
	{
		TimestampTz since = place->back.how != IDGEN_NOT_BACK ? place->back.since : note->since;

		place->back = *note;
		place->back.since = since;
	}
	LWLockRelease(&table->lock);
}

/* Had a centre gone back when it was last asked for an id sequence? */
IdgenBackNote
idgen_mark_find_back(Oid serverid, const char *name)
{
	IdgenMarkTable *table = idgen_mark_table();
	IdgenBackNote note = {.how = IDGEN_NOT_BACK};
	const IdgenMarkPlace *place;

	LWLockAcquire(&table->lock, LW_SHARED);
	place = idgen_mark_find_known(table, serverid, NULL);
	if (place == NULL || place->back.how == IDGEN_NOT_BACK)
		place = idgen_mark_find_known(table, serverid, name);
	if (place != NULL)
		note = place->back;
	LWLockRelease(&table->lock);
	return note;
}

/* Does a mark belong to what is to be forgotten: all of a centre's, if NULL? */
static bool
is_to_be_forgotten(const IdgenMarkPlace *place, Oid serverid, const char *name)
{
	IdgenMarkKey key = idgen_mark_key(serverid, name);

	return place->key.dbid == key.dbid && place->key.serverid == key.serverid &&
		(name == NULL || place->key.name == key.name);
}

/*
 * Forget the mark of an id sequence at a centre; if NULL, all marks of that
 * centre. Returns of how many id sequences that was. Raises what writing the
 * file can.
 */
int64
idgen_marks_forget(Oid serverid, const char *name)
{
	IdgenMarkTable *table = idgen_mark_table();
	IdgenMarkWrite *writes = palloc0(table->nplaces * sizeof(IdgenMarkWrite));
	int nwrites = 0;
	int64 sequences = 0;

	LWLockAcquire(&table->lock, LW_EXCLUSIVE);
	for (int i = 0; i < table->nplaces; i++)
		if (is_to_be_forgotten(&table->places[i], serverid, name))
			writes[nwrites++].place = i;
	if (nwrites > 0 && idgen_mark_table_is_shared())
		(void) idgen_mark_file_write(writes, nwrites, ERROR);
	for (int i = 0; i < nwrites; i++)
	{
		IdgenMarkPlace *place = &table->places[writes[i].place];

		if (place->known && place->key.name != 0)
			sequences++;
		idgen_mark_table_remove(table, place);
	}
	LWLockRelease(&table->lock);
	pfree(writes);
	return sequences;
}

/*
 * Start and shutdown
 */

/* Read the file, if there is one. Called by the postmaster. */
void
idgen_marks_read_file(void)
{
	idgen_mark_file_read(idgen_mark_table());
}

/*
 * Write exactly what was received: an on_shmem_exit callback of the postmaster,
 * with its exit code. If the server has failed, the memory may be wrong. After
 * a failure here, the file is as far ahead as after a crash.
 */
void
idgen_marks_write_file(int code, Datum arg)
{
	IdgenMarkTable *table = idgen_mark_table();
	IdgenMarkWrite *writes;
	int nwrites = 0;

	if (code != 0)
		return;
	writes = palloc_extended(mul_size(table->nplaces, sizeof(IdgenMarkWrite)), MCXT_ALLOC_NO_OOM | MCXT_ALLOC_HUGE);
	for (int i = 0; writes != NULL && i < table->nplaces; i++)
	{
		const IdgenMarkPlace *place = &table->places[i];
		IdgenMarkOnDisk disk = place->disk;

		disk.reserved = place->reserved;
		if (!place->known || place->key.name == 0 || place->received != place->reserved ||
		    place->reserved == place->disk.reserved)
			continue;
		disk.received = place->received;
		writes[nwrites++] = (IdgenMarkWrite){i, place->key, disk};
	}
	if (nwrites > 0)
		(void) idgen_mark_file_write(writes, nwrites, LOG);
}
