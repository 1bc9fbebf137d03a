/*
 * missing.h
 *		What is done about a row that a name lacks.
 */
#ifndef IDGEN_MISSING_H
#define IDGEN_MISSING_H

#include "catalog/row.h"
#include "session/call.h"
#include "session/handle.h"

extern bool idgen_open_or_make_row(IdgenRow *row, const IdgenHandle *handle, const IdgenCall *call,
                                   IdgenFound *found);
extern const char *idgen_parent_of(Oid relid, const char *name);
extern void idgen_check_unmade(const IdgenHandle *handle, const IdgenCall *call);
extern bool idgen_missing_row_for_worker(const IdgenHandle *handle,
                                         IdgenRow *row);

#endif /* IDGEN_MISSING_H */
