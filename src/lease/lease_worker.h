/*
 * lease_worker.h
 *		The process that leases the node number.
 */
#ifndef IDGEN_LEASE_WORKER_H
#define IDGEN_LEASE_WORKER_H

#include "common/compat.h"

/* Started by node/lease.c, by this name; the argument does not count. */
extern PGDLLEXPORT void idgen_lease_main(Datum arg);

#endif /* IDGEN_LEASE_WORKER_H */
