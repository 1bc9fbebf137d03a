/*
 * unique_id.h
 *		Time-ordered ids.
 */
#ifndef IDGEN_UNIQUE_ID_H
#define IDGEN_UNIQUE_ID_H

#include "datatype/timestamp.h"

/* What an id is composed of. */
typedef struct IdgenUniqueIdParts
{
	TimestampTz created_at; /* whole milliseconds */
	int node;
	int counter;
} IdgenUniqueIdParts;

extern void idgen_unique_id_request_shmem(void);
extern void idgen_unique_id_startup_shmem(void);

extern int64 idgen_unique_id_draw(void);
extern IdgenUniqueIdParts idgen_unique_id_take_apart(int64 id);

#endif /* IDGEN_UNIQUE_ID_H */
