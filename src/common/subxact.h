/*
 * subxact.h
 *		Trying something that may fail.
 */
#ifndef IDGEN_SUBXACT_H
#define IDGEN_SUBXACT_H

#include "common/compat.h"

/* In place of an SQLSTATE: any. */
#define IDGEN_TRY_ANY 0

extern ErrorData *idgen_try(void (*action)(void *arg), void *arg, int sqlerrcode);
pg_noreturn extern void idgen_rethrow(ErrorData *error);

#endif /* IDGEN_SUBXACT_H */
