/*
 * workers.h
 *		Which databases have a refill worker.
 */
#ifndef IDGEN_WORKERS_H
#define IDGEN_WORKERS_H

extern void idgen_workers_request_shmem(void);
extern void idgen_workers_startup_shmem(void);

extern bool idgen_workers_wake(Oid dbid);
extern void idgen_workers_stop(Oid dbid);
extern bool idgen_workers_enrol(Oid dbid);
extern bool idgen_workers_enrolled(Oid dbid);
extern void idgen_workers_leave(Oid dbid);

#endif /* IDGEN_WORKERS_H */
