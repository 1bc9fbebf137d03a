/*
 * row_duties.h
 *		What an update of a row of id_sequences entails besides.
 */
#ifndef IDGEN_ROW_DUTIES_H
#define IDGEN_ROW_DUTIES_H

#include "utils/rel.h"

/* Duties of an update of next_block_start and exhausted, to be combined. */
typedef enum IdgenRowDuty
{
	/* A refill may fire triggers of others: not idgen's own. */
	IDGEN_DUTY_TRIGGERS = 1 << 0,

	/* Some of these are fired BEFORE, for each row. */
	IDGEN_DUTY_BEFORE_ROW = 1 << 1,

	/* A CHECK constraint looks at next_block_start. */
	IDGEN_DUTY_CHECK_START = 1 << 2,

	/* A CHECK constraint looks at exhausted. */
	IDGEN_DUTY_CHECK_EXHAUSTED = 1 << 3,
} IdgenRowDuty;

extern void idgen_row_duties_init(void);
extern uint32 idgen_row_duties(Relation rel);

/*
 * Does an update fire triggers? Then the caller must have locked the row
 * before: what they do must not be done in vain.
 */
static inline bool
idgen_row_fires_triggers(Relation rel)
{
	return (idgen_row_duties(rel) & IDGEN_DUTY_TRIGGERS) != 0;
}

#endif /* IDGEN_ROW_DUTIES_H */
