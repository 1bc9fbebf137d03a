/*
 * desk.h
 *		Where sessions ask workers to refill.
 */
#ifndef IDGEN_DESK_H
#define IDGEN_DESK_H

#include "storage/condition_variable.h"

#include "cache/slot.h"

/*
 * There is one worker for a database, and one for each foreign server whose ids
 * are drawn there. The latter is named by the OID of the server, the former by
 * InvalidOid.
 */

/* What is known of a worker; see the head of desk.c. */
typedef enum IdgenWorkerState
{
	IDGEN_WORKER_NONE,     /* there is none, and none is being started */
	IDGEN_WORKER_STARTING, /* the server has been asked to start one */
	IDGEN_WORKER_RUNNING,  /* it has enrolled */
} IdgenWorkerState;

/* What has failed. */
typedef enum IdgenFailureOf
{
	IDGEN_FAILURE_OF_REFILL, /* the refill of one id sequence */
	IDGEN_FAILURE_OF_SERVER, /* of many, as another server cannot be reached */
	IDGEN_FAILURE_OF_WORKER, /* the worker: all that it was asked for */
} IdgenFailureOf;

/*
 * Why a worker could not refill. Texts may be cut, and all but the message may
 * be empty.
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

/* What a session asks for. */
typedef struct IdgenAsk
{
	bool awaited;   /* does it wait for that? Else it asks ahead of need */
	int64 range;    /* consecutive ids that it wants, 0 if any will do */
	int64 bulk_ids; /* a bulk load could use this many at once; or 0 */
} IdgenAsk;

/* What a session has asked for. */
typedef struct IdgenTicket
{
	uint32 place;
	uint64 serial; /* of the request; 0 if there was no place */
	bool joined;   /* had the worker begun with it already? */
} IdgenTicket;

/* What has become of that. */
typedef enum IdgenTicketState
{
	IDGEN_TICKET_AWAITED, /* it is not over */
	IDGEN_TICKET_OVER,    /* look again at the slot, or the row */
	IDGEN_TICKET_FAILED,  /* raise the failure */
} IdgenTicketState;

/* What a worker is to do: refill an id sequence. */
typedef struct IdgenTask
{
	uint32 place; /* of the request */
	uint64 serial;
	IdgenCacheKey key;
	char name[IDGEN_NAME_BYTES];
	bool awaited;    /* does a session wait, or has one waited? */
	int64 range;     /* at least this many consecutive ids, unless 0 */
	int64 bulk_ids;  /* or as many ids as a bulk load could use at once, if that is more */
	uint32 asked_ms; /* when it was requested, as idgen_clock_ms() says */
	int64 nblocks;   /* blocks to allocate; the worker sets this and what follows */
	bool is_empty;   /* is no id left at all? */
	int failed_with; /* the SQLSTATE of the refill before; 0 = it has not failed */
	TimestampTz begun_at;
} IdgenTask;

extern void idgen_desk_request_shmem(void);
extern void idgen_desk_startup_shmem(void);

/* What sessions do */
extern bool idgen_desk_ask(const IdgenCacheKey *key, Oid serverid, const char *name,
                           const IdgenAsk *ask, IdgenTicket *ticket);
extern IdgenTicketState idgen_desk_look(IdgenTicket *ticket, int64 count,
                                        IdgenFailure *failure, bool *row_locked);
extern ConditionVariable *idgen_desk_done(const IdgenTicket *ticket);
extern bool idgen_desk_is_asked(const IdgenCacheKey *key);
extern IdgenWorkerState idgen_desk_wake(Oid serverid);
extern IdgenWorkerState idgen_desk_worker(Oid serverid);
extern bool idgen_desk_refused(void);
extern void idgen_desk_stop_workers(Oid dbid);
extern void idgen_desk_read_failure(const IdgenFailureNote *note, IdgenFailure *failure);

/* What a worker does */
extern bool idgen_desk_enrol(Oid dbid, Oid serverid);
extern bool idgen_desk_is_worker(void);
extern Oid idgen_desk_own_server(void);
extern bool idgen_desk_take(bool awaited, IdgenTask *task);
extern bool idgen_desk_has_waiters(const IdgenTask *task);
extern void idgen_desk_note_row(const IdgenTask *task, bool locked);
extern void idgen_desk_end(const IdgenTask *task, const IdgenFailure *failure, IdgenFailureNote *note);
extern void idgen_desk_abandon(const IdgenFailure *failure);
extern bool idgen_desk_leave_if_idle(void);
extern void idgen_desk_leave(void);

#endif /* IDGEN_DESK_H */
