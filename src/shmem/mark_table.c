/*
 * mark_table.c
 *		Where marks are kept in memory.
 *
 * There is room for a fixed number of marks, since each has its place in a file
 * as well. If all places are taken, a mark gives way that was not used lately:
 * a hand goes round, and takes the first one that nobody has used since it
 * passed last (the clock algorithm, as the server finds buffers). A mark that
 * gives way is forgotten.
 *
 * Locking rules: none here. Whoever calls these functions holds the table's
 * lock exclusively; to find a place, in shared mode.
 */
#include "postgres.h"

#include "common/hashfn.h"
#include "miscadmin.h"
#include "storage/shmem.h"
#include "utils/memutils.h"

#include "common/guc.h"
#include "shmem/mark_table.h"

/*
 * For a session without the library preloaded. Its lock is never waited for, as
 * those of its own cache.
 */
#define IDGEN_OWN_MARKS   64
#define IDGEN_OWN_TRANCHE LWTRANCHE_PER_SESSION_DSA

#define NO_PLACE (-1)

static IdgenMarkTable *shared_table = NULL;
static IdgenMarkTable *own_table = NULL;

/* The table, then its places, then its lists. */
static Size
places_offset(void)
{
	return MAXALIGN(sizeof(IdgenMarkTable));
}

static Size
heads_offset(int nplaces)
{
	return add_size(places_offset(), mul_size(nplaces, sizeof(IdgenMarkPlace)));
}

Size
idgen_mark_table_size(int nplaces)
{
	return add_size(heads_offset(nplaces), mul_size(nplaces, sizeof(int32)));
}

/* Put a place on the list of free ones. */
static void
free_place(IdgenMarkTable *table, IdgenMarkPlace *place)
{
	memset(place, 0, sizeof(IdgenMarkPlace));
	place->next = table->free;
	table->free = idgen_mark_number(table, place);
}

/* Put all free places on the list of free ones, the first one first. */
void
idgen_mark_table_list_free(IdgenMarkTable *table)
{
	table->free = NO_PLACE;
	for (int i = table->nplaces - 1; i >= 0; i--)
		if (!OidIsValid(table->places[i].key.dbid))
			free_place(table, &table->places[i]);
}

/* Make a table without marks, in memory of idgen_mark_table_size(). */
void
idgen_mark_table_init(IdgenMarkTable *table, int nplaces, int tranche)
{
	memset(table, 0, sizeof(IdgenMarkTable));
	LWLockInitialize(&table->lock, tranche);
	table->nplaces = nplaces;
	table->places = (IdgenMarkPlace *) ((char *) table + places_offset());
	table->heads = (int32 *) ((char *) table + heads_offset(nplaces));
	memset(table->places, 0, nplaces * sizeof(IdgenMarkPlace));
	for (int i = 0; i < nplaces; i++)
		table->heads[i] = NO_PLACE;
	idgen_mark_table_list_free(table);
}

/* The list of a key. */
static int32 *
list_of(IdgenMarkTable *table, const IdgenMarkKey *key)
{
	return &table->heads[hash_bytes((const unsigned char *) key, sizeof(IdgenMarkKey)) % table->nplaces];
}

static bool
is_of(const IdgenMarkPlace *place, const IdgenMarkKey *key)
{
	return memcmp(&place->key, key, sizeof(IdgenMarkKey)) == 0;
}

/* The place of a key; NULL if it has none. */
IdgenMarkPlace *
idgen_mark_table_find(IdgenMarkTable *table, const IdgenMarkKey *key)
{
	for (int32 i = *list_of(table, key); i != NO_PLACE; i = table->places[i].next)
		if (is_of(&table->places[i], key))
		{
			table->places[i].used = true;
			return &table->places[i];
		}
	return NULL;
}

/* Take an element off a list: the one with that number, which is on it. */
static void
unlink_place(IdgenMarkTable *table, int32 *list, int32 number)
{
	while (*list != number)
		list = &table->places[*list].next;
	*list = table->places[number].next;
}

/* Forget a mark. */
void
idgen_mark_table_remove(IdgenMarkTable *table, IdgenMarkPlace *place)
{
	unlink_place(table, list_of(table, &place->key), idgen_mark_number(table, place));
	free_place(table, place);
}

/*
 * Give that place, which is free, but not on the list of free ones, to a key
 * that has none.
 */
void
idgen_mark_table_put(IdgenMarkTable *table, int32 number, const IdgenMarkKey *key)
{
	IdgenMarkPlace *place = &table->places[number];
	int32 *list = list_of(table, key);

	memset(place, 0, sizeof(IdgenMarkPlace));
	place->key = *key;
	place->used = true;
	place->next = *list;
	*list = number;
}

/* Have a mark give way: not "keep", which may be NULL. */
static void
give_way(IdgenMarkTable *table, const IdgenMarkPlace *keep)
{
	for (;;)
	{
		IdgenMarkPlace *place = &table->places[table->hand];

		table->hand = (table->hand + 1) % table->nplaces;
		if (!place->used && place != keep)
		{
			idgen_mark_table_remove(table, place);
			return;
		}
		place->used = false;
	}
}

/* A place for a key that has none. For that, another mark but "keep" may go. */
IdgenMarkPlace *
idgen_mark_table_take(IdgenMarkTable *table, const IdgenMarkKey *key, const IdgenMarkPlace *keep)
{
	int32 number;

	if (table->free == NO_PLACE)
		give_way(table, keep);
	number = table->free;
	table->free = table->places[number].next;
	idgen_mark_table_put(table, number, key);
	return &table->places[number];
}

/*
 * The marks of this server, or of this session
 */

/* Create the table or attach to it. The caller holds AddinShmemInitLock. */
void
idgen_marks_startup_shmem(int tranche)
{
	bool found;

	shared_table = ShmemInitStruct("idgen centre marks", idgen_mark_table_size(idgen_max_centre_marks), &found);
	if (!found)
		idgen_mark_table_init(shared_table, idgen_max_centre_marks, tranche);
}

/* The marks that this process knows. */
IdgenMarkTable *
idgen_mark_table(void)
{
	if (shared_table != NULL)
		return shared_table;
	if (own_table == NULL)
	{
		own_table = MemoryContextAlloc(TopMemoryContext, idgen_mark_table_size(IDGEN_OWN_MARKS));
		idgen_mark_table_init(own_table, IDGEN_OWN_MARKS, IDGEN_OWN_TRANCHE);
	}
	return own_table;
}

/* Do all processes share them, and are they on disk? */
bool
idgen_mark_table_is_shared(void)
{
	return shared_table != NULL;
}

/* The key of an id sequence at a centre; of the centre itself if NULL. */
IdgenMarkKey
idgen_mark_key(Oid serverid, const char *name)
{
	return (IdgenMarkKey){
		.dbid = MyDatabaseId,
		.serverid = serverid,
		.name = name != NULL ? Max(hash_bytes_extended((const unsigned char *) name, strlen(name), 0), 1) : 0,
	};
}

/* A mark that is known; NULL if there is none. */
IdgenMarkPlace *
idgen_mark_find_known(IdgenMarkTable *table, Oid serverid, const char *name)
{
	IdgenMarkKey key = idgen_mark_key(serverid, name);
	IdgenMarkPlace *place = idgen_mark_table_find(table, &key);

	return place != NULL && place->known ? place : NULL;
}

/* The place of a mark. One that could not be written is of no use: NULL. */
IdgenMarkPlace *
idgen_mark_find_place(IdgenMarkTable *table, Oid serverid, const char *name)
{
	IdgenMarkKey key = idgen_mark_key(serverid, name);
	IdgenMarkPlace *place = idgen_mark_table_find(table, &key);

	if (place != NULL && !place->known)
	{
		idgen_mark_table_remove(table, place);
		place = NULL;
	}
	return place;
}
