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

#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
#include "fmgr.h"
#include "funcapi.h"
#include "nodes/nodeFuncs.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"

#include "catalog/native_look.h"
#include "catalog/version.h"
#include "sources/sources.h"
#include "sql/calls.h"
#include "sql/view_line.h"

PG_FUNCTION_INFO_V1(idgen_calls);
PG_FUNCTION_INFO_V1(idgen_constant);

/*
 * What is looked for
 */

/* The functions that draw single ids. */
static const struct
{
	const char *name;
	IdgenDrawForm form;
	int nargs;
	Oid types[2];
} drawing[] = {
	{"idgen_next", IDGEN_DRAWS_BIGINT, 1, {TEXTOID}},
	{"idgen_next", IDGEN_DRAWS_BIGINT, 2, {TEXTOID, TEXTOID}},
	{"idgen_next_big", IDGEN_DRAWS_NUMERIC, 1, {TEXTOID}},
	{"idgen_next_big", IDGEN_DRAWS_NUMERIC, 2, {TEXTOID, TEXTOID}},
	{"idgen_next_text", IDGEN_DRAWS_TEXT, 1, {TEXTOID}},
	{"idgen_next_text", IDGEN_DRAWS_TEXT, 2, {TEXTOID, DATEOID}},
};

/*
 * What is looked for, palloc'd: calls of nextval(), and of the functions of the
 * extension in that schema. The list of these has InvalidOid for one that is
 * not there. Asks for no right to use the schema: whoever drops a table need
 * not have it.
 */
IdgenSearched *
idgen_searched(Oid idgen_schema)
{
	IdgenSearched *searched = palloc0(sizeof(IdgenSearched));

	searched->stored = palloc((lengthof(drawing) + 1) * sizeof(*searched->stored));
	snprintf(searched->stored[searched->n++], sizeof(*searched->stored), ":funcid %u ", F_NEXTVAL);
	for (size_t i = 0; i < lengthof(drawing); i++)
	{
		Oid function = GetSysCacheOid3(PROCNAMEARGSNSP, Anum_pg_proc_oid, CStringGetDatum(drawing[i].name),
		                               PointerGetDatum(buildoidvector(drawing[i].types, drawing[i].nargs)),
		                               ObjectIdGetDatum(idgen_schema));

		searched->functions = lappend_oid(searched->functions, function);
		snprintf(searched->stored[searched->n++], sizeof(*searched->stored), ":funcid %u ", function);
	}
	return searched;
}

/* Is one of these perhaps called in an expression, as it is stored? */
static bool
may_call(const IdgenSearched *searched, const char *stored)
{
	for (int i = 0; i < searched->n; i++)
		if (strstr(stored, searched->stored[i]) != NULL)
			return true;
	return false;
}

/*
 * Reading an expression
 */

/* An expression without the conversions around it. */
static Node *
strip_conversions(Node *expr)
{
	for (;;)
	{
		if (expr == NULL)
			return NULL;
		else if (IsA(expr, RelabelType))
			expr = (Node *) ((RelabelType *) expr)->arg;
		else if (IsA(expr, CoerceToDomain))
			expr = (Node *) ((CoerceToDomain *) expr)->arg;
		else if (IsA(expr, FuncExpr) && ((FuncExpr *) expr)->args != NIL &&
		         (((FuncExpr *) expr)->funcformat == COERCE_IMPLICIT_CAST ||
		          ((FuncExpr *) expr)->funcformat == COERCE_EXPLICIT_CAST))
			expr = (Node *) linitial(((FuncExpr *) expr)->args);
		else
			return expr;
	}
}

/*
 * A text constant, NULL if it is anything else: a value of another type may
 * become text by a conversion that is somebody's function.
 */
static char *
constant_text(Node *expr)
{
	Const *constant = (Const *) strip_conversions(expr);

	if (constant == NULL || !IsA(constant, Const) || constant->constisnull)
		return NULL;
	switch (constant->consttype)
	{
		case TEXTOID:
		case VARCHAROID:
		case BPCHAROID:
			return TextDatumGetCString(constant->constvalue);
		case NAMEOID:
			return pstrdup(NameStr(*DatumGetName(constant->constvalue)));
		default:
			return NULL;
	}
}

/* For collect_calls(). */
typedef struct Calls
{
	List *functions;
	List *found; /* of FuncExpr */
} Calls;

static bool
collect_calls(Node *node, void *context)
{
	Calls *calls = (Calls *) context;

	if (node == NULL)
		return false;
	if (IsA(node, FuncExpr) && list_member_oid(calls->functions, ((FuncExpr *) node)->funcid))
		calls->found = lappend(calls->found, node);
	return expression_tree_walker(node, collect_calls, context);
}

/* The calls of functions with these OIDs: a list of FuncExpr. */
static List *
calls_of(Node *expr, List *functions)
{
	Calls calls = {.functions = functions};

	(void) collect_calls(expr, &calls);
	return calls.found;
}

/* What a call of one of these functions says. */
static IdgenDrawCall
read_call(FuncExpr *expr, List *functions)
{
	IdgenDrawCall call = {.name = constant_text((Node *) linitial(expr->args))};
	int function = 0;
	ListCell *cell;

	foreach(cell, functions)
	{
		if (lfirst_oid(cell) == expr->funcid)
			function = foreach_current_index(cell);
	}
	call.form = drawing[function].form;
	call.plain = call.name != NULL;
	if (drawing[function].types[1] != TEXTOID)
		return call;
	call.source = constant_text((Node *) lsecond(expr->args));
	if (call.source == NULL)
		call.plain = false;
	return call;
}

/* Is a call of the same id sequence among them? A name may be NULL. */
static bool
is_among(const List *calls, const char *name)
{
	ListCell *cell;

	foreach(cell, calls)
	{
		const IdgenDrawCall *call = lfirst(cell);

		if (name == NULL || call->name == NULL ? name == call->name : strcmp(call->name, name) == 0)
			return true;
	}
	return false;
}

/*
 * The calls of the extension's functions in an expression, as palloc'd
 * IdgenDrawCalls: one for each id sequence, and one for all whose name is no
 * constant.
 */
static List *
own_calls(Node *expr, List *functions)
{
	Node *whole = strip_conversions(expr);
	List *calls = NIL;
	ListCell *cell;

	foreach(cell, calls_of(expr, functions))
	{
		IdgenDrawCall *call = palloc(sizeof(IdgenDrawCall));

		*call = read_call(lfirst(cell), functions);
		if (lfirst(cell) != whole)
			call->plain = false;
		if (!is_among(calls, call->name))
			calls = lappend(calls, call);
	}
	return calls;
}

/* The same in an expression as it is stored. */
List *
idgen_calls_in(const IdgenSearched *searched, const char *stored)
{
	return may_call(searched, stored) ? own_calls(stringToNode(stored), searched->functions) : NIL;
}

/*
 * SQL functions
 */

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
	Node *whole = strip_conversions(expr);
	List *sequences = NIL;
	ListCell *cell;

	foreach(cell, calls_of(expr, list_make1_oid(F_NEXTVAL)))
	{
		Node *argument = strip_conversions(linitial(((FuncExpr *) lfirst(cell))->args));
		char *name = constant_text(argument);
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

	foreach(cell, own_calls(expr, functions))
	{
		const IdgenDrawCall *call = lfirst(cell);
		bool native = call->name != NULL && call->source != NULL && idgen_source_find(call->source) == &idgen_source_sequence;

		put_call(fcinfo, forms[call->form], call->name, call->source,
		         native ? idgen_native_look_up(call->name, NULL) : InvalidOid, call->plain);
	}
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

/*
 * idgen_constant(value text) returns text: what is in an expression, as it is
 * stored, if that text is a constant there. The server writes the bytes of a
 * constant as numbers.
 */
Datum
idgen_constant(PG_FUNCTION_ARGS)
{
	text *value = PG_GETARG_TEXT_PP(0);
	const char *bytes = VARDATA_ANY(value);
	StringInfoData stored;

	initStringInfo(&stored);
	for (Size i = 0; i < VARSIZE_ANY_EXHDR(value); i++)
		appendStringInfo(&stored, " %d", (int) bytes[i]);
	appendStringInfoChar(&stored, ' ');
	PG_RETURN_TEXT_P(cstring_to_text_with_len(stored.data, stored.len));
}
