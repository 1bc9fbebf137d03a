/*
 * marks.h
 *		What is remembered of centres: how far they have got.
 */
#ifndef IDGEN_MARKS_H
#define IDGEN_MARKS_H

#include "access/xlogdefs.h"
#include "datatype/timestamp.h"

/* What a mark belongs to. */
typedef struct IdgenMarkKey
{
	Oid id_sequences;   /* the table here */
	Oid serverid;       /* the foreign server */
	const char *server; /* its name */
	const char *name;   /* of the id sequence there; empty for the centre itself */
} IdgenMarkKey;

/* Which database cluster a centre is. */
typedef struct IdgenCentreIdentity
{
	uint64 system;   /* its system identifier; 0 if it does not say */
	uint32 timeline; /* 0 if it does not say */
} IdgenCentreIdentity;

/* How a centre shows that it is not where it was. The table has the numbers. */
typedef enum IdgenWentBack
{
	IDGEN_NOT_BACK,
	IDGEN_BACK_SYSTEM,   /* it is another database cluster */
	IDGEN_BACK_TIMELINE, /* it is on an earlier timeline */
	IDGEN_BACK_BLOCK,    /* it would give ids that it has given before */
	IDGEN_BACK_EARLIER,  /* that was seen when another id sequence was refilled */
} IdgenWentBack;

/* That a centre has gone back, for views. */
typedef struct IdgenBackNote
{
	IdgenWentBack how; /* IDGEN_NOT_BACK: it has not */
	int64 shown_by;    /* its system identifier, its timeline, or what it would give
	                    * next */
	TimestampTz since;
} IdgenBackNote;

/* What is remembered of an id sequence at a centre, and of that. */
typedef struct IdgenMark
{
	bool known;     /* if not, nothing is known of the id sequence */
	int64 received; /* the highest id received */
	bool in_doubt;  /* was the centre seen to have gone back since? */

	IdgenCentreIdentity centre; /* for all of its id sequences */
	int32 accepted;             /* how often it was accepted as it was then */
	IdgenBackNote back;         /* had it gone back when it was asked last? */
} IdgenMark;

/* What a centre has given. */
typedef struct IdgenGiven
{
	int64 first;
	int64 last;
	IdgenCentreIdentity centre;
	IdgenWentBack stepped_over; /* why ids were left out before these, if so */
	int32 accepted;             /* as in IdgenMark, when it was asked */
} IdgenGiven;

extern IdgenMark idgen_mark_read(const IdgenMarkKey *key);
extern bool idgen_mark_raise(const IdgenMarkKey *key, const IdgenGiven *given, XLogRecPtr *lsn);
extern void idgen_mark_published(void);
extern void idgen_mark_note_back(const IdgenMarkKey *key, const IdgenBackNote *note);
extern int64 idgen_marks_forget(const IdgenMarkKey *key);
extern void idgen_marks_take_along(Oid id_sequences, const char *name);

#endif /* IDGEN_MARKS_H */
