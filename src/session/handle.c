/*
 * handle.c
 *		A session's handles, one for each name that it uses.
 *
 * A handle holds all that a session knows of one id sequence; handle.h says
 * what that is, and for how long. This file finds and makes handles, and frees
 * them.
 *
 * Call sites keep pointers to handles, so a handle lives at least until the
 * transaction ends. If a session has very many by then, it frees them all: to
 * note at each call which ones are in use would cost more than to make those
 * again. An older call site sees that idgen_epoch is another one.
 *
 * What idgen_last() may be asked stays until the session ends or discards it,
 * as with currval(): there is an IdgenName for each name that the session has
 * drawn from. It is made before the handle, since nothing may fail when a
 * transaction ends, as getting memory could.
 */
#include "postgres.h"

#include "common/hashfn.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/memutils.h"

#include "catalog/epoch.h"
#include "catalog/row.h"
#include "session/handle.h"
#include "session/messages.h"

/*
 * The most handles that stay when a transaction ends: some 20 MB. A session
 * that draws from fewer names again and again makes no handle twice.
 */
#define IDGEN_MAX_HANDLES 32768

/*
 * Names belong to an installation of the extension: dropped and created anew
 * in the same session, it has other id sequences.
 */
typedef struct NameKey
{
	Oid relid;
	int namelen;
	const char *name;
} NameKey;

/* A name that this session has used. */
typedef struct IdgenName
{
	IdgenHandle *handle; /* NULL if there is none now */
	IdgenLast last;      /* of when there was one, if there is none now */
	slist_node node;     /* on drawn_names, if idgen_last() has an answer */
	NameKey key;
	char name[FLEXIBLE_ARRAY_MEMBER];
} IdgenName;

typedef struct NameEntry
{
	NameKey key;
	uint32 hash;
	char status;
	IdgenName *known;
} NameEntry;

#define SH_PREFIX       names
#define SH_ELEMENT_TYPE NameEntry
#define SH_KEY_TYPE     NameKey
#define SH_KEY          key
#define SH_HASH_KEY(tb, k) \
	hash_bytes((const unsigned char *) (k).name, (k).namelen)
#define SH_EQUAL(tb, a, b)                                   \
	((a).relid == (b).relid && (a).namelen == (b).namelen && \
	 memcmp((a).name, (b).name, (a).namelen) == 0)
#define SH_STORE_HASH
#define SH_GET_HASH(tb, a) ((a)->hash)
#define SH_SCOPE           static inline
#define SH_DECLARE
#define SH_DEFINE
#include "lib/simplehash.h"

/* All names, in name_memory; those that have a handle, in handle_memory. */
static names_hash *names = NULL;
static slist_head handles = SLIST_STATIC_INIT(handles);
static int nhandles = 0;

/* The names that idgen_last() has an answer for. */
static slist_head drawn_names = SLIST_STATIC_INIT(drawn_names);

static MemoryContext name_memory;
static MemoryContext handle_memory;

dlist_head idgen_listed_handles = DLIST_STATIC_INIT(idgen_listed_handles);

/*
 * A name in an installation (the OID of its id_sequences), NULL if it is new.
 */
static IdgenName *
find_name(Oid relid, const char *name, int namelen)
{
	NameKey key = {relid, namelen, name};
	NameEntry *entry;

	if (names == NULL)
		return NULL;
	entry = names_lookup(names, key);
	return entry != NULL ? entry->known : NULL;
}

/* The handle of a name in an installation, NULL if there is none. */
IdgenHandle *
idgen_handle_find(Oid relid, const char *name, int namelen)
{
	IdgenName *known = find_name(relid, name, namelen);

	return known != NULL ? known->handle : NULL;
}

/* Make a new name known. */
static IdgenName *
add_name(Oid relid, const char *name, int namelen)
{
	IdgenName *known;
	bool found;

	if (name_memory == NULL)
		name_memory = AllocSetContextCreate(TopMemoryContext, "idgen names", ALLOCSET_DEFAULT_SIZES);
	if (handle_memory == NULL)
		handle_memory = AllocSetContextCreate(TopMemoryContext, "idgen handles", ALLOCSET_DEFAULT_SIZES);
	if (names == NULL)
		names = names_create(name_memory, 64, NULL);

	known = MemoryContextAllocZero(name_memory, offsetof(IdgenName, name) + namelen + 1);
	memcpy(known->name, name, namelen);
	known->key = (NameKey){relid, namelen, known->name};
	names_insert(names, known->key, &found)->known = known;
	return known;
}

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

/*
 * The handle of a name, made if it is new; not yet validated. There need not be
 * an id sequence of that name. Raises 42704 if the name is too long for one.
 */
IdgenHandle *
idgen_handle_get(Oid relid, const char *name, int namelen)
{
	IdgenName *known = find_name(relid, name, namelen);
	IdgenHandle *handle;

	if (known != NULL && known->handle != NULL)
		return known->handle;

	if (namelen >= IDGEN_NAME_BYTES)
		idgen_no_such_sequence(relid, pnstrdup(name, namelen), NULL);
	if (known == NULL)
		known = add_name(relid, name, namelen);

	handle = idgen_handle_make(handle_memory, relid, known->name, namelen);
	handle->known = known;
	handle->last = known->last;
	known->handle = handle;
	slist_push_head(&handles, &handle->node);
	nhandles++;
	return handle;
}

static void
free_if_any(const void *pointer)
{
	if (pointer != NULL)
		pfree(unconstify(void *, pointer));
}

/* Forget a name that idgen_last() has no answer for, and that has no handle. */
static void
forget_name(IdgenName *known)
{
	names_delete(names, known->key);
	pfree(known);
}

/* A handle goes: keep what idgen_last() may be asked. */
static void
leave_name(IdgenHandle *handle)
{
	IdgenName *known = handle->known;

	if (handle->found.big_base != handle->last.big_base)
		free_if_any(handle->found.big_base);
	known->handle = NULL;
	known->last = handle->last;
	if (known->last.layout == NULL)
		forget_name(known);
}

/*
 * If there are too many handles, free all. Called when a transaction is over:
 * no handle has anything pending, and no call is in progress, since the code
 * that a call runs (triggers, allocators) cannot end a transaction. Raises no
 * errors.
 */
void
idgen_handles_limit(void)
{
	slist_iter iter;

	if (nhandles <= IDGEN_MAX_HANDLES)
		return;
	slist_foreach(iter, &handles)
		leave_name(slist_container(IdgenHandle, node, iter.cur));
	slist_init(&handles);
	nhandles = 0;
	MemoryContextReset(handle_memory);
	idgen_epoch++;
}

/* Have the end of the transaction look at this handle. */
void
idgen_handle_list(IdgenHandle *handle)
{
	if (handle->xact.listed)
		return;
	handle->xact.listed = true;
	dlist_push_tail(&idgen_listed_handles, &handle->xact.node);
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
	MemoryContext context = MemoryContextSwitchTo(handle_memory);

	if (new.source_name != NULL)
		new.source_name = pstrdup(new.source_name);
	if (new.search_path != NULL)
		new.search_path = pstrdup(new.search_path);
	new.details = copy_bytes(new.details, new.source->details_size);
	if (new.big_base != NULL)
	{
		MemoryContextSwitchTo(name_memory); /* idgen_last() may need it for longer */
		new.big_base = copy_bytes(new.big_base, VARSIZE(new.big_base));
	}
	MemoryContextSwitchTo(context);

	if (new.object != old.object)
		handle->publishing.lxid = InvalidLocalTransactionId;
	handle->found = new;
	free_if_any(old.source_name);
	free_if_any(old.search_path);
	free_if_any(old.details);
	if (old.big_base != handle->last.big_base)
		free_if_any(old.big_base);
}

/* Keep what idgen_last() may be asked about a sequence value drawn just now. */
void
idgen_handle_remember_last(IdgenHandle *handle, int64 value, int prefix)
{
	if (handle->last.layout == NULL)
		slist_push_head(&drawn_names, &handle->known->node);
	handle->last.value = value;
	handle->last.object = handle->found.object;
	handle->last.layout = handle->found.layout;
	handle->last.prefix = prefix;
	if (handle->last.big_base != handle->found.big_base)
		free_if_any(handle->last.big_base);
	handle->last.big_base = handle->found.big_base;
}

/*
 * Let idgen_last() have no answers any more. A draw may be in progress, whose
 * allocator or trigger does this: so handles stay. The hot path is closed,
 * since it counts on the answer being there.
 */
void
idgen_handles_forget_last(void)
{
	while (!slist_is_empty(&drawn_names))
	{
		IdgenName *known = slist_container(IdgenName, node, slist_pop_head_node(&drawn_names));
		IdgenHandle *handle = known->handle;
		IdgenLast *last = handle != NULL ? &handle->last : &known->last;

		if (handle == NULL || last->big_base != handle->found.big_base)
			free_if_any(last->big_base);
		memset(last, 0, sizeof(IdgenLast));
		if (handle != NULL)
			handle->found.fast_epoch = 0;
		else
			forget_name(known);
	}
}

/*
 * Could a session that refills be waiting for this one, because this
 * transaction has changed or locked the row, or the table, by ordinary SQL?
 */
bool
idgen_handle_holds_row(const IdgenHandle *handle)
{
	IdgenRow row;
	bool held;

	held = idgen_row_open(&row, handle->relid, handle->name, handle->namelen, IDGEN_SEARCH_SURE) &&
		idgen_row_is_held(row.rel, row.slot);
	idgen_row_close(&row);
	return held;
}
