/*
 * drawing_columns.h
 *		The columns of a database that draw from id sequences.
 */
#ifndef IDGEN_DRAWING_COLUMNS_H
#define IDGEN_DRAWING_COLUMNS_H

#include "catalog/objectaddress.h"
#include "catalog/pg_attribute.h"

#include "sql/column_default.h"

/* A column that takes the ids of an id sequence, by its default mostly. */
typedef struct IdgenDrawingColumn
{
	Oid relid;
	AttrNumber attnum;
	Oid owner;         /* of the table */
	const char *table; /* with its schema, for messages */
	const char *name;
	Oid type;
	int32 typmod;
	bool inherited;
	bool undrawn;       /* the id sequence belongs to it, but its default does not draw */
	IdgenDrawCall call; /* whose name is not NULL */
} IdgenDrawingColumn;

extern Form_pg_attribute idgen_look_up_column(Oid relid, AttrNumber attnum);
extern IdgenDrawingColumn *idgen_describe_column(Form_pg_attribute att, const IdgenDrawCall *call);
extern bool idgen_role_counts(Oid role, Oid id_sequences, Oid owner, Oid sequence);
extern List *idgen_columns_with_default(const ObjectAddress *object);
extern List *idgen_parents_of(Oid relid);
extern List *idgen_heirs_of(Oid relid);
extern List *idgen_drawing_columns(void);
extern List *idgen_drawing_columns_of(Oid idgen_schema, Oid relid);
extern List *idgen_columns_drawing_from(const char *name);
extern bool idgen_column_is_inherited_from(const IdgenDrawingColumn *column, List *columns);

#endif /* IDGEN_DRAWING_COLUMNS_H */
