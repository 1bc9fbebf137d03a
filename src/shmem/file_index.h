/*
 * file_index.h
 *		Which slots of the cache hold ids of which relation file.
 */
#ifndef IDGEN_FILE_INDEX_H
#define IDGEN_FILE_INDEX_H

#include "lib/ilist.h"

#include "common/compat.h"

struct IdgenFileIndex;

/* A slot's place in an index. See file_index.c for what protects it. */
typedef struct IdgenFileEntry
{
	Oid dbid;           /* database of the file */
	RelFileNumber file; /* invalid = not in the index */
	dlist_node node;
} IdgenFileEntry;

extern Size idgen_file_index_size(int nbuckets);
extern void idgen_file_index_init(struct IdgenFileIndex *index, int nbuckets, int tranche);
extern void idgen_file_entry_set(IdgenFileEntry *entry, RelFileNumber file);
extern bool idgen_file_entry_is(const IdgenFileEntry *entry, const RelFileLocator *file);
extern IdgenFileEntry *idgen_file_index_find(struct IdgenFileIndex *index,
                                             const RelFileLocator *file);

#endif /* IDGEN_FILE_INDEX_H */
