/*
 * messages.h
 *		What users are told of an id sequence, whatever its source.
 */
#ifndef IDGEN_MESSAGES_H
#define IDGEN_MESSAGES_H

#include "session/handle.h"

extern bool idgen_is_possible_name(const char *name);
pg_noreturn extern void idgen_no_such_sequence(Oid relid, const char *name, const IdgenSource *asked);
pg_noreturn extern void idgen_not_made_yet(Oid relid, const char *name, const char *parent);
extern void idgen_refill_context_push(const char *name, ErrorContextCallback *context);
extern void idgen_warn_low(const IdgenHandle *handle, const IdgenRangeLeft *left);

#endif /* IDGEN_MESSAGES_H */
