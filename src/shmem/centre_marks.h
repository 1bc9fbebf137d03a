/*
 * centre_marks.h
 *		What this server remembers of centres: how far they have got.
 */
#ifndef IDGEN_CENTRE_MARKS_H
#define IDGEN_CENTRE_MARKS_H

#include "datatype/timestamp.h"

#include "shmem/mark_table.h"

/*
 * How far an id sequence had got at a centre when this server asked last. After
 * a crash, that is known only roughly: it lies from "received" to "reserved".
 * Else they are the same.
 */
typedef struct IdgenMark
{
	bool known;     /* if not, nothing is known of the id sequence */
	int64 received; /* the highest id received, at least */
	int64 reserved; /* the highest id received, at most */
	bool in_doubt;  /* was the centre seen to have gone back since? */

	IdgenCentreIdentity centre; /* for all of its id sequences */
} IdgenMark;

/* What a centre has given. */
typedef struct IdgenGiven
{
	int64 first;
	int64 last;
	int64 max_value;
	IdgenCentreIdentity centre;
	IdgenWentBack stepped_over; /* why ids were left out before these, if so */
} IdgenGiven;

/* What may be done with it. */
typedef enum IdgenMarkResult
{
	IDGEN_MARK_RAISED,    /* it may be used */
	IDGEN_MARK_OVERTAKEN, /* it must not be used: another process has got
	                       * something later meanwhile */
} IdgenMarkResult;

extern void idgen_marks_read_file(void);
extern void idgen_marks_write_file(int code, Datum arg);

extern IdgenMark idgen_mark_read(Oid serverid, const char *name);
extern IdgenMarkResult idgen_mark_raise(Oid serverid, const char *name, const IdgenGiven *given);
extern void idgen_mark_note_back(Oid serverid, const char *name, const IdgenBackNote *note);
extern IdgenBackNote idgen_mark_find_back(Oid serverid, const char *name);
extern int64 idgen_marks_forget(Oid serverid, const char *name);

#endif /* IDGEN_CENTRE_MARKS_H */
