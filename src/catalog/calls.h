/*
 * calls.h
 *		What a stored expression draws from.
 */
#ifndef IDGEN_CALLS_H
#define IDGEN_CALLS_H

#include "access/attnum.h"
#include "nodes/pg_list.h"

/* The functions that draw single ids, by what they return. */
typedef enum IdgenDrawForm
{
	IDGEN_DRAWS_BIGINT,  /* idgen_next() */
	IDGEN_DRAWS_NUMERIC, /* idgen_next_big() */
	IDGEN_DRAWS_TEXT,    /* idgen_next_text() */
	IDGEN_DRAWS_NEXTVAL, /* nextval(), of a native sequence */
} IdgenDrawForm;

/* A call of one of these functions. */
typedef struct IdgenDrawCall
{
	const char *name;   /* NULL if it is no constant */
	const char *source; /* that is asked for; NULL if none is, or no constant */
	Oid sequence;       /* of nextval(): which one, if it is named as a regclass */
	IdgenDrawForm form;
	bool plain; /* are these constants, and is the expression this call, and
	             * nothing else? */
} IdgenDrawCall;

/* What is looked for in expressions. */
typedef struct IdgenSearched
{
	List *functions; /* that draw from id sequences */
	int n;
	char (*stored)[32]; /* how a call of these, or of nextval(), is stored */
} IdgenSearched;

extern IdgenSearched *idgen_searched(Oid idgen_schema);
extern List *idgen_calls_in(const IdgenSearched *searched, const char *stored);

/* A default that draws from an id sequence. */
typedef struct IdgenDrawingDefault
{
	const char *name; /* of the id sequence */
	Oid relid;        /* of the column's table; invalid for that of a domain */
	AttrNumber attnum;
} IdgenDrawingDefault;

extern char *idgen_stored_constant(const char *bytes, Size length);
extern List *idgen_drawing_defaults(Oid idgen_schema, const char *name);

#endif /* IDGEN_CALLS_H */
