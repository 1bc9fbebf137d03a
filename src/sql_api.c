/*
 * sql_api.c
 *		The SQL functions that draw ids: arguments in, Datum out.
 */
#include "postgres.h"

#include "fmgr.h"
#include "nodes/primnodes.h"
#include "utils/builtins.h"
#include "utils/numeric.h"

#include "generator.h"

PG_FUNCTION_INFO_V1(idgen_next);
PG_FUNCTION_INFO_V1(idgen_next_big);
PG_FUNCTION_INFO_V1(idgen_last);
PG_FUNCTION_INFO_V1(idgen_peek);

/* What a call site (one place in one query) remembers in fn_extra. */
typedef struct CallSite
{
	IdgenHandle *handle; /* of the last call's name */
	bool constant;       /* the name is the same at every call */
} CallSite;

/*
 * Is the first argument a constant? A parameter is not taken for one: PL/pgSQL
 * evaluates the same expression again with other values.
 */
static bool
name_is_constant(FmgrInfo *flinfo)
{
	Node *expr = flinfo->fn_expr;

	return expr != NULL && IsA(expr, FuncExpr) &&
		IsA(linitial(((FuncExpr *) expr)->args), Const);
}

/*
 * The handle of the name that this call asks for. As long as a validated
 * handle is good, so is the table that it belongs to.
 */
static inline IdgenHandle *
get_handle(FunctionCallInfo fcinfo)
{
	CallSite *site = (CallSite *) fcinfo->flinfo->fn_extra;
	text *name;
	int len;
	Oid relid;

	if (likely(site != NULL && site->constant && site->handle->epoch == idgen_epoch))
		return site->handle;

	name = PG_GETARG_TEXT_PP(0);
	len = VARSIZE_ANY_EXHDR(name);
	relid = idgen_table_oid(fcinfo->flinfo->fn_oid);
	if (site == NULL)
	{
		site = MemoryContextAlloc(fcinfo->flinfo->fn_mcxt, sizeof(CallSite));
		site->handle = idgen_handle_get(relid, VARDATA_ANY(name), len);
		site->constant = name_is_constant(fcinfo->flinfo);
		fcinfo->flinfo->fn_extra = site;
	}
	else if (site->handle->relid != relid || site->handle->namelen != len ||
	         memcmp(site->handle->name, VARDATA_ANY(name), len) != 0)
		site->handle = idgen_handle_get(relid, VARDATA_ANY(name), len);
	return site->handle;
}

/* idgen_next(name text) returns bigint */
Datum
idgen_next(PG_FUNCTION_ARGS)
{
	IdgenHandle *handle = get_handle(fcinfo);

	PG_RETURN_INT64(idgen_generate(handle, "idgen_next()"));
}

/* idgen_next_big(name text) returns numeric: the same ids, plus big_base */
Datum
idgen_next_big(PG_FUNCTION_ARGS)
{
	IdgenHandle *handle = get_handle(fcinfo);
	Numeric id = int64_to_numeric(idgen_generate(handle, "idgen_next_big()"));

	if (handle->big_base == NULL)
		PG_RETURN_NUMERIC(id);
	return DirectFunctionCall2(numeric_add, NumericGetDatum(id),
	                           NumericGetDatum(handle->big_base));
}

/*
 * idgen_last(name text) returns bigint: what this session drew last. As with
 * currval(), that stays so when the transaction is rolled back. Raises 55000
 * if it has drawn none, and 42501 or 42704 as drawing would.
 */
Datum
idgen_last(PG_FUNCTION_ARGS)
{
	IdgenHandle *handle = get_handle(fcinfo);

	idgen_check_usable(handle);
	if (!handle->has_last)
		ereport(ERROR,
		        (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
		         errmsg("no id of id sequence \"%s\" has been drawn in this session yet",
		                handle->name),
		         errhint("Call idgen_next() first.")));
	PG_RETURN_INT64(handle->last_id);
}

/* idgen_peek(name text) returns bigint: the next id, without taking it */
Datum
idgen_peek(PG_FUNCTION_ARGS)
{
	IdgenHandle *handle = get_handle(fcinfo);

	PG_RETURN_INT64(idgen_peek_next(handle));
}
