/*
 * changed_names.h
 *		The names whose rows the current transaction has changed.
 */
#ifndef IDGEN_CHANGED_NAMES_H
#define IDGEN_CHANGED_NAMES_H

#include "session/handle.h"

extern void idgen_changed_names_add(Oid relid, const char *name, IdgenSlotChange change);
extern IdgenSlotChange idgen_changed_names_find(Oid relid, const char *name, int namelen);
extern void idgen_changed_names_release(void);
extern void idgen_changed_names_rollback(void);
extern void idgen_changed_names_tell(uint64 since);
extern void idgen_changed_names_forget(void);

#endif /* IDGEN_CHANGED_NAMES_H */
