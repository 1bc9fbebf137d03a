/*
 * peek.h
 *		Which id comes next, without taking it.
 */
#ifndef IDGEN_PEEK_H
#define IDGEN_PEEK_H

#include "session/call.h"
#include "session/handle.h"

extern IdgenHandle *idgen_peek_next(IdgenHandle *handle, IdgenCall *call, int64 *value);

#endif /* IDGEN_PEEK_H */
