/*
 * owning_column.h
 *		The column that an id sequence belongs to: column owned_by.
 */
#ifndef IDGEN_OWNING_COLUMN_H
#define IDGEN_OWNING_COLUMN_H

#include "access/attnum.h"

/*
 * A value of type idgen_column: the table's OID, then 16 bits for the column's
 * number. So columns of a table lie side by side in the index on owned_by.
 */
typedef int64 IdgenOwningColumn;

/* What a name stands for that is no column's. */
#define IDGEN_NO_COLUMN ((IdgenOwningColumn) 0)

static inline IdgenOwningColumn
idgen_owning_column(Oid relid, AttrNumber attnum)
{
	return ((int64) relid << 16) | (uint16) attnum;
}

static inline Oid
idgen_owning_table(IdgenOwningColumn column)
{
	return (Oid) (column >> 16);
}

static inline AttrNumber
idgen_owning_attnum(IdgenOwningColumn column)
{
	return (AttrNumber) (column & 0xFFFF);
}

/* The ids that no block holds yet. */
typedef struct IdgenRangeLeft
{
	int percent;              /* of the range, 0 to 100, rounded down; 100 if it is not known */
	double ids;               /* unless percent is 100; negative by the ids that lie beyond */
	IdgenOwningColumn column; /* whose type ends the range; IDGEN_NO_COLUMN if the
	                           * source does */
} IdgenRangeLeft;

extern bool idgen_owning_column_exists(IdgenOwningColumn column);
extern const char *idgen_owning_column_problem(IdgenOwningColumn column);
extern char *idgen_owning_column_name(IdgenOwningColumn column);
extern char *idgen_owning_column_title(IdgenOwningColumn column);
extern char *idgen_owning_column_widening(IdgenOwningColumn column, int64 last);
extern IdgenRangeLeft idgen_range_left(double first, double next, double last, IdgenOwningColumn column);
extern IdgenOwningColumn idgen_owning_column_find(const char *name, int elevel);

#endif /* IDGEN_OWNING_COLUMN_H */
