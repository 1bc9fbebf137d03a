/*
 * native_restart.h
 *		Having a native sequence go on elsewhere: at an id, or behind ids that
 *		are in use.
 */
#ifndef IDGEN_NATIVE_RESTART_H
#define IDGEN_NATIVE_RESTART_H

#include "catalog/source.h"

extern IdgenSourceResult idgen_native_restart(IdgenHandle *handle, int64 start);
extern IdgenSourceResult idgen_native_advance(IdgenHandle *handle, const IdgenIdsFound *found,
                                              IdgenMove *move);

#endif /* IDGEN_NATIVE_RESTART_H */
