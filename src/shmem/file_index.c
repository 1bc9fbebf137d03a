/*
 * file_index.c
 *		Which slots of the cache hold ids of which relation file.
 *
 * A native sequence that is restarted or dropped leaves its file behind, and
 * the ids from there are void. At the end of that transaction, the session
 * finds them here. It need not look at all that is cached.
 *
 * Locking rules: index->lock protects the lists, and what an entry says of its
 * file; to change the latter takes the lock of the slot, too. It comes after a
 * slot's lock, and nothing raises an error under it. So a session that has
 * found a slot locks that, and looks whether it still holds ids of the file.
 */
#include "postgres.h"

#include "common/hashfn.h"
#include "storage/lwlock.h"

#include "common/guc.h"
#include "shmem/cache_internal.h"

typedef struct IdgenFileIndex
{
	LWLock lock;
	int nbuckets;
	dlist_head buckets[FLEXIBLE_ARRAY_MEMBER];
} IdgenFileIndex;

Size
idgen_file_index_size(int nbuckets)
{
	return add_size(offsetof(IdgenFileIndex, buckets), mul_size(nbuckets, sizeof(dlist_head)));
}

void
idgen_file_index_init(IdgenFileIndex *index, int nbuckets, int tranche)
{
	LWLockInitialize(&index->lock, tranche);
	index->nbuckets = nbuckets;
	for (int i = 0; i < nbuckets; i++)
		dlist_init(&index->buckets[i]);
}

static dlist_head *
bucket_of(IdgenFileIndex *index, Oid dbid, RelFileNumber file)
{
	return &index->buckets[hash_bytes_uint32(dbid ^ file) % index->nbuckets];
}

/* The index of the cache that a slot belongs to. */
static IdgenFileIndex *
index_of(const IdgenFileEntry *entry)
{
	const IdgenCache *shared = &idgen_shared_cache;
	const char *slots = (const char *) shared->slots;
	const char *place = (const char *) entry;

	if (slots != NULL && place >= slots && place < (const char *) &shared->slots[idgen_max_sequences])
		return shared->files;
	return idgen_own_cache.files;
}

/*
 * Note that the slot holds ids of that file, or of none if it is invalid. The
 * caller holds the slot's lock.
 */
void
idgen_file_entry_set(IdgenFileEntry *entry, RelFileNumber file)
{
	IdgenFileIndex *index;

	if (entry->file == file)
		return;
	index = index_of(entry);
	LWLockAcquire(&index->lock, LW_EXCLUSIVE);
	if (entry->file != InvalidRelFileNumber)
		dlist_delete(&entry->node);
	entry->file = file;
	if (file != InvalidRelFileNumber)
		dlist_push_head(bucket_of(index, entry->dbid, file), &entry->node);
	LWLockRelease(&index->lock);
}

/*
 * Does the slot hold ids of that file? The caller holds the slot's lock, or the
 * index's.
 */
bool
idgen_file_entry_is(const IdgenFileEntry *entry, const RelFileLocator *file)
{
	return entry->file == file->relNumber && entry->dbid == file->dbOid;
}

/* A slot that holds ids of that file, or NULL. */
IdgenFileEntry *
idgen_file_index_find(IdgenFileIndex *index, const RelFileLocator *file)
{
	IdgenFileEntry *found = NULL;
	dlist_iter iter;

	LWLockAcquire(&index->lock, LW_SHARED);
	dlist_foreach(iter, bucket_of(index, file->dbOid, file->relNumber))
	{
		IdgenFileEntry *entry = dlist_container(IdgenFileEntry, node, iter.cur);

		if (idgen_file_entry_is(entry, file))
		{
			found = entry;
			break;
		}
	}
	LWLockRelease(&index->lock);
	return found;
}
