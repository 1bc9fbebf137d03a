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
PG_FUNCTION_INFO_V1(idgen_next_from);
PG_FUNCTION_INFO_V1(idgen_next_big);
PG_FUNCTION_INFO_V1(idgen_next_big_from);
PG_FUNCTION_INFO_V1(idgen_last);
PG_FUNCTION_INFO_V1(idgen_peek);

/* What a call site (one place in one query) remembers in fn_extra. */
typedef struct CallSite
{
	IdgenHandle *handle;      /* of the last call's name */
	const IdgenSource *asked; /* the last call's source, if it has one */
	bool constant;            /* both are the same at every call */
} CallSite;

/*
 * Are all arguments constants? A parameter is not taken for one: PL/pgSQL
 * evaluates the same expression again with other values.
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
 * The call site, with the handle of the name that this call asks for and, if
 * there is a second argument, the source. As long as a validated handle is
 * good, so is the table that it belongs to.
 */
static inline CallSite *
get_site(FunctionCallInfo fcinfo)
{
	CallSite *site = (CallSite *) fcinfo->flinfo->fn_extra;
	const IdgenSource *asked = NULL;
	text *name;
	int len;
	Oid relid;

	if (likely(site != NULL && site->constant && site->handle->epoch == idgen_epoch))
		return site;

	name = PG_GETARG_TEXT_PP(0);
	len = VARSIZE_ANY_EXHDR(name);
	relid = idgen_table_oid(fcinfo->flinfo->fn_oid);
	if (PG_NARGS() > 1)
		asked = idgen_source_get(text_to_cstring(PG_GETARG_TEXT_PP(1)));
	if (site == NULL)
	{
		site = MemoryContextAlloc(fcinfo->flinfo->fn_mcxt, sizeof(CallSite));
		site->handle = idgen_handle_get(relid, VARDATA_ANY(name), len);
		site->constant = arguments_are_constant(fcinfo->flinfo);
		fcinfo->flinfo->fn_extra = site;
	}
	else if (site->handle->relid != relid || site->handle->namelen != len ||
	         memcmp(site->handle->name, VARDATA_ANY(name), len) != 0)
		site->handle = idgen_handle_get(relid, VARDATA_ANY(name), len);
	site->asked = asked;
	return site;
}

/* An id as idgen_next_big() returns it. */
static Datum
big_id(const IdgenHandle *handle, int64 id)
{
	Numeric big = int64_to_numeric(id);

	if (handle->big_base == NULL)
		PG_RETURN_NUMERIC(big);
	return DirectFunctionCall2(numeric_add, NumericGetDatum(big),
	                           NumericGetDatum(handle->big_base));
}

/* idgen_next(name text) returns bigint */
Datum
idgen_next(PG_FUNCTION_ARGS)
{
	IdgenHandle *handle = get_site(fcinfo)->handle;

	PG_RETURN_INT64(idgen_generate(handle, NULL, "idgen_next()"));
}

/*
 * idgen_next(name text, source text) returns bigint. Raises 22023 for a source
 * that is unknown, or not that of the row.
 */
Datum
idgen_next_from(PG_FUNCTION_ARGS)
{
	CallSite *site = get_site(fcinfo);

	PG_RETURN_INT64(idgen_generate(site->handle, site->asked, "idgen_next()"));
}

/* idgen_next_big(name text) returns numeric: the same ids, plus big_base */
Datum
idgen_next_big(PG_FUNCTION_ARGS)
{
	IdgenHandle *handle = get_site(fcinfo)->handle;

	return big_id(handle, idgen_generate(handle, NULL, "idgen_next_big()"));
}

/* idgen_next_big(name text, source text) returns numeric */
Datum
idgen_next_big_from(PG_FUNCTION_ARGS)
{
	CallSite *site = get_site(fcinfo);

	return big_id(site->handle, idgen_generate(site->handle, site->asked, "idgen_next_big()"));
}

/*
 * idgen_last(name text [, source text]) returns bigint: what this session drew
 * last. As with currval(), that stays so when the transaction is rolled back.
 * Raises 55000 if it has drawn none, and 42501 or 42704 as drawing would.
 */
Datum
idgen_last(PG_FUNCTION_ARGS)
{
	CallSite *site = get_site(fcinfo);

	idgen_check_usable(site->handle, site->asked);
	if (!site->handle->has_last || site->handle->last_object != site->handle->object)
		ereport(ERROR,
		        (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
		         errmsg("no id of id sequence \"%s\" has been drawn in this session yet",
		                site->handle->name),
		         errhint("Call idgen_next() first.")));
	PG_RETURN_INT64(site->handle->last_id);
}

/* idgen_peek(name text [, source text]) returns bigint: the next id, not taken */
Datum
idgen_peek(PG_FUNCTION_ARGS)
{
	CallSite *site = get_site(fcinfo);

	PG_RETURN_INT64(idgen_peek_next(site->handle, site->asked));
}
