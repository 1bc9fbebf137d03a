/*
 * admin.c
 *		Creating and restarting id sequences.
 *
 * Creating is an INSERT, which is in the script: here is what that needs
 * besides. Restarting is left to the source.
 */
#include "postgres.h"

#include "catalog/objectaddress.h"
#include "catalog/pg_class.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "storage/lmgr.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

#include "catalog/definition.h"
#include "catalog/epoch.h"
#include "catalog/owning_column.h"
#include "catalog/table.h"
#include "catalog/template.h"
#include "common/compat.h"
#include "common/period.h"
#include "session/handle_table.h"
#include "session/missing.h"
#include "session/period_now.h"
#include "session/validate.h"
#include "sql/sql_support.h"
#include "sql/view_line.h"
#include "text/format.h"

PG_FUNCTION_INFO_V1(idgen_new_row);
PG_FUNCTION_INFO_V1(idgen_child_format);
PG_FUNCTION_INFO_V1(idgen_parent);
PG_FUNCTION_INFO_V1(idgen_restart);

/*
 * The source_name to store, NULL if none. Raises what the source raises for the
 * name.
 */
static const char *
check_source_name(const char *name, const IdgenSource *source, const char *given)
{
	if (source->check_name == NULL)
		return given;

	/* Each child of a template has its own, where none is named for all. */
	if (given == NULL && idgen_is_template_name(name, strlen(name)))
	{
		idgen_check_source(source->name, given);
		return NULL;
	}
	return source->check_name(name, given);
}

/*
 * The column that the id sequence shall belong to, which is kept from being
 * dropped until the transaction ends. Raises 42P01, 42703, 42602, 42809, 42501.
 */
static IdgenOwningColumn
check_owned_by(const char *given)
{
	IdgenOwningColumn column = idgen_owning_column_find(given, ERROR);
	const char *problem;
	Oid relid = idgen_owning_table(column);

	LockRelationOid(relid, AccessShareLock);
	problem = idgen_owning_column_problem(column);
	if (problem != NULL)
		ereport(ERROR,
		        (errcode(ERRCODE_WRONG_OBJECT_TYPE),
		         errmsg("an id sequence cannot belong to column \"%s\"", given),
		         errdetail_internal("%s", problem)));
	if (!object_ownercheck(RelationRelationId, relid, GetUserId()))
		aclcheck_error(ACLCHECK_NOT_OWNER, get_relkind_objtype(get_rel_relkind(relid)), get_rel_name(relid));
	return column;
}

/* An argument that may be null, as a string. */
static const char *
optional_string(FunctionCallInfo fcinfo, int argument)
{
	return PG_ARGISNULL(argument) ? NULL : text_to_cstring(PG_GETARG_TEXT_PP(argument));
}

/*
 * idgen_new_row(name text, source text, source_name text, refill text,
 * column_name text, OUT source_name text, OUT refill text, OUT owned_by text)
 * returns record: what is stored of these arguments of idgen_create(). Null for
 * a name or a source that is null. Raises 22023, 0A000 for a refill, what the
 * source raises for its name, and what check_owned_by() does.
 */
Datum
idgen_new_row(PG_FUNCTION_ARGS)
{
	const char *name = optional_string(fcinfo, 0);
	const char *refill = optional_string(fcinfo, 3);
	const char *owned_by = optional_string(fcinfo, 4);
	const IdgenSource *source;
	IdgenViewLine line = {.n = 0};

	if (name == NULL || PG_ARGISNULL(1))
		PG_RETURN_NULL();
	source = idgen_source_get(optional_string(fcinfo, 1));
	if (refill == NULL)
		refill = idgen_refill_by_default(source);
	idgen_check_refill(refill, source);
	if (owned_by != NULL && !idgen_is_template_name(name, strlen(name)))
		owned_by = idgen_owning_column_name(check_owned_by(owned_by));
	idgen_view_add_text(&line, check_source_name(name, source, optional_string(fcinfo, 2)));
	idgen_view_add_text(&line, refill);
	idgen_view_add_text(&line, owned_by);
	return idgen_result_row(fcinfo, (TupleDesc *) &fcinfo->flinfo->fn_extra, line.values, line.nulls);
}

/*
 * idgen_child_format(name text, format text) returns text: the format of the
 * child of that name of a row with periods
 */
Datum
idgen_child_format(PG_FUNCTION_ARGS)
{
	const char *format = text_to_cstring(PG_GETARG_TEXT_PP(1));
	IdgenPeriodName parsed;

	if (idgen_period_parse(text_to_cstring(PG_GETARG_TEXT_PP(0)), &parsed))
		format = idgen_format_within(format, parsed.period, &parsed.first);
	PG_RETURN_TEXT_P(cstring_to_text(format));
}

/*
 * idgen_parent(name text) returns text: the template, or the row with periods,
 * that a draw would make the row of that name from
 */
Datum
idgen_parent(PG_FUNCTION_ARGS)
{
	char *parent = idgen_parent_of(idgen_table_oid(fcinfo->flinfo->fn_oid), text_to_cstring(PG_GETARG_TEXT_PP(0)));

	if (parent == NULL)
		PG_RETURN_NULL();
	PG_RETURN_TEXT_P(cstring_to_text(parent));
}

/*
 * The sequence value to restart at: "start" itself, or that of an id as the
 * layout composes it. The two cannot be mistaken for each other; scrambled ids
 * could be, so there "start" is the sequence value. Raises 22003.
 */
static int64
restart_value(const IdgenHandle *handle, int64 start)
{
	IdgenPrefix prefix;

	if (handle->found.layout->scrambled && start < 1)
		ereport(ERROR,
		        (errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
		         errmsg("id %lld of id sequence \"%s\" does not fit layout \"%s\"",
		                (long long) start, handle->name, handle->found.layout->name),
		         errdetail("It must be at least 1.")));
	if (!idgen_layout_fits(handle->found.layout, start))
		idgen_layout_parse(handle->found.layout, start, &prefix, &start);
	return start;
}

/*
 * Start an id sequence again at an id, or at its sequence value, when the
 * transaction commits. Raises 42501, 42704, 22023 or 22003 for an id out of its
 * range, and 0A000 if its source cannot be restarted or its row has periods.
 */
static void
restart_at(IdgenHandle *handle, IdgenCall *call, int64 start)
{
	for (;;)
	{
		idgen_handle_validate(handle, call);
		if (handle->found.period != IDGEN_PERIOD_NONE)
			idgen_refuse_periods(handle, "idgen_restart");
		if (handle->found.source->restart == NULL)
			ereport(ERROR,
			        (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
			         errmsg("id sequence \"%s\" with source \"%s\" cannot be restarted",
			                handle->name, handle->found.source->name),
			         errhint("Restart what its ids come from. Then delete its row and insert it again, to drop the cached ids.")));
		if (handle->found.source->restart(handle, restart_value(handle, start)) != IDGEN_SOURCE_STALE)
			break;
		idgen_handle_invalidate(handle);
	}
}

/*
 * idgen_restart(name text, start bigint) returns void
 *
 * Start again at that id, forwards or backwards. Cached ids are dropped when
 * the transaction commits. The child of a template is made, as a draw would
 * make it: rows may have come with numbers of their own. Raises what
 * restart_at() does.
 */
Datum
idgen_restart(PG_FUNCTION_ARGS)
{
	Oid id_sequences = idgen_table_oid(fcinfo->flinfo->fn_oid);
	const char *name = text_to_cstring(PG_GETARG_TEXT_PP(0));
	IdgenCall call = {.function = "idgen_restart()"};
	IdgenHandle *handle = idgen_handle_get(id_sequences, name, strlen(name));
	bool held;

	PreventCommandIfParallelMode(call.function);
	if (idgen_parent_of(id_sequences, name) != NULL)
		call.missing_row = IDGEN_MISSING_ROW_MADE;
	held = idgen_handle_hold(handle);
	restart_at(handle, &call, PG_GETARG_INT64(1));
	if (held)
		idgen_handle_let_go(handle);
	PG_RETURN_VOID();
}
