/*
 * handle.h
 *		A session's view of one id sequence.
 */
#ifndef IDGEN_HANDLE_H
#define IDGEN_HANDLE_H

#include "catalog/namespace.h"
#include "lib/ilist.h"
#include "miscadmin.h"
#include "storage/itemptr.h"
#include "utils/numeric.h"
#include "utils/timestamp.h"

#include "catalog/definition.h"
#include "catalog/native_sequence.h"
#include "catalog/scramble.h"
#include "catalog/source.h"
#include "catalog/table.h"
#include "common/compat.h"
#include "cache/cache.h"
#include "cache/notes.h"
#include "text/format.h"

struct IdgenUndo;

/*
 * The pending state: what the current transaction has of an id sequence, as far
 * as a rollback to a savepoint undoes it. A value, which is saved and restored
 * by assignment. All zero outside of a transaction that draws from the source
 * or changes the row.
 */
typedef struct IdgenPending
{
	IdgenBlock *block;             /* that of the first cell, or NULL */
	const IdgenPendingCell *cells; /* what this transaction may draw from */
	IdgenRestFate fate : 8;        /* what becomes of the rest, if it is not used */
	IdgenSlotChange change : 8;    /* what has become of the row, by SQL */
	bool lost_at_shutdown;         /* as in IdgenRest, with storage and origin */
	bool ahead;                    /* there may be ids in the cache before the rest */
	bool uncommitted;              /* as in IdgenFound, of what the rest is from */
	RelFileNumber storage;
	uint32 origin;
	const IdgenSource *source; /* where the rest is from */
	IdgenRangeLeft left;       /* after the last refill, or giving back */
	uint64 good_as_of;         /* as in IdgenOutcome */
} IdgenPending;

/*
 * What else the current transaction has done with an id sequence: a rollback to
 * a savepoint does not undo it. All zero outside of a transaction that draws
 * from the source or changes the row.
 */
typedef struct IdgenHandleXact
{
	IdgenRefills told;      /* to the slot, at its end */
	int64 refills;          /* successful ones */
	int64 ids_allocated;    /* by successful refills */
	struct IdgenUndo *undo; /* the innermost level's, or NULL; see pending.c */
	IdgenNote *note;        /* the least id that it may bring, if a watermark is kept */
	bool listed;            /* is it on idgen_listed_handles? see handle_table.c */
	dlist_node node;        /* on that list */
} IdgenHandleXact;

/* What idgen_last() answers: the sequence value that the session drew last. */
typedef struct IdgenLast
{
	int64 value;
	const IdgenLayout *layout; /* NULL if it has drawn nothing */
	Oid object;
	int prefix;
	bool had_row;
} IdgenLast;

/*
 * What was found when the handle was validated, and what tells that it still
 * holds. See validate.c.
 */
typedef struct IdgenFound
{
	/*
	 * What the row says, or would say if there were one. The refill mode is
	 * that of this session, see also draw/refiller.c. How far the row had got
	 * is out of date: a refill reads it anew. The format is parsed instead.
	 */
	IdgenDefinition row;
	bool unmade;               /* is it what the row will say, which is not made yet? */
	bool own_row;              /* has the current transaction written the row? */
	bool change_is_told;       /* will the cache be told of the row's next change? */
	const IdgenFormat *format; /* of text ids; NULL if they are plain digits */
	int64 least_value;         /* of these sequence values, a bigint id can be made */
	int64 greatest_value;
	IdgenScramble *scramble; /* with the key; NULL if the layout scrambles nothing, or
	                          * there is no key */

	/* What the source's resolve() says. */
	const IdgenNativeSequence *native; /* what a native sequence says, or NULL */
	Oid object;                        /* that sequence, or invalid */
	RelFileNumber storage;             /* its file, or invalid */
	uint32 origin;                     /* a server's OID, a hash of a function's name, a number
	                                    * of the pool, or 0 */
	bool uncommitted;                  /* has the current transaction made that file, or
	                                    * changed how the server is reached? */
	bool temporary;                    /* is it a temporary sequence? */

	/*
	 * Privileges, row and slot were looked at when idgen_epoch was this, for
	 * this user; zero if they have to be looked at again. An answer that must
	 * not be remembered holds for one call only. fast_epoch is what the hot
	 * path looks at: the same, but zero also if the answer must not be
	 * remembered, the current transaction must not use the cache, it has a
	 * pending block that the hot path must not touch, ids have to be composed,
	 * or idgen_last() needs to know more than the value drawn last. If ids have
	 * to be composed, quick_epoch is what fast_epoch is else; see
	 * idgen_draw_quick().
	 *
	 * The hot path touches what comes from here to the pending block: a session
	 * that draws from many id sequences finds little of that in the processor's
	 * cache.
	 */
	uint64 quick_epoch;
	uint64 epoch;
	bool remember;
	bool for_periods; /* may a row with periods draw from it? see validate.c */
	bool has_row;     /* if not, a source was asked for that needs none */
	Oid userid;
	const char *search_path; /* that the source was found by, or NULL if it depends on none */
	uint64 fast_epoch;
	IdgenSlot *slot; /* NULL in a worker, and of a row that is only shown */
	uint64 version;  /* the slot's version then */
} IdgenFound;

/*
 * What the current transaction has refilled for everybody at once. Not reset at
 * its end, but when another transaction does so.
 */
typedef struct IdgenPublishing
{
	LocalTransactionId lxid; /* the transaction that has locked the object for
	                          * refills, or invalid */
	int64 refills;           /* since then */
	int64 ids;               /* that they brought */
} IdgenPublishing;

/*
 * What the current transaction has had the worker refill so far: how a bulk
 * load is told from others. Like IdgenPublishing, it is good for one
 * transaction only.
 */
typedef struct IdgenServed
{
	LocalTransactionId lxid; /* the transaction, or invalid */
	int64 refills;           /* that it has requested */
	int64 ids;               /* that it has drawn in between, as far as it knows */
	int64 issued;            /* ids that the slot had issued then */
	int64 refilled;          /* and refills that it had counted */
} IdgenServed;

/*
 * The child that a row with periods has drawn from last. A draw without a date
 * goes on with it in all transactions that start from "from" on, and before
 * "until"; one with a date, if that is in the period of the day.
 */
typedef struct IdgenPeriodChild
{
	struct IdgenHandle *child;
	uint64 epoch; /* idgen_epoch at that time: if it differs, the child's
	                    * handle may be gone; 0 if all of this is void */
	IdgenDay day;
	const pg_tz *zone; /* that has decided about the rest */
	TimestampTz from;
	TimestampTz until;
} IdgenPeriodChild;

/* A session's view of one id sequence: its parts, by how long they live. */
typedef struct IdgenHandle
{
	/* Good for one transaction only. */
	IdgenPublishing publishing;

	/*
	 * Until it is validated again: replaced as a whole. The hot part is at its
	 * end.
	 */
	IdgenFound found;

	/* As long as the handle: which id sequence it is. */
	Oid relid; /* id_sequences of the installation it belongs to */
	uint16 namelen;
	const char *name; /* zero-terminated */

	/*
	 * Until the session ends, or DISCARD: see handle_table.c. The hot path sets
	 * the value only.
	 */
	IdgenLast last;

	/* As long as the handle; here, the pending block begins on a cache line. */
	IdgenPeriodChild *of_period; /* or NULL */
	ItemPointerData row_tid;     /* where this session's last refill put the row */
	bool giving_back;            /* its source takes back what is left of a block */
	bool of_worker;              /* is it a worker's? */

	/* Until the transaction ends. */
	IdgenPending pending;
	IdgenHandleXact xact;

	/* As long as the handle, but out of the way of the hot path. */
	uint8 digest[IDGEN_DIGEST_BYTES]; /* of the name */

	/* Good for one transaction only. */
	IdgenServed served;
	LocalTransactionId unnoted; /* a transaction that may have drawn before it knew of
	                             * the watermark, or invalid */

	char unused[8]; /* up to a multiple of a cache line, see below */
} IdgenHandle;

/*
 * A multiple of a cache line's 64 bytes, as long as a session has room for many
 * handles: else the hot part of some lies in one line more, and a draw takes
 * longer.
 */
StaticAssertDecl(sizeof(IdgenHandle) == 640 && offsetof(IdgenHandle, pending) % 64 == 0,
                 "a handle must take ten cache lines");

/*
 * Does what was found hold, at that epoch (found.epoch or found.fast_epoch),
 * for a call that asks for that source (NULL if it asks for none)? The setting
 * search_path has no other way of telling that it was changed than to look at
 * it.
 */
static inline bool
idgen_handle_is_valid(const IdgenHandle *handle, uint64 epoch, const IdgenSource *asked)
{
	const IdgenFound *found = &handle->found;

	return epoch == idgen_epoch && GetUserId() == found->userid &&
		(found->search_path == NULL ||
	     strcmp(found->search_path, namespace_search_path) == 0) &&
		(asked == NULL ? found->has_row : found->row.source == asked);
}

/*
 * Have the next draw take the long way, which decides what there is to decide.
 */
static inline void
idgen_handle_close_hot_path(IdgenHandle *handle)
{
	handle->found.fast_epoch = 0;
	handle->found.quick_epoch = 0;
}

/* Have the handle validated before it is used again. */
static inline void
idgen_handle_invalidate(IdgenHandle *handle)
{
	handle->found.epoch = 0;
	idgen_handle_close_hot_path(handle);
}

/*
 * Handles with anything to do at the end of the transaction, by xact.node; see
 * idgen_handle_list().
 */
extern dlist_head idgen_listed_handles;

/* Where names are, and what handles point to. NULL until there is a name. */
extern MemoryContext idgen_name_memory;

/* handle_table.c */
extern IdgenHandle *idgen_handle_find(Oid relid, const char *name, int namelen);
extern IdgenHandle *idgen_handle_get(Oid relid, const char *name, int namelen);
extern void idgen_handle_list(IdgenHandle *handle);
extern void idgen_handles_end_transaction(void);
extern void idgen_handles_forget_last(void);

/* handle.c */
extern IdgenHandle *idgen_handle_make(MemoryContext memory, Oid relid, const char *name, int namelen);
extern void idgen_handle_free(IdgenHandle *handle);
extern void idgen_handle_adopt(IdgenHandle *handle, const IdgenFound *found);
extern bool idgen_handle_holds_row(const IdgenHandle *handle);

extern void idgen_handle_key(const IdgenHandle *handle, IdgenCacheKey *key);
extern IdgenSlot *idgen_handle_attach(const IdgenHandle *handle, const IdgenFound *found, uint64 *version);
extern IdgenSlot *idgen_handle_lock_slot(const IdgenHandle *handle);

extern IdgenHandle *idgen_handle_child(IdgenHandle *handle, const IdgenDay *at);
pg_noreturn extern void idgen_refuse_periods(const IdgenHandle *handle, const char *function);
extern void idgen_refill_context_push(const char *name, ErrorContextCallback *context);
extern void idgen_warn_low(const IdgenHandle *handle, const IdgenRangeLeft *left);

/* The time zone that decides what day it is for a handle that is valid. */
static inline pg_tz *
idgen_handle_zone(const IdgenHandle *handle)
{
	return handle->found.row.zone != NULL ? handle->found.row.zone : idgen_period_zone;
}

/* Keep what idgen_last() may be asked about a sequence value drawn just now. */
static inline void
idgen_handle_remember_last(IdgenHandle *handle, int64 value, int prefix)
{
	const IdgenFound *found = &handle->found;

	handle->last = (IdgenLast){
		.value = value,
		.layout = found->row.layout,
		.object = found->object,
		.prefix = prefix,
		.had_row = found->has_row,
	};
}

#endif /* IDGEN_HANDLE_H */
