/*
 * mark_table.h
 *		Where marks are kept in memory.
 */
#ifndef IDGEN_MARK_TABLE_H
#define IDGEN_MARK_TABLE_H

#include "datatype/timestamp.h"
#include "storage/lwlock.h"

/* Which database cluster a centre is. */
typedef struct IdgenCentreIdentity
{
	uint64 system;   /* its system identifier; 0 if it does not say */
	uint32 timeline; /* 0 if it does not say */
} IdgenCentreIdentity;

/* How a centre shows that it is not where it was. */
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
	TimestampTz since;
	int64 next;                 /* what it would give next */
	IdgenCentreIdentity centre; /* what it says of itself */
} IdgenBackNote;

/* What a mark belongs to; no padding. */
typedef struct IdgenMarkKey
{
	Oid dbid; /* invalid in a place that is free */
	Oid serverid;
	uint64 name; /* a hash of the name at the centre; 0 = the centre itself */
} IdgenMarkKey;

/* A mark as it is on disk; no padding. */
typedef struct IdgenMarkOnDisk
{
	/* Of an id sequence: the highest id received lies from here to there. */
	int64 received;
	int64 reserved;

	/* Of a centre: what it was when it was asked last. */
	uint64 system;
	uint32 timeline;

	/*
	 * Of a centre: how often it was seen to have become another one, or one on
	 * an earlier timeline. Of an id sequence: how many of these have been
	 * stepped over.
	 */
	uint32 setbacks;
} IdgenMarkOnDisk;

/* A mark. Where it is in the file follows from where it is in the table. */
typedef struct IdgenMarkPlace
{
	IdgenMarkKey key;
	int32 next; /* place of the same list; -1 if there is none */
	bool known; /* does the file have it? If not, what follows is void */
	bool used;  /* since the hand has passed */

	IdgenMarkOnDisk disk;   /* as the file has it */
	int64 received;         /* as in IdgenMark */
	int64 reserved;         /* as in IdgenMark; not greater than that of the file */
	int64 ahead;            /* by how much the file was ahead when it was written */
	TimestampTz written_at; /* when that was */
	IdgenBackNote back;
} IdgenMarkPlace;

/* In shared memory, or a session's own. centre_marks.c says who may use it. */
typedef struct IdgenMarkTable
{
	LWLock lock;
	int32 nplaces;
	int32 free;             /* the first place of the list of free ones; -1 */
	int32 hand;             /* which place is looked at next, to be given away */
	TimestampTz told_at;    /* when the log was told that marks give way */
	IdgenMarkPlace *places; /* the same address in all processes */
	int32 *heads;           /* the first place of each list; as many as places */
} IdgenMarkTable;

extern Size idgen_mark_table_size(int nplaces);
extern void idgen_mark_table_init(IdgenMarkTable *table, int nplaces, int tranche);
extern void idgen_mark_table_list_free(IdgenMarkTable *table);
extern IdgenMarkPlace *idgen_mark_table_find(IdgenMarkTable *table, const IdgenMarkKey *key);
extern IdgenMarkPlace *idgen_mark_table_take(IdgenMarkTable *table, const IdgenMarkKey *key,
                                             const IdgenMarkPlace *keep);
extern void idgen_mark_table_put(IdgenMarkTable *table, int32 place, const IdgenMarkKey *key);
extern void idgen_mark_table_remove(IdgenMarkTable *table, IdgenMarkPlace *place);

extern void idgen_marks_startup_shmem(int tranche);
extern IdgenMarkTable *idgen_mark_table(void);
extern bool idgen_mark_table_is_shared(void);
extern IdgenMarkKey idgen_mark_key(Oid serverid, const char *name);
extern IdgenMarkPlace *idgen_mark_find_known(IdgenMarkTable *table, Oid serverid, const char *name);
extern IdgenMarkPlace *idgen_mark_find_place(IdgenMarkTable *table, Oid serverid, const char *name);

/* The number of a place, in the table as in the file. */
static inline int32
idgen_mark_number(const IdgenMarkTable *table, const IdgenMarkPlace *place)
{
	return place - table->places;
}

#endif /* IDGEN_MARK_TABLE_H */
