/*
 * column_survey.h
 *		All columns of a database that draw from anything.
 */
#ifndef IDGEN_COLUMN_SURVEY_H
#define IDGEN_COLUMN_SURVEY_H

#include "utils/hsearch.h"

#include "catalog/owning_column.h"
#include "sql/drawing_columns.h"

/* How a column draws. */
typedef enum IdgenDrawKind
{
	IDGEN_KIND_SERIAL,   /* its default draws from a native sequence of its own */
	IDGEN_KIND_IDENTITY, /* it is an identity column */
	IDGEN_KIND_NEXTVAL,  /* its default draws from another native sequence */
	IDGEN_KIND_IDGEN,    /* its default draws from an id sequence */
	IDGEN_KIND_OWNED,    /* a native sequence or id sequence belongs to it, from
	                      * which its default does not draw */
} IdgenDrawKind;

/* A column, and one thing that it draws from. */
typedef struct IdgenSurveyed
{
	IdgenDrawKind kind;
	IdgenDrawingColumn column; /* call.name is that of an id sequence, or NULL */
	Oid sequence;              /* the native sequence, if it is known, or invalid */
	const char *sequence_name; /* if the default gives that by name */
} IdgenSurveyed;

/* What the survey has found: an array in the order of tables' names. */
typedef struct IdgenSurvey
{
	Oid id_sequences;
	int n;
	IdgenSurveyed **found;
	HTAB *by_column; /* all, what is left out of the array included */
} IdgenSurvey;

extern void idgen_survey_columns(Oid id_sequences, IdgenSurvey *survey);
extern bool idgen_survey_is_adopted(const IdgenSurvey *survey, IdgenOwningColumn column);

#endif /* IDGEN_COLUMN_SURVEY_H */
