/*
 * admin.c
 *		What idgen_create() needs besides SQL: it is in the script.
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
#include "catalog/owning_column.h"
#include "catalog/table.h"
#include "catalog/template.h"
#include "common/compat.h"
#include "common/period.h"
#include "session/missing.h"
#include "sql/sql_support.h"
#include "sql/view_line.h"
#include "text/format.h"

PG_FUNCTION_INFO_V1(idgen_new_row);
PG_FUNCTION_INFO_V1(idgen_child_format);
PG_FUNCTION_INFO_V1(idgen_parent);

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
