/*
 * table.h
 *		The table id_sequences as a whole.
 */
#ifndef IDGEN_TABLE_H
#define IDGEN_TABLE_H

#include "storage/lockdefs.h"
#include "utils/rel.h"

#include "common/compat.h"

extern bool idgen_version_fits(void);
extern void idgen_version_check(void);
extern Oid idgen_table_of_extension(void);
extern Oid idgen_table_beside(Oid id_sequences, const char *name);
pg_noreturn extern void idgen_other_table_is_bad(Relation rel);
extern Relation idgen_other_table_open(Oid id_sequences, const char *name, const Oid *types, int ntypes,
                                       LOCKMODE lockmode);
extern bool idgen_table_is_good(Relation rel);
extern void idgen_table_check(Relation rel);
extern bool idgen_table_tells_changes(Relation rel);
pg_noreturn extern void idgen_no_table(void);
extern Relation idgen_table_open(Oid relid, LOCKMODE lockmode);
extern bool idgen_table_is_rewritten(Relation rel);
extern void idgen_table_check_not_rewritten(Relation rel);
extern const char *idgen_relation_name(Oid relid);
extern const char *idgen_table_name(Oid relid);
extern const char *idgen_function_name(Oid relid, const char *function);
extern bool idgen_relation_is_held(Oid relid, LOCKMODE lockmode);

#endif /* IDGEN_TABLE_H */
