/*
 * column_sequences.h
 *		The native sequences of a column.
 */
#ifndef IDGEN_COLUMN_SEQUENCES_H
#define IDGEN_COLUMN_SEQUENCES_H

#include "sql/column.h"

/* OIDs of native sequences, each in one of the lists. */
typedef struct IdgenColumnSequences
{
	List *owned; /* belong to the column, and are dropped with its default */
	List *used;  /* do not belong to it, but its defaults use them */
} IdgenColumnSequences;

extern void idgen_column_lock_sequences(const IdgenColumn *column, IdgenColumnSequences *sequences);

#endif /* IDGEN_COLUMN_SEQUENCES_H */
