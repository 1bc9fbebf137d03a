/*
 * native_sequence.h
 *		Native sequences: finding one, what it says, and which ids its values
 *		stand for.
 */
#ifndef IDGEN_NATIVE_SEQUENCE_H
#define IDGEN_NATIVE_SEQUENCE_H

#include "access/xlogdefs.h"
#include "nodes/parsenodes.h"
#include "utils/rel.h"

#include "common/block.h"
#include "common/compat.h"

struct IdgenDefinition;

/*
 * The values of column "pooling". With n ids for each value, v stands for
 *
 *	pooled_lo	v ... v + n - 1
 *	pooled		v - n + 1 ... v
 *	hilo		(v - 1) * n + 1 ... v * n
 *
 * The values of a descending sequence stand for v ... v - n + 1, by pooled_lo:
 * the other two are for ascending ones.
 */
typedef enum IdgenPooling
{
	IDGEN_POOLING_POOLED_LO,
	IDGEN_POOLING_POOLED,
	IDGEN_POOLING_HILO,
} IdgenPooling;

/*
 * What the catalogs say of a native sequence, and what its values stand for by
 * the pooling of a row.
 */
typedef struct IdgenNativeSequence
{
	NameData name;
	bool logged; /* is the WAL told of its changes? */
	int64 increment;
	int64 last;  /* bound of values in the direction of increment; with hilo, the
	              * last value within it that stands for any id */
	int64 first; /* bound in the other direction */
	int64 cache;
	bool cycle;

	IdgenPooling pooling;
	uint64 per_value; /* ids that a value stands for, unless they are cut */
	int64 per_block;  /* values that make a block */
	int64 step;       /* 1 or -1: do values, and so ids, ascend or descend? */
	int64 min_id;     /* ids below this, or above the next, are never issued */
	int64 max_id;
	int64 max_count; /* as in IdgenSource */
} IdgenNativeSequence;

/*
 * Most values that one refill draws, unless there is CACHE. The sessions that
 * wait for the refill wait for all of them.
 */
#define IDGEN_NATIVE_VALUES 100000

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
extern Oid idgen_native_look_up(const char *name, const char *source_name);
extern bool idgen_native_is_named(Oid sequence, const char *name, const char *source_name);
extern IdgenNativeSequence *idgen_native_describe(Relation rel, const struct IdgenDefinition *row);
extern bool idgen_native_is_uncommitted(Relation rel);
extern RelFileNumber idgen_native_file(Oid relid);
extern bool idgen_native_is_readable(Form_pg_class class);
extern IdgenNativeState idgen_native_state(Oid sequence);
extern bool idgen_native_look_at_state(Oid sequence, IdgenNativeState *state);
extern void idgen_native_log_first(Oid relid);

/*
 * Are later ids higher? Not if values descend, or begin again, or if a session
 * sets some aside.
 */
static inline bool
idgen_native_can_be_watched(const IdgenNativeSequence *sequence)
{
	return sequence->step > 0 && !sequence->cycle && sequence->cache == 1;
}

/* What its values stand for: pooling.c */
extern bool idgen_pooling_find(const char *name, IdgenPooling *pooling);
extern const char *idgen_pooling_word(IdgenPooling pooling);
extern uint32 idgen_pool_origin(const struct IdgenDefinition *row);

extern void idgen_native_set_pool(IdgenNativeSequence *sequence, const struct IdgenDefinition *row);
extern bool idgen_native_is_last(const IdgenNativeSequence *sequence, int64 v);
extern IdgenBlock idgen_native_ids_of(const IdgenNativeSequence *sequence,
                                      const IdgenNativeState *state, int64 v);
extern IdgenBlock idgen_native_next_ids(const IdgenNativeSequence *sequence,
                                        const IdgenNativeState *state);
extern int64 idgen_native_first_id(const IdgenNativeSequence *sequence);
extern int64 idgen_native_last_id(const IdgenNativeSequence *sequence, int64 v);

#endif /* IDGEN_NATIVE_SEQUENCE_H */
