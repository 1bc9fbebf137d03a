/*
 * nextval_calls.c
 *		The calls of nextval() in a default.
 *
 * The server notes that a default depends on a sequence only if the call names
 * it as a regclass. An old dump, or a careful developer, has it as text, so
 * that it is looked for at each call. So defaults themselves are searched: in
 * the form in which they are stored, most can be passed over without being
 * parsed.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "utils/fmgroids.h"

#include "catalog/native_look.h"
#include "sql/column_default.h"
#include "sql/nextval_calls.h"

/* May an expression call it, which is in the form in which it is stored? */
bool
idgen_may_call_nextval(const char *stored)
{
	static char call[32];

	if (call[0] == '\0')
		snprintf(call, sizeof(call), ":funcid %u ", F_NEXTVAL);
	return strstr(stored, call) != NULL;
}

/* What a call draws from. */
static IdgenNextvalCall
read_call(FuncExpr *expr)
{
	IdgenNextvalCall call = {0};
	Node *argument = idgen_strip_conversions(linitial(expr->args));

	if (argument == NULL || !IsA(argument, Const) || ((Const *) argument)->constisnull)
		return call;
	if (((Const *) argument)->consttype == REGCLASSOID)
		call.sequence = DatumGetObjectId(((Const *) argument)->constvalue);
	else if ((call.name = idgen_constant_text(argument)) != NULL)
		call.sequence = idgen_native_look_up(NULL, call.name);
	return call;
}

static bool
is_among(const List *calls, Oid sequence)
{
	ListCell *cell;

	foreach(cell, calls)
	{
		if (((const IdgenNextvalCall *) lfirst(cell))->sequence == sequence)
			return true;
	}
	return false;
}

/*
 * The calls in an expression in that form, as palloc'd IdgenNextvalCalls: one
 * for each sequence, and one for all of which that is not known.
 */
List *
idgen_nextval_calls(const char *stored)
{
	Node *expr = (Node *) stringToNode(stored);
	Node *whole = idgen_strip_conversions(expr);
	List *calls = NIL;
	ListCell *cell;

	foreach(cell, idgen_calls_of(expr, list_make1_oid(F_NEXTVAL)))
	{
		IdgenNextvalCall *call = palloc(sizeof(IdgenNextvalCall));

		*call = read_call(lfirst(cell));
		call->plain = lfirst(cell) == whole;
		if (!is_among(calls, call->sequence))
			calls = lappend(calls, call);
	}
	return calls;
}
