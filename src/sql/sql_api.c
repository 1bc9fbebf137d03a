/*
 * sql_api.c
 *		The SQL functions that draw ids: arguments in, Datum out.
 */
#include "postgres.h"

#include "fmgr.h"
#include "miscadmin.h"
#include "nodes/primnodes.h"
#include "utils/builtins.h"

#include "catalog/epoch.h"
#include "draw/draw.h"
#include "draw/peek.h"
#include "session/handle_table.h"
#include "session/validate.h"
#include "sql/sql_support.h"
#include "sql/utility.h"

PG_FUNCTION_INFO_V1(idgen_next);
PG_FUNCTION_INFO_V1(idgen_next_from);
PG_FUNCTION_INFO_V1(idgen_next_big);
PG_FUNCTION_INFO_V1(idgen_next_big_from);
PG_FUNCTION_INFO_V1(idgen_next_in_copy);
PG_FUNCTION_INFO_V1(idgen_next_from_in_copy);
PG_FUNCTION_INFO_V1(idgen_next_big_in_copy);
PG_FUNCTION_INFO_V1(idgen_next_big_from_in_copy);
PG_FUNCTION_INFO_V1(idgen_next_range);
PG_FUNCTION_INFO_V1(idgen_last);
PG_FUNCTION_INFO_V1(idgen_last_big);
PG_FUNCTION_INFO_V1(idgen_peek);
PG_FUNCTION_INFO_V1(idgen_peek_big);

/*
 * The most consecutive ids that one call may ask for: half of those of a
 * bigint.
 */
#define IDGEN_RANGE_MAX (INT64CONST(1) << 62)

/* What a call site (one place in one query) remembers in fn_extra. */
typedef struct CallSite
{
	IdgenHandle *handle;      /* of the name in the last call */
	uint64 epoch;             /* idgen_handle_epoch at that time: if it differs, the
	                           * handle may be gone */
	uint64 constant_epoch;    /* the same if all calls have the same arguments,
	                           * otherwise 0 */
	const IdgenSource *asked; /* the source in the last call, NULL if it has none */
	bool constant;            /* do all calls have the same arguments? */
	TupleDesc desc;           /* the row type of the result, NULL if not known yet */
} CallSite;

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
 * The slow part of get_site(): for a new call site, for one whose arguments
 * vary, and when the handle may be gone. Raises 22023 for an unknown source.
 */
static pg_noinline CallSite *
look_up_site(FunctionCallInfo fcinfo, int source_arg)
{
	CallSite *site = (CallSite *) fcinfo->flinfo->fn_extra;
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
		site = MemoryContextAlloc(fcinfo->flinfo->fn_mcxt, sizeof(CallSite));
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

/*
 * The call site, with the handle and the source that this call asks for. The
 * source is the argument with that number, if there are as many. As long as
 * idgen_handle_epoch is the same, the handle exists, and so does its table.
 */
static inline CallSite *
get_site(FunctionCallInfo fcinfo, int source_arg)
{
	CallSite *site = (CallSite *) fcinfo->flinfo->fn_extra;

	if (likely(site != NULL && site->constant_epoch == idgen_handle_epoch))
		return site;
	return look_up_site(fcinfo, source_arg);
}

/* The id that a sequence value makes with the handle's layout. */
static inline Datum
compose(const IdgenHandle *handle, const IdgenCall *call, int64 value)
{
	if (likely(handle->found.layout == &idgen_layout_plain))
		PG_RETURN_INT64(value);
	PG_RETURN_INT64(idgen_layout_compose(handle->found.layout, call->prefix, value));
}

/* The slow part of next_id(). */
static pg_noinline Datum
next_id_slow(IdgenHandle *handle, const IdgenSource *asked)
{
	IdgenCall call = {.function = "idgen_next()", .asked = asked, .count = 1};
	int64 value = idgen_draw_slow(handle, &call).next;

	return compose(handle, &call, value);
}

/*
 * The next id. The hot path draws only ids of layout plain, so it composes
 * none.
 */
static pg_attribute_always_inline Datum
next_id(IdgenHandle *handle, const IdgenSource *asked)
{
	int64 value;

	if (likely(idgen_draw_fast(handle, asked, &value)))
		PG_RETURN_INT64(value);
	return next_id_slow(handle, asked);
}

static Datum
next_big_id(IdgenHandle *handle, const IdgenSource *asked)
{
	int64 value;
	int prefix = 0;

	if (!idgen_draw_fast(handle, asked, &value))
	{
		IdgenCall call = {
			.function = "idgen_next_big()",
			.asked = asked,
			.form = IDGEN_FORM_NUMERIC,
			.count = 1,
		};

		value = idgen_draw_slow(handle, &call).next;
		prefix = call.prefix;
	}
	PG_RETURN_NUMERIC(idgen_layout_compose_big(handle->found.layout, prefix, value, handle->found.big_base));
}

/* idgen_next(name text) returns bigint */
Datum
idgen_next(PG_FUNCTION_ARGS)
{
	return next_id(get_site(fcinfo, 1)->handle, NULL);
}

/*
 * idgen_next(name text, source text) returns bigint. Raises 22023 for an
 * unknown source, and for another source than that of the row.
 */
Datum
idgen_next_from(PG_FUNCTION_ARGS)
{
	CallSite *site = get_site(fcinfo, 1);

	return next_id(site->handle, site->asked);
}

/* idgen_next_big(name text) returns numeric: the next id, plus big_base */
Datum
idgen_next_big(PG_FUNCTION_ARGS)
{
	return next_big_id(get_site(fcinfo, 1)->handle, NULL);
}

/* idgen_next_big(name text, source text) returns numeric */
Datum
idgen_next_big_from(PG_FUNCTION_ARGS)
{
	CallSite *site = get_site(fcinfo, 1);

	return next_big_id(site->handle, site->asked);
}

/*
 * The functions that the planner puts in place of these four in defaults of
 * COPY, see copy_batches.c: with an argument more, which says nothing.
 *
 * Raises 55000 if the id sequence has got a source that runs code since COPY
 * has planned its defaults: it may be that the code had to see rows that COPY
 * has not stored yet. The error undoes what the code has done.
 */
static void
check_without_code(const IdgenHandle *handle)
{
	const IdgenSource *source = handle->found.source;

	if (source->runs_code && idgen_in_copy_from())
		ereport(ERROR,
		        (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
		         errmsg("id sequence \"%s\" has got source \"%s\" while COPY stores rows in batches",
		                handle->name, source->name),
		         errdetail("The function might have to see rows that are not stored yet."),
		         errhint("Repeat the COPY.")));
}

static pg_noinline Datum
next_id_in_copy_slow(IdgenHandle *handle, const IdgenSource *asked)
{
	Datum id = next_id_slow(handle, asked);

	check_without_code(handle);
	return id;
}

static inline Datum
next_id_in_copy(IdgenHandle *handle, const IdgenSource *asked)
{
	int64 value;

	if (likely(idgen_draw_fast(handle, asked, &value)))
		PG_RETURN_INT64(value);
	return next_id_in_copy_slow(handle, asked);
}

static Datum
next_big_id_in_copy(IdgenHandle *handle, const IdgenSource *asked)
{
	Datum id = next_big_id(handle, asked);

	check_without_code(handle);
	return id;
}

/* idgen_next_in_copy(name text, internal) returns bigint */
Datum
idgen_next_in_copy(PG_FUNCTION_ARGS)
{
	return next_id_in_copy(get_site(fcinfo, 2)->handle, NULL);
}

/* idgen_next_in_copy(name text, source text, internal) returns bigint */
Datum
idgen_next_from_in_copy(PG_FUNCTION_ARGS)
{
	CallSite *site = get_site(fcinfo, 1);

	return next_id_in_copy(site->handle, site->asked);
}

/* idgen_next_big_in_copy(name text, internal) returns numeric */
Datum
idgen_next_big_in_copy(PG_FUNCTION_ARGS)
{
	return next_big_id_in_copy(get_site(fcinfo, 2)->handle, NULL);
}

/* idgen_next_big_in_copy(name text, source text, internal) returns numeric */
Datum
idgen_next_big_from_in_copy(PG_FUNCTION_ARGS)
{
	CallSite *site = get_site(fcinfo, 1);

	return next_big_id_in_copy(site->handle, site->asked);
}

/*
 * idgen_next_range(name text, n bigint [, source text],
 *					OUT first_id bigint, OUT last_id bigint)
 *
 * n consecutive ids. In a descending sequence, the first is the greatest.
 * Raises 22023 unless n is 1 to 2^62.
 */
Datum
idgen_next_range(PG_FUNCTION_ARGS)
{
	CallSite *site = get_site(fcinfo, 2);
	IdgenCall call = {
		.function = "idgen_next_range()",
		.asked = site->asked,
		.form = IDGEN_FORM_RANGE,
		.count = PG_GETARG_INT64(1),
	};
	IdgenBlock ids;
	Datum values[2];
	bool nulls[2] = {false, false};

	if (call.count < 1 || call.count > IDGEN_RANGE_MAX)
		ereport(ERROR,
		        (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
		         errmsg("n must be between 1 and %lld", (long long) IDGEN_RANGE_MAX)));
	ids = idgen_draw_slow(site->handle, &call);
	values[0] = compose(site->handle, &call, ids.next);
	values[1] = compose(site->handle, &call, idgen_block_last(&ids));
	return idgen_result_row(fcinfo, &site->desc, values, nulls);
}

/*
 * The handle of an id sequence that this session has drawn from. Raises 55000
 * if it has not, and 25000, 42501 or 42704 where drawing does.
 */
static IdgenHandle *
last_drawn(FunctionCallInfo fcinfo)
{
	CallSite *site = get_site(fcinfo, 1);
	IdgenHandle *handle = site->handle;
	IdgenCall call = {.function = "idgen_last()", .asked = site->asked};
	bool held;

	PreventCommandIfParallelMode(call.function);
	held = idgen_handle_hold(handle);
	idgen_handle_validate(handle, &call);
	if (held)
		idgen_handle_let_go(handle);
	if (handle->last.layout == NULL || handle->last.object != handle->found.object)
		ereport(ERROR,
		        (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
		         errmsg("no id of id sequence \"%s\" has been drawn in this session yet",
		                handle->name),
		         errhint("Call idgen_next() first.")));
	return handle;
}

/*
 * idgen_last(name text [, source text]) returns bigint
 *
 * The id that this session drew last; of a range, the last one. As with
 * currval(), a rollback does not change the answer, nor does a change of
 * layout. Raises 2200H if idgen_next_big() drew the id and it does not fit a
 * bigint.
 */
Datum
idgen_last(PG_FUNCTION_ARGS)
{
	IdgenHandle *handle = last_drawn(fcinfo);

	idgen_layout_check(handle->last.layout, handle->name, handle->last.value);
	PG_RETURN_INT64(idgen_layout_compose(handle->last.layout, handle->last.prefix, handle->last.value));
}

/*
 * idgen_last_big(name text [, source text]) returns numeric: that id, plus
 * big_base
 */
Datum
idgen_last_big(PG_FUNCTION_ARGS)
{
	IdgenHandle *handle = last_drawn(fcinfo);

	idgen_layout_check_big(handle->last.layout, handle->name, handle->last.value, handle->last.big_base);
	PG_RETURN_NUMERIC(idgen_layout_compose_big(handle->last.layout, handle->last.prefix,
	                                           handle->last.value, handle->last.big_base));
}

/*
 * idgen_peek(name text [, source text]) returns bigint: the next id, not drawn
 */
Datum
idgen_peek(PG_FUNCTION_ARGS)
{
	CallSite *site = get_site(fcinfo, 1);
	IdgenCall call = {.function = "idgen_peek()", .asked = site->asked};
	int64 value = idgen_peek_next(site->handle, &call);

	return compose(site->handle, &call, value);
}

/* idgen_peek_big(name text [, source text]) returns numeric */
Datum
idgen_peek_big(PG_FUNCTION_ARGS)
{
	CallSite *site = get_site(fcinfo, 1);
	IdgenCall call = {.function = "idgen_peek_big()", .asked = site->asked, .form = IDGEN_FORM_NUMERIC};
	int64 value = idgen_peek_next(site->handle, &call);

	PG_RETURN_NUMERIC(idgen_layout_compose_big(site->handle->found.layout, call.prefix,
	                                           value, site->handle->found.big_base));
}
