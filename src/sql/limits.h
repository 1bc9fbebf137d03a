/*
 * limits.h
 *		The columns that take the ids of an id sequence, and how they limit it.
 */
#ifndef IDGEN_LIMITS_H
#define IDGEN_LIMITS_H

#include "catalog/extent.h"
#include "catalog/owning_column.h"
#include "sql/drawing_columns.h"

/* Can a column hold the ids of an id sequence? */
typedef enum IdgenFit
{
	IDGEN_FIT_ALL,   /* as far as is known */
	IDGEN_FIT_UP_TO, /* those of sequence values up to one */
	IDGEN_FIT_NEVER, /* not even the first, or not wherever they lie */
} IdgenFit;

extern List *idgen_columns_taking(const char *name, const char *template, IdgenOwningColumn owner);
extern char *idgen_column_title(const IdgenDrawingColumn *column);
extern IdgenFit idgen_column_fit(const IdgenDrawingColumn *column, const IdgenExtent *extent,
                                 int64 *last);
extern void idgen_extent_limit_by_column(IdgenExtent *extent, const IdgenDrawingColumn *column);
extern void idgen_extent_limit_by_columns(IdgenExtent *extent, List *columns);

#endif /* IDGEN_LIMITS_H */
