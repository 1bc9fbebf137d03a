/*
 * native_sequence.h
 *		Native sequences: finding one, and what it says.
 */
#ifndef IDGEN_NATIVE_SEQUENCE_H
#define IDGEN_NATIVE_SEQUENCE_H

#include "access/xlogdefs.h"
#include "nodes/parsenodes.h"
#include "utils/rel.h"

#include "catalog/pooling.h"
#include "common/block.h"
#include "common/compat.h"

extern RangeVar *idgen_native_name(const char *name, const char *source_name);
extern const char *idgen_native_display(const RangeVar *name);
extern Relation idgen_native_open(const RangeVar *name, LOCKMODE lockmode);
extern void idgen_native_check(Oid relid, AclMode mode);
extern Oid idgen_native_look_up(const char *name, const char *source_name);
extern bool idgen_native_is_named(Oid sequence, const char *name, const char *source_name);
extern IdgenNativeSequence *idgen_native_describe(Relation rel, const IdgenPool *pool);
extern bool idgen_native_is_uncommitted(Relation rel);
extern RelFileNumber idgen_native_file(Oid relid);
extern bool idgen_native_is_readable(Form_pg_class class);
extern IdgenNativeState idgen_native_state(Relation rel);
extern IdgenNativeState idgen_native_locked_state(Oid relid);
extern bool idgen_native_look_at_state(Oid sequence, IdgenNativeState *state);
extern void idgen_native_log_first(Oid relid);

#endif /* IDGEN_NATIVE_SEQUENCE_H */
