/*
 * handle_table.c
 *		A session's handles: finding and making one, and which give way.
 *
 * A session has a handle for each name that it uses, up to a limit. Then the
 * next new name has another one's handle give way, and what was found out for
 * that is found out again when the name is used again. Two kinds of handles
 * stay:
 *
 * - listed ones: the current transaction has done something with them, and its
 *	 end has to look at them. So a transaction may have more handles than the
 *	 limit; those beyond it are freed when it ends.
 * - those that a call in progress holds: code that the call runs (triggers,
 *	 allocators, policies) may use other names.
 *
 * Which one gives way is a matter of chance, but for those looked up since
 * chance last came by. To take always the one not used for the longest time
 * would be worse: a session that uses one name more than the limit, in turn,
 * would find none of them.
 *
 * Call sites keep pointers to handles. Whenever a handle goes,
 * idgen_handle_epoch gets a new number, which it never had before. A call site
 * uses its pointer only as long as the number is the one at which it has got
 * the handle: so that handle has not gone. Otherwise it comes here again, which
 * costs it nothing but the look into the table.
 */
#include "postgres.h"

#include "access/xact.h"
#include "common/pg_prng.h"
#include "utils/memutils.h"

#include "catalog/epoch.h"
#include "session/handle_table.h"
#include "session/messages.h"
#include "session/names.h"

/*
 * The most handles that there are, but for listed ones: some 20 MB. A session
 * that draws from fewer names again and again makes no handle twice.
 */
#define IDGEN_MAX_HANDLES 32768

/*
 * When one has to give way, at most this many are spared because they are in
 * use; if all are, the first one gives way.
 */
#define IDGEN_HANDLES_SPARED 8

/* Memory for handles is got for some tens at a time. */
#define IDGEN_HANDLE_BLOCK ((Size) 2 * SLAB_DEFAULT_BLOCK_SIZE)

static MemoryContext handle_memory = NULL;

/* All handles, also listed ones. */
static int nhandles = 0;

/*
 * The handles that are not listed, in no order. There is room for all handles
 * up to the limit, so that a listed one can return without memory being got.
 */
static IdgenHandle **places = NULL;
static int nplaces = 0;
static int room = 0;

IdgenHandle *idgen_held_last = NULL;

dlist_head idgen_listed_handles = DLIST_STATIC_INIT(idgen_listed_handles);

/* The handle of a name in an installation, NULL if there is none. */
IdgenHandle *
idgen_handle_find(Oid relid, const char *name, int namelen)
{
	IdgenName *known = idgen_name_find(relid, name, namelen);

	return known != NULL ? known->handle : NULL;
}

static void
add_place(IdgenHandle *handle)
{
	Assert(nplaces < room);
	handle->place = nplaces;
	places[nplaces++] = handle;
}

static void
remove_place(IdgenHandle *handle)
{
	IdgenHandle *last = places[--nplaces];

	places[handle->place] = last;
	last->place = handle->place;
	handle->place = -1;
}

/* A handle goes that is not listed, nor in a place. Raises no errors. */
static void
remove_handle(IdgenHandle *handle)
{
	idgen_name_leave(handle->known, &handle->last);
	idgen_handle_free(handle);
	nhandles--;
	idgen_handle_epoch++;
}

/*
 * The handle that gives way next; NULL if calls hold all that are in a place.
 */
static IdgenHandle *
choose_handle(void)
{
	static pg_prng_state chance = {UINT64CONST(0x5851f42d4c957f2d), UINT64CONST(0x14057b7ef767814f)};
	uint64 start = nplaces > 0 ? pg_prng_uint64(&chance) % nplaces : 0;
	IdgenHandle *first = NULL;

	for (int i = 0; i < nplaces && (first == NULL || i < IDGEN_HANDLES_SPARED); i++)
	{
		IdgenHandle *handle = places[(start + i) % nplaces];

		if (handle->held_at > 0)
			continue;
		if (!handle->used)
			return handle;
		handle->used = false;
		if (first == NULL)
			first = handle;
	}
	return first;
}

/* See to it that there can be one more handle. */
static void
make_room(void)
{
	if (handle_memory == NULL)
		handle_memory = SlabContextCreate(TopMemoryContext, "idgen handles", IDGEN_HANDLE_BLOCK, sizeof(IdgenHandle));
	if (places == NULL)
	{
		places = MemoryContextAlloc(idgen_name_memory, 16 * sizeof(IdgenHandle *));
		room = 16;
	}
	else if (nhandles >= room && room < IDGEN_MAX_HANDLES)
	{
		places = repalloc(places, sizeof(IdgenHandle *) * 2 * room);
		room *= 2;
	}

	if (nhandles >= IDGEN_MAX_HANDLES)
	{
		IdgenHandle *handle = choose_handle();

		if (handle != NULL)
		{
			remove_place(handle);
			remove_handle(handle);
		}
	}
}

/*
 * The handle of a name, made if it is new; not yet validated. There need not be
 * an id sequence of that name. Raises 42704 if the name is too long for one.
 *
 * Unless it is listed or held, the handle may go as soon as this is called for
 * another name.
 */
IdgenHandle *
idgen_handle_get(Oid relid, const char *name, int namelen)
{
	IdgenName *known;
	IdgenHandle *handle;

	if (namelen >= IDGEN_NAME_BYTES)
		idgen_no_such_sequence(relid, pnstrdup(name, namelen), NULL);
	known = idgen_name_find(relid, name, namelen);
	if (known != NULL && known->handle != NULL)
	{
		known->handle->used = true;
		return known->handle;
	}

	if (known == NULL)
		known = idgen_name_add(relid, name, namelen);
	make_room();
	handle = idgen_handle_make(handle_memory, relid, known->name, namelen);
	handle->known = known;
	handle->last = idgen_name_last(known);
	known->handle = handle;
	nhandles++;
	add_place(handle);
	return handle;
}

/*
 * Have the end of the transaction look at this handle, which stays until then.
 */
void
idgen_handle_list(IdgenHandle *handle)
{
	if (handle->xact.listed)
		return;
	handle->xact.listed = true;
	dlist_push_tail(&idgen_listed_handles, &handle->xact.node);
	remove_place(handle);
}

/*
 * The transaction is over, and the handle is no longer on the list: it forgets
 * what the transaction has done, and goes if there are too many. Those listed
 * first go first, so that what is left lies together. Raises no errors.
 */
void
idgen_handle_unlist(IdgenHandle *handle)
{
	handle->pending = (IdgenPending){0};
	handle->xact = (IdgenHandleXact){0};
	if (nhandles > IDGEN_MAX_HANDLES)
		remove_handle(handle);
	else
		add_place(handle);
}

/*
 * All calls have ended that were begun at that nesting level, or further
 * inside.
 */
void
idgen_handles_let_go_since(int level)
{
	while (idgen_held_last != NULL && idgen_held_last->held_at >= level)
		idgen_handle_let_go_last();
}
