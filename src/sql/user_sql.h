/*
 * user_sql.h
 *		SQL that runs with the caller's own rights.
 */
#ifndef IDGEN_USER_SQL_H
#define IDGEN_USER_SQL_H

#include "executor/spi.h"

extern SPIPlanPtr idgen_prepare(const char *query, int nargs, Oid *types);
extern void idgen_run_command(const char *command);
extern uint64 idgen_run_query(const char *query, int nargs, Oid *types, Datum *values,
                              Datum *value, bool *isnull);
extern bool idgen_run_on_row(Oid id_sequences, const char *name, const char *verb,
                             const char *end);
extern void idgen_lock_row(Oid id_sequences, const char *name);

#endif /* IDGEN_USER_SQL_H */
