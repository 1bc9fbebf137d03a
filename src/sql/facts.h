/*
 * facts.h
 *		What the server knows of id sequences: lines of idgen_facts().
 */
#ifndef IDGEN_FACTS_H
#define IDGEN_FACTS_H

#include "nodes/execnodes.h"
#include "utils/rel.h"

#include "session/name_table.h"
#include "shmem/cache.h"
#include "sql/sql_support.h"

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

/* Is this key in the cache of all sessions, rather than in the session's? */
static inline bool
idgen_known_is_shared(const IdgenCacheKey *key)
{
	return idgen_cache_is_shared() && !key->temporary;
}

/* Who asks, and what is the same for all id sequences. */
typedef struct IdgenFactsCall
{
	ReturnSetInfo *result;
	Relation rel;       /* id_sequences */
	bool monitor;       /* does the caller see all? */
	bool selects;       /* may they read the table? */
	const char *worker; /* of this database */
} IdgenFactsCall;

/* An id sequence that is to be shown. */
typedef struct IdgenShown
{
	const IdgenFactsCall *call;
	const char *name;
	TupleTableSlot *row;          /* its newest version in the table, or empty */
	const IdgenKnownEntry *entry; /* what the cache knows of it, or NULL */
	const IdgenSource *source;

	/*
	 * The native sequence that blocks come from; invalid if it is missing, or
	 * with another source.
	 */
	Oid sequence;
} IdgenShown;

extern void idgen_fact_line(const IdgenShown *shown);
extern void idgen_fact_line_broken(const IdgenShown *shown, const char *problem);

#endif /* IDGEN_FACTS_H */
