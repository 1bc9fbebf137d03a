/*
 * drawing_defaults.h
 *		The defaults that draw from id sequences, found by what they draw from.
 */
#ifndef IDGEN_DRAWING_DEFAULTS_H
#define IDGEN_DRAWING_DEFAULTS_H

#include "catalog/objectaddress.h"
#include "nodes/pg_list.h"

extern List *idgen_defaults_from(Oid idgen_schema, const char *name);
extern List *idgen_defaults_all(Oid idgen_schema);

#endif /* IDGEN_DRAWING_DEFAULTS_H */
