/*
 * range_left.h
 *		How much of its range an id sequence has left.
 */
#ifndef IDGEN_RANGE_LEFT_H
#define IDGEN_RANGE_LEFT_H

#include "catalog/owning_column.h"

/* The ids that no block holds yet. */
typedef struct IdgenRangeLeft
{
	int percent;              /* of the range, 0 to 100, rounded down; 100 if it is not known */
	double ids;               /* unless percent is 100; negative by the ids that lie beyond */
	IdgenOwningColumn column; /* whose type ends the range; IDGEN_NO_COLUMN if the
	                           * source does */
} IdgenRangeLeft;

extern void idgen_range_left_in_column(IdgenRangeLeft *left, IdgenOwningColumn column,
                                       double first, double last, int step);

#endif /* IDGEN_RANGE_LEFT_H */
