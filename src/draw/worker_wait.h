/*
 * worker_wait.h
 *		Waiting for the worker.
 */
#ifndef IDGEN_WORKER_WAIT_H
#define IDGEN_WORKER_WAIT_H

#include "session/call.h"
#include "session/handle.h"

/* How a wait for the worker ends. */
typedef enum IdgenWorkerWaitEnd
{
	IDGEN_WAIT_OVER,        /* look again at the slot, or the row */
	IDGEN_WAIT_FAILED,      /* the attempt has failed */
	IDGEN_WAIT_TIMED_OUT,   /* it has lasted long enough; see patience() */
	IDGEN_WAIT_NOT_STARTED, /* likewise, and a worker has not even started */
	IDGEN_WAIT_NO_PLACE,    /* the server has no place for a worker */
	IDGEN_WAIT_HELD,        /* not an answer: another transaction holds the row */
} IdgenWorkerWaitEnd;

/* What else is known when a wait has ended. */
typedef struct IdgenWorkerNews
{
	IdgenFailure failure; /* if the attempt has failed */
	bool row_locked;      /* as idgen_slot_look_at_attempt() says */
	bool counted;         /* has the session been counted as one that waits? */
	TransactionId holder; /* of the row, as far as is known */
} IdgenWorkerNews;

extern IdgenWorkerWaitEnd idgen_worker_wait(const IdgenHandle *handle, IdgenCall *call,
                                            uint64 attempt, IdgenWorkerNews *news);
extern bool idgen_worker_wait_for_slot(IdgenCall *call);

#endif /* IDGEN_WORKER_WAIT_H */
