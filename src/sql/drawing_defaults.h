/*
 * drawing_defaults.h
 *		The defaults that draw from id sequences, found by what they draw from.
 */
#ifndef IDGEN_DRAWING_DEFAULTS_H
#define IDGEN_DRAWING_DEFAULTS_H

#include "catalog/objectaddress.h"
#include "nodes/pg_list.h"

#include "sql/column_default.h"

/* A default that draws from an id sequence. */
typedef struct IdgenDrawingDefault
{
	ObjectAddress object; /* a column, or a domain */
	IdgenDrawCall call;
} IdgenDrawingDefault;

extern void idgen_defaults_look(Oid idgen_schema);
extern List *idgen_defaults_from(const char *name);

#endif /* IDGEN_DRAWING_DEFAULTS_H */
