/*
 * cache_key.c
 *		What names an id sequence in the whole server.
 *
 * Locking rules: a key that belongs to an entry of the cache stays as it is as
 * long as the caller holds the lock of its slot, or of the cache's header.
 */
#include "postgres.h"

#include "common/hashfn.h"
#include "miscadmin.h"

#include "shmem/cache_key.h"

static uint32
hash_name(Oid number, const char *name, int namelen)
{
	return hash_combine(hash_bytes_uint32(number),
	                    hash_bytes((const unsigned char *) name, namelen));
}

/* For the hash table. */
uint32
idgen_key_hash(const void *key, Size keysize)
{
	const IdgenCacheKey *k = (const IdgenCacheKey *) key;

	return hash_name(k->dbid ^ k->relid ^ k->object, k->name, k->namelen);
}

/* For the hash table: zero if the keys are the same. */
int
idgen_key_compare(const void *a, const void *b, Size keysize)
{
	const IdgenCacheKey *ka = (const IdgenCacheKey *) a;
	const IdgenCacheKey *kb = (const IdgenCacheKey *) b;

	if (ka->dbid != kb->dbid || ka->relid != kb->relid || ka->object != kb->object)
		return 1;
	return ka->namelen != kb->namelen || memcmp(ka->name, kb->name, ka->namelen) != 0;
}

/* A hash value that all keys of a name share, whatever their object. */
uint32
idgen_key_hash_name(const IdgenCacheKey *key)
{
	return hash_name(key->dbid ^ key->relid, key->name, key->namelen);
}

/* That hash value, for a name of that table in this database. */
uint32
idgen_cache_hash_name(Oid relid, const char *name)
{
	return hash_name(MyDatabaseId ^ relid, name, strlen(name));
}

/*
 * Build a key. "object" is the native sequence that blocks come from, or
 * invalid. The name must stay as long as the key is used. namelen must be below
 * IDGEN_NAME_BYTES.
 */
void
idgen_cache_key(IdgenCacheKey *key, Oid relid, Oid object, bool temporary,
                const char *name, int namelen)
{
	Assert(namelen < IDGEN_NAME_BYTES);
	key->dbid = MyDatabaseId;
	key->relid = relid;
	key->object = object;
	key->temporary = temporary;
	key->namelen = namelen;
	key->name = name;
}
