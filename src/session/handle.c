/*
 * handle.c
 *		What a session knows of one id sequence: a handle.
 *
 * A handle holds all that a session knows of one id sequence; handle.h says
 * what that is, and for how long. A session finds its handles by name:
 * handle_table.c.
 */
#include "postgres.h"

#include "access/xact.h"
#include "miscadmin.h"
#include "storage/lock.h"
#include "utils/memutils.h"

#include "catalog/row.h"
#include "catalog/table.h"
#include "common/guc.h"
#include "session/handle.h"

/* A handle in that memory context, not validated. It does not copy the name. */
IdgenHandle *
idgen_handle_make(MemoryContext memory, Oid relid, const char *name, int namelen)
{
	IdgenHandle *handle = MemoryContextAllocZero(memory, sizeof(IdgenHandle));

	handle->relid = relid;
	handle->name = name;
	handle->namelen = namelen;
	idgen_cache_digest(name, namelen, handle->digest);
	return handle;
}

static void
free_if_any(const void *pointer)
{
	if (pointer != NULL)
		pfree(unconstify(void *, pointer));
}

/* Free what was found points to; see idgen_handle_adopt(). */
static void
free_found(const IdgenFound *found)
{
	free_if_any(found->row.source_name);
	free_if_any(found->row.big_base);
	free_if_any(found->search_path);
	free_if_any(found->native);
	free_if_any(found->format);
	free_if_any(found->scramble);
}

/* Free a handle that is not a worker's. */
void
idgen_handle_free(IdgenHandle *handle)
{
	free_found(&handle->found);
	free_if_any(handle->of_period);
	pfree(handle);
}

/*
 * The slot
 */

/* The cache key of what the id sequence draws from, as found last. */
void
idgen_handle_key(const IdgenHandle *handle, IdgenCacheKey *key)
{
	idgen_cache_key(key, handle->relid, handle->digest);
	key->object = handle->found.object;
}

/*
 * The slot of what was found, made if there is none; *version is its version.
 * If it has ids that come from elsewhere, they are void. Of a temporary
 * sequence, that is always settled: no other session has it.
 */
IdgenSlot *
idgen_handle_attach(const IdgenHandle *handle, const IdgenFound *found, uint64 *version)
{
	IdgenCacheKey key;

	idgen_cache_key(&key, handle->relid, handle->digest);
	key.object = found->object;
	if (found->uncommitted)
		return idgen_cache_attach(&key, version);
	return idgen_cache_attach_to(&key, found->storage, found->origin, found->temporary || !found->own_row, version);
}

/* The slot of what the handle draws from, locked; NULL if it has gone. */
IdgenSlot *
idgen_handle_lock_slot(const IdgenHandle *handle)
{
	IdgenCacheKey key;

	idgen_handle_key(handle, &key);
	return idgen_cache_lock(&key);
}

/* A copy of that many bytes; NULL of NULL. */
static void *
copy_bytes(const void *bytes, Size size)
{
	return bytes != NULL ? memcpy(palloc(size), bytes, size) : NULL;
}

/*
 * Replace what the handle has found before, as a whole, by what was found now.
 * This copies what that points to, which may be in any memory context. Not for
 * a worker's handle.
 */
void
idgen_handle_adopt(IdgenHandle *handle, const IdgenFound *found)
{
	IdgenFound old = handle->found;
	IdgenFound new = *found;
	MemoryContext context = MemoryContextSwitchTo(idgen_name_memory);

	if (new.row.source_name != NULL)
		new.row.source_name = pstrdup(new.row.source_name);
	new.row.format = NULL;
	if (new.search_path != NULL)
		new.search_path = pstrdup(new.search_path);
	new.native = copy_bytes(new.native, sizeof(IdgenNativeSequence));
	new.scramble = copy_bytes(new.scramble, sizeof(IdgenScramble));
	if (new.format != NULL)
		new.format = copy_bytes(new.format, new.format->size);
	if (new.row.big_base != NULL)
		new.row.big_base = copy_bytes(new.row.big_base, VARSIZE(new.row.big_base));
	MemoryContextSwitchTo(context);

	if (new.object != old.object)
		handle->publishing.lxid = InvalidLocalTransactionId;
	handle->found = new;
	if (handle->of_period != NULL)
		handle->of_period->epoch = 0;
	free_found(&old);
}

/*
 * Could a session that refills be waiting for this one, because this
 * transaction has changed or locked the row, or the table, by ordinary SQL?
 * There need not be a row: the worker may be about to make it.
 */
bool
idgen_handle_holds_row(const IdgenHandle *handle)
{
	IdgenRow row;
	bool held;

	held = idgen_row_open(&row, handle->relid, handle->name)
		? idgen_row_is_held(row.rel, row.slot)
		: idgen_relation_is_held(handle->relid, ShareLock);
	idgen_row_close(&row);
	return held;
}

/*
 * The child that a row with periods draws from
 *
 * It is the start of the transaction that decides which period it is, so ids
 * agree with CURRENT_DATE, and a transaction that lasts over midnight does not
 * mix two periods.
 */

/*
 * The handle of the child that a handle draws from which is valid, and has a
 * period. NULL stands for the day that the transaction began. There need not be
 * a row of that name yet. Raises 22008.
 *
 * To find that out takes longer than to draw, and so does looking for the child
 * by its name. So the handle remembers it.
 */
IdgenHandle *
idgen_handle_child(IdgenHandle *handle, const IdgenDay *at)
{
	TimestampTz start = GetCurrentTransactionStartTimestamp();
	pg_tz *zone = idgen_handle_zone(handle);
	TimestampTz until = start;
	IdgenDay day = at != NULL ? *at : idgen_day_at(start, zone, &until);
	char *name = idgen_period_child(handle->name, handle->found.row.period, &day);
	IdgenHandle *child = idgen_handle_get(handle->relid, name, strlen(name));

	pfree(name);
	if (handle->of_period == NULL)
		handle->of_period = MemoryContextAlloc(idgen_name_memory, sizeof(IdgenPeriodChild));
	*handle->of_period = (IdgenPeriodChild){child, idgen_epoch, day, zone, start, until};
	return child;
}

/*
 * Raises 0A000: the handle's row has periods, so it is one of its children that
 * the function should be called for.
 */
void
idgen_refuse_periods(const IdgenHandle *handle, const char *function)
{
	const char *word = idgen_period_word(handle->found.row.period);
	TimestampTz until;
	IdgenDay today = idgen_day_at(GetCurrentTransactionStartTimestamp(), idgen_handle_zone(handle), &until);

	ereport(ERROR,
	        (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
	         errmsg("id sequence \"%s\" starts anew each %s", handle->name, word),
	         errhint("Call %s() for the id sequence of one %s, such as \"%s\".", idgen_function_name(handle->relid, function), word,
	                 idgen_period_child(handle->name, handle->found.row.period, &today))));
}

/*
 * What users are told of a refill
 */

static void
refill_error_context(void *arg)
{
	errcontext("while refilling id sequence \"%s\"", (const char *) arg);
}

/*
 * Have errors, and lines of the log, say from here on that they happened while
 * refilling the id sequence of that name. The caller ends that with
 * error_context_stack = context->previous.
 */
void
idgen_refill_context_push(const char *name, ErrorContextCallback *context)
{
	context->callback = refill_error_context;
	context->arg = unconstify(char *, name);
	context->previous = error_context_stack;
	error_context_stack = context;
}

/* Say in the server's log that ids are running out, once for each percent. */
void
idgen_warn_low(const IdgenHandle *handle, const IdgenRangeLeft *left)
{
	IdgenSlot *slot;
	bool news = true;

	if (left->percent >= idgen_warn_remaining)
		return;
	slot = idgen_handle_lock_slot(handle);
	if (slot != NULL)
	{
		news = left->percent < slot->told_percent;
		slot->told_percent = left->percent;
		LWLockRelease(&slot->lock);
	}
	if (news)
		ereport(LOG,
		        (errmsg("id sequence \"%s\" has %d%% of its ids left",
		                handle->name, left->percent),
		         left->column != IDGEN_NO_COLUMN ? errdetail("Its limit is that of %s.", idgen_owning_column_title(left->column)) : 0,
		         errhidestmt(true), errhidecontext(true)));
}
