/*
 * ids_in_use.h
 *		How far the ids of a column have gone.
 */
#ifndef IDGEN_IDS_IN_USE_H
#define IDGEN_IDS_IN_USE_H

#include "session/handle.h"
#include "sql/column.h"
#include "sql/column_sequences.h"

/*
 * The ids that must not be issued again: all up to the last one. Starts as
 * {0}. The last id, not the next one, because there may be none after it.
 */
typedef struct IdgenIdsInUse
{
	bool any;
	int64 last; /* undefined if there is none */
} IdgenIdsInUse;

extern void idgen_count_table(const IdgenColumn *column, IdgenIdsInUse *ids);
extern void idgen_count_sequences(const IdgenColumnSequences *sequences, IdgenIdsInUse *ids);
extern void idgen_count_id_sequence(IdgenHandle *handle, IdgenIdsInUse *ids);
extern int64 idgen_first_free_id(const IdgenColumn *column, const IdgenIdsInUse *ids);

#endif /* IDGEN_IDS_IN_USE_H */
