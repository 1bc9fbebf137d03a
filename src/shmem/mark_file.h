/*
 * mark_file.h
 *		Marks on disk.
 */
#ifndef IDGEN_MARK_FILE_H
#define IDGEN_MARK_FILE_H

#include "shmem/mark_table.h"

/* What is written to one place of the file. */
typedef struct IdgenMarkWrite
{
	int32 place;
	IdgenMarkKey key; /* all zero: the place becomes free */
	IdgenMarkOnDisk disk;
} IdgenMarkWrite;

extern bool idgen_mark_file_write(const IdgenMarkWrite *writes, int nwrites, int elevel);
extern void idgen_mark_file_read(IdgenMarkTable *table);

#endif /* IDGEN_MARK_FILE_H */
