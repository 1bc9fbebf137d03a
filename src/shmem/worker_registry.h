/*
 * worker_registry.h
 *		Which databases have a refill worker.
 */
#ifndef IDGEN_WORKER_REGISTRY_H
#define IDGEN_WORKER_REGISTRY_H

/* What is known of the worker of a database; see the head of the .c file. */
typedef enum IdgenWorkerState
{
	IDGEN_WORKER_NONE,     /* there is none, and none is being started */
	IDGEN_WORKER_STARTING, /* the server has been asked to start one */
	IDGEN_WORKER_RUNNING,  /* it has enrolled */
} IdgenWorkerState;

extern void idgen_registry_request_shmem(void);
extern void idgen_registry_startup_shmem(void);

extern IdgenWorkerState idgen_registry_look(Oid dbid);
extern IdgenWorkerState idgen_registry_wake(Oid dbid);
extern bool idgen_registry_refused(void);
extern void idgen_registry_stop(Oid dbid);
extern bool idgen_registry_enrol(Oid dbid);
extern bool idgen_registry_enrolled(Oid dbid);
extern void idgen_registry_leave(Oid dbid);

#endif /* IDGEN_WORKER_REGISTRY_H */
