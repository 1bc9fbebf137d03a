/*
 * second_level.h
 *		What is kept of idle id sequences that have given their slots away.
 */
#ifndef IDGEN_SECOND_LEVEL_H
#define IDGEN_SECOND_LEVEL_H

#include "shmem/cache_key.h"

struct IdgenDatabases;
struct IdgenSecondLevel;

/*
 * What is kept of an id sequence: what its slot held, without statistics. The
 * fields mean what they mean in IdgenSlot.
 */
typedef struct IdgenIdle
{
	IdgenBlock blocks[IDGEN_SLOT_BLOCKS]; /* in the order of use, none empty */
	int nblocks;
	RelFileNumber file; /* of the native sequence, or invalid */
	uint32 origin;
	bool lost_at_shutdown;
	uint8 warned_percent;
	uint64 dropped_at;
} IdgenIdle;

/* The number of ids that are kept. */
static inline int64
idgen_idle_ids(const IdgenIdle *idle)
{
	int64 ids = 0;

	for (int i = 0; i < idle->nblocks; i++)
		ids += idle->blocks[i].left;
	return ids;
}

/* Memory */
extern Size idgen_second_level_size(int ncells);
extern void idgen_second_level_init(struct IdgenSecondLevel *level, int ncells,
                                    struct IdgenDatabases *databases);

/* The entry of one key */
extern bool idgen_second_level_has(const struct IdgenSecondLevel *level, const IdgenCacheKey *key);
extern bool idgen_second_level_read(const struct IdgenSecondLevel *level, const IdgenCacheKey *key,
                                    IdgenIdle *idle);
extern bool idgen_second_level_take(struct IdgenSecondLevel *level, const IdgenCacheKey *key,
                                    IdgenIdle *idle);
extern int64 idgen_second_level_put(struct IdgenSecondLevel *level, const IdgenCacheKey *key,
                                    const IdgenIdle *idle);
extern bool idgen_second_level_put_oldest(struct IdgenSecondLevel *level, const IdgenCacheKey *key,
                                          const IdgenIdle *idle);

/* The entries of native sequences */
extern bool idgen_second_level_has_name(const struct IdgenSecondLevel *level, uint32 name);
extern int64 idgen_second_level_remove_name(struct IdgenSecondLevel *level, uint32 name);
extern bool idgen_second_level_has_file(const struct IdgenSecondLevel *level, const RelFileLocator *file);
extern int64 idgen_second_level_remove_file(struct IdgenSecondLevel *level, const RelFileLocator *file);

/* All entries, or those of a database, in portions */
extern int idgen_second_level_cells(const struct IdgenSecondLevel *level);
extern int idgen_second_level_find(const struct IdgenSecondLevel *level, int from, int end, Oid dbid);
extern int idgen_second_level_older(const struct IdgenSecondLevel *level, int entry);
extern void idgen_second_level_read_at(const struct IdgenSecondLevel *level, int entry,
                                       IdgenCacheKey *key, char *name, IdgenIdle *idle);
extern int64 idgen_second_level_remove_at(struct IdgenSecondLevel *level, int entry);

/* Totals */
extern int idgen_second_level_entries(const struct IdgenSecondLevel *level);
extern int64 idgen_second_level_ids(const struct IdgenSecondLevel *level);

#endif /* IDGEN_SECOND_LEVEL_H */
