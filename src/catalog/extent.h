/*
 * extent.h
 *		How far an id sequence has got, and how far it can get.
 */
#ifndef IDGEN_EXTENT_H
#define IDGEN_EXTENT_H

#include "executor/tuptable.h"

#include "catalog/pooling.h"

/* All numbers are sequence values. */
typedef struct IdgenExtent
{
	int step;    /* 1, or -1 if the id sequence counts down */
	int64 first; /* percentages are counted from here */

	/* How far it has got. Nobody here knows where others allocate. */
	bool is_known;
	bool exhausted; /* is no value left? */
	bool any;       /* has any block been allocated? */
	int64 last;     /* if so, the last value in it */
	int64 next;     /* the next value that no block holds, unless exhausted */

	/* How far it can get. */
	const char *limited_by; /* what sets the limit, for users; NULL if nothing is
	                         * known to */
	int64 limit;            /* the last value within it */
	bool cycles;            /* does it begin anew after "cycle_end"? */
	int64 cycle_end;
} IdgenExtent;

extern void idgen_extent_of_row(TupleTableSlot *row, Oid object, IdgenExtent *extent);
extern void idgen_extent_of_native(Oid sequence, IdgenExtent *extent);
extern void idgen_extent_add_native(IdgenExtent *extent, Oid sequence, const IdgenPool *pool);
extern void idgen_extent_limit(IdgenExtent *extent, int64 limit, const char *limited_by);

#endif /* IDGEN_EXTENT_H */
