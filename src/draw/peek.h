/*
 * peek.h
 *		Which id comes next, without taking it.
 */
#ifndef IDGEN_PEEK_H
#define IDGEN_PEEK_H

#include "session/call.h"
#include "session/handle.h"

extern int64 idgen_peek_next(IdgenHandle *handle, IdgenCall *call);

#endif /* IDGEN_PEEK_H */
