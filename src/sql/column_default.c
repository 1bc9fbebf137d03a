/*
 * column_default.c
 *		Defaults of columns, and the id sequences that they draw from.
 *
 * A default draws from an id sequence if it calls one of the extension's
 * functions with a constant name. Calls inside other functions are not found:
 * that would mean to understand the source text of those functions.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/table.h"
#include "catalog/dependency.h"
#include "catalog/pg_attrdef.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
#include "nodes/nodeFuncs.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"

#include "common/compat.h"
#include "sql/column_default.h"

/*
 * Reading defaults
 */

/*
 * The default of a column, by its OID in pg_attrdef. NULL if there is no such
 * default.
 */
static Node *
read_default(Oid attrdef)
{
	Relation rel = table_open(AttrDefaultRelationId, AccessShareLock);
	ScanKeyData key;
	SysScanDesc scan;
	HeapTuple tuple;
	Node *expr = NULL;

	ScanKeyInit(&key, Anum_pg_attrdef_oid, BTEqualStrategyNumber, F_OIDEQ, ObjectIdGetDatum(attrdef));
	scan = systable_beginscan(rel, AttrDefaultOidIndexId, true, NULL, 1, &key);
	tuple = systable_getnext(scan);
	if (HeapTupleIsValid(tuple))
	{
		bool isnull;
		Datum adbin = heap_getattr(tuple, Anum_pg_attrdef_adbin, RelationGetDescr(rel), &isnull);

		expr = (Node *) stringToNode(TextDatumGetCString(adbin));
	}
	systable_endscan(scan);
	table_close(rel, AccessShareLock);
	return expr;
}

/* The default of a domain. NULL if it has none, or is gone. */
Node *
idgen_domain_default(Oid domain)
{
	if (!SearchSysCacheExists1(TYPEOID, ObjectIdGetDatum(domain)))
		return NULL;
	return get_typdefault(domain);
}

/*
 * What an INSERT takes for a column: its own default, or else that of its
 * domain. NULL if there is neither.
 */
Node *
idgen_column_default(Oid relid, const char *name)
{
	Form_pg_attribute att = idgen_column_attribute(relid, name);

	if (att->atthasdef)
		return read_default(GetAttrDefaultOid(relid, att->attnum));
	return get_typdefault(att->atttypid);
}

/*
 * What an expression draws from
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
 * Their OIDs, in that order; InvalidOid for one that is not there. This asks
 * for no right to use the schema: whoever drops a table need not have it.
 */
List *
idgen_drawing_functions(Oid idgen_schema)
{
	List *functions = NIL;

	for (size_t i = 0; i < lengthof(drawing); i++)
		functions = lappend_oid(functions,
		                        GetSysCacheOid3(PROCNAMEARGSNSP, Anum_pg_proc_oid, CStringGetDatum(drawing[i].name),
		                                        PointerGetDatum(buildoidvector(drawing[i].types, drawing[i].nargs)),
		                                        ObjectIdGetDatum(idgen_schema)));
	return functions;
}

/* An expression without the conversions around it. */
Node *
idgen_strip_conversions(Node *expr)
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
char *
idgen_constant_text(Node *expr)
{
	Const *constant = (Const *) idgen_strip_conversions(expr);

	if (!IsA(constant, Const) || constant->constisnull)
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

/*
 * The id sequence that a node draws from. NULL if the node is not a call of one
 * of these functions, or if the name is not a constant.
 */
static char *
drawn_from(Node *node, List *functions)
{
	if (!IsA(node, FuncExpr) || !list_member_oid(functions, ((FuncExpr *) node)->funcid))
		return NULL;
	return idgen_constant_text((Node *) linitial(((FuncExpr *) node)->args));
}

/* What a call of one of these functions says. */
static IdgenDrawCall
read_call(FuncExpr *expr, List *functions)
{
	IdgenDrawCall call = {.name = idgen_constant_text((Node *) linitial(expr->args))};
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
	call.source = idgen_constant_text((Node *) lsecond(expr->args));
	if (call.source == NULL)
		call.plain = false;
	return call;
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

/*
 * The calls of functions with these OIDs in an expression, which may be NULL: a
 * list of FuncExpr.
 */
List *
idgen_calls_of(Node *expr, List *functions)
{
	Calls calls = {.functions = functions};

	(void) collect_calls(expr, &calls);
	return calls.found;
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
 * The calls of these functions in an expression, as palloc'd IdgenDrawCalls:
 * one for each id sequence, and one for all whose name is no constant. The
 * expression may be NULL.
 */
List *
idgen_default_calls(Node *expr, List *functions)
{
	Node *whole = idgen_strip_conversions(expr);
	List *calls = NIL;
	ListCell *cell;

	foreach(cell, idgen_calls_of(expr, functions))
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

/* Which of the id sequences that an expression draws from are looked for. */
typedef enum SearchFor
{
	ANY_ID_SEQUENCE,
	EVERY_OTHER_SEQUENCE, /* all but the one with that name */
} SearchFor;

typedef struct Search
{
	List *functions; /* see idgen_drawing_functions() */
	SearchFor what;
	const char *name;
} Search;

static bool
matches(const Search *search, const char *name)
{
	switch (search->what)
	{
		case ANY_ID_SEQUENCE:
			return true;
		case EVERY_OTHER_SEQUENCE:
			return strcmp(name, search->name) != 0;
	}
	return false;
}

/* Does an expression draw from an id sequence that is looked for? */
static bool
draws(Node *expr, const Search *search)
{
	ListCell *cell;

	foreach(cell, idgen_calls_of(expr, search->functions))
	{
		char *name = drawn_from(lfirst(cell), search->functions);

		if (name != NULL && matches(search, name))
			return true;
	}
	return false;
}

/*
 * What a column draws from
 */

/* Raises 55000: the column draws from no id sequence, or not plainly. */
void
idgen_does_not_draw(const char *column, const char *table)
{
	ereport(ERROR,
	        (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
	         errmsg("column \"%s\" of table \"%s\" does not draw from an id sequence", column, table),
	         errdetail("Its default is not a plain call of idgen_next() with a constant name.")));
}

/*
 * The id sequence that a column draws from. NULL if its default is anything
 * other than a call of idgen_next() with one argument.
 */
char *
idgen_default_id_sequence(const IdgenColumn *column, Oid idgen_schema)
{
	Node *expr = idgen_strip_conversions(column->default_expr);
	List *functions = idgen_drawing_functions(idgen_schema);

	return expr != NULL ? drawn_from(expr, list_make1_oid(linitial_oid(functions))) : NULL;
}

/* The first of the column's tables where its default matches, or invalid. */
static Oid
find_member_that_draws(const IdgenColumn *column, const Search *search)
{
	ListCell *cell;

	foreach(cell, column->members)
		if (draws(idgen_column_default(lfirst_oid(cell), column->name), search))
			return lfirst_oid(cell);
	return InvalidOid;
}

/*
 * Raises 55000 if the column draws from an id sequence, in the table or in what
 * inherits from it. The ids that this id sequence has given out would not be
 * taken into account.
 */
void
idgen_check_draws_from_none(const IdgenColumn *column, Oid idgen_schema)
{
	Search search = {.functions = idgen_drawing_functions(idgen_schema), .what = ANY_ID_SEQUENCE};
	Oid member = find_member_that_draws(column, &search);

	if (OidIsValid(member))
		ereport(ERROR,
		        (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
		         errmsg("column \"%s\" of table \"%s\" already draws from an id sequence",
		                column->name, idgen_display_name(member))));
}

/*
 * Raises 55000 if the column draws from an id sequence of another name, in the
 * table or in what inherits from it.
 */
void
idgen_check_draws_from_no_other(const IdgenColumn *column, const char *name, Oid idgen_schema)
{
	Search search = {
		.functions = idgen_drawing_functions(idgen_schema),
		.what = EVERY_OTHER_SEQUENCE,
		.name = name,
	};
	Oid member = find_member_that_draws(column, &search);

	if (OidIsValid(member))
		ereport(ERROR,
		        (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
		         errmsg("column \"%s\" of table \"%s\" draws from another id sequence",
		                column->name, idgen_display_name(member))));
}
