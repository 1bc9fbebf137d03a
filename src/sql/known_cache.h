/*
 * known_cache.h
 *		What the cache knows of the id sequences of a database, by name.
 */
#ifndef IDGEN_KNOWN_CACHE_H
#define IDGEN_KNOWN_CACHE_H

#include "session/name_table.h"
#include "shmem/cache.h"

/*
 * An entry of the cache, as it was when all were read. Those of one name differ
 * in their native sequences.
 */
typedef struct IdgenKnownEntry
{
	IdgenNameKey name;            /* what the table finds it by */
	struct IdgenKnownEntry *next; /* of the same name, or NULL */
	bool has_row;                 /* has a row of that name been seen? */
	IdgenCacheKey key;
	IdgenCached cached;
	char text[FLEXIBLE_ARRAY_MEMBER]; /* the name */
} IdgenKnownEntry;

typedef struct IdgenKnownCache
{
	Oid relid; /* id_sequences */
	name_table_hash *by_name;
} IdgenKnownCache;

/* Is this key in the cache of all sessions, rather than in the session's? */
static inline bool
idgen_known_is_shared(const IdgenCacheKey *key)
{
	return idgen_cache_is_shared() && !key->temporary;
}

extern IdgenKnownCache idgen_known_read(Oid relid);
extern IdgenKnownEntry *idgen_known_find(const IdgenKnownCache *cache, const char *name);

#endif /* IDGEN_KNOWN_CACHE_H */
