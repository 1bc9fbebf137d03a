/*
 * sql_calls.c
 *		SQL functions about what stored expressions draw from.
 */
#include "postgres.h"

#include "fmgr.h"
#include "funcapi.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

#include "catalog/calls.h"
#include "catalog/native_look.h"
#include "catalog/version.h"
#include "common/compat.h"
#include "sources/sources.h"
#include "sql/sql_support.h"

PG_FUNCTION_INFO_V1(idgen_calls);
PG_FUNCTION_INFO_V1(idgen_constant);

/*
 * A call: what it is of, the name and the source that it gives, the native
 * sequence that it leads to, and whether it is the whole expression.
 */
static void
put_call(FunctionCallInfo fcinfo, const IdgenDrawCall *call, Oid sequence)
{
	static const char *const forms[] = {
		[IDGEN_DRAWS_BIGINT] = "bigint",
		[IDGEN_DRAWS_NUMERIC] = "numeric",
		[IDGEN_DRAWS_TEXT] = "text",
		[IDGEN_DRAWS_NEXTVAL] = "nextval",
	};
	IdgenViewLine line = {.n = 0};

	idgen_view_add_text(&line, forms[call->form]);
	idgen_view_add_text(&line, call->name);
	idgen_view_add_text(&line, call->source);
	idgen_view_add_unless(!OidIsValid(sequence), &line, ObjectIdGetDatum(sequence));
	idgen_view_add(&line, BoolGetDatum(call->plain));
	idgen_view_put((ReturnSetInfo *) fcinfo->resultinfo, &line);
}

/*
 * The native sequence that a call leads to, invalid if there is none: of
 * nextval(), or of an id sequence without a row.
 */
static Oid
sequence_of(const IdgenDrawCall *call)
{
	if (OidIsValid(call->sequence) || call->name == NULL)
		return call->sequence;
	if (call->form == IDGEN_DRAWS_NEXTVAL)
		return idgen_native_look_up(NULL, call->name);
	if (call->source != NULL && idgen_source_find(call->source) == &idgen_source_sequence)
		return idgen_native_look_up(call->name, NULL);
	return InvalidOid;
}

/*
 * What idgen_calls() looks for: it is kept as long as the calling statement
 * runs. Raises 55000 if the library is not of the version of the database.
 */
static IdgenSearched *
get_searched(FmgrInfo *flinfo)
{
	if (flinfo->fn_extra == NULL)
	{
		MemoryContext caller = MemoryContextSwitchTo(flinfo->fn_mcxt);

		idgen_version_check();
		flinfo->fn_extra = idgen_searched(get_func_namespace(flinfo->fn_oid));
		MemoryContextSwitchTo(caller);
	}
	return flinfo->fn_extra;
}

/*
 * idgen_calls(expression pg_node_tree) returns setof record: the calls in an
 * expression that draw, each thing that they draw from once
 */
Datum
idgen_calls(PG_FUNCTION_ARGS)
{
	IdgenSearched *searched = get_searched(fcinfo->flinfo);
	char *stored = TextDatumGetCString(PG_GETARG_DATUM(0));
	List *sequences = NIL;
	ListCell *cell;

	InitMaterializedSRF(fcinfo, MAT_SRF_USE_EXPECTED_DESC);
	foreach(cell, idgen_calls_in(searched, stored))
	{
		const IdgenDrawCall *call = lfirst(cell);
		Oid sequence = sequence_of(call);

		if (call->form == IDGEN_DRAWS_NEXTVAL)
		{
			if (list_member_oid(sequences, sequence))
				continue;
			sequences = lappend_oid(sequences, sequence);
		}
		put_call(fcinfo, call, sequence);
	}
	pfree(stored);
	return (Datum) 0;
}

/*
 * idgen_constant(value text) returns text: what is in an expression, as it is
 * stored, if that text is a constant there
 */
Datum
idgen_constant(PG_FUNCTION_ARGS)
{
	text *value = PG_GETARG_TEXT_PP(0);

	PG_RETURN_TEXT_P(cstring_to_text(idgen_stored_constant(VARDATA_ANY(value), VARSIZE_ANY_EXHDR(value))));
}
