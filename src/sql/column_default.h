/*
 * column_default.h
 *		Defaults of columns, and the id sequences that they draw from.
 */
#ifndef IDGEN_COLUMN_DEFAULT_H
#define IDGEN_COLUMN_DEFAULT_H

#include "sql/column.h"

/* What the extension's functions that draw single ids return. */
typedef enum IdgenDrawForm
{
	IDGEN_DRAWS_BIGINT,  /* idgen_next() */
	IDGEN_DRAWS_NUMERIC, /* idgen_next_big() */
	IDGEN_DRAWS_TEXT,    /* idgen_next_text() */
} IdgenDrawForm;

/* A call of one of these functions. */
typedef struct IdgenDrawCall
{
	const char *name;   /* NULL if it is no constant */
	const char *source; /* that is asked for; NULL if none is, or no constant */
	IdgenDrawForm form;
	bool plain; /* are these constants, and is the default this call, and nothing
	             * else? */
} IdgenDrawCall;

pg_noreturn extern void idgen_does_not_draw(const char *column, const char *table);
extern Node *idgen_strip_conversions(Node *expr);
extern char *idgen_constant_text(Node *expr);
extern List *idgen_calls_of(Node *expr, List *functions);
extern List *idgen_default_calls(Node *expr, List *functions);
extern Node *idgen_domain_default(Oid domain);
extern Node *idgen_column_default(Oid relid, const char *name);
extern List *idgen_drawing_functions(Oid idgen_schema);
extern char *idgen_default_id_sequence(const IdgenColumn *column, Oid idgen_schema);
extern void idgen_check_draws_from_none(const IdgenColumn *column, Oid idgen_schema);
extern void idgen_check_draws_from_no_other(const IdgenColumn *column, const char *name,
                                            Oid idgen_schema);

#endif /* IDGEN_COLUMN_DEFAULT_H */
