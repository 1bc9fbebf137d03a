/*
 * parent.h
 *		What the row that a name lacks would be made from.
 */
#ifndef IDGEN_PARENT_H
#define IDGEN_PARENT_H

#include "executor/tuptable.h"
#include "utils/rel.h"

#include "catalog/row.h"

typedef enum IdgenParent
{
	IDGEN_PARENT_NONE,
	IDGEN_PARENT_TEMPLATE,
	IDGEN_PARENT_PERIODS,          /* a row with periods, of which the name is one */
	IDGEN_PARENT_TEMPLATE_PERIODS, /* the same, but it has to be made, too: from a
	                                * template with periods */
} IdgenParent;

extern IdgenParent idgen_parent_find(Relation rel, const char *name, int namelen, TupleTableSlot *slot);
extern char *idgen_parent_name(const char *name);
extern void idgen_row_show_child(IdgenRow *row, IdgenParent kind, TupleTableSlot *parent, const char *name);
extern bool idgen_row_show_unmade(IdgenRow *row, const char *name, int namelen);

#endif /* IDGEN_PARENT_H */
