/*
 * sql_columns.h
 *		Reading columns of users' tables: which tables, and who may.
 */
#ifndef IDGEN_SQL_COLUMNS_H
#define IDGEN_SQL_COLUMNS_H

#include "nodes/pg_list.h"
#include "utils/rel.h"

extern List *idgen_heirs_of(Oid relid);
extern void idgen_check_may_read(Oid relid, AttrNumber attnum);
extern bool idgen_table_is_readable(Relation table);

#endif /* IDGEN_SQL_COLUMNS_H */
