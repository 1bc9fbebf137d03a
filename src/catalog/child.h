/*
 * child.h
 *		Rows that are made from other rows, or of their own accord.
 */
#ifndef IDGEN_CHILD_H
#define IDGEN_CHILD_H

#include "catalog/row.h"
#include "common/compat.h"

extern bool idgen_is_template_name(const char *name);
extern void idgen_refuse_template(const char *name);

extern bool idgen_row_describe(IdgenRow *row, const char *parent);
extern void idgen_row_describe_by_default(IdgenRow *row);
extern const IdgenRow *idgen_row_origin(const IdgenRow *row);
extern bool idgen_row_make(IdgenRow *row);

#endif /* IDGEN_CHILD_H */
