/*
 * mark_raise.c
 *		Raising a mark: a centre has given ids.
 *
 * centre_marks.c tells what marks are for, and when they are written.
 *
 * Locking rules: see there.
 */
#include "postgres.h"

#include "utils/timestamp.h"

#include "shmem/centre_marks.h"
#include "shmem/mark_file.h"

/* Refills that come slower than this are written exactly, in milliseconds. */
#define IDGEN_SLOW_MS 10000

/* Refills that wait for the disk more often than this are written ahead. */
#define IDGEN_FAST_MS 1000

/* How many times the ids of a refill the file is written ahead at most. */
#define IDGEN_MAX_AHEAD 64

/*
 * The part of what is left of an id sequence that is written ahead at most: so
 * a crash near its end does not use it up.
 */
#define IDGEN_AHEAD_OF_REST 16

/* How often the log is told that marks give way, in milliseconds. */
#define IDGEN_TELL_MS 60000

/* A mark, and that of its centre, while they are raised. */
typedef struct Raise
{
	const IdgenGiven *given;
	IdgenMarkPlace *centre; /* NULL if it has no mark */
	IdgenMarkPlace *place;  /* the same */
	IdgenMarkOnDisk centre_after;
	IdgenMarkOnDisk after; /* but for received and reserved */
} Raise;

/*
 * Find out what the centre's mark becomes. Returns false if the centre has gone
 * back, and the process that has asked it did not know that.
 */
static bool
raise_centre(Raise *raise)
{
	const IdgenCentreIdentity *now = &raise->given->centre;
	IdgenMarkOnDisk *mark = &raise->centre_after;

	if (raise->centre != NULL)
		*mark = raise->centre->disk;
	if (now->system == 0)
		return true;
	if (raise->centre != NULL && (mark->system != now->system || mark->timeline > now->timeline))
	{
		if (raise->given->stepped_over == IDGEN_NOT_BACK)
			return false;
		mark->setbacks++;
	}
	mark->system = now->system;
	mark->timeline = now->timeline;
	return true;
}

/* The same for the mark of the id sequence. */
static bool
raise_place(Raise *raise)
{
	const IdgenMarkPlace *place = raise->place;
	uint32 setbacks = raise->centre != NULL ? raise->centre->disk.setbacks : 0;

	raise->after.setbacks = raise->centre_after.setbacks;
	return place == NULL ||
		(raise->given->first > place->reserved &&
	     (raise->given->stepped_over != IDGEN_NOT_BACK || place->disk.setbacks >= setbacks));
}

/* How far ahead of what was received the file is to be written. */
static int64
get_ahead(const Raise *raise, TimestampTz now)
{
	const IdgenMarkPlace *place = raise->place;
	const IdgenGiven *given = raise->given;
	int64 ids = Min(given->last - given->first + 1, PG_INT64_MAX / IDGEN_MAX_AHEAD / 2);
	uint64 rest = given->max_value > given->last ? (uint64) given->max_value - (uint64) given->last : 0;
	int64 ahead = 0;

	if (!place->known)
		return 0;
	if (!TimestampDifferenceExceeds(place->written_at, now, IDGEN_FAST_MS))
		ahead = Min(Max(place->ahead, ids) * 2, ids * IDGEN_MAX_AHEAD);
	else if (!TimestampDifferenceExceeds(place->written_at, now, IDGEN_SLOW_MS))
		ahead = place->ahead;
	return Min((uint64) ahead, rest / IDGEN_AHEAD_OF_REST);
}

static bool
centre_changes(const Raise *raise)
{
	return raise->given->centre.system != 0 &&
		(raise->centre == NULL ||
	     memcmp(&raise->centre->disk, &raise->centre_after, sizeof(IdgenMarkOnDisk)) != 0);
}

static bool
place_changes(const Raise *raise)
{
	return raise->place == NULL || raise->given->last > raise->place->disk.reserved ||
		raise->place->disk.setbacks != raise->after.setbacks;
}

/* Write a mark on disk. Raises what writing the file can. */
static void
write_mark(IdgenMarkTable *table, IdgenMarkPlace *place, const IdgenMarkOnDisk *disk, TimestampTz now)
{
	IdgenMarkWrite what = {idgen_mark_number(table, place), place->key, *disk};

	if (idgen_mark_table_is_shared())
		(void) idgen_mark_file_write(&what, 1, ERROR);
	place->disk = *disk;
	place->written_at = now;
	place->known = true;
}

/*
 * Write what changes on disk. Marks that are new have got their places, but are
 * not known before they are written. Raises what writing the file can.
 *
 * That of the centre is on disk before the other one. If a crash left only the
 * other, the next setback of the centre would get the number that this id
 * sequence has stepped over already.
 */
static void
write_changes(IdgenMarkTable *table, Raise *raise)
{
	TimestampTz now = GetCurrentTimestamp();
	int64 ahead = get_ahead(raise, now);

	raise->after.received = raise->given->last;
	raise->after.reserved = raise->given->last + ahead;
	if (centre_changes(raise))
		write_mark(table, raise->centre, &raise->centre_after, now);
	write_mark(table, raise->place, &raise->after, now);
	raise->place->ahead = ahead;
}

/*
 * A place for a mark that has none. Says whether another mark has given way and
 * it is time to tell that.
 */
static IdgenMarkPlace *
take_place(IdgenMarkTable *table, Oid serverid, const char *name, const IdgenMarkPlace *keep, bool *to_tell)
{
	IdgenMarkKey key = idgen_mark_key(serverid, name);

	if (table->free < 0)
	{
		TimestampTz now = GetCurrentTimestamp();

		if (TimestampDifferenceExceeds(table->told_at, now, IDGEN_TELL_MS))
		{
			table->told_at = now;
			*to_tell = true;
		}
	}
	return idgen_mark_table_take(table, &key, keep);
}

static void
tell_of_forgotten(void)
{
	ereport(LOG,
	        (errmsg("there are more id sequences of other servers than marks"),
	         errdetail("Those not used lately are forgotten: if their servers go back, that is not noticed for them."),
	         errhint("You might need to increase idgen.max_centre_marks.")));
}

/*
 * A centre has given ids: raise the mark, on disk if need be, before they are
 * used. Raises what writing the file can.
 */
IdgenMarkResult
idgen_mark_raise(Oid serverid, const char *name, const IdgenGiven *given)
{
	IdgenMarkTable *table = idgen_mark_table();
	Raise raise = {.given = given};
	bool to_tell = false;

	LWLockAcquire(&table->lock, LW_EXCLUSIVE);
	raise.centre = idgen_mark_find_place(table, serverid, NULL);
	raise.place = idgen_mark_find_place(table, serverid, name);
	if (!raise_centre(&raise) || !raise_place(&raise))
	{
		LWLockRelease(&table->lock);
		return IDGEN_MARK_OVERTAKEN;
	}
	if (centre_changes(&raise) || place_changes(&raise))
	{
		if (raise.centre == NULL && given->centre.system != 0)
			raise.centre = take_place(table, serverid, NULL, raise.place, &to_tell);
		if (raise.place == NULL)
			raise.place = take_place(table, serverid, name, raise.centre, &to_tell);
		write_changes(table, &raise);
	}
	raise.place->received = raise.place->reserved = given->last;
	raise.place->back.how = IDGEN_NOT_BACK;
	if (raise.centre != NULL)
		raise.centre->back.how = IDGEN_NOT_BACK;
	LWLockRelease(&table->lock);
	if (to_tell)
		tell_of_forgotten();
	return IDGEN_MARK_RAISED;
}
