/*
 * view_line.h
 *		A line of a view, while it is being made: column by column.
 */
#ifndef IDGEN_VIEW_LINE_H
#define IDGEN_VIEW_LINE_H

#include "nodes/execnodes.h"
#include "utils/builtins.h"
#include "utils/timestamp.h"
#include "utils/tuplestore.h"

/* Those of idgen_facts(), which has the most. */
#define IDGEN_VIEW_COLUMNS 59

typedef struct IdgenViewLine
{
	Datum values[IDGEN_VIEW_COLUMNS];
	bool nulls[IDGEN_VIEW_COLUMNS];
	int n; /* columns added so far */
} IdgenViewLine;

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

/* Add a number, or null for one that is negative: it is not known. */
static inline void
idgen_view_add_number(IdgenViewLine *line, double value)
{
	idgen_view_add_unless(value < 0, line, Float8GetDatum(value));
}

/* Add a time, or null for zero. */
static inline void
idgen_view_add_time(IdgenViewLine *line, TimestampTz value)
{
	idgen_view_add_unless(value == 0, line, TimestampTzGetDatum(value));
}

/* Put a line into the result of a function, which has as many columns. */
static inline void
idgen_view_put(ReturnSetInfo *result, IdgenViewLine *line)
{
	Assert(line->n == result->setDesc->natts);
	tuplestore_putvalues(result->setResult, result->setDesc, line->values, line->nulls);
}

#endif /* IDGEN_VIEW_LINE_H */
