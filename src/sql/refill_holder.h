/*
 * refill_holder.h
 *		Which transaction a refill of an id sequence waits for.
 */
#ifndef IDGEN_REFILL_HOLDER_H
#define IDGEN_REFILL_HOLDER_H

#include "executor/tuptable.h"
#include "utils/rel.h"

#include "catalog/source.h"
#include "common/lock_holder.h"
#include "shmem/cache.h"

extern bool idgen_refill_find_holder(Relation rel, TupleTableSlot *row, const IdgenSource *source,
                                     Oid object, const IdgenCached *cached,
                                     IdgenLockHolder *holder);

#endif /* IDGEN_REFILL_HOLDER_H */
