/*
 * validate.h
 *		Making sure that what a handle knows is true.
 */
#ifndef IDGEN_VALIDATE_H
#define IDGEN_VALIDATE_H

#include "session/call.h"
#include "session/handle.h"

extern void idgen_handle_validate(IdgenHandle *handle, IdgenCall *call);
extern IdgenHandle *idgen_handle_for_worker(const IdgenCacheKey *key, const char *name, bool awaited);

#endif /* IDGEN_VALIDATE_H */
