/*
 * validate.h
 *		Making sure that what a handle knows is true.
 */
#ifndef IDGEN_VALIDATE_H
#define IDGEN_VALIDATE_H

#include "catalog/row.h"
#include "session/call.h"
#include "session/handle.h"

extern void idgen_handle_validate(IdgenHandle *handle, IdgenCall *call);
extern IdgenHandle *idgen_handle_for_worker(const IdgenCacheKey *key, const char *name, bool awaited);

/* missing.c */
extern bool idgen_open_or_make_row(IdgenRow *row, const IdgenHandle *handle, const IdgenCall *call,
                                   IdgenFound *found);
extern const char *idgen_parent_of(Oid relid, const char *name);
extern bool idgen_missing_row_for_worker(const IdgenHandle *handle,
                                         IdgenRow *row);
pg_noreturn extern void idgen_no_such_sequence(Oid relid, const char *name, const IdgenSource *asked);

#endif /* IDGEN_VALIDATE_H */
