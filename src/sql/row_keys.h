/*
 * row_keys.h
 *		The key of a row of id_sequences, while triggers see the row change.
 */
#ifndef IDGEN_ROW_KEYS_H
#define IDGEN_ROW_KEYS_H

#include "sql/trigger_row.h"

extern void idgen_row_keys_before(IdgenTriggerRow *row);
extern void idgen_row_keys_after(const IdgenTriggerRow *row);

#endif /* IDGEN_ROW_KEYS_H */
