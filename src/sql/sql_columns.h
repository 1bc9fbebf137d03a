/*
 * sql_columns.h
 *		Reading columns of users' tables: which tables, who may, and values.
 */
#ifndef IDGEN_SQL_COLUMNS_H
#define IDGEN_SQL_COLUMNS_H

#include "nodes/pg_list.h"
#include "utils/rel.h"

extern List *idgen_heirs_of(Oid relid);
extern void idgen_check_may_read(Oid relid, AttrNumber attnum);
extern bool idgen_table_is_readable(Relation table);
extern int64 idgen_column_integer(Oid type, Datum value);
extern const char *idgen_column_text(Oid type, Datum value, int *length);

#endif /* IDGEN_SQL_COLUMNS_H */
