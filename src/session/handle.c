/*
 * handle.c
 *		What a session knows of one id sequence: a handle.
 *
 * A handle holds all that a session knows of one id sequence; handle.h says
 * what that is, and for how long. A session finds its handles by name:
 * handle_table.c.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "storage/lock.h"
#include "utils/memutils.h"

#include "catalog/row.h"
#include "catalog/table.h"
#include "session/handle_table.h"
#include "session/period_now.h"

/* A handle in that memory context, not validated. It does not copy the name. */
IdgenHandle *
idgen_handle_make(MemoryContext memory, Oid relid, const char *name, int namelen)
{
	IdgenHandle *handle = MemoryContextAllocZero(memory, sizeof(IdgenHandle));

	handle->relid = relid;
	handle->name = name;
	handle->namelen = namelen;
	return handle;
}

static void
free_if_any(const void *pointer)
{
	if (pointer != NULL)
		pfree(unconstify(void *, pointer));
}

/* Free a handle that is not a worker's. */
void
idgen_handle_free(IdgenHandle *handle)
{
	const IdgenFound *found = &handle->found;

	free_if_any(found->source_name);
	free_if_any(found->search_path);
	free_if_any(found->native);
	free_if_any(found->format);
	free_if_any(found->scramble);
	free_if_any(handle->periods);
	free_if_any(found->big_base);
	pfree(handle);
}

/*
 * The cache key of the id sequence as far as its ids come from the row itself.
 */
void
idgen_handle_row_key(const IdgenHandle *handle, IdgenCacheKey *key)
{
	idgen_cache_key(key, handle->relid, InvalidOid, false, handle->name, handle->namelen);
}

/* The cache key of what the id sequence draws from, as found last. */
void
idgen_handle_key(const IdgenHandle *handle, IdgenCacheKey *key)
{
	idgen_cache_key(key, handle->relid, handle->found.object, handle->found.temporary,
	                handle->name, handle->namelen);
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

	if (new.source_name != NULL)
		new.source_name = pstrdup(new.source_name);
	if (new.search_path != NULL)
		new.search_path = pstrdup(new.search_path);
	new.native = copy_bytes(new.native, sizeof(IdgenNativeSequence));
	new.scramble = copy_bytes(new.scramble, sizeof(IdgenScramble));
	if (new.format != NULL)
		new.format = copy_bytes(new.format, new.format->size);
	if (new.big_base != NULL)
		new.big_base = copy_bytes(new.big_base, VARSIZE(new.big_base));
	MemoryContextSwitchTo(context);

	if (new.object != old.object)
		handle->publishing.lxid = InvalidLocalTransactionId;
	if (new.object != old.object || new.storage != old.storage || new.origin != old.origin)
		handle->passed.since = 0; /* the ids are others now */
	handle->found = new;
	if (handle->periods != NULL)
		memset(handle->periods, 0, sizeof(IdgenPeriods));
	free_if_any(old.source_name);
	free_if_any(old.search_path);
	free_if_any(old.native);
	free_if_any(old.scramble);
	free_if_any(old.format);
	free_if_any(old.big_base);
}

/*
 * Let idgen_last() have no answer any more. The hot path is closed, since it
 * counts on the answer being there.
 */
void
idgen_handle_forget_last(IdgenHandle *handle)
{
	handle->last = (IdgenLast){0};
	idgen_handle_close_hot_path(handle);
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

	held = idgen_row_open(&row, handle->relid, handle->name, handle->namelen)
		? idgen_row_is_held(row.rel, row.slot)
		: idgen_relation_is_held(handle->relid, ShareLock);
	idgen_row_close(&row);
	return held;
}
