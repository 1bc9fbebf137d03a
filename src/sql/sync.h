/*
 * sync.h
 *		Moving id sequences behind the ids in their columns.
 */
#ifndef IDGEN_SYNC_H
#define IDGEN_SYNC_H

#include "session/handle.h"

extern void idgen_sync_check(const IdgenHandle *handle);

#endif /* IDGEN_SYNC_H */
