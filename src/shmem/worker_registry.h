/*
 * worker_registry.h
 *		Which databases have a refill worker.
 */
#ifndef IDGEN_WORKER_REGISTRY_H
#define IDGEN_WORKER_REGISTRY_H

extern void idgen_registry_request_shmem(void);
extern void idgen_registry_startup_shmem(void);

extern bool idgen_registry_wake(Oid dbid);
extern void idgen_registry_stop(Oid dbid);
extern bool idgen_registry_enrol(Oid dbid);
extern bool idgen_registry_enrolled(Oid dbid);
extern void idgen_registry_leave(Oid dbid);

#endif /* IDGEN_WORKER_REGISTRY_H */
