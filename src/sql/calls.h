/*
 * calls.h
 *		What a stored expression draws from.
 */
#ifndef IDGEN_CALLS_H
#define IDGEN_CALLS_H

#include "nodes/pg_list.h"

/* What the extension's functions that draw single ids return. */
typedef enum IdgenDrawForm
{
	IDGEN_DRAWS_BIGINT,  /* idgen_next() */
	IDGEN_DRAWS_NUMERIC, /* idgen_next_big() */
	IDGEN_DRAWS_TEXT,    /* idgen_next_text() */
} IdgenDrawForm;

/* A call of one of these functions. */
typedef struct IdgenDrawCall
{
	const char *name;   /* NULL if it is no constant */
	const char *source; /* that is asked for; NULL if none is, or no constant */
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

#endif /* IDGEN_CALLS_H */
