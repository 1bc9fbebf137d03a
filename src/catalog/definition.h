/*
 * definition.h
 *		What a row of id_sequences says, and who may use it.
 */
#ifndef IDGEN_DEFINITION_H
#define IDGEN_DEFINITION_H

#include "executor/tuptable.h"
#include "utils/rel.h"

#include "catalog/layout.h"
#include "catalog/source.h"
#include "common/compat.h"

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
	bool by_worker; /* refill is 'worker' */
	const IdgenLayout *layout;
} IdgenDefinition;

/*
 * Counts the events after which a session must look again at privileges and
 * rows: changes of id_sequences' catalog entries, of roles and of policies, and
 * what idgen_watch_relations() adds. What was found out under one value holds
 * as long as it is the same.
 */
extern PGDLLIMPORT uint64 idgen_epoch;

/* The same, but for changes of id_sequences' catalog entries alone. */
extern PGDLLIMPORT uint64 idgen_table_epoch;

extern void idgen_definition_init(void);
extern void idgen_watch_relations(void);
extern void idgen_relations_changed(void);
extern Oid idgen_table_oid(Oid funcid);

extern void idgen_definition_from_row(TupleTableSlot *slot, const char *name,
                                      IdgenDefinition *def);
extern bool idgen_definition_is_exhausted(const IdgenDefinition *def);
extern int idgen_definition_percent_left(const IdgenDefinition *def);
pg_noreturn extern void idgen_too_few(const char *name, int64 count, int64 last);
extern bool idgen_is_at_end(int64 next_block_start, int64 max_value);
pg_noreturn extern void idgen_exhausted(const char *name, const IdgenDefinition *def);
extern const IdgenSource *idgen_check_source(const char *source, const char *source_name);
extern bool idgen_check_refill(const char *refill, const IdgenSource *source);
extern const IdgenLayout *idgen_check_layout(const char *layout);

extern void idgen_check_select(Oid relid);
extern bool idgen_may_lend_code(Oid relid, Oid roleid);
extern bool idgen_row_visible(Relation rel, TupleTableSlot *row, bool *cacheable);

#endif /* IDGEN_DEFINITION_H */
