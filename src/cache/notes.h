/*
 * notes.h
 *		Who may still bring ids, as far as a watermark has to know.
 */
#ifndef IDGEN_NOTES_H
#define IDGEN_NOTES_H

#include "datatype/timestamp.h"

#include "cache/slot.h"
#include "common/lock_holder.h"

/* What a transaction has left about an id sequence; see notes.c. */
typedef struct IdgenNote IdgenNote;

/* What holds a watermark down. */
typedef struct IdgenHolder
{
	int64 least;       /* the least id that it may still bring */
	int pid;           /* of a session, or 0 */
	TransactionId xid; /* of a prepared transaction, or 0 */
	TimestampTz since; /* its transaction's start */
} IdgenHolder;

/* The id before one; itself if it is the least there can be. */
static inline int64
idgen_id_before(int64 id)
{
	return id > PG_INT64_MIN ? id - 1 : id;
}

extern void idgen_notes_request_shmem(void);
extern void idgen_notes_startup_shmem(void);

extern IdgenNote *idgen_note_take(const IdgenCacheKey *key);
extern void idgen_note_lower(IdgenNote *note, int64 id);
extern int64 idgen_note_least(const IdgenNote *note);
extern void idgen_note_keep_prepared(IdgenNote *note, TransactionId xid);
extern void idgen_note_let_go(IdgenNote *note);

extern void idgen_notes_begin(const IdgenCacheKey *key);
extern uint64 idgen_notes_switched(const IdgenCacheKey *key);
extern bool idgen_notes_recovered_are_over(IdgenLockHolder *holder);
extern bool idgen_notes_are_awaited(const IdgenCacheKey *key, uint64 number, bool own, IdgenLockHolder *holder);
extern void idgen_notes_forget_ended(void);
extern bool idgen_notes_look(const IdgenCacheKey *key, int64 *last, IdgenHolder *holder);

#endif /* IDGEN_NOTES_H */
