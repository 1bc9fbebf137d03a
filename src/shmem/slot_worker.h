/*
 * slot_worker.h
 *		A slot that the worker refills.
 */
#ifndef IDGEN_SLOT_WORKER_H
#define IDGEN_SLOT_WORKER_H

#include "shmem/slot_draw.h"
#include "shmem/slot_publish.h"

struct IdgenTask;

/*
 * What a transaction has had the worker refill so far: how a bulk load is told
 * from others. All zero at first.
 */
typedef struct IdgenServed
{
	int64 refills;  /* that it has requested */
	int64 ids;      /* that it has drawn in between, as far as it knows */
	uint64 attempt; /* of the worker, that it requested last */
	int64 issued;   /* ids that the slot had issued then */
} IdgenServed;

/* What has become of the worker's attempt that a session waits for. */
typedef enum IdgenAttemptState
{
	IDGEN_ATTEMPT_AWAITED, /* it is not over */
	IDGEN_ATTEMPT_OVER,    /* look again at the slot, or the row */
	IDGEN_ATTEMPT_FAILED,  /* raise the failure */
} IdgenAttemptState;

/* What sessions do */
extern IdgenDrawAnswer idgen_slot_draw_served(IdgenSlot *slot, uint64 version, int64 count,
                                              IdgenPassed *passed, IdgenServed *served,
                                              IdgenDrawResult *result);
extern void idgen_slot_withdraw_request(IdgenSlot *slot, uint64 version);
extern void idgen_slot_count_wait(IdgenSlot *slot, uint64 version);
extern TransactionId idgen_slot_read_claim(IdgenSlot *slot, uint64 version);
extern IdgenAttemptState idgen_slot_look_at_attempt(IdgenSlot *slot, uint64 version,
                                                    int64 count, uint64 attempt,
                                                    IdgenFailure *failure, bool *row_locked);

/* What the worker does */
extern void idgen_slot_begin_attempt(IdgenSlot *slot, struct IdgenTask *task);
extern void idgen_slot_end_attempt(IdgenSlot *slot, uint64 attempt,
                                   const IdgenOutcome *outcome, const IdgenFailure *failure);
extern void idgen_slot_abandon_attempt(IdgenSlot *slot, const IdgenFailure *failure);

#endif /* IDGEN_SLOT_WORKER_H */
