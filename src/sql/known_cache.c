/*
 * known_cache.c
 *		What the cache knows of the id sequences of a database, by name.
 *
 * All is read at once, before the rows are: one pass over the slots takes each
 * slot's lock once, for as long as it takes to copy a few numbers.
 */
#include "postgres.h"

#include "miscadmin.h"

#include "catalog/epoch.h"
#include "catalog/native_sequence.h"
#include "sql/facts.h"

/*
 * The entries of a name: the first one, or NULL if there is none.
 */
IdgenKnownEntry *
idgen_known_find(const IdgenKnownCache *cache, const char *name)
{
	const IdgenNameKey key = {cache->relid, strlen(name), name};
	IdgenNameEntry *found = name_table_lookup(cache->by_name, &key);

	return found != NULL ? (IdgenKnownEntry *) found->key : NULL;
}

/* The entry of a key, made if there is none yet. */
static IdgenKnownEntry *
get_entry(IdgenKnownCache *cache, const IdgenCacheKey *key)
{
	IdgenKnownEntry *first = idgen_known_find(cache, key->name);
	IdgenKnownEntry *entry = first;
	bool found;

	while (entry != NULL && entry->key.object != key->object)
		entry = entry->next;
	if (entry != NULL)
		return entry;

	entry = palloc0(offsetof(IdgenKnownEntry, text) + key->namelen + 1);
	memcpy(entry->text, key->name, key->namelen);
	entry->key = *key;
	entry->key.name = entry->text;
	entry->name = (IdgenNameKey){cache->relid, key->namelen, entry->text};
	entry->next = first;
	name_table_insert(cache->by_name, &entry->name, &found)->key = &entry->name;
	return entry;
}

/*
 * Drop the ids of an entry that have become void: another session has changed
 * the row, or restarted the native sequence. Nobody tells a session's own
 * cache, so drawing looks for such changes first, and so does this. Returns
 * false if the entry is not there any more.
 */
static bool
drop_void_ids(const IdgenCacheKey *key, IdgenCached *cached)
{
	RelFileNumber file;

	if (idgen_known_is_shared(key))
		return true;
	if (!OidIsValid(key->object))
		idgen_cache_check_table(key, idgen_table_epoch);
	else if ((file = idgen_native_file(key->object)) != InvalidRelFileNumber)
		idgen_cache_check_storage(key, file);
	return idgen_cache_read(key, cached);
}

/*
 * Read what the cache knows, into the current memory context. An id sequence
 * that moves to another slot meanwhile may be met twice: then the second time
 * counts.
 */
IdgenKnownCache
idgen_known_read(Oid relid)
{
	IdgenKnownCache cache = {.relid = relid};
	IdgenCacheScan *scan = palloc0(sizeof(IdgenCacheScan));

	cache.by_name = name_table_create(CurrentMemoryContext, 1024, NULL);
	scan->relid = relid;
	scan->shows_idle = true;
	while (idgen_cache_scan_next(scan))
	{
		if (drop_void_ids(&scan->key, &scan->cached))
			get_entry(&cache, &scan->key)->cached = scan->cached;
		CHECK_FOR_INTERRUPTS();
	}
	pfree(scan);
	return cache;
}
