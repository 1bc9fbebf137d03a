/*
 * sql_support.h
 *		What SQL functions have in common: arguments, call sites and results,
 *		and reading columns of users' tables.
 */
#ifndef IDGEN_SQL_SUPPORT_H
#define IDGEN_SQL_SUPPORT_H

#include "access/tupdesc.h"
#include "fmgr.h"
#include "nodes/execnodes.h"
#include "utils/builtins.h"
#include "utils/rel.h"
#include "utils/timestamp.h"
#include "utils/tuplestore.h"

#include "session/handle.h"
#include "text/format.h"

/* What a call site (one place in one query) remembers in fn_extra. */
typedef struct IdgenCallSite
{
	IdgenHandle *handle;      /* of the name in the last call */
	uint64 epoch;             /* idgen_epoch before that: if it differs, the handle may
	                           * be gone */
	uint64 constant_epoch;    /* the same if all calls have the same arguments,
	                           * otherwise 0 */
	const IdgenSource *asked; /* the source in the last call, NULL if it has none */
	bool constant;            /* do all calls have the same arguments? */
	TupleDesc desc;           /* the row type of the result, NULL if not known yet */
} IdgenCallSite;

/* A row that is being made, of a view for example: column by column. */

/* Those of idgen_facts(), which has the most. */
#define IDGEN_VIEW_COLUMNS 64

typedef struct IdgenViewLine
{
	Datum values[IDGEN_VIEW_COLUMNS];
	bool nulls[IDGEN_VIEW_COLUMNS];
	int n; /* columns added so far */
} IdgenViewLine;

extern void idgen_check_name(const text *name);
extern Datum idgen_result_row(FunctionCallInfo fcinfo, TupleDesc *desc,
                              Datum *values, bool *nulls);
extern int64 idgen_read_text_id(const IdgenFormat *format, const char *name, const char *text_id,
                                int length);
extern IdgenCallSite *idgen_call_site_look_up(FunctionCallInfo fcinfo, int source_arg);

/* Columns of users' tables that are read: which tables, who may, and values. */
extern List *idgen_heirs_of(Oid relid);
extern void idgen_check_may_read(Oid relid, AttrNumber attnum);
extern bool idgen_table_is_readable(Relation table);
extern int64 idgen_column_integer(Oid type, Datum value);
extern const char *idgen_column_text(Oid type, Datum value, int *length);

/*
 * The call site, with the handle and the source that this call asks for. The
 * source is the argument with that number, if there are as many. As long as
 * idgen_epoch is the same, the handle exists, and so does its table.
 * Raises 22023 for an unknown source.
 */
static inline IdgenCallSite *
idgen_call_site(FunctionCallInfo fcinfo, int source_arg)
{
	IdgenCallSite *site = (IdgenCallSite *) fcinfo->flinfo->fn_extra;

	if (likely(site != NULL && site->constant_epoch == idgen_epoch))
		return site;
	return idgen_call_site_look_up(fcinfo, source_arg);
}

static inline void
idgen_view_add_unless(bool null, IdgenViewLine *line, Datum value)
{
	Assert(line->n < IDGEN_VIEW_COLUMNS);
	line->nulls[line->n] = null;
	line->values[line->n++] = value;
}

static inline void
idgen_view_add(IdgenViewLine *line, Datum value)
{
	idgen_view_add_unless(false, line, value);
}

/* Add a text, or null for NULL. */
static inline void
idgen_view_add_text(IdgenViewLine *line, const char *text)
{
	idgen_view_add_unless(text == NULL, line, text != NULL ? CStringGetTextDatum(text) : (Datum) 0);
}

/* Add a time, or null for zero. */
static inline void
idgen_view_add_time(IdgenViewLine *line, TimestampTz value)
{
	idgen_view_add_unless(value == 0, line, TimestampTzGetDatum(value));
}

/* The line as the result of a function that remembers nothing but its type. */
static inline Datum
idgen_view_row(FunctionCallInfo fcinfo, IdgenViewLine *line)
{
	return idgen_result_row(fcinfo, (TupleDesc *) &fcinfo->flinfo->fn_extra, line->values, line->nulls);
}

/* Put a line into the result of a function, which has as many columns. */
static inline void
idgen_view_put(ReturnSetInfo *result, IdgenViewLine *line)
{
	Assert(line->n == result->setDesc->natts);
	tuplestore_putvalues(result->setResult, result->setDesc, line->values, line->nulls);
}

#endif /* IDGEN_SQL_SUPPORT_H */
