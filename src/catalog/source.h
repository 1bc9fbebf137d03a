/*
 * source.h
 *		Where blocks come from: all that a source has to say.
 *
 * A source is a strategy: one struct of this kind in one file, and one line in
 * definition.c. Nothing else is done differently for one source than for
 * another.
 */
#ifndef IDGEN_SOURCE_H
#define IDGEN_SOURCE_H

#include "access/transam.h"
#include "access/xlogdefs.h"
#include "datatype/timestamp.h"
#include "executor/tuptable.h"

#include "catalog/native_sequence.h"
#include "catalog/owning_column.h"
#include "common/block.h"

struct IdgenHandle;
struct IdgenFound;
struct IdgenRemoteQuery;

/*
 * What asks for an allocation. It says whether allocate() may wait for other
 * transactions, and whether it raises an error if no id is left.
 */
typedef enum IdgenAsker
{
	IDGEN_ASKER_SESSION,        /* A call has no id left. It waits, and raises
	                             * 2200H if the source has none either. */
	IDGEN_ASKER_SESSION_AHEAD,  /* A session that still has ids. It neither
	                             * waits, nor raises 2200H. */
	IDGEN_ASKER_WORKER,         /* The worker, which has other id sequences to
	                             * refill. It does not wait. */
	IDGEN_ASKER_WORKER_IN_LINE, /* The worker in a transaction for this id
	                             * sequence alone. It waits. */
} IdgenAsker;

/* What allocate() is asked for. */
typedef struct IdgenRequest
{
	IdgenAsker asker;

	/* The blocks wanted, at least 1. */
	int64 blocks;

	/*
	 * The ids that a bulk load could use at once. If they make more blocks than
	 * are wanted, and asking costs much, allocate() takes these.
	 */
	int64 bulk_ids;

	/*
	 * The consecutive ids wanted, at least 1. If there are fewer, allocate()
	 * raises 2200H and takes nothing.
	 */
	int64 count;

	/*
	 * NULL if a session asks. The worker does other things while a server far
	 * away allocates: allocate() keeps the statement here, answers
	 * IDGEN_SOURCE_UNDER_WAY, and is called again, with the same request, when
	 * the statement has advanced.
	 */
	struct IdgenRemoteQuery **under_way;

	/*
	 * Since when a session has needed another server, if that is the source; or
	 * the worker's first try began.
	 */
	TimestampTz since;
} IdgenRequest;

static inline bool
idgen_request_by_worker(const IdgenRequest *request)
{
	return request->asker == IDGEN_ASKER_WORKER || request->asker == IDGEN_ASKER_WORKER_IN_LINE;
}

/* What allocate() answers. */
typedef enum IdgenSourceResult
{
	/* It is done. */
	IDGEN_SOURCE_OK,

	/*
	 * The row, or what it names, is gone or is not what the handle says it is:
	 * validate the handle, then ask again.
	 */
	IDGEN_SOURCE_STALE,

	/*
	 * Not now: another transaction holds what allocate() needs. Only askers
	 * that do not wait get this answer. IDGEN_ASKER_SESSION_AHEAD, which goes
	 * on with the ids that it has, also gets it if no id is left, or if the
	 * source does not allocate ahead at all.
	 */
	IDGEN_SOURCE_BUSY,

	/*
	 * Another server is allocating, see under_way of IdgenRequest. Only the
	 * worker gets this answer.
	 */
	IDGEN_SOURCE_UNDER_WAY,
} IdgenSourceResult;

/* What becomes of ids that a transaction has allocated and does not use. */
typedef enum IdgenRestFate
{
	IDGEN_REST_LOST,       /* nobody may have them: a gap */
	IDGEN_REST_PUBLISHED,  /* they go into the cache */
	IDGEN_REST_GIVEN_BACK, /* they go back to the row before the commit, by
	                        * give_back(): the refill is gapless */
	IDGEN_REST_FORGOTTEN,  /* their allocation is undone */
} IdgenRestFate;

/*
 * What goes with the answer of allocate(), which gets it with all fields zero
 * but the first: with IDGEN_SOURCE_BUSY the holder, and with IDGEN_SOURCE_OK
 * all the others.
 */
typedef struct IdgenRefill
{
	TimestampTz begun_at; /* set by the caller; 0 if the refill is not timed */
	int timed_for;        /* if it is: how many refills that stands for */
	TransactionId holder; /* that holds the row, or invalid if not known */

	IdgenRest rest;      /* not empty; allocate() leaves storage and origin alone */
	IdgenRestFate fate;  /* what becomes of what the transaction does not use */
	bool early_release;  /* may the transaction's locks go before it is on disk? */
	XLogRecPtr lsn;      /* flush the WAL up to here before others may have it;
	                     * invalid if the commit does so */
	int64 blocks;        /* how many blocks that was, for the counters */
	int64 ahead_blocks;  /* of these, the ones not owed to a bulk load */
	int64 ahead_ids;     /* the ids in ahead_blocks; 0 = do not refill ahead */
	IdgenRangeLeft left; /* after it */
} IdgenRefill;

/* A source: facts that others have to know of it, then what it does. */
typedef struct IdgenSource
{
	/* The value of column "source". */
	const char *name;

	/*
	 * Is an allocation undone when its transaction aborts? Then its blocks
	 * belong to the transaction until it commits. If not, they go to all
	 * sessions at once. So no crash may bring them back once the WAL is flushed
	 * up to where allocate() says (as far as the source outlives a crash at
	 * all).
	 */
	bool transactional;

	/*
	 * Do blocks belong to a native sequence, which the cache key names? Then it
	 * can be drawn from without a row; and if there is one, its pooling says
	 * which ids a value stands for. If not, blocks belong to the row.
	 */
	bool has_object;

	/*
	 * Does allocate() run code of another role with the rights of the role that
	 * draws? A worker does not have these, so it cannot allocate then.
	 */
	bool runs_code;

	/*
	 * Does allocate() read the row, and keep it from being changed until the
	 * transaction ends? If not, its blocks are good only if the row has not
	 * changed since the handle was validated.
	 */
	bool locks_row;

	/* Does allocate() ask another server? */
	bool is_remote;

	/*
	 * The most consecutive ids that allocate() can be asked for; 0 if there is
	 * no limit. Each native sequence has its own.
	 */
	int64 max_count;

	/*
	 * What to store as source_name (null if not given) when idgen_create()
	 * makes the row. Raises an error if the source is not there. If the name is
	 * null, it looks at nothing but the text, and raises 22004, 22023, 42601 or
	 * 42602 if that can never be right. NULL if the source makes no use of
	 * source_name.
	 */
	const char *(*check_name)(const char *name, const char *source_name);

	/*
	 * Find what the id sequence draws from, and check that the current user may
	 * allocate from it; called whenever the handle is validated. "found" says
	 * what the row says, and gets object, storage, origin, uncommitted,
	 * temporary, search_path and native as needed, which are zero before. What
	 * these point to need only live until the caller has copied it. (What the
	 * handle itself has found is out of date.)
	 *
	 * If "object" is valid, another session has found it and was allowed to
	 * draw from it. Then do neither once more, but keep it from being changed
	 * until the transaction ends, and leave found->object invalid if it is
	 * gone. May be NULL.
	 */
	void (*resolve)(const struct IdgenHandle *handle, struct IdgenFound *found, Oid object);

	/*
	 * Find the function or server that blocks come from: without a lock, and
	 * without a check of privileges. Invalid if it is not there. NULL if they
	 * do not come from such a thing.
	 */
	Oid (*look_up)(const char *name, const char *source_name);

	/*
	 * Allocate for the current transaction. If the source is not transactional,
	 * sessions wait for each other's allocate() without deadlock detection. So
	 * it must not wait for a lock of another transaction, unless a timeout ends
	 * the wait. (The caller has locked the object as nextval() does.)
	 */
	IdgenSourceResult (*allocate)(struct IdgenHandle *handle, const IdgenRequest *request,
	                              IdgenRefill *refill);

	/*
	 * What allocate() has brought a session is where others find it, or is
	 * lost. Of the worker, the end of the transaction says so. May be NULL.
	 */
	void (*published)(struct IdgenHandle *handle);

	/*
	 * Undo the allocation of the rest of a gapless block, before commit.
	 * Returns false if the row has gone on since: then the rest is lost. Only
	 * for sources that give gapless blocks.
	 */
	bool (*give_back)(struct IdgenHandle *handle, const IdgenBlock *rest);

	/*
	 * The id that allocate() would bring next. Returns false if the handle must
	 * be validated first. Raises 2200H or, if the id cannot be known, 55000.
	 */
	bool (*peek)(struct IdgenHandle *handle, int64 *id);
} IdgenSource;

extern const IdgenSource idgen_source_table;
extern const IdgenSource idgen_source_sequence;
extern const IdgenSource idgen_source_function;
extern const IdgenSource idgen_source_server;

extern const IdgenSource *idgen_source_find(const char *name);
extern const IdgenSource *idgen_source_of_row(TupleTableSlot *row);
extern const IdgenSource *idgen_source_get(const char *name);

#endif /* IDGEN_SOURCE_H */
