/*
 * fact_line.h
 *		What the server knows of one id sequence, as a line of idgen_facts().
 */
#ifndef IDGEN_FACT_LINE_H
#define IDGEN_FACT_LINE_H

#include "access/htup.h"
#include "nodes/execnodes.h"
#include "utils/rel.h"

#include "common/lock_holder.h"
#include "sources/sources.h"
#include "sql/known_cache.h"
#include "sql/view_line.h"

/* Who asks, and what is the same for all id sequences. */
typedef struct IdgenFactsCall
{
	ReturnSetInfo *result;
	Relation rel;        /* id_sequences */
	bool monitor;        /* does the caller see all? */
	bool selects;        /* may they read the table? */
	bool cache_thrashes; /* of the server */
	const char *worker;  /* of this database */
} IdgenFactsCall;

/* An id sequence that is to be shown. */
typedef struct IdgenShown
{
	const char *name;
	HeapTuple row;                /* NULL if there is none */
	const IdgenKnownEntry *entry; /* what the cache knows of it, or NULL */
	const IdgenSource *source;

	/*
	 * The native sequence that blocks come from; invalid if it is missing, or
	 * with another source.
	 */
	Oid sequence;

	/* The transaction that a refill waits for, if there is one. */
	bool waits;
	IdgenLockHolder holder;
} IdgenShown;

extern void idgen_fact_line(const IdgenFactsCall *call, const IdgenShown *shown, TupleTableSlot *row);
extern void idgen_fact_line_broken(const IdgenFactsCall *call, const IdgenShown *shown, const char *problem);

#endif /* IDGEN_FACT_LINE_H */
