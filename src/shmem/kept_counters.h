/*
 * kept_counters.h
 *		Counters of id sequences that have given their slots away.
 */
#ifndef IDGEN_KEPT_COUNTERS_H
#define IDGEN_KEPT_COUNTERS_H

#include "shmem/cache_key.h"

#if PG_VERSION_NUM >= 180000

extern void idgen_kept_init(void);
extern void idgen_kept_note(const IdgenCacheKey *key, const IdgenCounted *counted);
extern void idgen_kept_store(void);
extern bool idgen_kept_take(const IdgenCacheKey *key, IdgenCounted *counted);
extern bool idgen_kept_read(const IdgenCacheKey *key, IdgenCounted *counted);
extern void idgen_kept_forget(const IdgenCacheKey *key);
extern void idgen_kept_forget_object(Oid object);
extern void idgen_kept_forget_all(void);

#else

/* The server keeps nothing for extensions. */
static inline void
idgen_kept_init(void)
{
}

static inline void
idgen_kept_note(const IdgenCacheKey *key, const IdgenCounted *counted)
{
}

static inline void
idgen_kept_store(void)
{
}

static inline bool
idgen_kept_take(const IdgenCacheKey *key, IdgenCounted *counted)
{
	return false;
}

static inline bool
idgen_kept_read(const IdgenCacheKey *key, IdgenCounted *counted)
{
	return false;
}

static inline void
idgen_kept_forget(const IdgenCacheKey *key)
{
}

static inline void
idgen_kept_forget_object(Oid object)
{
}

static inline void
idgen_kept_forget_all(void)
{
}

#endif

#endif /* IDGEN_KEPT_COUNTERS_H */
