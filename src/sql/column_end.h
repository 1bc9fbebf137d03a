/*
 * column_end.h
 *		The greatest or the least id in a column.
 */
#ifndef IDGEN_COLUMN_END_H
#define IDGEN_COLUMN_END_H

#include "access/attnum.h"
#include "utils/numeric.h"

#include "text/format.h"

typedef enum IdgenColumnEnd
{
	IDGEN_END_LEAST,
	IDGEN_END_GREATEST,
} IdgenColumnEnd;

/* How much a look may cost. */
typedef enum IdgenLook
{
	IDGEN_LOOK_AT_ALL,  /* it waits for locks, and reads the table if need be */
	IDGEN_LOOK_IF_FREE, /* it reads the table, but raises 55006 if that is locked */
	IDGEN_LOOK_BRIEFLY,
} IdgenLook;

extern void idgen_check_may_read(Oid relid, const char *column);
extern Numeric idgen_column_end(Oid relid, const char *column, IdgenColumnEnd end,
                                const IdgenFormat *format, IdgenLook look);

#endif /* IDGEN_COLUMN_END_H */
