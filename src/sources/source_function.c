/*
 * source_function.c
 *		Blocks from a function of the user's.
 *
 * The function f(name text, blocks integer) returns rows (first_id bigint,
 * last_id bigint). It runs in the caller's transaction, so what it does is
 * undone together with the transaction, and its blocks are pending until then.
 *
 * Its name must be schema-qualified, and its arguments must have exactly these
 * types: so no search_path can put another function in its place.
 *
 * The owner of the function decides what it does, from one call to the next.
 * The role that has written its name into the row may be another one. Besides,
 * rows also come by replication and from dumps, without a check of privileges.
 * So each refill looks up the owner, and decides whose rights the function
 * gets.
 */
#include "postgres.h"

#include "catalog/namespace.h"
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

#include "common/as_owner.h"
#include "common/compat.h"
#include "session/handle.h"
#include "session/xact.h"

/* A function to allocate with. */
typedef struct Allocator
{
	Oid funcid;
	Oid result_type;
	TupleDesc desc; /* of its result */
	AttrNumber first_id;
	AttrNumber last_id;
} Allocator;

/*
 * Finding it
 */

/*
 * Does the function return just two columns, of type bigint? Notes where they
 * are.
 */
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

/* The function as messages show it. */
static const char *
signature(const char *source_name)
{
	return func_signature_string(stringToQualifiedNameList(source_name, NULL),
	                             lengthof(argument_types), NIL, argument_types);
}

/* Raises 42883. */
pg_noreturn static void
no_such_function(const char *source_name)
{
	ereport(ERROR,
	        (errcode(ERRCODE_UNDEFINED_FUNCTION),
	         errmsg("function %s does not exist", signature(source_name)),
	         errhint("An allocator takes exactly these arguments.")));
}

/*
 * Find the function of that name. Raises 42883, 42P13, and 42501 without USAGE
 * on the schema.
 */
static Allocator
find_allocator(const char *source_name)
{
	Allocator allocator;

	allocator.funcid = LookupFuncName(stringToQualifiedNameList(source_name, NULL),
	                                  lengthof(argument_types), argument_types, true);
	if (!OidIsValid(allocator.funcid))
		no_such_function(source_name);
	if (get_func_prokind(allocator.funcid) != PROKIND_FUNCTION || !returns_blocks(&allocator))
		ereport(ERROR,
		        (errcode(ERRCODE_INVALID_FUNCTION_DEFINITION),
		         errmsg("function %s is not an allocator", signature(source_name)),
		         errhint("It must return rows (first_id bigint, last_id bigint).")));
	return allocator;
}

/* Raises 22004, 22023 or 42602 for what is not a qualified name. */
static void
check_syntax(const char *source_name)
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

/*
 * The function is stored with its schema, in which the caller's search_path
 * finds it.
 */
static const char *
function_check_name(const char *name, const char *source_name)
{
	Oid funcid;
	char *schema;
	char *function;

	if (name == NULL || source_name == NULL)
	{
		check_syntax(source_name);
		return source_name;
	}

	/*
	 * To look at what it returns can take a wait for a lock. Meanwhile, another
	 * session may have dropped it.
	 */
	funcid = find_allocator(source_name).funcid;
	schema = get_namespace_name(get_func_namespace(funcid));
	function = get_func_name(funcid);
	if (schema == NULL || function == NULL)
		no_such_function(source_name);
	return quote_qualified_identifier(schema, function);
}

/*
 * Looks neither at what it returns, nor whether the user may use the schema.
 * The name has been checked.
 */
static Oid
function_look_up(const char *name, const char *source_name)
{
	List *names = stringToQualifiedNameList(source_name, NULL);
	Oid schema = list_length(names) == 2 ? get_namespace_oid(strVal(linitial(names)), true) : InvalidOid;
	oidvector *types = buildoidvector(argument_types, lengthof(argument_types));

	return GetSysCacheOid3(PROCNAMEARGSNSP, Anum_pg_proc_oid, CStringGetDatum(strVal(llast(names))),
	                       PointerGetDatum(types), ObjectIdGetDatum(schema));
}

/* The function itself is looked up at each refill. */
static void
function_resolve(const IdgenHandle *handle, IdgenFound *found, Oid object)
{
	found->origin = hash_bytes((const unsigned char *) found->row.source_name, strlen(found->row.source_name));
}

/*
 * Calling it
 */

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
 * The role with whose rights the function runs, restricted as idgen_act_as()
 * does; invalid if it runs as any code of the role that draws.
 *
 * It gets the rights of the role that draws if its owner could do without it
 * all that this role can do (rule S1). (That the role could do all that the
 * owner can is no reason to trust the owner.)
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
static Oid
decide_rights(Oid funcid, const char *source_name)
{
	Oid owner;
	bool security_definer;
	AclResult result;

	if (!idgen_owner_of_function(funcid, &owner, &security_definer))
		no_such_function(source_name);
	if (has_privs_of_role(owner, GetUserId()))
	{
		bool is_trusted = has_privs_of_role(owner, GetSessionUserId()) && has_privs_of_role(owner, MyProc->roleId);

		return is_trusted ? InvalidOid : GetUserId();
	}
	if (!security_definer)
		not_trusted(source_name, owner);

	result = object_aclcheck(ProcedureRelationId, funcid, GetUserId(), ACL_EXECUTE);
	if (result != ACLCHECK_OK)
		aclcheck_error(result, OBJECT_FUNCTION, get_func_name(funcid));
	return owner;
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
execute(const IdgenHandle *handle, const Allocator *allocator, int32 nblocks, EState *estate)
{
	ExprContext *econtext = CreateExprContext(estate);
	List *args = list_make2(makeConst(TEXTOID, -1, DEFAULT_COLLATION_OID, -1,
	                                  CStringGetTextDatum(handle->name), false, false),
	                        makeConst(INT4OID, -1, InvalidOid, sizeof(int32),
	                                  Int32GetDatum(nblocks), false, true));
	FuncExpr *call = makeFuncExpr(allocator->funcid, allocator->result_type, args,
	                              InvalidOid, DEFAULT_COLLATION_OID, COERCE_EXPLICIT_CALL);
	MemoryContext context = AllocSetContextCreate(estate->es_query_cxt, "idgen allocator",
	                                              ALLOCSET_DEFAULT_SIZES);
	const char *schema = get_namespace_name(get_func_namespace(allocator->funcid));
	int guc_level;
	Tuplestorestate *rows;

	if (schema == NULL)
		no_such_function(handle->found.row.source_name); /* dropped just now */
	guc_level = NewGUCNestLevel();
	call->funcretset = get_func_retset(allocator->funcid);
	(void) set_config_option("search_path", psprintf("%s, pg_temp", quote_identifier(schema)),
	                         PGC_USERSET, PGC_S_SESSION, GUC_ACTION_SAVE, true, 0, false);
	rows = ExecMakeTableFunctionResult(ExecInitTableFunctionResult((Expr *) call, econtext, NULL),
	                                   econtext, context, allocator->desc, false);
	AtEOXact_GUC(true, guc_level);
	return rows;
}

/*
 * Call the function for nblocks blocks. Its result lives as long as the estate.
 * Raises 42501 if there is no role with whose rights it may run, and what the
 * function raises.
 */
static Tuplestorestate *
call(const IdgenHandle *handle, const Allocator *allocator, int32 nblocks, EState *estate)
{
	Oid role = decide_rights(allocator->funcid, handle->found.row.source_name);
	IdgenIdentity caller;
	Tuplestorestate *rows;

	if (!OidIsValid(role))
		return execute(handle, allocator, nblocks, estate);

	idgen_act_as(role, &caller);
	rows = execute(handle, allocator, nblocks, estate);
	idgen_act_as_before(&caller);
	return rows;
}

/*
 * Checking what it returns
 */

/* Raises 22023: the function has returned nonsense. */
static void
bad_block(const IdgenHandle *handle, int64 first, int64 last, const char *detail)
{
	ereport(ERROR,
	        (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
	         errmsg("function %s returned a bad block, %lld to %lld",
	                handle->found.row.source_name, (long long) first, (long long) last),
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
		         errmsg("function %s returned a null", handle->found.row.source_name)));
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

/*
 * Sort the blocks. Raises 22023 if ids are among them that were allocated
 * before, as far as this session can tell, or if there are too many.
 */
static void
check_blocks(IdgenHandle *handle, IdgenBlock *blocks, int64 nblocks)
{
	IdgenBlock cached[IDGEN_SLOT_RUNS];
	int ncached = 0;
	IdgenSlot *slot = idgen_may_use_published(handle) ? idgen_handle_lock_slot(handle) : NULL;
	int64 ids = 0;

	if (slot != NULL)
	{
		for (; ncached < slot->nruns; ncached++)
			cached[ncached] = (IdgenBlock){slot->runs[ncached].next, slot->runs[ncached].left, slot->step};
		LWLockRelease(&slot->lock);
	}

	qsort(blocks, nblocks, sizeof(IdgenBlock), compare_blocks);
	for (int64 i = 0; i < nblocks; i++)
	{
		int64 last = idgen_block_last(&blocks[i]);

		if (i > 0 && idgen_block_overlaps(&blocks[i - 1], &blocks[i]))
			bad_block(handle, blocks[i].next, last, "It overlaps with another one of the same call.");
		for (int j = 0; j < ncached; j++)
			if (idgen_block_overlaps(&cached[j], &blocks[i]))
				bad_block(handle, blocks[i].next, last, "It overlaps with ids that are cached.");
		for (const IdgenPendingCell *cell = handle->pending.cells; cell != NULL; cell = cell->next)
			if (cell->block->left > 0 && idgen_block_overlaps(cell->block, &blocks[i]))
				bad_block(handle, blocks[i].next, last, "It overlaps with ids that are pending.");
		ids += blocks[i].left;
		if (ids > IDGEN_BLOCK_MAX)
			bad_block(handle, blocks[i].next, last, "It makes too many ids at once.");
	}
}

/*
 * Call the function for nblocks blocks. The blocks that it returns are checked,
 * sorted and palloc'd; *returned is their number. Raises 2200H if there is
 * none.
 */
static IdgenBlock *
get_blocks(IdgenHandle *handle, int32 nblocks, int *returned)
{
	EState *estate = CreateExecutorState();
	Allocator allocator = find_allocator(handle->found.row.source_name);
	Tuplestorestate *rows = call(handle, &allocator, nblocks, estate);
	IdgenBlock *blocks = palloc(tuplestore_tuple_count(rows) * sizeof(IdgenBlock));
	TupleTableSlot *row = MakeSingleTupleTableSlot(allocator.desc, &TTSOpsMinimalTuple);

	*returned = 0;
	while (tuplestore_gettupleslot(rows, true, false, row))
		blocks[(*returned)++] = block_from_row(handle, &allocator, row);
	ExecDropSingleTupleTableSlot(row);
	tuplestore_end(rows);
	FreeExecutorState(estate);

	if (*returned == 0)
		ereport(ERROR,
		        (errcode(ERRCODE_SEQUENCE_GENERATOR_LIMIT_EXCEEDED),
		         errmsg("id sequence \"%s\" is exhausted", handle->name),
		         errdetail("Function %s returned no block.", handle->found.row.source_name)));
	check_blocks(handle, blocks, *returned);
	*returned = idgen_blocks_merge(blocks, *returned);
	return blocks;
}

/*
 * How many blocks to ask the function for? Only the function knows how large
 * they are: we go by those of this transaction.
 */
static int32
blocks_to_ask_for(const IdgenHandle *handle, const IdgenRequest *request)
{
	const IdgenHandleXact *xact = &handle->xact;
	int64 ids_per_block = handle->found.row.block_size;
	int64 wanted;

	if (xact->refills > 0)
		ids_per_block = Max(1, xact->ids_allocated / xact->told.counters.blocks_taken);
	wanted = request->blocks + (request->count - 1) / ids_per_block;
	return Min(Max(wanted, request->bulk_ids / ids_per_block), PG_INT32_MAX);
}

/*
 * Allocate blocks. The function can wait for whatever it likes, so it is not
 * called ahead.
 */
static IdgenSourceResult
function_allocate(IdgenHandle *handle, const IdgenRequest *request, IdgenRefill *refill)
{
	int32 nblocks = blocks_to_ask_for(handle, request);
	const char *source_name = pstrdup(handle->found.row.source_name);
	IdgenBlock *blocks;
	int returned;

	if (request->asker == IDGEN_ASKER_SESSION_AHEAD)
		return IDGEN_SOURCE_BUSY;
	blocks = get_blocks(handle, nblocks, &returned);
	if (handle->found.row.source != &idgen_source_function)
		ereport(ERROR,
		        (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
		         errmsg("function %s has changed what id sequence \"%s\" stands for",
		                source_name, handle->name)));

	refill->rest.block = blocks[0];
	refill->rest.more = &blocks[1];
	refill->rest.nmore = returned - 1;
	refill->blocks = nblocks;
	refill->fate = handle->found.row.block_size > 1 ? IDGEN_REST_PUBLISHED : IDGEN_REST_LOST;
	refill->left.percent = 100;
	return IDGEN_SOURCE_OK;
}

/* Raises 55000: a function cannot be asked without allocating. */
static bool
function_peek(IdgenHandle *handle, int64 *id)
{
	ereport(ERROR,
	        (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
	         errmsg("the next id of id sequence \"%s\" is not known yet", handle->name),
	         errdetail("None is cached, and function %s has to be called for more.",
	                   handle->found.row.source_name)));
}

const IdgenSource idgen_source_function = {
	.name = "function",
	.transactional = true,
	.runs_code = true,
	.max_count = IDGEN_BLOCK_MAX, /* as much as get_blocks() lets pass */
	.check_name = function_check_name,
	.look_up = function_look_up,
	.resolve = function_resolve,
	.allocate = function_allocate,
	.peek = function_peek,
};
