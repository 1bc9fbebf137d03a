/*
 * allocator.c
 *		The function that allocates for an id sequence: finding it, whose rights
 *		it gets, calling it.
 *
 * Its name must be schema-qualified, and its arguments must have exactly these
 * types: so no search_path can put another function in its place.
 *
 * The owner of the function decides what it does, from one call to the next.
 * The role that has written its name into the row may be another one. Besides,
 * rows also come by replication and from dumps, without a check of privileges.
 * So each refill looks up the owner.
 */
#include "postgres.h"

#include "catalog/namespace.h"
#include "catalog/pg_collation.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "parser/parse_func.h"
#include "storage/proc.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/syscache.h"

#include "common/as_owner.h"
#include "common/compat.h"
#include "sources/allocator.h"

/*
 * Does the function return just two columns, of type bigint? Notes where they
 * are.
 */
static bool
returns_blocks(IdgenAllocator *allocator)
{
	int columns = 0;

	if (get_func_result_type(allocator->funcid, &allocator->result_type,
	                         &allocator->desc) != TYPEFUNC_COMPOSITE)
		return false;
	for (int i = 0; i < allocator->desc->natts; i++)
	{
		Form_pg_attribute att = TupleDescAttr(allocator->desc, i);

		if (att->attisdropped)
			continue;
		if (att->atttypid != INT8OID || columns == 2)
			return false;
		if (columns++ == 0)
			allocator->first_id = att->attnum;
		else
			allocator->last_id = att->attnum;
	}
	return columns == 2;
}

static const Oid argument_types[] = {TEXTOID, INT4OID};

/* The function as messages show it. */
static const char *
signature(List *names)
{
	return func_signature_string(names, lengthof(argument_types), NIL, argument_types);
}

/* Raises 42883. */
pg_noreturn static void
no_such_function(List *names)
{
	ereport(ERROR,
	        (errcode(ERRCODE_UNDEFINED_FUNCTION),
	         errmsg("function %s does not exist", signature(names)),
	         errhint("An allocator takes exactly these arguments.")));
}

/*
 * Find the function of that name. Raises 42883, 42P13, and 42501 without USAGE
 * on the schema.
 */
void
idgen_allocator_find(const char *source_name, IdgenAllocator *allocator)
{
	List *names = stringToQualifiedNameList(source_name, NULL);

	allocator->funcid = LookupFuncName(names, lengthof(argument_types), argument_types, true);
	if (!OidIsValid(allocator->funcid))
		no_such_function(names);
	if (get_func_prokind(allocator->funcid) != PROKIND_FUNCTION ||
	    !returns_blocks(allocator))
		ereport(ERROR,
		        (errcode(ERRCODE_INVALID_FUNCTION_DEFINITION),
		         errmsg("function %s is not an allocator", signature(names)),
		         errhint("It must return rows (first_id bigint, last_id bigint).")));
}

/*
 * The function that a row names, with its schema, without a look at what it
 * returns and whether the user may use the schema. Invalid if there is none.
 */
Oid
idgen_allocator_look_up(const char *source_name)
{
	List *names = stringToQualifiedNameList(source_name, NULL);
	Oid schema = list_length(names) == 2 ? get_namespace_oid(strVal(linitial(names)), true) : InvalidOid;
	oidvector *types = buildoidvector(argument_types, lengthof(argument_types));

	return GetSysCacheOid3(PROCNAMEARGSNSP, Anum_pg_proc_oid, CStringGetDatum(strVal(llast(names))),
	                       PointerGetDatum(types), ObjectIdGetDatum(schema));
}

/*
 * The name of the function, found by the caller's search_path now, with its
 * schema. Raises what idgen_allocator_find() does.
 */
const char *
idgen_allocator_full_name(const char *source_name)
{
	IdgenAllocator allocator;
	char *schema;
	char *function;

	idgen_allocator_find(source_name, &allocator);

	/*
	 * To look at what it returns can take a wait for a lock. Meanwhile, another
	 * session may have dropped it.
	 */
	schema = get_namespace_name(get_func_namespace(allocator.funcid));
	function = get_func_name(allocator.funcid);
	if (schema == NULL || function == NULL)
		no_such_function(stringToQualifiedNameList(source_name, NULL));
	return quote_qualified_identifier(schema, function);
}

/*
 * Raises 42501: the owner of a function could not do all that the role that
 * draws can do.
 */
pg_noreturn static void
not_trusted(const char *source_name, Oid owner)
{
	ereport(ERROR,
	        (errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
	         errmsg("function %s may not run with the rights of role \"%s\"",
	                source_name, GetUserNameFromId(GetUserId(), false)),
	         errdetail("It belongs to role \"%s\", which does not have these rights.",
	                   GetUserNameFromId(owner, false)),
	         errhint("Use ALTER FUNCTION to make it SECURITY DEFINER or to give it another owner.")));
}

/*
 * Decide with whose rights the function runs. It gets those of the role that
 * draws if its owner could do without it all that this role can do (rule S1).
 * (That the role could do all that the owner can is no reason to trust the
 * owner.)
 *
 * A session may have become the role that draws by SET ROLE or SET SESSION
 * AUTHORIZATION. The function could undo that, and get at the privileges of the
 * role before. If its owner does not have all of these, it runs restricted.
 *
 * Of another owner, a function must be SECURITY DEFINER: then it gets nobody's
 * rights. But it could leave things behind in the session: settings, temporary
 * tables that stand in front of others. So it runs restricted; and as its
 * owner, even if it is altered just now and is not SECURITY DEFINER any more.
 *
 * Raises 42501 for other functions.
 */
static IdgenAllocatorRights
decide_rights(IdgenAllocator *allocator, const char *source_name)
{
	HeapTuple tuple = SearchSysCache1(PROCOID, ObjectIdGetDatum(allocator->funcid));
	Oid owner;
	bool security_definer;
	AclResult result;

	if (!HeapTupleIsValid(tuple))
		no_such_function(stringToQualifiedNameList(source_name, NULL));
	owner = ((Form_pg_proc) GETSTRUCT(tuple))->proowner;
	security_definer = ((Form_pg_proc) GETSTRUCT(tuple))->prosecdef;
	ReleaseSysCache(tuple);
	allocator->owner = owner;

	if (has_privs_of_role(owner, GetUserId()))
	{
		if (has_privs_of_role(owner, GetSessionUserId()) && has_privs_of_role(owner, MyProc->roleId))
			return IDGEN_ALLOCATOR_AS_CALLER;
		return IDGEN_ALLOCATOR_AS_CALLER_RESTRICTED;
	}
	if (!security_definer)
		not_trusted(source_name, owner);

	result = object_aclcheck(ProcedureRelationId, allocator->funcid, GetUserId(), ACL_EXECUTE);
	if (result != ACLCHECK_OK)
		aclcheck_error(result, OBJECT_FUNCTION, get_func_name(allocator->funcid));
	return IDGEN_ALLOCATOR_AS_OWNER_RESTRICTED;
}

/*
 * Evaluate the function as FROM would, but by its OID: nothing else that has
 * the same name comes into it. The executor checks the privilege.
 *
 * Names without a schema in its body are those of its own schema, unless it
 * sets a search_path itself. The ids that it brings are for all sessions, so
 * they must not depend on what the role that draws has put in front, be it a
 * temporary table.
 */
static Tuplestorestate *
execute(const IdgenAllocator *allocator, const char *name, int32 nblocks, EState *estate)
{
	ExprContext *econtext = CreateExprContext(estate);
	List *args = list_make2(makeConst(TEXTOID, -1, DEFAULT_COLLATION_OID, -1,
	                                  CStringGetTextDatum(name), false, false),
	                        makeConst(INT4OID, -1, InvalidOid, sizeof(int32),
	                                  Int32GetDatum(nblocks), false, true));
	FuncExpr *call = makeFuncExpr(allocator->funcid, allocator->result_type, args,
	                              InvalidOid, DEFAULT_COLLATION_OID, COERCE_EXPLICIT_CALL);
	MemoryContext context = AllocSetContextCreate(estate->es_query_cxt, "idgen allocator",
	                                              ALLOCSET_DEFAULT_SIZES);
	const char *schema = get_namespace_name(get_func_namespace(allocator->funcid));
	int guc_level = NewGUCNestLevel();
	Tuplestorestate *rows;

	call->funcretset = get_func_retset(allocator->funcid);
	(void) set_config_option("search_path", psprintf("%s, pg_temp", quote_identifier(schema)),
	                         PGC_USERSET, PGC_S_SESSION, GUC_ACTION_SAVE, true, 0, false);
	rows = ExecMakeTableFunctionResult(ExecInitTableFunctionResult((Expr *) call, econtext, NULL),
	                                   econtext, context, allocator->desc, false);
	AtEOXact_GUC(true, guc_level);
	return rows;
}

/*
 * Call the function for nblocks blocks of the id sequence of that name. Returns
 * its result, which lives as long as the estate. Raises 42501 if there is no
 * role with whose rights it may run, and what the function raises.
 */
Tuplestorestate *
idgen_allocator_call(IdgenAllocator *allocator, const char *source_name,
                     const char *name, int32 nblocks, EState *estate)
{
	IdgenAllocatorRights rights = decide_rights(allocator, source_name);
	IdgenIdentity caller;
	Tuplestorestate *rows;

	if (rights == IDGEN_ALLOCATOR_AS_CALLER)
		return execute(allocator, name, nblocks, estate);

	idgen_act_as(rights == IDGEN_ALLOCATOR_AS_OWNER_RESTRICTED ? allocator->owner : GetUserId(),
	             &caller);
	rows = execute(allocator, name, nblocks, estate);
	idgen_act_as_before(&caller);
	return rows;
}
