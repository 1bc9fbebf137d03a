/*
 * call_site.c
 *		What a place in a query remembers of the id sequence that it draws from.
 */
#include "postgres.h"

#include "nodes/primnodes.h"
#include "utils/builtins.h"

#include "catalog/epoch.h"
#include "sql/call_site.h"

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
	uint64 epoch = idgen_handle_epoch;
	text *name = PG_GETARG_TEXT_PP(0);
	int len = VARSIZE_ANY_EXHDR(name);
	Oid relid = idgen_table_oid(fcinfo->flinfo->fn_oid);
	bool table_is_sure = epoch == idgen_handle_epoch;

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
		/* To make this one, another one may go. */
		site->handle = idgen_handle_get(relid, VARDATA_ANY(name), len);
		site->epoch = table_is_sure ? idgen_handle_epoch : 0;
	}
	site->constant_epoch = site->constant ? site->epoch : 0;
	site->asked = asked;
	return site;
}
