/*
 * notes.c
 *		Who may still bring ids: the notes from which a watermark is told (rule
 *		T10).
 *
 * A watermark is the id up to which no row will appear any more. Ids are drawn
 * in order, but transactions commit in another one: so what holds it down are
 * the transactions in progress that have drawn ids, or have allocated what will
 * be drawn. Each notes the least id that it may bring, until its rows are
 * visible to others and what it has left over is in the cache. What the cache
 * holds, and what the row says comes next, counts besides; nobody else does.
 *
 * Notes are not in a slot, since that may go at any time. They have places, one
 * for each id sequence whose watermark is kept; a place that has no notes may
 * go, and comes back when it is needed.
 *
 * When a watermark is switched on, transactions may be in progress that have
 * drawn ids, and have not noted them. So the transaction that switches it on
 * makes the place before it commits, as one of which not all is known. A reader
 * that finds this reads the row after that: if it says that a watermark is
 * kept, all who look at the row from then on note what they draw. So it drops
 * what is cached, which has all sessions look again, and lists the transactions
 * that are open. When these have ended, everything is known. They cannot be
 * waited for: readers have transactions, too, and would wait for each other.
 *
 * A transaction that is prepared leaves its note behind. Nobody tells when it
 * ends, so its xid is looked up. A restart forgets all notes: then nothing is
 * known until the prepared transactions that have outlasted it have ended.
 *
 * The protocol is modelled in test/model/watermark.pml.
 *
 * Locking rules: notes->lock protects all of it. It comes after a slot's lock:
 * a draw takes ids and notes them under both, and who tells a watermark looks
 * at both under both, else ids could be in neither. Nothing is locked under it.
 */
#include "postgres.h"

#include "access/transam.h"
#include "access/twophase.h"
#include "access/xact.h"
#include "lib/ilist.h"
#include "miscadmin.h"
#include "storage/lmgr.h"
#include "storage/lwlock.h"
#include "storage/proc.h"
#include "storage/procarray.h"
#include "storage/shmem.h"
#include "utils/hsearch.h"

#include "cache/cache.h"
#include "cache/notes.h"
#include "common/compat.h"
#include "common/full_xid.h"
#include "common/guc.h"
#include "common/lock_holder.h"

/* Of an id sequence: where its notes are. */
typedef struct Place
{
	IdgenCacheKey key; /* of the row; must be first */
	bool known;        /* if not, there may be ids that are not noted */
	uint64 number;     /* of the last time that it was switched on */
	dlist_head notes;
} Place;

/* Transactions that may have drawn ids without a note. */
typedef struct Suspects
{
	uint64 number; /* that of the place; 0 if it is free */
	int n;
	VirtualTransactionId xacts[FLEXIBLE_ARRAY_MEMBER];
} Suspects;

/* More watermarks than this are rarely switched on at the same time. */
#define MAX_LISTS 64

struct IdgenNote
{
	dlist_node node; /* of its place, or of those that are free */
	bool says_any;   /* if not, it has drawn nothing yet */
	int64 least;     /* the least id that it may bring */
	uint64 prepared; /* 64-bit xid of the prepared transaction, or 0 */
	int pid;
	TimestampTz since;
};

typedef struct Notes
{
	LWLock lock;
	uint64 last_number;  /* of places */
	bool recovered_over; /* have prepared transactions of before the restart ended? */
	bool any_forgotten;  /* has a place gone of which not all was known? */
	int nprepared;       /* notes of prepared transactions */
	dlist_head free;
	IdgenNote all[FLEXIBLE_ARRAY_MEMBER];
} Notes;

static Notes *notes = NULL; /* NULL if there are none */
static HTAB *places;
static char *lists; /* of Suspects */

/* A session needs a note for each of these id sequences in its transaction. */
static int
max_notes(void)
{
	return 2 * idgen_max_watermarks + 16 * MaxBackends;
}

static Size
notes_size(void)
{
	return add_size(offsetof(Notes, all), mul_size(max_notes(), sizeof(IdgenNote)));
}

/* Those that can be open at a time: of sessions, and prepared ones. */
static int
max_suspects(void)
{
	return MaxBackends + max_prepared_xacts;
}

static Size
list_size(void)
{
	return MAXALIGN(add_size(offsetof(Suspects, xacts), mul_size(max_suspects(), sizeof(VirtualTransactionId))));
}

static Suspects *
list(int i)
{
	return (Suspects *) (lists + i * list_size());
}

/* Ask for shared memory; from shmem_request_hook. */
void
idgen_notes_request_shmem(void)
{
	RequestAddinShmemSpace(mul_size(MAX_LISTS, list_size()));
	RequestAddinShmemSpace(notes_size());
	RequestAddinShmemSpace(hash_estimate_size(idgen_max_watermarks, sizeof(Place)));
	RequestNamedLWLockTranche("IdgenWatermark", 1);
}

/* Create it or attach to it; from shmem_startup_hook. */
void
idgen_notes_startup_shmem(void)
{
	HASHCTL info = {.keysize = sizeof(IdgenCacheKey), .entrysize = sizeof(Place)};
	bool found;

	LWLockAcquire(AddinShmemInitLock, LW_EXCLUSIVE);
	notes = ShmemInitStruct("idgen notes", notes_size(), &found);
	if (!found)
	{
		memset(notes, 0, notes_size());
		LWLockInitialize(&notes->lock, GetNamedLWLockTranche("IdgenWatermark")->lock.tranche);
		dlist_init(&notes->free);
		for (int i = 0; i < max_notes(); i++)
			dlist_push_tail(&notes->free, &notes->all[i].node);
	}
	lists = ShmemInitStruct("idgen lists of transactions", mul_size(MAX_LISTS, list_size()), &found);
	if (!found)
		memset(lists, 0, mul_size(MAX_LISTS, list_size()));
	places = ShmemInitHash("idgen places of notes", idgen_max_watermarks, &info,
	                       HASH_ELEM | HASH_BLOBS | HASH_FIXED_SIZE);
	LWLockRelease(AddinShmemInitLock);
}

/*
 * Places. The caller of these holds the lock.
 */

static Place *
find_place(const IdgenCacheKey *key)
{
	return hash_search(places, key, HASH_FIND, NULL);
}

static void
free_note(IdgenNote *note)
{
	dlist_delete(&note->node);
	if (note->prepared != 0)
		notes->nprepared--;
	note->prepared = 0;
	dlist_push_head(&notes->free, &note->node);
}

/*
 * Places without notes go. If not all was known of one, a place that is not
 * there says nothing from then on.
 */
static void
remove_places(void)
{
	HASH_SEQ_STATUS status;
	Place *place;

	hash_seq_init(&status, places);
	while ((place = hash_seq_search(&status)) != NULL)
	{
		if (!dlist_is_empty(&place->notes))
			continue;
		notes->any_forgotten = notes->any_forgotten || !place->known;
		(void) hash_search(places, &place->key, HASH_REMOVE, NULL);
	}
}

/* The place of a key, made if there is none; NULL if there is no room. */
static Place *
get_place(const IdgenCacheKey *key)
{
	Place *place = find_place(key);

	if (place != NULL)
		return place;
	if (hash_get_num_entries(places) >= idgen_max_watermarks)
		remove_places();
	if (hash_get_num_entries(places) >= idgen_max_watermarks)
		return NULL;
	place = hash_search(places, key, HASH_ENTER, NULL);
	place->known = !notes->any_forgotten;
	place->number = ++notes->last_number;
	dlist_init(&place->notes);
	return place;
}

/*
 * Notes of transactions
 */

/*
 * Forget the notes of prepared transactions that have ended. To look up an xid
 * may read from the disk, so that is not done under the lock.
 */
void
idgen_notes_forget_ended(void)
{
	uint64 *ended;
	int n = 0;

	if (notes == NULL || *(volatile int *) &notes->nprepared == 0)
		return;

	ended = palloc(max_notes() * sizeof(uint64));
	LWLockAcquire(&notes->lock, LW_SHARED);
	for (int i = 0; i < max_notes(); i++)
		if (notes->all[i].prepared != 0)
			ended[n++] = notes->all[i].prepared;
	LWLockRelease(&notes->lock);
	for (int i = 0; i < n; i++)
	{
		TransactionId xid = idgen_short_xid(ended[i]);

		if (TransactionIdIsValid(xid) && TransactionIdIsInProgress(xid))
			continue;
		LWLockAcquire(&notes->lock, LW_EXCLUSIVE);
		for (int j = 0; j < max_notes(); j++)
			if (notes->all[j].prepared == ended[i])
				free_note(&notes->all[j]);
		LWLockRelease(&notes->lock);
	}
	pfree(ended);
}

/* Raises 53400: there is no room. */
static void
too_many(void)
{
	ereport(ERROR,
	        (errcode(ERRCODE_CONFIGURATION_LIMIT_EXCEEDED),
	         errmsg("too many id sequences with a watermark are in use"),
	         errhint("Increase \"idgen.max_watermarks\" (currently %d), and restart the server.", idgen_max_watermarks)));
}

/*
 * A note of this transaction about an id sequence, which says nothing yet.
 * Raises 53400 if there is no room for it.
 */
IdgenNote *
idgen_note_take(const IdgenCacheKey *key)
{
	for (int try = 0; try < 2; try++)
	{
		Place *place;
		IdgenNote *note = NULL;

		LWLockAcquire(&notes->lock, LW_EXCLUSIVE);
		place = get_place(key);
		if (place != NULL && !dlist_is_empty(&notes->free))
		{
			note = dlist_container(IdgenNote, node, dlist_pop_head_node(&notes->free));
			*note = (IdgenNote){
				.pid = MyProcPid,
				.since = GetCurrentTransactionStartTimestamp(),
			};
			dlist_push_tail(&place->notes, &note->node);
		}
		LWLockRelease(&notes->lock);
		if (note != NULL)
			return note;
		idgen_notes_forget_ended();
	}
	too_many();
	return NULL;
}

/*
 * The transaction may bring this id. To be called before it has drawn it for
 * good: if it takes it from the cache, under the slot's lock; if it allocates,
 * before that is visible to others.
 */
void
idgen_note_lower(IdgenNote *note, int64 id)
{
	if (note->says_any && id >= note->least)
		return;
	LWLockAcquire(&notes->lock, LW_EXCLUSIVE);
	note->least = id;
	note->says_any = true;
	LWLockRelease(&notes->lock);
}

int64
idgen_note_least(const IdgenNote *note)
{
	return note->least;
}

/* The transaction is prepared: its note stays until it ends. */
void
idgen_note_keep_prepared(IdgenNote *note, TransactionId xid)
{
	uint64 full = idgen_full_xid(xid);

	LWLockAcquire(&notes->lock, LW_EXCLUSIVE);
	note->pid = 0;
	note->prepared = full;
	notes->nprepared++;
	LWLockRelease(&notes->lock);
}

/*
 * The transaction has ended: others see its rows, and what it has left is in
 * the cache.
 */
void
idgen_note_let_go(IdgenNote *note)
{
	LWLockAcquire(&notes->lock, LW_EXCLUSIVE);
	free_note(note);
	LWLockRelease(&notes->lock);
}

/*
 * Switching a watermark on
 */

/* The list of that number, or NULL. */
static Suspects *
find_list(uint64 number)
{
	for (int i = 0; i < MAX_LISTS; i++)
		if (list(i)->number == number)
			return list(i);
	return NULL;
}

/*
 * The list that was begun first, or is free. If its readers still need it, they
 * begin a new one.
 */
static Suspects *
oldest_list(void)
{
	Suspects *oldest = list(0);

	for (int i = 1; i < MAX_LISTS; i++)
		if (list(i)->number < oldest->number)
			oldest = list(i);
	return oldest;
}

/*
 * The current transaction is about to commit, and the row says that a watermark
 * is kept then. Raises 53400 if there is no room for it.
 */
void
idgen_notes_begin(const IdgenCacheKey *key)
{
	Place *place;

	if (notes == NULL)
		return;
	LWLockAcquire(&notes->lock, LW_EXCLUSIVE);
	place = get_place(key);
	if (place != NULL)
	{
		place->known = false;
		place->number = ++notes->last_number;
	}
	LWLockRelease(&notes->lock);
	if (place == NULL)
		too_many();
}

/*
 * The number of the time that it was switched on, if not all is known since
 * then; or 0. Raises 53400 if there is no room to know.
 */
uint64
idgen_notes_switched(const IdgenCacheKey *key)
{
	Place *place;
	uint64 number;
	bool full;

	LWLockAcquire(&notes->lock, LW_EXCLUSIVE);
	place = notes->any_forgotten ? get_place(key) : find_place(key);
	number = place != NULL && !place->known ? place->number : 0;
	full = place == NULL && notes->any_forgotten;
	LWLockRelease(&notes->lock);
	if (full)
		too_many();
	return number;
}

static bool
has_list(uint64 number)
{
	bool has;

	LWLockAcquire(&notes->lock, LW_SHARED);
	has = find_list(number) != NULL;
	LWLockRelease(&notes->lock);
	return has;
}

/*
 * The transactions that are waited for: those on the list of that number, or
 * else the ones that the caller has found, which are on it then. Returns false
 * if it was switched on once more.
 */
static bool
take_list(const IdgenCacheKey *key, uint64 number, VirtualTransactionId *xacts, int *n)
{
	Place *place;
	Suspects *suspects = NULL;

	LWLockAcquire(&notes->lock, LW_EXCLUSIVE);
	place = find_place(key);
	if (place != NULL && place->number == number)
	{
		suspects = find_list(number);
		if (suspects == NULL)
		{
			suspects = oldest_list();
			suspects->number = number;
			suspects->n = *n;
			memcpy(suspects->xacts, xacts, *n * sizeof(VirtualTransactionId));
		}
	}
	if (suspects != NULL)
	{
		*n = suspects->n;
		memcpy(xacts, suspects->xacts, *n * sizeof(VirtualTransactionId));
	}
	LWLockRelease(&notes->lock);
	return suspects != NULL;
}

/* The transactions of that list have ended: everything is known. */
static void
set_known(const IdgenCacheKey *key, uint64 number)
{
	Place *place;
	Suspects *suspects;

	LWLockAcquire(&notes->lock, LW_EXCLUSIVE);
	place = find_place(key);
	suspects = find_list(number);
	if (place != NULL && place->number == number)
		place->known = true;
	if (suspects != NULL)
		suspects->number = 0;
	LWLockRelease(&notes->lock);
}

/*
 * The first of these transactions that is in progress, or prepared. NULL if all
 * have ended, and their callbacks have come.
 */
static const VirtualTransactionId *
first_open(const VirtualTransactionId *xacts, int n)
{
	VirtualTransactionId own;

	GET_VXID_FROM_PGPROC(own, *MyProc);
	for (int i = 0; i < n; i++)
		if (VirtualTransactionIdEquals(xacts[i], own) || !VirtualXactLock(xacts[i], false))
			return &xacts[i];
	return NULL;
}

/*
 * The transactions of this database that are open, and this one as well if
 * "own"; with room for any list.
 */
static VirtualTransactionId *
list_open(bool own, int *n)
{
	VirtualTransactionId *others = GetCurrentVirtualXIDs(InvalidTransactionId, false, false, PROC_IS_AUTOVACUUM | PROC_IN_VACUUM, n);
	VirtualTransactionId *xacts = palloc(Max(max_suspects(), *n + 1) * sizeof(VirtualTransactionId));

	memcpy(xacts, others, *n * sizeof(VirtualTransactionId));
	if (own)
	{
		GET_VXID_FROM_PGPROC(xacts[*n], *MyProc);
		(*n)++;
	}
	pfree(others);
	return xacts;
}

/*
 * Have the prepared transactions ended that have outlasted a restart, and with
 * it their notes? If not, *holder is one of them.
 */
bool
idgen_notes_recovered_are_over(IdgenLockHolder *holder)
{
	VirtualTransactionId *xacts;
	bool any = false;
	int n;

	if (notes->recovered_over)
		return true;
	xacts = GetCurrentVirtualXIDs(InvalidTransactionId, false, true, 0, &n);
	for (int i = 0; i < n && !any; i++)
	{
		any = VirtualTransactionIdIsRecoveredPreparedXact(xacts[i]);
		if (any)
			*holder = idgen_lock_holder_of(xacts[i]);
	}
	pfree(xacts);
	notes->recovered_over = !any;
	return !any;
}

/*
 * Is a transaction open that may have drawn ids without a note when it was
 * switched on, which is what "number" says? "own" says whether the current one
 * is among them. The caller has found that out before it has read in the row
 * that a watermark is kept. If nobody has listed the transactions, this does,
 * after it has dropped what is cached: so all sessions look at the row again,
 * and what transactions are about to publish, whose commit others see already,
 * is void. If so, *holder is one of them. If not, idgen_notes_look() says
 * whether all is known: it may have been switched on once more.
 */
bool
idgen_notes_are_awaited(const IdgenCacheKey *key, uint64 number, bool own, IdgenLockHolder *holder)
{
	VirtualTransactionId *xacts;
	const VirtualTransactionId *open = NULL;
	int n;

	*holder = (IdgenLockHolder){0};
	if (!has_list(number))
		idgen_cache_change_name(key->relid, key->name, IDGEN_SLOT_DROP, PG_UINT64_MAX);
	xacts = list_open(own, &n);
	if (take_list(key, number, xacts, &n))
	{
		open = first_open(xacts, n);
		if (open == NULL)
			set_known(key, number);
		else
			*holder = idgen_lock_holder_of(*open);
	}
	pfree(xacts);
	return holder->pid != 0 || TransactionIdIsValid(holder->xid);
}

/*
 * Look at the notes of an id sequence; the caller holds the lock of its slot,
 * if it has one. *last is the id up to which none may come as far as is known,
 * and becomes a lower one if a note says so: then *holder says whose that is.
 * Returns whether that is all.
 */
bool
idgen_notes_look(const IdgenCacheKey *key, int64 *last, IdgenHolder *holder)
{
	Place *place;
	dlist_iter iter;
	bool known;

	*holder = (IdgenHolder){0};
	if (notes == NULL)
		return false;
	LWLockAcquire(&notes->lock, LW_SHARED);
	place = find_place(key);
	known = notes->recovered_over && (place != NULL ? place->known : !notes->any_forgotten);
	if (place != NULL)
		dlist_foreach(iter, &place->notes)
		{
			const IdgenNote *note = dlist_container(IdgenNote, node, iter.cur);

			if (note->least > *last || !note->says_any)
				continue;
			*last = idgen_id_before(note->least);
			*holder = (IdgenHolder){note->least, note->pid, (TransactionId) note->prepared, note->since};
		}
	LWLockRelease(&notes->lock);
	return known;
}
