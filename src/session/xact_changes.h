/*
 * xact_changes.h
 *		What the current transaction changes besides drawing ids.
 */
#ifndef IDGEN_XACT_CHANGES_H
#define IDGEN_XACT_CHANGES_H

#include "session/handle.h"

extern void idgen_changes_mark(IdgenHandle *handle, IdgenSlotChange change);
extern void idgen_changes_note_row(Oid relid, const char *name, IdgenSlotChange change);
extern void idgen_changes_note_all_rows(void);
extern void idgen_changes_note_tables(void);
extern void idgen_changes_note_dropped_database(Oid dbid);
extern void idgen_changes_note_servers(void);

extern bool idgen_changes_include_servers(void);
extern bool idgen_changes_include_all_rows(void);
extern bool idgen_changes_leave_row(const IdgenHandle *handle);
extern bool idgen_may_use_published(const IdgenHandle *handle);

extern void idgen_changes_collect_files(void);
extern void idgen_changes_before_prepare(void);
extern void idgen_changes_finish(bool committed, uint64 since);

#endif /* IDGEN_XACT_CHANGES_H */
