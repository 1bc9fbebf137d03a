/*
 * table.h
 *		The table id_sequences as a whole.
 */
#ifndef IDGEN_TABLE_H
#define IDGEN_TABLE_H

#include "storage/lockdefs.h"
#include "utils/rel.h"

#include "common/compat.h"

/*
 * Counts the events after which a session must look again at privileges and
 * rows: changes of id_sequences' catalog entries, of roles and of policies, and
 * what idgen_watch_relation() adds. What was found out under one value holds
 * as long as it is the same. So it has another one when handles have gone, too.
 */
extern PGDLLIMPORT uint64 idgen_epoch;

/* Counts changes of id_sequences' catalog entries alone. */
extern PGDLLIMPORT uint64 idgen_table_epoch;

extern void idgen_epoch_init(void);
extern void idgen_watch_relation(Oid relid);
extern Oid idgen_table_oid(Oid funcid);

extern void idgen_version_check(void);
extern Oid idgen_table_of_extension(void);
extern Oid idgen_table_beside(Oid id_sequences, const char *name);
pg_noreturn extern void idgen_other_table_is_bad(Relation rel);
extern Relation idgen_other_table_open(Oid id_sequences, const char *name, const Oid *types, int ntypes,
                                       LOCKMODE lockmode);
extern bool idgen_table_is_good(Relation rel);
extern void idgen_table_check(Relation rel);
extern bool idgen_table_tells_changes(Relation rel);
pg_noreturn extern void idgen_no_table(const char *name);
extern Relation idgen_table_open(Oid relid, LOCKMODE lockmode);
extern bool idgen_table_is_rewritten(Relation rel);
extern void idgen_table_check_not_rewritten(Relation rel);
extern const char *idgen_relation_name(Oid relid);
extern const char *idgen_table_name(Oid relid);
extern const char *idgen_function_name(Oid relid, const char *function);
extern Relation idgen_relation_open_at_once(Oid relid);
extern bool idgen_relation_is_held(Oid relid, LOCKMODE lockmode);

#endif /* IDGEN_TABLE_H */
