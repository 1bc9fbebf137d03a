/*
 * call.h
 *		One call of a function that draws, or looks, as long as it lasts.
 *
 * It lies on the stack of the SQL function. A refill may run triggers or an
 * allocator, which draw in calls of their own: so none of this may be kept in
 * the handle, which they share.
 */
#ifndef IDGEN_CALL_H
#define IDGEN_CALL_H

#include "datatype/timestamp.h"

#include "catalog/source.h"
#include "common/period.h"

/* The form of the ids that a call returns. */
typedef enum IdgenCallForm
{
	IDGEN_FORM_BIGINT,
	IDGEN_FORM_NUMERIC,
	IDGEN_FORM_RANGE, /* the first and the last one of consecutive ids, as bigint */
} IdgenCallForm;

/* What a call does about the row that its name lacks. */
typedef enum IdgenMissingRow
{
	IDGEN_MISSING_ROW_MISSED, /* raises 42704 */
	IDGEN_MISSING_ROW_SHOWN,  /* acts as if the child of a template were made */
	IDGEN_MISSING_ROW_MADE,   /* makes it */
} IdgenMissingRow;

typedef struct IdgenCall
{
	/* What the user asks for. */
	const char *function;     /* the one called, for messages */
	const IdgenSource *asked; /* the source that the id sequence must have, or NULL */
	int64 count;              /* consecutive ids wanted, at least 1 for a draw */
	const IdgenDay *at;       /* the day whose period is drawn from; NULL for today's */
	IdgenCallForm form;

	IdgenMissingRow missing_row : 8;
	bool asked_without_row; /* must it have that source only if it has no row? */

	/* The row with periods that it draws for, or NULL. */
	const struct IdgenHandle *parent;

	/* What has been done about it; all zero at first. */
	int prefix;        /* of the ids to compose; 0 if the layout has none */
	int refills;       /* so far, also those that brought nothing */
	bool by_session;   /* does it do without the worker, which has not served it? */
	bool known_row_ok; /* may it rely on what another session has found the row to
	                    * say? */
	bool validated;    /* the handle was validated during this call */

	bool row_locked; /* when the worker last tried, had another transaction the row? */
	bool was_held;   /* has it waited for the transaction that had it? */
	uint64 awaited;  /* the last claim that it has waited for; 64-bit xid, or 0 */

	/*
	 * It has first needed the worker, or another server, as idgen_clock_ms()
	 * says; 0 = not yet.
	 */
	uint32 waiting_ms;
} IdgenCall;

/*
 * Each draw that is not quite simple begins with one. Compilers set more bytes
 * than that to zero by an instruction that takes 13 ns.
 */
StaticAssertDecl(sizeof(IdgenCall) <= 96, "a call must quickly be set to zero");

#endif /* IDGEN_CALL_H */
