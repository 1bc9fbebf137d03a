/*
 * column_row.h
 *		The row of an id sequence for a column: making one, or taking the one
 *		that belongs to it.
 */
#ifndef IDGEN_COLUMN_ROW_H
#define IDGEN_COLUMN_ROW_H

#include "catalog/owning_column.h"
#include "sql/column.h"
#include "sql/ids_in_use.h"

/* What a row for a column is made of. */
typedef struct IdgenColumnRow
{
	const char *name;
	const char *refill;
	int64 start;
	int64 max_value;         /* the greatest value of the column */
	IdgenOwningColumn owner; /* or IDGEN_NO_COLUMN */
} IdgenColumnRow;

extern bool idgen_column_row_insert(Oid id_sequences, const IdgenColumnRow *row);
extern IdgenOwningColumn idgen_column_as_owner(const IdgenColumn *column);
extern List *idgen_column_rows(Oid id_sequences, const IdgenColumn *column);
extern bool idgen_column_has_row(Oid id_sequences, const IdgenColumn *column, const char *name);
extern void idgen_column_row_take(Oid id_sequences, const char *name, const IdgenIdsInUse *ids);

#endif /* IDGEN_COLUMN_ROW_H */
