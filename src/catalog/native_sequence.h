/*
 * native_sequence.h
 *		Native sequences: finding one, and what it says.
 */
#ifndef IDGEN_NATIVE_SEQUENCE_H
#define IDGEN_NATIVE_SEQUENCE_H

#include "access/xlogdefs.h"
#include "catalog/pg_sequence.h"
#include "nodes/parsenodes.h"
#include "storage/buf.h"
#include "utils/rel.h"

#include "catalog/pooling.h"
#include "common/block.h"
#include "common/compat.h"

/*
 * What the catalogs say of a sequence, and the row of its pool: a handle's
 * details.
 */
typedef struct IdgenNativeSequence
{
	NameData name;
	bool logged; /* is the WAL told of its changes? */
	int64 start;
	int64 increment;
	int64 last;  /* bound of values in the direction of increment; with hilo, the
	              * last value within it that stands for any id */
	int64 first; /* bound in the other direction */
	int64 cache;
	bool cycle;
	IdgenValueIds ids; /* that its values stand for */
	int64 max_count;   /* as in IdgenSource; set by source "sequence" */
} IdgenNativeSequence;

/* What the sequence's page says: how far it has got. */
typedef struct IdgenNativeState
{
	int64 last_value;
	bool is_called; /* has nextval() given last_value already? */
	XLogRecPtr lsn; /* of the page */
} IdgenNativeState;

extern RangeVar *idgen_native_name(const char *name, const char *source_name);
extern const char *idgen_native_display(const RangeVar *name);
extern Relation idgen_native_open(const RangeVar *name, LOCKMODE lockmode);
extern void idgen_native_check(Oid relid, AclMode mode);
extern IdgenNativeSequence idgen_native_describe_form(Form_pg_sequence form, const IdgenPool *pool);
extern IdgenNativeSequence *idgen_native_describe(Relation rel, const IdgenPool *pool);
extern bool idgen_native_is_uncommitted(Relation rel);
extern RelFileNumber idgen_native_file(Oid relid);
extern bool idgen_native_is_readable(Relation rel);
extern IdgenNativeState idgen_native_state_in(Buffer buffer);
extern IdgenNativeState idgen_native_state(Relation rel);
extern IdgenNativeState idgen_native_locked_state(Oid relid);
extern void idgen_native_log_next(Relation rel);

extern uint64 idgen_native_width(const IdgenNativeSequence *sequence);
extern int64 idgen_native_values_after(const IdgenNativeSequence *sequence, int64 v);
extern double idgen_native_ids_left(const IdgenNativeSequence *sequence, int64 v);
extern bool idgen_native_is_last(const IdgenNativeSequence *sequence, int64 v);
extern bool idgen_native_next_value(const IdgenNativeSequence *sequence,
                                    const IdgenNativeState *state, int64 *next);
extern bool idgen_native_next_ids(const IdgenNativeSequence *sequence,
                                  const IdgenNativeState *state, int64 *next, IdgenBlock *block);
extern int64 idgen_native_first_id(const IdgenNativeSequence *sequence);
extern IdgenBlock idgen_native_next_block(const IdgenNativeSequence *sequence,
                                          const IdgenNativeState *state, int64 v);
extern int64 idgen_native_last_id(const IdgenNativeSequence *sequence, int64 v);
extern double idgen_native_percent_left(const IdgenNativeSequence *sequence,
                                        const IdgenNativeState *state);

#endif /* IDGEN_NATIVE_SEQUENCE_H */
