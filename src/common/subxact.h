/*
 * subxact.h
 *		Trying something that may fail.
 */
#ifndef IDGEN_SUBXACT_H
#define IDGEN_SUBXACT_H

/* In place of an SQLSTATE: any. */
#define IDGEN_TRY_ANY 0

extern ErrorData *idgen_try(void (*action)(void *arg), void *arg, int sqlerrcode);
extern void idgen_rethrow(ErrorData *error) pg_attribute_noreturn();

#endif /* IDGEN_SUBXACT_H */
