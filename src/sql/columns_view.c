/*
 * columns_view.c
 *		Function behind the view idgen_columns: how far the ids of each column
 *		have gone, and how far they can go.
 *
 * Catalogs tell everybody which column draws from what. How far that has got is
 * shown to those who may know it: of an id sequence those who may draw from it,
 * of a native one those who have any privilege on it, and members of pg_monitor
 * all.
 *
 * No table is locked, so any of them may be dropped meanwhile, and the server's
 * functions may raise an error then. Lines are made in a subtransaction: a
 * column that is gone is left out, and the others are shown in the next one.
 */
#include "postgres.h"

#include "access/table.h"
#include "access/tableam.h"
#include "access/xact.h"
#include "fmgr.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/inval.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"

#include "catalog/epoch.h"
#include "catalog/native_look.h"
#include "catalog/privileges.h"
#include "catalog/row.h"
#include "catalog/table.h"
#include "common/guc.h"
#include "common/period.h"
#include "common/subxact.h"
#include "common/time_zone.h"
#include "sources/sources.h"
#include "sql/adoptable.h"
#include "sql/column_survey.h"
#include "sql/limits.h"
#include "sql/view_line.h"

PG_FUNCTION_INFO_V1(idgen_all_columns);

/* What the caller may look at, and with what. */
typedef struct Look
{
	Relation rel;        /* id_sequences; NULL if no row is to be read */
	TupleTableSlot *row; /* of it */
	bool monitor;        /* does the caller see all? */
} Look;

static const char *
kind_word(IdgenDrawKind kind)
{
	switch (kind)
	{
		case IDGEN_KIND_SERIAL:
			return "serial";
		case IDGEN_KIND_IDENTITY:
			return "identity";
		case IDGEN_KIND_NEXTVAL:
			return "nextval";
		case IDGEN_KIND_IDGEN:
			return "idgen";
		case IDGEN_KIND_OWNED:
			break;
	}
	return "owned";
}

/*
 * Rows
 */

/* Find the row of that name, if the caller may see it. */
static bool
find_row(const Look *look, const char *name)
{
	bool cacheable;

	return look->rel != NULL && idgen_row_find(look->rel, name, strlen(name), IDGEN_SEARCH_SURE, look->row) &&
		(look->monitor || idgen_row_visible(look->rel, look->row, &cacheable));
}

/*
 * The child that a row with periods draws from now, by the row that has been
 * found. NULL if the row has no periods.
 */
static const char *
child_of_today(const Look *look, const char *name)
{
	const char *period_word = idgen_row_string(look->row, IDGEN_ATT_PERIOD);
	const char *zone_name = idgen_row_string(look->row, IDGEN_ATT_TIME_ZONE);
	pg_tz *zone = zone_name != NULL ? idgen_time_zone_find(zone_name) : NULL;
	IdgenPeriod period;
	TimestampTz until;
	IdgenDay today;

	if (period_word == NULL || !idgen_period_find(period_word, &period))
		return NULL;
	today = idgen_day_at(GetCurrentTransactionStartTimestamp(), IDGEN_PERIOD_NONE,
	                     zone != NULL ? zone : idgen_period_zone, &until);
	return idgen_period_child(name, period, &today);
}

/*
 * How far an id sequence has got. Of a row with periods, that is its child of
 * today, if there is one. Without a row, it may be a native sequence.
 */
static void
extent_of_id_sequence(const Look *look, const IdgenDrawCall *call, IdgenExtent *extent)
{
	const char *child;

	*extent = (IdgenExtent){.layout = &idgen_layout_plain, .step = 1};
	if (call->name == NULL)
		return;
	if (find_row(look, call->name))
	{
		idgen_extent_of_row(look->row, InvalidOid, extent);
		child = child_of_today(look, call->name);
		if (child != NULL && find_row(look, child))
			idgen_extent_of_row(look->row, InvalidOid, extent);
	}
	else if (call->source != NULL && idgen_source_find(call->source) == &idgen_source_sequence)
		idgen_extent_add_native(extent, idgen_native_look_up(call->name, NULL), &idgen_no_pool);
}

/*
 * Lines
 */

/* What the column draws from, as users call it; NULL if that is not known. */
static const char *
name_of_source(const IdgenSurveyed *surveyed)
{
	if (surveyed->column.call.name != NULL)
		return surveyed->column.call.name;
	if (OidIsValid(surveyed->sequence))
		return idgen_native_full_name(surveyed->sequence);
	return surveyed->sequence_name;
}

static void
add_extent(IdgenViewLine *line, const IdgenExtent *extent)
{
	double left = idgen_extent_percent_left(extent);

	idgen_view_add_unless(!extent->is_known || !extent->any, line, Int64GetDatum(extent->last));
	idgen_view_add_unless(extent->limited_by == NULL, line, Int64GetDatum(extent->limit));
	idgen_view_add_text(line, extent->limited_by);
	idgen_view_add_unless(left < 0, line, Float8GetDatum(100 - left));
}

/* Put a column into the result, and what limits it, other columns apart. */
static void
put_column(ReturnSetInfo *rsinfo, const Look *look, const IdgenSurvey *survey, const IdgenSurveyed *surveyed)
{
	const IdgenDrawingColumn *column = &surveyed->column;
	IdgenExtent extent;
	IdgenViewLine line = {.n = 0};

	if (OidIsValid(surveyed->sequence))
		idgen_extent_of_native(surveyed->sequence, &extent);
	else
		extent_of_id_sequence(look, &column->call, &extent);
	idgen_extent_limit_by_columns(&extent, list_make1(unconstify(IdgenDrawingColumn *, column)));

	idgen_view_add(&line, ObjectIdGetDatum(column->relid));
	idgen_view_add(&line, CStringGetDatum(column->name));
	idgen_view_add_text(&line, format_type_with_typemod(column->type, column->typmod));
	idgen_view_add_text(&line, kind_word(surveyed->kind));
	idgen_view_add_text(&line, name_of_source(surveyed));
	add_extent(&line, &extent);
	idgen_view_add(&line, BoolGetDatum(idgen_column_is_adoptable(survey, surveyed)));
	idgen_view_put(rsinfo, &line);
}

/*
 * To whom a row is hidden, it belongs to no column: that is said in the row
 * alone.
 */
static bool
is_shown(const Look *look, const IdgenSurveyed *surveyed)
{
	return surveyed->kind != IDGEN_KIND_OWNED || OidIsValid(surveyed->sequence) ||
		find_row(look, surveyed->column.call.name);
}

/* A reading of the view, while it goes on. */
typedef struct Reading
{
	ReturnSetInfo *result;
	Look look;
	IdgenSurvey survey;
	int shown;              /* of the columns of the survey */
	MemoryContext for_each; /* for one of them */
} Reading;

/* Show the columns that have not been shown. */
static void
show_columns(void *arg)
{
	Reading *reading = (Reading *) arg;
	Look *look = &reading->look;

	if (look->rel != NULL)
		look->row = table_slot_create(look->rel, NULL);
	for (; reading->shown < reading->survey.n; reading->shown++)
	{
		const IdgenSurveyed *surveyed = reading->survey.found[reading->shown];
		MemoryContext before = MemoryContextSwitchTo(reading->for_each);

		if (is_shown(look, surveyed))
			put_column(reading->result, look, &reading->survey, surveyed);
		MemoryContextSwitchTo(before);
		MemoryContextReset(reading->for_each);
		CHECK_FOR_INTERRUPTS();
	}
	if (look->rel != NULL)
		ExecDropSingleTupleTableSlot(look->row);
}

/* Is a column as it was when it was found? */
static bool
is_there(const IdgenDrawingColumn *column)
{
	Form_pg_attribute att = idgen_look_up_column(column->relid, column->attnum);

	return att != NULL && att->atttypid == column->type && get_rel_relkind(column->relid) != '\0';
}

/*
 * idgen_all_columns() returns setof record: what view idgen_columns shows
 */
Datum
idgen_all_columns(PG_FUNCTION_ARGS)
{
	Oid id_sequences = idgen_table_oid(fcinfo->flinfo->fn_oid);
	Reading reading = {
		.result = (ReturnSetInfo *) fcinfo->resultinfo,
		.look = {.monitor = idgen_may_monitor()},
		.for_each = AllocSetContextCreate(CurrentMemoryContext, "idgen column", ALLOCSET_DEFAULT_SIZES),
	};

	InitMaterializedSRF(fcinfo, 0);
	idgen_survey_columns(id_sequences, &reading.survey);
	if (reading.look.monitor || pg_class_aclcheck(id_sequences, GetUserId(), ACL_SELECT) == ACLCHECK_OK)
		reading.look.rel = idgen_table_open(id_sequences, AccessShareLock);
	while (reading.shown < reading.survey.n)
	{
		ErrorData *error = idgen_try(show_columns, &reading, IDGEN_TRY_ANY);

		if (error == NULL)
			break;
		AcceptInvalidationMessages();
		if (error->sqlerrcode == ERRCODE_QUERY_CANCELED || error->sqlerrcode == ERRCODE_OUT_OF_MEMORY ||
		    is_there(&reading.survey.found[reading.shown]->column))
			idgen_rethrow(error);
		reading.shown++;
	}
	if (reading.look.rel != NULL)
		table_close(reading.look.rel, AccessShareLock);
	return (Datum) 0;
}
