/*
 * idle_cells.c
 *		The cells of the second level, and how an entry lies in them.
 *
 * The bytes of an entry go on from its first cell to the last one. In each cell
 * but the first they begin behind the number of the next one; in the first they
 * begin with the head of the entry, in which that number comes first as well.
 *
 * Locking rules: those of second_level.c.
 */
#include "postgres.h"

#include "shmem/idle_cells.h"

/* A block, as an entry holds it. */
typedef struct Packed
{
	int64 next;
	int64 left; /* negative if the ids descend */
} Packed;

/* A place among the bytes of an entry. */
typedef struct Place
{
	IdgenCell *cells;
	uint32 cell;
	Size offset; /* in the cell */
} Place;

/* Make all cells free. */
void
idgen_cells_init(IdgenCells *cells)
{
	for (int i = 0; i < cells->ncells; i++)
	{
		cells->owners[i] = InvalidOid;
		cells->cells[i].more = i + 1 < cells->ncells ? (uint32) i + 1 : IDGEN_NO_CELL;
	}
	cells->nfree = cells->ncells;
	cells->free = 0;
}

/* Take cells that are free, chained; returns the first one. */
static uint32
take_cells(IdgenCells *cells, int n)
{
	uint32 first = cells->free;
	uint32 last = first;

	Assert(n > 0 && n <= cells->nfree);
	for (int i = 1; i < n; i++)
		last = cells->cells[last].more;
	cells->free = cells->cells[last].more;
	cells->cells[last].more = IDGEN_NO_CELL;
	cells->nfree -= n;
	return first;
}

/* There is no entry any more: its cells are free. */
void
idgen_cells_free(IdgenCells *cells, uint32 entry)
{
	uint32 last = entry;

	cells->owners[entry] = InvalidOid;
	cells->nfree++;
	while (cells->cells[last].more != IDGEN_NO_CELL)
	{
		last = cells->cells[last].more;
		cells->nfree++;
	}
	cells->cells[last].more = cells->free;
	cells->free = entry;
}

/* The next bytes that lie together, at most "size"; sets their number. */
static char *
next_bytes(Place *place, Size size, Size *n)
{
	char *at;

	if (place->offset == IDGEN_CELL_BYTES)
	{
		place->cell = place->cells[place->cell].more;
		place->offset = sizeof(uint32);
	}
	at = place->cells[place->cell].bytes + place->offset;
	*n = Min(size, IDGEN_CELL_BYTES - place->offset);
	place->offset += *n;
	return at;
}

static void
get(Place *place, void *to, Size size)
{
	Size n;

	for (; size > 0; size -= n, to = (char *) to + n)
	{
		const char *from = next_bytes(place, size, &n);

		memcpy(to, from, n);
	}
}

static void
put(Place *place, const void *from, Size size)
{
	Size n;

	for (; size > 0; size -= n, from = (const char *) from + n)
	{
		char *to = next_bytes(place, size, &n);

		memcpy(to, from, n);
	}
}

static void
put_block(Place *place, const IdgenBlock *block)
{
	Packed packed = {block->next, block->step > 0 ? block->left : -block->left};

	put(place, &packed, sizeof(packed));
}

static IdgenBlock
get_block(Place *place)
{
	Packed packed;

	get(place, &packed, sizeof(packed));
	if (packed.left > 0)
		return (IdgenBlock){packed.next, packed.left, 1};
	return (IdgenBlock){packed.next, -packed.left, -1};
}

/* Where the name of an entry begins, in its first cell. */
static Size
name_offset(bool has_object)
{
	return has_object ? sizeof(IdgenIdleHead) + sizeof(IdgenIdleObject) : sizeof(IdgenIdleHead);
}

/* How many cells would the entry take? */
int
idgen_cells_needed(const IdgenCacheKey *key, const IdgenIdle *idle)
{
	Size size = name_offset(OidIsValid(key->object)) + key->namelen + idle->nblocks * sizeof(Packed);
	Size in_others = IDGEN_CELL_BYTES - sizeof(uint32);

	if (size <= IDGEN_CELL_BYTES)
		return 1;
	return 1 + (int) ((size - IDGEN_CELL_BYTES + in_others - 1) / in_others);
}

/*
 * Make an entry, of as many cells as needed, which must be free. Returns the
 * first one. What the links are is left to the caller.
 */
uint32
idgen_cells_fill(IdgenCells *cells, const IdgenCacheKey *key, const IdgenIdle *idle)
{
	uint32 entry = take_cells(cells, idgen_cells_needed(key, idle));
	IdgenIdleHead *head = idgen_idle_head(cells, entry);
	Place place = {cells->cells, entry, name_offset(OidIsValid(key->object))};

	cells->owners[entry] = key->dbid;
	head->relid = key->relid;
	head->origin = idle->origin;
	head->dropped_at = idle->dropped_at;
	head->namelen = key->namelen;
	head->nblocks = idle->nblocks;
	head->warned_percent = idle->warned_percent;
	head->lost_at_shutdown = idle->lost_at_shutdown;
	head->has_object = OidIsValid(key->object);
	if (head->has_object)
	{
		idgen_idle_object(cells, entry)->object = key->object;
		idgen_idle_object(cells, entry)->file = idle->file;
	}
	put(&place, key->name, key->namelen);
	for (int i = 0; i < idle->nblocks; i++)
		put_block(&place, &idle->blocks[i]);
	return entry;
}

/* The same as idgen_cells_key(); "place" is then behind the name. */
static void
get_key(const IdgenCells *cells, uint32 entry, IdgenCacheKey *key, char *name, Place *place)
{
	const IdgenIdleHead *head = idgen_idle_head(cells, entry);

	*place = (Place){cells->cells, entry, name_offset(head->has_object)};
	key->dbid = cells->owners[entry];
	key->relid = head->relid;
	key->object = head->has_object ? idgen_idle_object(cells, entry)->object : InvalidOid;
	key->temporary = false;
	key->namelen = head->namelen;
	get(place, name, key->namelen);
	name[key->namelen] = '\0';
	key->name = name;
}

/*
 * The key of an entry. Its name is put into "name", where there are
 * IDGEN_NAME_BYTES.
 */
void
idgen_cells_key(const IdgenCells *cells, uint32 entry, IdgenCacheKey *key, char *name)
{
	Place place;

	get_key(cells, entry, key, name, &place);
}

/* The same, and what the entry holds. */
void
idgen_cells_read(const IdgenCells *cells, uint32 entry, IdgenCacheKey *key, char *name,
                 IdgenIdle *idle)
{
	const IdgenIdleHead *head = idgen_idle_head(cells, entry);
	Place place;

	get_key(cells, entry, key, name, &place);
	memset(idle, 0, sizeof(IdgenIdle));
	idle->nblocks = head->nblocks;
	idle->file = head->has_object ? idgen_idle_object(cells, entry)->file : InvalidRelFileNumber;
	idle->origin = head->origin;
	idle->lost_at_shutdown = head->lost_at_shutdown;
	idle->warned_percent = head->warned_percent;
	idle->dropped_at = head->dropped_at;
	for (int i = 0; i < idle->nblocks; i++)
		idle->blocks[i] = get_block(&place);
}
