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
#include "access/relation.h"
#include "access/table.h"
#include "catalog/pg_attrdef.h"
#include "catalog/pg_class.h"
#include "catalog/pg_namespace.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "storage/bufmgr.h"
#include "storage/lmgr.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/rel.h"
#include "utils/syscache.h"

#include "catalog/calls.h"
#include "catalog/native_sequence.h"
#include "catalog/source.h"
#include "catalog/table.h"
#include "common/as_owner.h"
#include "common/compat.h"

/*
 * What is looked for
 */

/* The functions that draw single ids: nextval() is the first. */
static const struct
{
	const char *name;
	const char *form; /* what it returns; or "nextval" */
	int nargs;
	Oid types[2];
} drawing[] = {
	{"nextval", "nextval", 1, {REGCLASSOID}},
	{"idgen_next", "bigint", 1, {TEXTOID}},
	{"idgen_next", "bigint", 2, {TEXTOID, TEXTOID}},
	{"idgen_next_big", "numeric", 1, {TEXTOID}},
	{"idgen_next_big", "numeric", 2, {TEXTOID, TEXTOID}},
	{"idgen_next_text", "text", 1, {TEXTOID}},
	{"idgen_next_text", "text", 2, {TEXTOID, DATEOID}},
};

struct IdgenSearched
{
	Oid functions[lengthof(drawing)];   /* invalid for one that is not there */
	char stored[lengthof(drawing)][32]; /* how a call of it is stored */
};

/*
 * What is looked for, palloc'd: calls of nextval(), and of the functions of the
 * extension in that schema. Asks for no right to use the schema: whoever drops
 * a table need not have it.
 */
IdgenSearched *
idgen_searched(Oid idgen_schema)
{
	IdgenSearched *searched = palloc(sizeof(IdgenSearched));

	for (size_t i = 0; i < lengthof(drawing); i++)
	{
		searched->functions[i] = GetSysCacheOid3(PROCNAMEARGSNSP, Anum_pg_proc_oid, CStringGetDatum(drawing[i].name),
		                                         PointerGetDatum(buildoidvector(drawing[i].types, drawing[i].nargs)),
		                                         ObjectIdGetDatum(i == 0 ? PG_CATALOG_NAMESPACE : idgen_schema));
		snprintf(searched->stored[i], sizeof(*searched->stored), ":funcid %u ", searched->functions[i]);
	}
	return searched;
}

/*
 * Is one of these perhaps called in an expression, as it is stored? The first
 * one is nextval().
 */
static bool
may_call(const IdgenSearched *searched, size_t first, const char *stored)
{
	for (size_t i = first; i < lengthof(drawing); i++)
		if (strstr(stored, searched->stored[i]) != NULL)
			return true;
	return false;
}

/*
 * Reading an expression
 */

/* How many expressions may be in each other in one that is read. */
#define MAX_DEPTH 200

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

/*
 * The native sequence that a call leads to, invalid if there is none: of
 * nextval(), or of an id sequence without a row.
 */
static Oid
find_sequence(const IdgenDrawCall *call, const Const *argument)
{
	const IdgenSource *source = call->source != NULL ? idgen_source_find(call->source) : NULL;

	if (!call->is_nextval)
		return call->name != NULL && source != NULL && source->has_object ? idgen_native_look_up(call->name, NULL) : InvalidOid;
	if (call->name != NULL)
		return idgen_native_look_up(NULL, call->name);
	if (argument != NULL && IsA(argument, Const) && !argument->constisnull && argument->consttype == REGCLASSOID)
		return DatumGetObjectId(argument->constvalue);
	return InvalidOid;
}

/* What a call says of that function. */
static IdgenDrawCall *
read_call(FuncExpr *expr, size_t function)
{
	IdgenDrawCall *call = palloc0(sizeof(IdgenDrawCall));

	call->form = drawing[function].form;
	call->is_nextval = function == 0;
	call->name = constant_text(linitial(expr->args));
	call->plain = call->name != NULL || call->is_nextval;
	if (drawing[function].types[1] == TEXTOID)
	{
		call->source = constant_text(lsecond(expr->args));
		call->plain = call->plain && call->source != NULL;
	}
	call->sequence = find_sequence(call, (Const *) strip_conversions(linitial(expr->args)));
	return call;
}

/* Do two calls draw from the same? A name may be NULL. */
static bool
draw_from_same(const IdgenDrawCall *a, const IdgenDrawCall *b)
{
	if (a->is_nextval || b->is_nextval)
		return a->is_nextval && b->is_nextval && a->sequence == b->sequence;
	if (a->name == NULL || b->name == NULL)
		return a->name == b->name;
	return strcmp(a->name, b->name) == 0;
}

/* For collect_calls(). */
typedef struct Calls
{
	const IdgenSearched *searched;
	Node *whole; /* the expression, without the conversions around it */
	List *found;
} Calls;

static bool
collect_calls(Node *node, void *context)
{
	Calls *calls = (Calls *) context;

	if (node == NULL)
		return false;
	for (size_t i = 0; IsA(node, FuncExpr) && i < lengthof(drawing); i++)
	{
		IdgenDrawCall *call;
		bool is_new = ((FuncExpr *) node)->funcid == calls->searched->functions[i];
		ListCell *cell;

		if (!is_new)
			continue;
		call = read_call((FuncExpr *) node, i);
		call->plain = call->plain && node == calls->whole;
		foreach(cell, calls->found)
			is_new = is_new && !draw_from_same(lfirst(cell), call);
		if (is_new)
			calls->found = lappend(calls->found, call);
	}
	return expression_tree_walker(node, collect_calls, context);
}

/*
 * Is an expression, as it is stored, one in another in another, and so on? To
 * read it may take more stack than there is, even if it could be stored. No
 * default of anybody may keep others from seeing what else there is, nor from
 * dropping their tables.
 */
static bool
is_too_deep(const char *stored)
{
	int depth = 0;

	for (; *stored != '\0' && depth <= MAX_DEPTH; stored++)
	{
		if (*stored == '\\')
			stored++; /* what follows is part of a name */
		else
			depth += *stored == '{' ? 1 : *stored == '}' ? -1
														 : 0;
	}
	return depth > MAX_DEPTH;
}

/*
 * All calls in an expression, as it is stored, that draw: of IdgenDrawCall, one
 * for each thing that they draw from, and one for all whose name is no
 * constant. None of an expression that is too deep to be read.
 */
List *
idgen_calls_in(const IdgenSearched *searched, const char *stored)
{
	Calls calls = {.searched = searched};
	Node *expr;

	if (!may_call(searched, 0, stored) || is_too_deep(stored))
		return NIL;
	expr = stringToNode(stored);
	calls.whole = strip_conversions(expr);
	(void) collect_calls(expr, &calls);
	return calls.found;
}

/*
 * What is in an expression, as it is stored, if that name is a constant there.
 * The server writes the bytes of a constant as numbers.
 */
static const char *
stored_constant(const char *name)
{
	StringInfoData stored;

	initStringInfo(&stored);
	for (; *name != '\0'; name++)
		appendStringInfo(&stored, " %d", (int) *name);
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
				calls = idgen_calls_in(searched, stored);
		}
		MemoryContextSwitchTo(caller);
		foreach(cell, calls)
		{
			const IdgenDrawCall *call = lfirst(cell);
			IdgenDrawingDefault *found;

			if (call->is_nextval || call->name == NULL)
				continue;
			found = palloc0(sizeof(IdgenDrawingDefault));
			found->name = pstrdup(call->name);
			if (catalog == AttrDefaultRelationId)
			{
				found->relid = ((Form_pg_attrdef) GETSTRUCT(tuple))->adrelid;
				found->attnum = ((Form_pg_attrdef) GETSTRUCT(tuple))->adnum;
			}
			defaults = lappend(defaults, found);
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
	const char *constant = name != NULL ? stored_constant(name) : "";
	List *defaults = add_defaults(NIL, searched, constant, AttrDefaultRelationId, Anum_pg_attrdef_adbin);

	return add_defaults(defaults, searched, constant, TypeRelationId, Anum_pg_type_typdefaultbin);
}

/*
 * Names that are used already
 *
 * A table can be there without the row that its ids came from: restored alone,
 * or copied with its defaults. An id sequence that is made then, and begins at
 * 1, issues these ids a second time.
 */

/*
 * Does a table concern whoever draws? Everybody can make a table whose default
 * draws. So it is one that belongs to somebody who may write rows of
 * id_sequences, or to the current user, or that the current command writes to.
 */
static bool
concerns_us(Oid relid, Oid id_sequences)
{
	Oid owner = idgen_owner_of(relid);

	return OidIsValid(owner) &&
		(has_privs_of_role(GetUserId(), owner) ||
	     pg_class_aclcheck(id_sequences, owner, ACL_DELETE) == ACLCHECK_OK ||
	     idgen_relation_is_held(relid, RowExclusiveLock));
}

/*
 * May the table have rows with ids that it has had for longer than this
 * command? One that the current transaction has made, or gives a column with
 * such a default, gets them now. Of one that another transaction has locked,
 * nobody knows.
 */
static bool
may_have_ids(Oid relid, Oid id_sequences)
{
	Relation rel;
	bool result;

	if (!concerns_us(relid, id_sequences))
		return false;
	rel = idgen_relation_open_at_once(relid);
	if (rel == NULL)
		return SearchSysCacheExists1(RELOID, ObjectIdGetDatum(relid));
	result = rel->rd_rel->relkind == RELKIND_RELATION &&
		!CheckRelationLockedByMe(rel, AccessExclusiveLock, true) && RelationGetNumberOfBlocks(rel) > 0;
	relation_close(rel, AccessShareLock);
	return result;
}

/*
 * May a column whose default draws from that name have ids already? The table
 * need only have pages, so the answer may be yes for rows that were deleted.
 */
bool
idgen_name_is_used(Oid id_sequences, const char *name)
{
	ListCell *cell;

	foreach(cell, idgen_drawing_defaults(get_rel_namespace(id_sequences), name))
	{
		const IdgenDrawingDefault *drawing = lfirst(cell);

		if (OidIsValid(drawing->relid) && strcmp(drawing->name, name) == 0 && may_have_ids(drawing->relid, id_sequences))
			return true;
	}
	return false;
}
