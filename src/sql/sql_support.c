/*
 * sql_support.c
 *		What SQL functions have in common: arguments, call sites and results.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "funcapi.h"
#include "mb/pg_wchar.h"
#include "nodes/primnodes.h"

#include "catalog/table.h"
#include "cache/cache.h"
#include "sql/sql_support.h"

/* Raises 22023 or 22001 if a text cannot be the name of an id sequence. */
void
idgen_check_name(const text *name)
{
	int length = pg_mbstrlen_with_len(VARDATA_ANY(name), VARSIZE_ANY_EXHDR(name));

	if (length == 0)
		ereport(ERROR,
		        (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
		         errmsg("name must not be empty")));
	if (length > IDGEN_NAME_CHARACTERS)
		ereport(ERROR,
		        (errcode(ERRCODE_STRING_DATA_RIGHT_TRUNCATION),
		         errmsg("name is too long"),
		         errdetail("It has %d characters; %d are allowed.", length, IDGEN_NAME_CHARACTERS)));
}

/*
 * The result of a function that returns a row. The call site keeps the row's
 * type in *desc, which is NULL at the first call: to look up the type costs
 * more than all the rest.
 */
Datum
idgen_result_row(FunctionCallInfo fcinfo, TupleDesc *desc, Datum *values, bool *nulls)
{
	if (*desc == NULL)
	{
		MemoryContext context = MemoryContextSwitchTo(fcinfo->flinfo->fn_mcxt);
		TupleDesc found;

		if (get_call_result_type(fcinfo, NULL, &found) != TYPEFUNC_COMPOSITE)
			elog(ERROR, "return type must be a row type");
		*desc = BlessTupleDesc(found);
		MemoryContextSwitchTo(context);
	}
	return HeapTupleGetDatum(heap_form_tuple(*desc, values, nulls));
}

/*
 * Are all arguments constants? A parameter is none: PL/pgSQL evaluates the same
 * expression again with other values.
 */
static bool
arguments_are_constant(FmgrInfo *flinfo)
{
	Node *expr = flinfo->fn_expr;
	ListCell *cell;

	if (expr == NULL || !IsA(expr, FuncExpr))
		return false;
	foreach(cell, ((FuncExpr *) expr)->args)
		if (!IsA(lfirst(cell), Const))
			return false;
	return true;
}

/*
 * The slow part of idgen_call_site(): for a new call site, for one whose
 * arguments vary, and when the handle may be gone.
 */
pg_noinline IdgenCallSite *
idgen_call_site_look_up(FunctionCallInfo fcinfo, int source_arg)
{
	IdgenCallSite *site = (IdgenCallSite *) fcinfo->flinfo->fn_extra;
	const IdgenSource *asked = NULL;
	uint64 epoch = idgen_epoch;
	text *name = PG_GETARG_TEXT_PP(0);
	int len = VARSIZE_ANY_EXHDR(name);
	Oid relid = idgen_table_oid(fcinfo->flinfo->fn_oid);

	if (PG_NARGS() > source_arg)
		asked = idgen_source_get(text_to_cstring(PG_GETARG_TEXT_PP(source_arg)));
	if (site == NULL)
	{
		site = MemoryContextAlloc(fcinfo->flinfo->fn_mcxt, sizeof(IdgenCallSite));
		site->handle = NULL;
		site->epoch = 0;
		site->constant = arguments_are_constant(fcinfo->flinfo);
		site->desc = NULL;
		fcinfo->flinfo->fn_extra = site;
	}
	if (site->handle == NULL || site->epoch != epoch || site->handle->relid != relid ||
	    site->handle->namelen != len ||
	    memcmp(site->handle->name, VARDATA_ANY(name), len) != 0)
	{
		site->handle = idgen_handle_get(relid, VARDATA_ANY(name), len);
		site->epoch = epoch;
	}
	site->constant_epoch = site->constant ? site->epoch : 0;
	site->asked = asked;
	return site;
}
