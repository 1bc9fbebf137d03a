/*
 * failure.h
 *		What sessions are told of a refill that has failed.
 */
#ifndef IDGEN_FAILURE_H
#define IDGEN_FAILURE_H

#include "shmem/desk.h"

extern void idgen_failure_set(IdgenFailure *failure, const ErrorData *error, int64 count);

#endif /* IDGEN_FAILURE_H */
