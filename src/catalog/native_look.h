/*
 * native_look.h
 *		Looking at native sequences without waiting.
 */
#ifndef IDGEN_NATIVE_LOOK_H
#define IDGEN_NATIVE_LOOK_H

#include "catalog/native_sequence.h"

extern Oid idgen_native_look_up(const char *name, const char *source_name);
extern bool idgen_native_is_named(Oid sequence, const char *name, const char *source_name);
extern bool idgen_native_look_at_state(Oid sequence, IdgenNativeState *state);

#endif /* IDGEN_NATIVE_LOOK_H */
