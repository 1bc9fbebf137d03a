/*
 * health_cache.h
 *		What the cache knows of the id sequences of a database, by name.
 */
#ifndef IDGEN_HEALTH_CACHE_H
#define IDGEN_HEALTH_CACHE_H

#include "session/name_table.h"
#include "shmem/cache.h"

/*
 * An entry of the cache, as it was when all were read. Those of one name differ
 * in their native sequences.
 */
typedef struct IdgenHealthEntry
{
	IdgenNameKey name;             /* what the table finds it by */
	struct IdgenHealthEntry *next; /* of the same name, or NULL */
	bool has_row;                  /* has a row of that name been seen? */
	IdgenCacheKey key;
	IdgenCached cached;
	char text[FLEXIBLE_ARRAY_MEMBER]; /* the name */
} IdgenHealthEntry;

typedef struct IdgenHealthCache
{
	Oid relid; /* id_sequences */
	name_table_hash *by_name;
} IdgenHealthCache;

extern IdgenHealthCache idgen_health_cache_read(Oid relid);
extern IdgenHealthEntry *idgen_health_cache_find(const IdgenHealthCache *cache, const char *name);

#endif /* IDGEN_HEALTH_CACHE_H */
