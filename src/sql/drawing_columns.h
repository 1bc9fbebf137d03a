/*
 * drawing_columns.h
 *		The columns of a database that draw from id sequences.
 */
#ifndef IDGEN_DRAWING_COLUMNS_H
#define IDGEN_DRAWING_COLUMNS_H

#include "sql/column_default.h"

/* A column whose default draws from an id sequence. */
typedef struct IdgenDrawingColumn
{
	Oid relid;
	const char *table; /* with its schema, for messages */
	const char *name;
	bool inherited;
	bool plain;         /* is its default a call that draws, and nothing else? */
	IdgenDrawCall call; /* if not, only the name */
} IdgenDrawingColumn;

extern List *idgen_drawing_columns(Oid idgen_schema);
extern List *idgen_drawing_columns_of(Oid idgen_schema, Oid relid);
extern List *idgen_columns_drawing_from(Oid idgen_schema, const char *name);
extern bool idgen_column_is_inherited_from(const IdgenDrawingColumn *column, List *columns);

#endif /* IDGEN_DRAWING_COLUMNS_H */
