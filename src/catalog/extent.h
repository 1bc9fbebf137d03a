/*
 * extent.h
 *		How far an id sequence has got, and how far it can get.
 */
#ifndef IDGEN_EXTENT_H
#define IDGEN_EXTENT_H

#include "executor/tuptable.h"

#include "catalog/layout.h"
#include "catalog/pooling.h"

/* What can limit an id sequence. */
typedef enum IdgenLimitKind
{
	IDGEN_LIMIT_NONE,      /* nothing is known to */
	IDGEN_LIMIT_MAX_VALUE, /* its row */
	IDGEN_LIMIT_SEQUENCE,  /* the end of the native sequence */
	IDGEN_LIMIT_LAYOUT,    /* the digits that the layout has for sequence values */
	IDGEN_LIMIT_COLUMN,    /* the type of a column */
} IdgenLimitKind;

/* All numbers are sequence values. */
typedef struct IdgenExtent
{
	const IdgenLayout *layout; /* what is composed of them */
	Numeric big_base;          /* NULL if zero */
	const char *format;        /* of text ids; NULL for plain digits */
	int step;                  /* 1, or -1 if the id sequence counts down */
	int64 first;               /* percentages are counted from here */

	/* How far it has got. Nobody here knows where others allocate. */
	bool is_known;
	bool exhausted; /* is no value left? */
	bool any;       /* has any block been allocated? */
	int64 last;     /* if so, the last value in it */
	int64 next;     /* the next value that no block holds, unless exhausted */

	/* How far it can get. */
	IdgenLimitKind limit_kind;
	const char *limited_by; /* what sets the limit, for users; NULL if nothing is
	                         * known to */
	int64 limit;            /* the last value within it */
	bool cycles;            /* does it begin anew after "cycle_end"? */
	int64 cycle_end;
} IdgenExtent;

extern void idgen_extent_of_row(TupleTableSlot *row, Oid object, IdgenExtent *extent);
extern void idgen_extent_of_native(Oid sequence, IdgenExtent *extent);
extern void idgen_extent_add_native(IdgenExtent *extent, Oid sequence, const IdgenPool *pool);
extern bool idgen_extent_reaches(const IdgenExtent *extent, int64 value);
extern void idgen_extent_limit(IdgenExtent *extent, IdgenLimitKind kind, int64 limit,
                               const char *limited_by);
extern void idgen_extent_limit_by_layout(IdgenExtent *extent);
extern double idgen_extent_ids_left(const IdgenExtent *extent);
extern double idgen_extent_percent_left(const IdgenExtent *extent);

#endif /* IDGEN_EXTENT_H */
