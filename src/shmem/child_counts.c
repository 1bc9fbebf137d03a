/*
 * child_counts.c
 *		How many children templates have at most.
 *
 * A template may limit the number of its children. To count them takes longer
 * the more there are, so not each session that makes one can do so. What was
 * counted is kept here, and each child that is made since adds one. That is an
 * upper bound: some are not made after all, others are deleted. Only when the
 * bound is at the limit does a session count again.
 *
 * Templates share a fixed number of places. Where one takes the place of
 * another, the other's children are counted again. A template is known by a
 * hash value of 64 bits: should two ever meet, both limits are kept as far as
 * the sum of their children allows.
 *
 * Without the library preloaded there is nothing of this, since a session would
 * not learn what the others make: then each child made counts them all.
 *
 * Locking rules: counts->lock protects all of it. It comes after no other lock,
 * and none is taken under it.
 */
#include "postgres.h"

#include "common/hashfn.h"
#include "miscadmin.h"
#include "storage/lwlock.h"
#include "storage/shmem.h"

#include "shmem/cache.h"

/* More templates with a limit than this are rarely used at a time. */
#define IDGEN_CHILD_COUNTS 1024

typedef struct IdgenChildCounts
{
	LWLock lock;
	IdgenChildCount places[IDGEN_CHILD_COUNTS];
} IdgenChildCounts;

static IdgenChildCounts *counts = NULL;

Size
idgen_child_counts_size(void)
{
	return sizeof(IdgenChildCounts);
}

/* Create the counts or attach to them. The lock is of the cache's tranche. */
void
idgen_child_counts_startup_shmem(void)
{
	bool found;

	LWLockAcquire(AddinShmemInitLock, LW_EXCLUSIVE);
	counts = ShmemInitStruct("idgen child counts", sizeof(IdgenChildCounts), &found);
	if (!found)
	{
		memset(counts, 0, sizeof(IdgenChildCounts));
		LWLockInitialize(&counts->lock, GetNamedLWLockTranche("IdgenCache")->lock.tranche);
	}
	LWLockRelease(AddinShmemInitLock);
}

static IdgenChildCount *
place_of(uint64 template)
{
	return &counts->places[template % IDGEN_CHILD_COUNTS];
}

/* What a template of this database is known by. */
uint64
idgen_child_counts_key(Oid relid, const char *name, int namelen)
{
	uint64 seed = ((uint64) MyDatabaseId << 32) | relid;

	return Max(hash_bytes_extended((const unsigned char *) name, namelen, seed), 1);
}

/*
 * Add one to the children of a template. Returns false, and adds nothing, if it
 * has "max" of them or more, as far as is known, or if nothing is known.
 * *before is set to what was in its place: what is known of it, or of another
 * one.
 */
bool
idgen_child_counts_add(uint64 template, int64 max, IdgenChildCount *before)
{
	IdgenChildCount *place;
	bool added;

	if (counts == NULL)
		return false;
	LWLockAcquire(&counts->lock, LW_EXCLUSIVE);
	place = place_of(template);
	*before = *place;
	added = place->template == template && place->children < max;
	if (added)
		place->children++;
	LWLockRelease(&counts->lock);
	return added;
}

/*
 * The children of a template have been counted. The caller knows that there is
 * shared memory. Does nothing if its place has changed since "before": the
 * count may lack what others have added.
 */
void
idgen_child_counts_set(uint64 template, int64 children, const IdgenChildCount *before)
{
	IdgenChildCount *place;

	LWLockAcquire(&counts->lock, LW_EXCLUSIVE);
	place = place_of(template);
	if (place->template == before->template && place->children == before->children)
		*place = (IdgenChildCount){template, children};
	LWLockRelease(&counts->lock);
}
