/*
 * unique_uuid.h
 *		Time-ordered ids that are UUIDs.
 */
#ifndef IDGEN_UNIQUE_UUID_H
#define IDGEN_UNIQUE_UUID_H

#include "datatype/timestamp.h"
#include "utils/uuid.h"

extern pg_uuid_t idgen_unique_uuid_draw(void);
extern bool idgen_unique_uuid_has_time(const pg_uuid_t *uuid);
extern TimestampTz idgen_unique_uuid_time(const pg_uuid_t *uuid);
extern pg_uuid_t idgen_unique_uuid_first_of(TimestampTz timestamp);
extern uint64 idgen_unique_uuid_last_of(int64 time);
extern int64 idgen_unique_uuid_tick_time(uint64 tick);

#endif /* IDGEN_UNIQUE_UUID_H */
