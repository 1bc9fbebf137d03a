/*
 * template.h
 *		Templates: rows that other rows are made from.
 */
#ifndef IDGEN_TEMPLATE_H
#define IDGEN_TEMPLATE_H

#include "executor/tuptable.h"
#include "utils/rel.h"

#include "catalog/row.h"

extern bool idgen_is_template_name(const char *name, int namelen);
pg_noreturn extern void idgen_refuse_template(const char *name);
extern bool idgen_template_find(Relation rel, const char *name, int namelen, TupleTableSlot *slot);
extern void idgen_describe_child(TupleTableSlot *parent, const char *name, TupleTableSlot *child);

#endif /* IDGEN_TEMPLATE_H */
