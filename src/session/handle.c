/*
 * handle.c
 *		A session's view of one id sequence.
 *
 * A handle is made when a session uses a name. It holds the answers to what
 * every call has to ask (who may draw, does the row exist, where is its cache
 * slot), and what tells that the answers still hold: idgen_epoch, the user,
 * the version of the slot and, if it matters, search_path.
 *
 * Call sites keep pointers to handles, so these live until the transaction ends
 * at least. If they have become many by then, all are freed at once: it is not
 * worth while to note at each call which ones are in use, since those are soon
 * made again. A call site that is older sees that idgen_epoch is another one.
 *
 * What idgen_last() may be asked stays until the session ends, as with
 * currval(): there is an IdgenName for each name that the session has drawn
 * from. It is made before the handle, since when a transaction ends nothing
 * may fail, as getting memory could.
 */
#include "postgres.h"

#include "access/xact.h"
#include "access/xlog.h"
#include "catalog/namespace.h"
#include "common/hashfn.h"
#include "lib/stringinfo.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"

#include "catalog/auto_create.h"
#include "catalog/epoch.h"
#include "catalog/privileges.h"
#include "catalog/row.h"
#include "common/guc.h"
#include "session/handle.h"

/*
 * When a transaction ends, so many handles may be kept: some 20 MB. A session that
 * draws from fewer names again and again never has to make one anew.
 */
#define IDGEN_MAX_HANDLES 32768

/* A name that this session has used. */
typedef struct IdgenName
{
	IdgenHandle *handle; /* NULL if there is none now */
	IdgenLast last;      /* then it is here; layout is NULL if nothing was drawn */
	char name[FLEXIBLE_ARRAY_MEMBER];
} IdgenName;

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
static MemoryContext name_memory;
static MemoryContext handle_memory;

/* A name in an installation (the OID of its id_sequences), NULL if it is new. */
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
	NameKey key = {relid, namelen, NULL};
	bool found;

	if (name_memory == NULL)
		name_memory = AllocSetContextCreate(TopMemoryContext, "idgen names", ALLOCSET_DEFAULT_SIZES);
	if (handle_memory == NULL)
		handle_memory = AllocSetContextCreate(TopMemoryContext, "idgen handles", ALLOCSET_DEFAULT_SIZES);
	if (names == NULL)
		names = names_create(name_memory, 64, NULL);

	known = MemoryContextAllocZero(name_memory, offsetof(IdgenName, name) + namelen + 1);
	memcpy(known->name, name, namelen);
	key.name = known->name;
	names_insert(names, key, &found)->known = known;
	return known;
}

/* A handle that lives in that memory context, not validated. It does not copy the name. */
static IdgenHandle *
make_handle(MemoryContext memory, Oid relid, const char *name, int namelen)
{
	IdgenHandle *handle = MemoryContextAllocZero(memory, sizeof(IdgenHandle));

	handle->memory = memory;
	handle->relid = relid;
	handle->name = name;
	handle->namelen = namelen;
	return handle;
}

/*
 * The handle of a name, made if it is new; not yet validated. The name need
 * not be that of an existing id sequence. Raises 42704 for a name so long that
 * there can be none.
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

	handle = make_handle(handle_memory, relid, known->name, namelen);
	handle->known = known;
	handle->last = known->last;
	known->handle = handle;
	slist_push_head(&handles, &handle->node);
	nhandles++;
	return handle;
}

/* Of what a handle has, keep what idgen_last() may be asked. */
static void
leave_name(IdgenHandle *handle)
{
	IdgenName *known = handle->known;
	NameKey key = {handle->relid, handle->namelen, handle->name};

	if (handle->found.big_base != NULL && handle->found.big_base != handle->last.big_base)
		pfree(handle->found.big_base);
	known->handle = NULL;
	known->last = handle->last;
	if (known->last.layout != NULL)
		return;
	names_delete(names, key);
	pfree(known);
}

/*
 * If there are too many handles, free all. The transaction is over: none has anything
 * pending, and no call is in progress, since what a call runs (functions as sources) cannot
 * end a transaction. Does not raise errors.
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

/* The cache key of what has no object, but comes from the row's own source. */
void
idgen_handle_row_key(const IdgenHandle *handle, IdgenCacheKey *key)
{
	idgen_cache_key(key, handle->relid, InvalidOid, false, handle->name, handle->namelen);
}

/* The cache key of a handle. */
void
idgen_handle_key(const IdgenHandle *handle, IdgenCacheKey *key)
{
	idgen_cache_key(key, handle->relid, handle->found.object, handle->found.temporary,
	                handle->name, handle->namelen);
}

/* Can there be an id sequence of that name? */
static bool
is_possible_name(const char *name)
{
	return name[0] != '\0' && pg_mbstrlen(name) <= IDGEN_NAME_CHARACTERS;
}

/* The call that creates an id sequence with that source, NULL for the default. */
static const char *
call_to_create(Oid relid, const char *name, const IdgenSource *source)
{
	char *schema = RelationIsVisible(relid) ? NULL : get_namespace_name(get_rel_namespace(relid));
	StringInfoData call;

	initStringInfo(&call);
	appendStringInfo(&call, "%s(%s", quote_qualified_identifier(schema, "idgen_create"), quote_literal_cstr(name));
	if (source != NULL && !source->auto_created)
		appendStringInfo(&call, ", source => '%s'", source->name);
	if (source != NULL && source->runs_code)
		appendStringInfoString(&call, ", source_name => '...'");
	appendStringInfoChar(&call, ')');
	return call.data;
}

/*
 * Raises 42704: there is no id sequence of that name, or none to be seen. "asked" is the
 * source that the caller has asked for, or NULL.
 */
void
idgen_no_such_sequence(Oid relid, const char *name, const IdgenSource *asked)
{
	ereport(ERROR,
	        (errcode(ERRCODE_UNDEFINED_OBJECT),
	         errmsg("id sequence \"%s\" does not exist", name),
	         is_possible_name(name) ? errhint("Create it with SELECT %s.", call_to_create(relid, name, asked)) : errhint("A name has 1 to %d characters.", IDGEN_NAME_CHARACTERS)));
}

/* Keep a copy of the row's big_base, unless it is zero. */
static void
remember_big_base(IdgenHandle *handle, Datum big_base)
{
	Datum zero = NumericGetDatum(int64_to_numeric(0));

	if (handle->found.big_base != NULL && handle->found.big_base != handle->last.big_base)
		pfree(handle->found.big_base);
	handle->found.big_base = NULL;
	if (DatumGetBool(DirectFunctionCall2(numeric_ne, big_base, zero)))
	{
		MemoryContext context = MemoryContextSwitchTo(handle->known != NULL ? name_memory : handle->memory);

		handle->found.big_base = DatumGetNumericCopy(big_base);
		MemoryContextSwitchTo(context);
	}
}

/* Keep what idgen_last() may be asked about the sequence value drawn last. */
void
idgen_handle_remember_last(IdgenHandle *handle, int64 value)
{
	handle->last.value = value;
	handle->last.object = handle->found.object;
	handle->last.layout = handle->found.layout;
	handle->last.prefix = handle->prefix;
	if (handle->last.big_base != NULL && handle->last.big_base != handle->found.big_base)
		pfree(handle->last.big_base);
	handle->last.big_base = handle->found.big_base;
}

static void
refill_error_context(void *arg)
{
	errcontext("while refilling id sequence \"%s\"", ((IdgenHandle *) arg)->name);
}

/*
 * What goes wrong from here on goes wrong while refilling the id sequence. The
 * caller ends that with error_context_stack = context->previous.
 */
void
idgen_refill_context_push(IdgenHandle *handle, ErrorContextCallback *context)
{
	context->callback = refill_error_context;
	context->arg = handle;
	context->previous = error_context_stack;
	error_context_stack = context;
}

/* Raises 22023: the row says something else than the caller. */
static void
wrong_source(IdgenHandle *handle, const IdgenSource *source, const IdgenSource *asked)
{
	ereport(ERROR,
	        (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
	         errmsg("id sequence \"%s\" has source \"%s\", not \"%s\"",
	                handle->name, source->name, asked->name),
	         errhint("Leave the source out, or change it in \"id_sequences\".")));
}

/* Replace a string that a handle keeps; both may be NULL. */
void
idgen_handle_keep(const IdgenHandle *handle, char **kept, const char *string)
{
	if (*kept != NULL)
		pfree(*kept);
	*kept = NULL;
	if (string != NULL)
		*kept = MemoryContextStrdup(handle->memory, string);
}

/* Keep what the row says. */
static void
remember_row(IdgenHandle *handle, TupleTableSlot *row, const IdgenDefinition *def)
{
	handle->found.source = def->source;
	idgen_handle_keep(handle, &handle->found.source_name, def->source_name);
	handle->found.block_size = def->block_size;
	handle->found.by_worker = (def->refill == IDGEN_REFILL_WORKER);
	handle->found.own_row = idgen_row_is_own(row);
	remember_big_base(handle, idgen_row_attribute(row, IDGEN_ATT_BIG_BASE));
	handle->found.layout = def->layout;
}

/*
 * Read the row, if there is one that the user may see, into the handle, and
 * make one if auto_create says so. Returns whether the answer may be remembered.
 */
static bool
look_at_row(IdgenHandle *handle, const IdgenSource *asked, bool auto_create)
{
	IdgenRow row;
	IdgenDefinition def;
	bool cacheable = true;

	handle->found.has_row =
		(idgen_row_open(&row, handle->relid, handle->name, handle->namelen,
	                    auto_create ? IDGEN_SEARCH_QUICK : IDGEN_SEARCH_SURE) ||
	     (auto_create && idgen_auto_create_row(row.rel, handle->name, row.slot))) &&
		idgen_row_visible(row.rel, row.slot, &cacheable);

	if (handle->found.has_row)
	{
		idgen_definition_from_row(row.slot, handle->name, &def);
		if (asked != NULL && asked != def.source)
			wrong_source(handle, def.source, asked);
		remember_row(handle, row.slot, &def);
	}
	idgen_row_close(&row);
	return cacheable;
}

/* What would be in the row, if there were one of that source. */
static void
do_without_row(IdgenHandle *handle, const IdgenSource *source)
{
	handle->found.source = source;
	idgen_handle_keep(handle, &handle->found.source_name, NULL);
	handle->found.block_size = 1;
	handle->found.by_worker = false;
	handle->found.own_row = false;
	remember_big_base(handle, NumericGetDatum(int64_to_numeric(0)));
	handle->found.layout = &idgen_layout_plain;
}

/*
 * Have the source find what the handle is to draw from, or look at the object that
 * somebody else has found, if that is valid. What only this session can see, no
 * worker can refill: the session does so itself.
 */
static void
resolve_source(IdgenHandle *handle, Oid object)
{
	ErrorContextCallback context;
	Oid before = handle->found.object;

	handle->found.object = InvalidOid;
	handle->found.storage = InvalidRelFileNumber;
	handle->found.origin = 0;
	handle->found.uncommitted = false;
	handle->found.temporary = false;
	idgen_handle_keep(handle, &handle->found.search_path, NULL);
	if (handle->found.details != NULL)
		pfree(handle->found.details);
	handle->found.details = NULL;

	if (handle->found.source->resolve)
	{
		idgen_refill_context_push(handle, &context);
		handle->found.source->resolve(handle, object);
		error_context_stack = context.previous;
	}

	if (handle->found.temporary || handle->found.uncommitted ||
	    (handle->found.own_row && !handle->found.source->locks_row))
		handle->found.by_worker = false;
	if (handle->found.object != before)
		handle->prepared = InvalidLocalTransactionId;
}

/*
 * Look at the row and at what its source draws from. Raises 42704 if there is
 * no row, or none that the user may see (who is not to learn that it exists),
 * and the source asked for does not do without. Returns whether the answer may
 * be remembered.
 */
static bool
look(IdgenHandle *handle, const IdgenSource *asked, bool auto_create)
{
	bool cacheable = look_at_row(handle, asked,
	                             auto_create && (asked == NULL || asked->auto_created) && is_possible_name(handle->name));

	if (!handle->found.has_row)
	{
		if (asked == NULL || asked->needs_row)
			idgen_no_such_sequence(handle->relid, handle->name, asked);
		do_without_row(handle, asked);
		if (RecoveryInProgress())
			cacheable = false; /* nobody would tell us that there is a row now */
	}
	resolve_source(handle, InvalidOid);
	return cacheable;
}

/*
 * Make sure that the current user may draw from the id sequence, that it
 * exists, and that the handle knows its cache slot. "asked" is the source that
 * the caller asks for, or NULL. Raises 42501, 42704, 22023 if the row has
 * another source, what a bad row deserves (see definition.c), and what the
 * source says.
 */
void
idgen_handle_validate(IdgenHandle *handle, const IdgenSource *asked, bool auto_create)
{
	uint64 epoch = idgen_epoch;
	IdgenCacheKey key;
	bool cacheable;

	idgen_handle_invalidate(handle);
	idgen_check_select(handle->relid);

	/*
	 * A session cache has no other way to learn of changes made by others
	 * than the table's invalidation messages, which do not say what changed.
	 */
	if (!idgen_cache_is_shared())
	{
		idgen_handle_row_key(handle, &key);
		idgen_cache_check_table(&key, idgen_table_epoch);
	}

	/*
	 * The version must be read before the row: a change that comes between
	 * is then noticed at the next call. But a slot is made only for a row
	 * that exists; names that do not must not push out others. And it is only
	 * then known which slot it is.
	 */
	idgen_handle_key(handle, &key);
	for (;;)
	{
		handle->found.slot = idgen_cache_attach(&key, false, &handle->found.version);
		cacheable = look(handle, asked, auto_create);
		if (handle->found.slot != NULL && handle->found.object == key.object)
			break;

		idgen_handle_key(handle, &key);
		handle->found.slot = idgen_cache_attach(&key, true, &handle->found.version);
		if (handle->found.slot == NULL)
		{
			cacheable = false;
			break;
		}
		CHECK_FOR_INTERRUPTS();
	}

	/*
	 * Whoever gives a sequence another file empties the server's cache at
	 * commit (see pending.c), but cannot reach that of another session.
	 */
	if (OidIsValid(handle->found.object) && !handle->found.uncommitted &&
	    (handle->found.temporary || !idgen_cache_is_shared()))
		idgen_cache_check_storage(&key, handle->found.storage);

	/*
	 * A prepared transaction that has had the row name another source tells nobody but
	 * us when it commits.
	 */
	if (handle->found.slot != NULL && !handle->found.own_row && !handle->found.uncommitted)
		idgen_cache_check_origin(&key, handle->found.origin);

	handle->found.userid = GetUserId();
	handle->found.remember = cacheable;
	handle->found.epoch = epoch;
}

/*
 * Could whoever refills be waiting for us, because this transaction has
 * changed or locked the row, or the table, by ordinary SQL?
 */
bool
idgen_handle_holds_row(IdgenHandle *handle)
{
	IdgenRow row;
	bool held;

	held = idgen_row_open(&row, handle->relid, handle->name, handle->namelen, IDGEN_SEARCH_SURE) &&
		idgen_row_is_held(row.rel, row.slot);
	idgen_row_close(&row);
	return held;
}

/* Say in the server's log that ids are running out, once for each percent. */
void
idgen_handle_warn_low(const IdgenHandle *handle, int percent_left)
{
	IdgenCacheKey key;

	if (percent_left >= idgen_warn_remaining)
		return;
	idgen_handle_key(handle, &key);
	if (idgen_cache_warning_due(&key, percent_left))
		ereport(LOG,
		        (errmsg("id sequence \"%s\" has %d%% of its ids left",
		                handle->name, percent_left),
		         errhidestmt(true), errhidecontext(true)));
}

/*
 * A handle for the worker, of the id sequence that a key names, on behalf of the role that
 * has asked for a refill: in the current memory context, not kept, and good for allocating
 * in the current transaction only. Asks for nobody's privileges. NULL if there is no such id sequence any
 * more, or it is not for a worker. Raises what a bad row deserves.
 */
IdgenHandle *
idgen_handle_for_worker(const IdgenCacheKey *key, Oid requested_by)
{
	IdgenHandle *handle = make_handle(CurrentMemoryContext, key->relid, key->name, strlen(key->name));
	IdgenRow row;
	IdgenDefinition def;

	handle->found.userid = requested_by;
	handle->found.has_row = idgen_row_open(&row, handle->relid, handle->name, handle->namelen, IDGEN_SEARCH_SURE);
	if (handle->found.has_row)
	{
		idgen_definition_from_row(row.slot, handle->name, &def);
		remember_row(handle, row.slot, &def);
		handle->row_tid = row.slot->tts_tid;
	}
	idgen_row_close(&row);
	if (!handle->found.has_row || !handle->found.by_worker ||
	    handle->found.source->has_object != OidIsValid(key->object))
		return NULL;

	resolve_source(handle, key->object);
	return handle->found.object == key->object ? handle : NULL;
}
