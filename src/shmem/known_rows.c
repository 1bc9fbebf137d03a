/*
 * known_rows.c
 *		What rows were found to say, for sessions that have not looked yet.
 *
 * To look at a row for the first time, a session has to open id_sequences: the
 * server reads dozens of pages of its catalogs for the columns, constraints,
 * triggers and indexes. So a session that has looked leaves beside the slot
 * what it has found, and the first draw of the next one takes that over.
 *
 * Only ordinary rows are kept: source "table" without a source_name, layout
 * plain, no big_base, no format. What they may differ in is in IdgenKnownRow.
 * Who may draw is not kept: each session finds that out from the catalogs.
 *
 * What is kept holds until the next event that makes sessions look again. So it
 * has the number of the last event before somebody looked at the row ("as_of"),
 * and is void as soon as the slot has a greater version. Then a row that is
 * changed, a slot that is emptied or given to another id sequence need not do
 * anything here. Changes of the table itself concern all its rows, and sessions
 * learn of them by messages of the server, which those that begin later do not
 * get: such an event voids what is kept of all rows.
 *
 * When a prepared transaction commits, it tells nobody. It has had the slot
 * change its version when it was prepared. In between, its new version of the
 * row is there, so nobody shares a row that a transaction in progress has
 * changed.
 *
 * Locking rules: the slot's lock protects what is kept of it. The lock of the
 * cache's header protects rows_known_from.
 */
#include "postgres.h"

#include "access/xlog.h"

#include "shmem/cache_internal.h"
#include "shmem/known_rows.h"

/*
 * The number of the last event in the shared cache. A session that wants to
 * share what it finds in a row asks for it before it looks. It is 0 if nothing
 * is to be shared: on a standby, nobody would learn of a change, nor if that is
 * promoted while the session looks.
 */
uint64
idgen_known_rows_now(void)
{
	if (!idgen_cache_is_shared() || RecoveryInProgress())
		return 0;
	return pg_atomic_read_u64(&idgen_shared_cache.header->last_number);
}

/*
 * Find the slot of a key, and make one if the second level has kept what is in
 * it; else NULL if there is none. *version is set to the slot's version, and
 * *row to what is known of its row.
 *
 * An id sequence that has ids in the second level has a row. So its slot need
 * not wait for a look at that, and one look suffices: its version is known
 * before.
 */
IdgenSlot *
idgen_known_row_find(const IdgenCacheKey *key, uint64 *version, IdgenKnownRow *row)
{
	IdgenCache *cache = idgen_cache_of(key);
	IdgenSlot *slot = idgen_cache_lock_key(key, LW_SHARED);

	row->as_of = 0;
	if (slot == NULL)
	{
		bool kept = cache->second_level != NULL && idgen_second_level_has(cache->second_level, key);

		idgen_cache_unlock_key(key, NULL);
		return kept ? idgen_cache_find_or_make(key, version) : NULL;
	}
	*version = slot->version;
	if (slot->row_as_of >= Max(slot->version, cache->header->rows_known_from))
		*row = (IdgenKnownRow){slot->row_as_of, slot->row_block_size, (IdgenRefillMode) slot->row_refill};
	idgen_cache_unlock_key(key, slot);
	return slot;
}

/*
 * Share what the row of a key says, or not if that is void by now, or there is
 * no slot. The cache must be the shared one, and the row ordinary and
 * committed. No transaction that was in progress when somebody looked at it may
 * have changed it.
 */
void
idgen_known_row_share(const IdgenCacheKey *key, const IdgenKnownRow *row)
{
	IdgenSlot *slot = idgen_cache_lock_entry(key);

	if (slot == NULL)
		return;
	if (row->as_of >= slot->version)
	{
		slot->row_as_of = row->as_of;
		slot->row_block_size = row->block_size;
		slot->row_refill = row->refill;
	}
	idgen_cache_unlock_entry(key, slot);
}

/*
 * A table id_sequences was changed, or its triggers: from now on, nothing is
 * known. It is not worth it to tell one table from another here. Raises no
 * errors.
 */
void
idgen_known_rows_forget(void)
{
	IdgenCacheHeader *header = idgen_shared_cache.header;

	if (header == NULL)
		return;
	LWLockAcquire(&header->lock, LW_EXCLUSIVE);
	header->rows_known_from = idgen_cache_next_number(&idgen_shared_cache);
	LWLockRelease(&header->lock);
}
