/*
 * admin.c
 *		Creating and restarting id sequences.
 *
 * Creating is ordinary SQL on id_sequences with the caller's own rights:
 * privileges, row security and the owner's triggers apply as they do to any
 * INSERT. The function adds a check of its arguments. Restarting is left to the
 * source.
 */
#include "postgres.h"

#include "catalog/objectaddress.h"
#include "catalog/pg_class.h"
#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "storage/lmgr.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/lsyscache.h"
#include "utils/numeric.h"

#include "catalog/definition.h"
#include "catalog/epoch.h"
#include "catalog/owning_column.h"
#include "catalog/privileges.h"
#include "catalog/row.h"
#include "catalog/table.h"
#include "catalog/template.h"
#include "common/compat.h"
#include "common/guc.h"
#include "session/handle_table.h"
#include "session/missing.h"
#include "session/period_now.h"
#include "session/validate.h"
#include "sql/id_type.h"
#include "sql/sql_support.h"

PG_FUNCTION_INFO_V1(idgen_create);
PG_FUNCTION_INFO_V1(idgen_restart);

pg_noreturn static void
bad_argument(const char *message)
{
	ereport(ERROR,
	        (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
	         errmsg("%s", message)));
}

/*
 * Argument numbers of idgen_create(). Each is also a column of that name, but
 * for the last one.
 */
enum
{
	ARG_NAME,
	ARG_NEXT_BLOCK_START,
	ARG_BLOCK_SIZE,
	ARG_EXHAUSTED,
	ARG_MAX_VALUE,
	ARG_SOURCE,
	ARG_SOURCE_NAME,
	ARG_REFILL,
	ARG_LAYOUT,
	ARG_BIG_BASE,
	ARG_POOLING,
	ARG_OWNED_BY,
	ARG_MAX_CHILDREN,
	ARG_PERIOD,
	ARG_TIME_ZONE,
	ARG_FORMAT,
	NCOLUMNS,
	ARG_ID_TYPE = NCOLUMNS
};

/*
 * What the row is to hold: the arguments, and what stands for those not given.
 */
typedef struct NewRow
{
	Datum values[NCOLUMNS];
	char nulls[NCOLUMNS]; /* 'n' or ' ', as SPI wants them */
} NewRow;

/* The column would round a fraction in silence. */
static bool
is_whole(Numeric number)
{
	return !numeric_is_nan(number) &&
		DatumGetBool(DirectFunctionCall2(numeric_eq, NumericGetDatum(number),
	                                     DirectFunctionCall2(numeric_trunc, NumericGetDatum(number), Int32GetDatum(0))));
}

/*
 * Raises 22023 for arguments that make no row of id_sequences. A null
 * block_size and max_value have been replaced already.
 */
static void
check_create_arguments(FunctionCallInfo fcinfo, int32 block_size, int64 max_value)
{
	int32 exhausted = PG_GETARG_INT32(ARG_EXHAUSTED);

	idgen_check_name(PG_GETARG_TEXT_PP(ARG_NAME));
	idgen_check_new_name(text_to_cstring(PG_GETARG_TEXT_PP(ARG_NAME)));
	if (block_size <= 0)
		bad_argument("block_size must be greater than zero");
	if (exhausted != 0 && exhausted != 1)
		bad_argument("exhausted must be 0 or 1");
	if (exhausted == 0 && PG_GETARG_INT64(ARG_NEXT_BLOCK_START) > max_value)
		ereport(ERROR,
		        (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
		         errmsg("next_block_start (%lld) must not be greater than max_value (%lld)",
		                (long long) PG_GETARG_INT64(ARG_NEXT_BLOCK_START), (long long) max_value)));
	if (!PG_ARGISNULL(ARG_MAX_CHILDREN) && PG_GETARG_INT32(ARG_MAX_CHILDREN) <= 0)
		bad_argument("max_children must be greater than zero");
	if (!is_whole(PG_GETARG_NUMERIC(ARG_BIG_BASE)))
		bad_argument("big_base must be a whole number");
}

/*
 * The refill mode to store. Raises 22023 for an unknown one, and 0A000 for one
 * that the source does not have.
 */
static const char *
check_refill(FunctionCallInfo fcinfo, const IdgenSource *source)
{
	const char *given;

	if (PG_ARGISNULL(ARG_REFILL))
		return idgen_refill_by_default(source);
	given = text_to_cstring(PG_GETARG_TEXT_PP(ARG_REFILL));
	idgen_check_refill(given, source);
	return given;
}

/* Is it the name of a template that the row shall have? */
static bool
is_template_argument(FunctionCallInfo fcinfo)
{
	const text *name = PG_GETARG_TEXT_PP(ARG_NAME);

	return idgen_is_template_name(VARDATA_ANY(name), VARSIZE_ANY_EXHDR(name));
}

/*
 * The source_name to store, NULL if none. Raises what the source raises for the
 * name; 22023 for an unknown pooling, and 0A000 for one that the source does
 * not have.
 */
static const char *
check_source_name(FunctionCallInfo fcinfo, const IdgenSource *source)
{
	const char *given = PG_ARGISNULL(ARG_SOURCE_NAME) ? NULL : text_to_cstring(PG_GETARG_TEXT_PP(ARG_SOURCE_NAME));

	idgen_check_pooling(text_to_cstring(PG_GETARG_TEXT_PP(ARG_POOLING)), source);
	if (source->check_name == NULL)
		return given;

	/* Each child of a template has its own, where none is named for all. */
	if (given == NULL && is_template_argument(fcinfo))
	{
		idgen_check_source(source->name, given);
		return NULL;
	}
	return source->check_name(text_to_cstring(PG_GETARG_TEXT_PP(ARG_NAME)), given);
}

/*
 * Raises 22023 for an unknown period or time zone, or if the names of the
 * children would be too long; 0A000 for a period that the source does not have.
 */
static void
check_period(FunctionCallInfo fcinfo, const IdgenSource *source)
{
	IdgenPeriod period;

	if (!PG_ARGISNULL(ARG_TIME_ZONE))
		idgen_check_time_zone(text_to_cstring(PG_GETARG_TEXT_PP(ARG_TIME_ZONE)));
	if (PG_ARGISNULL(ARG_PERIOD))
		return;
	period = idgen_check_period(text_to_cstring(PG_GETARG_TEXT_PP(ARG_PERIOD)), source);
	idgen_check_name_with_period(text_to_cstring(PG_GETARG_TEXT_PP(ARG_NAME)), period);
}

/*
 * The max_value to store: the one given, or the end of the type given, or that
 * of bigint. Raises 22023 for an unknown layout, for both, and what
 * idgen_id_type_max_value() does.
 */
static int64
check_max_value(FunctionCallInfo fcinfo, const IdgenSource *source)
{
	const IdgenLayout *layout = idgen_check_layout(text_to_cstring(PG_GETARG_TEXT_PP(ARG_LAYOUT)));

	if (!PG_ARGISNULL(ARG_MAX_VALUE) && !PG_ARGISNULL(ARG_ID_TYPE))
		bad_argument("max_value and id_type cannot be given both");
	if (!PG_ARGISNULL(ARG_MAX_VALUE))
		return PG_GETARG_INT64(ARG_MAX_VALUE);
	if (!PG_ARGISNULL(ARG_ID_TYPE))
		return idgen_id_type_max_value(text_to_cstring(PG_GETARG_TEXT_PP(ARG_ID_TYPE)),
		                               PG_GETARG_INT64(ARG_NEXT_BLOCK_START), layout, source);
	return PG_INT64_MAX;
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

static void
set_value(NewRow *row, int column, Datum value)
{
	row->values[column] = value;
	row->nulls[column] = ' ';
}

/*
 * The row that the arguments ask for, checked. Raises 22004, 25006, 22023,
 * 0A000, and what check_owned_by() does.
 */
static NewRow
get_new_row(FunctionCallInfo fcinfo)
{
	static const char *const names[NCOLUMNS] = {
		"name",
		"next_block_start",
		"block_size",
		"exhausted",
		"max_value",
		"source",
		"source_name",
		"refill",
		"layout",
		"big_base",
		"pooling",
		"owned_by",
		"max_children",
		"period",
		"time_zone",
		"format",
	};
	NewRow row;
	int32 block_size;
	int64 max_value;
	const IdgenSource *source;
	const char *source_name;

	for (int i = 0; i < NCOLUMNS; i++)
	{
		if (i != ARG_SOURCE_NAME && i != ARG_BLOCK_SIZE && i != ARG_MAX_VALUE && i != ARG_REFILL && i < ARG_OWNED_BY)
			idgen_refuse_null(fcinfo, i, names[i]);
		row.values[i] = PG_GETARG_DATUM(i);
		row.nulls[i] = PG_ARGISNULL(i) ? 'n' : ' ';
	}
	PreventCommandIfReadOnly("idgen_create()");
	block_size = PG_ARGISNULL(ARG_BLOCK_SIZE) ? idgen_default_block_size : PG_GETARG_INT32(ARG_BLOCK_SIZE);
	source = idgen_source_get(text_to_cstring(PG_GETARG_TEXT_PP(ARG_SOURCE)));
	max_value = check_max_value(fcinfo, source);
	check_create_arguments(fcinfo, block_size, max_value);
	set_value(&row, ARG_BLOCK_SIZE, Int32GetDatum(block_size));
	set_value(&row, ARG_MAX_VALUE, Int64GetDatum(max_value));
	set_value(&row, ARG_REFILL, CStringGetTextDatum(check_refill(fcinfo, source)));
	check_period(fcinfo, source);
	source_name = check_source_name(fcinfo, source);
	if (source_name != NULL)
		set_value(&row, ARG_SOURCE_NAME, CStringGetTextDatum(source_name));
	else
		row.nulls[ARG_SOURCE_NAME] = 'n';
	if (!PG_ARGISNULL(ARG_OWNED_BY) && is_template_argument(fcinfo))
		ereport(ERROR,
		        (errcode(ERRCODE_WRONG_OBJECT_TYPE),
		         errmsg("a template cannot belong to a column"),
		         errdetail("It has no ids.")));
	if (!PG_ARGISNULL(ARG_OWNED_BY))
		set_value(&row, ARG_OWNED_BY, Int64GetDatum(check_owned_by(text_to_cstring(PG_GETARG_TEXT_PP(ARG_OWNED_BY)))));
	return row;
}

/*
 * Raises 42710 if the id sequence exists, 42501 without the privilege to
 * insert, and 55000 if a rule kept the row from being inserted.
 */
static void
insert_row(Oid id_sequences, NewRow *row)
{
	Oid types[NCOLUMNS] = {
		TEXTOID,
		INT8OID,
		INT4OID,
		INT4OID,
		INT8OID,
		TEXTOID,
		TEXTOID,
		TEXTOID,
		TEXTOID,
		NUMERICOID,
		TEXTOID,
		idgen_owning_column_type(id_sequences),
		INT4OID,
		TEXTOID,
		TEXTOID,
		TEXTOID,
	};
	char *query = psprintf("INSERT INTO %s (name, next_block_start, block_size, exhausted, max_value,"
	                       " source, source_name, refill, layout, big_base, pooling, owned_by,"
	                       " max_children, period, time_zone, format)"
	                       " VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)"
	                       " ON CONFLICT (name) DO NOTHING",
	                       idgen_table_name(id_sequences));

	SPI_connect();
	if (SPI_execute_with_args(query, NCOLUMNS, types, row->values, row->nulls, false, 0) != SPI_OK_INSERT)
		ereport(ERROR,
		        (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
		         errmsg("id sequence \"%s\" was not created",
		                TextDatumGetCString(row->values[ARG_NAME])),
		         errhint("A rule of table \"id_sequences\" is in the way.")));
	if (SPI_processed == 0)
		ereport(ERROR,
		        (errcode(ERRCODE_DUPLICATE_OBJECT),
		         errmsg("id sequence \"%s\" already exists",
		                TextDatumGetCString(row->values[ARG_NAME]))));
	SPI_finish();
}

/*
 * idgen_create(name text, next_block_start bigint, block_size integer,
 *				exhausted integer, max_value bigint, source text,
 *				source_name text, refill text, layout text, big_base numeric,
 *				pooling text, owned_by text, max_children integer,
 *				period text, time_zone text, format text, id_type text)
 * returns void
 *
 * Not strict: source_name, and what comes from owned_by on, may be null. A
 * block_size of null stands for idgen.default_block_size, a refill of null for
 * idgen.default_refill, and a max_value of null for the end of id_type. Raises
 * what get_new_row() and insert_row() do.
 */
Datum
idgen_create(PG_FUNCTION_ARGS)
{
	NewRow row = get_new_row(fcinfo);
	Oid id_sequences = idgen_table_oid(fcinfo->flinfo->fn_oid);

	idgen_check_may_change(id_sequences, ACL_INSERT);
	insert_row(id_sequences, &row);
	PG_RETURN_VOID();
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
	if (idgen_has_parent(id_sequences, name))
		call.missing_row = IDGEN_MISSING_ROW_MADE;
	held = idgen_handle_hold(handle);
	restart_at(handle, &call, PG_GETARG_INT64(1));
	if (held)
		idgen_handle_let_go(handle);
	PG_RETURN_VOID();
}
