/*
 * idle_cells.h
 *		The cells of the second level, and how an entry lies in them.
 *
 * For second_level.c only, which says what an entry is.
 */
#ifndef IDGEN_IDLE_CELLS_H
#define IDGEN_IDLE_CELLS_H

#include "shmem/second_level.h"

#define IDGEN_CELL_BYTES 96

/* In place of the number of a cell: there is none. */
#define IDGEN_NO_CELL PG_UINT32_MAX

/* What comes before and after an entry in a list. */
typedef struct IdgenIdleLinks
{
	uint32 next;
	uint32 prev;
} IdgenIdleLinks;

/* The head of an entry. */
typedef struct IdgenIdleHead
{
	uint32 more;           /* its next cell, or none */
	uint32 next;           /* the next entry in the chain of its key, or none */
	IdgenIdleLinks by_age; /* "next" is older */
	Oid relid;
	uint32 origin; /* as in IdgenIdle, with what follows */
	uint64 dropped_at;
	uint16 namelen;
	uint8 nblocks;
	uint8 warned_percent;
	bool lost_at_shutdown;
	bool has_object; /* does the part for a native sequence follow? */
} IdgenIdleHead;

/* The part for a native sequence. */
typedef struct IdgenIdleObject
{
	Oid object;
	RelFileNumber file; /* or invalid: then it is not on a list of files */
	IdgenIdleLinks by_name;
	IdgenIdleLinks by_file;
} IdgenIdleObject;

/* A cell: of an entry the first one, or one more; or free. */
typedef union IdgenCell
{
	uint32 more; /* the next cell of the entry, or the next free one; or none */
	struct
	{
		IdgenIdleHead head;
		IdgenIdleObject object;
	} first;
	char bytes[IDGEN_CELL_BYTES];
} IdgenCell;

StaticAssertDecl(sizeof(IdgenCell) == IDGEN_CELL_BYTES, "a cell is larger than it says");

/* All cells. The lock of the cache's header protects what changes. */
typedef struct IdgenCells
{
	int ncells;       /* fixed */
	Oid *owners;      /* fixed: the array of databases, of entries by their first
	                   * cells; invalid elsewhere */
	IdgenCell *cells; /* fixed: the array */
	int nfree;
	uint32 free; /* first free cell */
} IdgenCells;

static inline IdgenIdleHead *
idgen_idle_head(const IdgenCells *cells, uint32 entry)
{
	return &cells->cells[entry].first.head;
}

static inline IdgenIdleObject *
idgen_idle_object(const IdgenCells *cells, uint32 entry)
{
	Assert(idgen_idle_head(cells, entry)->has_object);
	return &cells->cells[entry].first.object;
}

extern void idgen_cells_init(IdgenCells *cells);
extern int idgen_cells_needed(const IdgenCacheKey *key, const IdgenIdle *idle);
extern uint32 idgen_cells_fill(IdgenCells *cells, const IdgenCacheKey *key, const IdgenIdle *idle);
extern void idgen_cells_key(const IdgenCells *cells, uint32 entry, IdgenCacheKey *key, char *name);
extern void idgen_cells_read(const IdgenCells *cells, uint32 entry, IdgenCacheKey *key, char *name,
                             IdgenIdle *idle);
extern void idgen_cells_free(IdgenCells *cells, uint32 entry);

#endif /* IDGEN_IDLE_CELLS_H */
