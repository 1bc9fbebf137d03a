/*
 * cache_key.h
 *		What names an id sequence in the whole server.
 */
#ifndef IDGEN_CACHE_KEY_H
#define IDGEN_CACHE_KEY_H

#include "shmem/slot.h"

/*
 * The key of an id sequence in the cache. The table's OID stands for
 * the installation of the extension: dropped and created again, it differs.
 * The name does not suffice where blocks come from a native sequence, since
 * search_path may say which. Build it with idgen_cache_key().
 */
typedef struct IdgenCacheKey
{
	Oid dbid;
	Oid relid;
	Oid object;     /* native sequence, or invalid */
	bool temporary; /* is that one temporary? */
	uint16 namelen; /* below IDGEN_NAME_BYTES */

	/*
	 * Not the key's own memory. Zero-terminated in each key that the cache
	 * gives out, but need not be in one that it is asked for.
	 */
	const char *name;
} IdgenCacheKey;

/* Does a name not fit into a slot? */
static inline bool
idgen_key_is_long(const IdgenCacheKey *key)
{
	return key->namelen >= IDGEN_SHORT_NAME_BYTES;
}

extern void idgen_cache_key(IdgenCacheKey *key, Oid relid, Oid object,
                            bool temporary, const char *name, int namelen);
extern uint32 idgen_key_hash(const void *key, Size keysize);
extern int idgen_key_compare(const void *a, const void *b, Size keysize);
extern uint32 idgen_key_hash_name(const IdgenCacheKey *key);
extern uint32 idgen_cache_hash_name(Oid relid, const char *name);

#endif /* IDGEN_CACHE_KEY_H */
