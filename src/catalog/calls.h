/*
 * calls.h
 *		What a stored expression draws from.
 */
#ifndef IDGEN_CALLS_H
#define IDGEN_CALLS_H

#include "access/attnum.h"
#include "nodes/pg_list.h"

/* A call of nextval(), or of our functions that draw single ids. */
typedef struct IdgenDrawCall
{
	const char *name;   /* NULL if it is no constant */
	const char *source; /* that is asked for; NULL if none is, or no constant */
	Oid sequence;       /* the native sequence that it leads to, invalid if there is
	                     * none */
	const char *form;   /* what it returns: bigint, numeric or text; or "nextval" */
	bool is_nextval;
	bool plain; /* are these constants, and is the expression this call, and
	             * nothing else? */
} IdgenDrawCall;

/* What is looked for in expressions. */
typedef struct IdgenSearched IdgenSearched;

extern IdgenSearched *idgen_searched(Oid idgen_schema);
extern List *idgen_calls_in(const IdgenSearched *searched, const char *stored);

/* A default that draws from an id sequence. */
typedef struct IdgenDrawingDefault
{
	const char *name; /* of the id sequence */
	Oid relid;        /* of the column's table; invalid for that of a domain */
	AttrNumber attnum;
} IdgenDrawingDefault;

extern List *idgen_drawing_defaults(Oid idgen_schema, const char *name);
extern bool idgen_name_is_used(Oid id_sequences, const char *name);

#endif /* IDGEN_CALLS_H */
