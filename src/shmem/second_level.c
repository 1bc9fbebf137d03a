/*
 * second_level.c
 *		What is kept of idle id sequences that have given their slots away.
 *
 * A slot is large, since many sessions may use it at once. An id sequence that
 * nobody uses needs far less: what names it, and the ids it has left. So when
 * it gives its slot to another one, this is kept here, until a session uses it
 * again and it gets a slot. Nobody draws from here.
 *
 * The second level is an array of cells of one size. Most id sequences fit into
 * one; a long name, or many blocks, take more, which are chained. An entry is
 *
 *	its head, the part for a native sequence if there is one, the name, and
 *	the blocks
 *
 * from the first cell on to the last one. When no cell is free, the oldest
 * entry gives way, and its ids are lost. (Pieces of memory of any size would
 * waste less. But then there may be room that no entry fits into.)
 *
 * An entry is found by its key, through a chain of its own. One of a native
 * sequence is found by its name, too, and by the file of that sequence: see
 * cache.c and file_index.c for why. The databases of the entries lie in an
 * array of their own, without gaps. So to look through all cells for the
 * entries of a database is fast, and can be done in portions.
 *
 * Links are numbers of cells: they take half the room of pointers. An entry is
 * named by the number of its first cell.
 *
 * Locking rules: the caller holds the lock of the cache's header, shared to
 * read and exclusively to change anything. A key is in a slot or here, never in
 * both: it moves under that lock, held exclusively. Nothing here raises an
 * error.
 */
#include "postgres.h"

#include "common/hashfn.h"
#include "storage/shmem.h"

#include "common/guc.h"
#include "shmem/cache_databases.h"
#include "shmem/idle_cells.h"

/* This many cells share a list by which native sequences are found. */
#define IDGEN_CELLS_PER_LIST 4

/*
 * An entry counts with at most this many ids in the sum over all, so that this
 * cannot overflow.
 */
#define IDGEN_COUNTED_IDS (PG_INT64_MAX / IDGEN_MAX_IDLE_SEQUENCES)

/* The header's lock protects what changes. */
typedef struct IdgenSecondLevel
{
	IdgenCells cells;
	struct IdgenDatabases *databases; /* where entries are counted; fixed */
	int nlists;                       /* fixed */
	uint32 *by_key;                   /* first entry of each chain; as many as cells; fixed, as
	                  * where the other two are */
	uint32 *by_name;                  /* first entry of each list */
	uint32 *by_file;                  /* likewise */
	uint32 newest;
	uint32 oldest;
	int nentries;
	int64 ids; /* that they hold; see IDGEN_COUNTED_IDS */
} IdgenSecondLevel;

/*
 * Memory
 */

static int
count_lists(int ncells)
{
	return (ncells - 1) / IDGEN_CELLS_PER_LIST + 1;
}

/* The shared memory for that many cells, at least one. */
Size
idgen_second_level_size(int ncells)
{
	Size size = sizeof(IdgenSecondLevel) + PG_CACHE_LINE_SIZE;

	size = add_size(size, mul_size(ncells, sizeof(IdgenCell) + sizeof(Oid) + sizeof(uint32)));
	return add_size(size, mul_size(count_lists(ncells), 2 * sizeof(uint32)));
}

static void
init_lists(uint32 *first, int n)
{
	for (int i = 0; i < n; i++)
		first[i] = IDGEN_NO_CELL;
}

/* Initialize memory of that size. Entries are counted by database. */
void
idgen_second_level_init(IdgenSecondLevel *level, int ncells, struct IdgenDatabases *databases)
{
	memset(level, 0, sizeof(IdgenSecondLevel));
	level->databases = databases;
	level->nlists = count_lists(ncells);
	level->cells.ncells = ncells;
	level->cells.cells = (IdgenCell *) CACHELINEALIGN((char *) level + sizeof(IdgenSecondLevel));
	level->cells.owners = (Oid *) (level->cells.cells + ncells);
	level->by_key = (uint32 *) (level->cells.owners + ncells);
	level->by_name = level->by_key + ncells;
	level->by_file = level->by_name + level->nlists;

	idgen_cells_init(&level->cells);
	init_lists(level->by_key, ncells);
	init_lists(level->by_name, level->nlists);
	init_lists(level->by_file, level->nlists);
	level->newest = level->oldest = IDGEN_NO_CELL;
}

/*
 * Lists
 */

static IdgenIdleLinks *
age_links(const IdgenSecondLevel *level, uint32 entry)
{
	return &idgen_idle_head(&level->cells, entry)->by_age;
}

static IdgenIdleLinks *
name_links(const IdgenSecondLevel *level, uint32 entry)
{
	return &idgen_idle_object(&level->cells, entry)->by_name;
}

static IdgenIdleLinks *
file_links(const IdgenSecondLevel *level, uint32 entry)
{
	return &idgen_idle_object(&level->cells, entry)->by_file;
}

/* What finds the links of an entry, for one kind of list. */
typedef IdgenIdleLinks *(*LinksOf)(const IdgenSecondLevel *level, uint32 entry);

static void
link_first(const IdgenSecondLevel *level, uint32 *first, LinksOf links_of, uint32 entry)
{
	*links_of(level, entry) = (IdgenIdleLinks){.next = *first, .prev = IDGEN_NO_CELL};
	if (*first != IDGEN_NO_CELL)
		links_of(level, *first)->prev = entry;
	*first = entry;
}

static void
unlink_from(const IdgenSecondLevel *level, uint32 *first, LinksOf links_of, uint32 entry)
{
	const IdgenIdleLinks *links = links_of(level, entry);

	if (links->prev != IDGEN_NO_CELL)
		links_of(level, links->prev)->next = links->next;
	else
		*first = links->next;
	if (links->next != IDGEN_NO_CELL)
		links_of(level, links->next)->prev = links->prev;
}

static uint32 *
key_chain(const IdgenSecondLevel *level, const IdgenCacheKey *key)
{
	return &level->by_key[idgen_key_hash(key, sizeof(IdgenCacheKey)) % level->cells.ncells];
}

static uint32 *
name_list(const IdgenSecondLevel *level, uint32 name)
{
	return &level->by_name[name % level->nlists];
}

static uint32 *
file_list(const IdgenSecondLevel *level, Oid dbid, RelFileNumber file)
{
	return &level->by_file[hash_bytes_uint32(dbid ^ file) % level->nlists];
}

/* Put an entry at the young end of the list of ages. */
static void
link_newest(IdgenSecondLevel *level, uint32 entry)
{
	link_first(level, &level->newest, age_links, entry);
	if (level->oldest == IDGEN_NO_CELL)
		level->oldest = entry;
}

/* Put an entry at its old end. */
static void
link_oldest(IdgenSecondLevel *level, uint32 entry)
{
	*age_links(level, entry) = (IdgenIdleLinks){.next = IDGEN_NO_CELL, .prev = level->oldest};
	if (level->oldest != IDGEN_NO_CELL)
		age_links(level, level->oldest)->next = entry;
	else
		level->newest = entry;
	level->oldest = entry;
}

static void
unlink_by_age(IdgenSecondLevel *level, uint32 entry)
{
	if (level->oldest == entry)
		level->oldest = age_links(level, entry)->prev;
	unlink_from(level, &level->newest, age_links, entry);
}

/*
 * Entries
 */

/*
 * Make the entry of a key that has none, for which there is room. The caller
 * puts it on the list of ages.
 */
static uint32
add_entry(IdgenSecondLevel *level, const IdgenCacheKey *key, const IdgenIdle *idle)
{
	uint32 entry = idgen_cells_fill(&level->cells, key, idle);
	uint32 *chain = key_chain(level, key);

	idgen_idle_head(&level->cells, entry)->next = *chain;
	*chain = entry;
	if (OidIsValid(key->object))
	{
		link_first(level, name_list(level, idgen_key_hash_name(key)), name_links, entry);
		if (idle->file != InvalidRelFileNumber)
			link_first(level, file_list(level, key->dbid, idle->file), file_links, entry);
	}
	level->nentries++;
	idgen_databases_count(level->databases, key->dbid, 1);
	level->ids += Min(idgen_idle_ids(idle), IDGEN_COUNTED_IDS);
	return entry;
}

/* Remove an entry; sets what it held. */
static void
remove_entry(IdgenSecondLevel *level, uint32 entry, IdgenIdle *idle)
{
	char name[IDGEN_NAME_BYTES];
	IdgenCacheKey key;
	uint32 *chain;

	idgen_cells_read(&level->cells, entry, &key, name, idle);
	for (chain = key_chain(level, &key); *chain != entry;)
		chain = &idgen_idle_head(&level->cells, *chain)->next;
	*chain = idgen_idle_head(&level->cells, entry)->next;
	if (OidIsValid(key.object))
	{
		unlink_from(level, name_list(level, idgen_key_hash_name(&key)), name_links, entry);
		if (idle->file != InvalidRelFileNumber)
			unlink_from(level, file_list(level, key.dbid, idle->file), file_links, entry);
	}
	unlink_by_age(level, entry);
	idgen_cells_free(&level->cells, entry);
	level->nentries--;
	idgen_databases_count(level->databases, key.dbid, -1);
	level->ids -= Min(idgen_idle_ids(idle), IDGEN_COUNTED_IDS);
}

/* The entry of a key; IDGEN_NO_CELL if there is none. */
static uint32
find_entry(const IdgenSecondLevel *level, const IdgenCacheKey *key)
{
	uint32 entry = level->nentries > 0 ? *key_chain(level, key) : IDGEN_NO_CELL;
	char name[IDGEN_NAME_BYTES];
	IdgenCacheKey found;

	for (; entry != IDGEN_NO_CELL; entry = idgen_idle_head(&level->cells, entry)->next)
	{
		idgen_cells_key(&level->cells, entry, &found, name);
		if (idgen_key_compare(&found, key, sizeof(IdgenCacheKey)) == 0)
			break;
	}
	return entry;
}

/* Is there an entry of that key? */
bool
idgen_second_level_has(const IdgenSecondLevel *level, const IdgenCacheKey *key)
{
	return find_entry(level, key) != IDGEN_NO_CELL;
}

/* What the entry of a key holds; false if there is none. */
bool
idgen_second_level_read(const IdgenSecondLevel *level, const IdgenCacheKey *key, IdgenIdle *idle)
{
	uint32 entry = find_entry(level, key);
	char name[IDGEN_NAME_BYTES];
	IdgenCacheKey found;

	if (entry == IDGEN_NO_CELL)
		return false;
	idgen_cells_read(&level->cells, entry, &found, name, idle);
	return true;
}

/* The same, and the entry is removed: what it held belongs to the caller. */
bool
idgen_second_level_take(IdgenSecondLevel *level, const IdgenCacheKey *key, IdgenIdle *idle)
{
	uint32 entry = find_entry(level, key);

	if (entry == IDGEN_NO_CELL)
		return false;
	remove_entry(level, entry, idle);
	return true;
}

/*
 * Keep what an id sequence has that has no entry. The oldest entries give way,
 * if that is necessary. Returns the number of ids that are lost: theirs, or its
 * own if there are too few cells at all.
 */
int64
idgen_second_level_put(IdgenSecondLevel *level, const IdgenCacheKey *key, const IdgenIdle *idle)
{
	int needed = idgen_cells_needed(key, idle);
	int64 lost = 0;

	if (needed > level->cells.ncells)
		return idgen_idle_ids(idle);
	while (level->cells.nfree < needed)
		lost = idgen_add_saturating(lost, idgen_second_level_remove_at(level, (int) level->oldest));
	link_newest(level, add_entry(level, key, idle));
	return lost;
}

/*
 * The same, as the oldest entry, and only if no other one has to give way for
 * it; else returns false.
 */
bool
idgen_second_level_put_oldest(IdgenSecondLevel *level, const IdgenCacheKey *key, const IdgenIdle *idle)
{
	if (level->cells.nfree < idgen_cells_needed(key, idle))
		return false;
	link_oldest(level, add_entry(level, key, idle));
	return true;
}

/*
 * The entries of native sequences
 */

/*
 * An entry of a native sequence with a name of that hash value, see
 * idgen_key_hash_name(); IDGEN_NO_CELL if there is none.
 */
static uint32
find_name(const IdgenSecondLevel *level, uint32 name)
{
	uint32 entry = *name_list(level, name);
	char buffer[IDGEN_NAME_BYTES];
	IdgenCacheKey key;

	for (; entry != IDGEN_NO_CELL; entry = name_links(level, entry)->next)
	{
		idgen_cells_key(&level->cells, entry, &key, buffer);
		if (idgen_key_hash_name(&key) == name)
			break;
	}
	return entry;
}

/* Is there an entry of a native sequence with a name of that hash value? */
bool
idgen_second_level_has_name(const IdgenSecondLevel *level, uint32 name)
{
	return find_name(level, name) != IDGEN_NO_CELL;
}

/* Remove these entries. Returns the number of their ids. */
int64
idgen_second_level_remove_name(IdgenSecondLevel *level, uint32 name)
{
	int64 ids = 0;
	uint32 entry;

	while ((entry = find_name(level, name)) != IDGEN_NO_CELL)
		ids = idgen_add_saturating(ids, idgen_second_level_remove_at(level, (int) entry));
	return ids;
}

/* An entry that holds ids of that file; IDGEN_NO_CELL if there is none. */
static uint32
find_file(const IdgenSecondLevel *level, const RelFileLocator *file)
{
	uint32 entry = *file_list(level, file->dbOid, file->relNumber);

	while (entry != IDGEN_NO_CELL &&
	       (level->cells.owners[entry] != file->dbOid ||
	        idgen_idle_object(&level->cells, entry)->file != file->relNumber))
		entry = file_links(level, entry)->next;
	return entry;
}

/* Is there an entry that holds ids of that file? */
bool
idgen_second_level_has_file(const IdgenSecondLevel *level, const RelFileLocator *file)
{
	return find_file(level, file) != IDGEN_NO_CELL;
}

/* Remove these entries. Returns the number of their ids. */
int64
idgen_second_level_remove_file(IdgenSecondLevel *level, const RelFileLocator *file)
{
	int64 ids = 0;
	uint32 entry;

	while ((entry = find_file(level, file)) != IDGEN_NO_CELL)
		ids = idgen_add_saturating(ids, idgen_second_level_remove_at(level, (int) entry));
	return ids;
}

/*
 * All entries, or those of a database, in portions
 */

/* The number of cells: entries have numbers from 0 to below that. */
int
idgen_second_level_cells(const IdgenSecondLevel *level)
{
	return level->cells.ncells;
}

/*
 * The first entry of that database, or of any if that is invalid, with a number
 * of "from" to below "end"; "end" if there is none.
 */
int
idgen_second_level_find(const IdgenSecondLevel *level, int from, int end, Oid dbid)
{
	const Oid *owners = level->cells.owners;
	int entry = from;

	while (entry < end && (OidIsValid(dbid) ? owners[entry] != dbid : !OidIsValid(owners[entry])))
		entry++;
	return entry;
}

/*
 * The key of an entry, and what it holds. The name is put into "name", where
 * there are IDGEN_NAME_BYTES.
 */
void
idgen_second_level_read_at(const IdgenSecondLevel *level, int entry,
                           IdgenCacheKey *key, char *name, IdgenIdle *idle)
{
	idgen_cells_read(&level->cells, (uint32) entry, key, name, idle);
}

/* Remove an entry. Returns the number of its ids. */
int64
idgen_second_level_remove_at(IdgenSecondLevel *level, int entry)
{
	IdgenIdle idle;

	remove_entry(level, (uint32) entry, &idle);
	return idgen_idle_ids(&idle);
}

/* The next older entry than that, or the newest if that is -1; -1 if none. */
int
idgen_second_level_older(const IdgenSecondLevel *level, int entry)
{
	uint32 older = entry < 0 ? level->newest : age_links(level, (uint32) entry)->next;

	return older != IDGEN_NO_CELL ? (int) older : -1;
}

/*
 * Totals
 */

int
idgen_second_level_entries(const IdgenSecondLevel *level)
{
	return level->nentries;
}

/* The number of ids that all entries hold, or less if they hold very many. */
int64
idgen_second_level_ids(const IdgenSecondLevel *level)
{
	return level->ids;
}
