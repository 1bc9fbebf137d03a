/*
 * unique_id.h
 *		Time-ordered ids: bigints and UUIDs.
 */
#ifndef IDGEN_UNIQUE_ID_H
#define IDGEN_UNIQUE_ID_H

#include "datatype/timestamp.h"

extern void idgen_unique_request_shmem(void);
extern void idgen_unique_startup_shmem(void);

extern TimestampTz idgen_unique_id_last_time(TimestampTz clock);
extern void idgen_unique_id_begin_after(TimestampTz timestamp);

#endif /* IDGEN_UNIQUE_ID_H */
