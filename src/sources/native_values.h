/*
 * native_values.h
 *		Drawing values of a native sequence.
 */
#ifndef IDGEN_NATIVE_VALUES_H
#define IDGEN_NATIVE_VALUES_H

#include "catalog/native_sequence.h"
#include "session/handle.h"

/* The values that a refill draws. */
typedef struct IdgenValues
{
	/* What to draw */
	Oid relid;
	const IdgenNativeSequence *sequence;
	int64 wanted;            /* values, at least 1 */
	int64 count;             /* consecutive ids wanted, at least 1 */
	IdgenNativeState before; /* what the sequence's page says; not used with CACHE 1
	                          * unless the pooling is pooled */

	/* What has been drawn */
	int64 nvalues;
	int64 before_set; /* as many of them came before the set that nextval() is at */
	int64 last;       /* the last of these values */
	int64 ids;        /* in the blocks */
	int nblocks;

	/*
	 * No more than the cache can hold, and one for the rest of a set of CACHE.
	 */
	IdgenBlock blocks[IDGEN_SLOT_BLOCKS + 1];
} IdgenValues;

extern void idgen_values_draw(const IdgenHandle *handle, IdgenValues *values);
extern int idgen_values_exhausted(const IdgenHandle *handle);

#endif /* IDGEN_NATIVE_VALUES_H */
