/*
 * privileges.h
 *		Which roles may use a row of id_sequences.
 */
#ifndef IDGEN_PRIVILEGES_H
#define IDGEN_PRIVILEGES_H

#include "executor/tuptable.h"
#include "nodes/parsenodes.h"
#include "utils/rel.h"

extern int idgen_grant_hint(Oid relid, const char *privilege);
extern void idgen_check_select(Oid relid);
extern void idgen_check_may_update(Oid relid);
extern bool idgen_may_monitor(void);
extern bool idgen_rows_all_visible(Oid relid);
extern bool idgen_row_visible(Relation rel, TupleTableSlot *row);
extern void idgen_check_may_write(Relation rel, TupleTableSlot *row);

#endif /* IDGEN_PRIVILEGES_H */
