/*
 * failure_pool.h
 *		Why the worker could not refill: what sessions are told.
 */
#ifndef IDGEN_FAILURE_POOL_H
#define IDGEN_FAILURE_POOL_H

/* What has failed. */
typedef enum IdgenFailureOf
{
	IDGEN_FAILURE_OF_REFILL, /* the refill of one id sequence */
	IDGEN_FAILURE_OF_SERVER, /* of many, as another server cannot be reached */
	IDGEN_FAILURE_OF_WORKER, /* the worker: all that it was asked for */
} IdgenFailureOf;

/*
 * Why the worker could not refill. Texts may be cut, and all but the message
 * may be empty.
 */
typedef struct IdgenFailure
{
	int sqlerrcode; /* 0 = it could */
	IdgenFailureOf of;
	int64 count; /* it concerns calls that want at least this many consecutive ids */
	char message[256];
	char detail[384];
	char hint[160];
	char context[96];
} IdgenFailure;

/* What a slot keeps of a failure; the texts are in the pool. */
typedef struct IdgenFailureNote
{
	int64 count;    /* as in IdgenFailure, with sqlerrcode */
	int sqlerrcode; /* 0 = no failure */
	uint32 in_pool; /* the number under which the pool has it; 0 = it has not */
} IdgenFailureNote;

extern Size idgen_failure_pool_size(void);
extern void idgen_failure_pool_startup_shmem(int tranche);
extern void idgen_failure_keep(IdgenFailureNote *note, const IdgenFailure *failure,
                               int readers);
extern void idgen_failure_read(const IdgenFailureNote *note, IdgenFailure *failure);

#endif /* IDGEN_FAILURE_POOL_H */
