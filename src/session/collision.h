/*
 * collision.h
 *		Ids that collide: a retry after a unique violation gets other ids.
 */
#ifndef IDGEN_COLLISION_H
#define IDGEN_COLLISION_H

#include "session/handle.h"

extern void idgen_collision_watch(ErrorContextCallback *context);
extern void idgen_collision_note(IdgenHandle *handle);
extern void idgen_collision_forget(void);
extern void idgen_collision_init(void);

#endif /* IDGEN_COLLISION_H */
