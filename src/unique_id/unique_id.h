/*
 * unique_id.h
 *		Time-ordered ids: bigints and UUIDs.
 */
#ifndef IDGEN_UNIQUE_ID_H
#define IDGEN_UNIQUE_ID_H

#include "datatype/timestamp.h"
#include "utils/uuid.h"

/* What an id that is a bigint is composed of. */
typedef struct IdgenUniqueIdParts
{
	TimestampTz created_at; /* whole milliseconds */
	int node;
	int counter;
} IdgenUniqueIdParts;

extern void idgen_unique_request_shmem(void);
extern void idgen_unique_startup_shmem(void);

extern int64 idgen_unique_id_draw(void);
extern IdgenUniqueIdParts idgen_unique_id_take_apart(int64 id);
extern int64 idgen_unique_id_first_of(TimestampTz timestamp);
extern TimestampTz idgen_unique_id_last_time(TimestampTz clock);
extern void idgen_unique_id_begin_after(TimestampTz timestamp);

extern pg_uuid_t idgen_unique_uuid_draw(void);
extern bool idgen_unique_uuid_time(const pg_uuid_t *uuid, TimestampTz *timestamp);
extern pg_uuid_t idgen_unique_uuid_first_of(TimestampTz timestamp);

#endif /* IDGEN_UNIQUE_ID_H */
