/*
 * changed_names.c
 *		The names whose rows the current transaction has changed.
 *
 * One statement can change a million rows, of names that the session never
 * draws from. So a change makes no handle: it adds a record to a log, which
 * needs some 60 bytes for each name. When the transaction commits, the cache is
 * told of each. (A handle with something pending has the change in its own
 * pending state as well: see xact_changes.c.)
 *
 * The log is a stack, as far as savepoints are concerned: a rollback takes the
 * records off that were added since the savepoint. If a record counts for more
 * than an older one of the same name, that one counts again then.
 *
 * A row that is made only has sessions look again that have used its name
 * without one. So where very many are made, the server has all sessions look
 * again, instead of a record for each.
 */
#include "postgres.h"

#include "access/xact.h"
#include "utils/inval.h"
#include "utils/memutils.h"

#include "session/changed_names.h"
#include "session/handle_table.h"
#include "session/name_table.h"
#include "session/xact_changes.h"

/* With more records than that, none is added for a row that is made. */
#define IDGEN_MAX_MADE 10000

/* The log begins small, as most often there is one name. */
#define IDGEN_LOG_FIRST_CHUNK 512
#define IDGEN_LOG_CHUNK       (32 * 1024)

typedef struct Record
{
	IdgenNameKey key;                 /* must be first */
	struct Record *older;             /* the same name's, which this one stands for, too; or NULL */
	uint32 number;                    /* of records before it in the log */
	uint8 change;                     /* an IdgenSlotChange */
	uint8 digest[IDGEN_DIGEST_BYTES]; /* of the name */
	char name[FLEXIBLE_ARRAY_MEMBER];
} Record;

/* Records lie in chunks one behind the other, aligned. */
typedef struct Chunk
{
	struct Chunk *before;
	Size size; /* of what follows */
	Size used; /* of that */
	char records[FLEXIBLE_ARRAY_MEMBER];
} Chunk;

/* Where the log ended when a subtransaction first added to it. */
typedef struct Mark
{
	int level; /* nesting level whose rollback returns to here */
	Chunk *chunk;
	Size used;
	uint32 nrecords;
} Mark;

/* What the current transaction has changed; all zero if that is nothing. */
static struct
{
	MemoryContext memory;   /* of all the rest */
	name_table_hash *names; /* finds the newest record of each */
	Chunk *chunk;           /* the last one */
	uint32 nrecords;
	Mark *marks; /* their levels ascend */
	int nmarks;
	int max_marks;

	/*
	 * The table of which all sessions are told, when the transaction commits,
	 * that any row of it may be another one; and the level of the
	 * subtransaction that has told them, 0 if none has.
	 */
	Oid told;
	int told_level;
} changed;

/* Begin the log. */
static void
init_log(void)
{
	MemoryContext memory = AllocSetContextCreate(TopTransactionContext, "idgen changed names", ALLOCSET_SMALL_SIZES);

	changed.names = name_table_create(memory, 4, NULL);
	changed.memory = memory;
}

static Record *
find_record(const IdgenNameKey *key)
{
	IdgenNameEntry *entry;

	if (changed.memory == NULL)
		return NULL;
	entry = name_table_lookup(changed.names, key);
	return entry != NULL ? unconstify(Record *, (const Record *) entry->key) : NULL;
}

/* The last mark, if it is that of the current subtransaction; or NULL. */
static Mark *
current_mark(int level)
{
	Mark *last = changed.nmarks > 0 ? &changed.marks[changed.nmarks - 1] : NULL;

	return last != NULL && last->level == level ? last : NULL;
}

/* A subtransaction is about to add to the log: note where it begins. */
static void
set_mark(int level)
{
	if (level == 1 || current_mark(level) != NULL)
		return;
	if (changed.marks == NULL)
	{
		changed.marks = MemoryContextAlloc(changed.memory, 8 * sizeof(Mark));
		changed.max_marks = 8;
	}
	else if (changed.nmarks == changed.max_marks)
	{
		changed.marks = repalloc(changed.marks, sizeof(Mark) * 2 * changed.max_marks);
		changed.max_marks *= 2;
	}
	changed.marks[changed.nmarks++] = (Mark){
		.level = level,
		.chunk = changed.chunk,
		.used = changed.chunk != NULL ? changed.chunk->used : 0,
		.nrecords = changed.nrecords,
	};
}

/* The size of a record in its chunk. */
static Size
record_size(int namelen)
{
	return MAXALIGN(offsetof(Record, name) + namelen + 1);
}

/* See to it that the last chunk has room for a record. */
static void
have_room(Size size)
{
	Size chunk_size = changed.chunk == NULL ? IDGEN_LOG_FIRST_CHUNK : IDGEN_LOG_CHUNK;
	Chunk *chunk;

	if (changed.chunk != NULL && changed.chunk->size - changed.chunk->used >= size)
		return;
	chunk_size = Max(chunk_size, size);
	chunk = MemoryContextAlloc(changed.memory, offsetof(Chunk, records) + chunk_size);
	chunk->before = changed.chunk;
	chunk->size = chunk_size;
	chunk->used = 0;
	changed.chunk = chunk;
}

/* Add a record to the log. */
static void
add_record(const IdgenNameKey *key, Record *older, IdgenSlotChange change)
{
	Size size = record_size(key->namelen);
	Record *record;
	IdgenNameEntry *entry;
	bool found;

	set_mark(GetCurrentTransactionNestLevel());
	have_room(size);
	record = (Record *) (changed.chunk->records + changed.chunk->used);
	memcpy(record->name, key->name, key->namelen);
	record->name[key->namelen] = '\0';
	record->key = (IdgenNameKey){key->relid, key->namelen, record->name};
	record->older = older;
	record->number = changed.nrecords;
	record->change = change;
	idgen_cache_digest(record->name, key->namelen, record->digest);
	entry = name_table_insert(changed.names, &record->key, &found);

	/* From here on, nothing can fail. */
	entry->key = &record->key;
	changed.chunk->used += size;
	changed.nrecords++;
}

/* Note what has been done to the row of that name. */
void
idgen_changed_names_add(Oid relid, const char *name, IdgenSlotChange change)
{
	IdgenNameKey key = {relid, strlen(name), name};
	Record *record = find_record(&key);
	int level = GetCurrentTransactionNestLevel();
	const Mark *mark;

	if (record != NULL && change <= (IdgenSlotChange) record->change)
		return;
	if (change == IDGEN_SLOT_REVALIDATE && changed.nrecords >= IDGEN_MAX_MADE)
	{
		if (changed.told_level == 0 || changed.told != relid)
		{
			CacheInvalidateRelcacheByRelid(relid);
			changed.told = relid;
			changed.told_level = level;
		}
		return;
	}
	if (changed.memory == NULL)
		init_log();

	mark = current_mark(level);
	if (record != NULL && (level == 1 || (mark != NULL && record->number >= mark->nrecords)))
		record->change = change; /* goes with whatever takes back this change */
	else
		add_record(&key, record, change);
}

/*
 * What the current transaction has done to the row of that name, as far as the
 * log says.
 */
IdgenSlotChange
idgen_changed_names_find(Oid relid, const char *name, int namelen)
{
	IdgenNameKey key = {relid, namelen, name};
	const Record *record = find_record(&key);

	return record != NULL ? (IdgenSlotChange) record->change : IDGEN_SLOT_UNCHANGED;
}

/* The current subtransaction commits: what it has added is its parent's. */
void
idgen_changed_names_release(void)
{
	int level = GetCurrentTransactionNestLevel();
	Mark *mark = current_mark(level);

	changed.told_level = Min(changed.told_level, level - 1);
	if (mark == NULL)
		return;
	if (level == 2 || (changed.nmarks > 1 && mark[-1].level == level - 1))
		changed.nmarks--;
	else
		mark->level--;
}

/*
 * Let a name be found as if a record, which is one of those from that number
 * on, had never been added.
 */
static void
take_off(const Record *record, uint32 from)
{
	IdgenNameEntry *entry = name_table_lookup(changed.names, &record->key);
	const Record *older = record->older;

	while (older != NULL && older->number >= from)
		older = older->older;
	if (entry == NULL)
		return;
	if (older != NULL)
		entry->key = &older->key;
	else
		(void) name_table_delete(changed.names, &record->key);
}

/* The current subtransaction is rolled back: take off what it has added. */
void
idgen_changed_names_rollback(void)
{
	int level = GetCurrentTransactionNestLevel();
	Mark *mark = current_mark(level);

	if (changed.told_level >= level)
		changed.told_level = 0;
	if (mark == NULL)
		return;
	for (Chunk *chunk = changed.chunk; chunk != NULL; chunk = chunk->before)
	{
		Size at = chunk == mark->chunk ? mark->used : 0;

		while (at < chunk->used)
		{
			const Record *record = (const Record *) (chunk->records + at);

			take_off(record, mark->nrecords);
			at += record_size(record->key.namelen);
		}
		if (chunk == mark->chunk)
			break;
	}
	while (changed.chunk != NULL && changed.chunk != mark->chunk)
	{
		Chunk *before = changed.chunk->before;

		pfree(changed.chunk);
		changed.chunk = before;
	}
	if (changed.chunk != NULL)
		changed.chunk->used = mark->used;
	changed.nrecords = mark->nrecords;
	changed.nmarks--;
}

/* Tell the cache what a record says, and a handle with a slot of its own. */
static void
tell(const Record *record, uint64 since)
{
	IdgenHandle *handle = idgen_handle_find(record->key.relid, record->name, record->key.namelen);

	idgen_cache_change_name(record->key.relid, record->digest, (IdgenSlotChange) record->change, since);
	if (handle != NULL && !handle->xact.listed && record->change >= IDGEN_SLOT_DROP)
		idgen_handle_drop_own(handle);
}

/*
 * The transaction has committed: tell the cache of all. What it has published
 * itself since the event with that number is good. Raises no errors.
 */
void
idgen_changed_names_tell(uint64 since)
{
	for (Chunk *chunk = changed.chunk; chunk != NULL; chunk = chunk->before)
	{
		const Record *record;

		for (Size at = 0; at < chunk->used; at += record_size(record->key.namelen))
		{
			record = (const Record *) (chunk->records + at);
			tell(record, since);
		}
	}
}

/* The transaction is over. */
void
idgen_changed_names_forget(void)
{
	if (changed.memory != NULL)
		MemoryContextDelete(changed.memory);
	memset(&changed, 0, sizeof(changed));
}
