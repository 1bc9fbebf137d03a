/*
 * savepoint.h
 *		What a rollback to a savepoint restores of pending state.
 */
#ifndef IDGEN_SAVEPOINT_H
#define IDGEN_SAVEPOINT_H

#include "session/handle.h"

extern void idgen_savepoint_save(IdgenHandle *handle);
extern void idgen_savepoint_save_rest(IdgenHandle *handle);
extern void idgen_savepoint_save_left(IdgenHandle *handle);
extern void idgen_savepoint_release(void);
extern void idgen_savepoint_rollback(void);
extern void idgen_savepoint_forget_all(void);

#endif /* IDGEN_SAVEPOINT_H */
