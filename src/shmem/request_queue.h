/*
 * request_queue.h
 *		Which slots of the cache the worker has something to do with, in order.
 */
#ifndef IDGEN_REQUEST_QUEUE_H
#define IDGEN_REQUEST_QUEUE_H

#include "postgres_ext.h"

/* Stands for "no slot". */
#define IDGEN_NO_SLOT PG_UINT32_MAX

/* What a slot waits for. Each database has the last three. */
typedef enum IdgenRequestQueue
{
	IDGEN_QUEUE_NONE,      /* the worker has nothing to do with it */
	IDGEN_QUEUE_AWAITED,   /* a refill is requested, and sessions wait */
	IDGEN_QUEUE_AHEAD,     /* a refill is requested ahead of need */
	IDGEN_QUEUE_UNDER_WAY, /* an attempt of the worker has begun */
} IdgenRequestQueue;

extern Size idgen_request_queue_size(int nslots);
extern void idgen_request_queue_startup_shmem(int nslots, int tranche);
extern void idgen_request_queue_move(uint32 slot, Oid dbid, IdgenRequestQueue to);
extern uint32 idgen_request_queue_first(Oid dbid, IdgenRequestQueue queue);
extern uint32 idgen_request_queue_length(Oid dbid, IdgenRequestQueue queue);
extern void idgen_request_queue_wake(Oid dbid);

#endif /* IDGEN_REQUEST_QUEUE_H */
