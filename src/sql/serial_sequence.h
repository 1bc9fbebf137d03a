/*
 * serial_sequence.h
 *		The native sequence of a serial column.
 */
#ifndef IDGEN_SERIAL_SEQUENCE_H
#define IDGEN_SERIAL_SEQUENCE_H

#include "sql/column.h"
#include "sql/column_sequences.h"

extern Oid idgen_make_serial_sequence(const IdgenColumn *column, int64 start);
extern List *idgen_find_serial_sequences(const IdgenColumn *column, const IdgenColumnSequences *sequences);

#endif /* IDGEN_SERIAL_SEQUENCE_H */
