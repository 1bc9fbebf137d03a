/*
 * subxact.h
 *		Trying something that may fail.
 */
#ifndef IDGEN_SUBXACT_H
#define IDGEN_SUBXACT_H

extern ErrorData *idgen_try(void (*action)(void *arg), void *arg, int sqlerrcode);

#endif /* IDGEN_SUBXACT_H */
