/*
 * unique_id.h
 *		Time-ordered ids that are bigints.
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

extern int64 idgen_unique_id_draw(void);
extern IdgenUniqueIdParts idgen_unique_id_take_apart(int64 id);
extern int64 idgen_unique_id_first_of(TimestampTz timestamp);
extern uint64 idgen_unique_id_last_of(int64 time);
extern int64 idgen_unique_id_time(uint64 id);
extern TimestampTz idgen_unique_id_last_time(TimestampTz clock);
extern void idgen_unique_id_begin_after(TimestampTz timestamp);

#endif /* IDGEN_UNIQUE_ID_H */
