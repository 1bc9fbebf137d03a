/*
 * definition.h
 *		What a row of id_sequences says.
 */
#ifndef IDGEN_DEFINITION_H
#define IDGEN_DEFINITION_H

#include "executor/tuptable.h"

#include "catalog/layout.h"
#include "catalog/source.h"
#include "common/guc.h"
#include "common/period.h"

/* The columns of a row, checked. */
typedef struct IdgenDefinition
{
	const IdgenSource *source;
	const char *source_name; /* null if there is none */
	int64 next_block_start;
	int64 max_value;
	int64 start_value;
	int32 block_size;
	bool exhausted;
	IdgenRefillMode refill; /* that holds: auto only where a worker may refill */
	bool early_release;     /* of gapless ids; see common/early_release.c */
	bool watermark;         /* is it kept? see cache/notes.c */
	const IdgenLayout *layout;
	IdgenPooling pooling; /* which ids values of a native sequence stand for */
	Numeric big_base;     /* NULL if zero */
	IdgenPeriod period;
	pg_tz *zone;                 /* NULL for that of the setting */
	const char *format;          /* null if there is none */
	IdgenOwningColumn stored_in; /* the owning column, if the ids that it stores are the
	                              * sequence values themselves; else IDGEN_NO_COLUMN */
} IdgenDefinition;

extern void idgen_definition_from_row(TupleTableSlot *slot, const char *name,
                                      IdgenDefinition *def);
extern bool idgen_definition_is_gapless(const IdgenDefinition *def);
extern bool idgen_definition_is_exhausted(const IdgenDefinition *def);
extern IdgenRangeLeft idgen_definition_left(const IdgenDefinition *def);
pg_noreturn extern void idgen_too_few(const char *name, int64 count, int64 last);
extern bool idgen_is_at_end(int64 next_block_start, int64 max_value);
pg_noreturn extern void idgen_exhausted(Oid relid, const char *name, const IdgenDefinition *def);
extern IdgenRefillMode idgen_check_refill(const char *refill, const IdgenSource *source);
extern const char *idgen_refill_by_default(const IdgenSource *source);
extern const IdgenLayout *idgen_check_layout(const char *layout);

#endif /* IDGEN_DEFINITION_H */
