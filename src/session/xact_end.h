/*
 * xact_end.h
 *		What becomes of a transaction's pending ids when it ends.
 */
#ifndef IDGEN_XACT_END_H
#define IDGEN_XACT_END_H

/* How a transaction ends, as far as its pending ids are concerned. */
typedef enum IdgenXactEnd
{
	/* Rolled back: its allocations are undone, as far as they can be. */
	IDGEN_END_ABORTED,

	/*
	 * Prepared, or committed without a standby that it should have waited for:
	 * its allocations may be undone later, and then be made again.
	 */
	IDGEN_END_REVOCABLE,

	/* Committed and flushed: its allocations last. */
	IDGEN_END_COMMITTED,
} IdgenXactEnd;

extern bool idgen_xact_give_back_gapless(void);
extern void idgen_xact_warn_low(void);
extern void idgen_xact_finish(IdgenXactEnd end);

#endif /* IDGEN_XACT_END_H */
