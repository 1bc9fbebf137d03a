/*
 * column_users.h
 *		Which columns draw from id sequences by their defaults.
 */
#ifndef IDGEN_COLUMN_USERS_H
#define IDGEN_COLUMN_USERS_H

#include "utils/rel.h"

#include "catalog/owning_column.h"
#include "sql/column.h"

/* What draws from an id sequence. */
typedef enum IdgenUse
{
	IDGEN_USED_BY_NONE,
	IDGEN_USED_BY_OTHER,     /* by what shall not own it: a domain, a table of others */
	IDGEN_USED_BY_INHERITOR, /* by a column that is inherited, or a partition's */
	IDGEN_USED_BY_COLUMN,    /* by any other column: it can own the id sequence */
} IdgenUse;

/* An id sequence, and what draws from it. */
typedef struct IdgenUsed
{
	const char *name;
	IdgenUse use;
	IdgenOwningColumn column; /* one that draws, of a kind as "use" says */
} IdgenUsed;

extern void idgen_find_users(Relation id_sequences, IdgenUsed *used, int n);
extern void idgen_check_no_other_user(const IdgenColumn *column, const char *name,
                                      Oid id_sequences);

#endif /* IDGEN_COLUMN_USERS_H */
