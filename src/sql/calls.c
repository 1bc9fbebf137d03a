/*
 * calls.c
 *		What a stored expression draws from.
 *
 * A default draws if it calls nextval() or one of the extension's functions.
 * Calls inside other functions are not found: that would mean to understand the
 * source text of those functions.
 *
 * The server notes that a default depends on a native sequence only if the call
 * names it as a regclass. An old dump, or a careful developer, has it as text,
 * so that it is looked for at each call. So all defaults are searched: in the
 * form in which they are stored, most can be passed over without being parsed.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "fmgr.h"
#include "funcapi.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"

#include "catalog/native_look.h"
#include "catalog/version.h"
#include "sources/sources.h"
#include "sql/column_default.h"
#include "sql/view_line.h"

PG_FUNCTION_INFO_V1(idgen_calls);

/* What is looked for: kept as long as the calling statement runs. */
typedef struct Searched
{
	List *functions; /* that draw from id sequences */
	int n;
	char (*stored)[32]; /* how a call of these, or of nextval(), is stored */
} Searched;

/* Raises 55000 if the library is not of the version of the database. */
static Searched *
get_searched(FmgrInfo *flinfo)
{
	Searched *searched = flinfo->fn_extra;
	MemoryContext caller;
	ListCell *cell;

	if (searched != NULL)
		return searched;
	idgen_version_check();
	caller = MemoryContextSwitchTo(flinfo->fn_mcxt);
	searched = palloc0(sizeof(Searched));
	searched->functions = idgen_drawing_functions(get_func_namespace(flinfo->fn_oid));
	searched->stored = palloc((list_length(searched->functions) + 1) * sizeof(*searched->stored));
	snprintf(searched->stored[searched->n++], sizeof(*searched->stored), ":funcid %u ", F_NEXTVAL);
	foreach(cell, searched->functions)
		snprintf(searched->stored[searched->n++], sizeof(*searched->stored), ":funcid %u ", lfirst_oid(cell));
	MemoryContextSwitchTo(caller);
	return flinfo->fn_extra = searched;
}

static bool
may_call(const Searched *searched, const char *stored)
{
	for (int i = 0; i < searched->n; i++)
		if (strstr(stored, searched->stored[i]) != NULL)
			return true;
	return false;
}

/*
 * A call: what it is of, the name and the source that it gives, the native
 * sequence that it leads to, and whether it is the whole expression.
 */
static void
put_call(FunctionCallInfo fcinfo, const char *form, const char *name, const char *source, Oid sequence, bool plain)
{
	IdgenViewLine line = {.n = 0};

	idgen_view_add_text(&line, form);
	idgen_view_add_text(&line, name);
	idgen_view_add_text(&line, source);
	idgen_view_add_unless(!OidIsValid(sequence), &line, ObjectIdGetDatum(sequence));
	idgen_view_add(&line, BoolGetDatum(plain));
	idgen_view_put((ReturnSetInfo *) fcinfo->resultinfo, &line);
}

/* Put the calls of nextval(): one for each native sequence. */
static void
put_nextval_calls(FunctionCallInfo fcinfo, Node *expr)
{
	Node *whole = idgen_strip_conversions(expr);
	List *sequences = NIL;
	ListCell *cell;

	foreach(cell, idgen_calls_of(expr, list_make1_oid(F_NEXTVAL)))
	{
		Node *argument = idgen_strip_conversions(linitial(((FuncExpr *) lfirst(cell))->args));
		char *name = argument != NULL ? idgen_constant_text(argument) : NULL;
		Oid sequence = InvalidOid;

		if (name != NULL)
			sequence = idgen_native_look_up(NULL, name);
		else if (argument != NULL && IsA(argument, Const) && !((Const *) argument)->constisnull &&
		         ((Const *) argument)->consttype == REGCLASSOID)
			sequence = DatumGetObjectId(((Const *) argument)->constvalue);
		if (list_member_oid(sequences, sequence))
			continue;
		sequences = lappend_oid(sequences, sequence);
		put_call(fcinfo, "nextval", name, NULL, sequence, lfirst(cell) == whole);
	}
}

/* Put those of the extension's functions: one for each id sequence. */
static void
put_own_calls(FunctionCallInfo fcinfo, Node *expr, List *functions)
{
	static const char *const forms[] = {
		[IDGEN_DRAWS_BIGINT] = "bigint",
		[IDGEN_DRAWS_NUMERIC] = "numeric",
		[IDGEN_DRAWS_TEXT] = "text",
	};
	ListCell *cell;

	foreach(cell, idgen_default_calls(expr, functions))
	{
		const IdgenDrawCall *call = lfirst(cell);
		bool native = call->name != NULL && call->source != NULL && idgen_source_find(call->source) == &idgen_source_sequence;

		put_call(fcinfo, forms[call->form], call->name, call->source,
		         native ? idgen_native_look_up(call->name, NULL) : InvalidOid, call->plain);
	}
}

/*
 * idgen_calls(expression pg_node_tree) returns setof record: the calls in an
 * expression that draw, each thing that they draw from once
 */
Datum
idgen_calls(PG_FUNCTION_ARGS)
{
	Searched *searched = get_searched(fcinfo->flinfo);
	char *stored = TextDatumGetCString(PG_GETARG_DATUM(0));

	InitMaterializedSRF(fcinfo, MAT_SRF_USE_EXPECTED_DESC);
	if (may_call(searched, stored))
	{
		Node *expr = (Node *) stringToNode(stored);

		put_nextval_calls(fcinfo, expr);
		put_own_calls(fcinfo, expr, searched->functions);
	}
	pfree(stored);
	return (Datum) 0;
}
