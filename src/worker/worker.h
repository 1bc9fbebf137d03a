/*
 * worker.h
 *		The worker.
 */
#ifndef IDGEN_WORKER_H
#define IDGEN_WORKER_H

#include "common/compat.h"

/*
 * Started by cache/desk.c and node/lease.c, by this name; the argument is the
 * OID of the database, or invalid for the worker that leases the node number.
 */
extern PGDLLEXPORT void idgen_worker_main(Datum arg);

#endif /* IDGEN_WORKER_H */
