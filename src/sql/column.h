/*
 * column.h
 *		A column that can be moved to an id sequence, or back.
 */
#ifndef IDGEN_COLUMN_H
#define IDGEN_COLUMN_H

#include "catalog/pg_attribute.h"
#include "nodes/pg_list.h"

/* Valid as long as its table is locked. */
typedef struct IdgenColumn
{
	Oid table_oid;
	const char *table; /* with its schema, for messages */
	const char *name;
	Oid type; /* INT2OID, INT4OID or INT8OID: that of a domain's values */
	int64 type_max;
	char identity;
	bool partitioned;
	List *members;      /* OIDs of the table and what inherits from it */
	Node *default_expr; /* what an INSERT takes, NULL if nothing */
	Oid default_domain; /* the domain whose default that is, invalid if it is the column's own */
} IdgenColumn;

extern void idgen_column_lock(IdgenColumn *column, Oid relid, const char *name);
extern void idgen_column_lock_sequences(const IdgenColumn *column, List **owned, List **used);

extern Form_pg_attribute idgen_column_attribute(Oid relid, const char *name);
extern Node *idgen_read_default(Oid attrdef);
extern Node *idgen_column_default(Oid relid, const char *name);
extern const char *idgen_display_name(Oid relid);

#endif /* IDGEN_COLUMN_H */
