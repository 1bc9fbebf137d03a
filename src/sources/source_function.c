/*
 * source_function.c
 *		Blocks from a function of the user's.
 *
 * The function f(name text, blocks integer) returns rows (first_id bigint,
 * last_id bigint). It runs with the caller's rights in the caller's
 * transaction, so what it does is undone together with the transaction, and its
 * blocks are pending until then.
 *
 * Its name must be schema-qualified, and its arguments must have exactly these
 * types: so no search_path can put another function in its place.
 *
 * Whoever owns the function decides what it does, from one call to the next. That somebody
 * was allowed to write its name into the row says nothing of that, and rows also come by
 * replication and from dumps, where nobody is asked. So each refill looks who owns it.
 */
#include "postgres.h"

#include "catalog/pg_collation.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
#include "common/hashfn.h"
#include "executor/executor.h"
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
#include "utils/tuplestore.h"

#include "catalog/privileges.h"
#include "catalog/table.h"
#include "common/as_owner.h"
#include "common/compat.h"
#include "session/handle.h"
#include "session/pending.h"
#include "sources/sources.h"

/* Raises 22004, 22023 or 42602 for what is not a qualified name. */
static void
function_check_syntax(const char *source_name)
{
	if (source_name == NULL)
		ereport(ERROR,
		        (errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
		         errmsg("source \"function\" needs a source_name"),
		         errhint("Name a function f(text, integer) that returns rows of two bigints.")));
	if (list_length(stringToQualifiedNameList(source_name, NULL)) < 2)
		ereport(ERROR,
		        (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
		         errmsg("function name \"%s\" must be schema-qualified", source_name),
		         errhint("idgen_create() finds the function's schema by itself.")));
}

/* A function to allocate with. */
typedef struct Allocator
{
	Oid funcid;
	Oid run_as;      /* with whose rights */
	bool restricted; /* and with the restrictions of idgen_act_as() */
	Oid result_type;
	TupleDesc desc; /* of its result */
	AttrNumber first_id;
	AttrNumber last_id;
} Allocator;

/* Are there just two columns, of type bigint? Notes where they are. */
static bool
returns_blocks(Allocator *allocator)
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

static const char *
signature(List *names)
{
	return func_signature_string(names, lengthof(argument_types), NIL, argument_types);
}

pg_noreturn static void
no_such_function(List *names)
{
	ereport(ERROR,
	        (errcode(ERRCODE_UNDEFINED_FUNCTION),
	         errmsg("function %s does not exist", signature(names)),
	         errhint("An allocator takes exactly these arguments.")));
}

/*
 * Find the function. Raises 42883, 42P13, and 42501 without USAGE on the schema.
 */
static void
find_function(const char *source_name, Allocator *allocator)
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

/* Found by the caller's search_path now, it is stored with its schema. */
static const char *
function_check_name(const char *name, const char *source_name)
{
	Allocator allocator;
	char *schema;
	char *function;

	if (source_name == NULL)
		function_check_syntax(NULL);
	find_function(source_name, &allocator);

	/* looking at what it returns can wait for a lock, and somebody drop it meanwhile */
	schema = get_namespace_name(get_func_namespace(allocator.funcid));
	function = get_func_name(allocator.funcid);
	if (schema == NULL || function == NULL)
		no_such_function(stringToQualifiedNameList(source_name, NULL));
	return quote_qualified_identifier(schema, function);
}

/*
 * Sets run_as: to whoever draws, if the function's owner may have others run code, or could do
 * by themselves all that whoever draws can. (The other way round is no reason to trust them.)
 *
 * Who has become that role with SET ROLE, or SET SESSION AUTHORIZATION, could be made what they
 * were by the function: if its owner has not all their privileges, it runs with the restrictions
 * of idgen_act_as().
 *
 * Nobody's rights are lent to a function that is SECURITY DEFINER. But it could leave things
 * behind in the session: settings, temporary tables that stand in front of others. If its owner is not
 * trusted, it runs with these restrictions, too, as its owner also if it is altered just now.
 *
 * Raises 42501 for other functions.
 */
static void
check_owner(const IdgenHandle *handle, Allocator *allocator)
{
	HeapTuple tuple = SearchSysCache1(PROCOID, ObjectIdGetDatum(allocator->funcid));
	Oid owner;
	bool security_definer;
	AclResult result;

	if (!HeapTupleIsValid(tuple))
		no_such_function(stringToQualifiedNameList(handle->found.source_name, NULL));
	owner = ((Form_pg_proc) GETSTRUCT(tuple))->proowner;
	security_definer = ((Form_pg_proc) GETSTRUCT(tuple))->prosecdef;
	ReleaseSysCache(tuple);

	allocator->run_as = GetUserId();
	allocator->restricted = false;
	if (idgen_may_lend_code(handle->relid, owner))
		return;
	allocator->restricted = !has_privs_of_role(owner, GetSessionUserId()) ||
		!has_privs_of_role(owner, MyProc->roleId);
	if (has_privs_of_role(owner, GetUserId()))
		return;
	if (!security_definer)
		ereport(ERROR,
		        (errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
		         errmsg("function %s may not run with the rights of role \"%s\"",
		                handle->found.source_name, GetUserNameFromId(GetUserId(), false)),
		         errdetail("It belongs to role \"%s\", which may not have other roles run its code.",
		                   GetUserNameFromId(owner, false)),
		         errhint("If you trust that role, GRANT TRIGGER ON %s TO %s. Or use ALTER FUNCTION to make it SECURITY DEFINER or to give it another owner.",
		                 idgen_table_name(handle->relid), quote_identifier(GetUserNameFromId(owner, false)))));

	result = object_aclcheck(ProcedureRelationId, allocator->funcid, GetUserId(), ACL_EXECUTE);
	if (result != ACLCHECK_OK)
		aclcheck_error(result, OBJECT_FUNCTION, get_func_name(allocator->funcid));
	allocator->run_as = owner;
	allocator->restricted = true;
}

/* Raises 22023: the function has returned nonsense. */
static void
bad_block(const IdgenHandle *handle, int64 first, int64 last, const char *detail)
{
	ereport(ERROR,
	        (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
	         errmsg("function %s returned a bad block, %lld to %lld",
	                handle->found.source_name, (long long) first, (long long) last),
	         errdetail("%s", detail)));
}

/* One row of the function's result, checked by itself. */
static IdgenBlock
block_from_row(const IdgenHandle *handle, const Allocator *allocator, TupleTableSlot *row)
{
	bool first_null;
	bool last_null;
	int64 first = DatumGetInt64(slot_getattr(row, allocator->first_id, &first_null));
	int64 last = DatumGetInt64(slot_getattr(row, allocator->last_id, &last_null));
	IdgenBlock block;

	if (first_null || last_null)
		ereport(ERROR,
		        (errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
		         errmsg("function %s returned a null", handle->found.source_name)));
	if (first > last)
		bad_block(handle, first, last, "Its first id is greater than its last one.");
	if ((uint64) last - (uint64) first >= IDGEN_BLOCK_MAX)
		bad_block(handle, first, last, "It is too large.");
	block.next = first;
	block.left = last - first + 1;
	block.step = 1;
	return block;
}

static int
compare_blocks(const void *a, const void *b)
{
	int64 first_a = ((const IdgenBlock *) a)->next;
	int64 first_b = ((const IdgenBlock *) b)->next;

	return (first_a > first_b) - (first_a < first_b);
}

static bool
overlaps_any(const IdgenBlock *block, const IdgenBlock *others, int nothers)
{
	for (int i = 0; i < nothers; i++)
		if (idgen_block_overlaps(&others[i], block))
			return true;
	return false;
}

/*
 * Sort the blocks, and see whether ids are among them that were allocated
 * before, as far as we can tell.
 */
static void
check_blocks(IdgenHandle *handle, IdgenBlock *blocks, int64 nblocks)
{
	const IdgenBlock *pending = idgen_pending_block(handle);
	const IdgenRest *rest = &handle->pending.rest;
	IdgenCacheKey key;
	IdgenCached cached;
	int64 ids = 0;

	idgen_handle_key(handle, &key);
	if (!idgen_pending_published_ok(handle) || !idgen_cache_read(&key, &cached))
		cached.nblocks = 0;

	qsort(blocks, nblocks, sizeof(IdgenBlock), compare_blocks);
	for (int64 i = 0; i < nblocks; i++)
	{
		int64 last = idgen_block_last(&blocks[i]);

		if (i > 0 && idgen_block_overlaps(&blocks[i - 1], &blocks[i]))
			bad_block(handle, blocks[i].next, last, "It overlaps with another one of the same call.");
		if (overlaps_any(&blocks[i], cached.blocks, cached.nblocks))
			bad_block(handle, blocks[i].next, last, "It overlaps with ids that are cached.");
		if (pending != NULL && (overlaps_any(&blocks[i], pending, 1) || overlaps_any(&blocks[i], rest->more, rest->nmore)))
			bad_block(handle, blocks[i].next, last, "It overlaps with ids that are pending.");
		ids += blocks[i].left;
		if (ids > IDGEN_BLOCK_MAX)
			bad_block(handle, blocks[i].next, last, "It makes too many ids at once.");
	}
}

/*
 * Evaluate the function as FROM would, but by its OID: nothing else that has the
 * same name comes into it. The executor checks the privilege.
 *
 * Names without a schema in its body are those of its own schema, unless it sets a
 * search_path itself: what it brings is for everybody, so it must not depend on what
 * whoever draws has put in front, be it a temporary table.
 */
static Tuplestorestate *
execute(const Allocator *allocator, const char *name, int32 nblocks, EState *estate)
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
	IdgenIdentity caller;
	int guc_level;
	Tuplestorestate *rows;

	call->funcretset = get_func_retset(allocator->funcid);
	if (allocator->restricted)
		idgen_act_as(allocator->run_as, &caller);
	guc_level = NewGUCNestLevel();
	(void) set_config_option("search_path", psprintf("%s, pg_temp", quote_identifier(schema)),
	                         PGC_USERSET, PGC_S_SESSION, GUC_ACTION_SAVE, true, 0, false);
	rows = ExecMakeTableFunctionResult(ExecInitTableFunctionResult((Expr *) call, econtext, NULL),
	                                   econtext, context, allocator->desc, false);
	AtEOXact_GUC(true, guc_level);
	if (allocator->restricted)
		idgen_act_as_before(&caller);
	return rows;
}

/*
 * Call the function for nblocks blocks. What it returns, checked and sorted, is
 * palloc'd; *returned is the number. Raises 2200H if there is none.
 */
static IdgenBlock *
call_function(IdgenHandle *handle, int32 nblocks, int *returned)
{
	EState *estate = CreateExecutorState();
	Allocator allocator;
	Tuplestorestate *rows;
	TupleTableSlot *row;
	IdgenBlock *blocks;
	int size = 8;

	find_function(handle->found.source_name, &allocator);
	check_owner(handle, &allocator);
	rows = execute(&allocator, handle->name, nblocks, estate);

	*returned = 0;
	blocks = palloc(size * sizeof(IdgenBlock));
	row = MakeSingleTupleTableSlot(allocator.desc, &TTSOpsMinimalTuple);
	while (tuplestore_gettupleslot(rows, true, false, row))
	{
		if (*returned == size)
			blocks = repalloc(blocks, (size *= 2) * sizeof(IdgenBlock));
		blocks[(*returned)++] = block_from_row(handle, &allocator, row);
	}
	ExecDropSingleTupleTableSlot(row);
	tuplestore_end(rows);
	FreeExecutorState(estate);

	if (*returned == 0)
		ereport(ERROR,
		        (errcode(ERRCODE_SEQUENCE_GENERATOR_LIMIT_EXCEEDED),
		         errmsg("id sequence \"%s\" is exhausted", handle->name),
		         errdetail("Function %s returned no block.", handle->found.source_name)));
	check_blocks(handle, blocks, *returned);
	*returned = idgen_blocks_merge(blocks, *returned);
	return blocks;
}

/* The function itself is looked up at each refill. */
static void
function_resolve(const IdgenHandle *handle, IdgenFound *found, Oid object)
{
	found->origin = hash_bytes((const unsigned char *) found->source_name, strlen(found->source_name));
}

/*
 * Allocate blocks; only the function knows how large they are. It can wait for
 * whatever it likes, so it is not called ahead.
 */
static IdgenSourceResult
function_allocate(IdgenHandle *handle, const IdgenRequest *request, IdgenRefill *refill)
{
	const IdgenHandleXact *xact = &handle->xact;
	int64 ids_per_block = xact->refills == 0 ? handle->found.block_size : Max(1, xact->ids_allocated / xact->counters.blocks_taken);
	int64 wanted = request->blocks + (request->count - 1) / ids_per_block;
	int32 nblocks = Min(Max(wanted, request->bulk_ids / ids_per_block), PG_INT32_MAX);
	const char *source_name = pstrdup(handle->found.source_name);
	IdgenBlock *blocks;
	int returned;

	if (request->asker == IDGEN_ASKER_SESSION_AHEAD)
		return IDGEN_SOURCE_NOT_AHEAD;
	blocks = call_function(handle, nblocks, &returned);
	if (handle->found.source != &idgen_source_function)
		ereport(ERROR,
		        (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
		         errmsg("function %s has changed what id sequence \"%s\" stands for",
		                source_name, handle->name)));

	refill->rest.block = blocks[0];
	refill->rest.more = &blocks[1];
	refill->rest.nmore = returned - 1;
	refill->blocks = nblocks;
	refill->fate = handle->found.block_size > 1 ? IDGEN_REST_PUBLISHED : IDGEN_REST_LOST;
	refill->percent_left = 100;
	return IDGEN_SOURCE_OK;
}

/* As much as call_function() lets pass. */
static int64
function_max_count(const IdgenHandle *handle)
{
	return IDGEN_BLOCK_MAX;
}

/* Raises 55000: there is no asking a function without allocating. */
static IdgenSourceResult
function_peek(IdgenHandle *handle, int64 *id)
{
	ereport(ERROR,
	        (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
	         errmsg("the next id of id sequence \"%s\" is not known yet", handle->name),
	         errdetail("None is cached, and function %s has to be called for more.",
	                   handle->found.source_name)));
}

const IdgenSource idgen_source_function = {
	.name = "function",
	.transactional = true,
	.runs_code = true,
	.needs_row = true,
	.check_syntax = function_check_syntax,
	.check_name = function_check_name,
	.resolve = function_resolve,
	.allocate = function_allocate,
	.max_count = function_max_count,
	.peek = function_peek,
};
