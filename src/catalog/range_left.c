/*
 * range_left.c
 *		How much of its range an id sequence has left.
 *
 * A refill knows the range that the source has. It also has to know the column
 * that the ids are stored in: an integer column is full long before a bigint
 * id sequence is. So each refill looks up the type of the owning column, in the
 * system caches. To know which other columns draw from the id sequence takes
 * reading all defaults: view idgen_health does that.
 */
#include "postgres.h"

#include "catalog/range_left.h"

/*
 * The ids are stored in that column (IDGEN_NO_COLUMN for none): its type may
 * end the range before the source does. "first" is where the range begins, and
 * "last" is the last id of all blocks so far; "step" is 1, or -1 if ids
 * descend. These are doubles, since ranges may be wider than 2^63.
 */
void
idgen_range_left_in_column(IdgenRangeLeft *left, IdgenOwningColumn column, double first, double last, int step)
{
	int64 end;
	double ids;

	if (column == IDGEN_NO_COLUMN || !idgen_owning_column_end(column, step, &end))
		return;
	ids = step * (end - last);
	if (left->percent < 100 && left->ids <= ids)
		return;
	left->ids = ids;
	left->percent = (int) Max(0, 100 * ids / Max(step * (end - first) + 1, 1));
	left->column = column;
}
