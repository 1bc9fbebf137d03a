/*
 * copy_batches.c
 *		Letting COPY store rows in batches whose ids come from a column default.
 *
 * COPY computes the defaults of a row before it stores it. It stores rows in
 * batches of up to 1000 only if no default holds a volatile function, except
 * nextval(): the code of such a function could look at the table, and would
 * miss the rows of the batch. The server asks for that when it has planned the
 * defaults. So while COPY FROM runs, the planner gets another function in place
 * of idgen_next() in a default: one that does the same and is labelled STABLE.
 *
 * That is right only where drawing runs no code that could look at the table:
 *
 * - not that of an allocator (source "function"),
 * - nor of triggers on id_sequences, which a refill fires,
 * - nor of its policies.
 *
 * (CHECK constraints and generated columns could, too. The server takes them
 * for immutable, also those of the table that COPY loads, and so do we.)
 *
 * And the label must not matter to anything else. It would to ALTER TABLE ...
 * ADD COLUMN, which computes a default once for all rows unless it is volatile.
 * That is a utility command, so idgen_in_copy_from() says no in it. Other
 * commands have a planner's context ("root"). What remains are other
 * expressions that COPY itself evaluates for each row, such as its condition:
 * there, the label says what is true in a default.
 *
 * The other function takes an argument of type internal, which SQL cannot make:
 * nobody calls it but through here. An expression with it may outlive COPY in a
 * cache of the server (that of a domain's constraints), so it draws anywhere.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "access/xact.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "nodes/supportnodes.h"
#include "storage/lmgr.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/date.h"
#include "utils/lsyscache.h"
#include "utils/rls.h"
#include "utils/syscache.h"

#include "catalog/row.h"
#include "catalog/row_duties.h"
#include "catalog/source.h"
#include "catalog/template.h"
#include "common/compat.h"
#include "common/guc.h"
#include "common/period.h"
#include "common/time_zone.h"
#include "sql/utility.h"

PG_FUNCTION_INFO_V1(idgen_next_support);

/*
 * The value of a constant argument of type text; NULL if it is no constant. (A
 * null is none, either: the planner has replaced the call by null.)
 */
static const text *
constant_text(const Node *argument)
{
	const Const *constant = (const Const *) argument;

	if (!IsA(argument, Const) || constant->consttype != TEXTOID || constant->constisnull)
		return NULL;
	return DatumGetTextPP(constant->constvalue);
}

/* A column of text, NULL if it is null. */
static char *
get_text(TupleTableSlot *row, AttrNumber attnum)
{
	bool isnull;
	Datum value = slot_getattr(row, attnum, &isnull);

	return isnull ? NULL : TextDatumGetCString(value);
}

/* The source that a row names, NULL if there is no such source. */
static const IdgenSource *
source_of(TupleTableSlot *row)
{
	const char *source = get_text(row, IDGEN_ATT_SOURCE);

	return source != NULL ? idgen_source_find(source) : NULL;
}

/*
 * The day whose period a call draws from, for a row with that time zone. False
 * if it is not known: there is a date that is no constant. Raises 22008.
 */
static bool
get_day(const FuncExpr *call, const char *time_zone, IdgenDay *day)
{
	const Const *at = list_length(call->args) > 1 ? lsecond(call->args) : NULL;
	pg_tz *zone = time_zone != NULL ? idgen_time_zone_find(time_zone) : idgen_period_zone;
	TimestampTz until;

	if (at == NULL || exprType((const Node *) at) != DATEOID)
	{
		if (zone != NULL)
			*day = idgen_day_at(GetCurrentTransactionStartTimestamp(), IDGEN_PERIOD_NONE, zone, &until);
		return zone != NULL;
	}
	if (!IsA(at, Const) || at->constisnull)
		return false;
	*day = idgen_day_of(DatumGetDateADT(at->constvalue));
	return true;
}

/*
 * If the row in the slot has periods, put that of the child there from which a
 * call draws; and so on, if that has periods in turn. Returns false if it is
 * not known which one that is, or if it has to be made.
 */
static bool
find_child(Relation rel, const FuncExpr *call, TupleTableSlot *row)
{
	const char *word;
	IdgenPeriod period;
	IdgenDay day;

	while ((word = get_text(row, IDGEN_ATT_PERIOD)) != NULL && idgen_period_find(word, &period))
	{
		const char *name = get_text(row, IDGEN_ATT_NAME);

		if (!get_day(call, get_text(row, IDGEN_ATT_TIME_ZONE), &day))
			return false;
		name = idgen_period_child(name, period, &day);
		if (!idgen_row_find(rel, name, strlen(name), IDGEN_SEARCH_QUICK, row))
			return false;
	}
	return true;
}

/*
 * Can the current user draw ids of that name without running code that looks at
 * other tables? "asked" is the source that the call asks for, or NULL. The
 * answer is no if that is not known: there is no row yet, or the table is
 * locked. COPY does not wait here, since it may draw without looking at the
 * table.
 */
static bool
draws_without_code(Oid relid, const FuncExpr *call, const text *name, const IdgenSource *asked)
{
	const IdgenSource *source = NULL;
	IdgenRow row;
	bool answer;

	if (!ConditionalLockRelationOid(relid, AccessShareLock))
		return false;
	if (idgen_row_open(&row, relid, VARDATA_ANY(name), VARSIZE_ANY_EXHDR(name), IDGEN_SEARCH_QUICK))
	{
		if (find_child(row.rel, call, row.slot))
			source = source_of(row.slot);
	}
	else if (asked != NULL && !asked->needs_row &&
	         !idgen_may_have_template(VARDATA_ANY(name), VARSIZE_ANY_EXHDR(name)))
		source = asked;
	answer = source != NULL && !source->runs_code && !idgen_row_fires_triggers(row.rel) &&
		check_enable_rls(relid, InvalidOid, true) != RLS_ENABLED;
	idgen_row_close(&row);
	UnlockRelationOid(relid, AccessShareLock);
	return answer;
}

static bool
may_execute(Oid funcid)
{
	return object_aclcheck(ProcedureRelationId, funcid, GetUserId(), ACL_EXECUTE) == ACLCHECK_OK;
}

/*
 * The function to take in place of one that draws: named as that one, with
 * "_in_copy" behind, and "internal" behind its arguments. Invalid if the owner
 * of the extension has changed functions, or if the user may not call both:
 * then the one that draws says so.
 */
static Oid
function_in_copy(Oid funcid)
{
	Oid *declared;
	int nargs;
	Oid types[FUNC_MAX_ARGS];
	char *name = get_func_name(funcid);
	Oid found = InvalidOid;

	(void) get_func_signature(funcid, &declared, &nargs);
	if (name != NULL && nargs < FUNC_MAX_ARGS)
	{
		memcpy(types, declared, nargs * sizeof(Oid));
		types[nargs] = INTERNALOID;
		found = GetSysCacheOid3(PROCNAMEARGSNSP, Anum_pg_proc_oid,
		                        CStringGetDatum(psprintf("%s_in_copy", name)),
		                        PointerGetDatum(buildoidvector(types, nargs + 1)),
		                        ObjectIdGetDatum(get_func_namespace(funcid)));
	}
	return OidIsValid(found) && may_execute(funcid) && may_execute(found) ? found : InvalidOid;
}

/* What to put in place of a call in a default of COPY; NULL for nothing. */
static Node *
call_in_copy(const FuncExpr *call)
{
	Oid relid = get_relname_relid("id_sequences", get_func_namespace(call->funcid));
	Oid funcid = function_in_copy(call->funcid);
	const text *name = constant_text(linitial(call->args));
	const IdgenSource *asked = NULL;
	Const *internal;

	if (!OidIsValid(relid) || !OidIsValid(funcid) || name == NULL)
		return NULL;
	if (list_length(call->args) > 1 && exprType(lsecond(call->args)) == TEXTOID)
	{
		const text *source = constant_text(lsecond(call->args));

		asked = source != NULL ? idgen_source_find(text_to_cstring(source)) : NULL;
		if (asked == NULL)
			return NULL;
	}
	if (!draws_without_code(relid, call, name, asked))
		return NULL;

	internal = makeConst(INTERNALOID, -1, InvalidOid, sizeof(Datum), (Datum) 0, false, true);
	return (Node *) makeFuncExpr(funcid, call->funcresulttype, lappend(list_copy(call->args), internal),
	                             call->funccollid, call->inputcollid, COERCE_EXPLICIT_CALL);
}

/*
 * The planner support function of idgen_next(), idgen_next_big() and
 * idgen_next_text().
 */
Datum
idgen_next_support(PG_FUNCTION_ARGS)
{
	Node *request = (Node *) PG_GETARG_POINTER(0);
	Node *answer = NULL;

	if (IsA(request, SupportRequestSimplify) && idgen_in_copy_from() &&
	    ((SupportRequestSimplify *) request)->root == NULL)
		answer = call_in_copy(((SupportRequestSimplify *) request)->fcall);
	PG_RETURN_POINTER(answer);
}
