/*
 * kept_counters.c
 *		Counters of id sequences that have given their slots away.
 *
 * A slot counts as long as an id sequence has it. What it has counted by the
 * time that another id sequence gets it goes to the server's cumulative
 * statistics, of which PostgreSQL 18 lets extensions have kinds of their own.
 * With its next slot, the id sequence gets its counters back. So they are in
 * one place or the other. The server writes its statistics to a file at
 * shutdown, as the restart file has what is in slots; and it forgets them after
 * a crash, as they are forgotten that were in slots.
 *
 * To have the slots themselves there was turned down: an entry takes a lock of
 * its own, and may fail for lack of memory.
 *
 * An entry is found by a number. For ids of a native sequence that is the OID
 * of that sequence: then it can be removed when the sequence is dropped. Id
 * sequences that draw from the same one share an entry, so the first one to
 * get a slot again gets the counters of both. For others the number is a hash
 * of the name, with a bit that no OID has.
 *
 * Entries are removed before a transaction commits that has deleted their rows.
 * The server could do so after it (pgstat_drop_transactional), as it does for
 * tables. But PostgreSQL 18 fails there, when nothing may fail any more, if it
 * finds an entry removed already; and other than the OID of a table, a name may
 * come back. If the transaction is rolled back after all, statistics are lost,
 * and nothing else.
 *
 * Locking rules: an entry has a lock of its own, which the server takes for us.
 * What happens under the locks of the cache is only noted, in memory of this
 * process, and stored when these are free: to make an entry may raise an error.
 */
#include "postgres.h"

#include "shmem/kept_counters.h"

#if PG_VERSION_NUM >= 180000

#include "common/hashfn.h"
#include "miscadmin.h"
#include "utils/pgstat_internal.h"

#include "common/guc.h"

/* 19 says whether the caller may free the result, and accepts missing ones. */
#if PG_VERSION_NUM < 190000
#define pgstat_fetch_entry(kind, dbid, number, may_free) \
	pgstat_fetch_entry(kind, dbid, number)
#define pgstat_drop_entry(kind, dbid, number, missing_ok) \
	pgstat_drop_entry(kind, dbid, number)
#endif

/*
 * The number of the kind: those for extensions are given out by the project
 * PostgreSQL, and this one is for extensions that have none yet.
 */
#define IDGEN_STATS_KIND PGSTAT_KIND_EXPERIMENTAL

/* No OID has this bit. */
#define IDGEN_NUMBER_OF_NAME (UINT64CONST(1) << 63)

typedef struct KeptEntry
{
	PgStatShared_Common header;
	IdgenCounted counted; /* all zero if there is nothing */
} KeptEntry;

/*
 * The server's file has entries of this size. It would not understand the whole
 * file if the size changed: other contents need another kind.
 */
StaticAssertDecl(sizeof(IdgenCounted) == 136, "the size of a kind of statistics must stay the same");

static const PgStat_KindInfo kind = {
	.name = "idgen",
	.write_to_file = true,
	.shared_size = sizeof(KeptEntry),
	.shared_data_off = offsetof(KeptEntry, counted),
	.shared_data_len = sizeof(IdgenCounted),
};

/* Is the kind registered? Set by the postmaster. */
static bool registered = false;

/*
 * What is to be stored: at most one id sequence gives its slot away at once. It
 * may be there still after an error.
 */
static struct
{
	bool any;
	Oid dbid;
	uint64 number;
	IdgenCounted counted;
} noted;

/*
 * Make the kind known to the server, while libraries are preloaded. If another
 * library has the number, do without.
 */
void
idgen_kept_init(void)
{
	if (pgstat_get_kind_info(IDGEN_STATS_KIND) != NULL)
	{
		ereport(LOG,
		        (errmsg("idgen does not keep counters of id sequences that give their slots away"),
		         errdetail("Another library has statistics of kind %u.", IDGEN_STATS_KIND)));
		return;
	}
	pgstat_register_kind(IDGEN_STATS_KIND, &kind);
	registered = true;
}

/* The number of the entry of a key. */
static uint64
number_of(const IdgenCacheKey *key)
{
	if (OidIsValid(key->object))
		return key->object;
	return hash_bytes_extended((const unsigned char *) key->name, key->namelen, key->relid) | IDGEN_NUMBER_OF_NAME;
}

/*
 * Note what an id sequence has counted that gives its slot away: the caller
 * stores it when it holds no lock any more. Raises no error.
 */
void
idgen_kept_note(const IdgenCacheKey *key, const IdgenCounted *counted)
{
	static const IdgenCounters nothing;

	if (!registered || idgen_max_idle_sequences == 0 ||
	    memcmp(&counted->counters, &nothing, sizeof(IdgenCounters)) == 0)
		return;
	noted.any = true;
	noted.dbid = key->dbid;
	noted.number = number_of(key);
	noted.counted = *counted;
}

/*
 * Store what is noted, if anything is. Raises an error if there is no memory:
 * then it is lost.
 */
void
idgen_kept_store(void)
{
	PgStat_EntryRef *entry;

	if (!noted.any)
		return;
	noted.any = false;
	entry = pgstat_get_entry_ref_locked(IDGEN_STATS_KIND, noted.dbid, noted.number, false);
	idgen_counted_add(&((KeptEntry *) entry->shared_stats)->counted, &noted.counted);
	pgstat_unlock_entry(entry);
}

/*
 * Take what is kept of a key: it belongs to the caller, who gives it to a slot
 * or notes it again. Returns false if that is nothing. Raises an error if there
 * is no memory.
 *
 * The entry stays, empty. To remove it would have all sessions look through
 * those that they know, each time.
 */
bool
idgen_kept_take(const IdgenCacheKey *key, IdgenCounted *counted)
{
	PgStat_EntryRef *entry;
	IdgenCounted *kept;

	if (!registered)
		return false;
	entry = pgstat_get_entry_ref(IDGEN_STATS_KIND, key->dbid, number_of(key), false, NULL);
	if (entry == NULL)
		return false;
	kept = &((KeptEntry *) entry->shared_stats)->counted;
	(void) pgstat_lock_entry(entry, false);
	*counted = *kept;
	memset(kept, 0, sizeof(IdgenCounted));
	pgstat_unlock_entry(entry);
	return counted->times.counted_since != 0;
}

/*
 * Read what is kept of a key; false if that is nothing. As with all statistics,
 * stats_fetch_consistency says whether a transaction sees it change. Raises an
 * error if there is no memory.
 */
bool
idgen_kept_read(const IdgenCacheKey *key, IdgenCounted *counted)
{
	const IdgenCounted *kept;

	if (!registered)
		return false;
	kept = pgstat_fetch_entry(IDGEN_STATS_KIND, key->dbid, number_of(key), NULL);
	if (kept == NULL || kept->times.counted_since == 0)
		return false;
	*counted = *kept;
	return true;
}

/* Remove an entry of this database, if there is one. */
static void
forget(uint64 number)
{
	if (registered && pgstat_have_entry(IDGEN_STATS_KIND, MyDatabaseId, number) &&
	    !pgstat_drop_entry(IDGEN_STATS_KIND, MyDatabaseId, number, true))
		pgstat_request_entry_refs_gc();
}

/* Forget what is kept of a key, since its row goes. */
void
idgen_kept_forget(const IdgenCacheKey *key)
{
	forget(number_of(key));
}

/* Forget what is kept of a native sequence, if that is one, since it goes. */
void
idgen_kept_forget_object(Oid object)
{
	forget(object);
}

static bool
is_of_database(PgStatShared_HashEntry *entry, Datum dbid)
{
	return entry->key.kind == IDGEN_STATS_KIND && entry->key.dboid == DatumGetObjectId(dbid);
}

/*
 * Forget all that is kept of this database. This looks at all statistics that
 * the server has.
 */
void
idgen_kept_forget_all(void)
{
	if (registered)
		pgstat_drop_matching_entries(is_of_database, ObjectIdGetDatum(MyDatabaseId));
}

#endif
