/*
 * facts.h
 *		What the server knows of id sequences: lines of idgen_facts().
 */
#ifndef IDGEN_FACTS_H
#define IDGEN_FACTS_H

#include "nodes/execnodes.h"
#include "utils/rel.h"

#include "shmem/cache.h"
#include "sql/sql_support.h"

/*
 * A slot, as it was when all were read. Those of one name differ in what their
 * ids come from.
 */
typedef struct IdgenKnownEntry
{
	struct IdgenKnownEntry *next; /* of the same name, or NULL */
	bool has_row;                 /* has a row of that name been seen? */
	bool shared;                  /* is it in the server's cache, not the session's own? */
	IdgenSlot slot;
} IdgenKnownEntry;

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
