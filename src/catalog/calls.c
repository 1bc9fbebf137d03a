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

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/table.h"
#include "catalog/pg_attrdef.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/rel.h"
#include "utils/syscache.h"

#include "catalog/calls.h"
#include "common/compat.h"

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

/*
 * Is one of these perhaps called in an expression, as it is stored? The first
 * one is nextval().
 */
static bool
may_call(const IdgenSearched *searched, int first, const char *stored)
{
	for (int i = first; i < searched->n; i++)
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

/* What a call of one of the extension's functions says. */
static IdgenDrawCall
read_own_call(FuncExpr *expr, List *functions)
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

		*call = read_own_call(lfirst(cell), functions);
		if (lfirst(cell) != whole)
			call->plain = false;
		if (!is_among(calls, call->name))
			calls = lappend(calls, call);
	}
	return calls;
}

/* The calls of nextval() in an expression. */
static List *
nextval_calls(Node *expr)
{
	Node *whole = strip_conversions(expr);
	List *calls = NIL;
	ListCell *cell;

	foreach(cell, calls_of(expr, list_make1_oid(F_NEXTVAL)))
	{
		Const *argument = (Const *) strip_conversions(linitial(((FuncExpr *) lfirst(cell))->args));
		IdgenDrawCall *call = palloc0(sizeof(IdgenDrawCall));

		call->form = IDGEN_DRAWS_NEXTVAL;
		call->name = constant_text((Node *) argument);
		call->plain = lfirst(cell) == whole;
		if (argument != NULL && IsA(argument, Const) && !argument->constisnull && argument->consttype == REGCLASSOID)
			call->sequence = DatumGetObjectId(argument->constvalue);
		calls = lappend(calls, call);
	}
	return calls;
}

/* All calls in an expression, as it is stored, that draw: of IdgenDrawCall. */
List *
idgen_calls_in(const IdgenSearched *searched, const char *stored)
{
	Node *expr;

	if (!may_call(searched, 0, stored))
		return NIL;
	expr = stringToNode(stored);
	return list_concat(nextval_calls(expr), own_calls(expr, searched->functions));
}

/*
 * What is in an expression, as it is stored, if that text is a constant there.
 * The server writes the bytes of a constant as numbers.
 */
char *
idgen_stored_constant(const char *bytes, Size length)
{
	StringInfoData stored;

	initStringInfo(&stored);
	for (Size i = 0; i < length; i++)
		appendStringInfo(&stored, " %d", (int) bytes[i]);
	appendStringInfoChar(&stored, ' ');
	return stored.data;
}

/* Add the defaults that a catalog has in that column. */
static List *
add_defaults(List *defaults, const IdgenSearched *searched, const char *constant, Oid catalog, AttrNumber expression)
{
	Relation rel = table_open(catalog, AccessShareLock);
	SysScanDesc scan = systable_beginscan(rel, InvalidOid, false, NULL, 0, NULL);
	MemoryContext scratch = AllocSetContextCreate(CurrentMemoryContext, "idgen default", ALLOCSET_DEFAULT_SIZES);
	MemoryContext caller = CurrentMemoryContext;
	HeapTuple tuple;

	while (HeapTupleIsValid(tuple = systable_getnext(scan)))
	{
		bool isnull;
		Datum value = heap_getattr(tuple, expression, RelationGetDescr(rel), &isnull);
		List *calls = NIL;
		ListCell *cell;

		CHECK_FOR_INTERRUPTS();
		MemoryContextSwitchTo(scratch);
		if (!isnull)
		{
			const char *stored = TextDatumGetCString(value);

			if (strstr(stored, constant) != NULL && may_call(searched, 1, stored))
				calls = own_calls(stringToNode(stored), searched->functions);
		}
		MemoryContextSwitchTo(caller);
		foreach(cell, calls)
		{
			IdgenDrawingDefault found = {.name = ((const IdgenDrawCall *) lfirst(cell))->name};

			if (found.name == NULL)
				continue;
			found.name = pstrdup(found.name);
			if (catalog == AttrDefaultRelationId)
			{
				found.relid = ((Form_pg_attrdef) GETSTRUCT(tuple))->adrelid;
				found.attnum = ((Form_pg_attrdef) GETSTRUCT(tuple))->adnum;
			}
			defaults = lappend(defaults, memcpy(palloc(sizeof(found)), &found, sizeof(found)));
		}
		MemoryContextReset(scratch);
	}
	MemoryContextDelete(scratch);
	systable_endscan(scan);
	table_close(rel, AccessShareLock);
	return defaults;
}

/*
 * The defaults of columns and domains that call functions of the extension with
 * a constant name, once for each name: of palloc'd IdgenDrawingDefaults. If a
 * name is given, those with other names may be missing, which takes a fraction
 * of the time.
 */
List *
idgen_drawing_defaults(Oid idgen_schema, const char *name)
{
	IdgenSearched *searched = idgen_searched(idgen_schema);
	const char *constant = name != NULL ? idgen_stored_constant(name, strlen(name)) : "";
	List *defaults = add_defaults(NIL, searched, constant, AttrDefaultRelationId, Anum_pg_attrdef_adbin);

	return add_defaults(defaults, searched, constant, TypeRelationId, Anum_pg_type_typdefaultbin);
}
