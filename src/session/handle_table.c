/*
 * handle_table.c
 *		A session's handles, found by name, and what it drew last.
 *
 * A session has a handle for each name that it uses. If there are too many at
 * the end of a transaction, all go at once: nobody is using one then. What was
 * found out is found out again for a name that is used again. But what
 * idgen_last() may be asked stays until the session ends or discards it, as
 * with currval(). So a session that draws from a million names needs some
 * hundred bytes for each; a name without an answer goes with its handle.
 *
 * Call sites keep pointers to handles. When handles go, idgen_epoch gets a new
 * number, which it never had before. A call site uses its pointer only as long
 * as the number is the one at which it has got the handle: so that handle has
 * not gone. Otherwise it comes here again, which costs it nothing but the look
 * into the table.
 */
#include "postgres.h"

#include "common/hashfn.h"
#include "utils/memutils.h"

#include "catalog/table.h"
#include "session/handle.h"
#include "session/validate.h"

/*
 * The most handles that outlive a transaction: some 20 MB. A session that draws
 * from fewer names again and again makes no handle twice.
 */
#define IDGEN_MAX_HANDLES 32768

/* Memory for handles is got for some tens at a time. */
#define IDGEN_HANDLE_BLOCK ((Size) 2 * SLAB_DEFAULT_BLOCK_SIZE)

/* The table of names has this many buckets at first. */
#define IDGEN_NAME_BUCKETS 64

/*
 * Names belong to an installation of the extension: dropped and created anew
 * in the same session, it has other id sequences.
 */
typedef struct IdgenNameKey
{
	Oid relid; /* id_sequences */
	uint16 namelen;
	const char *name; /* need not be zero-terminated to find one */
} IdgenNameKey;

static inline uint32
idgen_name_hash(const IdgenNameKey *key)
{
	return hash_bytes((const unsigned char *) key->name, key->namelen);
}

static inline bool
idgen_name_equal(const IdgenNameKey *a, const IdgenNameKey *b)
{
	return a->relid == b->relid && a->namelen == b->namelen &&
		memcmp(a->name, b->name, a->namelen) == 0;
}

typedef struct IdgenNameEntry
{
	const IdgenNameKey *key;
	uint32 hash;
	char status;
} IdgenNameEntry;

#define SH_PREFIX          name_table
#define SH_ELEMENT_TYPE    IdgenNameEntry
#define SH_KEY_TYPE        const IdgenNameKey *
#define SH_KEY             key
#define SH_HASH_KEY(tb, k) idgen_name_hash(k)
#define SH_EQUAL(tb, a, b) idgen_name_equal(a, b)
#define SH_STORE_HASH
#define SH_GET_HASH(tb, a) ((a)->hash)
#define SH_SCOPE           static inline
#define SH_DECLARE
#define SH_DEFINE
#include "lib/simplehash.h"

/* A name that this session has used. There may be very many: keep it small. */
typedef struct IdgenName
{
	IdgenNameKey key;    /* must be first */
	IdgenHandle *handle; /* NULL if there is none now */
	IdgenLast last;      /* that counts only without a handle */
	char name[FLEXIBLE_ARRAY_MEMBER];
} IdgenName;

static name_table_hash *names = NULL;

MemoryContext idgen_name_memory = NULL;

static MemoryContext handle_memory = NULL;
static int nhandles = 0;

dlist_head idgen_listed_handles = DLIST_STATIC_INIT(idgen_listed_handles);

/* A name of that id_sequences; NULL if it is new. */
static IdgenName *
find_name(Oid relid, const char *name, int namelen)
{
	IdgenNameKey key = {relid, namelen, name};
	IdgenNameEntry *entry = names != NULL ? name_table_lookup(names, &key) : NULL;

	return entry != NULL ? unconstify(IdgenName *, (const IdgenName *) entry->key) : NULL;
}

/* Make a new name known. */
static IdgenName *
add_name(Oid relid, const char *name, int namelen)
{
	IdgenName *known;
	bool found;

	if (names == NULL)
	{
		idgen_name_memory = AllocSetContextCreate(TopMemoryContext, "idgen names", ALLOCSET_DEFAULT_SIZES);
		handle_memory = SlabContextCreate(TopMemoryContext, "idgen handles", IDGEN_HANDLE_BLOCK, sizeof(IdgenHandle));
		names = name_table_create(idgen_name_memory, IDGEN_NAME_BUCKETS, NULL);
	}
	known = MemoryContextAllocZero(idgen_name_memory, offsetof(IdgenName, name) + namelen + 1);
	memcpy(known->name, name, namelen);
	known->key = (IdgenNameKey){relid, namelen, known->name};
	(void) name_table_insert(names, &known->key, &found);
	return known;
}

/* The handle of a name in an installation, NULL if there is none. */
IdgenHandle *
idgen_handle_find(Oid relid, const char *name, int namelen)
{
	IdgenName *known = find_name(relid, name, namelen);

	return known != NULL ? known->handle : NULL;
}

/*
 * The handle of a name, made if it is new; not yet validated. There need not be
 * an id sequence of that name. It stays until the transaction ends. Raises
 * 42704 if the name is too long for one.
 */
IdgenHandle *
idgen_handle_get(Oid relid, const char *name, int namelen)
{
	IdgenName *known;

	if (namelen >= IDGEN_NAME_BYTES)
		idgen_no_such_sequence(relid, pnstrdup(name, namelen), NULL);
	known = find_name(relid, name, namelen);
	if (known == NULL)
		known = add_name(relid, name, namelen);
	if (known->handle == NULL)
	{
		known->handle = idgen_handle_make(handle_memory, relid, known->name, namelen);
		known->handle->last = known->last;
		nhandles++;
	}
	return known->handle;
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
 * All handles go, or all answers of idgen_last(); and names of which there is
 * nothing to keep. Raises no errors.
 */
static void
forget_all(bool handles)
{
	name_table_iterator iter;
	IdgenNameEntry *entry;

	if (names == NULL)
		return;
	name_table_start_iterate(names, &iter);
	while ((entry = name_table_iterate(names, &iter)) != NULL)
	{
		IdgenName *known = unconstify(IdgenName *, (const IdgenName *) entry->key);
		IdgenHandle *handle = known->handle;

		if (handle != NULL && handles)
		{
			known->last = handle->last;
			idgen_handle_free(handle);
			known->handle = NULL;
		}
		else if (!handles)
			known->last = (IdgenLast){0};
		if (handle != NULL && !handles)
		{
			handle->last = (IdgenLast){0};
			idgen_handle_close_hot_path(handle);
		}
		if (known->handle == NULL && known->last.layout == NULL)
		{
			(void) name_table_delete(names, &known->key);
			pfree(known);
		}
	}
}

/*
 * The transaction is over, and nothing is left to do with the handles on the
 * list: they forget what it has done. If there are too many handles, all go.
 * Raises no errors.
 */
void
idgen_handles_end_transaction(void)
{
	while (!dlist_is_empty(&idgen_listed_handles))
	{
		IdgenHandle *handle = dlist_container(IdgenHandle, xact.node, dlist_pop_head_node(&idgen_listed_handles));

		handle->pending = (IdgenPending){0};
		handle->xact = (IdgenHandleXact){0};
	}
	if (nhandles > IDGEN_MAX_HANDLES)
	{
		forget_all(true);
		nhandles = 0;
		idgen_epoch++;
	}
}

/*
 * Let idgen_last() have no answers any more. A draw may be in progress, whose
 * allocator or trigger does this: so handles stay. The hot path is closed,
 * since it counts on the answer being there.
 */
void
idgen_handles_forget_last(void)
{
	forget_all(false);
}
