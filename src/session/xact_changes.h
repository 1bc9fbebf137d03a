/*
 * xact_changes.h
 *		What the current transaction changes besides drawing ids, and its end.
 */
#ifndef IDGEN_XACT_CHANGES_H
#define IDGEN_XACT_CHANGES_H

#include "session/handle.h"

/* How a transaction ends, as far as its pending ids are concerned. */
typedef enum IdgenXactEnd
{
	/* Rolled back: its allocations are undone, as far as they can be. */
	IDGEN_END_ABORTED,

	/*
	 * Prepared, or committed without a standby that it should have waited for:
	 * its allocations may be undone later, and then be made again.
	 */
	IDGEN_END_REVOCABLE,

	/* Committed and flushed: its allocations last. */
	IDGEN_END_COMMITTED,
} IdgenXactEnd;

extern void idgen_changes_note_row(Oid relid, const char *name, IdgenSlotChange change);
extern void idgen_changes_note_cached(Oid relid, const char *name);
extern void idgen_changes_note_all_rows(void);
extern void idgen_changes_note_tables(void);
extern void idgen_changes_note_dropped_database(Oid dbid);
extern void idgen_changes_note_servers(void);

extern IdgenSlotChange idgen_changes_find(const IdgenHandle *handle);
extern bool idgen_changes_include(const IdgenHandle *handle);
extern bool idgen_changes_include_servers(void);
extern bool idgen_changes_leave_row(const IdgenHandle *handle);
extern bool idgen_may_use_published(const IdgenHandle *handle);

extern bool idgen_xact_give_back_gapless(void);
extern void idgen_xact_before_commit(bool prepare);
extern void idgen_xact_finish(IdgenXactEnd end);

#endif /* IDGEN_XACT_CHANGES_H */
