/*
 * child.h
 *		Rows that are made from other rows, or of their own accord.
 */
#ifndef IDGEN_CHILD_H
#define IDGEN_CHILD_H

#include "executor/tuptable.h"
#include "utils/rel.h"

#include "catalog/row.h"
#include "common/compat.h"

/*
 * A row as it is or, if "from" says what it has to be made from, as it will be
 * made. What that is may have to be made first.
 */
typedef struct IdgenChild
{
	Relation rel;
	const char *name;
	TupleTableSlot *row;     /* what it says */
	struct IdgenChild *from; /* a template, or a row with periods; or NULL */
} IdgenChild;

extern bool idgen_is_template_name(const char *name, int namelen);
extern void idgen_refuse_template(const char *name);

extern IdgenChild *idgen_child_find(Relation rel, const char *name);
extern IdgenChild *idgen_child_of(Relation rel, const char *parent, const char *name);
extern IdgenChild *idgen_child_by_default(Relation rel, const char *name);
extern const IdgenChild *idgen_child_origin(const IdgenChild *child);
extern void idgen_child_show(IdgenChild *child, IdgenRow *row);
extern bool idgen_child_make(IdgenChild *child);
extern void idgen_child_free(IdgenChild *child);

#endif /* IDGEN_CHILD_H */
