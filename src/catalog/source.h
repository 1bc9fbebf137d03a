/*
 * source.h
 *		Where blocks come from: all that a source has to say.
 *
 * A source is a strategy: one struct of this kind in one file, registered in
 * idgen.c. Nothing else is done differently for one source than for another.
 */
#ifndef IDGEN_SOURCE_H
#define IDGEN_SOURCE_H

#include "access/xlogdefs.h"

#include "common/block.h"

struct IdgenHandle;
struct IdgenRemoteQuery;

/* What allocate() is asked for. */
typedef struct IdgenRequest
{
	int64 blocks;     /* blocks wanted, at least 1 */
	int64 bulk_ids;   /* ids that a bulk load could use at once: take as many
	                    * whole blocks, if that is more and asking is dear */
	int64 count;      /* ids wanted in a row, at least 1: if there are not so
	                    * many, raise 2200H and take nothing, ... */
	IdgenBlock joins; /* ... but new ids that go on from where this block (may be
	                    * empty) ends are in a row with it */
	bool wait;        /* wait for other transactions, and raise 2200H if there
	                    * is no id left; else return false for both */
	bool by_worker;   /* it is the worker that asks */

	/*
	 * Not NULL if the caller has other things to do while a server far away allocates: then
	 * allocate() returns false as long as that is under way, and is to be
	 * called again, with the same request, when it has advanced.
	 */
	struct IdgenRemoteQuery **under_way;
} IdgenRequest;

/* What becomes of the ids of a refill that its transaction does not use. */
typedef enum IdgenRestFate
{
	IDGEN_REST_LOST,      /* nobody may have them: a gap */
	IDGEN_REST_PUBLISHED, /* they go into the cache */
	IDGEN_REST_RETURNED,  /* give_back() returns them before the commit: the
	                       * refill is gapless */
} IdgenRestFate;

/* What allocate() has got. It comes to it with all fields zero. */
typedef struct IdgenRefill
{
	IdgenRest rest;     /* not empty; allocate() leaves storage alone */
	XLogRecPtr lsn;     /* what to flush the WAL to before others may have it;
	                     * invalid if that is the commit's business */
	int64 blocks;       /* how many blocks that was, for the counters */
	int64 ahead_blocks; /* of these, the ones not owed to a bulk load, ... */
	int64 ahead_ids;    /* ... and the ids in them; 0 = not to refill ahead */
	IdgenRestFate fate; /* what becomes of the rest */
	int percent_left;   /* of the id sequence's range after it, 0 to 100 */
} IdgenRefill;

typedef struct IdgenSource
{
	/* The value of column "source". */
	const char *name;

	/*
	 * Is an allocation undone when its transaction aborts? Then its blocks
	 * belong to the transaction until it commits. If not, they go to all
	 * sessions at once, so no crash may bring them again once the WAL is
	 * flushed to where allocate() says (as far as the source outlives a crash
	 * at all).
	 */
	bool transactional;

	/*
	 * The setting that says for how many milliseconds allocate() may wait for another server,
	 * whose errors its errors may be. NULL if it does not.
	 */
	const int *timeout;

	/* May a worker allocate, which does not have the rights of a caller? */
	bool for_worker;

	/* Are blocks those of an object, which the cache key names, rather than of the row? */
	bool has_object;

	/* Does allocate() run code of somebody's with the rights of whoever draws? */
	bool runs_code;

	/* Without a row in id_sequences, is there no such id sequence? */
	bool needs_row;

	/*
	 * Does allocate() read the row, and keep it from being changed until the
	 * transaction ends? If not, its blocks are good only if the row has not
	 * changed since the handle was validated.
	 */
	bool locks_row;

	/* Is it the source of the rows that idgen.auto_create makes? */
	bool auto_created;

	/*
	 * Raise 22004, 22023, 42601 or 42602 for a source_name (null if not given)
	 * that can never be right. May be NULL. Must look at nothing but the text.
	 */
	void (*check_syntax)(const char *source_name);

	/*
	 * What to store as source_name (null if not given) when the id sequence
	 * is created by idgen_create(). Raises an error if the source is not
	 * there. NULL if the source makes no use of source_name.
	 */
	const char *(*check_name)(const char *name, const char *source_name);

	/*
	 * Find what the id sequence draws from, and check that the current user
	 * may allocate from it; called whenever the handle is validated. Sets the
	 * handle's object, storage, origin, uncommitted, temporary, search_path and
	 * details as needed, which are zero before. If "object" is valid, that is
	 * what somebody else has found and was allowed to draw from: neither is to
	 * be done again, but it is to be kept from being changed until the transaction
	 * ends; the handle's object stays invalid if it is gone. May be NULL.
	 */
	void (*resolve)(struct IdgenHandle *handle, Oid object);

	/*
	 * Take whatever heavyweight lock allocate() needs, for the rest of the
	 * transaction, whatever savepoints do: it is called once for each object.
	 * Only for sources that are not transactional. Sessions wait for their
	 * allocate() without deadlock detection, so that must not wait for a lock
	 * of another transaction, unless a timeout ends it; this may. May be NULL.
	 */
	void (*prepare)(struct IdgenHandle *handle);

	/*
	 * Allocate for the current transaction. Returns false if there is nothing
	 * to allocate from any more: the caller validates again. See IdgenRequest.
	 */
	bool (*allocate)(struct IdgenHandle *handle, const IdgenRequest *request,
	                 IdgenRefill *refill);

	/*
	 * The most ids in a row that allocate() can be asked for. NULL if there is
	 * no limit.
	 */
	int64 (*max_count)(const struct IdgenHandle *handle);

	/*
	 * Undo the allocation of the rest of a gapless block, before commit.
	 * Returns false if that is not possible any more. Only for sources that
	 * give gapless blocks.
	 */
	bool (*give_back)(struct IdgenHandle *handle, const IdgenBlock *rest);

	/*
	 * The id that allocate() would bring next. Returns false if there is
	 * nothing to allocate from any more: the caller validates again. Raises
	 * 2200H or, if it cannot be known, 55000.
	 */
	bool (*peek)(struct IdgenHandle *handle, int64 *id);

	/*
	 * Start again at an id, when the transaction commits. Returns false if
	 * there was reason to validate again. NULL if the source cannot restart.
	 */
	bool (*restart)(struct IdgenHandle *handle, int64 start);

	/*
	 * The percentage of the range of an object that is left; negative if that
	 * is not known. May be NULL. Must not wait.
	 */
	double (*percent_left)(Oid object);
} IdgenSource;

/*
 * How many ids have to be taken so that there are as many in a row as are wanted, if the
 * next one is "next", and so many are left after it? 0 if there are too few. While the
 * worker allocates, others draw from what the new ids are to join, so it counts on that
 * at the end only.
 */
static inline int64
idgen_request_ids(const IdgenRequest *request, int64 next, int64 step, uint64 after)
{
	IdgenBlock first = {next, 1, step};
	int64 ids = request->count;
	bool enough = after >= (uint64) ids - 1;

	if (request->joins.left > 0 && idgen_block_adjacent(&request->joins, &first) &&
	    !(request->by_worker && enough))
	{
		ids = Max(1, ids - request->joins.left);
		enough = after >= (uint64) ids - 1;
	}
	return enough ? ids : 0;
}

/*
 * The percentage of a range that is left from "next" on, rounded down. As doubles: it may
 * be behind the greatest id, and the range wider than 2^63.
 */
static inline int
idgen_percent_of_range(double first, double next, double last)
{
	return (int) (100 * (last - next + 1) / (last - first + 1));
}

extern void idgen_source_register(const IdgenSource *source);
extern const IdgenSource *idgen_source_find(const char *name);
extern const IdgenSource *idgen_source_get(const char *name);

#endif /* IDGEN_SOURCE_H */
