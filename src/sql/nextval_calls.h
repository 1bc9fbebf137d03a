/*
 * nextval_calls.h
 *		The calls of nextval() in a default.
 */
#ifndef IDGEN_NEXTVAL_CALLS_H
#define IDGEN_NEXTVAL_CALLS_H

#include "nodes/pg_list.h"

/* A call of nextval(). */
typedef struct IdgenNextvalCall
{
	Oid sequence;     /* invalid if it is no constant, or its name leads nowhere */
	const char *name; /* if it is given by name, to be looked for at each call */
	bool plain;       /* is the default this call, and nothing else? */
} IdgenNextvalCall;

extern bool idgen_may_call_nextval(const char *stored);
extern List *idgen_nextval_calls(const char *stored);

#endif /* IDGEN_NEXTVAL_CALLS_H */
