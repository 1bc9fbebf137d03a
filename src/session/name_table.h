/*
 * name_table.h
 *		A hash table that finds something by its name in an installation.
 *
 * What is found begins with its key, an IdgenNameKey.
 */
#ifndef IDGEN_NAME_TABLE_H
#define IDGEN_NAME_TABLE_H

#include "common/hashfn.h"

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

#endif /* IDGEN_NAME_TABLE_H */
