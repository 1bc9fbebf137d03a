/*
 * column.h
 *		A column that can be moved to an id sequence, or back.
 */
#ifndef IDGEN_COLUMN_H
#define IDGEN_COLUMN_H

#include "catalog/pg_attribute.h"
#include "nodes/parsenodes.h"

/* What the catalogs say of a column. Valid as long as its table is locked. */
typedef struct IdgenColumn
{
	Oid table_oid;
	const char *table; /* with its schema, for messages */
	const char *name;
	bool partitioned; /* is the table? */
	List *members;    /* OIDs of the table and of all that inherits from it */

	Oid type; /* INT2OID, INT4OID or INT8OID: the base type of a domain */
	int64 type_max;

	char identity;      /* as attidentity in pg_attribute */
	Node *default_expr; /* what an INSERT takes, NULL if nothing */
	Oid default_domain; /* whose default that is, invalid if it is the column's own */
} IdgenColumn;

extern int64 idgen_greatest_value(Oid type);
extern void idgen_column_lock(IdgenColumn *column, Oid id_sequences, AclMode needed);
extern Form_pg_attribute idgen_column_attribute(Oid relid, const char *name);
extern const char *idgen_alter_column(const IdgenColumn *column, Oid member);
extern const char *idgen_display_name(Oid relid);

#endif /* IDGEN_COLUMN_H */
