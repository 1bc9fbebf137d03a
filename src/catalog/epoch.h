/*
 * epoch.h
 *		When a session has to look again at what it remembers.
 */
#ifndef IDGEN_EPOCH_H
#define IDGEN_EPOCH_H

/*
 * Counts the events after which a session must look again at privileges and
 * rows: changes of id_sequences' catalog entries, of roles and of policies, and
 * what idgen_watch_sequence() adds. What was found out under one value holds
 * as long as it is the same. So it has another one when handles have gone, too.
 */
extern PGDLLIMPORT uint64 idgen_epoch;

/* Counts changes of id_sequences' catalog entries alone. */
extern PGDLLIMPORT uint64 idgen_table_epoch;

extern void idgen_epoch_init(void);
extern void idgen_watch_sequence(Oid relid);
extern void idgen_relations_changed(void);
extern Oid idgen_table_oid(Oid funcid);

#endif /* IDGEN_EPOCH_H */
