/*
 * cache_memory.c
 *		The server's block cache: its shared memory.
 *
 * All of it has a fixed size, which follows from idgen.max_sequences and
 * idgen.max_idle_sequences. The postmaster makes it before there are other
 * processes, so nothing is locked while it is initialized.
 */
#include "postgres.h"

#include "storage/ipc.h"
#include "storage/shmem.h"

#include "common/compat.h"
#include "common/guc.h"
#include "shmem/cache_internal.h"
#include "shmem/child_counts.h"
#include "shmem/request_queue.h"
#include "shmem/slot_bridge.h"

IdgenCache idgen_shared_cache;

static Size
header_size(void)
{
	return CACHELINEALIGN(sizeof(IdgenCacheHeader));
}

/* How many lists are there, of each kind? */
static int
count_buckets(void)
{
	return (idgen_max_sequences - 1) / IDGEN_SLOTS_PER_BUCKET + 1;
}

/* The header, then the arrays: slots, and lists of names. */
static Size
arrays_size(void)
{
	Size size = add_size(PG_CACHE_LINE_SIZE, header_size());

	size = add_size(size, mul_size(idgen_max_sequences, sizeof(IdgenSlotPadded)));
	return add_size(size, mul_size(count_buckets(), sizeof(dlist_head)));
}

static Size
cache_size(void)
{
	Size size = arrays_size();

	size = add_size(size, CACHELINEALIGN(mul_size(idgen_max_sequences, sizeof(IdgenTimes))));
	size = add_size(size, CACHELINEALIGN(idgen_bridges_size()));
	size = add_size(size, CACHELINEALIGN(idgen_file_index_size(count_buckets())));
	size = add_size(size, CACHELINEALIGN(idgen_databases_size(idgen_max_sequences)));
	size = add_size(size, CACHELINEALIGN(idgen_long_names_size(idgen_max_sequences)));
	size = add_size(size, CACHELINEALIGN(idgen_failure_pool_size()));
	size = add_size(size, CACHELINEALIGN(idgen_child_counts_size()));
	size = add_size(size, CACHELINEALIGN(idgen_request_queue_size(idgen_max_sequences)));
	if (idgen_max_idle_sequences > 0)
		size = add_size(size, CACHELINEALIGN(idgen_second_level_size(idgen_max_idle_sequences)));
	return add_size(size, hash_estimate_size(idgen_max_sequences, sizeof(IdgenCacheEntry)));
}

/* Ask for shared memory; from shmem_request_hook. */
void
idgen_cache_request_shmem(void)
{
	RequestAddinShmemSpace(cache_size());
	RequestNamedLWLockTranche("IdgenCache", 1);
	RequestNamedLWLockTranche("IdgenSequence", 1);
}

void
idgen_cache_init_header(IdgenCacheHeader *header, int tranche)
{
	memset(header, 0, sizeof(IdgenCacheHeader));
	LWLockInitialize(&header->lock, tranche);
	pg_atomic_init_u64(&header->last_number, 0);
	pg_atomic_init_u64(&header->ids_uncached, 0);
	dlist_init(&header->free);
}

void
idgen_cache_init_names(IdgenCache *cache)
{
	for (int i = 0; i < cache->nbuckets; i++)
		dlist_init(&cache->names[i]);
}

/*
 * Initialize what a new segment of shared memory holds, but for the slots: each
 * is initialized when it is used for the first time. So the server starts as
 * fast with room for many as with room for few, and takes no memory for what it
 * never uses.
 */
static void
init_shared_cache(void)
{
	IdgenCache *cache = &idgen_shared_cache;
	int tranche = GetNamedLWLockTranche("IdgenCache")->lock.tranche;

	idgen_cache_init_header(cache->header, tranche);
	idgen_cache_init_names(cache);
	idgen_file_index_init(cache->files, cache->nbuckets, tranche);
	idgen_databases_init(cache->databases, idgen_max_sequences);
	idgen_long_names_init(cache->long_names, idgen_max_sequences);
	if (cache->second_level != NULL)
		idgen_second_level_init(cache->second_level, idgen_max_idle_sequences, cache->databases);
}

/*
 * Create the shared cache or attach to it; from shmem_startup_hook. Returns
 * whether it is new.
 */
bool
idgen_cache_startup_shmem(void)
{
	IdgenCache *cache = &idgen_shared_cache;
	char *area;
	bool found;
	bool found_part;
	HASHCTL info;
	int tranche;
	int flags;

	/* The postmaster runs this again after a crash, in a new segment. */
	memset(cache, 0, sizeof(IdgenCache));

	LWLockAcquire(AddinShmemInitLock, LW_EXCLUSIVE);

	area = ShmemInitStruct("idgen cache", arrays_size(), &found);
	cache->header = (IdgenCacheHeader *) CACHELINEALIGN(area);
	cache->slots = (IdgenSlotPadded *) ((char *) cache->header + header_size());
	cache->nbuckets = count_buckets();
	cache->names = (dlist_head *) (cache->slots + idgen_max_sequences);
	cache->times = ShmemInitStruct("idgen times", mul_size(idgen_max_sequences, sizeof(IdgenTimes)), &found_part);
	cache->files = ShmemInitStruct("idgen cache files", idgen_file_index_size(cache->nbuckets), &found_part);
	cache->databases = ShmemInitStruct("idgen cache databases", idgen_databases_size(idgen_max_sequences), &found_part);
	cache->long_names = ShmemInitStruct("idgen long names", idgen_long_names_size(idgen_max_sequences), &found_part);
	cache->slot_tranche = GetNamedLWLockTranche("IdgenSequence")->lock.tranche;
	tranche = GetNamedLWLockTranche("IdgenCache")->lock.tranche;
	idgen_failure_pool_startup_shmem(tranche);
	idgen_child_counts_startup_shmem(tranche);
	idgen_request_queue_startup_shmem(idgen_max_sequences, tranche);
	idgen_bridges_startup_shmem(tranche);
	if (idgen_max_idle_sequences > 0)
		cache->second_level = ShmemInitStruct("idgen second level", idgen_second_level_size(idgen_max_idle_sequences),
		                                      &found_part);
	if (!found)
		init_shared_cache();

	flags = idgen_cache_describe_entries(&info);
	cache->entries = ShmemInitHash("idgen cache entries", idgen_max_sequences, &info, flags);

	LWLockRelease(AddinShmemInitLock);
	return !found;
}

/* Is there one cache for the whole server? */
bool
idgen_cache_is_shared(void)
{
	return idgen_shared_cache.header != NULL;
}
